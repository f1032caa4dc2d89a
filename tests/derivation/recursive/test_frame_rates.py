"""Rates of frames' Jacobians and forces at frames: Pinocchio, difference quotients, and the transposed Jacobian."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.derivation.recursive.kinematics import frames_of
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import BASE, Frame, Mechanism, MechanismBuilder
from tests.derivation.comparison import EXACT, ROUNDING, exactly
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import frame_forces, frame_jacobian, frame_jacobian_rate
from tests.derivation.trees import random_tree
from tests.witnesses.pinocchio_trees import PinocchioTree, pinocchio

MACHINES = [*(structured_tree(seed, 5) for seed in range(100, 105)), random_tree(1, 5)]
STEP = mpmath.mpf(10) ** -18
DIGITS = 70


def derived(build: Any, machine: Mechanism, frame: Frame, alternative: int = 0) -> Program:
    choices = Choices({"method of k": alternative})
    program: Program = build(place(machine, Choices()), machine, choices, frame=frame, kernel="k")
    return program


def frames(machine: Mechanism) -> list[Frame]:
    """The tip and two bodies."""
    every = frames_of(place(machine, Choices()))
    return [every[-1], every[0], every[len(every) // 2]]


@pytest.mark.parametrize("alternative", range(2))
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_difference_quotients(machine: Mechanism, alternative: int) -> None:
    """dJ/dt along q(t) = q + v t, to 30 digits."""
    n = machine.dof
    at = states(100, 1, n)
    for frame in frames(machine):
        jacobian = derived(frame_jacobian, machine, frame)
        rate = derived(frame_jacobian_rate, machine, frame, alternative)
        with mpmath.workdps(DIGITS):
            q, v = ([mpmath.mpf(x) for x in at[name][0]] for name in "qv")
            ahead, behind = (
                exactly(jacobian, q=[x + s * STEP * y for x, y in zip(q, v, strict=True)]) for s in (1, -1)
            )
            wanted = [(x - y) / (2 * STEP) for x, y in zip(ahead, behind, strict=True)]
            found = exactly(rate, q=q, v=v)
            # entries are of the order of 1, or all zero for what cannot turn
            assert max(abs(x - y) for x, y in zip(found, wanted, strict=True)) < EXACT


@pytest.mark.parametrize("machine", MACHINES[:3], ids=lambda machine: machine.name)
def test_against_pinocchio(machine: Mechanism) -> None:
    tree = PinocchioTree(machine)
    at = states(8, 3, machine.dof)
    found = evaluate(derived(frame_jacobian_rate, machine, frames(machine)[0]), at)["Jdot"]
    for q, v, rate in zip(at["q"], at["v"], found, strict=True):
        o = tree._order
        pinocchio().computeJointJacobiansTimeVariation(tree.model, tree.data, q[o], v[o])
        pinocchio().updateFramePlacements(tree.model, tree.data)
        wanted = pinocchio().getFrameJacobianTimeVariation(
            tree.model, tree.data, tree._frame("tip"), pinocchio().ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        assert np.abs(rate - wanted[:, tree._place]).max() < ROUNDING * 10


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_forces_are_the_transposed_jacobian(machine: Mechanism) -> None:
    n = machine.dof
    q = list(states(9, 1, n)["q"][0])
    wrench = list(np.random.default_rng(9).uniform(-2, 2, 6))
    for frame in frames(machine):
        with mpmath.workdps(DIGITS):
            flat = exactly(derived(frame_jacobian, machine, frame), q=q)
            found = exactly(derived(frame_forces, machine, frame), q=q, wrench=wrench)
            for j in range(n):
                wanted = sum(flat[n * m + j] * mpmath.mpf(wrench[m]) for m in range(6))
                assert abs(found[j] - wanted) < EXACT


def test_an_arm_by_hand() -> None:
    """A rod of length 2 turning about z at w: J = 2 (-s, c), dJ/dt = -2 w (c, s); the moment of a force at its end."""
    builder = MechanismBuilder("rod")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.frame("end", "rod", position=(2, 0, 0))
    machine = builder.build()
    frame = machine.frame("end")
    at = {"q": np.array([0.4]), "v": np.array([1.5]), "wrench": np.array([3.0, -1.0, 7.0, 0.3, 0.2, 0.1])}
    c, s = np.cos(0.4), np.sin(0.4)
    rate = evaluate(derived(frame_jacobian_rate, machine, frame), at)["Jdot"][:, 0]
    assert rate == pytest.approx([-3 * c, -3 * s, 0, 0, 0, 0], rel=1e-15)
    tau = evaluate(derived(frame_forces, machine, frame), at)["tau"]
    assert tau == pytest.approx([0.1 + 2 * (c * -1 - s * 3)], rel=1e-14)


def test_a_frame_of_the_base() -> None:
    """It does not move, and forces on it move nothing."""
    builder = MechanismBuilder("rod")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.frame("floor", BASE, position=(1, 0, 0))
    machine = builder.build()
    at = {"q": np.ones(1), "v": np.ones(1), "wrench": np.ones(6)}
    assert not evaluate(derived(frame_jacobian_rate, machine, machine.frame("floor")), at)["Jdot"].any()
    assert not evaluate(derived(frame_forces, machine, machine.frame("floor")), at)["tau"].any()
