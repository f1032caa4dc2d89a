"""No operation count of a built-in mechanism rises."""

from __future__ import annotations

import os
from dataclasses import astuple

import pytest

from kanegen.codegen.mechanism import catalogue

from .counts import counted, recorded

TABLE = recorded()
LONG = {"stewart_platform": ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")}
"""Kernels that take half a minute, and are derived in campaigns alone."""


def test_every_mechanism_is_recorded() -> None:
    assert list(TABLE) == list(catalogue.names())


@pytest.mark.parametrize("model", TABLE)
def test_no_count_rises(model: str) -> None:
    left_out = () if os.environ.get("KANEGEN_CAMPAIGN") else LONG.get(model, ())
    table = {kernel: counts for kernel, counts in TABLE[model].items() if kernel not in left_out}
    found = counted(model, left_out)
    assert set(found) >= set(table)
    risen = {
        kernel: (astuple(found[kernel]), astuple(before))
        for kernel, before in table.items()
        if any(now > then for now, then in zip(astuple(found[kernel]), astuple(before), strict=True))
    }
    assert not risen
