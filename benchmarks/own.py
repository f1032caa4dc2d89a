"""kanegen's own ways of calling a kernel from Python: raw cffi, bound, and checked."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np

from benchmarks.entries import Entry, third_input
from benchmarks.peers.engines import Array, Kernel, PeerUnavailable
from benchmarks.protocol import python_contestant
from benchmarks.states import States

RAW = "kanegen, raw cffi call"
BOUND = "kanegen, bound call"
BOUND_WRITTEN = "kanegen, bound call, inputs written"
CHECKED = "kanegen, checked call"
CHECKED_OUT = "kanegen, checked call with out="

INPUTS: dict[Kernel, tuple[str, str, str]] = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
}
OUTPUT: dict[Kernel, str] = {"inverse_dynamics": "tau", "forward_dynamics": "a"}


def own_entries(model: str, kernel: Kernel, states: States, passes: int) -> tuple[list[Entry], list[str]]:
    """kanegen's contestants of one kernel, and a sentence for each that cannot take part."""
    entries: list[Entry] = []
    notes: list[str] = []
    for make, what in ((_raw, "the compiled extension"), (_loaded, "kanegen.load")):
        try:
            entries += make(model, kernel, states, passes)
        except ImportError:  # its text holds paths of this machine, which do not belong into results
            notes.append(f"{model}: {what} cannot be imported (make build compiles the built-in mechanisms)")
        except PeerUnavailable as reason:
            notes.append(str(reason))
    return entries, notes


def _raw(model: str, kernel: Kernel, states: States, passes: int) -> list[Entry]:
    """The compiled function called through cffi with pointers that were made beforehand."""
    extension = importlib.import_module(f"kanegen.generated.{model}._kernels")
    function = getattr(extension.lib, f"{model}_{kernel}")
    rows = [row.copy() for row in (states.q[0], states.v[0], third_input(states, kernel)[0])]
    rows.append(np.zeros_like(rows[1]))
    pointers = [extension.ffi.from_buffer("double[]", row) for row in rows]
    q, v, third, out = pointers
    count = states.count

    def one_pass() -> None:
        for _ in range(count):
            function(q, v, third, out)

    def results() -> Array:
        computed = []
        for state in zip(states.q, states.v, third_input(states, kernel), strict=True):
            for row, values in zip(rows, state, strict=False):
                row[:] = values
            function(q, v, third, out)
            computed.append(rows[3].copy())
        return np.array(computed)

    return [Entry("Python", python_contestant(RAW, one_pass, count, passes), results)]


def _loaded(model: str, kernel: Kernel, states: States, passes: int) -> list[Entry]:
    """The bound call (the same state each time, and with every state written first) and the checked calls.

    Raises:
        PeerUnavailable: when there is no compiler, so that kernels are interpreted.
    """
    from kanegen import load  # imported here: without it the peers are measured all the same

    robot = load(model)
    if robot.target is None:
        raise PeerUnavailable(f"{model}: kanegen.load found no compiler and interprets, which is not timed")
    inputs = (states.q, states.v, third_input(states, kernel))
    rows = [tuple(row) for row in zip(*inputs, strict=True)]
    count = states.count

    step = robot.bind(kernel)
    buffers = [getattr(step, name) for name in INPUTS[kernel]]
    output = getattr(step, OUTPUT[kernel])
    for buffer, values in zip(buffers, rows[0], strict=True):
        buffer[:] = values

    def bound_pass() -> None:
        for _ in range(count):
            step()

    def written_pass() -> None:
        q, v, third = buffers
        for row_q, row_v, row_third in rows:
            q[:] = row_q
            v[:] = row_v
            third[:] = row_third
            step()

    def bound_results() -> Array:
        computed = []
        for row in rows:
            for buffer, values in zip(buffers, row, strict=True):
                buffer[:] = values
            step()
            computed.append(output.copy())
        return np.array(computed)

    call = getattr(robot, kernel)
    out = np.empty_like(output)

    def checked_pass() -> None:
        for row_q, row_v, row_third in rows:
            call(row_q, row_v, row_third)

    def out_pass() -> None:
        for row_q, row_v, row_third in rows:
            call(row_q, row_v, row_third, out=out)

    def checked_results() -> Array:
        return np.array([call(*row) for row in rows])

    ways: list[tuple[str, Callable[[], object], Callable[[], Array]]] = [
        (BOUND, bound_pass, bound_results),
        (BOUND_WRITTEN, written_pass, bound_results),
        (CHECKED, checked_pass, checked_results),
        (CHECKED_OUT, out_pass, checked_results),
    ]
    return [
        Entry("Python", python_contestant(name, run, count, passes), results) for name, run, results in ways
    ]
