"""What is zero in G and H of frames costs nothing; their values are held in tests/matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kanegen.codegen.derivation.influence_coefficients.kernels import influence_G, influence_H
from kanegen.codegen.derivation.recursive.kinematics import frames_of
from kanegen.codegen.graph import count, evaluate
from kanegen.codegen.mechanism import Frame, Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import derived
from tests.derivation.trees import random_tree

from .support import placed


def coefficients(tree: Mechanism, frame: Frame) -> tuple[Any, Any]:
    first, second = (
        derived(partial(build, frame=frame, kernel="kernel"), tree) for build in (influence_G, influence_H)
    )
    return first, second


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
