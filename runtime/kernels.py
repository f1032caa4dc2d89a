"""Compiled kernels: from Python arrays to C pointers and back, with as little as possible in between.

A call for one state goes through a *scratch*: buffers whose pointers are kept.  Assigning an array to a memoryview of a
buffer checks type, byte order and shape and copies, in one step that costs less than asking for a pointer; whatever
it refuses (lists, other types, batches, mistakes) takes the general path.  Scratches are handed out from a list, whose
``pop`` and ``append`` are atomic, so that threads and re-entrant calls never share one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.arrays import (
    apart_from,
    checked_output,
    inputs_and_batch,
    kernel_type,
    outputs_for,
    results,
    rows,
)
from kanegen.bound import BoundKernel
from kanegen.extension_source import bound_function
from kanegen.manifest import KernelSpec

Call = Callable[..., Any]

_REFUSED = (TypeError, ValueError, BufferError, NotImplementedError)
_ALL = slice(None)


class Kernel(NamedTuple):
    """A kernel of a robot.

    ``call(*inputs, out)`` takes the inputs and ``out`` or None by position; ``bind()`` makes a bound kernel.
    """

    spec: KernelSpec
    call: Call
    bind: Callable[[], BoundKernel]


class CompiledKernels:
    """The functions of one extension module.

    ``prepared`` has, by precision, the C struct of prepared values that every function of that precision takes first; it is
    empty without live parameters.
    """

    def __init__(self, ffi: Any, lib: Any, prepared: Mapping[str, Any]) -> None:
        self._ffi = ffi
        self._lib = lib
        self._leading = {precision: (struct,) for precision, struct in prepared.items()}

    def kernel(self, spec: KernelSpec) -> Kernel:
        """The kernel, ready to be called."""
        general = self._general_call(spec)
        vectors = all(len(argument.shape) == 1 for argument in spec.inputs)
        if vectors and len(spec.outputs) == 1 and len(spec.inputs) in _FAST_CALLS:
            run = getattr(self._lib, bound_function(spec.name))
            call = _FAST_CALLS[len(spec.inputs)](spec, lambda: self._scratch(spec), run, general)
        else:
            call = positional(general)
        return Kernel(spec, call, lambda: self._bind(spec))

    def _buffers(self, spec: KernelSpec) -> tuple[list[NDArray[Any]], Any, list[Any]]:
        """New arrays for all arguments of a kernel, the C array of pointers to them, and what keeps those alive."""
        arrays = [np.zeros(argument.shape, dtype=kernel_type(spec)) for argument in spec.arguments]
        pointers = [
            *self._leading.get(spec.precision, ()),
            *(self._ffi.from_buffer(array) for array in arrays),
        ]
        return arrays, self._ffi.new("void *[]", pointers), pointers

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
        return BoundKernel(getattr(self._lib, bound_function(spec.name)), (slots,), views, pointers)

    def _general_call(self, spec: KernelSpec) -> Callable[[tuple[ArrayLike, ...], object], Any]:
        """The call for any arrays and any batch."""
        from_buffer = self._ffi.from_buffer
        pointer = {"double": "double[]", "single": "float[]"}[spec.precision]
        scalar = getattr(self._lib, spec.function)
        batched = getattr(self._lib, spec.batch)
        leading = self._leading.get(spec.precision, ())

        def general(values: tuple[ArrayLike, ...], out: object) -> Any:
            inputs, batch = inputs_and_batch(spec, values)
            outputs = outputs_for(spec, out, batch)
            if out is not None:
                inputs = [apart_from(array, outputs) for array in inputs]
            count = rows(batch)
            if count:
                pointers = [from_buffer(pointer, array) for array in (*inputs, *outputs)]
                if batch:
                    batched(*leading, count, *pointers)
                else:
                    scalar(*leading, *pointers)
            return results(outputs, out)

        return general


def _fast_call_1(spec: KernelSpec, make: Callable[[], Any], run: Call, general: Call) -> Call:
    """The call of a kernel with one input vector and one output."""
    pool: list[Any] = []
    pop, push = pool.pop, pool.append
    deliver, masked = _deliverer(spec), np.ma.MaskedArray  # whose buffer says nothing of its mask

    def call(x: ArrayLike, out: object) -> Any:
        if type(x) is masked:
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


def _fast_call_2(spec: KernelSpec, make: Callable[[], Any], run: Call, general: Call) -> Call:
    """The call of a kernel with two input vectors and one output."""
    pool: list[Any] = []
    pop, push = pool.pop, pool.append
    deliver, masked = _deliverer(spec), np.ma.MaskedArray  # whose buffer says nothing of its mask

    def call(x: ArrayLike, y: ArrayLike, out: object) -> Any:
        if type(x) is masked or type(y) is masked:
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


def _fast_call_3(spec: KernelSpec, make: Callable[[], Any], run: Call, general: Call) -> Call:
    """The call of a kernel with three input vectors and one output."""
    pool: list[Any] = []
    pop, push = pool.pop, pool.append
    deliver, masked = _deliverer(spec), np.ma.MaskedArray  # whose buffer says nothing of its mask

    def call(x: ArrayLike, y: ArrayLike, z: ArrayLike, out: object) -> Any:
        if type(x) is masked or type(y) is masked or type(z) is masked:
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


def positional(general: Call) -> Call:
    """A call that takes the inputs and ``out`` by position, from one that takes all inputs as a tuple."""

    def call(*values_and_out: Any) -> Any:
        *values, out = values_and_out
        return general(tuple(values), out)

    return call
