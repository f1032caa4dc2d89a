"""Kernels without a compiler: the expression graph evaluated by NumPy, behind the same calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.arrays import apart_from, inputs_and_batch, kernel_type, outputs_for, results
from kanegen.errors import NotCompiledError
from kanegen.kernels.kernel import BoundKernel, Kernel, positional
from kanegen.manifest import KernelSpec, Manifest


class Evaluator(Protocol):
    """What ``kanegen.codegen`` supplies for a mechanism that is not compiled."""

    def evaluate(
        self, kernel: str, arrays: Mapping[str, NDArray[Any]], parameters: Mapping[str, float]
    ) -> Mapping[str, NDArray[Any]]:
        """Outputs of a kernel, ``(*batch, *shape)`` by name, from inputs ``(*batch, *shape)`` by name.

        ``parameters`` has a value for each live parameter.
        """


class InterpretedBackend:
    """An evaluator of ``kanegen.codegen``, and values for its live parameters."""

    def __init__(
        self, manifest: Manifest, evaluator: Evaluator, parameters: Mapping[str, float] | None = None
    ) -> None:
        self._manifest = manifest
        self._evaluator = evaluator
        values = {spec.name: spec.value for spec in manifest.parameters}
        self._parameters = values | dict(parameters or {})

    @property
    def target(self) -> str | None:
        """None: nothing is compiled."""
        return None

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters."""
        return self._parameters

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

    def kernel(self, spec: KernelSpec) -> Kernel:
        """The kernel, ready to be called."""
        return Kernel(spec, positional(self._general_call(spec)), lambda: self._bind(spec))

    def _evaluate(self, spec: KernelSpec, inputs: list[NDArray[Any]], outputs: list[NDArray[Any]]) -> None:
        arrays = {argument.name: array for argument, array in zip(spec.inputs, inputs, strict=True)}
        found = self._evaluator.evaluate(spec.name, arrays, self._parameters)
        for argument, output in zip(spec.outputs, outputs, strict=True):
            output[...] = found[argument.name]

    def _general_call(self, spec: KernelSpec) -> Callable[[tuple[ArrayLike, ...], object], Any]:
        def general(values: tuple[ArrayLike, ...], out: object) -> Any:
            inputs, batch = inputs_and_batch(spec, values)
            outputs = outputs_for(spec, out, batch)
            if out is not None:
                inputs = [apart_from(array, outputs) for array in inputs]
            self._evaluate(spec, inputs, outputs)
            return results(outputs, out)

        return general

    def _bind(self, spec: KernelSpec) -> BoundKernel:
        arrays = [np.zeros(argument.shape, dtype=kernel_type(spec)) for argument in spec.arguments]
        inputs, outputs = arrays[: len(spec.inputs)], arrays[len(spec.inputs) :]
        views = {argument.name: array for argument, array in zip(spec.arguments, arrays, strict=True)}
        return BoundKernel(self._evaluate, (spec, inputs, outputs), views)
