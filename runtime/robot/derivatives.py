"""First derivatives of the dynamics."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray
from kanegen.robot.core import Core


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of tau(q, v, a), each (..., nv, nv): row i has those of tau_i.

    ``dq`` with respect to q: column j is the derivative along a motion in which speed j is one and the others are zero, at
    constant v and a; for joints of one degree of freedom that is dtau/dq_j.  ``dv`` with respect to v.  ``da`` with respect
    to a, which is the mass matrix.
    """

    dq: FloatArray
    dv: FloatArray
    da: FloatArray


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of a(q, v, tau), each (..., nv, nv): row i has those of a_i.

    ``dq`` and ``dv`` as in ``InverseDynamicsDerivatives``, at constant tau.  ``dtau`` with respect to tau, which is the
    inverse of the mass matrix.
    """

    dq: FloatArray
    dv: FloatArray
    dtau: FloatArray


Three = tuple[FloatArray, FloatArray, FloatArray]


class Derivatives(Core):
    """The part of a robot that gives derivatives."""

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Three | None = None
    ) -> InverseDynamicsDerivatives:
        """Derivatives ``.dq``, ``.dv``, ``.da`` (..., nv, nv) of ``inverse_dynamics``; ``out``: three arrays."""
        return InverseDynamicsDerivatives(*self._kernels["inverse_dynamics_derivatives"].call(q, v, a, out))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: Three | None = None
    ) -> ForwardDynamicsDerivatives:
        """Derivatives ``.dq``, ``.dv``, ``.dtau`` (..., nv, nv) of ``forward_dynamics``; ``out``: three arrays."""
        return ForwardDynamicsDerivatives(*self._kernels["forward_dynamics_derivatives"].call(q, v, tau, out))

    def inverse_dynamics_parameter_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: FloatArray | None = None
    ) -> FloatArray:
        """Derivatives (..., nv, np) of ``inverse_dynamics`` with respect to the live ``parameters``, in their order."""
        result: FloatArray = self._kernels["inverse_dynamics_parameter_derivatives"].call(q, v, a, out)
        return result

    def forward_dynamics_parameter_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, out: FloatArray | None = None
    ) -> FloatArray:
        """Derivatives (..., nv, np) of ``forward_dynamics`` with respect to the live ``parameters``, in their order."""
        result: FloatArray = self._kernels["forward_dynamics_parameter_derivatives"].call(q, v, tau, out)
        return result
