"""What stands in place of kernels that are not made yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from kanegen.errors import NotCompiledError
from kanegen.kernels.kernel import BoundKernel, Call, Columns, Kernel
from kanegen.kernels.live_parameters import StateValues
from kanegen.manifest import KernelSpec


class Waiting:
    """A backend without kernels, and without live parameters: those of a robot whose kernels are made when asked for.

    ``becomes`` says what they will be: compiled, or interpreted.
    """

    target = None
    directory = None
    parameters: Mapping[str, float] = {}

    def __init__(self, name: str, becomes: str = "compiled") -> None:
        self._name, self.becomes = name, becomes

    def kernel(self, spec: KernelSpec) -> Kernel:
        """Raises NotCompiledError."""
        self._refuse(spec.name)

    def bind(self, spec: KernelSpec) -> BoundKernel:
        """Raises NotCompiledError."""
        self._refuse(spec.name)

    def address(self, function: str) -> int:
        """Raises NotCompiledError."""
        self._refuse(function)

    def prepared_address(self, precision: str = "double") -> int | None:
        """None: there are no live parameters."""
        del precision
        return None

    def with_parameters(self, values: Mapping[str, float]) -> Waiting:
        """The same."""
        del values
        return self

    def columns(self, spec: KernelSpec, values: StateValues | None) -> Columns:
        """Raises NotCompiledError."""
        del values
        self._refuse(spec.name)

    def varied(self, spec: KernelSpec, values: StateValues) -> Call:
        """Raises NotCompiledError."""
        del values
        self._refuse(spec.name)

    def _refuse(self, what: str) -> NoReturn:
        raise NotCompiledError(f"{self._name}: {what} is not made yet")
