"""The oracle's states of the Stanford Arm, as arrays."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

ORACLES = Path(__file__).parent.parent / "oracles"


@pytest.fixture(scope="session")
def states() -> dict[str, NDArray[np.float64]]:
    """Every field of the 100 states: (100, 6), or (100,) for scalars."""
    vectors = json.loads((ORACLES / "stanford_arm_states.json").read_text(encoding="utf-8"))["vectors"]
    return {field: np.array([vector[field] for vector in vectors]) for field in vectors[0]}
