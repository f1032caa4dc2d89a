"""Derivatives by live parameters: what is prepared, and what is there without them; values are held in tests/matrix."""

from __future__ import annotations

from functools import cache

from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.hoist import hoist
from kanegen.options import Options
from tests.derivation.tree_kernels import derivatives_among

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
