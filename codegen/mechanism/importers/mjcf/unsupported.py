"""What a model of MuJoCo may have beyond rigid bodies, joints and springs: refused by name if it changes the motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kanegen.codegen.mechanism.importers.mjcf.kinds import is_scalar, joint_actuators, joint_kind
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.errors import ModelError


def refuse_unsupported(mujoco: Any, model: Any, names: Names) -> None:
    """Raise ModelError for the first thing that changes the dynamics and has no place in a ``Mechanism``."""
    for where, what, cure in _unsupported(mujoco, model, names):
        raise ModelError(
            where,
            what,
            "rigid bodies, joints, linear springs between joints or two sites, connect, weld and linear joint equalities",
            cure,
        )


def _unsupported(mujoco: Any, model: Any, names: Names) -> Iterator[tuple[str, str, str]]:
    if model.opt.density > 0 or model.opt.viscosity > 0:
        yield (
            "option",
            f"the bodies move in a fluid (density {model.opt.density:g}, viscosity {model.opt.viscosity:g})",
            "Set density and viscosity to zero.",
        )
    if model.nflex:
        yield names.described("flex", 0), "is a deformable body", "Remove it."
    yield from _of_bodies(model, names)
    yield from _of_joints(mujoco, model, names)
    yield from _of_tendons(mujoco, model, names)
    yield from _of_actuators(mujoco, model, names)


def _of_bodies(model: Any, names: Names) -> Iterator[tuple[str, str, str]]:
    for i in range(1, model.nbody):
        where = f"body {names.bodies[i]!r}"
        if model.body_gravcomp[i] != 0:
            what = f"gravcomp {model.body_gravcomp[i]:g} holds it up against gravity"
            yield where, what, "Remove gravcomp; add gravity_forces to the control law instead."
        if model.body_plugin[i] >= 0:
            yield where, "a plugin acts on it", "Remove the plugin."


def _of_joints(mujoco: Any, model: Any, names: Names) -> Iterator[tuple[str, str, str]]:
    for j in range(model.njnt):
        where = f"joint {names.joints[j]!r}"
        dof, free = int(model.jnt_dofadr[j]), joint_kind(mujoco, model, j) == "FREE"
        if _any(model, "jnt_stiffnesspoly", j) or _any(model, "jnt_springyield", j):
            yield where, "its spring is not linear", "Keep the linear stiffness alone."
        if _any(model, "dof_dampingpoly", dof):
            yield where, "its damping is not linear", "Keep the linear damping alone."
        if not is_scalar(mujoco, model, j) and model.jnt_stiffness[j] != 0:
            yield where, "is a ball or free joint with a spring", "Remove its stiffness."
        if free and model.dof_armature[dof] != 0:
            what = f"is a free joint with armature {model.dof_armature[dof]:g}"
            yield (
                where,
                what,
                "Use <freejoint/>, which takes none from the defaults, or set armature to zero.",
            )
        if free and model.jnt_bodyid[j] and model.body_jntnum[model.jnt_bodyid[j]] > 1:
            yield (
                where,
                "is a free joint beside other joints of its body",
                "Put the others in a body of their own.",
            )


def _of_tendons(mujoco: Any, model: Any, names: Names) -> Iterator[tuple[str, str, str]]:
    springs_off, dampers_off = disabled(mujoco, model, "SPRING"), disabled(mujoco, model, "DAMPER")
    for t in range(model.ntendon):
        where = names.described("tendon", t)
        for field, what in (("armature", "has armature"), ("frictionloss", "has Coulomb friction")):
            if _any(model, f"tendon_{field}", t):
                yield where, what, f"Set its {field} to zero."
        for field, off in (("stiffness", springs_off), ("damping", dampers_off)):
            if off:
                continue
            if _any(model, f"tendon_{field}poly", t) or (
                field == "stiffness" and _any(model, "tendon_springyield", t)
            ):
                yield where, f"its {field} is not linear", "Keep the linear part alone."
            if _any(model, f"tendon_{field}", t) and two_sites(mujoco, model, t) is None:
                what = f"has {field} and is not a straight line between two sites"
                yield where, what, f"Set its {field} to zero."
        low, high = model.tendon_lengthspring[t]
        if not springs_off and model.tendon_stiffness[t] != 0 and low != high:
            yield where, f"its spring is slack from {low:g} to {high:g} m", "Give one springlength."


def _of_actuators(mujoco: Any, model: Any, names: Names) -> Iterator[tuple[str, str, str]]:
    if not hasattr(model, "actuator_armature"):
        return
    driven = joint_actuators(mujoco, model)
    for a in range(len(model.actuator_trntype)):
        where = names.described("actuator", a)
        if _any(model, "actuator_dampingpoly", a):
            yield where, "its damping is not linear", "Keep the linear damping alone."
        moved = a in driven and is_scalar(mujoco, model, driven[a])
        if not moved and (model.actuator_armature[a] != 0 or model.actuator_damping[a] != 0):
            yield where, "has armature or damping and drives no hinge or slide", "Set both to zero."


def two_sites(mujoco: Any, model: Any, tendon: int) -> tuple[int, int] | None:
    """The sites between which a tendon is one straight line; None for all other tendons."""
    first, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    kinds = [int(kind) for kind in model.wrap_type[first : first + count]]
    if kinds != [int(mujoco.mjtWrap.mjWRAP_SITE)] * 2:
        return None
    one, other = (int(i) for i in model.wrap_objid[first : first + 2])
    return one, other


def disabled(mujoco: Any, model: Any, what: str) -> bool:
    """Whether the model's options switch off a part of the dynamics, such as "GRAVITY".

    Older releases have one flag, PASSIVE, for springs and dampers.
    """
    flags = [f"mjDSBL_{what}"] + (["mjDSBL_PASSIVE"] if what in ("SPRING", "DAMPER") else [])
    bits = [getattr(mujoco.mjtDisableBit, flag, None) for flag in flags]
    return any(bit is not None and bool(model.opt.disableflags & int(bit)) for bit in bits)


def _any(model: Any, field: str, index: int) -> bool:
    """Whether an entry of a field is not zero; no for fields that this release of MuJoCo does not have."""
    values = getattr(model, field, None)
    return values is not None and bool(np.any(np.atleast_1d(values[index]) != 0))
