"""The unit of length as a gauge: choose it so that a frequent number becomes one and its products vanish.

Measured in units of l metres, with the units of time and of torque kept, lengths are divided by l, masses multiplied by
l^2, first moments by l, and second moments stay; energies and the generalized forces of revolute joints do not change.
Coordinates, rates and accelerations of prismatic joints must be divided by l, and so must their generalized forces, which
counts.  Arms without prismatic joints get the change for nothing.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, PlacedTree
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Value

POINT = "unit of length"
_CANDIDATES = 6
_REMEMBERED = 16
"""Trees remembered: a search derives many programs from one tree before it goes on to the next."""
_LARGEST = Fraction(1000)
"""Units beyond this number of metres (and its reciprocal) would only make the numbers of a kernel unreadable."""


def with_unit_of_length(tree: PlacedTree, choices: Choices) -> PlacedTree:
    """The tree in the unit of length that the decision point chooses; the metre by default."""
    units = [Fraction(1), *_candidates(tree)]
    unit = units[choices.pick(POINT, len(units))]
    return tree if unit == 1 else _in_unit(tree, unit)


@lru_cache(maxsize=_REMEMBERED)
def _in_unit(tree: PlacedTree, unit: Fraction) -> PlacedTree:
    """The tree in that unit of length."""
    return replace(
        tree,
        bodies=tuple(_scaled(body, unit) for body in tree.bodies),
        gravity=vec.scale(1 / unit, tree.gravity),
        base_first_moment=vec.scale(unit, tree.base_first_moment),
        base_mass=tree.base_mass * unit * unit,
        length_unit=unit,
    )


@lru_cache(maxsize=_REMEMBERED)
def _candidates(tree: PlacedTree) -> list[Fraction]:
    """Units that make a distance, a first moment or gravity one; the most frequent first, then in order of the bodies."""
    found: dict[Fraction, int] = {}

    def see(value: Value, inverse: bool) -> None:
        if isinstance(value, Fraction) and value != 0:
            unit = 1 / abs(value) if inverse else abs(value)
            if unit != 1 and 1 / _LARGEST < unit < _LARGEST:
                found[unit] = found.get(unit, 0) + 1

    for body in tree.bodies:
        for x in body.position:
            see(x, inverse=False)
    for body in tree.bodies:
        for x in body.first_moment:
            see(x, inverse=True)
    for x in tree.gravity:
        see(x, inverse=False)
    ranked = sorted(found, key=lambda unit: -found[unit])
    return ranked[:_CANDIDATES]


def _scaled(body: PlacedBody, unit: Fraction) -> PlacedBody:
    return replace(
        body,
        position=vec.scale(1 / unit, body.position),
        mass=body.mass * unit * unit,
        first_moment=vec.scale(unit, body.first_moment),
        rotor_inertia=body.rotor_inertia if body.revolute else body.rotor_inertia * unit * unit,
    )
