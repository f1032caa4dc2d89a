"""Where simulations of constrained mechanisms begin and how they end; their C interface."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import constrained_robots as made
import numpy as np
import pytest

import kanegen
from kanegen.simulation.motion import Motion, Status
from kanegen.simulation.run import _energy_of, simulate

pytestmark = pytest.mark.usefixtures("integrators")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("constrained")


# ---- where a motion begins -------------------------------------------------------------------------------------------


def test_an_open_loop_is_refused(folder: Path, in_numpy: bool) -> None:
    arm = made.robot(made.slider_crank(), folder, interpreted=in_numpy)
    message = (
        r"q0 leaves pin x of slider_crank_crank open by 0.03, and drift=1e-09 is allowed. "
        r".* q0 = robot.assemble\(q0\)"
    )
    with pytest.raises(kanegen.InconsistentStateError, match=message):
        simulate(arm, [0.0, 0.0, 1.27], [1.0], 1.0)
    loose = simulate(arm, [0.0, 0.0, 1.3 - 1e-7], [1.0], 0.1, drift=1e-6)
    assert np.abs(arm.constraint_residual(loose.q[0])).max() == pytest.approx(1e-7)
    assert np.abs(arm.constraint_residual(loose.q[1:])).max() < 1e-9  # projected from the first step on


def test_a_dead_centre_at_the_start_is_refused(folder: Path, in_numpy: bool) -> None:
    arm = made.robot(made.slider_crank("slider"), folder, interpreted=in_numpy)
    message = (
        r"initial configuration is a dead centre of the speeds slider: crank, rod can move while these are zero"
        r".* such as the rate of crank"
    )
    for off in (0.0, 1e-9):  # exactly there, and so near that half of the digits are lost
        q0 = [off, -0.3 * off, 1.3]
        for v0 in (0.0, 1.0):
            with pytest.raises(kanegen.DeadCentreError, match=message):
                simulate(arm, q0, [v0], 1.0)
    q0 = arm.assemble([1e-3, -0.3e-3, 1.3])
    assert simulate(arm, q0, [0.0], 0.1).statistics.status is Status.DONE
    # The crank's rate does determine the motion there.
    other = made.robot(made.slider_crank(), folder, interpreted=in_numpy)
    assert simulate(other, [0.0, 0.0, 1.3], [1.0], 0.1).drift is not None


def test_a_singular_configuration_at_the_start_is_refused(folder: Path) -> None:
    # A rod as long as the crank, folded onto it: the slider sits on the axis and may stay there while the crank turns.
    arm = made.robot(made.slider_crank(rod=Fraction(3, 10)), folder)
    message = "initial configuration is singular: there the constraints leave more freedom than the 1 speed,"
    with pytest.raises(kanegen.DeadCentreError, match=message):
        simulate(arm, [np.pi / 2, -np.pi / 2, 0.0], [1.0], 1.0)


def test_a_state_that_cannot_be_brought_back(folder: Path, in_numpy: bool) -> None:
    arm = made.robot(made.pendulum(), folder, interpreted=in_numpy)
    message = r"left the constraints after t = .* s: .* within drift=1e-30. Take smaller steps"
    with pytest.raises(kanegen.IntegrationError, match=message) as caught:
        simulate(arm, [0.0, -0.5], [1.0], 1.0, drift=1e-30)
    assert 0.0 <= caught.value.t < 1.0


@pytest.mark.parametrize("drift", [0.0, -1.0, np.inf, np.nan, "small"])
def test_a_bound_on_drift_is_positive(folder: Path, drift: Any) -> None:
    with pytest.raises(ValueError, match="drift must be"):
        simulate(made.robot(made.pendulum(), folder), [0.0, -0.5], [1.0], 1.0, drift=drift)


# ---- the result ------------------------------------------------------------------------------------------------------


def test_energy_is_unknown_on_dead_centres_alone(folder: Path) -> None:
    arm = made.robot(made.pendulum(), folder)
    energy_of = _energy_of(arm)
    assert energy_of is not None
    energy = energy_of(np.array([[0.3, -0.4], [0.5, 0.0], [-0.3, 0.4]]), np.array([[0.0], [0.0], [0.0]]))
    assert np.isnan(energy).tolist() == [False, True, False]
    assert energy[0] == pytest.approx(-0.8 * 9.81)


def test_a_motion_is_kept(folder: Path, tmp_path: Path) -> None:
    motion = simulate(made.robot(made.sled(), folder), [0.0, 0.0, 0.0], [1.0, 0.5], 0.1)
    copy = pickle.loads(pickle.dumps(motion))
    assert isinstance(copy, Motion)
    assert copy.drift == motion.drift
    motion.to_csv(tmp_path / "motion.csv")
    header = (tmp_path / "motion.csv").read_text().splitlines()[0]
    assert header == "t,q1,q2,q3,v1,v2,tau1,tau2,energy"


# ---- the C interface -------------------------------------------------------------------------------------------------


def c_run(module: ModuleType, arm: kanegen.Robot, **changes: Any) -> tuple[str, list[float]]:
    """The pendulum from below with 1 m/s, by the C interface; how it ended, and dq/dt then."""
    ffi, lib = module.ffi, module.lib
    kernels = {
        "multiplier_dynamics": "multipliers",
        "generalized_speeds": "speeds",
        "constraint_projection": "projection",
        "constraint_residual": "residual",
    }
    functions = {
        kernel: ffi.cast(f"kanegen_{kind} *", arm.kernel_address(kernel)) for kernel, kind in kernels.items()
    }
    fields = {"position": 2, "rows": 2, "drift": 1e-9, **functions, **changes}
    constraints = ffi.new("kanegen_constraints *", {k: v for k, v in fields.items() if v is not None})
    system = ffi.new("kanegen_system *", {"nq": 2, "nv": 1, "constraints": constraints})
    options = ffi.new("kanegen_options *", {"t_end": 0.1, "rtol": 1e-9, "atol": 1e-12, "max_steps": 1000})
    rows, done = ffi.new("kanegen_rows *"), ffi.new("kanegen_statistics *")
    workspace = ffi.new("double[]", lib.kanegen_constrained_workspace_size(2, 1, 2, 2) + 1)
    workspace[len(workspace) - 1] = 123.0
    q, qdot = ffi.new("double[2]", [0.0, -0.5]), ffi.new("double[2]", [1.0, 0.0])
    status = lib.kanegen_dopri5(system, options, q, qdot, rows, workspace, done)
    assert workspace[len(workspace) - 1] == 123.0
    return str(ffi.string(ffi.cast("kanegen_status", status))), list(qdot)


def test_the_c_interface(folder: Path, integrators: ModuleType) -> None:
    arm = made.robot(made.pendulum(), folder)
    status, qdot = c_run(integrators, arm)
    assert status == "KANEGEN_DONE"
    expected = simulate(arm, [0.0, -0.5], [1.0], 0.1, times=[0.1])
    assert qdot[0] == expected.v[0, 0]


@pytest.mark.parametrize(
    "changes",
    [
        {"drift": 0.0},
        {"drift": float("nan")},
        {"rows": 0, "position": 0, "constraint_residual": None},
        {"rows": 1},
        {"position": 0},
        {"constraint_residual": None},
        {"multiplier_dynamics": None},
        {"generalized_speeds": None},
        {"constraint_projection": None},
    ],
)
def test_constraints_that_are_incomplete_are_refused(
    folder: Path, integrators: ModuleType, changes: dict[str, Any]
) -> None:
    status, qdot = c_run(integrators, made.robot(made.pendulum(), folder), **changes)
    assert status == "KANEGEN_INVALID"
    assert qdot == [1.0, 0.0]
