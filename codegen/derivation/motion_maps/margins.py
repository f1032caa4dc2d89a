"""How far a mechanism is from its dead centres and singular configurations.

Rates follow from speeds by inverses of a few square matrices: blocks of equations, and the speeds in terms of the free
rates.  Where one of these is singular, N = d(dq/dt)/dv does not exist, and near there it grows as the inverse of the
determinant.  The length of the matrix's own rows is no measure of that: they may vanish together with the determinant,
as the one row of a slider's rate does where the crank is in line with the rod.  The size near home is one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

import numpy as np

from kanegen.codegen.derivation.motion_maps.constrained import ConstrainedMap
from kanegen.codegen.derivation.motion_maps.elimination import determinant, gram, pivots
from kanegen.codegen.derivation.motion_maps.joint_tree import placement_names
from kanegen.codegen.derivation.motion_maps.plan import inputs_at
from kanegen.codegen.graph import Argument, Expression, Graph, Kind, Program, compose, constant, evaluate


def margins(motion: ConstrainedMap) -> list[Expression]:
    """x / (x + x0) for all of ``singular(motion)``, x0 its largest value near home, and the sines of axles as they are.

    Between 0 and 1, and without units: neither those of speeds and equations matter nor those of coordinates.  x0 is a
    power of two, or an expression of live parameters, which may change the size of the mechanism.
    """
    found = singular(motion)
    return [*(x / (x + x0) for x, x0 in zip(found, _near_home(motion, found), strict=True)), *_sines(motion)]


def can_be_singular(motion: ConstrainedMap) -> bool:
    """Whether there are margins."""
    return bool(singular(motion) or _sines(motion))


def singular(motion: ConstrainedMap) -> list[Expression]:
    """What vanishes where N does not exist: squares of determinants, or pivots of a Gram matrix of more than three rows.

    Rates of distances are multiplied by these, so that they have values where the points meet.  Matrices that are regular
    in all configurations have no part in it.
    """
    found = [x * x for x in motion.elimination.determinants]
    if motion.plan.unit is None:
        rows = [motion.system.speeds[i] for i in motion.speeds.rows]
        core = [
            [motion.dot(row.undivided or row.coefficients, motion.P[j]) for j in motion.speeds.columns]
            for row in rows
        ]
        if len(core) > 3:
            found += pivots(gram(motion.graph, core))
        elif core:
            volume = determinant(motion.graph, core)
            found.append(volume * volume)
    return [x for x in found if not motion.graph.parametric[abs(x.ref)]]


def _sines(motion: ConstrainedMap) -> list[Expression]:
    return [x for x in motion.system.sines if not motion.graph.parametric[abs(x.ref)]]


def _near_home(motion: ConstrainedMap, squares: Sequence[Expression]) -> list[Expression]:
    """The largest values of ``squares`` in the plan's configurations."""
    if not squares:
        return []
    placements = placement_names(motion.mechanism.balls)
    numbers = {p.name: p.value for p in motion.mechanism.parameters}
    program = _program(motion, squares)
    found = evaluate(
        program, inputs_at(motion.plan.states, len(motion.q)), {name: float(x) for name, x in numbers.items()}
    )["x"]
    found = np.where(np.isfinite(found), found, 0.0)
    at_home = {name: constant(motion.graph, x) for name, x in numbers.items() if name in placements}
    largest = []
    for k, x in enumerate(squares):
        best = found[:, k].argmax()
        value = float(found[best, k])
        if value > 0 and _depends(motion.graph, x, numbers.keys() - placements):
            state = [constant(motion.graph, Fraction(f"{float(x):.3g}")) for x in motion.plan.states[best]]
            given = {"q": state, "t": state[len(motion.q) :]}
            largest.append(compose(_program(motion, [x]), motion.graph, given, parameters=at_home)[0][0])
        else:
            largest.append(constant(motion.graph, Fraction(2) ** round(math.log2(value)) if value > 0 else 1))
    return largest


def _depends(graph: Graph, x: Expression, parameters: AbstractSet[str]) -> bool:
    """Whether any of these parameters has a part in an expression."""
    return any(
        graph.kinds[i] is Kind.PARAMETER and graph.payloads[i][0] in parameters
        for i in graph.reachable([abs(x.ref)])
    )


def _program(motion: ConstrainedMap, results: Sequence[Expression]) -> Program:
    return Program(
        "margins",
        "",
        "",
        (
            Argument("q", (len(motion.q),), "", ""),
            *[Argument("t", (), "", "")] * (motion.system.time is not None),
        ),
        (Argument("x", (len(results),), "", ""),),
        motion.graph,
        (tuple(x.ref for x in results),),
    )
