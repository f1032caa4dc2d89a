"""The methods in NumPy, for machines without a compiler: the steps of C."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import constrained_robots as made
import numpy as np
import pytest
from references import Q0, V0

ROWS = np.sort(np.random.default_rng(5).uniform(0.0, 1.0, 40))
SETTINGS = {
    "dopri5": {"rtol": 1e-7},
    "dopri5, loose, rows anywhere": {"rtol": 1e-3, "atol": 1e-3, "times": ROWS},
    "dopri5, sampled": {"sample_period": 0.07, "times": ROWS},
    "dopri5, too few steps": {"max_steps": 17},
    "rk4, rows anywhere": {"method": "rk4", "step": 0.01, "times": ROWS},
    "rk4, sampled": {"method": "rk4", "step": 0.02, "sample_period": 0.05},
    "rk4, too few steps": {"method": "rk4", "step": 0.01, "max_steps": 17},
}


def pair(arms: SimpleNamespace, name: str) -> tuple[Any, Any]:
    """A mechanism compiled, and interpreted."""
    if name == "constrained":
        return made.robot(made.pendulum()), made.robot(made.pendulum(), interpreted=True)
    arm = {
        "tree": arms.double_pendulum,
        "rates": arms.body,
        "quaternion": dataclasses.replace(arms.body, quaternions=(0,)),
    }[name]
    return arm, dataclasses.replace(arm, interpreted=True)


STARTS = {
    "tree": (Q0, V0),
    "rates": ([1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1]),
    "quaternion": ([1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1]),
    "constrained": ([0.3, 0.4], [1.0]),
}


@pytest.mark.filterwarnings("ignore:the simulation of:RuntimeWarning")
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("tree", None), ("tree", "feedback_law"), ("rates", None), ("quaternion", None),
        ("constrained", None), ("constrained", "law"),
    ],
)  # fmt: skip
def test_numpy_takes_the_same_steps(
    arms: SimpleNamespace, both: Any, name: str, law: str | None, settings: dict[str, Any]
) -> None:
    # The same operations in the same order but for the contraction of products and sums, and for sines: a relative 1e-16 in
    # each of some hundred steps, which the motions amplify less than 1000 times.
    compiled, numpy = both(*pair(arms, name), *STARTS[name], 1.0, law, **settings)
    assert compiled.statistics.compiled
    assert not numpy.statistics.compiled
    counts = [dataclasses.replace(m.statistics, compiled=True, t=0.0, defect=0.0) for m in (compiled, numpy)]
    assert counts[0] == counts[1]
    assert np.array_equal(compiled.t, numpy.t)
    for what in ("q", "v", "tau", "work") + ("energy",) * (name == "tree"):
        np.testing.assert_allclose(getattr(compiled, what), getattr(numpy, what), rtol=1e-10, atol=1e-10)
    assert (compiled.drift is None) == (numpy.drift is None) == (name != "constrained")
    assert max(compiled.drift or 0.0, numpy.drift or 0.0) <= 1e-9


@pytest.mark.filterwarnings("ignore:the simulation of:RuntimeWarning")
@pytest.mark.parametrize("settings", [{"method": "dopri5"}, {"method": "rk4", "step": 0.25}])
def test_c_and_numpy_see_the_same_defects(arms: SimpleNamespace, both: Any, settings: dict[str, Any]) -> None:
    """A push that no stage sees: the defect is all of it, wherever it is looked for."""

    def push(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [float(0.6 <= t < 0.604)]

    arm = arms.pendulum
    motions = both(arm, dataclasses.replace(arm, interpreted=True), [0.0], [0.0], 1.0, push, **settings)
    found = [motion.statistics for motion in motions]
    assert found[0].looks == found[1].looks > 0
    assert found[0].defect_t == found[1].defect_t == pytest.approx(0.6, abs=0.01)
    assert found[0].defect == pytest.approx(found[1].defect, rel=1e-6)
    assert found[0].defect > 1.0
