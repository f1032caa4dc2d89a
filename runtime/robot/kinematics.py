"""Places and velocities of frames, and the forces that act on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, checked_output, real_array
from kanegen.backends import Backend
from kanegen.kernel_table import More
from kanegen.manifest import Argument, Manifest
from kanegen.robot.core import Core, ParameterCheck


class Kinematics(Core):
    """The part of a robot that knows where its frames are and how they move."""

    def __init__(
        self,
        manifest: Manifest,
        backend: Backend,
        more: More | None = None,
        check: ParameterCheck | None = None,
    ) -> None:
        super().__init__(manifest, backend, more, check)
        self._coordinate_rates = self._kernels.call_of("coordinate_rates")

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Time derivatives of the coordinates (..., nq) at the speeds ``v``: dq/dt = N(q) v."""
        result: FloatArray = self._coordinate_rates(q, v, out)
        return result

    def frame_pose(self, q: ArrayLike, frame: str, *, out: FloatArray | None = None) -> FloatArray:
        """Pose of a frame in the base frame: homogeneous matrices (..., 4, 4), lengths in metres."""
        result: FloatArray = self._kernels.of_frame("frame_pose", frame).call(q, out)
        return result

    def frame_jacobian(self, q: ArrayLike, frame: str, *, out: FloatArray | None = None) -> FloatArray:
        """Jacobian of a frame (..., 6, nv): velocity of its origin, then angular velocity, both in the base frame."""
        result: FloatArray = self._kernels.of_frame("frame_jacobian", frame).call(q, out)
        return result

    def frame_jacobian_rate(
        self, q: ArrayLike, v: ArrayLike, frame: str, *, out: FloatArray | None = None
    ) -> FloatArray:
        """Time derivative dJ/dt (..., 6, nv) of ``frame_jacobian`` in the state (q, v).

        The frame's acceleration, of its origin and then angular, along the base's axes, is J a + dJ/dt v.
        """
        result: FloatArray = self._kernels.of_frame("frame_jacobian_rate", frame).call(q, v, out)
        return result

    def frame_forces(
        self, q: ArrayLike, wrench: ArrayLike, frame: str, *, out: FloatArray | None = None
    ) -> FloatArray:
        """Generalized forces J^T w (..., nv) of a wrench (..., 6) on a frame.

        The wrench is a force [N], then a moment about the frame's origin [N m], both along the base's axes.  A robot that
        cannot obtain this kernel multiplies with the Jacobian.
        """
        name, jacobian = (self._kernels.name_for(what, frame) for what in ("frame_forces", "frame_jacobian"))
        if name in self._kernels or name in self._kernels.obtainable or jacobian not in self._kernels:
            result: FloatArray = self._kernels[name].call(q, wrench, out)
            return result
        given = real_array(name, Argument("wrench", (6,), "", ""), wrench)
        J = self._kernels[jacobian].call(q, None)
        forces: FloatArray = np.einsum("...ij,...i->...j", J, np.asarray(given, dtype=np.float64))
        if out is None:
            return forces
        spec = replace(self._kernels[jacobian].spec, name=name)
        argument = Argument("tau", (self._manifest.nv,), "", "")
        result = checked_output(spec, argument, out, forces.shape[:-1])
        result[...] = forces
        return result

    def center_of_mass(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The mass centre of all moving bodies (..., 3) [m] in the base frame."""
        result: FloatArray = self._kernels["center_of_mass"].call(q, out)
        return result
