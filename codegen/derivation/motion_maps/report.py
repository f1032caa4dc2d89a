"""What a user may want to know of a mechanism's constraints: names, rank, sizes, and what repeats or is not unique."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kanegen.codegen.derivation.motion_maps.chart import charted
from kanegen.codegen.derivation.motion_maps.plan import NumericEquations, equations_of, make_plan
from kanegen.codegen.mechanism.constraints import Loop, RollingContact
from kanegen.codegen.mechanism.records import BASE, Joint, JointKind, Mechanism, Vector3
from kanegen.codegen.mechanism.speeds import JointRate, described_speed
from kanegen.codegen.mechanism.values import numeric
from kanegen.manifest import Constraints


@dataclass(frozen=True, slots=True)
class Report:
    """What restricts the motion, and names of the generalized speeds: joints whose rates they are, or in words."""

    constraints: Constraints
    speeds: tuple[str, ...]


def constraint_report(mechanism: Mechanism) -> Report:
    """The report on a mechanism.  Raises ModelError where its constraints cannot be solved."""
    given = tuple(float(numeric(x, mechanism)) for x in mechanism.home)
    home = dict(zip(mechanism.coordinates, given, strict=True)) if given else {}
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
        ),
        tuple(
            speed.joint if isinstance(speed, JointRate) else described_speed(speed)
            for speed in mechanism.generalized_speeds
        ),
    )


def _sizes(mechanism: Mechanism, numbers: NumericEquations, home: Mapping[str, float]) -> tuple[float, ...]:
    """One for each equation: metres for distances, 1 for cosines of angles, what it changes by for equations of one's own.

    The size of a loop is the sum of the lengths in it: distances between its joints along its bodies, and what its slides
    are drawn out by at ``home``, the coordinates by joint.  An equation of one's own changes by its largest derivative there
    times one radian, or the size of the mechanism for a slide.
    """
    lengths = {loop.name: _length(mechanism, loop, home) for loop in mechanism.loops}
    whole = max(lengths.values(), default=0.0) or _offsets(mechanism, mechanism.joints, home) or 1.0
    known: dict[str, float] = {}
    for loop in mechanism.loops:
        known[f"{loop.name} place"] = lengths[loop.name] or whole
        known[f"{loop.name} axes"] = 1.0
    for constraint in mechanism.constraints:
        if isinstance(constraint, RollingContact):
            known[constraint.name] = abs(float(numeric(constraint.radius, mechanism))) or whole
    slides = {joint.name for joint in mechanism.joints if joint.kind is JointKind.PRISMATIC}
    unit = np.array([whole if name in slides else 1.0 for name in mechanism.coordinates])
    with np.errstate(all="ignore"):
        changes = np.abs(numbers.rows(numbers.home())[0]) * unit
    own = np.where(np.isfinite(changes), changes, 0.0).max(axis=1, initial=0.0)
    # the rows of velocity begin with those of the equations of position
    return tuple(
        known.get(position.group) or float(change) or 1.0
        for position, change in zip(numbers.system.positions, own, strict=False)
    )


def _length(mechanism: Mechanism, loop: Loop, home: Mapping[str, float]) -> float:
    """The sum of the lengths in a loop, from the frame that closes it to the body that its two halves hang on, and back.

    On that body it is the distance between the two joints that hang on it.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    frames = [mechanism.frame(name) for name in (loop.first, loop.second)]
    halves: list[list[Joint]] = []
    for frame in frames:
        body, half = frame.body, list[Joint]()
        while body != BASE:
            half.append(above[body])
            body = above[body].parent
        halves.append(half[::-1])
    while halves[0] and halves[1] and halves[0][0] == halves[1][0]:
        halves = [half[1:] for half in halves]
    ends = [half[0].position if half else frame.position for half, frame in zip(halves, frames, strict=True)]
    total = math.dist(*(_numbers(mechanism, end) for end in ends))
    for half, frame in zip(halves, frames, strict=True):
        total += _offsets(mechanism, half[1:], home) + _travel(half[:1], home)
        total += math.hypot(*_numbers(mechanism, frame.position)) if half else 0.0
    return total


def _offsets(mechanism: Mechanism, joints: Sequence[Joint], home: Mapping[str, float]) -> float:
    """The distances of joints from the origins of the bodies that they are on, and the travel of slides at home."""
    lengths = [math.hypot(*_numbers(mechanism, joint.position)) for joint in joints]
    return sum(lengths) + _travel(joints, home)


def _travel(joints: Sequence[Joint], home: Mapping[str, float]) -> float:
    slides = [joint.name for joint in joints if joint.kind is JointKind.PRISMATIC]
    return sum(abs(home.get(name, 0.0)) for name in slides)


def _numbers(mechanism: Mechanism, vector: Vector3) -> tuple[float, ...]:
    return tuple(float(numeric(x, mechanism)) for x in vector)
