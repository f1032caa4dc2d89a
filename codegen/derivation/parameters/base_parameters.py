"""Base inertial parameters: the combinations of the inertial parameters that generalized forces depend on, and no more.

Let f_b . p be what body b with inertial parameters p adds to the kinetic and potential energies.  Some of its parameters
add something that the joint of the body has no part in: neither its coordinate nor its rate matters.  Such parameters can
be given to the parent, placed as with the joint at zero, without changing any force; and parameters given to the base
vanish.  What is left of all bodies, tips first, is independent: in a combination that vanished, the outermost body would
have a part that does not depend on its own joint, and no such part was left to it.

Which parameters these are shows in the generalized force of the body's own joint: they are the combinations p that never
cause any.  For a revolute joint in general mass, first moment and second moment along its axis; for a prismatic joint the
second moments (Gautier & Khalil 1990); near the base, and for special directions of gravity, more.  The null space of those
ten columns at random states finds every case (silent_parameters.py; Gautier 1991 takes it of the whole regressor).

Inertia of rotors is no part of this: it adds a known diagonal term to the forces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from kanegen.codegen.derivation.parameters.inertial_parameters import (
    COUNT,
    InertialParameters,
    inertial_parameters,
    to_parent_frame,
    to_placed_frame,
)
from kanegen.codegen.derivation.parameters.silent_parameters import (
    Combination,
    Group,
    silent_parameters,
    simplest,
)
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place, with_inertia
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import ZERO3, Mechanism
from kanegen.codegen.mechanism.values import plain, settle

_Row = dict[int, Fraction]


@dataclass(frozen=True, slots=True)
class BaseParameters:
    """Base parameters of a mechanism: ``values`` = ``matrix`` @ all inertial parameters, in SI units.

    ``names`` spell out the rows of the matrix, "Ixx_link2 - Iyy_link2 + 0.12 mz_link3".  ``columns`` says of which unit
    parameter each column of the regressor is the force: the body's place in the tree, and the place among its ten
    parameters about the frame that ``canonical_tree`` gives it.
    """

    names: tuple[str, ...]
    values: tuple[Fraction, ...]
    matrix: tuple[tuple[Fraction, ...], ...]
    columns: tuple[tuple[int, int], ...]


def base_parameters(mechanism: Mechanism, live_parameters: bool = False) -> BaseParameters:
    """The base parameters of a tree, at the numbers of its parameters.

    ``live_parameters`` says whether the regressor is derived with live parameters; the numbers are the same.
    """
    return _base_parameters(mechanism, live_parameters)


@lru_cache(maxsize=8)
def canonical_tree(mechanism: Mechanism, live_parameters: bool = False) -> PlacedTree:
    """The tree with the origin of each body where the description has it, axes along its joint, and no inertia.

    Base parameters belong to these frames, so that they do not depend on any decision of a search.
    """
    tree = place(mechanism, Choices(), live_parameters)
    origins = [
        vec.scale(Fraction(-1), vec.apply(vec.transpose(body.frame_rotation), body.frame_position))
        for body in tree.bodies
    ]
    bodies = []
    for body, origin in zip(tree.bodies, origins, strict=True):
        before = origins[body.parent] if body.parent >= 0 else ZERO3
        x, y, z = vec.subtract(vec.add(body.position, vec.apply(body.rotation, origin)), before)
        there = replace(body, position=(plain(x), plain(y), plain(z)), frame_position=ZERO3)
        bodies.append(with_inertia(there, Fraction(0), ZERO3, (ZERO3, ZERO3, ZERO3)))
    return replace(tree, bodies=tuple(bodies), base_mass=Fraction(0), base_first_moment=ZERO3)


@lru_cache(maxsize=8)
def _base_parameters(mechanism: Mechanism, live_parameters: bool) -> BaseParameters:
    tree = canonical_tree(mechanism, live_parameters)
    every = inertial_parameters(mechanism)
    rows = _described_rows(tree, mechanism)
    kept: list[tuple[tuple[int, int], _Row]] = []
    for group, combinations in silent_parameters(tree, mechanism).items():
        body = group[-1]
        dropped = {k: rows[body][k] for k in combinations}
        for k in range(COUNT):
            if k not in combinations:
                given = [(-combinations[d].get(k, Fraction(0)), row) for d, row in dropped.items()]
                own = _combined([(Fraction(1), rows[body][k]), *given])
                if own:
                    kept.append(((body, k), own))
        parent = tree.bodies[group[0]].parent
        if parent >= 0:
            _give(tree, mechanism, group, combinations, dropped, rows[parent])
    kept.sort(key=lambda item: item[0])
    matrix = tuple(tuple(row.get(k, Fraction(0)) for k in range(len(every.names))) for _, row in kept)
    values = tuple(settle(sum((c * every.values[k] for k, c in row.items()), Fraction(0))) for _, row in kept)
    names = tuple(_spelled(row, every) for _, row in kept)
    return BaseParameters(names, values, matrix, tuple(column for column, _ in kept))


def _described_rows(tree: PlacedTree, mechanism: Mechanism) -> list[list[_Row]]:
    """For each body its ten parameters about the placed frame as combinations of all described parameters."""
    rows: list[list[_Row]] = []
    first = 0
    for body in tree.bodies:
        if body.carrier and not body.inertial:
            rows.append([{} for _ in range(COUNT)])
            continue
        matrix = to_placed_frame(body, mechanism)
        rows.append([{first + k: x for k, x in enumerate(row) if x} for row in matrix])
        first += COUNT
    return rows


def _give(
    tree: PlacedTree,
    mechanism: Mechanism,
    group: Group,
    combinations: Mapping[int, Combination],
    dropped: Mapping[int, _Row],
    receiving: list[_Row],
) -> None:
    """Add what the last body of a group of joints gives away to the ten rows of the group's parent."""
    unit = [dict(combination) for combination in combinations.values()]
    for i in reversed(group):
        matrix = to_parent_frame(tree.bodies[i], mechanism)
        unit = [
            {r: sum((matrix[r][k] * x for k, x in given.items()), Fraction(0)) for r in range(COUNT)}
            for given in unit
        ]
    for k in range(COUNT):
        terms = [(given.get(k, Fraction(0)), row) for given, row in zip(unit, dropped.values(), strict=True)]
        receiving[k] = _combined([(Fraction(1), receiving[k]), *terms])


def _combined(terms: Sequence[tuple[Fraction, Mapping[int, Fraction]]]) -> _Row:
    found: _Row = {}
    for factor, row in terms:
        if factor:
            for k, x in row.items():
                found[k] = found.get(k, Fraction(0)) + factor * x
    settled = {k: simplest(x) for k, x in found.items()}
    return {k: settled[k] for k in sorted(settled) if settled[k]}


# -- names ---------------------------------------------------------------------------------------------------------------


def _spelled(row: Mapping[int, Fraction], every: InertialParameters) -> str:
    """A combination of inertial parameters in words."""
    text = ""
    for k, coefficient in row.items():
        size = abs(float(coefficient))
        number = "" if size == 1 else f"{size:.6g} "
        sign = "-" if coefficient < 0 else "+"
        text += (
            f" {sign} {number}{every.names[k]}"
            if text
            else f"{'-' if sign == '-' else ''}{number}{every.names[k]}"
        )
    return text
