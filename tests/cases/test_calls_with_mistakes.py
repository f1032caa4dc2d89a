"""Mistakes in calls that once went through, ended the process, or were told in words that led nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.errors import UnknownModelError


@pytest.fixture(scope="module")
def machine() -> kanegen.Robot:
    builder = MechanismBuilder("pendulum")
    builder.body("rod", mass=1, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    return kanegen.load(builder.build(), kernels=["forward_dynamics", "inverse_dynamics"], interpreted=True)


TRUTHS: dict[str, Any] = {
    "list": [True],
    "array": np.array([False]),
    "objects": np.array([True], dtype=object),
    "objects of NumPy": np.array([np.True_], dtype=object),
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_truth_values_are_no_states(machine: kanegen.Robot, truth: Any) -> None:
    """Case 103: neither in calls nor where a simulation begins, nor as times, breaks, gravity or forces of a controller."""
    for call in (
        lambda: machine.inverse_dynamics(truth, [0.0], [0.0]),
        lambda: machine.inverse_dynamics([0.0], [0.0], truth),
        lambda: machine.assemble(truth),
    ):
        with pytest.raises(TypeError, match=r"expected real numbers, got elements of type (bool|object)"):
            call()
    for arguments in ({"q0": truth}, {"v0": truth}, {"times": truth}, {"breaks": truth}):
        (name,) = arguments
        with pytest.raises(ValueError, match=f"^{name}: expected real numbers, got"):
            kanegen.simulate(machine, **{"q0": [0.1], "v0": [0.0], "duration": 1.0, **arguments})
    with pytest.raises(ValueError, match="tau returned by the controller: expected real numbers"):
        kanegen.simulate(machine, [0.1], [0.0], 1.0, lambda t, q, v: truth)
    with pytest.raises(ValueError, match=r"^gravity: expected three finite numbers"):
        kanegen.load("stanford_arm", gravity=[*truth, 0.0, -9.81])


def test_a_model_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 98: an empty name is no path of the folder one works in, whatever this holds."""
    kanegen.generate("four_bar", tmp_path, kernels=["mass_matrix"])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UnknownModelError, match=r"^the name of the model is empty; expected that of a built-in"
    ):
        kanegen.load("")
    with pytest.raises(UnknownModelError, match=r"^the name of the model is empty"):
        kanegen.generate("", tmp_path / "there")
    assert not (tmp_path / "there").exists()
