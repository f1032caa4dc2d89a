"""Inertias as MuJoCo takes them: none too small where a body moves, no principal moment above the sum of the others."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.records import ZERO3, Inertia
from kanegen.codegen.mechanism.writers.mjcf_tree import Node, float_of, quaternion_of
from kanegen.codegen.mechanism.writers.xml_text import number, numbers

Array = NDArray[np.float64]

LEAST = 2e-15
"""[kg, kg m^2]: MuJoCo refuses bodies that move and have no more than 1e-15."""

_SAFE = 1e-12
"""[kg m^2], and of the largest moment: principal moments and margins from which on MuJoCo finds them by itself."""


def moves_with_inertia(node: Node) -> bool:
    """Whether MuJoCo finds enough inertia in a body, or in one that is fixed to it."""
    inertia = node.body.inertia
    enough = (
        inertia is not None
        and float_of(inertia.mass) >= LEAST
        and float(np.linalg.eigvalsh(_doubles(inertia))[0]) >= LEAST
    )
    return enough or any(not child.motions and moves_with_inertia(child) for child in node.children)


def inertial(inertia: Inertia | None, least: float) -> dict[str, str]:
    """The attributes of an inertia, of which mass and principal moments are no less than ``least``."""
    inertia = inertia or Inertia(ZERO3[0], ZERO3, (ZERO3, ZERO3, ZERO3))
    tensor = _doubles(inertia)
    moments, axes = np.linalg.eigh(tensor)
    found = {"pos": numbers(inertia.center), "mass": number(max(float_of(inertia.mass), least))}
    if not np.any(tensor - np.diag(np.diag(tensor))):
        return found | {"diaginertia": numbers(_possible(np.diag(tensor), least))}
    if moments[0] > _SAFE and moments[0] + moments[1] - moments[2] > _SAFE * moments[2]:
        places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        return found | {"fullinertia": numbers(float(tensor[place]) for place in places)}
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    a, b, c = ((Fraction(float(x)), Fraction(float(y)), Fraction(float(z))) for x, y, z in axes)
    quaternion = numbers(quaternion_of((a, b, c)))
    return found | {"diaginertia": numbers(_possible(moments, least)), "quat": quaternion}


def _doubles(inertia: Inertia) -> Array:
    return np.array([[float_of(x) for x in row] for row in inertia.tensor])


def _possible(moments: Array, least: float) -> list[float]:
    """Moments none of which is, by its rounding, below the least or above the sum of the others."""
    small, middle, largest = np.argsort(moments)
    found = [max(float(moment), least) for moment in moments]
    others = found[small] + found[middle]
    if others < found[largest] <= (1 + _SAFE) * others:
        found[largest] = others
    return found
