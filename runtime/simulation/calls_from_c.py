"""What the C integrators call in Python while they run: a controller, kernels that are interpreted, a look for signals.

C cannot pass an exception on.  Every one, KeyboardInterrupt too, ends the integration and is raised when C has returned.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Mapping, Sequence
from types import ModuleType, TracebackType
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.boundary import calls_user
from kanegen.csrc.sources import KERNELS
from kanegen.simulation.arm import Progress, SimulatedArm
from kanegen.simulation.controllers import Force

SHORTEST_WITHOUT_LOOK, LONGEST_WITHOUT_LOOK = 0.025, 0.1
"""Seconds between two looks for signals."""

MOST_STEPS = 1 << 24
"""Steps between two looks, however short they are."""


class Callback:
    """Something that C calls; ``stop`` is the C flag by which it ends the integration."""

    def __init__(self, stop: Any) -> None:
        self._stop = stop
        self._error: BaseException | None = None

    def fail(self, error: BaseException) -> None:
        """Keep an exception, and end the integration."""
        self._error = error
        self._stop[0] = 1

    def raise_error(self) -> None:
        """Raise the exception that was kept, if there is one."""
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # the traceback refers to this object


class PythonCalls(Callback):
    """Calls a Python function that gives ``nf`` forces, and rates of nx states: a controller, or a wrench."""

    def __init__(self, ffi: Any, arm: SimulatedArm, force: Force, nf: int, nx: int, stop: Any) -> None:
        super().__init__(stop)
        self._move = ffi.memmove
        self._sizes, self._nf = (arm.nq, arm.nv, nx), nf
        self._force = force

    def call(self, t: float, state: Sequence[Any], found: Sequence[Any]) -> None:
        """Write ``force(t, q, v, x)`` to where ``found`` leads, tau and xdot. The arrays it is given are its own to keep."""
        arrays = [np.empty(size) for size in self._sizes]
        for array, pointer in zip(arrays, state, strict=False):
            self._move(array, pointer, array.nbytes)
        force = self._force(t, *arrays)
        for part, pointer in zip((force[: self._nf], force[self._nf :]), found, strict=False):
            self._move(pointer, part, part.nbytes)


class KernelCalls(Callback):
    """Calls kernels that are interpreted, by their names in ``KERNELS`` and in the mechanism.

    Those of a mechanism that depends on time find it at ``time``, a double of C.
    """

    def __init__(
        self, ffi: Any, arm: SimulatedArm, kernels: Mapping[str, str], stop: Any, time: Any = None
    ) -> None:
        super().__init__(stop)
        self._move = ffi.memmove
        self._bound = {kernel: arm.bind(name) for kernel, name in kernels.items()}
        self._arrays = {kernel: list(vars(bound).values()) for kernel, bound in self._bound.items()}
        self._time = time
        self._times = (
            {} if time is None else {kernel: arrays.pop(0) for kernel, arrays in self._arrays.items()}
        )

    def call(self, kernel: str, pointers: Sequence[Any]) -> None:
        """Evaluate a kernel, from and to where these lead; nothing once the integration is to end."""
        if self._stop[0]:
            return
        arrays, (_, takes, _) = self._arrays[kernel], KERNELS[kernel]
        if self._time is not None:
            self._times[kernel][...] = self._time[0]
        for array, pointer in zip(arrays[:takes], pointers, strict=False):
            self._move(array, pointer, array.nbytes)
        with np.errstate(all="ignore"):  # integrators look for what is not finite
            self._bound[kernel]()
        for array, pointer in zip(arrays[takes:], pointers[takes:], strict=True):
            self._move(pointer, array, array.nbytes)


class Interrupts(Callback):
    """Lets Python look for signals while C integrates, about twenty times a second however long a step takes.

    C holds no interpreter lock.  Entering Python takes it, and the handlers of signals that came since run then; what they
    raise, KeyboardInterrupt first of all, ends the integration.
    """

    def __init__(self, stop: Any, done: Any = None, progress: Progress | None = None) -> None:
        super().__init__(stop)
        self._done, self._progress, self._told = done, progress, -math.inf
        self._steps = 1
        self._last = time.perf_counter()

    def steps_until_next(self) -> int:
        """How many steps to take until the next look; none once the integration is to end."""
        if self._stop[0]:
            return 0
        now = time.perf_counter()
        if self._progress is not None and now - self._told > SHORTEST_WITHOUT_LOOK:
            self._told = now
            if progress_result(self._progress, self._done.t):
                self._stop[0] = 1
                return 0
        elapsed, self._last = now - self._last, now
        if elapsed > LONGEST_WITHOUT_LOOK:
            self._steps = max(1, self._steps // 2)
        elif elapsed < SHORTEST_WITHOUT_LOOK:
            self._steps = min(2 * self._steps, MOST_STEPS)
        return self._steps


class RowsOfSteps(Callback):
    """Takes rows (n, width) that C has filled, of which there may be any number."""

    def __init__(self, buffers: Sequence[FloatArray], stop: Any) -> None:
        super().__init__(stop)
        self._buffers = buffers
        self._taken: list[list[FloatArray]] = [[] for _ in buffers]

    def take(self, count: int | None = None) -> None:
        """Copy the first rows, all by default."""
        for taken, buffer in zip(self._taken, self._buffers, strict=True):
            taken.append(buffer[:count].copy())

    @property
    def all(self) -> list[FloatArray]:
        """What was taken."""
        return [np.concatenate(taken) for taken in self._taken]


@calls_user
def progress_result(progress: Progress, t: float) -> Any:
    """What a user's function says to how far a simulation is."""
    return progress(t)


@functools.cache
def with_python_functions(module: ModuleType) -> ModuleType:
    """The extension ``kanegen._integrators``, told what its calls of Python are."""
    from_handle = module.ffi.from_handle

    def failed(_: type[BaseException], error: BaseException, traceback: TracebackType) -> None:
        """Whatever was raised below, even before its first statement: signals are handled on entry of a function."""
        callback: Callback = from_handle(traceback.tb_frame.f_locals["data"])
        callback.fail(error.with_traceback(traceback))

    def kanegen_python_controller(t: float, q: Any, v: Any, tau: Any, data: Any) -> None:
        from_handle(data).call(t, (q, v), (tau,))

    def kanegen_python_law(data: Any, t: Any, q: Any, v: Any, x: Any, r: Any, tau: Any, xdot: Any) -> None:
        from_handle(data).call(t[0], (q, v, x), (tau, xdot))

    def kanegen_python_pause(data: Any) -> int:
        steps: int = from_handle(data).steps_until_next()
        return steps

    def kanegen_python_rows_full(data: Any) -> None:
        from_handle(data).take()

    def kanegen_python_event_values(t: float, q: Any, v: Any, g: Any, data: Any) -> None:
        from_handle(data).values(t, q, v, g)

    def kanegen_python_event_happened(t: float, i: int, q: Any, v: Any, rates: Any, data: Any) -> int:
        answer: int = from_handle(data).meet(t, i, q, v, rates)
        return answer

    for kernel in KERNELS:

        def evaluate(data: Any, *pointers: Any, kernel: str = kernel) -> None:
            from_handle(data).call(kernel, pointers)

        module.ffi.def_extern(name=f"kanegen_python_{kernel}", onerror=failed)(evaluate)
    module.ffi.def_extern(onerror=failed)(kanegen_python_controller)
    module.ffi.def_extern(onerror=failed)(kanegen_python_law)
    module.ffi.def_extern(onerror=failed, error=0)(kanegen_python_pause)
    module.ffi.def_extern(onerror=failed)(kanegen_python_rows_full)
    module.ffi.def_extern(onerror=failed)(kanegen_python_event_values)
    module.ffi.def_extern(onerror=failed, error=0)(kanegen_python_event_happened)
    return module
