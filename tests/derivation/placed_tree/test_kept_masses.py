"""Whether masses stay on bodies is decided by each kernel, before it is searched."""

from __future__ import annotations

import pytest

from kanegen.codegen import candidates
from kanegen.codegen.derivation.placed_tree.inertial_gauge import EMPTIED, KEPT
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.options import Options


@pytest.mark.parametrize(
    ("arm", "kernel", "decided"),
    [
        ("general_6r", "inverse_dynamics", [1]),
        ("general_6r", "gravity_forces", [0]),
        ("general_6r", "kinetic_energy", [0]),
        ("general_6r", "mass_matrix", [0]),
        ("puma560_general", "inverse_dynamics", [0, 1]),
    ],
)
def test_each_kernel_decides_for_itself(arm: str, kernel: str, decided: list[int]) -> None:
    """Also where it begins with what another one has decided; both are searched where it does not show."""
    deriver = KernelSources(mechanism(arm), Options(kernels=(kernel,))).deriver(kernel, searched=True)
    for start in ({}, {EMPTIED: 1, f"{KEPT} link3": 1, "form of n_z of link2": 1}):
        found = candidates._with_masses(start, deriver)
        assert [given.get(EMPTIED, 0) for given in found] == decided
        for given, answer in zip(found, decided, strict=True):
            assert answer or not any(point.startswith(KEPT) for point in given)
            assert given.get("form of n_z of link2") == start.get("form of n_z of link2")
