"""What a model of MuJoCo may have beyond rigid bodies, joints and springs: refused by name if it changes the motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.mjcf.kinds import is_scalar, joint_actuators, joint_kind
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.errors import ModelError


def refuse_unsupported(mujoco: Any, model: Any, names: Names) -> None:
    """Raise ModelError for the first thing that changes the dynamics and has no place in a ``Mechanism``."""
    for where, what, cure in _unsupported(mujoco, model, names):
        raise ModelError(
            where,
            what,
            "rigid bodies, joints, springs, tendons along sites or joints, connect, weld and linear joint equalities",
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
    for p in _acting_plugins(model):
        yield names.described("plugin", p), "is a plugin that may move bodies", "Remove the plugin."
    yield from _of_bodies(model, names)
    yield from _of_joints(mujoco, model, names)
    yield from _of_tendons(mujoco, model, names)
    yield from _of_actuators(mujoco, model, names)


def _acting_plugins(model: Any) -> list[int]:
    """Plugins that belong to no shape, sensor or actuator: they may push bodies."""
    fields = ("geom_plugin", "sensor_plugin", "actuator_plugin")
    harmless = {int(p) for field in fields for p in getattr(model, field, ())}
    return [p for p in range(model.nplugin) if p not in harmless]


def doubtful(mujoco: Any, model: Any, names: Names) -> list[Finding]:
    """What adds a force in MuJoCo that the mechanism does not have, or has along other axes, and limits that are others."""
    found = []
    for t in range(model.ntendon):
        if model.tendon_limited[t] and not disabled(mujoco, model, "LIMIT"):
            what = "its range is not kept: no force acts where a tendon is at its end"
            cure = "Remove the range, or keep the motion within it."
            found.append(_warning(names.described("tendon", t), what, "a tendon without limits", cure))
    for j in range(model.njnt):
        found += _limits_without_place(mujoco, model, names, j)
        dof = int(model.jnt_dofadr[j])
        free = joint_kind(mujoco, model, j) == "FREE"
        if free and model.dof_frictionloss[dof] != 0 and not disabled(mujoco, model, "FRICTIONLOSS"):
            what = "its Coulomb friction acts along the axes of the body here, and of the world in MuJoCo"
            cure = "Remove frictionloss, or use viscous damping, which has no axes."
            found.append(_warning(f"joint {names.joints[j]!r}", what, "friction without axes", cure))
    return found


def _limits_without_place(mujoco: Any, model: Any, names: Names, j: int) -> Iterator[Finding]:
    """What of a joint's limits is otherwise here: a range is that of a coordinate, and a force's limit holds either way."""
    where, kind = f"joint {names.joints[j]!r}", joint_kind(mujoco, model, j)
    if kind == "BALL" and model.jnt_limited[j] and not disabled(mujoco, model, "LIMIT"):
        what = "its range is not kept: no coordinate of a ball joint is its angle"
        yield _warning(where, what, "a ball joint without a range", "Keep the motion within it.")
    low, high = (float(x) for x in model.jnt_actfrcrange[j])
    if model.jnt_actfrclimited[j] and low != -high:
        what = f"its actuators' force is from {low:g} to {high:g}, and here up to {max(abs(low), abs(high)):g} either way"
        yield Finding(Severity.NOTE, where, what, "the same limit either way", "Limit it in the control law.")


def _warning(where: str, what: str, expected: str, cure: str) -> Finding:
    return Finding(Severity.WARNING, where, what, expected, cure)


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
        if _any(model, "jnt_springyield", j):
            yield where, "its spring yields", "Keep the stiffness alone."
        if _at_least(model, "jnt_plasticadr", j, 0):
            yield where, "yields for good", "Remove its plasticity."
        if _any(model, "dof_dampingpoly", dof):
            yield where, "its damping is not linear", "Keep the linear damping alone."
        if not is_scalar(mujoco, model, j) and model.jnt_stiffness[j] != 0:
            yield where, "is a ball or free joint with a spring", "Remove its stiffness."
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
        if _at_least(model, "tendon_plasticadr", t, 0):
            yield where, "yields for good", "Remove its plasticity."
        if not springs_off and _any(model, "tendon_springyield", t):
            yield where, "its spring yields", "Keep the stiffness alone."
        for field, off in (("stiffness", springs_off), ("damping", dampers_off)):
            acts = _any(model, f"tendon_{field}", t) or _any(model, f"tendon_{field}poly", t)
            if not off and acts and (wrong := tendon(mujoco, model, t).wrong):
                yield where, f"has {field} and {wrong}", f"Set its {field} to zero."


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


@dataclass(frozen=True)
class Tendon:
    """What a tendon runs through: sites in a row, or joints with coefficients; ``wrong`` says what it has beside."""

    sites: tuple[int, ...]
    joints: Mapping[int, float]
    wrong: str


def tendon(mujoco: Any, model: Any, index: int) -> Tendon:
    """The way of a tendon."""
    first, count = int(model.tendon_adr[index]), int(model.tendon_num[index])
    kinds = mujoco.mjtWrap
    sites: list[int] = []
    joints: dict[int, float] = {}
    wrong = ""
    for k in range(first, first + count):
        kind, which = int(model.wrap_type[k]), int(model.wrap_objid[k])
        if kind == int(kinds.mjWRAP_SITE):
            sites.append(which)
        elif kind == int(kinds.mjWRAP_JOINT):
            joints[which] = joints.get(which, 0.0) + float(model.wrap_prm[k])
        else:
            wrong = "runs over a pulley" if kind == int(kinds.mjWRAP_PULLEY) else "wraps around a geom"
    return Tendon(tuple(sites), joints, wrong)


def disabled(mujoco: Any, model: Any, what: str) -> bool:
    """Whether the model's options switch off a part of the dynamics, such as "GRAVITY".

    CONSTRAINT switches off all of them.  Older releases have one flag, PASSIVE, for springs and dampers.
    """
    flags = [f"mjDSBL_{what}"]
    flags += ["mjDSBL_PASSIVE"] if what in ("SPRING", "DAMPER") else []
    flags += ["mjDSBL_CONSTRAINT"] if what in ("EQUALITY", "FRICTIONLOSS", "LIMIT") else []
    bits = [getattr(mujoco.mjtDisableBit, flag, None) for flag in flags]
    return any(bit is not None and bool(model.opt.disableflags & int(bit)) for bit in bits)


def _any(model: Any, field: str, index: int) -> bool:
    """Whether an entry of a field is not zero; no for fields that this release of MuJoCo does not have."""
    values = getattr(model, field, None)
    return values is not None and bool(np.any(np.atleast_1d(values[index]) != 0))


def _at_least(model: Any, field: str, index: int, least: int) -> bool:
    """Whether an entry of a field is not below; no for fields that this release of MuJoCo does not have."""
    values = getattr(model, field, None)
    return values is not None and len(values) > index and int(values[index]) >= least
