"""The arguments of the kernels of an arm with flexible links."""

from __future__ import annotations

from kanegen.codegen.graph import Argument
from kanegen.codegen.mechanism.records import JointKind, Mechanism


class Arguments:
    """Names, shapes, units and meanings, for one mechanism."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.count = len(mechanism.coordinates)
        self.joints = tuple(name for name in mechanism.coordinates if name not in mechanism.modes)
        kinds = {mechanism.joint(name).kind for name in self.joints}
        self._turns, self._slides = JointKind.REVOLUTE in kinds, JointKind.PRISMATIC in kinds
        self._order = "in the order " + ", ".join(mechanism.coordinates)

    def _unit(self, angular: str, linear: str, modal: bool = True) -> str:
        units = [angular] if self._turns else []
        return ", ".join(units + ([linear] if self._slides or modal else []))

    def q(self) -> Argument:
        """Coordinates: of joints, and amplitudes of modes."""
        return Argument(
            "q", (self.count,), self._unit("rad", "m"), f"coordinates of joints and modes, {self._order}"
        )

    def v(self) -> Argument:
        """Their rates."""
        return Argument("v", (self.count,), self._unit("rad/s", "m/s"), f"rates dq/dt, {self._order}")

    def a(self) -> Argument:
        """Derivatives of the rates."""
        return Argument(
            "a", (self.count,), self._unit("rad/s^2", "m/s^2"), f"accelerations dv/dt, {self._order}"
        )

    def tau(
        self,
        name: str = "tau",
        meaning: str = "generalized forces (power = tau . v): drives on joints, loads on modes",
    ) -> Argument:
        """Generalized forces on joints and modes."""
        return Argument(name, (self.count,), self._unit("N m", "N"), f"{meaning}, {self._order}")

    def square(self, name: str, unit: str, what: str) -> Argument:
        """A matrix on the rates."""
        return Argument(
            name, (self.count, self.count), unit, f"{what}, rows and columns in the order of the coordinates"
        )

    def of_joints(self, name: str, units: tuple[str, str], what: str) -> Argument:
        """A vector with an entry for each joint alone."""
        order = "in the order " + ", ".join(self.joints)
        return Argument(name, (len(self.joints),), self._unit(*units, modal=False), f"{what}, {order}")

    def qdot(self) -> Argument:
        """Rates of the coordinates."""
        return Argument(
            "qdot", (self.count,), self._unit("rad/s", "m/s"), "rates of the coordinates, in their order"
        )
