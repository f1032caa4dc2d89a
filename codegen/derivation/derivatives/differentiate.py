"""Derivatives of any program by automatic differentiation of its graph.

Derivatives by coordinates are taken along the speeds: column j along dq = N(q) e_j, where dq/dt = N v.  So quaternions and
dependent coordinates need no special care, and matrices are square.  A program of coordinate rates gives N.

All orders of elimination that graph/jacobian.py knows are tried, and the program that counts fewest operations is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kanegen.codegen.graph import Argument, Expression, Graph, Program, compose, constant, count, inputs
from kanegen.codegen.graph.jacobian import Given, Order, jacobian

DIRECTION = "direction"
"""Name of the inputs that stand for steps along unit speeds; results do not depend on them."""


@dataclass(frozen=True)
class By:
    """Derivatives by the entries of the input ``wrt``, along dq = N e_j where ``rates`` gives dq/dt = N v, or by parameters.

    ``output`` describes the matrix: its columns are those of the first output of the program that is differentiated.
    """

    output: Argument
    wrt: str | None = None
    rates: Program | None = None
    parameters: tuple[str, ...] = field(default=())


def derivatives_of(program: Program, by: Sequence[By], name: str, title: str) -> Program:
    """The Jacobians of the first output of ``program``, one output for each of ``by``; inputs stay the same.

    ``program`` may use live parameters.  The speeds of ``rates`` are its input "v".
    """

    def build(order: Order) -> Program:
        graph = Graph()
        labels: dict[int, str] = {}
        results = compose(program, graph, {}, labels)[0]
        given: dict[Expression, Mapping[Expression, Expression]] = {}
        variables = [_variables(graph, program, one, given) for one in by]
        every = [variable for group in variables for variable in group]
        matrices = split_columns(jacobian(graph, results, every, order, given), variables)
        return Program(
            name=name,
            title=title,
            source=f"{program.source}; differentiated on the graph",
            inputs=program.inputs,
            outputs=tuple(one.output for one in by),
            graph=graph,
            results=tuple(tuple(x.ref for row in matrix for x in row) for matrix in matrices),
            labels=labels,
        )

    return cheapest(build)


def cheapest(build: Callable[[Order], Program]) -> Program:
    """The program with fewest operations over all orders of elimination; the first of equal ones."""
    return min((build(order) for order in Order), key=lambda program: count(program).total)


def split_columns(
    rows: Sequence[Sequence[Expression]], groups: Sequence[Sequence[Expression]]
) -> list[list[list[Expression]]]:
    """The Jacobian by all variables as one matrix for each group of them."""
    matrices = []
    start = 0
    for group in groups:
        matrices.append([list(row[start : start + len(group)]) for row in rows])
        start += len(group)
    return matrices


def along_speeds(
    columns: Sequence[Sequence[Expression]], coordinates: Sequence[Expression]
) -> tuple[list[Expression], Given]:
    """Steps along unit speeds as variables, and how ``coordinates`` depend on them: dq = N e_j, N by its columns."""
    graph = coordinates[0].graph
    steps = list(inputs(graph, DIRECTION, len(columns)))
    given = {
        q: {step: column[i] for step, column in zip(steps, columns, strict=True) if not column[i].is_zero}
        for i, q in enumerate(coordinates)
    }
    return steps, given


def _variables(
    graph: Graph, program: Program, by: By, given: dict[Expression, Mapping[Expression, Expression]]
) -> list[Expression]:
    """What the columns belong to; dependence of coordinates on them is added to ``given``."""
    if by.wrt is None:
        return [Expression(graph, graph.parameter(name)) for name in by.parameters]
    size = next(argument.size for argument in program.inputs if argument.name == by.wrt)
    entries = list(inputs(graph, by.wrt, size))
    if by.rates is None:
        return entries
    steps, dependence = along_speeds(unit_rates(by.rates, graph), entries)
    given.update(dependence)
    return steps


def unit_rates(rates: Program, graph: Graph) -> list[list[Expression]]:
    """Columns of N: what a program of coordinate rates, dq/dt = N v + B, gives for unit speeds, less B."""
    n = next(argument.size for argument in rates.inputs if argument.name == "v")
    one, zero = constant(graph, 1), constant(graph, 0)
    units = [[one if i == j else zero for i in range(n)] for j in range(n)]
    columns = [compose(rates, graph, {"v": unit})[0] for unit in units]
    still = Graph()
    if all(x.is_zero for x in compose(rates, still, {"v": [constant(still, 0)] * n})[0]):
        return columns
    (drift,) = compose(rates, graph, {"v": [zero] * n})
    return [[x - b for x, b in zip(column, drift, strict=True)] for column in columns]
