"""Whether inertia resists every motion that the constraints allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanegen.codegen.derivation.constraints.plan import Plan
from kanegen.codegen.graph import Argument, Expression, Graph, Program, evaluate
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import NoInertiaError

_STATES = 5
_VANISHES = 1e-12
"""Of the largest entry on the diagonal: doubles leave about 1e-15 where nothing should be."""


def require_resisted(
    mechanism: Mechanism, graph: Graph, inertia: Sequence[Sequence[Expression]], plan: Plan
) -> None:
    """Raise NoInertiaError where the mass matrix on the free rates is singular in every state."""
    n = len(inertia)
    program = Program(
        "inertia",
        "",
        "",
        (Argument("q", (plan.states.shape[1],), "", ""),),
        (Argument("M", (n, n), "", ""),),
        graph,
        (tuple(x.ref for row in inertia for x in row),),
    )
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    matrices = evaluate(program, {"q": plan.states[:_STATES]}, numbers)["M"]
    smallest = max(float(np.linalg.eigvalsh(m)[0] / (np.abs(np.diag(m)).max() or 1.0)) for m in matrices)
    if not smallest > _VANISHES:
        names = ", ".join(mechanism.coordinates[j] for j in plan.free)
        raise NoInertiaError(
            f"mechanism {mechanism.name!r}",
            f"has a motion that no inertia resists (mass matrix on the rates of {names})",
            "bodies with mass or inertia behind every motion",
            "Give the bodies their inertia; inverse dynamics works as it is.",
        )
