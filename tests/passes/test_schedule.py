"""Scheduling: its order computes the program, reads before it writes, and wastes no registers."""

from __future__ import annotations

from typing import Any

import pytest
from emitted.programs import double_pendulum, every_operation, program, random_programs
from hypothesis import given, settings

from kanegen.codegen.graph import Expression, Graph, Kind, Program, constant, inputs
from kanegen.codegen.graph.schedule import Assignment, Schedule, SineCosine, Store, expression_nodes
from kanegen.codegen.passes.registers import REGISTERS, spills
from kanegen.codegen.passes.schedule import schedule


def run(made: Schedule) -> dict[tuple[int, int], Any]:
    """Execute statement by statement, as C would: every name read must have been set.  Returns the stores.

    Values are the node indices themselves, so that this finds wrong order, not wrong arithmetic.
    """
    program_, graph = made.program, made.program.graph
    variables = made.variables
    ready: set[int] = set()
    stores: dict[tuple[int, int], int] = {}

    def read(refs: tuple[int, ...]) -> None:
        for node in expression_nodes(program_, refs, variables):
            if graph.kinds[node] is Kind.INPUT:
                assert not stores or node in made.copies, "an input is read after an output is written"
            elif graph.kinds[node] is not Kind.CONSTANT:
                assert node in ready, "a value is read before it is there"

    for statement in made.statements:
        if isinstance(statement, Assignment):
            assert statement.node not in ready, "a variable is set twice"
            read(graph.payloads[statement.node])
            ready.add(statement.node)
        elif isinstance(statement, SineCosine):
            read(statement.angles)
            of_angles = (Kind.SINE, Kind.COSINE)
            for node in graph.reachable(program_.roots):
                if graph.kinds[node] in of_angles and graph.payloads[node][0] in statement.angles:
                    ready.add(node)
        else:
            read((statement.ref,))
            stores[statement.output, statement.entry] = statement.ref
    return stores


def expected(kernel: Program) -> dict[tuple[int, int], int]:
    return {(i, j): ref for i, refs in enumerate(kernel.results) for j, ref in enumerate(refs)}


@pytest.mark.parametrize("make", [double_pendulum, every_operation])
def test_made_programs(make: Any) -> None:
    kernel = make()
    assert run(schedule(kernel)) == expected(kernel)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(random_programs())
def test_random_programs(kernel: Program) -> None:
    made = schedule(kernel)
    assert run(made) == expected(kernel)
    assert made.statements == schedule(kernel).statements


@settings(max_examples=50, deadline=None, derandomize=True)
@given(random_programs())
def test_computed_nodes_are_printed_exactly_once(kernel: Program) -> None:
    """So the operations of the statements are those of the graph."""
    made, graph = schedule(kernel), kernel.graph
    printed: list[int] = []

    def collect(ref: int, top: bool) -> None:
        node = abs(ref)
        in_leaf = graph.kinds[node] < Kind.SUM or graph.kinds[node] in (Kind.SINE, Kind.COSINE)
        if in_leaf or (node in made.variables and not top):
            return
        printed.append(node)
        for operand in graph.payloads[node]:
            collect(operand, False)

    for statement in made.statements:
        match statement:
            case Assignment(node):
                collect(node, True)
            case SineCosine(angles):
                for angle in angles:
                    collect(angle, False)
            case Store(_, _, ref):
                collect(ref, False)
    computed = (Kind.SUM, Kind.PRODUCT, Kind.QUOTIENT, Kind.SQUARE_ROOT)
    assert sorted(printed) == [n for n in graph.reachable(kernel.roots) if graph.kinds[n] in computed]


def test_all_angles_of_a_round_are_taken_together() -> None:
    g = Graph()
    q = inputs(g, "q", 3)
    inner = [x.sine() for x in q]
    outer = [(inner[0] * inner[1]).cosine(), (inner[2] + q[0]).sine(), (q[0] + q[1]).sine()]
    made = schedule(program("f", g, {"q": 3}, {"y": outer}))
    groups = [statement.angles for statement in made.statements if isinstance(statement, SineCosine)]
    assert [len(group) for group in groups] == [4, 2]
    assert groups[0][:3] == tuple(x.ref for x in q)
    assert isinstance(made.statements[0], SineCosine)


def test_few_late_inputs_are_copied() -> None:
    """One input is read after many outputs are there: it is copied, and the outputs need not wait."""
    g = Graph()
    q = inputs(g, "q", 3)
    results = [q[0] * i for i in range(2, 7)] + [q[0] * q[1] * q[2]]
    made = schedule(program("f", g, {"q": 3}, {"y": results}))
    run(made)
    assert made.variables == frozenset()
    assert len(made.copies) == 3


def test_outputs_wait_where_that_is_cheaper() -> None:
    """Both outputs read inputs: rather than copy one, the first that is ready waits for the other's read."""
    g = Graph()
    q = inputs(g, "q", 8)
    sum_of_all = q[0]
    for x in q[1:]:
        sum_of_all = sum_of_all * x + 1
    made = schedule(program("f", g, {"q": 8}, {"y": [q[0] * 3, sum_of_all]}))
    run(made)
    assert made.copies == ()
    assert sum_of_all.ref in made.variables


def test_shared_labelled_and_long_parts_get_variables() -> None:
    g = Graph()
    q = inputs(g, "q", 2)
    shared, labelled = q[0] + q[1], q[0] * q[1]
    single = q[0] - q[1]
    long = constant(g, 0)
    for i in range(1, 60):
        long = (long + q[i % 2]) * (q[1] + i)
    results = [shared * shared, labelled + 1, single * 2, long]
    made = schedule(program("f", g, {"q": 2}, {"y": results}, {labelled.ref: "Z"}))
    assert {shared.ref, labelled.ref} <= made.variables
    assert abs(single.ref) not in made.variables
    assert 5 < len(made.variables) < 59


def test_leaves_never_get_variables() -> None:
    g = Graph()
    q = inputs(g, "q", 2)
    s = q[0].sine()
    labels = {q[1].ref: "input", s.ref: "sine", g.one: "one"}
    made = schedule(program("f", g, {"q": 2}, {"y": [s * q[1], s * s, q[1] * q[1], constant(g, 1)]}, labels))
    assert made.variables == frozenset()


def test_a_chain_of_ten_thousand_nodes() -> None:
    g = Graph()
    q = inputs(g, "q", 2)
    x: Expression = q[0]
    for _ in range(5000):
        x = (x + q[1]) * q[0]
    kernel = program("f", g, {"q": 2}, {"y": [x]})
    assert run(schedule(kernel)) == expected(kernel)


def test_spills_by_hand() -> None:
    """n values made one after the other and then used in the same order; the last uses them all."""
    fits = REGISTERS

    def moves(n: int) -> int:
        needs: list[tuple[int, ...]] = [() for _ in range(n)] + [(i,) for i in range(n)]
        holds = [True] * n + [False] * n
        return spills(range(2 * n), needs, holds)

    assert moves(fits) == 0
    # one value too many is stored once and loaded once
    assert moves(fits + 1) == 2
    assert moves(fits + 5) == 10


def test_values_are_used_soon() -> None:
    """Products made together and used one after the other: depth first, twelve registers are plenty."""
    g = Graph()
    q = inputs(g, "q", 64)
    products = [q[i] * q[(i + 1) % 64] for i in range(64)]
    mixed = q[0]
    for product in products:
        mixed = mixed * (product * product + product) + 1
    made = schedule(program("f", g, {"q": 64}, {"y": [mixed]}))
    assert run(made)
    needs: list[tuple[int, ...]] = []
    holds: list[bool] = []
    place: dict[int, int] = {}
    for i, statement in enumerate(made.statements):
        refs = _refs(made, statement)
        nodes = expression_nodes(made.program, refs, made.variables)
        needs.append(tuple(place[n] for n in nodes if n in place))
        holds.append(isinstance(statement, Assignment))
        if isinstance(statement, Assignment):
            place[statement.node] = i
    assert spills(range(len(needs)), needs, holds) == 0


def _refs(made: Schedule, statement: Any) -> tuple[int, ...]:
    if isinstance(statement, Assignment):
        refs: tuple[int, ...] = made.program.graph.payloads[statement.node]
        return refs
    return statement.angles if isinstance(statement, SineCosine) else (statement.ref,)
