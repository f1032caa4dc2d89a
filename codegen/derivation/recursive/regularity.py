"""Whether forward dynamics is defined, and by a mass matrix: every joint must move inertia, whatever those beyond it do.

Eliminating the joints from the tips inwards leaves for each joint the inertia that resists it when those beyond give way
(its articulated inertia, Featherstone 1983).  It vanishes for a joint that nothing massive hangs on, and also for one of
two joints on the same line with a massless body between them: there the mass matrix is singular in every state.

Elsewhere it may still lose too many digits to be formed and solved with.  Where the axes of three joints nearly meet and a
heavy body follows light ones, as at shoulders and necks of humanoids, combinations of joint rates next to a singular posture
move next to no inertia.  The mass matrix has them as small differences of large entries, so its rounding errors alone,
whatever solves with it afterwards, are magnified by its condition number.  The articulated-body recursion never forms those
entries and keeps the digits (Ascher, Pai & Cloutier, Forward dynamics, elimination methods, and formulation stiffness in
robot simulation, 1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

from kanegen.codegen.derivation.motion_maps.plan import Plan, inputs_at
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.recursive.composite_inertia import mass_matrix
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import (
    Argument,
    Expression,
    Graph,
    Program,
    constant,
    evaluate,
    evaluate_entries,
    inputs,
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

_POSTURES = 400
"""Nearly singular postures are rare: as many as one in a hundred should be met a few times."""

_WORST_CONDITION = 1e5
"""Times the rounding unit 1.1e-16 that is 1.1e-11: a tenth of the 1e-10 that accelerations are to be right to, left for
postures nearer to a singular one than those looked at.  Arms and legs have 10 to 1e3, necks of three axes 1e6 and more."""


@lru_cache(maxsize=8)
def require_regular(mechanism: Mechanism) -> None:
    """Raise NoInertiaError naming a joint whose acceleration no inertia determines, at the parameters' numbers."""
    motion = _at_rest(mechanism)
    tips_first = [body.coordinate for body in reversed(motion.tree.bodies)]
    program = _program(motion.graph, mass_matrix(motion), mechanism.dof)
    require_regular_matrix(program, mechanism.coordinates, tips_first)


@lru_cache(maxsize=8)
def is_well_conditioned(mechanism: Mechanism) -> bool:
    """Whether the mass matrix of a tree, at the parameters' numbers, can be solved with in double precision.

    Judged at random postures by the condition number with the diagonal scaled to ones: units and the sizes of bodies do
    not matter.  Where inertias are of no real body and some diagonal entry is not positive, it says nothing: True.
    """
    motion, n = _at_rest(mechanism), mechanism.dof
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (_POSTURES, n))
    matrices = evaluate(_program(motion.graph, mass_matrix(motion), n), {"q": q})["M"]
    diagonal = np.diagonal(matrices, axis1=1, axis2=2)
    if not (diagonal > 0).all():
        return True
    roots = np.sqrt(diagonal)
    found = np.linalg.eigvalsh(matrices / (roots[:, :, None] * roots[:, None, :]))
    return bool((found[:, -1] <= _WORST_CONDITION * found[:, 0]).all())


def _at_rest(mechanism: Mechanism) -> Motion:
    """The tree of a mechanism at rest over an input q, with numbers for its parameters."""
    tree, graph = place(mechanism, Choices()), Graph()
    n = len(tree.bodies)
    rest = [constant(graph, 0)] * n
    return Motion(tree, graph, Choices(), inputs(graph, "q", n), rest, rest)


def _program(
    graph: Graph, matrix: Sequence[Sequence[Expression]], states: int, timed: bool = False
) -> Program:
    """A square matrix M over an input q of that many entries, and over t where it is ``timed``."""
    given = (Argument("q", (states,), "", ""), *[Argument("t", (), "", "")] * timed)
    found = (Argument("M", (len(matrix),) * 2, "", ""),)
    return Program("inertia", "", "", given, found, graph, (tuple(x.ref for row in matrix for x in row),))


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
    n, timed = len(mechanism.coordinates), mechanism.depends_on_time
    program = _program(graph, inertia, n, timed)
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    matrices = evaluate(program, inputs_at(plan.states[:_STATES], n), numbers)["M"]
    smallest = max(float(np.linalg.eigvalsh(m)[0] / (np.abs(np.diag(m)).max() or 1.0)) for m in matrices)
    if not smallest > _SINGULAR:
        names = ", ".join(mechanism.coordinates[j] for j in plan.free)
        raise NoInertiaError(
            f"mechanism {mechanism.name!r}",
            f"has a motion that no inertia resists (mass matrix on the rates of {names})",
            "bodies with mass or inertia behind every motion",
            "Give the bodies their inertia; inverse dynamics works as it is.",
        )
