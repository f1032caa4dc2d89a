"""Kernels without a compiler: the expression graph evaluated by NumPy, behind the same calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kanegen.arrays import Shape, kernel_type
from kanegen.errors import NotCompiledError
from kanegen.kernels.kernel import Arrays, BoundKernel, Call, Columns, Kernel, general_call
from kanegen.kernels.live_parameters import StateValues
from kanegen.manifest import KernelSpec, Manifest


class Evaluator(Protocol):
    """What ``kanegen.codegen`` supplies for a mechanism that is not compiled."""

    def evaluate(
        self, kernel: str, arrays: Mapping[str, NDArray[Any]], parameters: Mapping[str, Any]
    ) -> Mapping[str, NDArray[Any]]:
        """Outputs of a kernel, ``(*batch, *shape)`` by name, from inputs ``(*batch, *shape)`` by name.

        ``parameters`` has a value for each live parameter, or an array of values (*batch,).
        """


class InterpretedBackend:
    """An evaluator of ``kanegen.codegen``, and values for its live parameters."""

    target: str | None = None
    directory: Path | None = None
    """Nothing is compiled."""

    def __init__(
        self, manifest: Manifest, evaluator: Evaluator, parameters: Mapping[str, float] | None = None
    ) -> None:
        self._manifest = manifest
        self._evaluator = evaluator
        values = {spec.name: spec.value for spec in manifest.parameters}
        self.parameters: Mapping[str, float] = values | dict(parameters or {})
        """Values of the live parameters."""

    def address(self, function: str) -> int:
        """There is none.  Raises NotCompiledError."""
        raise NotCompiledError(
            f"{self._manifest.name!r} is interpreted, so {function} has no address. "
            "Install a C compiler and load the robot without interpreted=True"
        )

    def prepared_address(self, precision: str = "double") -> int | None:
        """There is none.  Raises NotCompiledError."""
        del precision
        return self.address(f"{self._manifest.prefix}_prepare")

    def with_parameters(self, values: Mapping[str, float]) -> InterpretedBackend:
        """The same kernels with these values of all live parameters."""
        return InterpretedBackend(self._manifest, self._evaluator, values)

    def columns(self, spec: KernelSpec, values: StateValues | None) -> Columns:
        """There are none.  Raises NotCompiledError."""
        del values
        raise AssertionError(self.address(spec.function))

    def varied(self, spec: KernelSpec, values: StateValues) -> Call:
        """The call of a kernel where live parameters have values of their own for each state."""

        def evaluate(inputs: Arrays, outputs: Arrays, batch: Shape, threads: int) -> None:
            own = {name: np.broadcast_to(array, batch) for name, array in values.items()}
            self._evaluate(spec, inputs, outputs, own)

        return general_call(spec, self._manifest, evaluate, values.shape)

    def kernel(self, spec: KernelSpec) -> Kernel:
        """The kernel, ready to be called."""
        call = general_call(
            spec,
            self._manifest,
            lambda inputs, outputs, batch, threads: self._evaluate(spec, inputs, outputs),
        )
        return Kernel(spec, call, self)

    def _evaluate(
        self, spec: KernelSpec, inputs: Arrays, outputs: Arrays, own: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        arrays = {argument.name: array for argument, array in zip(spec.inputs, inputs, strict=True)}
        found = self._evaluator.evaluate(spec.name, arrays, {**self.parameters, **(own or {})})
        for argument, output in zip(spec.outputs, outputs, strict=True):
            output[...] = found[argument.name]

    def bind(self, spec: KernelSpec) -> BoundKernel:
        """The kernel with arrays of its own."""
        arrays = [np.zeros(argument.shape, dtype=kernel_type(spec)) for argument in spec.arguments]
        inputs, outputs = arrays[: len(spec.inputs)], arrays[len(spec.inputs) :]
        views = {argument.name: array for argument, array in zip(spec.arguments, arrays, strict=True)}
        return BoundKernel(self._evaluate, (spec, inputs, outputs), views)
