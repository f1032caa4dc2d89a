"""No operation count of a built-in mechanism rises."""

from __future__ import annotations

import os
from dataclasses import astuple

import pytest

from kanegen.codegen.mechanism import catalogue

from .counts import counted, recorded

TABLE = recorded()
DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
IN_CAMPAIGNS = {
    "flexible_six_axis": (*DERIVATIVES, "hand_power_"),  # as of flexible_two_link_spatial
    "stewart_platform": (*DERIVATIVES, "regressor", "full_regressor"),  # as of whipple_bicycle
    "whipple_bicycle": DERIVATIVES,  # as of rolling_disc
}
"""Kernels of which every day others are derived by the same code, of mechanisms of the same kind."""


def test_every_mechanism_is_recorded() -> None:
    assert list(TABLE) == list(catalogue.names())


@pytest.mark.parametrize("model", TABLE)
def test_no_count_rises(model: str) -> None:
    left_out = () if os.environ.get("KANEGEN_CAMPAIGN") else IN_CAMPAIGNS.get(model, ())
    table = {kernel: counts for kernel, counts in TABLE[model].items() if not kernel.startswith(left_out)}
    found = counted(model, left_out)
    assert set(found) >= set(table)
    risen = {
        kernel: (astuple(found[kernel]), astuple(before))
        for kernel, before in table.items()
        if any(now > then for now, then in zip(astuple(found[kernel]), astuple(before), strict=True))
    }
    assert not risen
