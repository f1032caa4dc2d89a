"""Wrenches that others exert on frames during a simulation: constant, tables over time, or functions of time and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import shown
from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.controllers import (
    CController,
    CLaw,
    PythonController,
    c_function,
    called_in_c,
    controller_result,
    is_cdata,
)
from kanegen.simulation.events import function_of
from kanegen.simulation.references import Signal, checked_signals, constant_signal, values_at
from kanegen.simulation.request import checked_vector, obtain, real_numbers

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
"""Force [N], then moment about the frame's origin [N m], along the axes of the base."""

Source = tuple[Signal, ...] | PythonController | CController | CLaw


@dataclass(frozen=True, eq=False)
class Wrench:
    """A wrench on a frame: the kernel of its Jacobian, and where the six components come from."""

    frame: str
    jacobian: str
    source: Source

    def function(self, arm: SimulatedArm) -> Callable[[float, FloatArray, FloatArray], FloatArray]:
        """The wrench (6,) at a time and state, in Python."""
        source = self.source
        if isinstance(source, tuple):
            return lambda t, q, v: values_at(source, t)[:, 0]
        if isinstance(source, PythonController):
            return lambda t, q, v: _checked(self.frame, controller_result(source.function, t, q, v))
        return called_in_c(source, len(COMPONENTS))


def checked_wrenches(arm: SimulatedArm, given: Mapping[str, Any] | None) -> tuple[Wrench, ...]:
    """The wrenches by the names of frames.  Raises ValueError, MissingKernelError for what is no frame."""
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"wrenches: expected {{frame: wrench}}, got {shown(given)}")
    return tuple(_wrench(arm, frame, value) for frame, value in (given or {}).items())


def _wrench(arm: SimulatedArm, frame: str, value: Any) -> Wrench:
    kernel = arm.frame_kernel("frame_jacobian", frame)
    obtain(arm, kernel, "a wrench")
    where = f"wrenches, {frame!r}"
    source: Source
    if is_cdata(value):
        source = c_function(value, None, where)
    elif callable(value):
        source = PythonController(value)
    elif isinstance(value, tuple) and len(value) in (2, 3):
        source = _table(where, *value)
    elif (
        isinstance(value, list | tuple) and len(value) == len(COMPONENTS) and any(map(_is_expression, value))
    ):
        parts = [
            function_of(arm, part, f"{where}, {name}") for part, name in zip(value, COMPONENTS, strict=True)
        ]
        source = PythonController(lambda t, q, v: [part(t, q, v) for part in parts])
    else:
        try:
            source = tuple(map(constant_signal, COMPONENTS, _checked(frame, value)))
        except ValueError:
            raise ValueError(
                f"{where}: expected six numbers or expressions (force, then moment), a table (times, values) with six "
                f"columns, or a function (t, q, v) that returns six numbers, got {shown(value)}"
            ) from None
    return Wrench(frame, kernel, source)


def _is_expression(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "free_symbols")


def _table(where: str, times: Any, values: Any, *kind: Any) -> tuple[Signal, ...]:
    rows = real_numbers(values)
    if rows.ndim != 2 or rows.shape[1] != len(COMPONENTS):
        raise ValueError(f"{where}: expected a table with six columns of values, got {rows.shape}")
    columns = {name: (times, column, *kind) for name, column in zip(COMPONENTS, rows.T, strict=True)}
    return checked_signals(None, columns, where)


def _checked(frame: str, found: Any) -> FloatArray:
    try:
        wrench = checked_vector(found, len(COMPONENTS))
    except (TypeError, ValueError) as error:
        raise ValueError(f"wrenches, {frame!r}: {error}") from None
    return wrench


def kinks_of(wrenches: tuple[Wrench, ...]) -> FloatArray:
    """The times at which tables turn abruptly."""
    tables = [wrench.source for wrench in wrenches if isinstance(wrench.source, tuple)]
    return np.concatenate([np.zeros(0), *(signal.kinks for table in tables for signal in table)])
