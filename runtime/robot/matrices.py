"""Matrices of the equations of motion that are made when they are first asked for."""

from __future__ import annotations

from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray
from kanegen.robot.core import Core


class Matrices(Core):
    """The part of a robot that gives matrices beside the mass matrix."""

    def inverse_mass_matrix(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The inverse of the mass matrix (..., nv, nv), full and symmetric: accelerations by forces."""
        result: FloatArray = self._kernels["inverse_mass_matrix"].call(q, out)
        return result

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The matrix C (..., nv, nv) with h = C v + g and dM/dt - 2 C skew-symmetric."""
        result: FloatArray = self._kernels["coriolis_matrix"].call(q, v, out)
        return result

    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The matrix A (..., 6, nv) with A v the momentum about the mass centre, along the base's axes.

        Linear momentum [kg m/s] first, then angular momentum about the mass centre [kg m^2/s].
        """
        result: FloatArray = self._kernels["centroidal_momentum_matrix"].call(q, out)
        return result
