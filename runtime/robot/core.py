"""What every part of a robot needs: its manifest, what evaluates its kernels, and the table of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, Self, TypeAlias

from kanegen.backends import Backend
from kanegen.errors import shown
from kanegen.kernel_table import KernelSet, KernelTable, More
from kanegen.manifest import Manifest
from kanegen.open_loops import TELLING, Told

ParameterCheck: TypeAlias = Callable[[Mapping[str, float]], object]
"""Raises ModelError for values of the live parameters that the model cannot have."""


class Core:
    """A manifest, the backend that evaluates its kernels, what obtains further ones, and what checks values of parameters.

    Without ``more`` there are no further kernels, without ``check`` any finite numbers will do.
    """

    def __init__(
        self,
        manifest: Manifest,
        backend: Backend,
        more: More | None = None,
        check: ParameterCheck | None = None,
    ) -> None:
        self._manifest = manifest
        self._backend = backend
        self._more = more
        self._check = check
        self._kernels = KernelTable(KernelSet(manifest, backend), more)

    def with_open_loops(self, told: Told) -> Self:
        """A robot of the same mechanism that tells in another way of configurations that do not close its loops.

        "warn" (the default): every call whose q violates an equation of position by more than 1e-6 of the lengths in its
        loop, or radians, warns with a ``ModelWarning``, which names the worst row of a batch.  "error": it raises
        InconsistentStateError.  "ignore": nothing is looked at.  Bound kernels do not look.  Raises ValueError.
        """
        robot: Self = type(self)(self._manifest, self._backend, self._more, self._check)
        if told not in TELLING:
            raise ValueError(
                f"with_open_loops: expected one of {', '.join(map(repr, TELLING))}, got {shown(told)}"
            )
        if robot._kernels.open_loops is not None:
            robot._kernels.open_loops.told = told
        return robot

    def _like(self, robot: Self) -> Self:
        """A new robot that tells of open loops as this one does."""
        if self._kernels.open_loops is not None and robot._kernels.open_loops is not None:
            robot._kernels.open_loops.told = self._kernels.open_loops.told
        return robot

    def __copy__(self) -> Self:
        """The robot itself: nothing in it changes."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """The robot itself: nothing in it changes."""
        del memo
        return self

    def __reduce__(self) -> NoReturn:
        """Raises TypeError: compiled functions are in this process alone."""
        raise TypeError(
            f"{self._manifest.name}: a robot cannot be pickled. Load it in every process: kanegen.load(model) takes it from "
            "the cache"
        )
