"""Rates of frames' Jacobians and forces at frames: by hand, and of the base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import BASE, Frame, Mechanism, MechanismBuilder
from tests.derivation.tree_kernels import frame_forces, frame_jacobian_rate


def derived(build: Any, machine: Mechanism, frame: Frame, alternative: int = 0) -> Program:
    choices = Choices({"method of k": alternative})
    program: Program = build(place(machine, Choices()), machine, choices, frame=frame, kernel="k")
    return program


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
