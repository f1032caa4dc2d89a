"""Poses and Jacobians of frames: with generalized speeds, and published positions on the arm of the paper."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from kanegen.codegen.derivation.kernels.catalogue import FRAME_JACOBIAN
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.recursive.kinematics import frames_of
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import Frame, Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.names import frame_identifiers
from tests.derivation.comparison import ROUNDING, derived, worst
from tests.derivation.speeds import AXES, kane_kernels, speeds_from_rates, tree_with_speeds
from tests.derivation.tree_kernels import coordinate_rates, frame_pose
from tests.derivation.trees import random_states
from tests.witnesses.pinocchio_trees import PinocchioTree

ARM = mechanism("stanford_arm")


def all_frames(mechanism: Mechanism) -> tuple[Frame, ...]:
    return frames_of(place(mechanism, Choices()))


def test_jacobians_of_generalized_speeds() -> None:
    """J of the speeds times Y is J of the rates; the rows of the body's own angular velocity are its axes."""
    tree, speeds = tree_with_speeds(1, 4, AXES)
    witness = PinocchioTree(tree)
    q = random_states(1, 10, 4)[0]
    Y = np.array([speeds_from_rates(tree, speeds, witness, state) for state in q])
    kernels, names = kane_kernels(tree, speeds), frame_identifiers(tree)
    for frame in all_frames(tree):
        build = kernels[FRAME_JACOBIAN.named(names[frame.name])]
        jacobian = evaluate(derived(build, tree), {"q": q})["J"]
        expected = np.array([witness.frame_jacobian(state, frame.name) for state in q])
        assert worst(jacobian @ Y, expected) < ROUNDING * np.linalg.cond(Y).max()


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
