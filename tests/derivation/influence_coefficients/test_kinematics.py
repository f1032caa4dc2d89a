"""G and H of frames: derivatives of poses, and of each other, by complex steps at 50 digits."""

from __future__ import annotations

from functools import partial
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients.programs import influence_G, influence_H
from kanegen.codegen.derivation.recursive.kinematics import frames_of
from kanegen.codegen.graph import count, evaluate
from kanegen.codegen.mechanism import Frame, Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import derived
from tests.derivation.tree_kernels import frame_pose
from tests.derivation.trees import random_tree

from .support import DERIVATIVE, DIGITS, derivative, exact_numbers, gap, placed, unit, values

TREES = [random_tree(1, 2), random_tree(2, 5), random_tree(5, 4), mechanism("stanford_arm")]
CASES = [(tree, frame) for tree in TREES for frame in frames_of(placed(tree))]


def coefficients(tree: Mechanism, frame: Frame) -> tuple[Any, Any]:
    first, second = (
        derived(partial(build, frame=frame, kernel="kernel"), tree) for build in (influence_G, influence_H)
    )
    return first, second


@pytest.mark.parametrize(("tree", "frame"), CASES, ids=lambda x: x.name)
def test_coefficients_are_derivatives(tree: Mechanism, frame: Frame) -> None:
    n = len(tree.coordinates)
    first, second = coefficients(tree, frame)
    pose = derived(partial(frame_pose, frame=frame, kernel="pose"), tree)
    with mpmath.workdps(DIGITS):
        (q,) = exact_numbers(3, n)
        G, H = values(first, q=q)["G"], values(second, q=q)["H"]
        X = values(pose, q=q)["X"]
        for m in range(n):
            dX = derivative(pose, unit(n, m), q=q)["X"]
            spin = dX[:3, :3] @ X[:3, :3].T  # skew of the angular velocity
            assert gap(G[:, m], [*dX[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]]) < DERIVATIVE
            assert gap(H[:, m, :], derivative(first, unit(n, m), q=q)["G"]) < DERIVATIVE


@pytest.mark.parametrize(("tree", "frame"), CASES, ids=lambda x: x.name)
def test_accelerations(tree: Mechanism, frame: Frame) -> None:
    """(5): what dG/dt dphi/dt is, for rotations too, along any motion."""
    n = len(tree.coordinates)
    first, second = coefficients(tree, frame)
    with mpmath.workdps(DIGITS):
        q, v = exact_numbers(4, n, n)
        rates = np.array(v, dtype=object)
        found = [rates @ plane @ rates for plane in values(second, q=q)["H"]]
        assert gap(found, derivative(first, v, q=q)["G"] @ rates) < DERIVATIVE


def test_structure() -> None:
    """Positions: symmetric.  Rotations: nothing in the later joint's row.  Joints beyond or beside: nothing at all."""
    tree = random_tree(2, 5)
    frames = {frame.name: frame for frame in frames_of(placed(tree))}
    q = np.linspace(-1, 1, 5)
    for name, frame in frames.items():
        first, second = coefficients(tree, frame)
        G, H = evaluate(first, {"q": q})["G"], evaluate(second, {"q": q})["H"]
        assert np.array_equal(H[:3], H[:3].transpose(0, 2, 1)), name
        both = (H[3:] != 0) & (H[3:].transpose(0, 2, 1) != 0)
        assert not both.any(), name
        idle = ~G.any(axis=0)
        assert not H[:, idle].any(), name
        assert not H[:, :, idle].any(), name


def test_structural_zeros_cost_nothing() -> None:
    """The hand of the Stanford Arm: 6 x 6 x 6 entries, few of which differ."""
    arm = mechanism("stanford_arm")
    _, second = coefficients(arm, Frame("F", "F"))
    counts = count(optimize(second)[0])
    assert (counts.multiplications, counts.additions, counts.divisions) == (53, 20, 0)
