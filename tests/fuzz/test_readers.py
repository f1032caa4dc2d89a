"""A thousand damaged inputs and more a run; ``KANEGEN_FUZZ=20000`` runs so many, ``python -m tests.fuzz`` tells more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .readers import fuzz

COUNT = int(os.environ.get("KANEGEN_FUZZ", "1200"))


@pytest.mark.parametrize("part", range(4))
def test_damaged_inputs_are_read_or_refused(part: int, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    pytest.importorskip("xacro")
    found = fuzz(part * COUNT // 4, COUNT // 4, tmp_path)
    assert found.failures == []
    kinds = {key.partition(" ")[2] for key in found.counts}
    assert kinds == {"read", "refused", "derived"}
