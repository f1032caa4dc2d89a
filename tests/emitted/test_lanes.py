"""Many states at once: the bits of one state at a time, in rows and columns, for any number of them and any vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kanegen.codegen.emit import Model, c_source
from kanegen.codegen.emit.lanes import LARGEST, fits
from kanegen.codegen.emit.manifest import manifest
from kanegen.codegen.emit.specification import specify
from kanegen.codegen.graph import Graph, Program, constant, inputs

from .compilation import Library, build
from .live import VALUES, live_model
from .programs import double_pendulum, every_operation, model, program, random_programs
from .test_live_parameters import prepared
from .test_parts import in_parts

COUNTS = (1, 2, 7, 8, 9, 16, 17, 37, 300)
"""Fewer than lanes, whole groups and rests, and more than a tile of columns has."""

FLAGS = [(f"-DKANEGEN_VECTOR_BYTES={size}", "-ffp-contract=off", "-Wno-psabi") for size in (0, 8, 16, 32, 64)]
"""Compilers make vectors of any length, of several where the processor has shorter ones."""
FLAGS.append(("-march=native", "-O3", "-ffp-contract=fast", "-fno-tree-slp-vectorize"))

Arrays = dict[str, NDArray[Any]]


def random_states(kernel: Program, count: int, seed: int = 1) -> Arrays:
    """Rows of numbers that single precision holds exactly."""
    numbers = np.random.default_rng(seed)
    return {a.name: numbers.integers(-3000, 3000, (count, a.size)) / 1024 for a in kernel.inputs}


def same(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Whether all bits are equal, but those of NaN, of which an operation may take that of either operand."""
    both = np.isnan(first) & np.isnan(second)
    return bool(np.all(both | ((first == second) & (np.signbit(first) == np.signbit(second)))))


def check(library: Library, kernel: Program, states: Arrays, ending: str = "", *first: Any) -> None:
    """Rows and columns of the first states, as many as are counted, against each state alone."""
    name = f"{library.model.prefix}_{kernel.name}"
    sizes = {output.name: output.size for output in kernel.outputs}
    total = len(next(iter(states.values())))
    alone = [
        library(name + ending, {key: rows[i] for key, rows in states.items()}, sizes, *first)
        for i in range(total)
    ]
    for count in (n for n in COUNTS if n <= total):
        beyond, stride = {key: size * (count + 1) for key, size in sizes.items()}, count + 2
        some = {key: rows[:count] for key, rows in states.items()}
        found = library(f"{name}_batch{ending}", some, beyond, *first, count)
        columns = {key: np.ascontiguousarray(np.pad(rows.T, ((0, 0), (0, 2)))) for key, rows in some.items()}
        strided = {key: size * stride for key, size in sizes.items()}
        soa = library(f"{name}_batch_soa{ending}", columns, strided, *first, count, stride)
        for key, size in sizes.items():
            rows = found[key].reshape(count + 1, size)
            across = soa[key].reshape(size, stride)
            expected = np.array([state[key] for state in alone[:count]])
            assert same(rows[:count], expected)
            assert same(across[:, :count].T, expected)
            assert np.isnan(rows[count]).all()  # as it was
            assert np.isnan(across[:, count:]).all()


@pytest.mark.parametrize("flags", FLAGS)
def test_every_operation(tmp_path: Path, flags: tuple[str, ...]) -> None:
    kernels = (every_operation(), double_pendulum())
    library = build(model(*kernels, single_precision=True), tmp_path, *flags)
    for kernel in kernels:
        for ending in ("", "_f32"):
            check(library, kernel, random_states(kernel, 37), ending)


def lengths() -> list[Program]:
    """Kernels with rows of one number to more than two vectors of the widest have."""
    found = []
    for n in range(1, 36):
        g = Graph()
        found.append(program(f"row{n}", g, {"x": n}, {"y": [x * 3 for x in inputs(g, "x", n)]}))
    return found


@pytest.mark.parametrize("flags", FLAGS)
def test_rows_of_every_length(tmp_path: Path, flags: tuple[str, ...]) -> None:
    kernels = lengths()
    library = build(model(*kernels, single_precision=True), tmp_path, *flags)
    for kernel in kernels:
        for ending in ("", "_f32"):
            check(library, kernel, random_states(kernel, 37), ending)
    for kernel in kernels[1::8]:
        check(library, kernel, random_states(kernel, 300))


@pytest.mark.parametrize("sincos", ["vector", "libm"])
@pytest.mark.parametrize("ending", ["", "_f32"])
def test_angles_beyond_the_formulas_concern_their_own_state(tmp_path: Path, ending: str, sincos: str) -> None:
    from kanegen.codegen.emit.model import SineCosineLibrary

    kernel = double_pendulum()
    library = build(model(kernel, single_precision=True, sincos=SineCosineLibrary(sincos)), tmp_path)
    states = random_states(kernel, 37)
    for row, angle in ((3, 2e5), (9, -1e30), (12, np.inf), (18, np.nan), (33, 1.0001e5), (35, 2001.0)):
        states["q"][row, row % 2] = angle
    check(library, kernel, states, ending)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(kernel=random_programs(), seed=st.integers(0, 10**6), every=st.integers(1, 12))
def test_random_programs(
    tmp_path_factory: pytest.TempPathFactory, kernel: Program, seed: int, every: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    library = build(in_parts(model(kernel), every), folder, "-ffp-contract=off", "-O1")
    check(library, kernel, random_states(kernel, 9, seed))


@pytest.mark.parametrize("every", [3, 1000])
def test_live_parameters(tmp_path: Path, every: int) -> None:
    generated = in_parts(live_model(), every)
    library = build(generated, tmp_path, "-ffp-contract=off")
    for kernel in generated.programs:
        check(library, kernel, random_states(kernel, 17), "", prepared(library))


@pytest.mark.parametrize("flags", FLAGS[:2] + FLAGS[3:])
@pytest.mark.parametrize("every", [3, 1000])
def test_parameters_of_each_state(tmp_path: Path, every: int, flags: tuple[str, ...]) -> None:
    generated = in_parts(live_model(), every)
    library, total, stride = build(generated, tmp_path, *flags), 37, 40
    ffi, lib = library.ffi, library.lib
    values = np.random.default_rng(2).uniform(0.5, 2, (2, stride))
    own = [dict(zip(("tilt", "m"), column, strict=True)) for column in values.T]
    default, where = ffi.new("arm_parameters *"), [list(VALUES).index(name) for name in ("tilt", "m")]
    lib.arm_default_parameters(default)
    for ending, type_ in (("", np.float64), ("_f32", np.float32)):
        size = ffi.sizeof(f"arm_prepared{ending}") // np.dtype(type_).itemsize * 48
        room = np.zeros(size + 16, type_)
        room = room[-room.ctypes.data % 64 // room.itemsize :][:size]
        pointer = ffi.from_buffer("float[]" if ending else "double[]", room)
        prepare = getattr(lib, f"arm_prepare_batch{ending}")
        prepare(default, 2, where, ffi.from_buffer("double[]", values), total, stride, pointer)
        for kernel in generated.programs:
            states, sizes = random_states(kernel, total), {a.name: a.size for a in kernel.outputs}
            name = f"arm_{kernel.name}"
            for count in (n for n in COUNTS if n <= total):
                some = {key: rows[:count] for key, rows in states.items()}
                found = library(
                    f"{name}_batch_varied{ending}",
                    some,
                    {k: n * count for k, n in sizes.items()},
                    pointer,
                    count,
                    0,
                )
                for i in range(count):
                    one = {key: rows[i] for key, rows in states.items()}
                    alone = library(name + ending, one, sizes, prepared(library, ending, **own[i]))
                    for key, n in sizes.items():
                        assert same(found[key][i * n : (i + 1) * n], alone[key])


@pytest.mark.parametrize("ending", ["", "_f32"])
@pytest.mark.parametrize("flags", FLAGS[3:])
def test_batches_beyond_the_caches(tmp_path: Path, flags: tuple[str, ...], ending: str) -> None:
    """Which ask the memory for what comes next: 8 numbers of a state, so that these are more than 8 MB."""
    kernel, few, count = double_pendulum(), 1009, 300_001
    library = build(model(kernel, single_precision=True), tmp_path, *flags)
    states = random_states(kernel, few)
    many = {key: np.resize(rows, (count, 2)) for key, rows in states.items()}
    name = "arm_inverse_dynamics_batch"
    one = library(name + ending, states, {"tau": 2 * few}, few)["tau"].reshape(few, 2)
    expected = np.resize(one, (count, 2))
    assert same(library(name + ending, many, {"tau": 2 * count}, count)["tau"].reshape(count, 2), expected)
    columns = {key: np.ascontiguousarray(rows.T) for key, rows in many.items()}
    soa = library(f"{name}_soa{ending}", columns, {"tau": 2 * count}, count, count)["tau"]
    assert same(soa.reshape(2, count).T, expected)


@pytest.mark.parametrize("which", ["q", "v", "a"])
def test_output_may_be_an_input_whose_rows_are_as_long(tmp_path: Path, which: str) -> None:
    kernel = double_pendulum()
    library = build(model(kernel), tmp_path)
    states = random_states(kernel, 300)
    expected = library("arm_inverse_dynamics_batch", states, {"tau": 600}, 300)["tau"]
    for function, own, before in (
        ("arm_inverse_dynamics_batch", states, (300,)),
        ("arm_inverse_dynamics_batch_soa", {key: rows.T.copy() for key, rows in states.items()}, (300, 300)),
    ):
        arrays = {key: rows.copy() for key, rows in own.items()}
        pointers = {key: library.ffi.from_buffer("double[]", array) for key, array in arrays.items()}
        getattr(library.lib, function)(*before, *pointers.values(), pointers[which])
        found = arrays[which] if function.endswith("batch") else arrays[which].T
        assert np.array_equal(found.ravel(), expected)


def wide(size: int) -> Program:
    """A kernel of so many numbers."""
    g = Graph()
    return program("wide", g, {"x": size - 1}, {"y": [inputs(g, "x", size - 1)[0] * 2]})


@pytest.mark.parametrize(("size", "lanes"), [(LARGEST, True), (LARGEST + 1, False)])
def test_what_needs_too_much_of_the_stack_has_no_lanes(tmp_path: Path, size: int, lanes: bool) -> None:
    kernel = wide(size)
    made: Model = model(kernel)
    assert fits(specify(made), made.kernels[0]) is lanes
    assert manifest(made, {}).kernels["wide"].lanes is lanes
    assert ("arm_wide_tile" in c_source(made)) is lanes
    check(build(made, tmp_path), kernel, random_states(kernel, 9))


def matrices_of_few_values() -> Program:
    """Matrices with zeros in runs, signs, and entries that are alike, too large for lanes entry by entry."""
    g = Graph()
    x, zero = inputs(g, "x", 3), constant(g, 0)
    values = [x[0] * x[1], -(x[0] * x[1]), x[1] + x[2], zero, x[2], *(x[0] * n for n in range(2, 40))]
    numbers = np.random.default_rng(2)
    rows = [values[n] for n in numbers.integers(0, len(values), 30)]
    scattered = [rows[n] for n in numbers.integers(0, len(rows), 400)]
    blocks = [zero] * 250 + rows * 7 + [rows[3]] * 201
    return program("few", g, {"x": 3}, {"A": scattered, "y": rows[:5], "B": blocks})


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("every", [20, 2000])
def test_values_that_entries_share_are_kept_once(tmp_path: Path, flags: tuple[str, ...], every: int) -> None:
    kernel = matrices_of_few_values()
    made = in_parts(model(kernel, single_precision=True), every)
    assert manifest(made, {}).kernels["few"].lanes
    library = build(made, tmp_path, *flags)
    for ending in ("", "_f32"):
        check(library, kernel, random_states(kernel, 37), ending)
