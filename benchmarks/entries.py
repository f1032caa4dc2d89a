"""What takes part in a kernel benchmark: a contestant, and the results by which it is checked."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

import numpy as np

from benchmarks.drivers.build import BuildFailed, build, model_driver
from benchmarks.peers.chain import Chain
from benchmarks.peers.engines import Array, Engine, Kernel
from benchmarks.peers.mujoco_engine import MujocoEngine
from benchmarks.pinocchio_cpp.program import chain_driver, write_chain
from benchmarks.protocol import Contestant, native_contestant, python_contestant
from benchmarks.states import States, read_rows

GENERATED = Path(__file__).resolve().parents[1] / "generated"


@dataclass(frozen=True)
class Entry:
    """One contestant of one kernel.

    Attributes:
        language: what the calls are made from.
        contestant: what is timed.
        results: the results (count, n) for the same states; asked for after the timing.
    """

    language: Literal["C", "Python"]
    contestant: Contestant
    results: Callable[[], Array]

    @property
    def name(self) -> str:
        """The contestant's name."""
        return self.contestant.name


def third_input(states: States, kernel: Kernel) -> Array:
    """The input that follows q and v: accelerations for inverse dynamics, forces for forward dynamics."""
    return states.a if kernel == "inverse_dynamics" else states.tau


def engine_entries(engine: Engine, kernel: Kernel, states: States, passes: int) -> list[Entry]:
    """An engine called from Python, and for MuJoCo also without the assignments of the state."""
    third = third_input(states, kernel)
    call = engine.inverse_dynamics if kernel == "inverse_dynamics" else engine.forward_dynamics

    def results() -> Array:
        return np.array([call(*row) for row in zip(states.q, states.v, third, strict=True)])

    one_pass = engine.loop(kernel, states.q, states.v, third)
    entries = [Entry("Python", python_contestant(engine.name, one_pass, states.count, passes), results)]
    if isinstance(engine, MujocoEngine):
        # The state has to be written within the turn: the loop above leaves another one behind.
        state = (states.q[0], states.v[0], third[0])
        bare = python_contestant(
            f"{engine.name}, state not written",
            engine.bare_loop(kernel, state, states.count),
            states.count,
            passes,
        )

        entries.append(Entry("Python", bare, results))
    return entries


class NativeField:
    """The native contestants and the files they share: states in, results out.

    Use as a context manager; the files are gone afterwards.  Programs that cannot be built are left out, and
    ``notes`` says why.
    """

    def __init__(self, chain: Chain, prefix: str, states: States, passes: int) -> None:
        self.notes: list[str] = []
        self._chain = chain
        self._prefix = prefix
        self._states = states
        self._passes = passes
        self._folder = tempfile.TemporaryDirectory()
        self._own: Path | None = None
        self._pinocchio: Path | None = None

    def __enter__(self) -> Self:
        folder = Path(self._folder.name)
        self._states.write(folder / "states.bin")
        write_chain(self._chain, folder / "chain.txt")
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def build_own(self) -> None:
        """Compile the timing program of the generated C."""
        try:
            self._own = build(model_driver(GENERATED / self._prefix, self._prefix, len(self._chain.bodies)))
        except BuildFailed as reason:
            self.notes.append(str(reason))

    def build_pinocchio(self) -> None:
        """Compile the timing program of Pinocchio's C++; this takes minutes the first time."""
        try:
            self._pinocchio = build(chain_driver())
        except BuildFailed as reason:
            self.notes.append(str(reason))

    def entries(self, kernel: Kernel) -> list[Entry]:
        """The native contestants of one kernel."""
        entries = []
        if self._own is not None:
            entries.append(self._entry(OWN_C, [self._own], kernel))
            entries.append(self._entry(OWN_BATCH, [self._own], f"{kernel}_batch"))
        if self._pinocchio is not None:
            gravity = [repr(component) for component in self._chain.gravity]
            command: list[str | Path] = [self._pinocchio, Path(self._folder.name) / "chain.txt", *gravity]
            entries.append(self._entry(PINOCCHIO_CPP, command, kernel))
            if kernel == "forward_dynamics":
                entries.append(self._entry(PINOCCHIO_CPP_WORLD, command, "forward_dynamics_world"))
        return entries

    def _entry(self, name: str, program: Sequence[str | Path], kernel: str) -> Entry:
        folder = Path(self._folder.name)
        results = folder / f"{name}-{kernel}.bin"
        shared = (folder / "states.bin", str(self._states.count), kernel, str(self._passes), results)
        columns = len(self._chain.bodies)
        return Entry("C", native_contestant(name, [*program, *shared]), lambda: read_rows(results, columns))


OWN_C = "kanegen, C"
OWN_BATCH = "kanegen, C, batch (per row)"
PINOCCHIO_CPP = "Pinocchio, C++"
PINOCCHIO_CPP_WORLD = "Pinocchio, C++, world convention"
