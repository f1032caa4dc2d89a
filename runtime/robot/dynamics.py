"""Forces, accelerations and energy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, checked_output, real_array
from kanegen.backends import Backend
from kanegen.kernel_table import More
from kanegen.manifest import Manifest
from kanegen.robot.core import ParameterCheck
from kanegen.robot.kinematics import Kinematics

External = Mapping[str, ArrayLike]
"""Wrenches on frames by the frames' names: (..., 6), force [N], then moment about the frame's origin [N m], base axes."""


class Dynamics(Kinematics):
    """The part of a robot that relates forces and motion."""

    def __init__(
        self,
        manifest: Manifest,
        backend: Backend,
        more: More | None = None,
        check: ParameterCheck | None = None,
    ) -> None:
        super().__init__(manifest, backend, more, check)
        self._inverse_dynamics = self._kernels.call_of("inverse_dynamics")
        self._forward_dynamics = self._kernels.call_of("forward_dynamics")
        self._bias_forces = self._kernels.call_of("bias_forces")
        self._gravity_forces = self._kernels.call_of("gravity_forces")
        self._mass_matrix = self._kernels.call_of("mass_matrix")
        self._kinetic_energy = self._kernels.call_of("kinetic_energy")
        self._potential_energy = self._kernels.call_of("potential_energy")
        self._momentum = self._kernels.call_of("momentum")

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        out: FloatArray | None = None,
        *,
        external: External | None = None,
    ) -> FloatArray:
        """Generalized forces tau (..., nv) [N m, N] that give the accelerations ``a`` in the state (q, v).

        ``external`` are wrenches that others exert on the robot, ``{frame: (..., 6)}``: force [N], then moment about the
        frame's origin [N m], along the base's axes.  tau is then less by J^T times each of them.
        """
        if external:
            return self._inverse_dynamics_under(q, v, a, out, external)
        result: FloatArray = self._inverse_dynamics(q, v, a, out)
        return result

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        out: FloatArray | None = None,
        *,
        external: External | None = None,
    ) -> FloatArray:
        """Accelerations (..., nv) under the generalized forces ``tau`` in the state (q, v).

        ``external`` are wrenches on frames as in ``inverse_dynamics``; they act beside tau.
        """
        if external:
            spec = self._kernels["forward_dynamics"].spec
            tau = real_array(spec.name, spec.inputs[2], tau) + self._external_forces(q, external)
        result: FloatArray = self._forward_dynamics(q, v, tau, out)
        return result

    def mass_matrix(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The mass matrix M (..., nv, nv), full and symmetric."""
        result: FloatArray = self._mass_matrix(q, out)
        return result

    def bias_forces(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Coriolis, centrifugal and gravity forces h (..., nv); tau = M a + h."""
        result: FloatArray = self._bias_forces(q, v, out)
        return result

    def gravity_forces(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Generalized forces g (..., nv) that hold the mechanism still against gravity."""
        result: FloatArray = self._gravity_forces(q, out)
        return result

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Kinetic energy (...) [J]; a NumPy scalar for one state."""
        result: FloatArray = self._kinetic_energy(q, v, out)
        return result

    def potential_energy(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Potential energy (...) [J] of weight, zero at the origin of the base, and of springs and bent links."""
        result: FloatArray = self._potential_energy(q, out)
        return result

    def elastic_energy(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Energy (...) [J] stored in bent links; for mechanisms with flexible links."""
        result: FloatArray = self._kernels["elastic_energy"].call(q, out)
        return result

    def gravity_energy(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Energy (...) [J] of weight alone, zero at the origin of the base; for mechanisms with flexible links."""
        result: FloatArray = self._kernels["gravity_energy"].call(q, out)
        return result

    def momentum(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Momentum (..., 6): linear [kg m/s], then angular about the base origin [kg m^2/s], in the base frame."""
        result: FloatArray = self._momentum(q, v, out)
        return result

    rnea = inverse_dynamics
    aba = forward_dynamics
    crba = mass_matrix

    def _inverse_dynamics_under(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: FloatArray | None, external: External
    ) -> FloatArray:
        alone: FloatArray = self._inverse_dynamics(q, v, a, None)
        tau: FloatArray = alone - self._external_forces(q, external)
        if out is None:
            return tau
        spec = self._kernels["inverse_dynamics"].spec
        result = checked_output(spec, spec.outputs[0], out, tau.shape[:-1])
        result[...] = tau
        return result

    def _external_forces(self, q: ArrayLike, external: External) -> FloatArray:
        """Generalized forces (..., nv) of wrenches on frames."""
        if not isinstance(external, Mapping):
            raise TypeError(
                f"external: expected wrenches by the names of frames, {{'tool': [fx, fy, fz, mx, my, mz]}}, got {external!r}"
            )
        found = [self.frame_forces(q, wrench, frame) for frame, wrench in external.items()]
        total: FloatArray = found[0]
        for forces in found[1:]:
            total = np.add(total, forces)
        return total
