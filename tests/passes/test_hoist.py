"""Hoist: parameters cost nothing in a call, and the prepared values are theirs."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import pytest
from hypothesis import given, settings

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import (
    Expression,
    Graph,
    Kind,
    Program,
    count,
    evaluate,
    evaluate_entries,
    inputs,
    multiprecision,
)
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.hoist import Hoisted, hoist
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.structured_trees import states
from tests.derivation.tree_kernels import DYNAMICS
from tests.emitted.programs import program

from .graphs import operations, sums_of_products

ARM = mechanism("stanford_arm")
VALUES = {"m": 1.25, "k": 0.75, "c": -2.5}

Build = Callable[[Expression, Expression, Expression, Expression], Expression]

# what is built from x, y and live m, k; multiplications and additions of the call; prepared values
TABLE: list[tuple[str, Build, tuple[int, int], int]] = [
    ("nothing to prepare", lambda x, y, m, k: x * y, (1, 0), 0),
    ("a parameter is itself", lambda x, y, m, k: m * x, (1, 0), 1),
    ("a product of parameters", lambda x, y, m, k: m * k * x, (1, 0), 1),
    ("parameters scattered in a product", lambda x, y, m, k: (m * x) * (k * y), (3, 0), 2),
    ("a sum of parameters", lambda x, y, m, k: (m + k) * x, (1, 0), 1),
    ("parameters within a sum", lambda x, y, m, k: x + (m + k), (0, 1), 1),
    ("any function of parameters", lambda x, y, m, k: (m * m + k.sine() / m).square_root() * x, (1, 0), 1),
    ("one value used twice", lambda x, y, m, k: (m * k) * x + (m * k) * (y * y), (3, 1), 1),
    ("a result without inputs", lambda x, y, m, k: m / k, (0, 0), 1),
]


def live(build: Build) -> Program:
    graph = Graph()
    x, y = inputs(graph, "x", 2)
    m, k = (Expression(graph, graph.parameter(name)) for name in "mk")
    return program("table", graph, {"x": 2}, {"y": [build(x, y, m, k)]})


def prepared_values(hoisted: Hoisted, values: dict[str, float]) -> dict[str, float]:
    if hoisted.prepare is None:
        return {}
    return {name: float(value) for name, value in evaluate(hoisted.prepare, {}, values).items()}


@pytest.mark.parametrize(
    ("build", "counts", "prepared"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_table(build: Build, counts: tuple[int, int], prepared: int) -> None:
    plain = live(build)
    hoisted = hoist([plain])
    (kernel,) = hoisted.kernels
    assert operations(kernel) == counts
    assert (len(hoisted.prepare.outputs) if hoisted.prepare else 0) == prepared
    at = {"x": [0.3, -0.7]}
    wanted = evaluate(plain, at, VALUES)["y"]
    assert evaluate(kernel, at, prepared_values(hoisted, VALUES))["y"] == pytest.approx(wanted, rel=1e-15)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(sums_of_products(parameters=True))
def test_values_are_kept(plain: Program) -> None:
    """At 50 digits; nothing parametric is left in the kernel but prepared values themselves."""
    hoisted = hoist([plain])
    (kernel,) = hoisted.kernels
    graph = kernel.graph
    for index in graph.reachable(kernel.roots):
        assert not graph.parametric[index] or graph.kinds[index] in (Kind.CONSTANT, Kind.PARAMETER)
    with mpmath.workdps(50):
        entries = {("x", i): mpmath.sin(i + 1) for i in range(6)} | {
            (n, 0): mpmath.mpf(v) for n, v in VALUES.items()
        }
        wanted = evaluate_entries(plain, entries, multiprecision())[0]
        if hoisted.prepare is not None:
            results = evaluate_entries(hoisted.prepare, entries, multiprecision())
            entries |= {(o.name, 0): r[0] for o, r in zip(hoisted.prepare.outputs, results, strict=True)}
        found = evaluate_entries(kernel, entries, multiprecision())[0]
        for x, y in zip(found, wanted, strict=True):
            assert abs(x - y) <= mpmath.mpf(10) ** -30 * (1 + abs(y))


def test_kernels_share_prepared_values() -> None:
    one = live(lambda x, y, m, k: (m * k) * x)
    other = live(lambda x, y, m, k: (k * m) * y + (m + k))
    hoisted = hoist([one, other])
    assert hoisted.prepare is not None
    assert len(hoisted.prepare.outputs) == 2


def test_names_never_collide_with_parameters() -> None:
    graph = Graph()
    x = inputs(graph, "x", 3)
    names = ("p0", "p1_", "p1", "p2")
    p = [Expression(graph, graph.parameter(name)) for name in names]
    outputs = [(p[0] + p[1]) * x[0], (p[1] + p[2]) * x[1], (p[2] * p[3]) * x[2]]
    plain = program("names", graph, {"x": 3}, {"y": outputs})
    hoisted = hoist([plain])
    assert hoisted.prepare is not None
    prepared = [output.name for output in hoisted.prepare.outputs]
    assert len(set(prepared)) == len(prepared)
    values = dict(zip(names, (2.0, 3.0, 5.0, 7.0), strict=True))
    at = {"x": [1.0, 1.0, 1.0]}
    found = evaluate(hoisted.kernels[0], at, prepared_values(hoisted, values))["y"]
    assert found.tolist() == [5.0, 8.0, 35.0]


@pytest.mark.parametrize("kernel", ["inverse_dynamics", "mass_matrix", "bias_forces", "gravity_forces"])
def test_live_parameters_cost_almost_nothing(kernel: str) -> None:
    """All lengths, masses and moments of the arm live: the same answers cost a tenth more than numbers at most.

    What numbers alone show is exact: equal lengths, moments that cancel, factors of one, sums of numbers.  In a kernel of
    twenty operations that may be two.
    """
    numbers, _ = optimize(Deriver(ARM, DYNAMICS[kernel])({})[0])
    kept, _ = optimize(Deriver(ARM, DYNAMICS[kernel], live_parameters=True)({})[0])
    hoisted = hoist([kept])
    counts = count(hoisted.kernels[0])
    assert counts.total <= max(1.1 * count(numbers).total, count(numbers).total + 2)
    assert counts.divisions == 0
    assert counts == count(kept)
    at = states(1, 20, 6)
    values = {p.name: float(p.value) for p in ARM.parameters}
    output = numbers.outputs[0].name
    found = evaluate(hoisted.kernels[0], at, prepared_values(hoisted, values))[output]
    wanted = evaluate(numbers, at)[output]
    # two hundred roundings of the largest force or inertia
    assert abs(found - wanted).max() < 1e-13 * abs(wanted).max()
