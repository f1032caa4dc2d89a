"""How far are the kernels on a GPU from what its memory allows?

    python -m benchmarks.gpu [--model NAME] [--kernels KERNEL ...] [--states N] [--rounds N] [--output NAME.json]

The CUDA header of a built-in mechanism is compiled by NVRTC for the GPU at hand and run through the driver.  Each kernel
gets the same random states in both layouts and precisions.  Beside its time stands the time that its numbers need to get
through the memory, each input read and each output written once, at the rate at which the GPU copies a large array.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.nvrtc import NoNvrtcError, compile_source
from benchmarks.report import number, table, write_json
from kanegen.codegen import pipeline
from kanegen.codegen.emit.languages.cuda import columns
from kanegen.codegen.emit.specification import Kernel, specify
from kanegen.codegen.graph import evaluate

THREADS = 128
COMPARED = 100
"""States at which results are compared with the interpreter, and how far they may be off, relative to the largest
component of an output: some thousand roundings."""
TOLERANCE = {"double": 1e-12, "single": 1e-3}

Array = NDArray[Any]


class NoGpuError(RuntimeError):
    """There is no GPU here that CUDA can use; the message says what is missing."""


@dataclass(frozen=True)
class Result:
    """One kernel in one layout: nanoseconds for each state, and what its memory traffic takes at least."""

    kernel: str
    precision: str
    layout: str
    minimum: float
    median: float
    bytes: int
    limit: float
    error: float

    @property
    def share(self) -> float:
        """The part of the memory's rate that is reached."""
        return self.limit / self.minimum


class Driver:
    """The few calls of the CUDA driver that are needed, on the first GPU."""

    def __init__(self) -> None:
        """Find the driver and a GPU.  Raises NoGpuError."""
        try:
            self._cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        except OSError as error:
            raise NoGpuError(f"no CUDA driver ({error})") from error
        count, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
        if self._cuda.cuInit(0) or self._cuda.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
            raise NoGpuError("a CUDA driver, but no GPU that it can use")
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(100)
        self._call("cuDeviceGetName", name, len(name), device)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        self.name = name.value.decode()
        major, minor = (self._attribute(which, device) for which in (75, 76))  # compute capability
        self.architecture = f"sm_{major}{minor}"

    def _attribute(self, which: int, device: ctypes.c_int) -> int:
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), which, device)
        return value.value

    def _call(self, function: str, *arguments: Any) -> None:
        code = getattr(self._cuda, function)(*arguments)
        if code:
            raise RuntimeError(f"{function} failed with the CUDA error {code}")

    def module(self, code: bytes) -> ctypes.c_void_p:
        """Load machine code."""
        module = ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), code)
        return module

    def function(self, module: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        """A kernel of a module."""
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    @contextmanager
    def memory(self, size: int) -> Iterator[ctypes.c_uint64]:
        """So many bytes of the GPU."""
        pointer = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        try:
            yield pointer
        finally:
            self._call("cuMemFree_v2", pointer)

    def put(self, pointer: ctypes.c_uint64, values: Array) -> None:
        """Copy an array to the GPU."""
        values = np.ascontiguousarray(values)
        self._call("cuMemcpyHtoD_v2", pointer, values.ctypes.data_as(ctypes.c_void_p), _size(values))

    def get(self, pointer: ctypes.c_uint64, values: Array) -> None:
        """Copy an array from the GPU."""
        self._call("cuMemcpyDtoH_v2", values.ctypes.data_as(ctypes.c_void_p), pointer, _size(values))

    def launch(self, function: ctypes.c_void_p, states: int, arguments: Sequence[Any]) -> None:
        """Start a kernel with a thread for each state."""
        pointers = (ctypes.c_void_p * len(arguments))(
            *(ctypes.cast(ctypes.pointer(argument), ctypes.c_void_p) for argument in arguments)
        )
        blocks = -(-states // THREADS)
        self._call("cuLaunchKernel", function, blocks, 1, 1, THREADS, 1, 1, 0, None, pointers, None)

    def copy(self, target: ctypes.c_uint64, source: ctypes.c_uint64, size: int) -> None:
        """Copy within the GPU."""
        self._call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)

    def seconds(self, run: Any, rounds: int) -> list[float]:
        """Times of one run each, after two that are not counted."""
        events = [ctypes.c_void_p() for _ in range(2)]
        for event in events:
            self._call("cuEventCreate", ctypes.byref(event), 0)
        times: list[float] = []
        for _ in range(rounds + 2):
            self._call("cuEventRecord", events[0], None)
            run()
            self._call("cuEventRecord", events[1], None)
            self._call("cuEventSynchronize", events[1])
            milliseconds = ctypes.c_float()
            self._call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
            times.append(milliseconds.value / 1e3)
        for event in events:
            self._call("cuEventDestroy_v2", event)
        return times[2:]


def _size(values: Array) -> ctypes.c_size_t:
    return ctypes.c_size_t(values.nbytes)


def rate_of_copies(driver: Driver, rounds: int, size: int = 1 << 28) -> float:
    """Bytes that the memory reads and writes in a second, together."""
    with driver.memory(size) as source, driver.memory(size) as target:
        return 2 * size / min(driver.seconds(lambda: driver.copy(target, source, size), rounds))


def measured(
    driver: Driver,
    module: ctypes.c_void_p,
    kernel: Kernel,
    name: str,
    layout: str,
    states: int,
    rounds: int,
    rate: float,
) -> Result:
    """Time one kernel, and compare its results at some states with those of the interpreter."""
    kind = np.float64 if kernel.precision.name == "DOUBLE" else np.float32
    random = np.random.default_rng(1983)
    inputs = [random.uniform(-1.0, 1.0, (states, a.argument.size)).astype(kind) for a in kernel.inputs]
    outputs = [np.full((states, a.argument.size), np.nan, dtype=kind) for a in kernel.outputs]
    by_columns = layout == "columns"
    counts = [ctypes.c_size_t(states)] * (2 if by_columns else 1)
    numbers = sum(array.shape[1] for array in (*inputs, *outputs))
    with _memories(driver, [*inputs, *outputs]) as pointers:
        for pointer, array in zip(pointers, inputs, strict=False):
            driver.put(pointer, array.T if by_columns else array)
        function = driver.function(module, name)
        arguments = [*counts, *pointers]
        times = driver.seconds(lambda: driver.launch(function, states, arguments), rounds)
        found = []
        for pointer, array in zip(pointers[len(inputs) :], outputs, strict=True):
            given = np.empty(array.shape[::-1] if by_columns else array.shape, dtype=kind)
            driver.get(pointer, given)
            found.append(given.T if by_columns else given)
    size = numbers * np.dtype(kind).itemsize
    return Result(
        kernel=kernel.schedule.program.name,
        precision=kernel.precision.name.lower(),
        layout=layout,
        minimum=min(times) / states * 1e9,
        median=sorted(times)[len(times) // 2] / states * 1e9,
        bytes=size,
        limit=size / rate * 1e9,
        error=_error(kernel, inputs, found),
    )


@contextmanager
def _memories(driver: Driver, arrays: Sequence[Array]) -> Iterator[list[ctypes.c_uint64]]:
    if not arrays:
        yield []
        return
    with driver.memory(arrays[0].nbytes) as first, _memories(driver, arrays[1:]) as others:
        yield [first, *others]


def _error(kernel: Kernel, inputs: Sequence[Array], found: Sequence[Array]) -> float:
    """The largest difference from the interpreter over the largest component, of some states."""
    program = kernel.schedule.program
    arguments = {
        a.argument.name: x[:COMPARED].astype(np.float64).reshape(-1, *a.argument.shape)
        for a, x in zip(kernel.inputs, inputs, strict=True)
    }
    errors = [0.0]
    for output, values in zip(program.outputs, found, strict=True):
        right = evaluate(program, arguments)[output.name].reshape(-1, output.size)
        difference = np.abs(values[: len(right)] - right).max()
        errors.append(float(difference / max(np.abs(right).max(), np.finfo(float).tiny)))
    return math.nan if any(map(math.isnan, errors)) else max(errors)


def run(model: str, kernels: Sequence[str], states: int, rounds: int, output: str) -> int:
    """Measure, print, write.  Returns the exit code."""
    try:
        driver = Driver()
    except NoGpuError as error:
        print(f"benchmarks.gpu: nothing can be timed: {error}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        options = pipeline.Options(language="cuda", float32=True, kernels=tuple(kernels))
        generated = pipeline.generate(model, folder, options)
        (source,) = Path(folder).glob("*.cuh")
        try:
            compiled = compile_source(source.read_text(encoding="ascii"), driver.architecture)
        except NoNvrtcError as error:
            print(f"benchmarks.gpu: {error}", file=sys.stderr)
            return 1
    spec = specify(generated.model)
    module = driver.module(compiled.code)
    rate = rate_of_copies(driver, rounds)
    results = []
    for kernel in spec.kernels:
        for layout, name in (("columns", columns(spec, kernel)), ("rows", kernel.batch)):
            results.append(measured(driver, module, kernel, name, layout, states, rounds, rate))
    print(f"{driver.name}: {model}, {states} states; copies run at {number(rate / 1e9)} GB/s\n")
    heading = ["kernel", "precision", "layout", "min ns", "median ns", "memory ns", "share", "difference"]
    print(
        table(
            heading,
            [
                [
                    result.kernel,
                    result.precision,
                    result.layout,
                    f"{result.minimum:.4f}",
                    f"{result.median:.4f}",
                    f"{result.limit:.4f}",
                    f"{100 * result.share:.0f} %",
                    f"{result.error:.1e}",
                ]
                for result in results
            ],
        )
    )
    document = {
        "device": driver.name,
        "architecture": driver.architecture,
        "model": model,
        "states": states,
        "bytes_per_second": rate,
        "results": [asdict(result) for result in results],
    }
    print(f"\nwrote {write_json(output, document)}")
    wrong = [r for r in results if not r.error <= TOLERANCE[r.precision]]
    for result in wrong:
        print(
            f"benchmarks.gpu: {result.kernel} in {result.precision} is off by {result.error:.1e}",
            file=sys.stderr,
        )
    return 1 if wrong else 0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="time kernels on a GPU beside the limit of its memory")
    parser.add_argument("--model", default="stanford_arm", help="a built-in (default %(default)s)")
    parser.add_argument(
        "--kernels", nargs="+", default=["inverse_dynamics", "forward_dynamics", "mass_matrix"]
    )
    parser.add_argument("--states", type=int, default=1 << 20, help="at once (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=50, help="runs that are timed (default %(default)s)")
    parser.add_argument("--output", default="gpu.json", help="file in benchmarks/results")
    given = parser.parse_args()
    return run(given.model, given.kernels, given.states, given.rounds, given.output)


if __name__ == "__main__":
    sys.exit(main())
