"""Interpreted robots under the C integrators: the same motions, bit for bit, and what is raised on the way comes through."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import constrained_robots as made
import numpy as np
import pytest
from references import Q0, V0

from kanegen.simulation import Motion, simulate

METHODS: list[dict[str, Any]] = [{"method": "dopri5"}, {"method": "rk4", "step": 0.01}, {"method": "rodas4"}]


def swinging(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.sin(2.0 * t) - 0.5 * v


def assert_same(one: Motion, other: Motion) -> None:
    assert one.statistics == other.statistics
    for name in ("q", "v", "tau"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


STARTS = {
    "double_pendulum": (Q0, V0),
    "follower": ([1.0, 1.0], [0.0, 0.0]),  # with live parameters
    "body": ([1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1]),  # with coordinate rates
}


@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s["method"])
@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize(
    "form", [{}, {"controller": swinging}, {"controller": swinging, "sample_period": 0.1}]
)
def test_the_same_functions_called_by_python_give_the_same_motion(
    arms: SimpleNamespace, name: str, settings: dict[str, Any], form: dict[str, Any]
) -> None:
    if name == "body" and settings["method"] == "rodas4":
        return
    arm = getattr(arms, name)
    motions = [
        simulate(it, *STARTS[name], 0.5, **form, **settings)
        for it in (arm, dataclasses.replace(arm, interpreted=True))
    ]
    assert motions[1].statistics.compiled
    assert_same(*motions)


def test_a_law_of_the_mechanism(arms: SimpleNamespace) -> None:
    arm = arms.double_pendulum
    motions = [
        simulate(it, Q0, V0, 0.5, "feedback_law") for it in (arm, dataclasses.replace(arm, interpreted=True))
    ]
    assert_same(*motions)


@pytest.mark.usefixtures("integrators")
@pytest.mark.parametrize("what", ["pendulum", "sled"])
def test_constrained_mechanisms(what: str) -> None:
    # The interpreter and compiled C differ by contraction and by sines, a relative 1e-16 in each of some 100 steps.
    described = getattr(made, what)()
    start = ([0.3, 0.4], [1.0]) if what == "pendulum" else ([0.0, 0.0, 0.0], [1.0, 0.5])
    compiled, interpreted = (
        simulate(made.robot(described, interpreted=it), *start, 0.5, rtol=1e-8) for it in (False, True)
    )
    assert interpreted.statistics.compiled
    np.testing.assert_allclose(interpreted.q, compiled.q, rtol=0.0, atol=1e-11)
    assert interpreted.drift is not None and interpreted.drift <= 1e-9


@dataclasses.dataclass(frozen=True, eq=False)
class Failing:
    """A bound kernel that fails at its hundredth call."""

    arm: Any
    error: BaseException

    def __getattr__(self, name: str) -> Any:
        return getattr(self.arm, name)

    def bind(self, name: str) -> Any:
        bound, calls = self.arm.bind(name), []
        run = bound.run

        def fail() -> None:
            calls.append(name)
            if len(calls) == 100:
                raise self.error
            assert len(calls) < 100  # it is not called again
            run()

        bound.run = fail
        return bound


@pytest.mark.parametrize("error", [ZeroDivisionError("no"), KeyboardInterrupt()])
@pytest.mark.parametrize("settings", METHODS, ids=lambda s: s["method"])
def test_what_a_kernel_raises(arms: SimpleNamespace, error: BaseException, settings: dict[str, Any]) -> None:
    arm = Failing(dataclasses.replace(arms.double_pendulum, interpreted=True), error)
    with pytest.raises(type(error)):
        simulate(arm, Q0, V0, 100.0, max_steps=10**6, **settings)


def test_what_a_controller_raises_at_a_state_beside_the_motion(arms: SimpleNamespace) -> None:
    def gives_up(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if v[0] == 2.0**-26:  # the first state beside the motion in this direction
            raise ZeroDivisionError("the arm is on fire")
        return np.zeros(2)

    for interpreted in (False, True):
        arm = dataclasses.replace(arms.double_pendulum, interpreted=interpreted)
        with pytest.raises(ZeroDivisionError, match="the arm is on fire"):
            simulate(arm, Q0, [0.0, 0.0], 2.0, gives_up, method="rodas4")
