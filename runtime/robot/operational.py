"""Dynamics at a frame: inertia, bias and gravity as forces on chosen rows of its twist feel them, and hand coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray
from kanegen.robot.core import Core, Varied

Rows = Sequence[str] | None
"""Some of "x", "y", "z", "rx", "ry", "rz", in the order of the results; None: all six in this one."""


class OperationalSpace(Core):
    """The part of a robot that describes it in coordinates of a frame.

    J are the chosen ``rows`` of ``frame_jacobian``: velocity of the frame's origin (x, y, z) and angular velocity (rx, ry,
    rz), along the base's axes.  Redundant robots follow the rows with the least kinetic energy.  Every choice of rows is a
    kernel of its own, ``operational_inertia_<frame>`` with all six, ``operational_inertia_<frame>_rows_x_y_rz`` with three.
    ModelError names rows that depend on others in every configuration; where they do in a single one, a singular
    configuration, results are not finite, or large beside it.
    """

    def operational_inertia(
        self,
        q: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The inertia (J M^-1 J^T)^-1 (..., k, k) [kg, kg m, kg m^2] at a frame: forces by accelerations of k rows."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).operational_inertia(q, frame, rows, out=out, threads=threads)
        return self._of_rows("operational_inertia", frame, rows)(q, out, threads)

    def operational_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Forces (..., k) [N, N m] at a frame that keep k rows from being accelerated in the state (q, v).

        With F = inertia @ acceleration + bias, tau = J^T F gives the rows this acceleration.  Gravity, springs, damping and
        friction are in it.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).operational_bias(q, v, frame, rows, out=out, threads=threads)
        return self._of_rows("operational_bias", frame, rows)(q, v, out, threads)

    def operational_gravity(
        self,
        q: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Forces (..., k) [N, N m] at a frame that keep k rows at rest: ``operational_bias`` without motion."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).operational_gravity(q, frame, rows, out=out, threads=threads)
        return self._of_rows("operational_gravity", frame, rows)(q, out, threads)

    def hand_inertia(
        self,
        q: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Freeman & Tesar's effective inertia I* (..., k, k) in hand coordinates: ``operational_inertia``."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).hand_inertia(q, frame, rows, out=out, threads=threads)
        return self._of_rows("hand_inertia", frame, rows)(q, out, threads)

    def hand_power(
        self,
        q: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Freeman & Tesar's inertia power array P* (..., k, k, k) in hand coordinates, planes symmetric.

        Inertia alone asks for the forces e^T P*[i] e where the rows keep their rates e.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).hand_power(q, frame, rows, out=out, threads=threads)
        return self._of_rows("hand_power", frame, rows)(q, out, threads)

    def hand_damping(
        self,
        q: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Freeman & Tesar's effective damping C* (..., k, k) [N s/m, N s, N m s] in hand coordinates."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).hand_damping(q, frame, rows, out=out, threads=threads)
        return self._of_rows("hand_damping", frame, rows)(q, out, threads)

    def hand_stiffness(
        self,
        q: ArrayLike,
        frame: str,
        rows: Rows = None,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Freeman & Tesar's effective spring rate K* (..., k, k) [N/m, N, N m]: springs' forces at the hand by its rows.

        It is symmetric where there are as many rows as speeds, and these are rates of coordinates, as in translation.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).hand_stiffness(q, frame, rows, out=out, threads=threads)
        return self._of_rows("hand_stiffness", frame, rows)(q, out, threads)
