"""What a user may want to know of a mechanism's constraints: names, rank, and what repeats or is not unique."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.motion_maps.chart import charted
from kanegen.codegen.derivation.motion_maps.equations import equations
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.derivation.motion_maps.sizes import sizes
from kanegen.codegen.graph import Graph, inputs
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import JointRate, described_speed
from kanegen.codegen.mechanism.values import Lift, numeric
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
    numbers = with_numbers(mechanism)
    graph = Graph()
    system = equations(numbers, inputs(graph, "q", len(numbers.coordinates)), Lift(graph))
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
            sizes=sizes(mechanism, system.positions, home),
        ),
        tuple(
            speed.joint if isinstance(speed, JointRate) else described_speed(speed)
            for speed in mechanism.generalized_speeds
        ),
    )
