"""Constrained mechanisms: what a robot says of its constraints, and its calls at dead centres."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import constrained_robots as made
import described
import numpy as np
import pytest
import robots
from numpy.testing import assert_allclose, assert_array_equal

import kanegen
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.manifest import read_manifest


@pytest.fixture(params=["compiled", "interpreted"])
def pendulum(request: pytest.FixtureRequest) -> kanegen.Robot:
    return made.robot(made.pendulum(), interpreted=request.param == "interpreted")


def test_description(pendulum: kanegen.Robot) -> None:
    assert (pendulum.nq, pendulum.nv, pendulum.dof) == (2, 1, 1)
    assert pendulum.coordinate_names == ("x", "y")
    assert pendulum.speed_names == ("x",)
    assert_array_equal(pendulum.home, [0.0, -0.5])
    pendulum.home[0] = 7.0
    assert pendulum.home[0] == 0.0  # the robot's own is not handed out
    report = pendulum.constraints
    assert isinstance(report, kanegen.Constraints)
    assert (report.position, report.velocity) == (("rod", "rod again"), ("rod", "rod again"))
    assert (report.rank, report.position_rank) == (1, 1)
    assert (report.redundant, report.indeterminate) == (("rod again",), ("rod again",))


def test_a_plain_tree_has_no_constraints() -> None:
    arm = robots.cart_pole()
    assert arm.constraints is None
    assert arm.speed_names == arm.joint_names
    assert_array_equal(arm.home, [0.0, 0.0])
    start = np.array([0.1, 0.2])
    assembled = arm.assemble(start)
    assert_array_equal(assembled, start)
    assert not np.shares_memory(assembled, start)
    with pytest.raises(kanegen.MissingKernelError, match="constraint_residual"):
        arm.constraint_residual(start)


def test_without_equations_of_position_there_is_nothing_to_assemble() -> None:
    sled = made.robot(made.sled())
    assert_array_equal(sled.assemble([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])
    with pytest.raises(kanegen.MissingKernelError, match="constraint_residual"):
        sled.constraint_residual([1.0, 2.0, 3.0])
    assert sled.constraint_jacobian([1.0, 2.0, 0.0]).tolist() == [[0.0, 1.0, 0.0]]


def test_residual_and_jacobian(pendulum: kanegen.Robot) -> None:
    q = np.random.default_rng(3).uniform(-1.0, 1.0, (4, 5, 2))
    phi = (q**2).sum(axis=-1) - 0.25
    assert_allclose(pendulum.constraint_residual(q), np.stack([phi, 2 * phi], axis=-1), atol=1e-15)
    assert_allclose(pendulum.constraint_jacobian(q), np.stack([2 * q, 4 * q], axis=-2), atol=1e-15)
    out = np.empty((4, 5, 2))
    assert pendulum.constraint_residual(q, out=out) is out


def test_forces_balance_the_motion(pendulum: kanegen.Robot) -> None:
    # m d2q/dt2 + weight = Y^T tau + A^T lambda, with the motion on the circle written in the angle from below
    angle, rate, acceleration = 0.4, 2.0, -3.0
    s, c = np.sin(angle), np.cos(angle)
    q = np.array([0.5 * s, -0.5 * c])
    qdot = 0.5 * rate * np.array([c, s])
    qddot = 0.5 * acceleration * np.array([c, s]) + 0.5 * rate**2 * np.array([-s, c])
    v, a = qdot[:1], qddot[:1]
    tau = pendulum.inverse_dynamics(q, v, a)
    forces = pendulum.constraint_forces(q, v, a)
    assert forces[1] == 0.0
    pushed = pendulum.constraint_jacobian(q).T @ forces + np.array([tau[0], 0.0])
    assert_allclose(pushed, 2.0 * qddot + [0.0, 2.0 * 9.81], atol=1e-13)
    assert_allclose(pendulum.coordinate_rates(q, v), qdot, atol=1e-15)
    assert_allclose(pendulum.kinetic_energy(q, v), qdot @ qdot, atol=1e-15)


@pytest.mark.parametrize("kernel", ["forward_dynamics", "inverse_dynamics", "constraint_forces"])
def test_a_dead_centre_is_told(pendulum: kanegen.Robot, kernel: str) -> None:
    message = (
        f"cartesian_pendulum, {kernel}: the result is not finite .* its speeds x do not determine its motion"
    )
    with pytest.raises(kanegen.DeadCentreError, match=message):
        getattr(pendulum, kernel)([0.5, 0.0], [1.0], [0.0])
    with pytest.raises(kanegen.DeadCentreError, match=message):
        pendulum.call(kernel, [0.5, 0.0], [1.0], [0.0])
    batch = np.array([[[0.3, -0.4], [0.5, 0.0]], [[0.3, 0.4], [-0.5, 0.0]]])
    with pytest.raises(kanegen.DeadCentreError, match=r"first in row 0, 1 of the batch"):
        getattr(pendulum, kernel)(batch, [1.0], [0.0])


def test_a_dead_centre_is_told_where_out_is_an_input(pendulum: kanegen.Robot) -> None:
    tau = np.array([1.0])
    with pytest.raises(kanegen.DeadCentreError):
        pendulum.forward_dynamics([0.5, 0.0], [1.0], tau, out=tau)


def test_a_kernel_with_several_outputs_is_checked(pendulum: kanegen.Robot) -> None:
    qddot, multipliers = pendulum.call("multiplier_dynamics", [0.5, 0.0], [0.0, 1.0], [0.0])
    assert_allclose(qddot, [-2.0, -9.81], atol=1e-14)
    assert_allclose(multipliers, [-4.0, 0.0], atol=1e-14)
    with (
        pytest.raises(kanegen.DeadCentreError, match="multiplier_dynamics"),
        pytest.warns(kanegen.ModelWarning, match="leaves rod"),
    ):
        pendulum.call("multiplier_dynamics", [0.0, 0.0], [0.0, 1.0], [0.0])


def test_what_is_not_finite_may_stay_so(pendulum: kanegen.Robot) -> None:
    assert np.isnan(pendulum.forward_dynamics([0.3, -0.4], [np.nan], [0.0])).all()
    batch = np.array([[0.3, -0.4], [0.3, np.nan]])
    found = pendulum.coordinate_rates(batch, [1.0])
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1, 1])


def test_large_numbers_are_no_dead_centre(pendulum: kanegen.Robot) -> None:
    hanging = np.tile([0.0, -0.5], (4, 1))
    large = pendulum.call("generalized_speeds", hanging, np.full((4, 2), 1.5e308))
    assert (large == 1.5e308).all()


def test_bound_kernels_are_not_checked(pendulum: kanegen.Robot) -> None:
    step = pendulum.bind("forward_dynamics")
    step.q[:] = 0.5, 0.0
    step.v[:] = 1.0
    step()
    assert not np.isfinite(step.a).any()


@pytest.mark.parametrize(
    ("q", "error", "message"),
    [
        ([0.0, 0.0, 0.0], ValueError, r"assemble, q: expected \(..., 2\), got \(3,\)"),
        ([[0.0, 1.0]], ValueError, r"assemble, q: expected \(2,\), one state at a time, got \(1, 2\)"),
        ([0.0, np.inf], ValueError, r"assemble, q: expected finite numbers"),
        (["a", "b"], TypeError, "assemble, q: expected real numbers"),
    ],
)
def test_what_cannot_be_assembled(
    pendulum: kanegen.Robot, q: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pendulum.assemble(q)


def test_the_manifest() -> None:
    manifest = read_manifest(made.folder_of(made.pendulum()))
    assert manifest.speed_names == ("x",)
    assert manifest.home == (0.0, -0.5)
    assert manifest.body_coordinates is None
    less = dataclasses.replace(
        manifest, kernels={k: s for k, s in manifest.kernels.items() if k != "generalized_speeds"}
    )
    robot = kanegen.Robot(less, InterpretedBackend(less, described.Evaluator(made.pendulum())))
    with pytest.raises(
        kanegen.MissingKernelError, match="was loaded without the kernel 'generalized_speeds'"
    ):
        kanegen.simulate(robot, [0.3, -0.4], [0.0], 1.0)


def test_errors_cross_process_boundaries() -> None:
    error = kanegen.IntegrationError("left the constraints", 0.25)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.t) == ("left the constraints", 0.25)
    assert issubclass(kanegen.InconsistentStateError, ValueError)
