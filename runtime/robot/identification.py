"""Inverse dynamics as a linear function of the inertial parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values
from kanegen.errors import KanegenError
from kanegen.manifest import NamedValue
from kanegen.robot.core import Core, Varied


class Identification(Core):
    """The part of a robot that serves to identify its parameters."""

    def regressor(
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
        """The matrix Y (..., nv, nb) with tau = Y @ ``base_parameters``.

        Base parameters are the fewest combinations of the bodies' inertial parameters on which tau depends, so that the
        rows of Y for enough motions have full column rank.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).regressor(q, v, a, out=out, threads=threads)
        return self._obtained("regressor")(q, v, a, out, threads)

    def full_regressor(
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
        """The matrix Y (..., nv, 10 bodies) with tau = Y @ ``inertial_parameters``.

        Ten columns for each body: m [kg]; m cx, m cy, m cz [kg m], c the mass centre; Ixx, Ixy, Ixz, Iyy, Iyz, Izz
        [kg m^2], the tensor about the origin of the body's frame along its axes, with Ixy = -int x y dm.
        """
        if t is not None or parameters is not None:
            return self._given(t, parameters).full_regressor(q, v, a, out=out, threads=threads)
        return self._obtained("full_regressor")(q, v, a, out, threads)

    @property
    def base_parameters(self) -> FloatArray:
        """Values (nb,) of the base parameters of the model, in the order of ``base_parameter_names``."""
        return self._values("regressor", self._base())

    @property
    def base_parameter_names(self) -> tuple[str, ...]:
        """The base parameters, each written as the combination of inertial parameters that it is."""
        return tuple(parameter.name for parameter in self._base())

    @property
    def inertial_parameters(self) -> FloatArray:
        """Values (10 bodies,) of the inertial parameters of the model, in the order of ``inertial_parameter_names``."""
        return self._values("full_regressor", self._full())

    @property
    def inertial_parameter_names(self) -> tuple[str, ...]:
        """Names of the inertial parameters, ten for each body."""
        return tuple(parameter.name for parameter in self._full())

    def _base(self) -> tuple[NamedValue, ...]:
        return self._kernels.set_of("regressor").manifest.base_parameters

    def _full(self) -> tuple[NamedValue, ...]:
        return self._kernels.set_of("full_regressor").manifest.inertial_parameters

    def _values(self, kernel: str, found: tuple[NamedValue, ...]) -> FloatArray:
        """The values.  Raises KanegenError where live parameters have others than those of the model."""
        manifest = self._manifest
        given = {parameter.name: parameter.value for parameter in manifest.parameters}
        changed = [name for name, value in self.parameters.items() if value != given[name]]
        if changed:
            raise KanegenError(
                f"{manifest.name!r}: these values are those of the model, and the live parameter {changed[0]!r} has another "
                f"one now. Ask the robot that was loaded, before with_parameters; {kernel} itself is right for both"
            )
        return np.array([parameter.value for parameter in found])
