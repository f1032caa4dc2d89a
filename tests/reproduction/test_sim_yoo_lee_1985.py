"""The example of Sim, Yoo & Lee 1985 against its oracle: torques, and the motion computed again from them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from kanegen.codegen.reproduction.sim_yoo_lee_1985 import along, released

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "sim_yoo_lee_1985.json").read_text())
MILLIMETRE = 1e-3


def test_errors_of_the_hand() -> None:
    """The oracle's errors, by other integrators, are 5e-8, 1.5e-6 and 0.0084 mm."""
    assert released("exact").error <= 1e-6 * MILLIMETRE
    for method in ("partitioning", "stabilised"):
        again = released("exact", method)
        assert again.error <= 1e-5 * MILLIMETRE
        assert again.drift is not None
        assert again.drift <= 1e-9
    # The oracle's own integration is good to its error with ever finer splines.
    expected = ORACLE["resim"]["spline_phase_20"] * MILLIMETRE
    accuracy = ORACLE["resim"]["spline_phase_50"] * MILLIMETRE
    assert released(20).error == pytest.approx(expected, abs=accuracy)


def test_torques() -> None:
    t, torques, recursive = along()
    assert np.abs(torques - recursive).max() <= 1e-9
    np.testing.assert_allclose(torques[0], ORACLE["table"][0]["torque_pin"], rtol=0, atol=1e-9)
    starts = np.flatnonzero(np.diff(t) == 0) + 1
    phases = np.split(np.arange(len(t)), starts)
    for row in ORACLE["table"][1:]:  # cubic interpolation between 60 points a phase
        here = next(phase for phase in phases if t[phase[0]] <= row["t"] <= t[phase[-1]])
        between = CubicSpline(t[here], torques[here])(row["t"])
        np.testing.assert_allclose(between, row["torque_pin"], rtol=0, atol=0.01)
