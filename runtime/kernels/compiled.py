"""Compiled kernels: from Python arrays to C pointers and back, with as little as possible in between.

A call for one state goes through a *scratch*: buffers whose pointers are kept.  Assigning an array to a memoryview of a
buffer checks type, byte order and shape and copies, in one step that costs less than asking for a pointer; whatever
it refuses (lists, other types, batches, mistakes) takes the general path.  Scratches are handed out from a list, whose
``pop`` and ``append`` are atomic, so that threads and re-entrant calls never share one.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import Shape, checked_output, kernel_type
from kanegen.errors import KanegenError, ManifestError, TargetError
from kanegen.extension_source import (
    BASELINE,
    PRECISION_ENDINGS,
    TARGET_VARIABLE,
    X86_VARIANTS,
    apart_function,
    bound_function,
    columns_function,
    extension_digest,
    varied_function,
)
from kanegen.kernels.kernel import Arrays, BoundKernel, Call, Columns, Kernel, general_call, positional
from kanegen.manifest import KernelSpec, Manifest

_REFUSED = (TypeError, ValueError, BufferError, NotImplementedError)
_ALL = slice(None)
_POINTERS = {"double": "double[]", "single": "float[]"}

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
        self._prepared = self._prepare() if manifest.parameters else {}
        self._prepared_last: tuple[tuple[Any, ...], NDArray[np.float64]] | None = None

    def _parameters(self) -> Any:
        """The struct of the present parameters."""
        parameters = self._module.ffi.new(f"{self._manifest.prefix}_parameters *")
        for spec in self._manifest.parameters:
            setattr(parameters, spec.field, self.parameters[spec.name])
        return parameters

    def _prepare(self) -> dict[str, Any]:
        """The structs of prepared values for the present parameters, by the precision of the kernels that take them."""
        ffi, lib, prefix = self._module.ffi, self._module.lib, self._manifest.prefix
        parameters, found = self._parameters(), {}
        for precision in {spec.precision for spec in self._manifest.kernels.values()}:
            ending = PRECISION_ENDINGS[precision]
            found[precision] = ffi.new(f"{prefix}_prepared{ending} *")
            getattr(lib, f"{prefix}_prepare{ending}")(parameters, found[precision])
        return found

    def varied(self, spec: KernelSpec, values: Mapping[str, NDArray[Any]]) -> Call:
        """The call of a kernel where live parameters have values of their own for each state."""
        if not spec.batch_varied:
            raise KanegenError(
                f"the C of {self._manifest.name!r} is of an earlier version, which has one set of parameters for all states "
                "of a batch: generate it again"
            )
        ffi, function = self._module.ffi, getattr(self._module.lib, varied_function(spec.name))
        pointer, parameters = _POINTERS[spec.precision], self._parameters()
        names = [parameter.name for parameter in self._manifest.parameters]
        places = ffi.new("size_t[]", [names.index(name) for name in values])
        size = len(self._manifest.prepared)
        block = max(_TOGETHER, _BLOCK // size // _TOGETHER * _TOGETHER)

        def evaluate(inputs: Arrays, outputs: Arrays, batch: Shape) -> None:
            count = math.prod(batch)
            own = np.empty((len(values), *batch))
            for row, array in zip(own, values.values(), strict=True):
                row[...] = array
            room = aligned(size * min(block, count + _TOGETHER))
            arrays = [ffi.from_buffer(pointer, array) for array in (*inputs, *outputs)]
            given, memory = ffi.from_buffer("double[]", own), ffi.from_buffer(room)
            function(parameters, len(values), places, given, count, memory, block, count, *arrays)

        shape = np.broadcast_shapes(*(array.shape for array in values.values()))
        return positional(general_call(spec, self._manifest, evaluate, shape))

    def columns(self, spec: KernelSpec, values: Mapping[str, NDArray[Any]]) -> Columns:
        """A kernel over columns of many states, with these values of live parameters for each; none: the same for all."""
        ffi, lib, prefix = self._module.ffi, self._module.lib, self._manifest.prefix
        address = self.address(columns_function(spec.name, bool(values)))
        if not values:
            return Columns(address, self.prepared_address(spec.precision) or 0, 0, self._prepared)
        own = np.stack(np.broadcast_arrays(*values.values())).reshape(len(values), -1).copy()
        names, size = [p.name for p in self._manifest.parameters], len(self._manifest.prepared)
        key = own.tobytes()
        if self._prepared_last is None or self._prepared_last[0] != (*values, key):
            room = aligned(size * (own.shape[1] + _TOGETHER))
            prepare = getattr(lib, f"{prefix}_prepare_batch")
            places, count = [names.index(name) for name in values], own.shape[1]
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
        return CompiledBackend(self._manifest, self._module, values)

    def kernel(self, spec: KernelSpec) -> Kernel:
        """The kernel, ready to be called."""
        general = self._general_call(spec)
        vectors = all(len(argument.shape) == 1 for argument in spec.inputs)
        if vectors and len(spec.outputs) == 1 and len(spec.inputs) in _FAST_CALLS:
            run = getattr(self._module.lib, bound_function(spec.name))
            rows = self._rows(spec)
            call = _FAST_CALLS[len(spec.inputs)](spec, lambda: self._scratch(spec), run, general, rows)
        else:
            call = positional(general)
        return Kernel(spec, call, lambda: self._bind(spec))

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

    def _scratch(self, spec: KernelSpec) -> tuple[Any, ...]:
        """Views of the inputs, pointers to call with, the output, how to copy it out, and what must stay alive."""
        arrays, slots, pointers = self._buffers(spec)
        inputs: list[Any] = arrays[:-1]
        output = arrays[-1]
        extract = output.copy if output.ndim else functools.partial(output.__getitem__, ())
        return (*[memoryview(array) for array in inputs], slots, output, extract, pointers)

    def _bind(self, spec: KernelSpec) -> BoundKernel:
        arrays, slots, pointers = self._buffers(spec)
        views = {argument.name: array for argument, array in zip(spec.arguments, arrays, strict=True)}
        return BoundKernel(getattr(self._module.lib, bound_function(spec.name)), (slots,), views, pointers)

    def _rows(self, spec: KernelSpec) -> tuple[Call, Call, Call, Any]:
        """For arrays of rows that need no conversion: what finds the array for the results, runs the kernel, gives pointers.

        The first gives None for a result that has to be looked at, the second 0 where arrays overlap.
        """
        ffi, leading = self._module.ffi, self._leading(spec)
        run = getattr(self._module.lib, apart_function(spec.name))
        dtype, output, array, empty = kernel_type(spec), spec.outputs[0].shape, np.ndarray, np.empty

        def room(shape: Shape, out: Any) -> Any:
            if shape[-1:] != output:
                shape = shape[:-1] + output
            if out is None:
                return empty(shape, dtype)
            plain = type(out) is array and out.dtype is dtype and out.shape == shape and out.flags.carray
            return out if plain else None

        if leading:
            run = functools.partial(run, *leading)
        return room, run, ffi.from_buffer, ffi.typeof(_POINTERS[spec.precision])

    def _general_call(self, spec: KernelSpec) -> Call:
        """The call for any arrays and any batch."""
        from_buffer = self._module.ffi.from_buffer
        pointer = _POINTERS[spec.precision]
        scalar = getattr(self._module.lib, spec.function)
        batched = getattr(self._module.lib, spec.batch)
        leading = self._leading(spec)

        def evaluate(inputs: Arrays, outputs: Arrays, batch: Shape) -> None:
            pointers = [from_buffer(pointer, array) for array in (*inputs, *outputs)]
            if not batch:
                scalar(*leading, *pointers)
            elif count := math.prod(batch):
                batched(*leading, count, *pointers)

        return general_call(spec, self._manifest, evaluate)


def _fast_call_1(spec: KernelSpec, make: Callable[[], Any], run: Call, general: Call, rows: Any) -> Call:
    """The call of a kernel with one input vector and one output."""
    pool: list[Any] = []
    pop, push = pool.pop, pool.append
    deliver, array, dtype = _deliverer(spec), np.ndarray, kernel_type(spec)
    masked = np.ma.MaskedArray  # whose buffer says nothing of its mask
    room, many, pointed, pointer = rows
    size, _, _ = _fitting(spec)
    (width,) = size

    def call(x: Any, out: object) -> Any:
        if type(x) is array:
            if x.ndim > 1:
                if x.dtype is dtype and x.shape[-1:] == size:
                    found = room(x.shape, out)
                    if found is not None:
                        try:
                            if many(x.size // width, pointed(pointer, x), pointed(pointer, found)):
                                return found
                        except ValueError:  # one is not C-contiguous
                            pass
                return general((x,), out)
        elif type(x) is masked:
            return general((x,), out)
        try:
            scratch = pop()
        except IndexError:
            scratch = make()
        view, slots, result, extract, _ = scratch
        try:
            view[_ALL] = x
        except _REFUSED:
            push(scratch)
        else:
            run(slots)
            value = extract() if out is None else deliver(result, out)
            push(scratch)
            return value
        return general((x,), out)

    return call


def _fast_call_2(spec: KernelSpec, make: Callable[[], Any], run: Call, general: Call, rows: Any) -> Call:
    """The call of a kernel with two input vectors and one output."""
    pool: list[Any] = []
    pop, push = pool.pop, pool.append
    deliver, array, dtype = _deliverer(spec), np.ndarray, kernel_type(spec)
    masked = np.ma.MaskedArray  # whose buffer says nothing of its mask
    room, many, pointed, pointer = rows
    size, alike, fits = _fitting(spec)
    (width,) = size

    def call(x: Any, y: Any, out: object) -> Any:
        if type(x) is array:
            if x.ndim > 1:
                if (
                    type(y) is array
                    and x.dtype is y.dtype is dtype
                    and x.shape[-1:] == size
                    and (x.shape == y.shape if alike else fits(x, y))
                ):
                    found = room(x.shape, out)
                    if found is not None:
                        try:
                            if many(
                                x.size // width,
                                pointed(pointer, x),
                                pointed(pointer, y),
                                pointed(pointer, found),
                            ):
                                return found
                        except ValueError:  # one is not C-contiguous
                            pass
                return general((x, y), out)
        elif type(x) is masked:
            return general((x, y), out)
        if type(y) is masked:
            return general((x, y), out)
        try:
            scratch = pop()
        except IndexError:
            scratch = make()
        view_x, view_y, slots, result, extract, _ = scratch
        try:
            view_x[_ALL] = x
            view_y[_ALL] = y
        except _REFUSED:
            push(scratch)
        else:
            run(slots)
            value = extract() if out is None else deliver(result, out)
            push(scratch)
            return value
        return general((x, y), out)

    return call


def _fast_call_3(spec: KernelSpec, make: Callable[[], Any], run: Call, general: Call, rows: Any) -> Call:
    """The call of a kernel with three input vectors and one output."""
    pool: list[Any] = []
    pop, push = pool.pop, pool.append
    deliver, array, dtype = _deliverer(spec), np.ndarray, kernel_type(spec)
    masked = np.ma.MaskedArray  # whose buffer says nothing of its mask
    room, many, pointed, pointer = rows
    size, alike, fits = _fitting(spec)
    (width,) = size

    def call(x: Any, y: Any, z: Any, out: object) -> Any:
        if type(x) is array:
            if x.ndim > 1:
                if (
                    type(y) is array
                    and type(z) is array
                    and x.dtype is y.dtype is z.dtype is dtype
                    and x.shape[-1:] == size
                    and (x.shape == y.shape == z.shape if alike else fits(x, y, z))
                ):
                    found = room(x.shape, out)
                    if found is not None:
                        try:
                            if many(
                                x.size // width,
                                pointed(pointer, x),
                                pointed(pointer, y),
                                pointed(pointer, z),
                                pointed(pointer, found),
                            ):
                                return found
                        except ValueError:  # one is not C-contiguous
                            pass
                return general((x, y, z), out)
        elif type(x) is masked:
            return general((x, y, z), out)
        if type(y) is masked or type(z) is masked:
            return general((x, y, z), out)
        try:
            scratch = pop()
        except IndexError:
            scratch = make()
        view_x, view_y, view_z, slots, result, extract, _ = scratch
        try:
            view_x[_ALL] = x
            view_y[_ALL] = y
            view_z[_ALL] = z
        except _REFUSED:
            push(scratch)
        else:
            run(slots)
            value = extract() if out is None else deliver(result, out)
            push(scratch)
            return value
        return general((x, y, z), out)

    return call


def _fitting(spec: KernelSpec) -> tuple[Shape, bool, Callable[..., bool]]:
    """The shape of the first input's rows, whether all inputs have the same, and else whether arrays (*batch, size) fit."""
    sizes = [argument.shape for argument in spec.inputs]

    def fits(*arrays: NDArray[Any]) -> bool:
        batch = arrays[0].shape[:-1]
        return all(array.shape == batch + size for array, size in zip(arrays, sizes, strict=True))

    return sizes[0], len(set(sizes)) == 1, fits


_FAST_CALLS = {1: _fast_call_1, 2: _fast_call_2, 3: _fast_call_3}


def _deliverer(spec: KernelSpec) -> Call:
    """How the result of one state gets into the array that a user passes as ``out``."""
    (argument,) = spec.outputs
    dtype, shape = kernel_type(spec), argument.shape

    def deliver(result: NDArray[Any], out: Any) -> Any:
        if not (type(out) is np.ndarray and out.dtype is dtype and out.shape == shape and out.flags.carray):
            checked_output(spec, argument, out, ())
        out[...] = result
        return out

    return deliver


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
