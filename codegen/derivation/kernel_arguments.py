"""The arguments of the standard kernels: one place for their names, shapes, units and meaning."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kanegen.codegen.graph import Argument
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import (
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    PointVelocityComponent,
)


def _units(mechanism: Mechanism, angular: str, linear: str) -> str:
    kinds = {mechanism.joint(name).kind for name in mechanism.coordinates}
    units = [u for kind, u in ((JointKind.REVOLUTE, angular), (JointKind.PRISMATIC, linear)) if kind in kinds]
    return ", ".join(units)


def _order(mechanism: Mechanism) -> str:
    return "in the order " + ", ".join(mechanism.coordinates)


def position_input(mechanism: Mechanism) -> Argument:
    """Joint coordinates q."""
    return Argument(
        "q",
        (len(mechanism.coordinates),),
        _units(mechanism, "rad", "m"),
        f"joint coordinates, {_order(mechanism)}",
    )


def rate_input(mechanism: Mechanism) -> Argument:
    """Joint rates v = dq/dt."""
    return Argument(
        "v", (mechanism.dof,), _units(mechanism, "rad/s", "m/s"), f"joint rates dq/dt, {_order(mechanism)}"
    )


def acceleration_input(mechanism: Mechanism) -> Argument:
    """Joint accelerations a = dv/dt as an argument."""
    unit = _units(mechanism, "rad/s^2", "m/s^2")
    return Argument("a", (mechanism.dof,), unit, f"joint accelerations dv/dt, {_order(mechanism)}")


def force_argument(
    mechanism: Mechanism, name: str = "tau", meaning: str = "generalized forces (power = tau . v)"
) -> Argument:
    """A vector of generalized forces."""
    return Argument(name, (mechanism.dof,), _units(mechanism, "N m", "N"), f"{meaning}, {_order(mechanism)}")


def acceleration_output(mechanism: Mechanism) -> Argument:
    """Joint accelerations as a result."""
    return acceleration_input(mechanism)


def speed_input(mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed]) -> Argument:
    """Generalized speeds v = u of Kane's method."""
    return _on_speeds(mechanism, speeds, "v", ("rad/s", "m/s"), "generalized speeds u")


def speed_derivative_argument(mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed]) -> Argument:
    """Derivatives a = du/dt of generalized speeds, given or found."""
    return _on_speeds(mechanism, speeds, "a", ("rad/s^2", "m/s^2"), "derivatives du/dt of the speeds u")


def force_on_speeds_argument(
    mechanism: Mechanism,
    speeds: Sequence[GeneralizedSpeed],
    name: str = "tau",
    meaning: str = "generalized forces on the speeds u (power = tau . u)",
) -> Argument:
    """Generalized forces conjugate to generalized speeds, given or found."""
    return _on_speeds(mechanism, speeds, name, ("N m", "N"), meaning)


def _on_speeds(
    mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed], name: str, units: tuple[str, str], meaning: str
) -> Argument:
    sliding = [
        mechanism.joint(s.joint).kind is JointKind.PRISMATIC
        if isinstance(s, JointRate)
        else isinstance(s, PointVelocityComponent | DistanceRate)
        for s in speeds
    ]
    unit = ", ".join(u for u, used in zip(units, (not all(sliding), any(sliding)), strict=True) if used)
    return Argument(name, (len(speeds),), unit, f"{meaning} = ({', '.join(map(described_speed, speeds))})")


def described_speed(speed: GeneralizedSpeed) -> str:
    """A generalized speed in words."""
    if isinstance(speed, JointRate):
        return f"d{speed.joint}/dt"
    if isinstance(speed, DistanceRate):
        return f"rate of the distance from {speed.first} to {speed.second}"
    x, y, z = (f"{float(x):.6g}" if isinstance(x, Fraction) else "..." for x in speed.direction)
    if isinstance(speed, PointVelocityComponent):
        return f"velocity of {speed.frame} relative to {speed.relative_to} along ({x}, {y}, {z}) of its frame"
    return f"angular velocity of {speed.body} along ({x}, {y}, {z}) of its frame"


def actuator_force_output(mechanism: Mechanism) -> Argument:
    """Forces of the actuators themselves, one for each joint."""
    names = {actuator.joint: actuator.name for actuator in mechanism.actuators}
    order = ", ".join(names.get(joint, joint) for joint in mechanism.coordinates)
    text = f"torques and forces of the actuators, in the order {order}"
    return Argument("forces", (mechanism.dof,), _units(mechanism, "N m", "N"), text)


def coordinate_rate_output(mechanism: Mechanism) -> Argument:
    """Rates dq/dt of the coordinates as a result."""
    unit = _units(mechanism, "rad/s", "m/s")
    return Argument("qdot", (mechanism.dof,), unit, f"rates dq/dt of the coordinates, {_order(mechanism)}")
