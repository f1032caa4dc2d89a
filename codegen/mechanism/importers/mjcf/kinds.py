"""The kinds of MuJoCo's elements by their names; its arrays hold numbers that do not compare with its enumerations."""

from __future__ import annotations

from typing import Any


def joint_kind(mujoco: Any, model: Any, joint: int) -> str:
    """FREE, BALL, SLIDE or HINGE."""
    return _name(mujoco.mjtJoint, "mjJNT_", model.jnt_type[joint])


def is_scalar(mujoco: Any, model: Any, joint: int) -> bool:
    """Whether a joint is a hinge or a slide."""
    return joint_kind(mujoco, model, joint) in ("HINGE", "SLIDE")


def equality_kind(mujoco: Any, model: Any, equality: int) -> str:
    """CONNECT, WELD, JOINT, TENDON or another."""
    return _name(mujoco.mjtEq, "mjEQ_", model.eq_type[equality])


def joint_actuators(mujoco: Any, model: Any) -> dict[int, int]:
    """The joint by the number of each actuator that drives one."""
    kinds = {int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)}
    count = len(model.actuator_trntype)
    return {
        a: int(model.actuator_trnid[a, 0]) for a in range(count) if int(model.actuator_trntype[a]) in kinds
    }


def _name(enumeration: Any, prefix: str, number: Any) -> str:
    name: str = enumeration(int(number)).name
    return name.removeprefix(prefix)
