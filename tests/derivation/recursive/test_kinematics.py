"""Published positions on the arm of the paper, and rates of its coordinates."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import Frame
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import derived
from tests.derivation.speeds import kane_kernels
from tests.derivation.tree_kernels import coordinate_rates, frame_pose

ARM = mechanism("stanford_arm")


@pytest.mark.parametrize(("turn", "position"), [(0.0, (0.1, 0.9, 0.0)), (np.pi / 2, (0.1, 0.1, 0.8))])
def test_the_hand_of_the_arm(turn: float, position: tuple[float, float, float]) -> None:
    """F* with q6 = 0 at q = 0, and at q2 = 90 degrees, seen from A* (L3 = 0.2 m beyond the origin of F)."""
    q = np.array([0, turn, 0, 0, 0, 0])
    hand = Frame("hand", "F")
    pose = evaluate(derived(partial(frame_pose, frame=hand, kernel="pose"), ARM), {"q": q})["X"]
    assert (pose @ [0, 0.2, 0, 1])[:3] == pytest.approx(position, abs=1e-15)


def test_rates_of_coordinates() -> None:
    v = np.arange(6.0)
    q = np.ones(6)
    assert np.array_equal(evaluate(derived(coordinate_rates, ARM), {"q": q, "v": v})["qdot"], v)
    by_kane = derived(kane_kernels(ARM)["coordinate_rates"], ARM)
    assert np.array_equal(evaluate(by_kane, {"q": q, "v": v})["qdot"], v)
