"""Differentiating programs: any program, by inputs, along speeds, and by parameters; checked by complex steps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kanegen.codegen.derivation.derivatives.differentiate import By, derivatives_of
from kanegen.codegen.derivation.kernels.catalogue import (
    INVERSE_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_PARAMETER_DERIVATIVES,
    of_speeds,
)
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Argument, Graph, Kind, Program, count, count_nodes, inputs
from kanegen.codegen.graph.jacobian import Order
from kanegen.codegen.graph.jacobian import jacobian as differentiate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.hoist import hoist
from kanegen.options import Options
from tests.derivation.complex_steps import entries_of, jacobian, outputs, relative, units
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, derivatives_among

DOUBLE = 1e-15
"""Both sides are exact to 40 digits and are rounded to doubles for the comparison."""


def program_of(results: list[object], graph: Graph, sizes: dict[str, int]) -> Program:
    refs = tuple(x.ref for x in results)  # type: ignore[attr-defined]
    given = tuple(Argument(name, (n,), "", "") for name, n in sizes.items())
    return Program("f", "f", "by hand", given, (Argument("y", (len(refs),), "", ""),), graph, (refs,))


@pytest.mark.parametrize("kernel", ["inverse_dynamics", "forward_dynamics", "potential_energy", "momentum"])
def test_any_kernel_can_be_differentiated(kernel: str) -> None:
    tree = structured_tree(3, 3)
    program = Deriver(tree, DYNAMICS[kernel])({})[0]
    n = 3
    names = [argument.name for argument in program.inputs]
    rows = program.outputs[0].size
    by = [By(Argument(f"d{name}", (rows, n), "", ""), name) for name in names]
    found = derivatives_of(program, by, "derivatives", "derivatives")
    assert found.inputs == program.inputs
    at = {name: values[0] for name, values in states(3, 1, n).items() if name in names}
    entries = entries_of(at)
    values = outputs(found, entries)
    for name in names:
        expected = jacobian(program, entries, units(name, n))
        assert relative(values[f"d{name}"], expected) < DOUBLE


def test_the_cheapest_order_is_taken() -> None:
    """Of one result of many variables adjoints are cheapest: tangents take products in proportion to the square."""
    n = 16
    graph = Graph()
    q = inputs(graph, "q", n)
    chain = q[0].sine()
    for x in q[1:]:
        chain = (chain * x).sine()
    by_order = {}
    for order in Order:
        row = differentiate(graph, [chain], q, order)[0]
        by_order[order] = count_nodes(graph, [x.ref for x in row]).total
    assert by_order[Order.FORWARD] > 2 * by_order[Order.REVERSE]
    gradient = program_of([chain], graph, {"q": n})
    found = derivatives_of(gradient, [By(Argument("dq", (1, n), "", ""), "q")], "d", "d")
    assert count(found).total == min(by_order.values())


def test_along_speeds_with_dependent_coordinates() -> None:
    """Two coordinates on a circle, q = (cos s, sin s), with one speed ds/dt: dq/dt = (-q2, q1) v."""
    graph = Graph()
    x, y = inputs(graph, "q", 2)
    (v,) = inputs(graph, "v", 1)
    rates = program_of([-y * v, x * v], graph, {"q": 2, "v": 1})
    graph = Graph()
    x, y = inputs(graph, "q", 2)
    function = program_of([x * x * 3 + x * y], graph, {"q": 2})
    found = derivatives_of(function, [By(Argument("dq", (1, 1), "", ""), "q", rates)], "d", "d")
    s = 0.7
    value = outputs(found, entries_of({"q": [np.cos(s), np.sin(s)]}))["dq"][0, 0]
    # d/ds (3 cos^2 + cos sin) = -6 cos sin + cos 2s
    assert value == pytest.approx(-3 * np.sin(2 * s) + np.cos(2 * s), abs=1e-15)


def test_results_depend_on_nothing_but_the_inputs() -> None:
    """What stands for steps while differentiating is gone in the end."""
    tree = structured_tree(5, 3)
    program = Deriver(tree, DYNAMICS["inverse_dynamics"])({})[0]
    rates = Deriver(tree, DYNAMICS["coordinate_rates"])({})[0]
    found = derivatives_of(
        program, [By(of_speeds(INVERSE_DYNAMICS_DERIVATIVES.gives[0], 3), "q", rates)], "d", "d"
    )
    used = {
        found.graph.payloads[i][0]
        for i in found.graph.reachable(found.roots)
        if found.graph.kinds[i] is Kind.INPUT
    }
    assert used <= {"q", "v", "a"}


def test_by_parameters() -> None:
    arm = mechanism("stanford_arm")
    program = Deriver(arm, DYNAMICS["inverse_dynamics"], live_parameters=True, gauge=False)({})[0]
    names = tuple(p.name for p in arm.parameters)
    by = By(of_speeds(INVERSE_DYNAMICS_PARAMETER_DERIVATIVES.gives[0], 6, names), parameters=names)
    found = derivatives_of(program, [by], "d", "d")
    at = {name: values[0] for name, values in states(1, 1, 6).items() if name != "tau"}
    entries = entries_of(at, {p.name: float(p.value) for p in arm.parameters})
    expected = jacobian(program, entries, [{(name, 0): 1} for name in names])
    assert found.outputs[0].shape == (6, len(names))
    assert relative(outputs(found, entries)["dp"], expected) < DOUBLE
    assert np.abs(expected).max() > 0


KERNELS = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
}


@cache
def programs(name: str) -> dict[str, Program]:
    found = mechanism(name)
    sources = KernelSources(found, Options(live_parameters=True))
    wanted = {kernel: sources.builds[kernel] for kernel in KERNELS}
    wanted |= derivatives_among(sources.builds_on_demand)
    tree = derivation_tree(found, live=True)
    return {
        kernel: Deriver(tree.mechanism, b, live_parameters=tree.live)({})[0] for kernel, b in wanted.items()
    }


def test_what_depends_on_parameters_alone_is_prepared() -> None:
    """Derivatives of placed numbers by the parameters cost nothing in the kernel."""
    program = programs("stanford_arm")["inverse_dynamics_parameter_derivatives"]
    hoisted = hoist([program])
    assert hoisted.prepare is not None
    assert count(hoisted.kernels[0]).total <= 540


def test_without_live_parameters_there_are_no_derivatives_by_them() -> None:
    made = derivatives_among(KernelSources(mechanism("stanford_arm"), Options()).builds_on_demand)
    assert list(made) == ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"]
