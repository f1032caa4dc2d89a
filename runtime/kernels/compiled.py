"""Compiled kernels: from Python arrays to C pointers and back, with as little as possible in between.

Arrays that fit as they are go through the extension ``kanegen._calls``; lists, other types, broadcasting and mistakes,
and everything where that extension was not built, take the general path.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import Shape, apart_from, kernel_type, native
from kanegen.csrc import extensions
from kanegen.errors import KanegenError, ManifestError, TargetError
from kanegen.extension_source import (
    BASELINE,
    PRECISION_ENDINGS,
    TARGET_VARIABLE,
    X86_VARIANTS,
    bound_function,
    columns_function,
    extension_digest,
    some_function,
    varied_function,
)
from kanegen.kernels.kernel import Arrays, BoundKernel, Call, Columns, Kernel, general_call
from kanegen.kernels.live_parameters import StateValues
from kanegen.kernels.threads import RANGE, pool, thread_count
from kanegen.manifest import KernelSpec, Manifest, OperationCounts

MOST_ARRAYS = 16
"""What ``kanegen._calls`` takes in one call."""

_TOGETHER, _BLOCK = 16, 1 << 14
"""As many states as the widest vectors have numbers; numbers of prepared values, 128 kB, that are kept at a time."""


def aligned(size: int) -> NDArray[np.float64]:
    """Room for so many numbers, aligned as vectors are."""
    room = np.empty(size + 8)
    return room[-room.ctypes.data % 64 // 8 :][:size]


class CompiledBackend:
    """An extension module made from ``extension_source``, and values for its live parameters.

    Raises ManifestError when the module was compiled from other files than the manifest describes, or by another version of
    what stands around them; TargetError when it has nothing that this processor can run.
    """

    def __init__(
        self, manifest: Manifest, module: Any, parameters: Mapping[str, float] | None = None
    ) -> None:
        self._manifest = manifest
        self._module = module
        if _digests(module) != (manifest.digest, extension_digest()):
            raise ManifestError(
                f"the compiled kernels of {manifest.name!r} belong to another version of the generated files. "
                "Install the package again (in a working tree: make build)"
            )
        if not self.target:
            raise TargetError(
                f"the compiled kernels of {manifest.name!r} are for other processors than this one"
            )
        values = {spec.name: spec.value for spec in manifest.parameters}
        self.parameters: Mapping[str, float] = values | dict(parameters or {})
        """Values of the live parameters."""
        self._names = [spec.name for spec in manifest.parameters]
        precisions = {spec.precision for spec in manifest.kernels.values()} if self._names else ()
        self._prepares = {precision: self._prepare_function(precision) for precision in precisions}
        self._described: dict[
            str, object
        ] = {}  # kernels by name as calls know them, of all robots of this module
        self._prepare()

    def _prepare_function(self, precision: str) -> tuple[Any, Any]:
        """The type of pointers to prepared values of a precision, and what fills them."""
        prefix, ending = self._manifest.prefix, PRECISION_ENDINGS[precision]
        kind = self._module.ffi.typeof(f"{prefix}_prepared{ending} *")
        return kind, getattr(self._module.lib, f"{prefix}_prepare{ending}")

    def _parameters(self) -> Any:
        """The struct of the present parameters."""
        values = [self.parameters[name] for name in self._names]
        return self._module.ffi.new(f"{self._manifest.prefix}_parameters *", values)

    def _prepare(self) -> None:
        """Prepare values for the present parameters, in a struct for each precision of kernels that take them."""
        self._prepared: dict[str, Any] = {}
        self._prepared_last: tuple[tuple[Any, ...], NDArray[np.float64]] | None = None
        if not self._prepares:
            return
        parameters = self._parameters()
        for precision, (kind, prepare) in self._prepares.items():
            self._prepared[precision] = self._module.ffi.new(kind)
            prepare(parameters, self._prepared[precision])

    def varied(self, spec: KernelSpec, values: StateValues) -> Call:
        """The call of a kernel where live parameters have values of their own for each state."""
        if not spec.batch_varied:
            raise KanegenError(
                f"the C of {self._manifest.name!r} is of an earlier version, which has one set of parameters for all states "
                "of a batch: generate it again"
            )
        ffi, parameters = self._module.ffi, self._parameters()
        places = ffi.new("size_t[]", [self._names.index(name) for name in values])
        size = len(self._manifest.prepared)
        block = max(_TOGETHER, _BLOCK // size // _TOGETHER * _TOGETHER)
        run = self._over_rows(varied_function(spec.name), max(block, states_for_a_thread(spec)))

        def evaluate(inputs: Arrays, outputs: Arrays, batch: Shape, threads: int) -> None:
            count = math.prod(batch)
            own = [native(x if x.shape == batch else np.broadcast_to(x, batch)) for x in values.values()]
            kept = [ffi.from_buffer("double[]", apart_from(x, outputs)) for x in own]
            addresses = ffi.new("double *[]", kept)
            varied = ffi.new("struct kanegen_varied *")
            varied.parameters, varied.varied, varied.places = parameters, len(values), places
            varied.values, varied.block = addresses, block
            varied.bytes = 8 * size * min(block, count + _TOGETHER)
            run((varied,), (*inputs, *outputs), count, threads)
            if varied.failed:
                raise MemoryError(f"{spec.name}: no memory for prepared values")

        return general_call(spec, self._manifest, evaluate, values.shape)

    def columns(self, spec: KernelSpec, values: StateValues | None) -> Columns:
        """A kernel over columns of many states, with these values of live parameters for each; none: the same for all."""
        ffi, lib, prefix = self._module.ffi, self._module.lib, self._manifest.prefix
        address = self.address(columns_function(spec.name, values is not None))
        if values is None:
            return Columns(address, self.prepared_address(spec.precision) or 0, 0, self._prepared)
        own = np.stack(np.broadcast_arrays(*values.values())).reshape(len(values), -1).copy()
        size = len(self._manifest.prepared)
        key = own.tobytes()
        if self._prepared_last is None or self._prepared_last[0] != (*values, key):
            room = aligned(size * (own.shape[1] + _TOGETHER))
            prepare = getattr(lib, f"{prefix}_prepare_batch")
            places, count = [self._names.index(name) for name in values], own.shape[1]
            given, found = ffi.from_buffer("double[]", own), ffi.from_buffer("double[]", room)
            prepare(self._parameters(), len(values), places, given, count, count, found)
            self._prepared_last = (*values, key), room
        room = self._prepared_last[1]
        return Columns(address, room.ctypes.data, size * room.itemsize, room)

    @property
    def target(self) -> str | None:
        """The instruction set in use."""
        name: str = self._module.ffi.string(self._module.lib.kanegen_target()).decode("ascii")
        return name

    @property
    def directory(self) -> Path:
        """The folder of the extension, where the generated files are, too."""
        return Path(self._module.__file__).parent

    def address(self, function: str) -> int:
        """Address of a C function; it jumps to the instruction set in use."""
        ffi = self._module.ffi
        return int(ffi.cast("uintptr_t", ffi.addressof(self._module.lib, function)))

    def prepared_address(self, precision: str = "double") -> int | None:
        """Address of the struct that C functions of a precision take first; None without live parameters."""
        prepared = self._prepared.get(precision)
        return None if prepared is None else int(self._module.ffi.cast("uintptr_t", prepared))

    def with_parameters(self, values: Mapping[str, float]) -> CompiledBackend:
        """The same kernels with these values of all live parameters."""
        backend = object.__new__(CompiledBackend)
        backend._manifest, backend._module = self._manifest, self._module
        backend._names, backend._prepares, backend._described = self._names, self._prepares, self._described
        backend.parameters = {**self.parameters, **values}
        backend._prepare()
        return backend

    def kernel(self, spec: KernelSpec) -> Kernel:
        """The kernel, ready to be called."""
        calls = extensions.calls()
        if calls is None or len(spec.arguments) > MOST_ARRAYS:
            return Kernel(spec, self.general_call(spec), self)
        return Kernel(spec, calls.kernel_call(self, spec), self)

    def describe(self, spec: KernelSpec) -> tuple[object, int]:
        """A kernel as ``kanegen._calls`` knows it, the same for all parameters; the address of what these prepare, or 0."""
        if spec.name not in self._described:
            dtype, calls = kernel_type(spec), extensions.calls()
            assert calls is not None, "asked by it"
            self._described[spec.name] = calls.kernel(
                self.address(bound_function(spec.name)),
                self.address(some_function(spec.name)),
                states_for_a_thread(spec),
                _brief(spec),
                dtype.itemsize,
                tuple(np.empty(argument.shape, dtype) for argument in spec.inputs),
                tuple(np.empty(argument.shape, dtype) for argument in spec.outputs),
                np.ndarray,
                np.empty,
                dtype.type,
                thread_count,
                1,
            )
        return self._described[spec.name], self.prepared_address(spec.precision) or 0

    def _leading(self, spec: KernelSpec) -> tuple[Any, ...]:
        """What every function of this precision takes first: the struct of prepared values, if there are live parameters."""
        return (self._prepared[spec.precision],) if self._prepared else ()

    def _buffers(self, spec: KernelSpec) -> tuple[list[NDArray[Any]], Any, list[Any]]:
        """New arrays for all arguments of a kernel, the C array of pointers to them, and what keeps those alive."""
        arrays = [np.zeros(argument.shape, dtype=kernel_type(spec)) for argument in spec.arguments]
        pointers = [
            *self._leading(spec),
            *(self._module.ffi.from_buffer(array) for array in arrays),
        ]
        return arrays, self._module.ffi.new("void *[]", pointers), pointers

    def bind(self, spec: KernelSpec) -> BoundKernel:
        """The kernel with arrays of its own."""
        arrays, slots, pointers = self._buffers(spec)
        views = {argument.name: array for argument, array in zip(spec.arguments, arrays, strict=True)}
        calls = extensions.calls()
        if calls is None:
            return BoundKernel(
                getattr(self._module.lib, bound_function(spec.name)), (slots,), views, pointers
            )
        place = int(self._module.ffi.cast("uintptr_t", slots))
        one = self.address(bound_function(spec.name))
        step = calls.bound_call(one, place, _brief(spec) < 1, (slots, pointers))
        return BoundKernel(step, (), views)

    def general_call(self, spec: KernelSpec) -> Call:
        """The call for any arrays and any batch."""
        ffi, leading = self._module.ffi, self._leading(spec)
        one = getattr(self._module.lib, bound_function(spec.name))
        some = self._over_rows(some_function(spec.name), states_for_a_thread(spec))

        def evaluate(inputs: Arrays, outputs: Arrays, batch: Shape, threads: int) -> None:
            if batch:
                some(leading, (*inputs, *outputs), math.prod(batch), threads)
            else:
                kept = [*leading, *map(ffi.from_buffer, (*inputs, *outputs))]
                one(ffi.new("void *[]", kept))

        return general_call(spec, self._manifest, evaluate)

    def _over_rows(self, function: str, grain: int) -> Callable[[Any, Any, int, int], None]:
        """A function of C for some rows, called with what comes before arrays, arrays, the number of rows, and threads."""
        ffi, address, serial = self._module.ffi, self.address(function), getattr(self._module.lib, function)

        def run(leading: Any, arrays: Any, count: int, threads: int) -> None:
            kept = [*leading, *map(ffi.from_buffer, arrays)]
            pointers = ffi.new("void *[]", kept)
            module = pool() if threads > 1 else None
            if module is None:
                if count:
                    serial(pointers, 0, count)
                return
            task = module.ffi.cast("kanegen_task *", address)
            context = module.ffi.cast("void *", int(ffi.cast("uintptr_t", pointers)))
            module.lib.kanegen_parallel_for(threads, count, grain, task, context)

        return run


def states_for_a_thread(spec: KernelSpec) -> int:
    """States that are worth a thread's while; whole cache lines of every array."""
    return max(64, RANGE // _operations(spec.operation_counts) // 64 * 64)


def _brief(spec: KernelSpec) -> int:
    """The most states for which the interpreter lock is kept: some microseconds."""
    return RANGE // 8 // _operations(spec.operation_counts)


@functools.cache
def _operations(counts: OperationCounts) -> int:
    total: int = 1 + sum(asdict(counts).values())
    return total


def _digests(module: Any) -> tuple[str | None, ...]:
    """The digests of what an extension was compiled from, and of what stands around that; None for one that is missing."""
    found = (getattr(module.lib, f"kanegen_{of}_digest", None) for of in ("manifest", "extension"))
    return tuple(None if digest is None else module.ffi.string(digest()).decode("ascii") for digest in found)


def supported_targets(module: Any) -> tuple[str, ...]:
    """Instruction sets that this processor and this build can use, worst first; the one in use stays in use."""
    lib = module.lib
    present = module.ffi.string(lib.kanegen_target())
    names = [variant.name for variant in (BASELINE, *reversed(X86_VARIANTS))]
    found = tuple(name for name in names if lib.kanegen_select_target(name.encode("ascii")))
    lib.kanegen_select_target(present)
    return found


def use_target(module: Any) -> None:
    """Use the instruction set that the environment asks for, if it does.  Raises TargetError where it cannot be used."""
    wanted = os.environ.get(TARGET_VARIABLE)
    if wanted and not module.lib.kanegen_select_target(wanted.encode()):
        usable = ", ".join(supported_targets(module))
        raise TargetError(
            f"{TARGET_VARIABLE}={wanted}: this processor or build lacks it. Usable here: {usable}"
        )
