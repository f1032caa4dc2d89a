"""The frames in which the bodies of a mechanism work, and what those of its description would cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.derivation.placed_tree.placement import PlacedBody
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.natural_frames import Place
from kanegen.codegen.passes.optimize import optimize, with_equal_values_merged

_SMALL = 5e-10
"""Angles [rad] and lengths [m] that round to nothing in nine decimals."""


def frames_in_use(suited: KernelSources, answers: Mapping[str, int]) -> list[str]:
    """One line for each body whose frame is turned or slid from where its description has it, with answers of a kernel.

    ``suited`` are the sources in whose frames the kernel is derived: the frame of a body's own name is the described one.
    """
    trees = suited.trees
    tree, _ = trees.turned(answers) if suited.options.free else trees.placed(answers)
    described = {f.name: Place(f.rotation, f.position) for f in tree.frames if f.name == f.body}
    lines = []
    for body in tree.bodies:
        if body.name in described:
            place = described[body.name].back().then(Place(body.frame_rotation, body.frame_position))
            body = replace(body, frame_rotation=place.rotation, frame_position=place.position)
        parts = [text for text in (_turned(body), _slid(body), _offset(body)) if text]
        if parts and not body.carrier:
            lines.append(f"{body.name}: {', '.join(parts)}")
    return lines


def turns_frames(sources: KernelSources, kernel: str) -> bool:
    """Whether a kernel may be derived in other frames than the described ones to any advantage."""
    if not sources.options.free:
        return False
    placed, turned = (tree.bodies for tree, _ in (sources.trees.placed({}), sources.trees.turned({})))
    joints = any(new.rotation != old.rotation for old, new in zip(placed, turned, strict=True))
    return joints or sources.suited(kernel) is not sources


def in_frames_of_the_file(sources: KernelSources, kernel: str) -> OperationCounts:
    """Operations of a kernel without a search, in the frames of a file and with its numbers as they stand.

    Axes become coordinate axes, and origins slide along them; no frame is turned further, but those of last bodies.
    """
    rounded = sources.mechanism.rounded
    written = sources.mechanism if rounded is None else rounded.written
    deriver = KernelSources(written, sources.options, turned=False).deriver(kernel, searched=False)
    return count(with_equal_values_merged(*optimize(deriver({})[0]))[0])


def _turned(body: PlacedBody) -> str:
    """The angle of the frame's rotation."""
    entries = [body.frame_rotation[k][k] for k in range(3)]
    numbers = [float(x) for x in entries if isinstance(x, Fraction)]
    if len(numbers) < 3:
        return "turned"
    angle = math.acos(max(-1.0, min(1.0, (sum(numbers) - 1) / 2)))
    return f"turned by {math.degrees(angle):.6g} degrees" if angle > _SMALL else ""


def _slid(body: PlacedBody) -> str:
    """How far the origin is from the description's."""
    numbers = [float(x) for x in body.frame_position if isinstance(x, Fraction)]
    if len(numbers) < 3:
        return "its origin moved"
    distance = math.hypot(*numbers)
    return f"its origin moved by {distance:.6g} m" if distance > _SMALL else ""


def _offset(body: PlacedBody) -> str:
    """How much is added to the angle of its joint."""
    return f"{float(body.offset):+.6g} rad on its joint" if abs(body.offset) > _SMALL else ""
