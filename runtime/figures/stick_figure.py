"""Stick figures of a mechanism, at one configuration or moving."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import KanegenError
from kanegen.figures.canvas import content, figure, matplotlib
from kanegen.files import write_whole
from kanegen.skeleton import Link

BODY, JOINT, MASS, TIE = "0.25", "tab:orange", "tab:purple", "tab:gray"
AXES = ("tab:red", "tab:green", "tab:blue")
FRAME, AXIS = 0.06, 0.05
"""Lengths of the axes of frames, and half those of hinges, over the size of the figure."""
MARKERS = {"prismatic": "s", "spherical": "o", "floating": "o", "several": "D", "fixed": ""}


@dataclass(frozen=True)
class Posed:
    """A robot at some configurations: the poses (rows, 4, 4) of its frames by name, and its links."""

    poses: Mapping[str, FloatArray]
    links: tuple[Link, ...]
    ties: tuple[tuple[str, str], ...]
    base: str

    def point(self, frame: str, place: Any) -> FloatArray:
        """Points (rows, 3) of a frame, from their place along its axes."""
        pose = self.poses[frame]
        points: FloatArray = pose[:, :3, :3] @ np.asarray(place) + pose[:, :3, 3]
        return points

    def sticks(self, link: Link) -> FloatArray:
        """The line (points, rows, 3) from the origin of a link's parent by its joint to its own."""
        places = [self.point(link.parent, (0, 0, 0))]
        if link.kind in ("prismatic", "floating", "several"):
            places.append(self.point(link.parent, link.anchor))
        return np.stack([*places, self.point(link.body, (0, 0, 0))])

    @property
    def extent(self) -> tuple[FloatArray, float]:
        """The middle of all that is drawn, and how far it reaches along any axis [m]."""
        origins = np.concatenate([pose[:, :3, 3] for pose in self.poses.values()])
        centres = [self.point(link.body, link.centre) for link in self.links]
        points = np.concatenate([origins, *centres])
        low, high = points.min(axis=0), points.max(axis=0)
        return (low + high) / 2.0, max(0.55 * float((high - low).max()), 0.05)


def posed(robot: Any, q: FloatArray) -> Posed:
    """A robot at the configurations q (rows, nq)."""
    skeleton = robot.skeleton
    poses = {name: np.atleast_3d(robot.frame_pose(q, name)) for name in robot.frame_names}
    base = "base" if skeleton is None else skeleton.base
    poses[base] = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    if skeleton is None:
        return Posed(poses, (), (), base)
    return Posed(poses, skeleton.links, skeleton.ties, base)


def plot(robot: Any, q: FloatArray, ax: Any, path: str | os.PathLike[str] | None) -> Any:
    """Axes with the figure of a robot at q (nq,), and the file, if one is wanted."""
    axes = figure(path, figsize=(6.4, 6.0)).add_subplot(projection="3d") if ax is None else ax
    found = posed(robot, q[None])
    _frame_of(axes, found)
    _draw(axes, found, 0)
    axes.set_title(robot.name)
    if path is not None:
        write_whole(Path(path), content(axes.figure, Path(path).suffix))
    return axes


def _frame_of(axes: Any, found: Posed) -> None:
    """Limits of the axes, equal in all directions."""
    middle, reach = found.extent
    for name, centre in zip("xyz", middle, strict=True):
        getattr(axes, f"set_{name}lim")(centre - reach, centre + reach)
        getattr(axes, f"set_{name}label")(f"{name} [m]")
    axes.set_box_aspect((1, 1, 1))


def _draw(axes: Any, found: Posed, row: int) -> list[Any]:
    """All that is drawn of one row."""
    _, reach = found.extent
    drawn = []

    def line(points: Any, **words: Any) -> None:
        drawn.extend(axes.plot(*np.transpose(points), **words))

    for name, pose in found.poses.items():
        origin = pose[row, :3, 3]
        for k, color in enumerate(AXES):
            line([origin, origin + FRAME * 2 * reach * pose[row, :3, k]], color=color, linewidth=0.9)
        if name == found.base:
            line([origin], marker="^", markersize=9, color=BODY, linestyle="")
    labels: dict[tuple[int, ...], tuple[FloatArray, list[str]]] = {}
    total = sum(link.mass for link in found.links) or 1.0
    for link in found.links:
        line(found.sticks(link)[:, row], color=BODY, linewidth=2.5, solid_capstyle="round")
        origin, along = (
            found.point(link.body, (0, 0, 0))[row],
            found.poses[link.body][row, :3, :3] @ link.axis,
        )
        if link.kind == "revolute":
            half = AXIS * 2 * reach * along
            line([origin - half, origin + half], color=JOINT, linewidth=4)
        elif MARKERS[link.kind]:
            line([origin], marker=MARKERS[link.kind], markersize=7, color=JOINT, linestyle="")
        if link.mass > 0:
            centre = found.point(link.body, link.centre)[row]
            line([origin, centre], color=MASS, linewidth=0.8, alpha=0.5)
            size = 3.0 + 12.0 * np.sqrt(link.mass / total)
            line([centre], marker="o", markersize=size, color=MASS, alpha=0.5, linestyle="")
        if link.kind != "fixed":
            labels.setdefault(tuple(np.round(origin / (0.05 * reach)).astype(int)), (origin, []))[1].append(
                link.joint
            )
    for place, names in labels.values():  # joints at one place share a label
        drawn.append(axes.text(*(place + 0.06 * reach), ", ".join(names), fontsize="x-small", color=JOINT))
    for first, second in found.ties:
        line(
            [found.poses[name][row, :3, 3] for name in (first, second)], color=TIE, linestyle="--", marker="."
        )
    return drawn


def animate(
    robot: Any, t: FloatArray, q: FloatArray, path: Path, frames_per_second: int, speed: float
) -> None:
    """Write the motion q (rows, nq) at the times t [s], so many times faster than it is, as .gif or .mp4."""
    matplotlib()
    from matplotlib import animation
    from matplotlib.figure import Figure

    writers = {".gif": ("pillow", "pillow"), ".mp4": ("ffmpeg", "ffmpeg")}
    if path.suffix.lower() not in writers:
        raise KanegenError(f"animate: expected a file that ends in .gif or .mp4, got {path.name!r}")
    name, program = writers[path.suffix.lower()]
    if not animation.writers.is_available(name):
        raise KanegenError(
            f"animate: {path.suffix} files need {program}, which is not installed; .gif files need pillow"
        )
    count = max(1, round(float(t[-1] - t[0]) / speed * frames_per_second))
    wanted = np.linspace(t[0], t[-1], count + 1)
    rows = (
        np.abs(t[:, None] - wanted).argmin(axis=0)
        if len(t) * len(wanted) < 10**7
        else np.searchsorted(t, wanted)
    )
    rows = np.minimum(rows, len(t) - 1)
    found = posed(robot.at(t[rows]), q[rows])
    shown = Figure(figsize=(5.0, 4.8))
    axes = shown.add_subplot(projection="3d")
    _frame_of(axes, found)
    writer = animation.writers[name](fps=frames_per_second)
    partial = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        with writer.saving(shown, str(partial), dpi=100):
            for row, place in enumerate(wanted):
                drawn = _draw(axes, found, row)
                axes.set_title(f"{robot.name}, t = {place:.2f} s")
                writer.grab_frame()
                for artist in drawn:
                    artist.remove()
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
