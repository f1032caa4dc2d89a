"""Simulations of what is driven in time: against independent equations, and against one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import kanegen
from kanegen.codegen.mechanism import Mechanism, quantity
from kanegen.simulation import run
from tests.cases.test_laws_everywhere import kernels_of_motion
from tests.constrained import time_models as models

Array = NDArray[np.float64]
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def bead(force: Any, t0: float, t_end: float, state: list[float]) -> Any:
    """s'' = s turn'^2 + force / m by SciPy, as exact as doubles allow."""

    def rate(t: float, y: Array) -> list[float]:
        return [y[1], y[0] * (2 + 0.6 * np.cos(3 * t)) ** 2 + force(t, *y) / 0.3]

    return solve_ivp(rate, (t0, t_end), state, method="DOP853", rtol=1e-13, atol=1e-15, dense_output=True)


@pytest.mark.parametrize("how", ["compiled", "interpreted", "NumPy"])
@pytest.mark.parametrize("method", [TIGHT, {"method": "rk4", "step": 1e-3}])
def test_bead_moves_as_its_equation_says(how: str, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """From t0 = 0.3 s, under a controller that sees the time; rk4's error is some 1e-12 at this step."""
    arm = kanegen.load(models.rotating_wire(), interpreted=how != "compiled")
    if how == "NumPy":
        monkeypatch.setattr(run, "find_integrators", lambda: None)
    expected = bead(lambda t, s, v: np.sin(t) - 0.1 * v, 0.3, 1.3, [0.1, 0.2])
    motion = kanegen.simulate(
        arm,
        [0.1],
        [0.2],
        1.0,
        lambda t, q, v: [np.sin(t) - 0.1 * v[0]],
        t0=0.3,
        times=[0.3, 0.8, 1.3],
        **method,
    )
    assert motion.statistics.compiled == (how != "NumPy")
    found = np.hstack([motion.q, motion.v])
    assert np.abs(found - expected.sol(motion.t).T).max() < 1e-10
    T = (0.1 + 0.3 * motion.q[:, 0] ** 2) * (2 + 0.6 * np.cos(3 * motion.t)) ** 2 / 2 + 0.15 * motion.v[
        :, 0
    ] ** 2
    assert motion.energy == pytest.approx(T, rel=1e-13)


def test_laws_wrenches_and_events_know_the_time() -> None:
    """A law closed over the dynamics, with live parameters; a wrench on a frame that turns; an event on the way."""
    b = kanegen.MechanismBuilder.from_mechanism(models.rotating_wire())
    b.parameter("k", 1, "N/m")
    s, t, k = sympy.symbols("s t k")
    b.law("pull", [quantity("bias_forces")[0] - k * s * sympy.cos(t)])
    arm = kanegen.load(b.build(), live="all declared").with_parameters({"k": 2.0})
    free = solve_ivp(
        lambda t, y: [y[1], -2 * y[0] * np.cos(t) / 0.3],
        (0, 1),
        [0.1, 0.2],
        method="DOP853",
        rtol=1e-13,
        atol=1e-15,
    )
    motion = kanegen.simulate(arm, [0.1], [0.2], 1.0, "pull", **TIGHT)
    assert np.abs(np.hstack([motion.q[-1], motion.v[-1]]) - free.y[:, -1]).max() < 1e-11
    pushed = bead(lambda t, s, v: 0.4 * np.cos(2 * t + np.sin(3 * t) / 5), 0.0, 1.0, [0.1, 0.2])
    motion = kanegen.simulate(
        arm,
        [0.1],
        [0.2],
        1.0,
        wrenches={"bead": lambda t, q, v: [0.4, 0, 0, 0, 0, 0]},
        events=[kanegen.Event("s - 0.3")],
        **TIGHT,
    )
    assert np.abs(motion.q[:, 0] - pushed.sol(motion.t)[0]).max() < 1e-10
    ((at, _, q, _),) = motion.events
    assert q[0] == pytest.approx(0.3, abs=1e-12) and pushed.sol(at)[0] == pytest.approx(0.3, abs=1e-10)


def test_a_law_of_the_library_compensates_what_a_motion_in_time_needs() -> None:
    """Computed torque holds a pendulum still on its shaken pivot."""
    arm = kanegen.load(models.driven_pivot(), interpreted=True)
    law = kanegen.laws.computed_torque(25.0, 10.0, {"th": 0.4})
    motion = kanegen.simulate(arm, [0.4], [0.0], 0.5, law, rtol=1e-10, atol=1e-12)
    assert np.abs(motion.q - 0.4).max() < 1e-9


def moving(model: Mechanism, *more: str) -> kanegen.Robot:
    """A robot with the kernels of a motion, compiled together."""
    return kanegen.load(model, kernels=[*kernels_of_motion(model), *more])


def test_driven_loops_are_the_same_loop() -> None:
    """As a joint, and as an equation; energy less the work of the drive stays what it was.

    The drive's work is the integral of its force times its rate over the rows, by Simpson's rule: 1e-4 s apart, its error is
    of the order (1e-4)^4 times fourth derivatives, below 1e-9.
    """
    found = {}
    arms = {
        how: moving(models.five_bar(how), "kinetic_energy", "potential_energy", "constraint_forces")
        for how in ("joint", "equation")
    }
    start = arms["joint"].assemble(t=0.0)  # one for both: there is more than one way to close a loop
    for how, q0 in (("joint", start), ("equation", [2.1, *start])):
        arm = arms[how]
        motion = kanegen.simulate(arm, q0, [0.3], 1.0, rtol=1e-11, atol=1e-13, times=np.linspace(0, 1, 10001))
        found[how] = arm, motion
        assert motion.drift is not None and motion.drift < 1e-9
    arm, motion = found["joint"]
    other = found["equation"][1]
    assert np.abs(other.q[:, 1:] - motion.q).max() < 1e-9
    assert np.abs(other.q[:, 0] - 2.1 - np.sin(2 * motion.t) / 4).max() < 1e-13
    a = arm.forward_dynamics(motion.q, motion.v, motion.tau, t=motion.t)
    force = arm.constraint_forces(motion.q, motion.v, a, t=motion.t)[:, -1]
    power = force * np.cos(2 * motion.t) / 2
    weights = np.ones(10001)
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    work = weights @ power * 1e-4 / 3
    assert motion.energy[-1] - motion.energy[0] == pytest.approx(work, abs=1e-8)


def test_rows_of_other_integrators_are_closed_at_their_own_times() -> None:
    """As the own method's rows, with which they agree to their tolerances; each step of SciPy's has several rows inside."""
    arm = kanegen.load(
        models.five_bar("equation"),
        interpreted=True,
        kernels=[*kernels_of_motion(models.five_bar("equation"))],
    )
    q0, t = arm.assemble(t=0.0), np.linspace(0, 0.5, 101)
    own, other = (
        kanegen.simulate(arm, q0, [0.3], 0.5, method=method, rtol=1e-9, atol=1e-11, times=t)
        for method in ("dopri5", "scipy:DOP853")
    )
    assert other.statistics.accepted < 50
    assert np.abs(arm.constraint_residual(other.q, t=t)).max() < 1e-9
    assert np.abs(other.q - own.q).max() < 1e-7 and np.abs(other.v - own.v).max() < 1e-6


def test_floating_and_rolling_bodies_follow_their_drives() -> None:
    """A shaken plate carries its disc; a free body turns against its flywheel, and its momentum stays."""
    arm = moving(models.floating_arm(), "momentum")
    q0 = arm.assemble(t=0.0)
    motion = kanegen.simulate(arm, q0, np.zeros(arm.nv), 1.0, rtol=1e-11, atol=1e-13, times=[0.0, 0.5, 1.0])
    momentum = arm.momentum(motion.q, motion.v, t=motion.t)
    assert np.abs(momentum - momentum[0]).max() < 1e-9
    assert np.abs(arm.constraint_residual(motion.q, t=motion.t)).max() < 1e-10
    disc = moving(models.shaken_disc())
    motion = kanegen.simulate(
        disc, [0, 0.1, 0, 0, 0], [0.2, 0, 3], 1.0, rtol=1e-11, atol=1e-13, times=[0.0, 1.0]
    )
    slip = (
        disc.constraint_jacobian(motion.q, t=motion.t)
        @ disc.coordinate_rates(motion.q, motion.v, t=motion.t)[..., None]
    )
    still = disc.coordinate_rates(motion.q, np.zeros((2, 3)), t=motion.t)
    rest = disc.constraint_jacobian(motion.q, t=motion.t) @ still[..., None]
    assert np.abs(slip - rest).max() < 1e-12


def test_what_does_not_know_time_refuses_it() -> None:
    arm = kanegen.load(models.rotating_wire(), interpreted=True)
    with pytest.raises(ValueError, match="depends on time"):
        kanegen.simulate(arm, [0.1], [0.2], 1.0, method="rodas4")
    with pytest.raises(kanegen.KanegenError, match="depends on time"):
        kanegen.trajectory(arm, {"s": ([0, 1], [0, 1])})
