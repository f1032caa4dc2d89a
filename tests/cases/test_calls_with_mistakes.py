"""Mistakes in calls that once went through, ended the process, or were told in words that led nowhere."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_double, c_void_p, cast
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
    with pytest.raises(UnknownModelError, match=r"^the name of the model is empty"):
        kanegen.load("")
    with pytest.raises(UnknownModelError, match=r"^the name of the model is empty"):
        kanegen.generate("", tmp_path / "there")
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("number", [1, 5, 4096, 0xFFFF, 0x7FFF_FFFF_F000_0000, 2**63])
def test_integers_that_are_no_address_of_a_function(machine: kanegen.Robot, number: int) -> None:
    """Case 98: calling a small number, or memory without code, would end the process."""
    with pytest.raises(
        ValueError, match=r"^controller: \d+ is no address of a C function: no code lies there"
    ):
        kanegen.simulate(machine, [0.1], [0.0], 1.0, controller=number)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not tell")
def test_an_address_of_data_is_none_of_a_function(machine: kanegen.Robot) -> None:
    """Case 98: memory of this process that holds numbers; the address of a function of the C library is one."""
    numbers = np.zeros(100)
    with pytest.raises(ValueError, match="is no address of a C function"):
        kanegen.simulate(machine, [0.1], [0.0], 1.0, controller=numbers.ctypes.data)
    law = CFUNCTYPE(None, c_double, c_void_p, c_void_p, c_void_p, c_void_p)(lambda t, q, v, tau, data: None)
    address = cast(law, c_void_p).value
    free = kanegen.simulate(machine, [0.1], [0.0], 1.0)
    motion = kanegen.simulate(machine, [0.1], [0.0], 1.0, controller=address)
    np.testing.assert_array_equal(motion.q, free.q)


def test_more_samples_than_steps(machine: kanegen.Robot) -> None:
    """Case 98: refused at once, as a step ends on each of them; as many as there are steps may pass."""
    with pytest.raises(
        ValueError, match=r"^sample_period=1e-300 asks for more than max_steps=\d+ samples in 1\.0 s"
    ):
        kanegen.simulate(machine, [0.1], [0.0], 1.0, lambda t, q, v: [0.0], sample_period=1e-300)
    motion = kanegen.simulate(
        machine,
        [0.1],
        [0.0],
        1.0,
        lambda t, q, v: [0.0],
        sample_period=0.125,
        method="rk4",
        step=0.125,
        max_steps=8,
    )
    assert motion.statistics.accepted == 8
