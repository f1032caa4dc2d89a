"""Angles of an MJCF file in radians, before MuJoCo makes quaternions of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kanegen.codegen.mechanism.importers.mjcf.placing import to_fraction
from kanegen.codegen.mechanism.rounded_angles import AngleRule, Written, decimals_of

_ANGLES = re.compile(rb"""\b(?:euler|axisangle)\s*=\s*["']([^"']*)""")


def can_mend(mujoco: Any) -> bool:
    """Whether this release of MuJoCo lets a parsed model be edited; with earlier ones angles stay as written."""
    parts = ("bodies", "frames", "geoms", "sites", "compiler")
    return all(hasattr(getattr(mujoco, "MjSpec", None), part) for part in parts)


def written_angles(contents: Iterable[bytes]) -> dict[float, Written]:
    """The numbers of orientations in files, as they are written; where one is written in two ways, with more decimals."""
    found: dict[float, Written] = {}
    for raw in contents:
        for word in b" ".join(_ANGLES.findall(raw)).decode("ascii", "replace").split():
            try:
                number = Written(word)
            except ValueError:  # MuJoCo says what is wrong with it
                continue
            found[number] = max(number, found.get(number, number), key=decimals_of)
    return found


def mend_angles(mujoco: Any, spec: Any, rule: AngleRule, written: Mapping[float, Written]) -> None:
    """Give a parsed model the angles that are meant, where orientations are written as angles in radians.

    ``written`` has their texts, as MuJoCo hands over doubles.  Degrees are exact as they stand; quaternions and axes are
    normalised by MuJoCo, so that equal components are equal.
    """
    kinds = mujoco.mjtOrientation

    def meant(angle: float) -> float:
        return float(rule.meant_by(to_fraction(angle), written.get(angle)))

    for orientation in _orientations(spec):
        if orientation.type == kinds.mjORIENTATION_EULER:
            orientation.euler = [meant(x) for x in orientation.euler]
        elif orientation.type == kinds.mjORIENTATION_AXISANGLE:
            *axis, angle = orientation.axisangle
            orientation.axisangle = [*axis, meant(angle)]


def _orientations(spec: Any) -> Iterator[Any]:
    for group in (spec.bodies, spec.frames, spec.geoms, spec.sites):
        for element in group:
            if not getattr(element, "compiler", spec.compiler).degree:
                yield element.alt
                if hasattr(element, "ialt"):
                    yield element.ialt
