"""The long run: 2,000 random machines, all kernels and kinds of joints, all kinds of decisions, against Pinocchio.

Runs only where the environment variable KANEGEN_CAMPAIGN names the number of machines (``make campaign``: 2000).
"""

from __future__ import annotations

import os

import pytest

from tests.derivation.compound_mechanisms import compound_tree
from tests.derivation.kernels.test_standard_kernels import check_against_pinocchio
from tests.derivation.test_compound_joints import USUAL, check_kernels

MACHINES = int(os.environ.get("KANEGEN_CAMPAIGN", "0"))
PARTS = 50


@pytest.mark.skipif(
    MACHINES == 0, reason="a campaign of many minutes: set KANEGEN_CAMPAIGN to a number of machines"
)
@pytest.mark.parametrize("part", range(PARTS))
def test_random_machines(part: int) -> None:
    for number in range(part, MACHINES, PARTS):
        if number % 2:
            check_kernels(compound_tree(10_000 + number, 2 + number % 4), USUAL, number)
        else:
            check_against_pinocchio(10_000 + number, 2 + number % 6)
