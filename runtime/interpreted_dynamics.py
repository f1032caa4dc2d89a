"""The equations that the NumPy integrators integrate: those of trees, and those of constrained mechanisms.

The counterpart of ``csrc/kanegen_constraints.c`` and of the calls of kernels in ``csrc/kanegen_integrators.c``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from kanegen.constrained_start import active_constraints
from kanegen.errors import DeadCentreError
from kanegen.protocols import FloatArray, SimulatedArm
from kanegen.quaternions import normalised
from kanegen.simulation_request import Request

MOST_PROJECTIONS = 8
MARGIN = 1e-3


class OpenError(Exception):
    """A state cannot be brought back to the constraints."""


class Binding(Protocol):
    """What has kernels that can be bound: see ``Robot.bind``."""

    def bind(self, name: str, /) -> Any:
        """The kernel as a callable without arguments, whose instance attributes are its inputs and outputs."""


class Dynamics(Protocol):
    """A state y, and how it changes."""

    @property
    def widths(self) -> tuple[int, int, int]:
        """How many coordinates, speeds and forces there are."""

    @property
    def drift(self) -> float | None:
        """How far states were found from the constraints at most; None where there are none."""

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""

    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates q at a state."""

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau."""

    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds v at a state."""

    def projected(self, y: FloatArray) -> FloatArray:
        """The state brought back to the constraints.  Raises OpenError."""


def dynamics_of(arm: SimulatedArm, request: Request) -> Dynamics:
    """The equations of a mechanism."""
    if active_constraints(arm) is None:
        return TreeDynamics(arm, request.quaternions)
    return ConstrainedDynamics(arm, request.drift)


class TreeDynamics:
    """y = (q, v), dy/dt = (N(q) v, a(q, v, tau)); quaternions in q are kept at length one."""

    drift = None

    def __init__(self, arm: SimulatedArm, quaternions: Sequence[int]) -> None:
        self._arm = arm
        self._quaternions = quaternions
        self._nq = arm.nq
        self.widths = (arm.nq, arm.nv, arm.nv)
        self._has_rates = "coordinate_rates" in arm.kernels

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""
        return np.concatenate([request.q0, request.v0])

    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates, which are part of the state."""
        return y[: self._nq]

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau."""
        q, v = y[: self._nq], y[self._nq :]
        try:
            qdot = self._arm.coordinate_rates(q, v) if self._has_rates else v
            return np.concatenate([qdot, self._arm.forward_dynamics(q, v, tau)])
        except DeadCentreError:  # a trial state may be one; the integrator takes that as it takes overflow
            return np.full(y.shape, np.nan)

    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds, which are part of the state."""
        return y[self._nq :]

    def projected(self, y: FloatArray) -> FloatArray:
        """The state with its quaternions at length one."""
        return normalised(y, self._quaternions)


class ConstrainedDynamics:
    """y = (q, dq/dt); the accelerations come with multipliers, and states are projected onto the constraints."""

    def __init__(self, arm: SimulatedArm, bound: float) -> None:
        self._nq = arm.nq
        self.widths = (arm.nq, arm.nv, arm.nv)
        self._bound = bound
        self._multiplier_dynamics = kernel_function(arm, "multiplier_dynamics")
        self._generalized_speeds = kernel_function(arm, "generalized_speeds")
        self._projection = kernel_function(arm, "constraint_projection")
        constraints = active_constraints(arm)
        has_residual = constraints is not None and constraints.position
        self._residual = kernel_function(arm, "constraint_residual") if has_residual else _no_residual
        self.drift = 0.0

    def start(self, request: Request) -> FloatArray:
        """The state to begin with."""
        assert request.rates0 is not None  # there are constraints
        return np.concatenate([request.q0, request.rates0])

    def coordinates(self, y: FloatArray) -> FloatArray:
        """The coordinates, which are part of the state."""
        return y[: self._nq]

    def rate(self, y: FloatArray, tau: FloatArray) -> FloatArray:
        """dy/dt under the forces tau."""
        qddot, _ = self._multiplier_dynamics(*self._halves(y), tau)
        return np.concatenate([y[self._nq :], qddot])

    def speeds(self, y: FloatArray) -> FloatArray:
        """The speeds v(q, dq/dt)."""
        return self._generalized_speeds(*self._halves(y))[0]

    def projected(self, y: FloatArray) -> FloatArray:
        """The state brought back to the constraints.  Raises OpenError."""
        distance = np.inf
        for _ in range(MOST_PROJECTIONS):
            before = distance
            y, distance = self._projected_once(y)
            if not distance > MARGIN * self._bound or before <= distance <= self._bound:
                break
        if not distance <= self._bound:
            raise OpenError
        self.drift = max(self.drift, distance)
        return y

    def _projected_once(self, y: FloatArray) -> tuple[FloatArray, float]:
        following = np.concatenate(self._projection(*self._halves(y)))
        (phi,) = self._residual(following[: self._nq])
        if not (np.isfinite(following).all() and np.isfinite(phi).all()):
            return y, np.nan
        rates, rates_before = following[self._nq :], y[self._nq :]
        correction = float(np.abs(rates - rates_before).max()) / max(1.0, float(np.abs(rates).max()))
        return following, max(correction, float(np.abs(phi).max(initial=0.0)))

    def _halves(self, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        return y[: self._nq], y[self._nq :]


def kernel_function(arm: Binding, name: str) -> Callable[..., tuple[FloatArray, ...]]:
    """A kernel that returns copies of its outputs, whatever they are: integrators look for what is not finite."""
    bound = arm.bind(name)
    arrays = list(vars(bound).values())

    def call(*inputs: FloatArray) -> tuple[FloatArray, ...]:
        for array, value in zip(arrays, inputs, strict=False):
            array[...] = value
        bound()
        return tuple(array.copy() for array in arrays[len(inputs) :])

    return call


def _no_residual(_: FloatArray) -> tuple[FloatArray, ...]:
    return (np.zeros(0),)
