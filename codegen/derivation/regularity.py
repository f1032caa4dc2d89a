"""Whether forward dynamics is defined: every joint must move inertia, whatever the joints beyond it do.

Eliminating the joints from the tips inwards leaves for each joint the inertia that resists it when those beyond give way
(its articulated inertia, Featherstone 1983).  It vanishes for a joint that nothing massive hangs on, and also for one of
two joints on the same line with a massless body between them: there the mass matrix is singular in every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.composite_inertia import mass_matrix
from kanegen.codegen.derivation.motion_maps.plan import Plan
from kanegen.codegen.derivation.placement import place
from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    Program,
    evaluate,
    evaluate_entries,
    multiprecision,
)
from kanegen.codegen.mechanism.records import Mechanism, Parameter
from kanegen.errors import NoInertiaError

_DIGITS = 40
_VANISHES_BELOW = mpmath.mpf(10) ** -25
"""Of the joint's inertia with the joints beyond it locked; rounding at 40 digits leaves ten orders between the two."""

_STATES = 5
_SINGULAR = 1e-12
"""Of the largest entry on the diagonal: doubles leave about 1e-15 where nothing should be."""


@lru_cache(maxsize=8)
def require_regular(mechanism: Mechanism) -> None:
    """Raise NoInertiaError naming a joint whose acceleration no inertia determines, at the parameters' numbers."""
    tree = place(mechanism, Choices())
    program = mass_matrix(tree, mechanism, Choices())
    tips_first = [body.coordinate for body in reversed(tree.bodies)]
    require_regular_matrix(program, mechanism.coordinates, tips_first)


def require_regular_matrix(
    program: Program,
    joints: Sequence[str],
    order: Sequence[int],
    parameters: Sequence[Parameter] = (),
    states: int | None = None,
) -> None:
    """Raise NoInertiaError naming a joint whose acceleration the mass matrix that ``program`` gives does not determine.

    Rows belong to ``joints``; ``order`` lists them from the tips to the base.  There are ``states`` coordinates, as many as
    joints by default.
    """
    n = len(joints)
    with mpmath.workdps(_DIGITS):
        # an arbitrary state: what vanishes there vanishes everywhere, but for a chance of measure zero
        entries: dict[tuple[str, int], Any] = {("q", i): mpmath.sqrt(i + 2) for i in range(states or n)}
        numbers = {p.name: mpmath.mpf(p.value.numerator) / p.value.denominator for p in parameters}
        flat = evaluate_entries(program, entries, multiprecision(), numbers)[0]
        m = [list(flat[n * row : n * row + n]) for row in range(n)]
        remaining = set(range(n))
        for k in order:
            locked = flat[n * k + k]
            if m[k][k] == 0 or abs(m[k][k]) < _VANISHES_BELOW * abs(locked):
                shared = "" if locked == 0 else " that the joints beyond it could not leave at rest"
                raise NoInertiaError(
                    f"joint {joints[k]!r}",
                    f"has no inertia behind it{shared}, so its acceleration is undefined",
                    "a body with mass or inertia that the joint moves",
                    "Give the bodies beyond it their inertia, or make the joint fixed; inverse dynamics works as it is.",
                )
            remaining.remove(k)
            for i in remaining:
                for j in remaining:
                    m[i][j] = m[i][j] - m[i][k] * m[k][j] / m[k][k]


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
    if not smallest > _SINGULAR:
        names = ", ".join(mechanism.coordinates[j] for j in plan.free)
        raise NoInertiaError(
            f"mechanism {mechanism.name!r}",
            f"has a motion that no inertia resists (mass matrix on the rates of {names})",
            "bodies with mass or inertia behind every motion",
            "Give the bodies their inertia; inverse dynamics works as it is.",
        )
