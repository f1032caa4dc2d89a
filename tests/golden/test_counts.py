"""No operation count of a built-in mechanism rises."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from kanegen.codegen.mechanism import catalogue

from .counts import counted, recorded

TABLE = recorded()


def test_every_mechanism_is_recorded() -> None:
    assert list(TABLE) == list(catalogue.names())


@pytest.mark.parametrize("model", TABLE)
def test_no_count_rises(model: str) -> None:
    found = counted(model)
    assert set(found) >= set(TABLE[model])
    risen = {
        kernel: (astuple(found[kernel]), astuple(before))
        for kernel, before in TABLE[model].items()
        if any(now > then for now, then in zip(astuple(found[kernel]), astuple(before), strict=True))
    }
    assert not risen
