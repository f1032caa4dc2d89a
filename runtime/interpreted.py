"""Kernels without a compiler: the expression graph evaluated by NumPy, behind the same calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.arrays import apart_from, inputs_and_batch, kernel_type, outputs_for, results
from kanegen.bound import BoundKernel
from kanegen.kernels import Kernel, positional
from kanegen.manifest import KernelSpec


class Evaluator(Protocol):
    """What ``kanegen.codegen`` supplies for a mechanism that is not compiled."""

    def evaluate(
        self, kernel: str, arrays: Mapping[str, NDArray[Any]], parameters: Mapping[str, float]
    ) -> Mapping[str, NDArray[Any]]:
        """Outputs of a kernel, ``(*batch, *shape)`` by name, from inputs ``(*batch, *shape)`` by name.

        ``parameters`` has a value for each live parameter.
        """


class InterpretedKernels:
    """The kernels of an evaluator."""

    def __init__(self, evaluator: Evaluator, parameters: Mapping[str, float]) -> None:
        self._evaluator = evaluator
        self._parameters = parameters

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
