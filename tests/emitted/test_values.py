"""Compiled kernels give what the reference interpreter gives, within the rounding errors either may make."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanegen.codegen.emit import Model
from kanegen.codegen.graph import Program, evaluate, evaluate_entries

from .compilation import Library, build
from .programs import double_pendulum, every_operation, model, random_programs
from .running_error import RUNNING_ERROR, tolerance
from .running_error import given as exactly

UNIT_ROUNDOFF = {"": 2.0**-53, "_f32": 2.0**-24}


def random_inputs(kernel: Program, seed: int) -> dict[str, list[float]]:
    """Numbers of moderate size that single precision holds exactly."""
    numbers = random.Random(seed)
    return {a.name: [numbers.randint(-3000, 3000) / 1024 for _ in range(a.size)] for a in kernel.inputs}


def check(library: Library, kernel: Program, state: dict[str, list[float]], ending: str = "") -> None:
    """One call against the interpreter in the arithmetic that carries error bounds."""
    entries = {(name, i): exactly(value) for name, row in state.items() for i, value in enumerate(row)}
    expected = evaluate_entries(kernel, entries, RUNNING_ERROR)
    sizes = {output.name: output.size for output in kernel.outputs}
    found = library(f"{library.model.prefix}_{kernel.name}{ending}", state, sizes)
    for output, numbers in zip(kernel.outputs, expected, strict=True):
        for number, value in zip(numbers, found[output.name], strict=True):
            assert abs(float(value) - number.value) <= tolerance(number, UNIT_ROUNDOFF[ending])


@pytest.mark.parametrize("ending", ["", "_f32"])
@pytest.mark.parametrize("flags", [("-ffp-contract=off",), ("-march=native", "-O3")])
def test_made_programs(tmp_path: Path, flags: tuple[str, ...], ending: str) -> None:
    kernels = (double_pendulum(), every_operation())
    library = build(model(*kernels, single_precision=True), tmp_path, *flags)
    for kernel in kernels:
        for seed in range(50):
            check(library, kernel, random_inputs(kernel, seed), ending)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(kernel=random_programs(), seed=st.integers(0, 10**6))
def test_random_programs(tmp_path_factory: pytest.TempPathFactory, kernel: Program, seed: int) -> None:
    library = build(model(kernel), tmp_path_factory.mktemp("random"), "-O0")
    check(library, kernel, random_inputs(kernel, seed))


def test_double_pendulum_against_its_equations(tmp_path: Path) -> None:
    """The Lagrangian equations in NumPy; twenty operations on numbers below 100: 1e-13 is 10 u of that."""
    library = build(model(double_pendulum()), tmp_path)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v, a = rng.uniform(-3, 3, (3, 2))
        bend = q[0] - q[1]
        upper = (
            2.3 * a[0] + 0.3 * (np.cos(bend) * a[1] + np.sin(bend) * v[1] ** 2) + 2.3 * 9.81 * np.sin(q[0])
        )
        lower = 0.3 * (a[1] + np.cos(bend) * a[0] - np.sin(bend) * v[0] ** 2) + 0.3 * 9.81 * np.sin(q[1])
        found = library("arm_inverse_dynamics", {"q": q, "v": v, "a": a}, {"tau": 2})["tau"]
        np.testing.assert_allclose(found, [upper, lower], rtol=0, atol=1e-13)


@pytest.mark.parametrize("ending", ["", "_f32"])
def test_batch_is_bit_for_bit_the_single_call(tmp_path: Path, ending: str) -> None:
    kernel = every_operation()
    library = build(model(kernel, single_precision=True), tmp_path)
    states = [random_inputs(kernel, seed) for seed in range(7)]
    stacked = {name: [state[name] for state in states] for name in states[0]}
    rows = library(f"arm_mixture_batch{ending}", stacked, {"y": 6}, rows=7)["y"].reshape(7, 6)
    for row, state in zip(rows, states, strict=True):
        assert row.tobytes() == library(f"arm_mixture{ending}", state, {"y": 6})["y"].tobytes()


def test_empty_batch_writes_nothing(tmp_path: Path) -> None:
    library = build(model(double_pendulum()), tmp_path)
    null = library.ffi.NULL
    library.lib.arm_inverse_dynamics_batch(0, null, null, null, null)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_not_a_number_in_gives_not_a_number_out_in_that_row_only(tmp_path: Path, bad: float) -> None:
    kernel = double_pendulum()
    library = build(model(kernel), tmp_path)
    states = {name: np.full((3, 2), 0.5) for name in ("q", "v", "a")}
    good = library("arm_inverse_dynamics_batch", states, {"tau": 2}, rows=3)["tau"].reshape(3, 2)
    states["q"][1, 1] = bad
    found = library("arm_inverse_dynamics_batch", states, {"tau": 2}, rows=3)["tau"].reshape(3, 2)
    assert np.isnan(found[1]).all()
    assert found[[0, 2]].tobytes() == good[[0, 2]].tobytes()


@pytest.mark.parametrize("which", ["q", "v", "a"])
def test_output_may_be_any_of_the_inputs(tmp_path: Path, which: str) -> None:
    generated: Model = model(double_pendulum(), single_precision=True)
    library = build(generated, tmp_path)
    state = {"q": np.array([0.3, -1.2]), "v": np.array([0.7, 0.2]), "a": np.array([-0.4, 1.5])}
    expected = library("arm_inverse_dynamics", state, {"tau": 2})["tau"]
    arrays = {name: value.copy() for name, value in state.items()}
    pointers = {name: library.ffi.from_buffer("double[]", array) for name, array in arrays.items()}
    library.lib.arm_inverse_dynamics(*pointers.values(), pointers[which])
    assert arrays[which].tobytes() == expected.tobytes()
    rows = {name: np.tile(value, (3, 1)) for name, value in state.items()}
    pointers = {name: library.ffi.from_buffer("double[]", array) for name, array in rows.items()}
    library.lib.arm_inverse_dynamics_batch(3, *pointers.values(), pointers[which])
    assert rows[which].tobytes() == np.tile(expected, (3, 1)).tobytes()


@settings(max_examples=15, deadline=None, derandomize=True)
@given(kernel=random_programs(), seed=st.integers(0, 10**6), shift=st.integers(0, 3))
def test_random_programs_with_overlapping_arrays(
    tmp_path_factory: pytest.TempPathFactory, kernel: Program, seed: int, shift: int
) -> None:
    """All arguments in one buffer, the output across both inputs: the same bits as with separate arrays."""
    library = build(model(kernel), tmp_path_factory.mktemp("overlap"))
    state, size = random_inputs(kernel, seed), kernel.outputs[0].size
    expected = library("arm_random", state, {"y": size})["y"]
    buffer = np.array([*state["q"], *state["v"], *[0.0] * 6])
    q = library.ffi.from_buffer("double[]", buffer)
    library.lib.arm_random(q, q + 2, q + shift)
    assert buffer[shift : shift + size].tobytes() == expected.tobytes()


def test_interpreter_agrees_with_itself_in_both_arithmetics() -> None:
    """The witness of these tests: the error-carrying arithmetic has the values of the NumPy interpreter."""
    kernel = every_operation()
    state = random_inputs(kernel, 3)
    entries = {(name, i): exactly(value) for name, row in state.items() for i, value in enumerate(row)}
    carried = [number.value for number in evaluate_entries(kernel, entries, RUNNING_ERROR)[0]]
    np.testing.assert_allclose(carried, evaluate(kernel, state)["y"], rtol=1e-14)
