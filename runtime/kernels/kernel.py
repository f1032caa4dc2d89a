"""What a kernel of a robot is: its call, its form with buffers of its own, and what evaluates it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol

from numpy.typing import NDArray

from kanegen.arrays import Shape, apart_from, inputs_and_batch, outputs_for, results
from kanegen.by_name import with_names
from kanegen.kernels.live_parameters import StateValues
from kanegen.kernels.threads import thread_count
from kanegen.manifest import KernelSpec, Manifest

Call = Callable[..., Any]
Arrays = list[NDArray[Any]]


class BoundKernel(functools.partial[None]):
    """A kernel with its own input and output arrays: write the inputs, call it, read the outputs.

    ``step.q[:] = …; step(); step.tau``.  A call allocates nothing and checks nothing: it is one call of a C function
    with one pointer, which is why this class is a partial application rather than a class with ``__call__``.  The
    arrays are attributes under the names of the kernel's arguments, of shape ``(n,)``, ``(n, m)`` or ``()``; their
    contents change with each call.  Use one bound kernel for each thread.
    """

    __slots__ = ("_kept",)

    def __new__(
        cls,
        function: Callable[..., None],
        arguments: tuple[object, ...],
        views: Mapping[str, NDArray[Any]],
        kept: object = None,
    ) -> BoundKernel:
        """Bind a function to arguments; ``views`` are the arrays to show, by name, ``kept`` what must stay alive."""
        self = super().__new__(cls, function, *arguments)
        super().__setattr__(self, "_kept", kept)
        for name, view in views.items():
            self.__dict__[name + "_" if hasattr(functools.partial, name) else name] = view
        return self

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Only reached for names that are not there."""
        raise AttributeError(
            f"a bound kernel has the arrays {', '.join(self.__dict__)}; there is no {name!r}"
        )

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse to replace an array, which would leave the kernel with the old one."""
        raise AttributeError(f"write into the array instead of replacing it: step.{name}[...] = value")

    def __reduce__(self) -> NoReturn:
        """Raises TypeError, for copies and pickles: the arrays are what the compiled function has the addresses of."""
        raise TypeError(
            "a bound kernel can be neither copied nor pickled, as its arrays belong to it. Bind another one: robot.bind(...)"
        )

    def __repr__(self) -> str:
        return f"<bound kernel: {', '.join(self.__dict__)}>"


class Kernel(NamedTuple):
    """A kernel of a robot.

    ``call(*inputs, out, threads)`` takes all by position: ``out`` may be None, ``threads`` are those for a batch.
    """

    spec: KernelSpec
    call: Call
    backend: Backend

    def bind(self) -> BoundKernel:
        """The kernel with buffers of its own."""
        return self.backend.bind(self.spec)


def general_call(
    spec: KernelSpec,
    manifest: Manifest,
    evaluate: Callable[[Arrays, Arrays, Shape, int], None],
    own: Shape = (),
) -> Call:
    """The call for any arrays and any batch; ``evaluate(inputs, outputs, batch, threads)`` fills checked outputs.

    ``own``: the shape of parameters that differ from state to state, with which the batch broadcasts.
    """

    def general(*given: Any) -> Any:
        *values, out, wanted = given
        threads = thread_count(wanted)
        if any(isinstance(value, Mapping) for value in values):
            values = list(with_names(manifest, spec, values))
        inputs, batch = inputs_and_batch(spec, values, own)
        outputs = outputs_for(spec, out, batch)
        if out is not None:
            inputs = [apart_from(array, outputs) for array in inputs]
        evaluate(inputs, outputs, batch, threads)
        return results(outputs, out)

    return general


class Columns(NamedTuple):
    """A C function for many states as columns: its address, that of prepared values, bytes of these for each state (0: the
    same for all), and what must stay alive.
    """

    address: int
    prepared: int
    size: int
    kept: object


class Backend(Protocol):
    """What a robot needs of whatever evaluates its kernels."""

    @property
    def target(self) -> str | None:
        """The instruction set in use; None for the interpreter."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters."""

    @property
    def directory(self) -> Path | None:
        """The folder of the generated files from which the kernels are compiled; None where they are not."""

    def kernel(self, spec: KernelSpec) -> Kernel:
        """A kernel, ready to be called."""

    def bind(self, spec: KernelSpec) -> BoundKernel:
        """A kernel with buffers of its own."""

    def address(self, function: str) -> int:
        """Address of a C function.  Raises NotCompiledError."""

    def prepared_address(self, precision: str = "double") -> int | None:
        """Address of the struct that C functions of a precision take first; None without live parameters."""

    def with_parameters(self, values: Mapping[str, float]) -> Backend:
        """The same kernels with these values of all live parameters."""

    def columns(self, spec: KernelSpec, values: StateValues | None) -> Columns:
        """A kernel over columns, with these values of live parameters for each state.  Raises NotCompiledError."""

    def varied(self, spec: KernelSpec, values: StateValues) -> Call:
        """The call of a kernel where these live parameters have values of their own for each state."""
