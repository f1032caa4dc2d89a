"""The arguments of the kernels of a mechanism whose joints have coordinates and speeds of their own kinds."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.graph import Argument
from kanegen.codegen.mechanism.records import JointKind, Mechanism


class Arguments:
    """Names, shapes, units and meanings, for one mechanism."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.nq, self.nv = len(mechanism.coordinates), mechanism.dof
        self.coordinates, self.speeds = mechanism.coordinates, mechanism.rates
        sliding = [mechanism.joint(name).kind is JointKind.PRISMATIC for name in self.speeds]
        in_balls = {name for ball in mechanism.balls for name in ball.joints}
        hinges = [name for name in self.speeds if name not in in_balls]
        self._on_q = _units(
            (
                any(mechanism.joint(name).kind is JointKind.REVOLUTE for name in hinges),
                any(sliding),
                bool(mechanism.balls),
            ),
            ("rad", "m", "1"),
        )
        self._on_v = (not all(sliding), any(sliding))
        self._order = "in the order " + ", ".join(self.speeds)
        turned = "; quaternions (qx, qy, qz, qw) from child to joint axes, of any length but zero"
        self._described = f"coordinates, in the order {', '.join(self.coordinates)}" + (
            turned if mechanism.balls else ""
        )
        self._moving = ", those of balls along the child's axes" if mechanism.balls else ""

    def q(self) -> Argument:
        """Coordinates."""
        return Argument("q", (self.nq,), self._on_q, self._described)

    def v(self) -> Argument:
        """Speeds."""
        return self._vector("v", ("rad/s", "m/s"), f"speeds{self._moving}")

    def a(self) -> Argument:
        """Derivatives of the speeds."""
        return self._vector("a", ("rad/s^2", "m/s^2"), f"derivatives dv/dt of the speeds{self._moving}")

    def tau(self, name: str = "tau", what: str = "generalized forces (power = tau . v)") -> Argument:
        """Generalized forces on the speeds."""
        return self._vector(name, ("N m", "N"), f"{what}{self._moving}")

    def qdot(self) -> Argument:
        """Rates of the coordinates."""
        units = ", ".join("1/s" if unit == "1" else f"{unit}/s" for unit in self._on_q.split(", "))
        return Argument("qdot", (self.nq,), units, "rates dq/dt of the coordinates, in their order")

    def square(self, name: str, unit: str, what: str) -> Argument:
        """A matrix on the speeds."""
        return Argument(
            name, (self.nv, self.nv), unit, f"{what}, rows and columns in the order of the speeds"
        )

    def _vector(self, name: str, units: tuple[str, str], what: str) -> Argument:
        return Argument(name, (self.nv,), _units(self._on_v, units), f"{what}, {self._order}")


def _units(used: Sequence[bool], units: Sequence[str]) -> str:
    return ", ".join(unit for is_used, unit in zip(used, units, strict=True) if is_used)
