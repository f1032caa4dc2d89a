"""First derivatives of the dynamics, and small motions: linearised equations, natural frequencies and modes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values
from kanegen.errors import KanegenError
from kanegen.robot.core import Core, Varied


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


class Linearisation(NamedTuple):
    """Equations of small changes about a state: M da + C dv + K dq = dtau, each matrix (..., nv, nv).

    ``dq`` is a small step along the speeds; it changes at the rate dv at rest, and where speeds are rates of coordinates.
    ``C`` has damping and gyroscopic effects, ``K`` stiffness, weight and what the motion itself adds.  Of friction, ``C``
    has the part in proportion to the rates: Coulomb friction is no linear resistance, however small a motion is.
    """

    M: FloatArray
    C: FloatArray
    K: FloatArray


class NaturalModes(NamedTuple):
    """Free vibrations about a configuration at rest, lowest first; k of them.

    ``frequencies`` (k,) [rad/s]; a negative one is no vibration, but the rate at which the configuration is left.
    ``shapes`` (nv, k): columns of coordinates with shape^T M shape = 1; those held are zero.  ``damping`` (k,): ratios
    to critical damping, each mode by itself; NaN where nothing vibrates.
    """

    frequencies: FloatArray
    shapes: FloatArray
    damping: FloatArray


Three = tuple[FloatArray, FloatArray, FloatArray]

_FAST, _GOLDEN = 1e3, 0.6180339887498949


class Derivatives(Core):
    """The part of a robot that gives derivatives, and looks at small motions."""

    def inverse_dynamics_derivatives(
        self,
        q: Values,
        v: Values,
        a: Values,
        *,
        out: Three | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> InverseDynamicsDerivatives:
        """Derivatives ``.dq``, ``.dv``, ``.da`` (..., nv, nv) of ``inverse_dynamics``; ``out``: three arrays."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).inverse_dynamics_derivatives(q, v, a, out=out, threads=threads)
        return InverseDynamicsDerivatives(
            *self._obtained("inverse_dynamics_derivatives")(q, v, a, out, threads)
        )

    def forward_dynamics_derivatives(
        self,
        q: Values,
        v: Values,
        tau: Values,
        *,
        out: Three | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> ForwardDynamicsDerivatives:
        """Derivatives ``.dq``, ``.dv``, ``.dtau`` (..., nv, nv) of ``forward_dynamics``; ``out``: three arrays."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).forward_dynamics_derivatives(
                q, v, tau, out=out, threads=threads
            )
        return ForwardDynamicsDerivatives(
            *self._obtained("forward_dynamics_derivatives")(q, v, tau, out, threads)
        )

    def inverse_dynamics_parameter_derivatives(
        self,
        q: Values,
        v: Values,
        a: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Derivatives (..., nv, np) of ``inverse_dynamics`` with respect to the live ``parameters``, in their order."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).inverse_dynamics_parameter_derivatives(
                q, v, a, out=out, threads=threads
            )
        return self._obtained("inverse_dynamics_parameter_derivatives")(q, v, a, out, threads)

    def forward_dynamics_parameter_derivatives(
        self,
        q: Values,
        v: Values,
        tau: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Derivatives (..., nv, np) of ``forward_dynamics`` with respect to the live ``parameters``, in their order."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).forward_dynamics_parameter_derivatives(
                q, v, tau, out=out, threads=threads
            )
        return self._obtained("forward_dynamics_parameter_derivatives")(q, v, tau, out, threads)

    def linearise(
        self,
        q: Values,
        v: Values | None = None,
        a: Values | None = None,
        *,
        threads: int = 1,
        t: ArrayLike | None = None,
    ) -> Linearisation:
        """The linearised equations of motion about a state (q, v) with accelerations ``a``; zero where not given.

        Coulomb friction of joints is left out of C.  ``inverse_dynamics_derivatives`` has it, smooth as it is in the
        dynamics: f / s at rest, a damper that only holds for rates far below s = 0.01 rad/s or m/s.  Force elements count
        with their slope at ``v``.  Raises KanegenError for Coulomb friction beside elements whose resistance is not linear
        in rates.
        """
        if t is not None:
            return self._at(t).linearise(q, v, a, threads=threads)
        rest = np.zeros(self.nv)
        state = (rest if v is None else v, rest if a is None else a)
        found = self.inverse_dynamics_derivatives(q, *state, threads=threads)
        C = self._viscous(q, *state, threads) if self._manifest.coulomb_friction else found.dv
        return Linearisation(found.da, C, found.dq)

    def _viscous(self, q: Values, v: Values, a: Values, threads: int) -> FloatArray:
        """The derivatives (..., nv, nv) of inverse dynamics by v without those of Coulomb friction.

        Forces are of second degree in v, but for this friction, so that their derivatives at v are the mean of those at
        v + w and v - w.  Where w is fast, Coulomb friction f has the derivative f s^2 / |w|^3 there: 1e-13 f at 1000 rad/s.
        Raises KanegenError where force elements resist in another way.
        """
        if self._manifest.nonlinear_resistance:
            names = ", ".join(map(repr, self._manifest.nonlinear_resistance))
            raise KanegenError(
                f"{self.name}: Coulomb friction of joints, which has no part in linearised equations, cannot be told from "
                f"the resistance of {names}, which is not linear in rates. Load the model without friction of its joints, "
                "or take inverse_dynamics_derivatives, which have both"
            )
        # No joint's rate is zero under these, whichever speeds it follows: they are no multiples of each other.
        w = _FAST * (1.0 + np.modf(_GOLDEN * np.arange(1.0, self.nv + 1.0))[0])
        speeds = self.speeds(v)
        fast, back = (
            self.inverse_dynamics_derivatives(q, speeds + x, a, threads=threads).dv for x in (w, -w)
        )
        mean: FloatArray = (fast + back) / 2
        return mean

    def natural_modes(
        self, q: Values, held: Iterable[str] | str = (), *, t: ArrayLike | None = None
    ) -> NaturalModes:
        """Natural frequencies and modes about a configuration (nq,) at rest, forces being what they are.

        Ratios of damping are those of viscous damping alone: Coulomb friction stops a vibration, it does not damp it in
        proportion.
        ``held`` names coordinates that do not move; "joints" stands for all but the modes of flexible links.  Raises
        KanegenError for names that are no speeds, where nothing is left to move, and where the mass matrix is singular.
        """
        if t is not None:
            return self._at(t).natural_modes(q, held)
        state = self._one_configuration("natural_modes", q)
        names = self.speed_names
        if isinstance(held, str) and held in names:
            held = (held,)
        if held == "joints":
            held = [name for name in names if name not in self.mode_names]
        if isinstance(held, str) or not isinstance(held, Iterable) or not set(held) <= set(names):
            known = isinstance(held, Iterable) and not isinstance(held, str)
            wrong = [name for name in held if name not in names] if known else held
            raise KanegenError(
                f"held: {wrong!r} is no speed of {self.name}; expected some of {', '.join(names)}"
            )
        fixed = set(held)
        free = [k for k, name in enumerate(names) if name not in fixed]
        if not free:
            raise KanegenError(f"held: nothing of {self.name} is left to move. Hold fewer coordinates")
        M, C, K = (matrix[np.ix_(free, free)] for matrix in self.linearise(state))
        try:
            lower = np.linalg.cholesky((M + M.T) / 2)
        except np.linalg.LinAlgError:
            raise KanegenError(f"{self.name}: the mass matrix is not positive definite at this q") from None
        inverse = np.linalg.inv(lower)
        squares, vectors = np.linalg.eigh(inverse @ (K + K.T) / 2 @ inverse.T)
        frequencies = np.sign(squares) * np.sqrt(np.abs(squares))
        small = inverse.T @ vectors
        shapes = np.zeros((self.nv, len(free)))
        shapes[free] = small
        with np.errstate(divide="ignore", invalid="ignore"):
            damping = np.einsum("ik,ij,jk->k", small, C, small) / (2 * frequencies)
        return NaturalModes(frequencies, shapes, np.where(frequencies > 0, damping, np.nan))
