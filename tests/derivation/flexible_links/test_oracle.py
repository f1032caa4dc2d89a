"""The oracle of Book 1983: J to 1e-12, R and accelerations to 1e-9, in either formulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanegen.codegen.mechanism import Mechanism, catalogue

from .arms import ORACLE, Kernels, apart, planar, spatial

CASES = {
    "planar": (planar(), ORACLE["planar_vectors"]),
    "spatial": (spatial(), ORACLE["spatial_2x2"]["vectors"]),
    "flexible_two_link": (catalogue.mechanism("flexible_two_link"), ORACLE["planar_vectors"]),
    "flexible_two_link_spatial": (
        catalogue.mechanism("flexible_two_link_spatial"),
        ORACLE["spatial_2x2"]["vectors"],
    ),
}


@pytest.mark.parametrize("formulation", ["recursive", "book_1983"])
@pytest.mark.parametrize(("mechanism", "vectors"), CASES.values(), ids=CASES)
def test_oracle(mechanism: Mechanism, vectors: list[dict[str, Any]], formulation: str) -> None:
    """F are torques of the joints, nothing acts on the modes."""
    kernels = Kernels(mechanism, formulation)
    q, v, F, J, R, a = (np.array([x[name] for x in vectors]) for name in ("z", "zd", "F", "J", "R", "zdd"))
    tau = np.zeros_like(q)
    tau[:, [mechanism.coordinates.index(name) for name in ("q1", "q2")]] = F
    assert apart(kernels("mass_matrix", q=q), J) <= 1e-12
    both = kernels.all("equations_of_motion", q=q, v=v, tau=tau)
    assert apart(both["M"], J) <= 1e-12
    assert apart(both["R"], R) <= 1e-9
    assert apart(kernels("forward_dynamics", q=q, v=v, tau=tau), a) <= 1e-9
    # tau - M a is h = tau - R: accelerations of some thousand lose three digits of twelve
    assert apart(kernels("inverse_dynamics", q=q, v=v, a=a) - tau + R, R) <= 1e-9
