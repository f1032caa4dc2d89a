"""Kernels by name, their C functions, and live parameters."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

from numpy.typing import ArrayLike

from kanegen.arrays import check_count
from kanegen.backends import merged_parameters
from kanegen.bound import BoundKernel
from kanegen.manifest import OperationCounts
from kanegen.robot.core import Core


class AnyKernel(Core):
    """The part of a robot that evaluates kernels by name."""

    def call(self, kernel: str, *arrays: ArrayLike, out: Any = None) -> Any:
        """Evaluate any kernel by name, such as a feedback law compiled with the dynamics.

        Takes its inputs in order; returns its output, or a tuple of them when there are several (``out`` likewise).
        """
        found = self._kernels[kernel]
        check_count(found.spec, arrays)
        return found.call(*arrays, out)

    def bind(self, kernel: str) -> BoundKernel:
        """A kernel with buffers of its own, for control loops: ``step.q[:] = …; step(); step.tau``."""
        return self._kernels[kernel].bind()

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that this robot has."""
        return tuple(self._kernels)

    @property
    def optional_kernels(self) -> tuple[str, ...]:
        """Names of the kernels that it does not have yet, and gets when they are first asked for."""
        return self._kernels.obtainable

    @property
    def operation_counts(self) -> Mapping[str, OperationCounts]:
        """Operations of one evaluation of each kernel that this robot has."""
        return MappingProxyType({name: self._kernels[name].spec.operation_counts for name in self._kernels})

    def kernel_address(self, kernel: str) -> int:
        """Address of the C function of a kernel.  Raises NotCompiledError for an interpreted robot.

        It stays valid as long as the process runs.
        """
        spec = self._kernels[kernel].spec
        return self._kernels.set_of(kernel).backend.address(spec.function)

    @property
    def prepared_address(self) -> int | None:
        """Address of the struct that the C functions in double precision take first; None without live parameters.

        It stays valid as long as this robot exists.  Raises NotCompiledError for an interpreted robot.  A kernel of
        ``optional_kernels``, or in single precision, has a struct of its own: ``prepared_address_of``.
        """
        return self._backend.prepared_address()

    def prepared_address_of(self, kernel: str) -> int | None:
        """Address of the struct that the C function of this kernel takes first; the rest as ``prepared_address``."""
        precision = self._kernels[kernel].spec.precision
        return self._kernels.set_of(kernel).backend.prepared_address(precision)

    @property
    def target(self) -> str | None:
        """The instruction set in use (baseline, avx2, avx512), or None when the robot is interpreted."""
        return self._backend.target

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters; empty for a robot loaded without them."""
        return MappingProxyType(dict(self._backend.parameters))

    def with_parameters(self, values: Mapping[str, float], *, allow_unphysical: bool = False) -> Self:
        """A robot of the same mechanism with other values of some live parameters.

        They are checked as a model file with these numbers would be: masses and inertias are those of real bodies,
        springs resist, beams are stiff.  The first check reads the model, which takes a second, each one then some
        milliseconds; ``allow_unphysical=True`` takes any finite numbers as they are, in microseconds.  A robot of generated
        C has no model to check against, and does the same.

        Raises KanegenError for a name that is no live parameter, ValueError for what is no finite number, and ModelError,
        which is both, for values that the model cannot have.
        """
        merged = merged_parameters(self._manifest.name, self._backend.parameters, values)
        if self._check is not None and not allow_unphysical:
            self._check(merged)
        backend = self._backend.with_parameters(merged)
        return self._like(type(self)(self._manifest, backend, self._more, self._check))
