"""The arguments of the kernels of a constrained mechanism."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.constraints.equations import Equations, speeds_of
from kanegen.codegen.derivation.kernel_arguments import described_speed
from kanegen.codegen.graph import Argument
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import DistanceRate, JointRate, PointVelocityComponent


class Arguments:
    """Names, shapes, units and meanings, for one mechanism."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.nq, self.nv = len(mechanism.coordinates), mechanism.dof
        kinds = [mechanism.joint(name).kind for name in mechanism.coordinates]
        self._on_q = (JointKind.REVOLUTE in kinds, JointKind.PRISMATIC in kinds)
        speeds = speeds_of(mechanism)
        sliding = [
            isinstance(s, PointVelocityComponent | DistanceRate)
            or (isinstance(s, JointRate) and mechanism.joint(s.joint).kind is JointKind.PRISMATIC)
            for s in speeds
        ]
        self._on_v = (not all(sliding), any(sliding))
        self._order = "in the order " + ", ".join(mechanism.coordinates)
        turned = {name for ball in mechanism.balls for name in ball.joints}
        names = [
            speed.joint if isinstance(speed, JointRate) and speed.joint in turned else described_speed(speed)
            for speed in speeds
        ]
        self._speeds = f"({', '.join(names)})" + (
            ", those of balls along the child's axes" if turned.intersection(names) else ""
        )

    def q(self, name: str = "q", what: str = "joint coordinates", per: str = "") -> Argument:
        """A vector on the coordinates."""
        return Argument(
            name, (self.nq,), _units(self._on_q, f"rad{per}", f"m{per}"), f"{what}, {self._order}"
        )

    def v(self) -> Argument:
        """Generalized speeds."""
        return self._speed_vector("v", ("rad/s", "m/s"), "generalized speeds v =")

    def a(self) -> Argument:
        """Derivatives of the speeds."""
        return self._speed_vector("a", ("rad/s^2", "m/s^2"), "derivatives dv/dt of the speeds v =")

    def tau(
        self, name: str = "tau", what: str = "generalized forces on the speeds (power = tau . v), v ="
    ) -> Argument:
        """Generalized forces on the speeds."""
        return self._speed_vector(name, ("N m", "N"), what)

    def _speed_vector(self, name: str, units: tuple[str, str], what: str) -> Argument:
        return Argument(name, (self.nv,), _units(self._on_v, *units), f"{what} {self._speeds}")


def _units(kinds: Sequence[bool], angular: str, linear: str) -> str:
    return ", ".join(unit for used, unit in zip(kinds, (angular, linear), strict=True) if used)


def described(system: Equations, prescribed: Sequence[str] = ()) -> str:
    """The rows of the equations by name, in order."""
    return ", ".join([*(row.name for row in system.rows), *(f"force of {name}" for name in prescribed)])
