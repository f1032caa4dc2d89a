"""Kernels that are named take no more operations than those of a whole set, whatever they are named with."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kanegen.codegen import pipeline
from kanegen.codegen.candidates import Beginning, best_candidate
from kanegen.codegen.deriving import derive_all
from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.pipeline import Options
from tests.golden.counts import recorded

SEARCHED = ("cylindrical_arm", "momentum"), ("rx90_simplified", "kinetic_energy")
"""Of these one is dearer when the search begins with nothing, the other when it begins with inverse dynamics."""


def price(model: str, kernel: str, named: Sequence[str]) -> float:
    """Additions that a kernel is worth when these are named."""
    mechanism = pipeline.read(model, Options())
    return cost(count(derive_all(KernelSources(mechanism, Options(kernels=tuple(named)))).programs[kernel]))


@pytest.mark.parametrize(("model", "kernel"), SEARCHED)
def test_no_more_operations_than_in_the_set_or_alone(model: str, kernel: str) -> None:
    sources = KernelSources(pipeline.read(model, Options()), Options())
    alone, _ = best_candidate(sources, kernel, Beginning({}, sources.options.derivations, near=True))
    found = price(model, kernel, [kernel])
    assert found <= cost(recorded()[model][kernel])
    assert found <= alone.price


@pytest.mark.parametrize(
    ("model", "kernel", "beside"),
    [
        ("cylindrical_arm", "momentum", ["gravity_forces"]),
        ("stanford_arm_rrp", "inverse_dynamics_derivatives", ["coriolis_matrix", "frame_jacobian_rate_E"]),
    ],
)
def test_the_same_whatever_is_named_beside_it(model: str, kernel: str, beside: list[str]) -> None:
    assert price(model, kernel, [*beside, kernel]) == price(model, kernel, [kernel])


def test_no_more_operations_than_alone_on_demand() -> None:
    """What others on demand end with may be a worse beginning than none."""
    beside = ["coriolis_matrix", "frame_jacobian_rate_E", "full_regressor"]
    together = price("stanford_arm_rrp", "regressor", [*beside, "regressor"])
    assert together <= price("stanford_arm_rrp", "regressor", ["regressor"])
