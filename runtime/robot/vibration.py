"""Small motions about a configuration: linearised equations, natural frequencies and modes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray
from kanegen.errors import KanegenError
from kanegen.robot.derivatives import Derivatives
from kanegen.robot.description import Description


class Linearisation(NamedTuple):
    """Equations of small changes about a state: M da + C dv + K dq = dtau, each matrix (..., nv, nv).

    ``C`` has damping and gyroscopic effects, ``K`` stiffness, weight and what the motion itself adds.
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


class Vibration(Derivatives, Description):
    """The part of a robot that looks at small motions."""

    def linearise(
        self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None
    ) -> Linearisation:
        """The linearised equations of motion about a state (q, v) with accelerations ``a``; zero where not given."""
        rest = np.zeros(self.nv)
        found = self.inverse_dynamics_derivatives(q, rest if v is None else v, rest if a is None else a)
        return Linearisation(found.da, found.dv, found.dq)

    def natural_modes(self, q: ArrayLike, held: Iterable[str] | str = ()) -> NaturalModes:
        """Natural frequencies and modes about a configuration (nq,) at rest, forces being what they are.

        ``held`` names coordinates that do not move; "joints" stands for all but the modes of flexible links.  Raises
        KanegenError for names that are no speeds, where nothing is left to move, and where the mass matrix is singular.
        """
        state = np.asarray(q, dtype=np.float64)
        if state.shape != (self.nq,):
            raise ValueError(f"natural_modes: q must be one configuration ({self.nq},), got {state.shape}")
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
        M, C, K = (matrix[np.ix_(free, free)] for matrix in self.linearise(q))
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
