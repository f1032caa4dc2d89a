"""Quantities of a tree by hand: frames, mass centres, mass matrices, and published positions on the arm of the paper."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import BASE, Frame, Mechanism, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import derived, numbers
from tests.derivation.speeds import kane_kernels
from tests.derivation.structured_trees import states
from tests.derivation.tree_kernels import (
    center_of_mass,
    centroidal_momentum_matrix,
    coordinate_rates,
    frame_forces,
    frame_jacobian_rate,
    frame_pose,
    mass_matrix,
)


def of_frame(build: Any, machine: Mechanism, frame: Frame, alternative: int = 0) -> Program:
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
    rate = evaluate(of_frame(frame_jacobian_rate, machine, frame), at)["Jdot"][:, 0]
    assert rate == pytest.approx([-3 * c, -3 * s, 0, 0, 0, 0], rel=1e-15)
    tau = evaluate(of_frame(frame_forces, machine, frame), at)["tau"]
    assert tau == pytest.approx([0.1 + 2 * (c * -1 - s * 3)], rel=1e-14)


def test_a_frame_of_the_base() -> None:
    """It does not move, and forces on it move nothing."""
    builder = MechanismBuilder("rod")
    builder.body("rod", mass=1)
    builder.revolute("hinge", BASE, "rod", (0, 0, 1))
    builder.frame("floor", BASE, position=(1, 0, 0))
    machine = builder.build()
    at = {"q": np.ones(1), "v": np.ones(1), "wrench": np.ones(6)}
    assert not evaluate(of_frame(frame_jacobian_rate, machine, machine.frame("floor")), at)["Jdot"].any()
    assert not evaluate(of_frame(frame_forces, machine, machine.frame("floor")), at)["tau"].any()


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


def test_live_parameters() -> None:
    """With live parameters the mass centre follows them: the arm's own numbers give the same."""
    arm = mechanism("stanford_arm")
    q = states(5, 3, 6)["q"]
    live = evaluate(derived(center_of_mass, arm, True), {"q": q}, numbers(arm))["c"]
    assert live == pytest.approx(evaluate(derived(center_of_mass, arm), {"q": q})["c"], rel=1e-13)


@pytest.mark.parametrize("build", [center_of_mass, centroidal_momentum_matrix])
def test_no_mass_no_centre(build: object) -> None:
    builder = MechanismBuilder("ghost")
    builder.body("hand")
    builder.revolute("wrist", BASE, "hand", (0, 0, 1))
    with pytest.raises(ModelError, match="has no moving mass"):
        Deriver(builder.build(), build)({})  # type: ignore[arg-type]


def test_planar_double_pendulum_by_hand() -> None:
    """Point masses 2 and 3 at the ends of rods 0.5 and 0.4, relative angles."""
    builder = MechanismBuilder("pendulum", gravity=(0, -9.81, 0))
    builder.body("upper", mass=2, center=(0.5, 0, 0))
    builder.body("lower", mass=3, center=(0.4, 0, 0))
    builder.revolute("shoulder", BASE, "upper", (0, 0, 1))
    builder.revolute("elbow", "upper", "lower", (0, 0, 1), position=(0.5, 0, 0))
    q = np.array([0.3, 0.9])
    found = evaluate(Deriver(builder.build(), mass_matrix)({})[0], {"q": q})["M"]
    far, cross = 3 * 0.4**2, 3 * 0.5 * 0.4 * np.cos(q[1])
    wanted = [[5 * 0.5**2 + far + 2 * cross, far + cross], [far + cross, far]]
    assert found == pytest.approx(np.array(wanted), rel=1e-15)


def test_a_slider_on_a_turntable_by_hand() -> None:
    """A sliding mass: M = diag(I + m r^2, m), and nothing else."""
    builder = MechanismBuilder("turntable")
    builder.body("table", mass=5, inertia=(1, 1, 2))
    builder.body("slider", mass=3)
    builder.revolute("turn", BASE, "table", (0, 0, -1))
    builder.prismatic("slide", "table", "slider", (-1, 0, 0))
    found = evaluate(Deriver(builder.build(), mass_matrix)({})[0], {"q": np.array([0.4, 0.7])})["M"]
    assert found == pytest.approx(np.diag([2 + 3 * 0.7**2, 3]), rel=1e-15)
