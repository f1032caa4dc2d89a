"""The kernels of a robot by name, and what is said of those that are not there or fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanegen.backends import Backend
from kanegen.dead_centre import MARGIN, checked
from kanegen.errors import MissingInertiaError, MissingKernelError
from kanegen.kernels import Call, Kernel
from kanegen.manifest import Manifest


class KernelTable:
    """The kernels of a manifest, evaluated by a backend; those of a constrained mechanism never return NaN silently."""

    def __init__(self, manifest: Manifest, backend: Backend) -> None:
        self._manifest = manifest
        self._kernels = {name: backend.kernel(spec) for name, spec in manifest.kernels.items()}
        if manifest.constraints is not None:
            margin = self._kernels.get(MARGIN)
            self._kernels = {
                name: checked(manifest, kernel, margin) for name, kernel in self._kernels.items()
            }

    def __len__(self) -> int:
        """How many there are."""
        return len(self._kernels)

    def __iter__(self) -> Iterator[str]:
        """Their names, in the order of the manifest."""
        return iter(self._kernels)

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name.  Raises MissingKernelError."""
        try:
            return self._kernels[name]
        except KeyError:
            raise self._missing(name) from None

    def call_of(self, name: str) -> Call:
        """The call of a kernel; for a kernel that is not there, one that says so."""
        kernel = self._kernels.get(name)
        if kernel is not None:
            return kernel.call

        def missing(*_: object) -> Any:
            raise self._missing(name)

        return missing

    def pose_of(self, frame: str) -> Kernel:
        """The kernel that gives the pose of a frame.  Raises MissingKernelError."""
        kernels = self._manifest.frames.get(frame)
        return self._of_frame(frame, "pose", kernels.pose if kernels else None)

    def jacobian_of(self, frame: str) -> Kernel:
        """The kernel that gives the Jacobian of a frame.  Raises MissingKernelError."""
        kernels = self._manifest.frames.get(frame)
        return self._of_frame(frame, "jacobian", kernels.jacobian if kernels else None)

    def _of_frame(self, frame: str, what: str, name: str | None) -> Kernel:
        if name is not None:
            return self[name]
        frames = self._manifest.frame_names
        if frame in frames:
            raise self._missing(f"frame_{what}_{frame}")
        raise MissingKernelError(
            f"{self._manifest.name!r} has no frame {frame!r}. It has: {', '.join(frames)}"
        )

    def _missing(self, name: str) -> MissingKernelError:
        model = self._manifest.name
        reason = self._manifest.unavailable.get(name)
        if reason is not None:
            return MissingInertiaError(f"{model!r} has no kernel {name!r}: {reason}")
        return MissingKernelError(
            f"{model!r} was loaded without the kernel {name!r}. It has: {', '.join(self._kernels)}. "
            f"Ask for it: kanegen.load(model, kernels=[..., {name!r}])"
        )
