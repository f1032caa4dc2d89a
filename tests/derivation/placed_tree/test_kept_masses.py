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
        ("general_6r", "inverse_dynamics", 1),
        ("general_6r", "gravity_forces", 0),
        ("general_6r", "kinetic_energy", 0),
        ("general_6r", "mass_matrix", 0),
        ("puma560_general", "inverse_dynamics", 1),
    ],
)
def test_each_kernel_decides_for_itself(arm: str, kernel: str, decided: int) -> None:
    """Also where it begins with what another one has decided."""
    deriver = KernelSources(mechanism(arm), Options(kernels=(kernel,))).deriver(kernel, searched=True)
    for start in ({}, {EMPTIED: 1, f"{KEPT} link3": 1, "form of n_z of link2": 1}):
        given = candidates._with_masses(start, deriver)
        assert given.get(EMPTIED, 0) == decided
        assert decided or not any(point.startswith(KEPT) for point in given)
        assert given.get("form of n_z of link2") == start.get("form of n_z of link2")


def test_what_is_open_stays_as_it_was_decided() -> None:
    """Programs that cost the same: another kernel's decision stands, and without one masses may stay."""
    sources = KernelSources(mechanism("puma560_general"), Options(kernels=("potential_energy",)))
    deriver = sources.deriver("potential_energy", searched=True)
    for start, decided in (({}, 1), ({EMPTIED: 0}, 0), ({EMPTIED: 1}, 1)):
        assert candidates._with_masses(start, deriver).get(EMPTIED, 0) == decided
