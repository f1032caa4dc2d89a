"""Arrays at the door: what users pass becomes native, C-contiguous arrays of known shape, or a clear error.

Every argument of a kernel has the shape ``(..., *shape)``.  Leading dimensions are those of a batch and broadcast
against each other.  Any real type, byte order and strides are accepted; what is not a real number is not, truth values
included.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.errors import counted, shown
from kanegen.manifest import Argument, KernelSpec

FloatArray = NDArray[np.float64]
"""What kernels return: double precision, or single for kernels whose name ends in ``_f32``."""

Values: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
"""What coordinates, speeds, accelerations and forces are given as: an array, or some of them by name."""

Shape = tuple[int, ...]

REAL_KINDS = "iuf"
"""Kinds of NumPy's types that are real numbers."""
_FEW = 8192
"""Numbers for which BLAS takes no threads: those wait for one another."""

_TYPES: dict[str, np.dtype[Any]] = {"double": np.dtype(np.float64), "single": np.dtype(np.float32)}


def kernel_type(spec: KernelSpec) -> np.dtype[Any]:
    """The element type of a kernel's arrays."""
    return _TYPES[spec.precision]


def check_count(spec: KernelSpec, values: Sequence[object]) -> None:
    """Raise TypeError for a wrong number of inputs."""
    if len(values) != len(spec.inputs):
        names = ", ".join(argument.name for argument in spec.inputs)
        raise TypeError(
            f"{spec.name}: expected {counted(len(spec.inputs), 'argument')} ({names}), got {len(values)}"
        )


def inputs_and_batch(
    spec: KernelSpec, values: Sequence[ArrayLike], own: Shape = ()
) -> tuple[list[NDArray[Any]], Shape]:
    """The inputs of a kernel as C-contiguous arrays of shape ``(*batch, *shape)``, and the batch they share.

    ``own``: the shape of parameters that take part in it.  Raises TypeError for anything but real numbers and for a wrong
    number of arguments, ValueError for wrong shapes.
    """
    check_count(spec, values)
    dtype = kernel_type(spec)
    arrays = [
        real_array(spec.name, argument, value) for argument, value in zip(spec.inputs, values, strict=True)
    ]
    batches = [array.shape[: array.ndim - len(a.shape)] for array, a in zip(arrays, spec.inputs, strict=True)]
    batch = own or batches[0]
    if any(other != batch for other in batches):
        try:
            batch = np.broadcast_shapes(own, *batches)
        except ValueError:
            shapes = [(a.name, array.shape) for a, array in zip(spec.inputs, arrays, strict=True)]
            found = ", ".join(
                f"{name} {shape}" for name, shape in [*shapes, *[("parameters", own)] * bool(own)]
            )
            raise ValueError(f"{spec.name}: leading dimensions must broadcast, got {found}") from None
        arrays = [
            np.broadcast_to(array, batch + argument.shape)
            for array, argument in zip(arrays, spec.inputs, strict=True)
        ]
    return [native(array, dtype) for array in arrays], batch


def native(array: NDArray[Any], dtype: Any = np.float64) -> NDArray[Any]:
    """The array as C reads it, contiguous and aligned: itself, or a copy."""
    found = np.ascontiguousarray(array, dtype=dtype)
    return found if found.flags.aligned else found.copy()


def real_array(caller: str, argument: Argument, value: ArrayLike) -> NDArray[Any]:
    """The value as an array of real numbers of shape ``(..., *argument.shape)``.  Raises TypeError, ValueError."""
    where = f"{caller}, {argument.name}"
    array = value if type(value) is np.ndarray else _converted(where, argument, value)
    if array.dtype.kind not in REAL_KINDS:
        raise TypeError(f"{where}: expected real numbers, got elements of type {array.dtype}")
    shape = argument.shape
    if array.shape[max(0, array.ndim - len(shape)) :] != shape:
        message = f"{where}: expected {_expected(argument)}, got {array.shape}"
        if len(shape) == 1 and array.shape == (shape[0], 1):
            message += "; for one state pass a one-dimensional array, such as x.ravel()"
        elif len(shape) == 1 and array.ndim == 2 and array.shape[0] == shape[0]:
            message += "; states are rows here, so pass the transpose x.T"
        raise ValueError(message)
    return array


def _converted(where: str, argument: Argument, value: ArrayLike) -> NDArray[Any]:
    """The value as an array.  Raises ValueError."""
    refuse_masked(where, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(
            f"{where}: expected {_expected(argument)}, got lists of unequal lengths ({error})"
        ) from None


def sum_of_squares(array: NDArray[Any]) -> float:
    """The fastest look at all numbers at once: where it is finite, all of them are.  Unlike ``dot`` it never warns."""
    if array.size <= _FEW:
        return float(np.vdot(array, array))
    flat = array.ravel()
    return sum(float(np.vdot(x, x)) for x in (flat[i : i + _FEW] for i in range(0, flat.size, _FEW)))


def all_finite(array: NDArray[Any]) -> bool:
    """Whether all numbers are finite."""
    return math.isfinite(sum_of_squares(array)) or bool(np.isfinite(array).all())


def common_shape(arrays: Iterable[NDArray[Any]]) -> Shape:
    """The shape to which arrays broadcast.  Raises ValueError."""
    shapes = {array.shape for array in arrays}
    return shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)


def refuse_masked(where: str, value: object) -> None:
    """Raise ValueError for an array with masked entries, whose values stand for nothing."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(
            f"{where}: {int(np.ma.count_masked(value))} of its {value.size} entries are masked; expected numbers. "  # type: ignore[no-untyped-call]
            "Replace them, as x.filled(0.0) does, or leave the rows out"
        )


def single_state(caller: str, name: str, value: ArrayLike, length: int) -> FloatArray:
    """The value as a new array (length,) of finite doubles.  Raises TypeError, ValueError."""
    array = real_array(caller, Argument(name, (length,), "", ""), value)
    if array.shape != (length,):
        raise ValueError(f"{caller}, {name}: expected ({length},), one state at a time, got {array.shape}")
    state: FloatArray = np.array(array, dtype=np.float64)
    if not np.isfinite(state).all():
        raise ValueError(f"{caller}, {name}: expected finite numbers, got {state.tolist()}")
    return state


def _expected(argument: Argument) -> str:
    return f"({', '.join(['...', *map(str, argument.shape)])})"


def checked_output(spec: KernelSpec, argument: Argument, out: object, batch: Shape) -> NDArray[Any]:
    """The array that a user passed as ``out=``, if results can be written into it.  Raises TypeError, ValueError."""
    dtype, shape = kernel_type(spec), batch + argument.shape
    where = f"{spec.name}, out"
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError(f"{where}: expected a plain NumPy array, got a masked one; pass its .data")
    if isinstance(out, np.ndarray) and out.dtype == dtype and out.shape == shape and out.flags.carray:
        return out
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{where}: expected a NumPy array, got {type(out).__name__}")
    if out.dtype != dtype:
        raise TypeError(
            f"{where}: expected elements of type {dtype} in native byte order, got {out.dtype.str}"
        )
    if out.shape != shape:
        raise ValueError(f"{where}: expected {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise ValueError(f"{where}: expected a writable array, got a read-only one")
    if not out.flags.c_contiguous:
        raise ValueError(f"{where}: expected a C-contiguous array, got strides {out.strides}")
    raise ValueError(
        f"{where}: expected an aligned array, got one that begins at the address {out.ctypes.data}, which is no multiple of "
        f"{dtype.alignment}. Write into one of numpy.empty, and copy from that"
    )


def outputs_for(spec: KernelSpec, out: object, batch: Shape) -> list[NDArray[Any]]:
    """One array for each output of a kernel: the user's, checked, or new ones.

    A kernel with several outputs takes a tuple of arrays as ``out=``, of which no two may share memory.
    """
    if out is None:
        return [np.empty(batch + argument.shape, dtype=kernel_type(spec)) for argument in spec.outputs]
    given = (out,) if len(spec.outputs) == 1 else out
    if not isinstance(given, tuple) or len(given) != len(spec.outputs):
        raise TypeError(f"{spec.name}, out: expected a tuple of {counted(len(spec.outputs), 'array')}")
    arrays = [checked_output(spec, a, o, batch) for a, o in zip(spec.outputs, given, strict=True)]
    for (i, first), (k, second) in itertools.combinations(enumerate(arrays), 2):
        if np.may_share_memory(first, second):  # which is exact for contiguous arrays
            names = f"{spec.outputs[i].name} and {spec.outputs[k].name}"
            raise ValueError(f"{spec.name}, out: the arrays for {names} share memory; expected one for each")
    return arrays


def apart_from(array: NDArray[Any], outputs: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The array, or a copy if writing the outputs could change it while rows of it are still to be read."""
    for output in outputs:
        if np.may_share_memory(array, output):
            return array.copy()
    return array


def results(outputs: Sequence[NDArray[Any]], out: object) -> Any:
    """What a call returns: the output, as NumPy scalar where it is one, or a tuple when there are several."""
    found = tuple(output[()] if out is None and not output.ndim else output for output in outputs)
    return found[0] if len(found) == 1 else found


def finite_number(name: str, value: Any) -> float:
    """An argument that is one finite number, as a float; truth values are none.  Raises ValueError."""
    try:
        number = float(value) if _may_be_number(value) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {shown(value)}")
    return number


def positive_number(name: str, value: Any) -> float:
    """The number, or a ``ValueError``."""
    number = finite_number(name, value)
    if number <= 0.0:
        raise ValueError(f"{name} must be positive, got {shown(value)}")
    return number


def _may_be_number(value: Any) -> bool:
    if isinstance(value, bool | str | bytes | complex):
        return False
    if isinstance(value, np.ndarray | np.generic):
        number = value.ndim == 0 and value.dtype.kind in "iufO"
        return number and not isinstance(value, np.ma.MaskedArray)
    return True


def passed(values: FloatArray, lower: float | None, upper: float | None) -> Any:
    """Where values (k,) are beyond their limits."""
    below = np.zeros(values.shape, dtype=bool) if lower is None else values < lower
    return below if upper is None else below | (values > upper)
