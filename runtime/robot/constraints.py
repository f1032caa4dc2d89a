"""Loops, rolling contacts and other constraints."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values
from kanegen.errors import did_you_mean
from kanegen.manifest import BodyCoordinates, Constraints
from kanegen.quaternions import normalised
from kanegen.robot.assembly import assemble
from kanegen.robot.core import Core, Varied


class ConstraintKernels(Core):
    """The part of a robot that knows what restricts its motion."""

    def constraint_residual(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Residuals phi (..., k) of the equations of position, zero where loops are closed; see ``constraints``."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).constraint_residual(q, out=out, threads=threads)
        return self._constraint_residual(q, out, threads)

    def constraint_jacobian(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The matrix A (..., m, nq) of the constraints on dq/dt: derivatives of phi, then equations of velocity."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).constraint_jacobian(q, out=out, threads=threads)
        return self._constraint_jacobian(q, out, threads)

    def constraint_forces(
        self,
        q: Values,
        v: Values = (),
        a: Values = (),
        out: FloatArray | None = None,
        *,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Forces that enforce the constraints in a motion, in the order of ``constraints.forces``.

        The multipliers of the m rows (zero for redundant ones), which act on the coordinates with A^T times them, then
        the forces that hold or drive prescribed joints [N m, N].
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).constraint_forces(q, v, a, out, threads=threads)
        return self._constraint_forces(q, v, a, out, threads)

    def assemble(
        self, q: Values | None = None, *, hold: Sequence[str] = (), t: ArrayLike | None = None
    ) -> FloatArray:
        """The configuration (nq,) nearest to q (nq,), home by default, in which the equations of position hold.

        It is the nearest one that goes downhill from q, at distance |q - q0| in rad and the mechanism's own unit of length
        (a metre from 3 cm to 32 m), with those that ``hold`` names as they are in q.  Quaternions have length one in it,
        whatever their lengths are in q.
        Raises AssemblyError, which says what stays open by how much, and ValueError for a name that is no coordinate's.
        """
        if t is not None:
            return self._at(t).assemble(q, hold=hold)
        manifest = self._manifest
        start = self._one_configuration("assemble", q)
        report = self.constraints
        if report is None or not report.position:
            return start
        start = normalised(start, manifest.quaternions)
        names = self.coordinate_names
        for name in hold:
            if name not in names:
                cure = did_you_mean(name, names, f"There are {', '.join(names)}.")
                raise ValueError(f"assemble, hold: {name!r} is no coordinate. {cure}")
        held = [names.index(name) for name in hold]
        found = assemble(
            manifest.name, report, self.constraint_residual, self.constraint_jacobian, start, held
        )
        return normalised(found, manifest.quaternions)

    @property
    def constraints(self) -> Constraints | None:
        """Names of the constraints, their rank, what is redundant; None where only joints determine the motion."""
        return self._manifest.constraints

    @property
    def body_coordinates(self) -> BodyCoordinates | None:
        """Names of bodies, joints and constraints; None for a robot without kernels in the coordinates of its bodies."""
        return self._manifest.body_coordinates
