"""What a user may want to know of a mechanism's constraints: names, rank, and what repeats or is not unique."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.constraints.equations import equations
from kanegen.codegen.derivation.constraints.plan import make_plan
from kanegen.codegen.graph import Graph, inputs
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


@dataclass(frozen=True, slots=True)
class Report:
    """Names of the equations of position, of all rows, of constraint forces; the rank; names of redundant rows and of joints
    whose reactions are not unique; names of the generalized speeds.
    """

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    forces: tuple[str, ...]
    rank: int
    redundant: tuple[str, ...]
    indeterminate: tuple[str, ...]
    speeds: tuple[str, ...]


def constraint_report(mechanism: Mechanism) -> Report:
    """The report on a mechanism.  Raises ModelError where its constraints cannot be solved."""
    numbers = with_numbers(mechanism)
    graph = Graph()
    system = equations(numbers, inputs(graph, "q", len(numbers.coordinates)), Lift(graph))
    plan = make_plan(mechanism)
    rows = tuple(row.name for row in system.rows)
    return Report(
        position=tuple(p.name for p in system.positions),
        velocity=rows,
        forces=(*rows, *(p.joint for p in mechanism.prescribed)),
        rank=len(plan.independent),
        redundant=tuple(rows[i] for i in plan.redundant),
        indeterminate=plan.indeterminate,
        speeds=tuple(row.name for row in system.speeds),
    )
