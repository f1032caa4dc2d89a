"""What a simulation needs of a mechanism: the part of ``Robot`` that ``simulate`` uses, as a protocol."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.manifest import Constraints

FloatArray = NDArray[np.float64]

ControllerFunction = Callable[[float, FloatArray, FloatArray], ArrayLike]
"""``controller(t, q, v) -> tau``: t in s, q (nq,), v (nv,), tau (nv,)."""


class SimulatedArm(Protocol):
    """A mechanism with nq coordinates q and nv speeds v; SI units.

    Where only the interpreter is available, the addresses raise ``kanegen.errors.NotCompiledError`` and the methods
    are used instead. The methods take and return arrays whose leading dimensions are a batch.
    """

    @property
    def name(self) -> str:
        """Name of the mechanism, for messages."""
        ...

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """Number of speeds."""
        ...

    @property
    def coordinate_names(self) -> Sequence[str]:
        """Names of the coordinates, for messages."""
        ...

    @property
    def speed_names(self) -> Sequence[str]:
        """Names of the speeds, for messages."""
        ...

    @property
    def link_ends(self) -> Mapping[str, Mapping[str, tuple[float, ...]]]:
        """By flexible link and mode, for amplitude 1: rotation of the end [rad] (3), displacement over distance (3)."""
        ...

    @property
    def mode_names(self) -> Sequence[str]:
        """Names of the coordinates that are amplitudes of modes of flexible links."""
        ...

    @property
    def quaternions(self) -> Sequence[int]:
        """The places in q at which unit quaternions, of four entries each, begin."""
        ...

    @property
    def speeds_are_rates(self) -> bool:
        """Whether v = dq/dt, so that no kernel is needed for dq/dt."""
        ...

    @property
    def constraints(self) -> Constraints | None:
        """Its constraints; None where it has none."""
        ...

    @property
    def kernels(self) -> Collection[str]:
        """Names of the kernels this mechanism has."""
        ...

    @property
    def optional_kernels(self) -> Collection[str]:
        """Names of the kernels that it gets when they are first asked for."""
        ...

    def kernel_address(self, name: str, /) -> int:
        """Address of the compiled C function of a kernel."""
        ...

    @property
    def prepared_address(self) -> int | None:
        """Address of what the C functions take as their first argument; None for a robot without live parameters."""
        ...

    def prepared_address_of(self, name: str, /) -> int | None:
        """The same for one kernel, which may have a struct of its own if it was obtained later than others."""
        ...

    def bind(self, name: str, /) -> Any:
        """The kernel as a callable without arguments.

        Its instance attributes are the arrays of its inputs and outputs, in the order of the C function's arguments.
        """
        ...

    def call(self, kernel: str, /, *arrays: FloatArray) -> Any:
        """The output of a kernel for a batch of inputs."""
        ...

    def forward_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
        """dv/dt (..., nv)."""
        ...

    def coordinate_rates(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """dq/dt (..., nq)."""
        ...

    def kinetic_energy(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Kinetic energy (...), J."""
        ...

    def potential_energy(self, q: FloatArray) -> FloatArray:
        """Potential energy (...), J."""
        ...
