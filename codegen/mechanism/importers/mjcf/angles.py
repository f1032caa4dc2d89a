"""Angles of an MJCF file in radians, before MuJoCo makes quaternions of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanegen.codegen.mechanism.importers.mjcf.placing import to_fraction
from kanegen.codegen.mechanism.rounded_angles import AngleRule


def can_mend(mujoco: Any) -> bool:
    """Whether this release of MuJoCo lets a parsed model be edited; with earlier ones angles stay as written."""
    parts = ("bodies", "frames", "geoms", "sites", "compiler")
    return all(hasattr(getattr(mujoco, "MjSpec", None), part) for part in parts)


def mend_angles(mujoco: Any, spec: Any, rule: AngleRule) -> None:
    """Give a parsed model the angles that are meant, where orientations are written as angles in radians.

    Degrees are exact as they stand; quaternions and axes are normalised by MuJoCo, so that equal components are equal.
    """
    kinds = mujoco.mjtOrientation
    for orientation in _orientations(spec):
        if orientation.type == kinds.mjORIENTATION_EULER:
            orientation.euler = [_meant(x, rule) for x in orientation.euler]
        elif orientation.type == kinds.mjORIENTATION_AXISANGLE:
            *axis, angle = orientation.axisangle
            orientation.axisangle = [*axis, _meant(angle, rule)]


def _orientations(spec: Any) -> Iterator[Any]:
    for group in (spec.bodies, spec.frames, spec.geoms, spec.sites):
        for element in group:
            if not getattr(element, "compiler", spec.compiler).degree:
                yield element.alt
                if hasattr(element, "ialt"):
                    yield element.ialt


def _meant(angle: float, rule: AngleRule) -> float:
    return float(rule.meant(to_fraction(angle)))
