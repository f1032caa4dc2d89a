"""A motion as curves over time: coordinates, speeds, forces, energies, with units and limits."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray, passed
from kanegen.figures.canvas import content, figure
from kanegen.files import write_whole

MOST_NAMED = 12
"""Curves of a panel that its legend names."""

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves (k,) by name in one unit, and the limits of each."""

    title: str
    unit: str
    curves: dict[str, FloatArray]
    limits: dict[str, Bounds]


def panels(motion: Any) -> list[Panel]:
    """What is drawn of a motion: a panel for each kind of quantity and each unit."""
    skeleton = None if motion.arm is None else getattr(motion.arm, "skeleton", None)
    count = motion.v.shape[1]
    units = (
        (("rad or m",) * motion.q.shape[1], ("rad/s or m/s",) * count, ("N m or N",) * count)
        if skeleton is None
        else (skeleton.units, skeleton.rates, skeleton.forces)
    )
    limits = {} if motion.of is None else motion.of.limits

    def both(value: float | None) -> Bounds:
        return (None if value is None else -value, value)

    bounds: dict[str, Callable[[Any], Bounds]] = {
        "q": lambda x: (x.lower, x.upper),
        "v": lambda x: both(x.velocity),
        "tau": lambda x: both(x.effort),
    }
    kinds = [("q", "coordinates", units[0]), ("v", "speeds", units[1]), ("tau", "forces", units[2])]
    columns = dict(motion.columns())
    held = sum(name.startswith("lambda.") for name in columns)
    if held:  # without speeds
        bounds |= {"qdot": bounds["v"], "lambda": bounds["tau"]}
        kinds.append(("qdot", "rates", tuple(f"{unit}/s" for unit in units[0])))
        kinds.append(("lambda", "constraint forces", ("N, N m",) * held))
    found = []
    for symbol, title, of_each in kinds:
        named = [name for name in columns if name.startswith(f"{symbol}.")]
        for unit in dict.fromkeys(of_each):
            chosen = [name for name, its in zip(named, of_each, strict=True) if its == unit]
            joints = {name: name.partition(".")[2] for name in chosen}
            edges = {name: bounds[symbol](limits[joint]) for name, joint in joints.items() if joint in limits}
            found.append(Panel(title, unit, {name: columns[name] for name in chosen}, edges))
    energies = {} if motion.energy is None else {"energy": motion.energy}
    if motion.work.size:
        energies["work of the forces"] = motion.work.sum(axis=1)
    if len(energies) == 2:
        energies["energy less work"] = energies["energy"] - energies["work of the forces"]
    return [*found, Panel("energies", "J", energies, {})] if energies else found


def plot(motion: Any, path: str | os.PathLike[str] | None) -> Any:
    """The figure, and the file if one is wanted."""
    chosen = panels(motion)
    columns = 2 if len(chosen) > 2 else 1
    rows = -(-len(chosen) // columns)
    drawn = figure(path, figsize=(5.2 * columns, 2.4 * rows + 0.5), layout="constrained")
    axes = drawn.subplots(rows, columns, sharex=True, squeeze=False)
    for axis, panel in zip(axes.flat, chosen, strict=False):
        _draw(axis, motion.t, panel)
    for axis in axes.flat[len(chosen) :]:
        axis.set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel("t [s]")
    if motion.of is not None:
        drawn.suptitle(motion.of.name)
    if path is not None:
        write_whole(Path(path), content(drawn, Path(path).suffix))
    return drawn


def _draw(axis: Any, t: FloatArray, panel: Panel) -> None:
    """The curves of a panel; dotted lines where limits are near, thick where they are passed."""
    colors = [
        axis.plot(t, values, linewidth=1.2, label=name)[0].get_color()
        for name, values in panel.curves.items()
    ]
    low, high = axis.get_ylim()
    margin = 0.3 * (high - low)
    for (name, values), color in zip(panel.curves.items(), colors, strict=True):
        lower, upper = panel.limits.get(name, (None, None))
        for limit in (lower, upper):
            if limit is not None and low - margin <= limit <= high + margin:
                axis.axhline(limit, color=color, linewidth=0.8, linestyle=":")
        beyond = np.where(passed(values, lower, upper), values, np.nan)
        if np.isfinite(beyond).any():
            axis.plot(t, beyond, color=color, linewidth=4.0, alpha=0.4)
    axis.set_ylabel(f"{panel.title} [{panel.unit}]")
    if len(panel.curves) <= MOST_NAMED:
        axis.legend(loc="best", fontsize="x-small", frameon=False, ncols=1 + len(panel.curves) // 7)
    axis.spines[["top", "right"]].set_visible(False)
