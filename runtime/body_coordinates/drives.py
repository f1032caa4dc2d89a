"""What is driven: coordinates of joints, and struts between two points; their rows, and what they are at given bodies.

A drive of a joint (33) is written so that its gradient times dx/dt is the rate of the coordinate.  That of a strut is
l . l - L^2 (35), whose gradient times dx/dt is 2 |l| d|l|/dt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.body_coordinates.kernels import BodyKernels, joint_coordinates, shortest


class Drives:
    """The driven quantities ``names``, in order: coordinates [rad, m], or struts by their lengths [m].

    Vectors named q, v, a and tau have an entry for each of them.
    """

    def __init__(
        self, mechanism: str, kernels: BodyKernels, coordinates: Sequence[str], names: Sequence[str]
    ) -> None:
        """Raises ValueError for unknown names."""
        self.kernels, self.names = kernels, tuple(names)
        struts = kernels.names.struts
        for name in names:
            if name not in coordinates and name not in struts:
                known = ", ".join((*coordinates, *struts))
                what = "no coordinate and no strut" if struts else "no coordinate"
                raise ValueError(
                    f"driven: {name!r} is {what} of {mechanism}, which are {known}. "
                    "Name one for each degree of freedom"
                )
        self.is_joint = np.array([name in coordinates for name in names], dtype=np.bool_)
        self.joints = [coordinates.index(name) for name in names if name in coordinates]
        """Their indices among the coordinates."""
        self.struts = [struts.index(name) for name in names if name not in coordinates]
        """Their indices among the struts."""

    def __len__(self) -> int:
        return len(self.names)

    # ---- values ----

    def on_joints(self, values: FloatArray, others: FloatArray) -> FloatArray:
        """A vector on all coordinates (nq,): ``values`` on the driven ones, ``others`` (nq,) on the rest."""
        every = others.copy()
        every[self.joints] = values[self.is_joint]
        return every

    def checked_lengths(self, q: FloatArray) -> FloatArray:
        """q itself.  Raises ValueError for a strut that is not longer than zero."""
        for name, value in zip(self.names, q.tolist(), strict=True):
            if name in self._strut_names and not value > 0.0:
                raise ValueError(f"q: {name!r} stands for a length, and {value!r} is not above zero")
        return q

    @property
    def _strut_names(self) -> tuple[str, ...]:
        return tuple(self.kernels.names.struts[k] for k in self.struts)

    def lengths(self, x: FloatArray) -> FloatArray:
        """Lengths of all struts of the mechanism (ns,)."""
        squares = self.kernels.strut(x, np.zeros(len(self.kernels.names.struts)))
        return np.sqrt(np.maximum(squares, 0.0))

    def values(self, x: FloatArray) -> FloatArray:
        """q at the bodies' coordinates x (7n,); angles within half a turn of zero."""
        return self._merged(
            joint_coordinates(self.kernels, x)[self.joints],
            self.lengths(x)[self.struts] if self.struts else np.zeros(0),
        )

    def way(self, x: FloatArray, q: FloatArray) -> FloatArray:
        """How far q is from the values at x: angles the shorter way round."""
        change = q - self.values(x)
        every = self.on_joints(change, np.zeros(self.kernels.nq))
        change[self.is_joint] = shortest(self.kernels, every)[self.joints]
        return change

    # ---- rows ----

    def residual(self, x: FloatArray, q: FloatArray) -> FloatArray:
        """Phi_A (driven,)."""
        kernels = self.kernels
        of_joints = kernels.drive(x, self.on_joints(q, np.zeros(kernels.nq)))[self.joints]
        if not self.struts:
            return of_joints
        lengths = np.zeros(len(kernels.names.struts))
        lengths[self.struts] = q[~self.is_joint]
        return self._merged(of_joints, kernels.strut(x, lengths)[self.struts])

    def jacobian(self, x: FloatArray, q: FloatArray) -> FloatArray:
        """Phi_A,x (driven, 7n), with joints driven to q."""
        every = self.on_joints(q, np.zeros(self.kernels.nq))
        of_joints = self.kernels.drive_jacobian(x, every)[self.joints]
        return (
            self._merged(of_joints, self.kernels.strut_jacobian(x)[self.struts]) if self.struts else of_joints
        )

    def slopes(self, x: FloatArray) -> FloatArray:
        """What Phi_A,x dx/dt is for each unit of v, in the position x (driven,): 1 for joints, 2 |l| for struts."""
        factors = np.ones(len(self.names))
        if self.struts:
            factors[~self.is_joint] = 2.0 * self.lengths(x)[self.struts]
        return factors

    def gamma(self, x: FloatArray, xdot: FloatArray, a: FloatArray) -> FloatArray:
        """gamma_A (driven,) at accelerations a, in a motion that the drives follow."""
        kernels = self.kernels
        q = joint_coordinates(kernels, x)
        rates = kernels.drive_jacobian(x, q) @ xdot
        changes = self.on_joints(a, np.zeros(kernels.nq))
        of_joints = kernels.drive_gamma(x, xdot, q, rates, changes)[self.joints]
        if not self.struts:
            return of_joints
        lengths = self.lengths(x)
        speeds, accelerations = np.zeros_like(lengths), np.zeros_like(lengths)
        twice = kernels.strut_jacobian(x) @ xdot
        speeds[lengths > 0.0] = twice[lengths > 0.0] / (2.0 * lengths[lengths > 0.0])
        accelerations[self.struts] = a[~self.is_joint]
        return self._merged(
            of_joints, kernels.strut_gamma(x, xdot, lengths, speeds, accelerations)[self.struts]
        )

    # ---- forces ----

    def forces(self, x: FloatArray, q: FloatArray, multipliers: FloatArray) -> FloatArray:
        """tau of the multipliers (driven,) of the rows, at all coordinates q (nq,) of the tree: (30) to (36)."""
        kernels = self.kernels
        every = self.on_joints(multipliers, np.zeros(kernels.nq))
        of_joints = kernels.actuator_forces(x, q, every)[self.joints]
        if not self.struts:
            return of_joints
        of_struts = np.zeros(len(kernels.names.struts))
        of_struts[self.struts] = multipliers[~self.is_joint]
        return self._merged(of_joints, kernels.strut_forces(x, of_struts)[self.struts])

    def on_bodies(self, x: FloatArray, q: FloatArray, tau: FloatArray) -> FloatArray:
        """Generalized forces on x (7n,) of forces tau, at all coordinates q (nq,) of the tree; their power is tau . v.

        Not a number where a strut has no length: its force has no direction there.
        """
        exerted: FloatArray = self.kernels.drive_jacobian(x, q)[self.joints].T @ tau[self.is_joint]
        if not self.struts:
            return exerted
        twice = 2.0 * self.lengths(x)[self.struts]
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = tau[~self.is_joint] / twice
            return exerted + self.kernels.strut_jacobian(x)[self.struts].T @ shares

    def _merged(self, of_joints: FloatArray, of_struts: FloatArray) -> FloatArray:
        """Entries or rows of joints and of struts in the order of the names."""
        found = np.empty((len(self.names), *of_joints.shape[1:]))
        found[self.is_joint], found[~self.is_joint] = of_joints, of_struts
        return found
