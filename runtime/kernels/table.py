"""The kernels of a robot by name, how further ones are obtained, and what is said of those that are not there or fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanegen.arrays import FloatArray
from kanegen.errors import MissingInertiaError, MissingKernelError, did_you_mean, nearest
from kanegen.kernels.checks import LOOKED_AT, MARGIN, RESIDUAL, OpenLoops, Told, can_be_singular, checked
from kanegen.kernels.kernel import Backend, Columns, Kernel
from kanegen.kernels.live_parameters import StateValues
from kanegen.kernels.waiting import Waiting
from kanegen.manifest import Manifest
from kanegen.rows import checked_rows, rows_of, with_rows


@dataclass(frozen=True, slots=True)
class KernelSet:
    """Kernels that were generated together: what they are, and what evaluates them."""

    manifest: Manifest
    backend: Backend

    def with_parameters(self, values: Mapping[str, float]) -> KernelSet:
        """The same kernels with these values of those live parameters that they have."""
        present = self.backend.parameters
        if not present:
            return self
        merged = {name: values.get(name, value) for name, value in present.items()}
        return KernelSet(self.manifest, self.backend.with_parameters(merged))


ArrayCall = Callable[..., FloatArray]
"""The call of a kernel with one output."""

More = Callable[[str], KernelSet]
"""Generates one further kernel of the same mechanism: a set of its own."""


class KernelTable:
    """The kernels of a set, those that wait, and further ones, made by ``more`` when they are first asked for and then kept.

    Those of a constrained mechanism never return NaN silently, nor anything silently where it is open.  Any number of
    threads may ask at once: one of them makes the kernel, the others wait for it.
    """

    def __init__(
        self, given: KernelSet, more: More | None = None, told: Told = "warn", lock: Any = None
    ) -> None:
        self._given = given
        self._more = more
        self.told = told
        """What comes of configurations that do not close the mechanism's loops."""
        self._lock = threading.RLock() if lock is None else lock
        self._values: StateValues | None = None
        self._looks = True
        self._sets: dict[
            str, KernelSet
        ] = {}  # of kernels that were not given, also of tables with other values
        self._kernels: dict[str, Kernel] = {}  # those that were asked for
        self._open_loops: OpenLoops | None = None

    @property
    def backend(self) -> Backend:
        """What evaluates the kernels that were given."""
        return self._given.backend

    def of_backend(self, backend: Backend, told: Told, replaced: Container[str] = ()) -> KernelTable:
        """The kernels that were given with another backend; calls tell of open loops in this way.

        Parameters that have values for each state keep these, but for those that are ``replaced``.
        """
        table = KernelTable(KernelSet(self._given.manifest, backend), self._more, told, self._lock)
        table._looks = self._looks
        kept = {name: x for name, x in (self._values or {}).items() if name not in replaced}
        table._values = StateValues.of(kept) if kept else None
        return table

    @property
    def varying(self) -> tuple[str, ...]:
        """The live parameters that have values of their own for each state."""
        return tuple(self._values or ())

    def varied(self, values: StateValues, *, looks: bool = True) -> KernelTable:
        """The same kernels where these live parameters have values of their own for each state of a batch.

        ``looks``: whether calls look for dead centres and open loops.
        """
        table = object.__new__(type(self))
        table.__dict__.update(self.__dict__)
        table._kernels, table._open_loops = {}, None
        table._looks = looks
        if values:
            table._values = StateValues.of({**self._values, **values}) if self._values else values
        return table

    def _plain(self, name: str) -> Kernel:
        """A kernel with the values of this table, not looked after."""
        made = self.set_of(name)
        spec, backend = made.manifest.kernels[name], made.backend
        own = self._values_of(backend)
        return Kernel(spec, backend.varied(spec, own), backend) if own else backend.kernel(spec)

    def columns(self, name: str) -> Columns:
        """A kernel over columns of many states, for simulations.  Raises what ``[name]`` raises, NotCompiledError."""
        spec, backend = self[name].spec, self.set_of(name).backend
        return backend.columns(spec, self._values_of(backend))

    def _values_of(self, backend: Backend) -> StateValues | None:
        """Values for each state of those parameters that a backend has; None without."""
        return (self._values and self._values.of_those(backend.parameters)) or None

    def _looked_after(self, kernel: Kernel) -> Kernel:
        """A kernel with a call that looks for dead centres and open loops, where there can be any."""
        manifest = self.set_of(kernel.spec.name).manifest
        if not self._looks:
            return kernel
        if can_be_singular(manifest):
            kernel = checked(manifest, kernel, self._plain(MARGIN) if self._has(MARGIN) else None)
        if self._open_loops is None and self._has(RESIDUAL):
            self._open_loops = OpenLoops.of(self._given.manifest, self._plain(RESIDUAL), self.told)
        return kernel if self._open_loops is None else self._open_loops.watch(kernel)

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of those that are there or wait, in the order of the manifest, then in the order in which they came."""
        manifest = self._given.manifest
        return tuple(dict.fromkeys((*manifest.kernels, *manifest.waiting, *self._sets)))

    def __len__(self) -> int:
        """How many there are, those that wait included."""
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        """Their names, in the order of the manifest, then in the order in which they came."""
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        """Whether it is there or waits, without obtaining it."""
        return self._has(name) or name in self._given.manifest.waiting

    def _has(self, name: object) -> bool:
        """Whether it is there."""
        return name in self._given.manifest.kernels or name in self._sets

    @property
    def becoming(self) -> str | None:
        """What they will be where none is made yet: compiled, or interpreted."""
        backend = self._given.backend
        return backend.becomes if isinstance(backend, Waiting) and not self._sets else None

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name, obtained if it is not there yet.

        Raises MissingKernelError; ModelError or BuildError where it cannot be made.
        """
        kernel = self._kernels.get(name)
        return kernel if kernel is not None else self._obtain(name)

    def _obtain(self, name: str, of_rows: bool = False) -> Kernel:
        self.set_of(name, of_rows)
        return self._kernels.setdefault(name, self._looked_after(self._plain(name)))

    @property
    def obtainable(self) -> tuple[str, ...]:
        """Names of the kernels that would be made if they were asked for."""
        if self._more is None:
            return ()
        return tuple(name for name in self._given.manifest.optional_kernels if name not in self)

    def set_of(self, name: str, of_rows: bool = False) -> KernelSet:
        """The set to which a kernel belongs, one of the list; or ``of_rows`` of a frame's twist, of which there are too many
        for a list.  Raises what ``[name]`` raises.
        """
        if name in self._given.manifest.kernels:
            return self._given
        return self._sets.get(name) or self._make(name, of_rows)

    def of_rows(self, what: str, frame: str, rows: Sequence[str] | None) -> Kernel:
        """The kernel of rows of a frame's twist, made in whatever choice of them.

        Raises what ``[name]`` raises, ModelError for rows that depend on one another.
        """
        name = with_rows(self.name_for(what, frame), checked_rows(rows))
        return self._kernels.get(name) or self._obtain(name, of_rows=True)

    def name_for(self, what: str, frame: str) -> str:
        """The name of a kernel of a frame, whether it is there or not.  Raises MissingKernelError: no such frame."""
        manifest = self._given.manifest
        if frame not in manifest.frames:
            frames = ", ".join(manifest.frame_names)
            cure = did_you_mean(frame, manifest.frame_names, "")
            raise MissingKernelError(
                f"{manifest.name!r} has no frame {frame!r}. It has: {frames}. {cure}".rstrip(" .")
            )
        return f"{what}_{manifest.identifier(frame)}"

    def _make(self, name: str, of_rows: bool) -> KernelSet:
        """The set of a further kernel, made now."""
        manifest = self._given.manifest
        known = of_rows or bool(rows_of(name)[1]) or name in manifest.optional_kernels
        if self._more is None or not (known or name in manifest.waiting):
            raise self._missing(name)
        with self._lock:
            if name not in self._sets:
                # What the calls of others look at comes before these.
                for looked_at in LOOKED_AT:
                    if name not in LOOKED_AT and looked_at in manifest.waiting:
                        self.set_of(looked_at)
                made = self._more(name).with_parameters(self._given.backend.parameters)
                group = manifest.waiting.get(name)
                names = [n for n, g in manifest.waiting.items() if g == group] or [name]
                self._sets.update(dict.fromkeys(names, made))
        return self._sets[name]

    @property
    def target(self) -> str | None:
        """The instruction set in use, None where kernels are interpreted.  Raises what ``[name]`` raises."""
        manifest = self._given.manifest
        first = next(iter((*manifest.kernels, *self._sets, *manifest.waiting)))
        return self.set_of(first).backend.target

    def _missing(self, name: str) -> MissingKernelError:
        manifest = self._given.manifest
        reason = manifest.unavailable.get(name)
        if reason is not None:
            error = MissingKernelError if name in manifest.left_out else MissingInertiaError
            return error(f"{manifest.name!r} has no kernel {name!r}: {reason}")
        near = nearest(name, [*self._names, *manifest.optional_kernels], 0.85)
        known = f"The nearest name is {near!r}. " if near not in (None, name) else ""
        known += f"It has: {', '.join(self._names)}"
        if self._more is not None:
            more = self.obtainable
            others = f", and when they are asked for: {', '.join(more)}" if more else ""
            return MissingKernelError(f"{manifest.name!r} has no kernel {name!r}. {known}{others}")
        return MissingKernelError(
            f"{manifest.name!r} was loaded without the kernel {name!r}. {known}. "
            f"Ask for it: kanegen.load(model, kernels=[..., {name!r}])"
        )
