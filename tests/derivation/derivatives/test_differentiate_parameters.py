"""Derivatives by live parameters, of trees and of closed linkages, by complex steps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.hoist import hoist
from kanegen.options import Options
from tests.derivation.complex_steps import Entries, entries_of, jacobian, outputs, relative
from tests.derivation.tree_kernels import derivatives_among

NAMES = ("stanford_arm", "four_bar", "two_link_space_arm")
every_mechanism = pytest.mark.parametrize("name", NAMES)

KERNELS = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
}
DOUBLE = 1e-14
"""Both sides are exact to some 40 digits and are rounded to doubles for the comparison."""


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


def state(name: str, inputs: tuple[str, ...]) -> Entries:
    found = mechanism(name)
    q = make_plan(found).states[0] if found.constrained else np.linspace(-1.0, 0.9, len(found.coordinates))
    at = {"q": q, **{x: np.linspace(0.3, 1.1, found.dof) for x in ("v", "a", "tau")}}
    numbers = {p.name: float(p.value) for p in found.parameters}
    return entries_of({x: at[x] for x in inputs}, numbers)


@every_mechanism
@pytest.mark.parametrize("kernel", KERNELS)
def test_by_complex_steps(name: str, kernel: str) -> None:
    names = [p.name for p in mechanism(name).parameters]
    entries = state(name, KERNELS[kernel])
    program, derivatives = programs(name)[kernel], programs(name)[f"{kernel}_parameter_derivatives"]
    assert derivatives.outputs[0].name == "dp"
    assert derivatives.outputs[0].shape == (mechanism(name).dof, len(names))
    expected = jacobian(program, entries, [{(p, 0): 1} for p in names])
    assert relative(outputs(derivatives, entries)["dp"], expected) < DOUBLE


def test_what_depends_on_parameters_alone_is_prepared() -> None:
    """Derivatives of placed numbers by the parameters cost nothing in the kernel."""
    program = programs("stanford_arm")["inverse_dynamics_parameter_derivatives"]
    hoisted = hoist([program])
    assert hoisted.prepare is not None
    assert count(hoisted.kernels[0]).total <= 540


def test_without_live_parameters_there_are_no_derivatives_by_them() -> None:
    made = derivatives_among(KernelSources(mechanism("stanford_arm"), Options()).builds_on_demand)
    assert list(made) == ["inverse_dynamics_derivatives", "forward_dynamics_derivatives"]
