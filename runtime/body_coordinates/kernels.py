"""The kernels of a robot in body coordinates, as functions of single states; coordinates of joints from those of bodies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import MissingKernelError
from kanegen.manifest import BodyCoordinates
from kanegen.simulation.arm import kernel_function

SIZE = 7
"""Coordinates of a body: three of the mass centre, four Euler parameters."""

KERNELS = (
    "body_coordinates",
    "body_rates",
    "joint_constraints",
    "joint_constraint_jacobian",
    "joint_constraint_gamma",
    "driving_constraints",
    "driving_constraint_jacobian",
    "driving_constraint_gamma",
    "body_mass_matrix",
    "body_forces",
    "actuator_forces",
    "joint_reactions",
)
"""The kernels that are needed."""

STRUT_KERNELS = ("strut_constraints", "strut_constraint_jacobian", "strut_constraint_gamma", "strut_forces")
"""Further kernels that are needed where struts drive the mechanism."""


class BodyRobot(Protocol):
    """What is needed of a robot: see ``kanegen.Robot``."""

    @property
    def name(self) -> str:
        """Name of the mechanism, for messages."""

    @property
    def coordinate_names(self) -> Sequence[str]:
        """Names of the coordinates of the tree, q."""

    @property
    def speed_names(self) -> Sequence[str]:
        """Names of the generalized speeds: of coordinates whose rates they are, or others."""

    @property
    def home(self) -> FloatArray:
        """A configuration (nq,) in which the loops can be closed."""

    @property
    def body_coordinates(self) -> BodyCoordinates | None:
        """Names of bodies, joints and rows; None for a robot without kernels in body coordinates."""

    @property
    def kernels(self) -> Collection[str]:
        """Names of its kernels."""

    def bind(self, name: str, /) -> Any:
        """A kernel as a callable without arguments, whose instance attributes are its inputs and outputs."""


class BodyKernels:
    """The kernels as functions that take and return arrays of doubles; n bodies, nq coordinates, k constraints of joints.

    Jacobians are those with respect to x.  In a driven position the driving Jacobian times dx/dt is dq/dt.  Those of
    struts, of which there are ns with lengths l, are there where the mechanism has any.
    """

    def __init__(self, robot: BodyRobot) -> None:
        """Raises MissingKernelError for a robot that was loaded without these kernels."""
        names = robot.body_coordinates
        wanted = KERNELS if names is None or not names.struts else (*KERNELS, *STRUT_KERNELS)
        missing = [name for name in wanted if name not in robot.kernels]
        if missing or names is None:
            raise MissingKernelError(
                f"{robot.name} has no {missing[0] if missing else 'names of bodies'}: it was loaded without body "
                'coordinates. Load it with kanegen.load(model, formulation="euler_parameters")'
            )
        self.names = names
        self.nq = len(robot.coordinate_names)
        self.size = SIZE * len(names.bodies)
        self.joint_rows = len(names.rows) - len(names.bodies)
        """Rows before those of the normalisation."""

        def single(name: str) -> Callable[..., FloatArray]:
            function = kernel_function(robot, name)
            return lambda *inputs: function(*inputs)[0]

        self.coordinates = single("body_coordinates")
        """x(q)."""
        self.rates = single("body_rates")
        """dx/dt (q, v)."""
        self.phi = single("joint_constraints")
        """Phi(x) (k,)."""
        self.jacobian = single("joint_constraint_jacobian")
        """Phi_x(x) (k, 7n)."""
        self.gamma = single("joint_constraint_gamma")
        """gamma(x, dx/dt) (k,)."""
        self.drive = single("driving_constraints")
        """Phi_A(x, q) (nq,)."""
        self.drive_jacobian = single("driving_constraint_jacobian")
        """Phi_A,x(x, q) (nq, 7n)."""
        self.drive_gamma = single("driving_constraint_gamma")
        """gamma_A(x, dx/dt, q, v, a) (nq,)."""
        self.mass_matrix = single("body_mass_matrix")
        """M(x) (7n, 7n)."""
        self.actuator_forces = single("actuator_forces")
        """tau(x, q, lambda) (nq,)."""
        self.joint_reactions = single("joint_reactions")
        """R(x, lambda) (joints, 6)."""
        if names.struts:
            self.strut = single("strut_constraints")
            """Phi_S(x, l) (ns,): squares of the lengths at x, less those of l."""
            self.strut_jacobian = single("strut_constraint_jacobian")
            """Phi_S,x(x) (ns, 7n)."""
            self.strut_gamma = single("strut_constraint_gamma")
            """gamma_S(x, dx/dt, l, dl/dt, d2l/dt2) (ns,)."""
            self.strut_forces = single("strut_forces")
            """f(x, lambda) (ns,)."""
        self._forces = single("body_forces")
        # Where a spring or damper acts on a joint, its coordinate is a third input.
        self._forces_take_q = len(vars(robot.bind("body_forces"))) == 4
        self._turns = self._which_turn(robot.home)

    def forces(self, x: FloatArray, xdot: FloatArray, q: FloatArray) -> FloatArray:
        """g(x, dx/dt) (7n,), with springs at the coordinates q."""
        return self._forces(x, xdot, q) if self._forces_take_q else self._forces(x, xdot)

    @property
    def turns(self) -> FloatArray:
        """Period of each coordinate (nq,): 2 pi rad of one that turns, infinite of one that slides."""
        return self._turns

    def _which_turn(self, home: FloatArray) -> FloatArray:
        """The drives of turns, and only these, are periodic in q.

        Over a whole turn a sine changes by roundings alone, the drive of a slide by 2 pi metres.
        """
        x = self.coordinates(home)
        change = self.drive(x, np.full(self.nq, 2 * np.pi)) - self.drive(x, np.zeros(self.nq))
        return np.where(np.abs(change) < 1.0, 2 * np.pi, np.inf)


def joint_coordinates(kernels: BodyKernels, x: FloatArray, near: FloatArray | None = None) -> FloatArray:
    """q (nq,) of the bodies at x (7n,): angles next to those of ``near`` (nq,), by default within half a turn of zero.

    The drive of a turn is sin(theta - q) = sin(theta) cos(q) - cos(theta) sin(q), with theta the angle between directions
    on the two bodies: at q = 0 it is the sine of theta, at q = pi / 2 minus its cosine, so both are known and the angle
    with them.  The drive of a slide is its length less q.
    """
    turns = np.isfinite(kernels.turns)
    at_zero = kernels.drive(x, np.zeros(kernels.nq))
    at_quarter = kernels.drive(x, np.full(kernels.nq, np.pi / 2))
    q = np.where(turns, np.arctan2(at_zero, -at_quarter), at_zero)
    return q if near is None else near + shortest(kernels, q - near)


def shortest(kernels: BodyKernels, difference: FloatArray) -> FloatArray:
    """A difference of coordinates (nq,) without whole turns: angles from -pi to pi."""
    turns = np.isfinite(kernels.turns)
    whole = np.round(np.where(turns, difference, 0.0) / (2 * np.pi))
    result: FloatArray = difference - 2 * np.pi * whole
    return result


def normalised(bodies: Sequence[str], x: FloatArray) -> FloatArray:
    """x (7n,) with the Euler parameters of each body scaled to norm one.

    Raises ValueError for parameters that are all zero, which say nothing about the rotation.
    """
    scaled = x.reshape(-1, SIZE).copy()
    largest = np.abs(scaled[:, 3:]).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest == 0.0)
    if zero.size:
        raise ValueError(
            f"the Euler parameters of {bodies[zero[0]]} are all zero, which is no rotation: give any others, such as "
            "1, 0, 0, 0"
        )
    scaled[:, 3:] /= largest  # their squares may be too large or too small for a double
    scaled[:, 3:] /= np.linalg.norm(scaled[:, 3:], axis=1, keepdims=True)
    return scaled.reshape(-1)
