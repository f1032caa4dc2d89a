"""Coordinates given as functions of time, with their first and second derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.kernels.catalogue import A, Q, V
from kanegen.codegen.derivation.kernels.contract import TIME, Arguments
from kanegen.codegen.graph import Expression, Graph, Program
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import from_sympy
from kanegen.codegen.mechanism.records import Mechanism


def prescribed_motion(q: Sequence[sympy.Expr], time: sympy.Symbol, mechanism: Mechanism) -> Program:
    """q, v = dq/dt and a = dv/dt (n,) at time t (), for coordinates given as SymPy expressions in ``time``.

    Raises UnsupportedExpressionError for expressions that the graph cannot represent.
    """
    graph = Graph()
    known = {time: Expression(graph, graph.input("t"))}
    results = []
    derivatives = [sympy.sympify(expression) for expression in q]
    for _ in range(3):
        results.append(tuple(from_sympy(graph, expression, known).ref for expression in derivatives))
        derivatives = [expression.diff(time) for expression in derivatives]
    return Program(
        name="prescribed_motion",
        title="coordinates given as functions of time",
        source="",
        inputs=(Arguments.of(mechanism)(TIME),),
        outputs=tuple(Arguments.of(mechanism)(slot) for slot in (Q, V, A)),
        graph=graph,
        results=tuple(results),
    )
