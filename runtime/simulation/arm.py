"""What a simulation needs of a mechanism: the part of ``Robot`` that ``simulate`` uses, as a protocol, and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values
from kanegen.errors import NotCompiledError
from kanegen.manifest import Constraints, LawRecord

ControllerFunction = Callable[[float, FloatArray, FloatArray], ArrayLike]
"""``controller(t, q, v) -> tau``: t in s, q (nq,), v (nv,), tau (nv,)."""


Progress = Callable[[float], object]
"""``progress(t)``: told how far a simulation is; what is true ends it."""


class Binding(Protocol):
    """What has kernels that can be bound: see ``Robot.bind``."""

    def bind(self, name: str, /) -> Any:
        """The kernel as a callable without arguments.

        Its instance attributes are the arrays of its inputs and outputs, in the order of the C function's arguments.
        """


class SimulatedArm(Binding, Protocol):
    """A mechanism with nq coordinates q and nv speeds v; SI units.

    Where only the interpreter is available, the addresses raise ``kanegen.errors.NotCompiledError`` and the methods
    are used instead. The methods take and return arrays whose leading dimensions are a batch.
    """

    @property
    def name(self) -> str:
        """Name of the mechanism, for messages."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""

    @property
    def nv(self) -> int:
        """Number of speeds."""

    @property
    def coordinate_names(self) -> Sequence[str]:
        """Names of the coordinates, for messages."""

    @property
    def speed_names(self) -> Sequence[str]:
        """Names of the speeds, for messages."""

    @property
    def link_ends(self) -> Mapping[str, Mapping[str, tuple[float, ...]]]:
        """By flexible link and mode, for amplitude 1: rotation of the end [rad] (3), displacement over distance (3)."""

    @property
    def mode_names(self) -> Sequence[str]:
        """Names of the coordinates that are amplitudes of modes of flexible links."""

    @property
    def quaternions(self) -> Sequence[int]:
        """The places in q at which unit quaternions, of four entries each, begin."""

    @property
    def speeds_are_rates(self) -> bool:
        """Whether v = dq/dt, so that no kernel is needed for dq/dt."""

    @property
    def lossless(self) -> bool:
        """Whether only works of forces change its energy."""

    @property
    def constraints(self) -> Constraints | None:
        """Its constraints; None where it has none."""

    @property
    def laws(self) -> Mapping[str, LawRecord]:
        """The control laws that have states of their own or follow signals, by name."""

    @property
    def kernels(self) -> Collection[str]:
        """Names of the kernels this mechanism has."""

    @property
    def optional_kernels(self) -> Collection[str]:
        """Names of the kernels that it gets when they are first asked for."""

    def frame_kernel(self, what: str, frame: str, /) -> str:
        """Name of a kernel of a frame."""

    def kernel_address(self, name: str, /) -> int:
        """Address of the compiled C function of a kernel."""

    @property
    def prepared_address(self) -> int | None:
        """Address of what the C functions take as their first argument; None for a robot without live parameters."""

    def prepared_address_of(self, name: str, /) -> int | None:
        """The same for one kernel, which may have a struct of its own if it was obtained later than others."""

    @property
    def depends_on_time(self) -> bool:
        """Whether its kernels take t before all else."""

    def at(self, t: ArrayLike, /) -> SimulatedArm:
        """The mechanism at a time, or at times of the shape of a batch, for the methods below, but for ``call``."""

    def call(self, kernel: str, /, *arrays: FloatArray) -> Any:
        """The output of a kernel for a batch of inputs."""

    def forward_dynamics(self, q: FloatArray, v: FloatArray, tau: FloatArray) -> FloatArray:
        """dv/dt (..., nv)."""

    def configuration(self, q: Values) -> FloatArray:
        """A configuration given by the names of coordinates as an array."""

    def speeds(self, v: Values) -> FloatArray:
        """Speeds or forces given by their names as an array."""

    def coordinate_rates(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """dq/dt (..., nq)."""

    def kinetic_energy(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Kinetic energy (...), J."""

    def potential_energy(self, q: FloatArray) -> FloatArray:
        """Potential energy (...), J."""


ENERGIES = ("kinetic_energy", "potential_energy")

SIMULATION_KERNELS = ("multiplier_dynamics", "generalized_speeds", "constraint_projection")
"""Kernels that the integrators call; the state they integrate is (q, dq/dt)."""


def active_constraints(arm: SimulatedArm) -> Constraints | None:
    """The constraints of a mechanism, where any are to be kept during a simulation: those with rows of velocity."""
    constraints = arm.constraints
    return constraints if constraints is not None and constraints.velocity else None


def constraint_units(arm: SimulatedArm, constraints: Constraints) -> tuple[FloatArray, FloatArray]:
    """The units in which equations of position (k,) and coordinates (nq,) are kept to what drift allows."""
    own = constraints.units or (1.0,) * len(constraints.position)
    return np.array(own), np.array(constraints.coordinate_units or (1.0,) * arm.nq)


def needed_kernels(arm: SimulatedArm) -> tuple[str, ...]:
    """The kernels without which a mechanism cannot be simulated."""
    constraints = active_constraints(arm)
    if constraints is None:
        return ("forward_dynamics",) if arm.speeds_are_rates else ("forward_dynamics", "coordinate_rates")
    residual = ("constraint_residual",) if constraints.position else ()
    return (*SIMULATION_KERNELS, *residual, "constraint_jacobian", "coordinate_rates")


def has_compiled_kernels(arm: SimulatedArm) -> bool:
    """Whether the mechanism has C functions to integrate: if one is compiled, all are."""
    try:
        arm.kernel_address(needed_kernels(arm)[0])
    except NotCompiledError:
        return False
    return True


def kernel_function(
    arm: Binding, name: str, time: FloatArray | None = None
) -> Callable[..., tuple[FloatArray, ...]]:
    """A kernel that returns copies of its outputs, whatever they are: integrators look for what is not finite.

    That of a mechanism that depends on time finds it in ``time`` ().
    """
    bound = arm.bind(name)
    t, *arrays = vars(bound).values() if time is not None else (None, *vars(bound).values())

    def call(*inputs: FloatArray) -> tuple[FloatArray, ...]:
        if time is not None:
            t[...] = time
        for array, value in zip(arrays, inputs, strict=False):
            array[...] = value
        bound()
        return tuple(array.copy() for array in arrays[len(inputs) :])

    return call
