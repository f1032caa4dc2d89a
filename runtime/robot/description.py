"""What a robot says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, real_array
from kanegen.errors import counted
from kanegen.manifest import Argument, JointLimits, LinkEnds
from kanegen.robot.core import Core


class Description(Core):
    """The part of a robot that describes it."""

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self._manifest.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._manifest.nq

    @property
    def nv(self) -> int:
        """Number of speeds: the degrees of freedom."""
        return self._manifest.nv

    @property
    def dof(self) -> int:
        """Degrees of freedom: the number of speeds."""
        return self._manifest.nv

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates, in order."""
        return self._manifest.coordinate_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the movable joints, in the order of the coordinates."""
        return self._manifest.joint_names

    @property
    def speed_names(self) -> tuple[str, ...]:
        """Names of the generalized speeds, in order: the joints whose rates they are, unless others were chosen."""
        return self._manifest.speed_names

    @property
    def mode_names(self) -> tuple[str, ...]:
        """Names of the coordinates that are amplitudes of modes of flexible links, in order."""
        return tuple(self._manifest.modes)

    @property
    def mode_amplitudes(self) -> Mapping[str, float]:
        """For each mode of a flexible link an amplitude that turns its end by 0.2 rad, or moves it by 0.2 of the length."""
        return MappingProxyType(dict(self._manifest.modes))

    @property
    def link_ends(self) -> LinkEnds:
        """By flexible link and mode, what an amplitude of 1 does to the link's end: see ``LinkEnds``."""
        return MappingProxyType(dict(self._manifest.link_ends))

    @property
    def speeds_are_rates(self) -> bool:
        """Whether v = dq/dt, so that ``coordinate_rates`` has nothing to tell."""
        manifest = self._manifest
        known = manifest.speed_names in (manifest.coordinate_names, manifest.joint_names)
        return manifest.nq == manifest.nv and known and not manifest.speeds_chosen

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the frames."""
        return self._manifest.frame_names

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of free fall in the base frame [m/s^2]."""
        return self._manifest.gravity

    @property
    def joint_limits(self) -> Mapping[str, JointLimits]:
        """What the model says that joints must not exceed, by their names: data, which nothing here enforces.

        ``.lower``, ``.upper`` [rad, m], ``.velocity`` [rad/s, m/s], ``.effort`` [N m, N]; None where the model says nothing.
        """
        none = {name: JointLimits() for name in self._manifest.joint_names}
        return MappingProxyType(none | dict(self._manifest.limits))

    def to_actuator(self, tau: ArrayLike) -> FloatArray:
        """Actuator forces (..., nv) for generalized forces ``tau``, by the sign conventions of the mechanism.

        Where the mechanism declares no actuators, each acts along its speed and the forces are the same.
        """
        return self._signed("to_actuator", "tau", tau)

    def from_actuator(self, forces: ArrayLike) -> FloatArray:
        """Generalized forces (..., nv) for actuator forces: the inverse of ``to_actuator``."""
        return self._signed("from_actuator", "forces", forces)

    def _signed(self, caller: str, name: str, forces: ArrayLike) -> FloatArray:
        """Forces times the signs of the actuators, which are their own inverse."""
        array = real_array(caller, Argument(name, (self.nv,), "", ""), forces)
        result: FloatArray = np.asarray(array, dtype=np.float64) * (self._manifest.actuator_signs or 1.0)
        return result

    def __repr__(self) -> str:
        """One line: name, degrees of freedom, kernels, how it computes."""
        target = self._backend.target
        how = f"compiled, {target}" if target else "interpreted"
        freedom = counted(self.dof, "degree of freedom", "degrees of freedom")
        return f"<Robot {self.name!r}: {freedom}, {counted(len(self._kernels), 'kernel')}, {how}>"
