"""What a user may want to know of a mechanism's constraints: names, rank, sizes, and what repeats or is not unique."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kanegen.codegen.derivation.motion_maps.chart import charted
from kanegen.codegen.derivation.motion_maps.plan import NumericEquations, equations_of, make_plan
from kanegen.codegen.mechanism.constraints import RollingContact
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.sizes import (
    home_of,
    length_of,
    radius_of,
    size_of,
    slides_of,
    unit_of_length,
    units_of,
)
from kanegen.codegen.mechanism.speeds import JointRate, described_speed
from kanegen.manifest import Constraints


@dataclass(frozen=True, slots=True)
class Report:
    """What restricts the motion, and names of the generalized speeds: joints whose rates they are, or in words."""

    constraints: Constraints
    speeds: tuple[str, ...]


def constraint_report(mechanism: Mechanism) -> Report:
    """The report on a mechanism.  Raises ModelError where its constraints cannot be solved."""
    home, unit = home_of(mechanism), unit_of_length(mechanism)
    of_coordinates = units_of(mechanism, mechanism.coordinates, unit)
    mechanism = charted(mechanism)
    numeric_equations = equations_of(mechanism)
    system = numeric_equations.system
    plan = make_plan(mechanism)
    rows = tuple(row.name for row in system.rows)
    return Report(
        Constraints(
            position=tuple(p.name for p in system.positions),
            velocity=rows,
            forces=(*rows, *mechanism.prescribed_joints),
            rank=len(plan.independent),
            redundant=tuple(rows[i] for i in plan.redundant),
            indeterminate=plan.indeterminate,
            sizes=_sizes(mechanism, numeric_equations, home),
            units=()
            if unit == 1.0
            else tuple(map(float, numeric_equations.heights[: len(system.positions)])),
            coordinate_units=() if unit == 1.0 else of_coordinates,
        ),
        tuple(
            speed.joint if isinstance(speed, JointRate) else described_speed(speed)
            for speed in mechanism.generalized_speeds
        ),
    )


def _sizes(mechanism: Mechanism, numbers: NumericEquations, home: Mapping[str, float]) -> tuple[float, ...]:
    """One for each equation: metres for distances, 1 for cosines of angles, what it changes by for equations of one's own.

    The size of a loop is the sum of the lengths in it, at ``home``, the coordinates by joint.  An equation of one's own
    changes by its largest derivative there times one radian, or the size of the mechanism for a slide.
    """
    lengths = {loop.name: length_of(mechanism, loop, home) for loop in mechanism.loops}
    whole = size_of(mechanism, home)
    known: dict[str, float] = {}
    for loop in mechanism.loops:
        known[f"{loop.name} place"] = lengths[loop.name] or whole
        known[f"{loop.name} axes"] = 1.0
    for constraint in mechanism.constraints:
        if isinstance(constraint, RollingContact):
            known[constraint.name] = radius_of(mechanism, constraint) or whole
    slides = slides_of(mechanism)
    unit = np.array([whole if name in slides else 1.0 for name in mechanism.coordinates])
    with np.errstate(all="ignore"):
        changes = np.abs(numbers.values(numbers.home())["A"]) * unit
    own = np.where(np.isfinite(changes), changes, 0.0).max(axis=1, initial=0.0)
    # the rows of velocity begin with those of the equations of position
    return tuple(
        known.get(position.group) or float(change) or 1.0
        for position, change in zip(numbers.system.positions, own, strict=False)
    )
