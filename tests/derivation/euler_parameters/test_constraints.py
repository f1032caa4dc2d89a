"""Constraints of joints and drives: zero on the tree's motions, derivatives against complex steps, full rank."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kanegen.codegen.derivation.euler_parameters import kernels, names_of_bodies
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, ModelError
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.constraints import LoopKind
from tests.derivation.comparison import numbers
from tests.derivation.trees import random_tree

from .mechanisms import cylindrical_arm, two_arms, universal_arm
from .support import ROUNDING, Bodies, derivative

TREES = {
    "stanford_arm": lambda: mechanism("stanford_arm"),
    "sim_yoo_lee_robot": lambda: mechanism("sim_yoo_lee_robot"),
    "universal_arm": universal_arm,
    "hinge_slide": lambda: cylindrical_arm(False, False),
    "hinge_slide_against": lambda: cylindrical_arm(False, True),
    "slide_hinge": lambda: cylindrical_arm(True, False),
    "slide_hinge_against": lambda: cylindrical_arm(True, True),
    "small": lambda: random_tree(3, 3),
    "large": lambda: random_tree(8, 7),
}
LINKAGES = {kind.value: (lambda kind=kind: two_arms(kind)) for kind in LoopKind}


@cache
def built(name: str) -> Bodies:
    return Bodies((TREES | LINKAGES)[name]())


@pytest.mark.parametrize("angle", [0, np.pi / 2, np.pi, -np.pi / 2, -np.pi, 3 * np.pi])
@pytest.mark.parametrize("name", ["sim_yoo_lee_robot", "hinge_slide_against", "universal_arm"])
def test_drives_are_regular_where_the_cosine_s_derivative_vanishes(name: str, angle: float) -> None:
    """(33) as printed loses a row at 0 and pi."""
    bodies = built(name)
    n = len(bodies.mechanism.coordinates)
    m = bodies.motion(np.full(n, angle), np.ones(n), np.ones(n))
    assert np.linalg.svd(bodies.gradients(m), compute_uv=False).min() > 1e-3
    assert np.abs(bodies("driving_constraint_jacobian", x=m.x, q=m.q) @ m.xdot - 1).max() <= ROUNDING


@pytest.mark.parametrize("name", [*TREES, *LINKAGES])
def test_jacobians_and_gammas_are_derivatives_wherever_the_bodies_are(name: str) -> None:
    """Off the constraints and off |p| = 1: d(Phi_x xdot)/dt at constant xdot is -gamma, and Phi is driven through q(t)."""
    bodies = built(name)
    rng = np.random.default_rng(3)
    m = bodies.random_motion(3)
    x, xdot = m.x + rng.normal(size=m.x.size), rng.normal(size=m.x.size)
    given = {"x": x, "q": m.q}
    for kernel, used in (("joint_constraint", ["x"]), ("driving_constraint", ["x", "q"])):
        jacobian, program = bodies.programs[f"{kernel}_jacobian"], bodies.programs[f"{kernel}s"]
        at = {key: given[key] for key in used}
        found = bodies(f"{kernel}_jacobian", **at)
        assert np.abs(found @ xdot - derivative(program, at, {"x": xdot})).max() <= 10 * ROUNDING
        rows = len(found)
        bend = derivative(jacobian, at, {"x": xdot, "q": m.v}).reshape(rows, -1) @ xdot
        gamma = bodies(f"{kernel}_gamma", x=x, xdot=xdot, q=m.q, v=m.v, a=m.a)
        if kernel == "joint_constraint":
            assert np.abs(bend + gamma).max() <= 100 * ROUNDING
            continue
        # d2Phi/dt2 = d/dt(Phi_x xdot) + d/dt(Phi_q v): the second part by a real difference of the complex step
        step = 1e-5
        moved = [
            derivative(
                program, {"x": x + s * step * xdot, "q": m.q + s * step * m.v}, {"q": m.v + s * step * m.a}
            )
            for s in (1, -1)
        ]
        second = bend + (moved[0] - moved[1]) / (2 * step)
        # central difference: step^2 / 6 of a third derivative of some 100, and rounding over the step
        assert np.abs(second + gamma).max() <= 1e-7


def test_arguments_and_names_of_rows() -> None:
    bodies = Bodies(universal_arm())
    assert names_of_bodies(bodies.mechanism) == ["foot", "arm", "tip"]
    expected = [("turn", "revolute")] * 5 + [("first+second", "universal")] * 4 + [("end", "revolute")] * 5
    expected += [(name, "normalisation") for name in ("foot", "arm", "tip")]
    assert bodies.names == expected
    shapes = {
        name: [(a.name, a.shape) for a in (*p.inputs, *p.outputs)] for name, p in bodies.programs.items()
    }
    x, xdot, q, v, a = ("x", (21,)), ("xdot", (21,)), ("q", (4,)), ("v", (4,)), ("a", (4,))
    assert shapes == {
        "body_coordinates": [q, x],
        "body_rates": [q, v, xdot],
        "body_accelerations": [q, v, a, ("xddot", (21,))],
        "joint_constraints": [x, ("phi", (17,))],
        "joint_constraint_jacobian": [x, ("J", (17, 21))],
        "joint_constraint_gamma": [x, xdot, ("gamma", (17,))],
        "driving_constraints": [x, q, ("phi", (4,))],
        "driving_constraint_jacobian": [x, q, ("J", (4, 21))],
        "driving_constraint_gamma": [x, xdot, q, v, a, ("gamma", (4,))],
        "body_mass_matrix": [x, ("M", (21, 21))],
        "body_forces": [x, xdot, ("g", (21,))],
        "actuator_forces": [x, q, ("lambda", (4,)), ("tau", (4,))],
        "joint_reactions": [x, ("lambda", (17,)), ("R", (3, 6))],
    }


def test_a_prescribed_joint_is_held() -> None:
    arm = Bodies(mechanism("two_link_space_arm"))
    assert [kind for name, kind in arm.names if name == "q1+T_c"] == ["universal"] * 4 + ["held"]
    gradients = arm.gradients(arm.random_motion(4))
    assert gradients.shape == (14, 14)
    assert np.linalg.matrix_rank(gradients) == 14


def test_live_parameters_and_numbers_agree() -> None:
    arm = mechanism("stanford_arm")
    folded, live = Bodies(arm), Bodies(arm, numbers(arm))
    one, other = folded.random_motion(5), live.random_motion(5)
    assert np.abs(one.x - other.x).max() <= ROUNDING
    assert np.abs(folded.actuator_forces(one) - live.actuator_forces(other)).max() <= 1e-10


def test_kernels_are_those_of_the_mechanism_whatever_the_tree() -> None:
    robot = mechanism("stanford_arm")
    builds = kernels(robot)
    tree = place(robot, Choices())
    program = builds["joint_constraints"](tree, robot, Choices())
    assert program.outputs[0].shape == (36,)


@pytest.mark.parametrize("name", ["rolling_disc", "plate_disk"])
def test_contacts_are_refused(name: str) -> None:
    with pytest.raises(ModelError, match="constraint"):
        kernels(mechanism(name))


def test_joints_that_move_without_a_coordinate_are_refused() -> None:
    builder = MechanismBuilder("turntable")
    builder.body("plate", mass=1, inertia=(1, 1, 1))
    builder.body("arm", mass=1, inertia=(1, 1, 1))
    builder.revolute("plate", BASE, "plate", (0, 0, 1))
    builder.revolute("arm", "plate", "arm", (0, 1, 0))
    builder.prescribe("plate", 3)
    turntable: Mechanism = builder.build()
    with pytest.raises(ModelError, match="moves without a coordinate"):
        kernels(turntable)
