"""What the corpus says of one file: the arm of the guide, in the frames that are chosen and in its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.corpus.robot_case import KERNELS, examine

ARM = Path(__file__).parents[2] / "docs" / "guide" / "data" / "arm7.urdf"


@pytest.mark.needs("pinocchio")
def test_a_robot_of_the_corpus() -> None:
    case = examine(ARM, 60)
    assert case.outcome == "loaded"
    assert case.operations.keys() == case.in_own_frames.keys() == case.differences.keys() == KERNELS.keys()
    assert max(case.differences.values()) < 1e-12
    chosen, own = (
        sum(int(part) for shown in found.values() for part in shown.split("/")[:2])
        for found in (case.operations, case.in_own_frames)
    )
    assert chosen <= own
