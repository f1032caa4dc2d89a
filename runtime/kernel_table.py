"""The kernels of a robot by name, how further ones are obtained, and what is said of those that are not there or fail."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kanegen.backends import Backend
from kanegen.dead_centre import MARGIN, can_be_singular, checked
from kanegen.errors import MissingInertiaError, MissingKernelError, nearest
from kanegen.kernels import Call, Kernel
from kanegen.manifest import Manifest
from kanegen.open_loops import RESIDUAL, OpenLoops


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


More = Callable[[str], KernelSet]
"""Generates one further kernel of the same mechanism: a set of its own."""


class KernelTable:
    """The kernels of a set, and further ones, made by ``more`` when they are first asked for and then kept.

    Those of a constrained mechanism never return NaN silently, nor anything silently where it is open.  Any number of
    threads may ask at once: one of them makes the kernel, the others wait for it.
    """

    def __init__(self, given: KernelSet, more: More | None = None) -> None:
        self._given = given
        self._more = more
        self._lock = threading.Lock()
        # Both are replaced and never changed, so that they are read without the lock.
        self._sets = dict.fromkeys(given.manifest.kernels, given)
        self._kernels = {name: given.backend.kernel(spec) for name, spec in given.manifest.kernels.items()}
        residual = self._kernels.get(RESIDUAL)
        self.open_loops = None if residual is None else OpenLoops.of(given.manifest, residual)
        if can_be_singular(given.manifest):
            margin = self._kernels.get(MARGIN)
            self._kernels = {
                name: checked(given.manifest, kernel, margin) for name, kernel in self._kernels.items()
            }
        if self.open_loops is not None:
            self._kernels = {name: self.open_loops.watch(kernel) for name, kernel in self._kernels.items()}

    def __len__(self) -> int:
        """How many there are."""
        return len(self._kernels)

    def __iter__(self) -> Iterator[str]:
        """Names of those that are there, in the order of the manifest, then in the order in which they came."""
        return iter(self._kernels)

    def __contains__(self, name: object) -> bool:
        """Whether it is there, without obtaining it."""
        return name in self._kernels

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name, obtained if it is not there yet.

        Raises MissingKernelError; ModelError or BuildError where it cannot be made.
        """
        kernel = self._kernels.get(name)
        return kernel if kernel is not None else self._obtain(name)

    @property
    def obtainable(self) -> tuple[str, ...]:
        """Names of the kernels that would be made if they were asked for."""
        if self._more is None:
            return ()
        return tuple(name for name in self._given.manifest.optional_kernels if name not in self._kernels)

    def set_of(self, name: str) -> KernelSet:
        """The set to which a kernel belongs.  Raises what ``[name]`` raises."""
        if name not in self._sets:
            self._obtain(name)
        return self._sets[name]

    def call_of(self, name: str) -> Call:
        """The call of a kernel; for one that is not there, a call that obtains it or says why it cannot."""
        kernel = self._kernels.get(name)
        if kernel is not None:
            return kernel.call

        def obtained(*arguments: object) -> Any:
            return self[name].call(*arguments)

        return obtained

    def of_frame(self, what: str, frame: str) -> Kernel:
        """The kernel of a frame: ``what`` is "frame_pose", "frame_jacobian", …  Raises what ``[name]`` raises."""
        return self[self.name_for(what, frame)]

    def name_for(self, what: str, frame: str) -> str:
        """The name of a kernel of a frame, whether it is there or not.  Raises MissingKernelError: no such frame."""
        manifest = self._given.manifest
        if frame not in manifest.frames:
            frames = ", ".join(self._given.manifest.frame_names)
            raise MissingKernelError(
                f"{self._given.manifest.name!r} has no frame {frame!r}. It has: {frames}"
            )
        return f"{what}_{manifest.identifier(frame)}"

    def _obtain(self, name: str) -> Kernel:
        if self._more is None or name not in self._given.manifest.optional_kernels:
            raise self._missing(name)
        with self._lock:
            kernel = self._kernels.get(name)
            if kernel is None:
                made = self._more(name).with_parameters(self._given.backend.parameters)
                kernel = made.backend.kernel(made.manifest.kernels[name])
                if can_be_singular(made.manifest):
                    kernel = checked(made.manifest, kernel, self._kernels.get(MARGIN))
                if self.open_loops is not None:
                    kernel = self.open_loops.watch(kernel)
                self._sets = {**self._sets, name: made}
                self._kernels = {**self._kernels, name: kernel}
        return kernel

    def _missing(self, name: str) -> MissingKernelError:
        manifest = self._given.manifest
        reason = manifest.unavailable.get(name)
        if reason is not None:
            error = MissingKernelError if name in manifest.left_out else MissingInertiaError
            return error(f"{manifest.name!r} has no kernel {name!r}: {reason}")
        near = nearest(name, [*self._kernels, *manifest.optional_kernels], 0.85)
        known = f"The nearest name is {near!r}. " if near else ""
        known += f"It has: {', '.join(self._kernels)}"
        if self._more is not None:
            more = self.obtainable
            others = f", and when they are asked for: {', '.join(more)}" if more else ""
            return MissingKernelError(f"{manifest.name!r} has no kernel {name!r}. {known}{others}")
        return MissingKernelError(
            f"{manifest.name!r} was loaded without the kernel {name!r}. {known}. "
            f"Ask for it: kanegen.load(model, kernels=[..., {name!r}])"
        )
