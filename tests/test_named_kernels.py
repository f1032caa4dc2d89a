"""Kernels that are named take no more operations than those of a whole set, whatever they are named with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from kanegen.codegen import deriving, pipeline
from kanegen.codegen.candidates import Beginning, Candidate, best_candidate
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


@cache
def alone(model: str, kernel: str) -> tuple[float, float]:
    """What a kernel is worth that is named alone, and the best of the searches for it that begin with nothing."""
    found = []

    def noted(sources: KernelSources, name: str, beginning: Beginning) -> tuple[Candidate, Mapping[str, int]]:
        candidate, start = best_candidate(sources, name, beginning)
        if beginning == Beginning({}, sources.options.derivations, near=True):
            found.append(candidate.price)
        return candidate, start

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deriving, "best_candidate", noted)
        return price(model, kernel, [kernel]), min(found, default=math.inf)


@pytest.mark.parametrize(("model", "kernel"), SEARCHED)
def test_no_more_operations_than_in_the_set_or_alone(model: str, kernel: str) -> None:
    found, begun_with_nothing = alone(model, kernel)
    assert found <= cost(recorded()[model][kernel])
    assert found <= begun_with_nothing < math.inf


@pytest.mark.parametrize(
    ("model", "kernel", "beside"),
    [
        ("cylindrical_arm", "momentum", ["gravity_forces"]),
        ("stanford_arm_rrp", "inverse_dynamics_derivatives", ["coriolis_matrix", "frame_jacobian_rate_E"]),
    ],
)
def test_the_same_whatever_is_named_beside_it(model: str, kernel: str, beside: list[str]) -> None:
    assert price(model, kernel, [*beside, kernel]) == alone(model, kernel)[0]


def test_no_more_operations_than_alone_on_demand() -> None:
    """What others on demand end with may be a worse beginning than none."""
    beside = ["coriolis_matrix", "frame_jacobian_rate_E", "full_regressor"]
    together = price("stanford_arm_rrp", "regressor", [*beside, "regressor"])
    assert together <= price("stanford_arm_rrp", "regressor", ["regressor"])
