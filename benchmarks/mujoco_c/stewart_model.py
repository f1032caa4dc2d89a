"""The Stewart platform as an open tree for MuJoCo: a platform with six joints beside six legs with three each."""

from __future__ import annotations

import math

LEGS = ((20, 40), (100, 80), (140, 160), (220, 200), (260, 280), (340, 320))
"""Directions of base joint and platform joint of each leg, in degrees; they are joined in this order."""
BASE_RADIUS = 0.6
ROD = 0.5
ROD_MOMENT = ROD**2 / 12
LEAST_MOMENT = 1e-14
"""A thin rod has no moment of inertia about its axis; MuJoCo wants one."""


def stewart_mjcf() -> str:
    """MJCF with joints x, y, z, yaw, pitch, roll, then a, b, l of each leg; everything but rigid-body dynamics off."""
    legs = "".join(_leg(i, base) for i, (base, _) in enumerate(LEGS, start=1))
    joints = "".join(
        f'<joint name="{name}" type="{kind}" axis="{axis}"/>'
        for name, kind, axis in (
            ("x", "slide", "1 0 0"),
            ("y", "slide", "0 1 0"),
            ("z", "slide", "0 0 1"),
            ("yaw", "hinge", "0 0 1"),
            ("pitch", "hinge", "0 1 0"),
            ("roll", "hinge", "1 0 0"),
        )
    )
    return (
        '<mujoco model="stewart_platform"><compiler angle="radian" autolimits="false"/>'
        '<option gravity="0 0 -9.81">'
        '<flag constraint="disable" contact="disable" actuation="disable" sensor="disable"/></option>'
        f'<worldbody><body name="platform">{joints}'
        f'<inertial pos="0 0 0" mass="20" diaginertia="0.6 0.6 1.1"/></body>{legs}</worldbody></mujoco>'
    )


def _leg(number: int, direction: int) -> str:
    x, y = (BASE_RADIUS * f(math.radians(direction)) for f in (math.cos, math.sin))
    moments = f"{ROD_MOMENT!r} {ROD_MOMENT!r} {LEAST_MOMENT!r}"
    return (
        f'<body name="lower{number}" pos="{x!r} {y!r} 0">'
        f'<joint name="a{number}" type="hinge" axis="1 0 0"/><joint name="b{number}" type="hinge" axis="0 1 0"/>'
        f'<inertial pos="0 0 {ROD / 2!r}" mass="1" diaginertia="{moments}"/>'
        f'<body name="upper{number}"><joint name="l{number}" type="slide" axis="0 0 1"/>'
        f'<inertial pos="0 0 {-ROD / 2!r}" mass="1" diaginertia="{moments}"/></body></body>'
    )
