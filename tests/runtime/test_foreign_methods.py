"""The integrators of SciPy and SUNDIALS as independent checks of the own ones, on trees, loops and balls."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
import scipy.integrate
from test_wrenches import simulated

import kanegen
from kanegen.errors import KanegenError
from kanegen.simulation import Status
from kanegen.simulation.request import FOREIGN

DURATION = 0.5
TIMES = np.linspace(0.0, DURATION, 37)


def drive(t: float, q: Any, v: Any) -> Any:
    return 0.05 * np.sin(3.0 * t + np.arange(v.size)) - 0.02 * v


def needs(method: str) -> None:
    if method.startswith("sundials"):
        pytest.importorskip("sksundae")


@pytest.mark.parametrize("name", ["stanford_arm", "four_bar", "top"])
@pytest.mark.parametrize("method", FOREIGN)
def test_their_motions_are_those_of_the_own_methods(name, method):
    needs(method)
    arm, frame, *start = simulated(name)

    def run(**settings: Any) -> Any:
        given = {"times": TIMES, "wrenches": {frame: [0.1, 0.0, -0.2, 0.0, 0.01, 0.0]}, **settings}
        return kanegen.simulate(arm, *start, DURATION, drive, **given)

    own, other = run(rtol=1e-12, atol=1e-14), run(method=method, rtol=1e-8, atol=1e-10)
    assert other.statistics.status is Status.DONE
    # Their errors are controlled by step, to 1e-8 of rates of up to some 10 / s; the motions amplify them tenfold, and of a
    # thousand steps and fewer hundred add up, as their signs change.
    for part in ("q", "v", "tau", "work"):
        assert np.abs(getattr(other, part) - getattr(own, part)).max() < 1e-8 * 10 * 10 * 100, part
    assert (other.drift is None) == (arm.constraints is None)


@pytest.mark.parametrize("method", ["scipy:DOP853", "scipy:BDF", "sundials:BDF"])
def test_sampled_control_breaks_and_rows_of_steps(method):
    needs(method)
    arm, _, *start = simulated("stanford_arm")
    settings = {"sample_period": 0.05, "breaks": [0.123], "rtol": 1e-8, "atol": 1e-10}
    told: list[float] = []
    motion = kanegen.simulate(
        arm, *start, DURATION, drive, method=method, every=2, progress=lambda t: told.append(t), **settings
    )
    assert motion.t.size == 1 + motion.statistics.accepted // 2
    assert motion.statistics.controller_calls == 11
    assert told[0] == 0.0
    own = kanegen.simulate(arm, *start, DURATION, drive, times=motion.t, **{**settings, "rtol": 1e-11})
    assert np.abs(own.q - motion.q).max() < 1e-5  # as above


def test_implicit_methods_are_given_the_derivatives(monkeypatch):
    kept: list[Any] = []

    class Kept(scipy.integrate.BDF):
        def __init__(self, function: Any, t: float, y: Any, *arguments: Any, jac: Any, **more: Any) -> None:
            kept.append((function, jac, t, y))
            super().__init__(function, t, y, *arguments, jac=jac, **more)

    monkeypatch.setattr(scipy.integrate, "BDF", Kept)
    arm, frame, *start = simulated("stanford_arm")
    push = {frame: lambda t, q, v: 0.1 * np.arange(6) - 0.2 * v}
    kanegen.simulate(arm, *start, 0.01, drive, method="scipy:BDF", wrenches=push)
    function, jacobian, t, y = kept[0]
    found, h = jacobian(t, y)[:12, :12], 1e-6
    for j in range(12):
        step = h * np.eye(y.size)[j]
        expected = (function(t, y + step) - function(t, y - step))[:12] / (2 * h)
        # Differences of the force alone err by 1e-8 of it, central ones by h^2; both times inverses of inertias of 1e-3.
        assert np.abs(found[:, j] - expected).max() < 1e-5 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("method", ["scipy:LSODA", "sundials:Adams"])
def test_what_they_cannot_do_is_told(method, monkeypatch):
    arm, _, *start = simulated("stanford_arm")
    if method.startswith("scipy") or needs(method) is None:
        with pytest.raises(ValueError, match="events end steps"):
            kanegen.simulate(arm, *start, 0.1, method=method, events=[kanegen.Event("q.q1")])
        with pytest.raises(ZeroDivisionError):
            kanegen.simulate(arm, *start, 0.1, lambda t, q, v: 1 / 0, method=method)
    present = builtins.__import__

    def missing(name: str, *arguments: Any, **more: Any) -> Any:
        if name.startswith(("scipy", "sksundae")):
            raise ImportError(name)
        return present(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(KanegenError, match="pip install"):
        kanegen.simulate(arm, *start, 0.1, method=method)
