"""The frames in which the bodies of a mechanism work, where they are not those of its description."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from kanegen.codegen.derivation.placed_tree.placement import PlacedBody
from kanegen.codegen.kernel_sources import KernelSources

_SMALL = 5e-10
"""Angles [rad] and lengths [m] that round to nothing in nine decimals."""


def frames_in_use(sources: KernelSources, answers: Mapping[str, int]) -> list[str]:
    """One line for each body whose frame is turned or slid from where its description has it, with answers of a kernel."""
    placed, _ = sources.trees.placed({})
    turned, _ = sources.trees.turned(answers)
    lines = []
    for before, body in zip(placed.bodies, turned.bodies, strict=True):
        parts = [text for text in (_turned(body), _slid(body), _offset(body)) if text]
        if parts and (body.frame_rotation != before.frame_rotation or body.offset):
            lines.append(f"{body.name}: {', '.join(parts)}")
    return lines


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
