"""Masses, mass centres and central inertia tensors of a placed tree, as Kane's method uses them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.placed_tree.placement import ExchangedBodyError, PlacedTree
from kanegen.codegen.mechanism.records import ZERO3, Matrix3, Mechanism, Value, Vector3
from kanegen.codegen.mechanism.vectors import matrix_vector, rotated_tensor, subtract, transpose


@dataclass(frozen=True, slots=True)
class CentralInertia:
    """Mass [kg], mass centre [m] from the placed origin, central tensor [kg m^2], along the placed axes."""

    mass: Value
    center: Vector3
    tensor: Matrix3


def central_inertias(mechanism: Mechanism, tree: PlacedTree) -> tuple[CentralInertia, ...]:
    """The inertias of the bodies of ``tree``, which is ``mechanism`` placed; zero where there are none.

    Raises ExchangedBodyError where a body of the mechanism is not in the tree.
    """
    found = []
    for body in tree.bodies:
        if body.instead_of:
            raise ExchangedBodyError(body.instead_of)
        inertia = mechanism.body(body.name).inertia
        if inertia is None:
            found.append(CentralInertia(Fraction(0), ZERO3, (ZERO3, ZERO3, ZERO3)))
            continue
        back = transpose(body.frame_rotation)
        center = matrix_vector(back, subtract(inertia.center, body.frame_position))
        found.append(CentralInertia(inertia.mass, center, rotated_tensor(back, inertia.tensor)))
    return tuple(found)
