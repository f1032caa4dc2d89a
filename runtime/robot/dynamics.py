"""Frames, forces, accelerations, energy, and the matrices of the equations of motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values, checked_output, real_array
from kanegen.manifest import Argument
from kanegen.robot.core import Core, Varied

External = Mapping[str, ArrayLike]
"""Wrenches on frames by the frames' names: (..., 6), force [N], then moment about the frame's origin [N m], base axes."""


class Dynamics(Core):
    """The part of a robot that relates forces and motion, and knows where its frames are and how they move."""

    def inverse_dynamics(
        self,
        q: Values,
        v: Values,
        a: Values,
        out: FloatArray | None = None,
        *,
        external: External | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Generalized forces tau (..., nv) [N m, N] that give the accelerations ``a`` in the state (q, v).

        ``external`` are wrenches that others exert on the robot, ``{frame: (..., 6)}``: force [N], then moment about the
        frame's origin [N m], along the base's axes.  tau is then less by J^T times each of them.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).inverse_dynamics(
                q, v, a, out, external=external, threads=threads
            )
        if external:
            return self._inverse_dynamics_under(q, v, a, out, external, threads)
        return self._inverse_dynamics(q, v, a, out, threads)

    def forward_dynamics(
        self,
        q: Values,
        v: Values,
        tau: Values,
        out: FloatArray | None = None,
        *,
        external: External | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Accelerations (..., nv) under the generalized forces ``tau`` in the state (q, v).

        ``external`` are wrenches on frames as in ``inverse_dynamics``; they act beside tau.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).forward_dynamics(
                q, v, tau, out, external=external, threads=threads
            )
        if external:
            spec = self._kernels["forward_dynamics"].spec
            tau = self._array(spec.name, "tau", self.nv, tau) + self._external_forces(q, external, threads)
        return self._forward_dynamics(q, v, tau, out, threads)

    def mass_matrix(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The mass matrix M (..., nv, nv), full and symmetric."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).mass_matrix(q, out=out, threads=threads)
        return self._mass_matrix(q, out, threads)

    def bias_forces(
        self,
        q: Values,
        v: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Coriolis, centrifugal and gravity forces h (..., nv); tau = M a + h."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).bias_forces(q, v, out=out, threads=threads)
        return self._bias_forces(q, v, out, threads)

    def gravity_forces(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Generalized forces g (..., nv) that hold the mechanism still against gravity."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).gravity_forces(q, out=out, threads=threads)
        return self._gravity_forces(q, out, threads)

    def kinetic_energy(
        self,
        q: Values,
        v: Values = (),
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Kinetic energy (...) [J]; a NumPy scalar for one state."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).kinetic_energy(q, v, out=out, threads=threads)
        return self._kinetic_energy(q, v, out, threads)

    def potential_energy(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Potential energy (...) [J] of weight, zero at the origin of the base, and of springs and bent links."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).potential_energy(q, out=out, threads=threads)
        return self._potential_energy(q, out, threads)

    def elastic_energy(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Energy (...) [J] stored in bent links; for mechanisms with flexible links."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).elastic_energy(q, out=out, threads=threads)
        return self._obtained("elastic_energy")(q, out, threads)

    def gravity_energy(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Energy (...) [J] of weight alone, zero at the origin of the base; for mechanisms with flexible links."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).gravity_energy(q, out=out, threads=threads)
        return self._obtained("gravity_energy")(q, out, threads)

    def momentum(
        self,
        q: Values,
        v: Values = (),
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Momentum (..., 6): linear [kg m/s], then angular about the base origin [kg m^2/s], in the base frame."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).momentum(q, v, out=out, threads=threads)
        return self._momentum(q, v, out, threads)

    def inverse_mass_matrix(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The inverse of the mass matrix (..., nv, nv), full and symmetric: accelerations by forces."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).inverse_mass_matrix(q, out=out, threads=threads)
        return self._obtained("inverse_mass_matrix")(q, out, threads)

    def coriolis_matrix(
        self,
        q: Values,
        v: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The matrix C (..., nv, nv) with h = C v + g and dM/dt - 2 C skew-symmetric."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).coriolis_matrix(q, v, out=out, threads=threads)
        return self._obtained("coriolis_matrix")(q, v, out, threads)

    def centroidal_momentum_matrix(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The matrix A (..., 6, nv) with A v the momentum about the mass centre, along the base's axes.

        Linear momentum [kg m/s] first, then angular momentum about the mass centre [kg m^2/s].
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).centroidal_momentum_matrix(q, out=out, threads=threads)
        return self._obtained("centroidal_momentum_matrix")(q, out, threads)

    # ---- frames ----

    def coordinate_rates(
        self,
        q: Values,
        v: Values = (),
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Time derivatives of the coordinates (..., nq) at the speeds ``v``: dq/dt = N(q) v, and B(q, t) with time."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).coordinate_rates(q, v, out=out, threads=threads)
        return self._coordinate_rates(q, v, out, threads)

    def frame_pose(
        self,
        q: Values,
        frame: str,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Pose of a frame in the base frame: homogeneous matrices (..., 4, 4), lengths in metres."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).frame_pose(q, frame, out=out, threads=threads)
        return self._of_frame("frame_pose", frame)(q, out, threads)

    def frame_jacobian(
        self,
        q: Values,
        frame: str,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Jacobian of a frame (..., 6, nv): velocity of its origin, then angular velocity, both in the base frame."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).frame_jacobian(q, frame, out=out, threads=threads)
        return self._of_frame("frame_jacobian", frame)(q, out, threads)

    def frame_jacobian_rate(
        self,
        q: Values,
        v: Values,
        frame: str,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Time derivative dJ/dt (..., 6, nv) of ``frame_jacobian`` in the state (q, v).

        The frame's acceleration, of its origin and then angular, along the base's axes, is J a + dJ/dt v; where prescribed
        joints or time move it without speeds, what these do by themselves comes to it.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).frame_jacobian_rate(q, v, frame, out=out, threads=threads)
        return self._of_frame("frame_jacobian_rate", frame)(q, v, out, threads)

    def frame_forces(
        self,
        q: Values,
        wrench: ArrayLike,
        frame: str,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """Generalized forces J^T w (..., nv) of a wrench (..., 6) on a frame.

        The wrench is a force [N], then a moment about the frame's origin [N m], both along the base's axes.  A robot that
        cannot obtain this kernel multiplies with the Jacobian.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).frame_forces(q, wrench, frame, out=out, threads=threads)
        name, jacobian = (self._kernels.name_for(what, frame) for what in ("frame_forces", "frame_jacobian"))
        if name in self._kernels or name in self._kernels.obtainable or jacobian not in self._kernels:
            return self._obtained(name)(q, wrench, out, threads)
        given = real_array(name, Argument("wrench", (6,), "", ""), wrench)
        J = self._obtained(jacobian)(q, None, threads)
        forces: FloatArray = np.einsum("...ij,...i->...j", J, np.asarray(given, dtype=np.float64))
        if out is None:
            return forces
        spec = replace(self._kernels[jacobian].spec, name=name)
        argument = Argument("tau", (self._manifest.nv,), "", "")
        result = checked_output(spec, argument, out, forces.shape[:-1])
        result[...] = forces
        return result

    def center_of_mass(
        self,
        q: Values,
        *,
        out: FloatArray | None = None,
        threads: int = 1,
        t: ArrayLike | None = None,
        parameters: Varied | None = None,
    ) -> FloatArray:
        """The mass centre of all moving bodies (..., 3) [m] in the base frame."""
        if t is not None or parameters is not None:
            return self._given(t, parameters).center_of_mass(q, out=out, threads=threads)
        return self._obtained("center_of_mass")(q, out, threads)

    rnea = inverse_dynamics
    aba = forward_dynamics
    crba = mass_matrix

    def _inverse_dynamics_under(
        self, q: Values, v: Values, a: Values, out: FloatArray | None, external: External, threads: int
    ) -> FloatArray:
        alone: FloatArray = self._inverse_dynamics(q, v, a, None, threads)
        tau: FloatArray = alone - self._external_forces(q, external, threads)
        if out is None:
            return tau
        spec = self._kernels["inverse_dynamics"].spec
        result = checked_output(spec, spec.outputs[0], out, tau.shape[:-1])
        result[...] = tau
        return result

    def _external_forces(self, q: Values, external: External, threads: int) -> FloatArray:
        """Generalized forces (..., nv) of wrenches on frames."""
        if not isinstance(external, Mapping):
            raise TypeError(
                f"external: expected wrenches by the names of frames, {{'tool': [fx, fy, fz, mx, my, mz]}}, got {external!r}"
            )
        found = [self.frame_forces(q, wrench, frame, threads=threads) for frame, wrench in external.items()]
        total: FloatArray = found[0]
        for forces in found[1:]:
            total = np.add(total, forces)
        return total
