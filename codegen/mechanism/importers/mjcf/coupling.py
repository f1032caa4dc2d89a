"""Equalities and actuators of a compiled model."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.mjcf.bodies import Tree
from kanegen.codegen.mechanism.importers.mjcf.kinds import equality_kind
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.codegen.mechanism.importers.mjcf.placing import (
    Placement,
    exact,
    placement,
    rotation_rows,
    to_fraction,
)
from kanegen.codegen.mechanism.importers.mjcf.ties import LINEAR, active_equalities, bodies_of
from kanegen.codegen.mechanism.records import IDENTITY3
from kanegen.codegen.mechanism.vectors import IDENTITY3 as UNTURNED
from kanegen.errors import ModelError

Array = NDArray[np.float64]

_TORQUE_SCALE = 10
"""Where the data of a weld say how its rotation counts against its position."""

_MET = 1e-6
"""An equality [m, rad] open by less is met: the rounding of a file's decimals."""


def add_equalities(tree: Tree) -> list[str]:
    """Loops and mimics; returns the names of the loops.  Raises ModelError for what is neither."""
    mujoco, model, names = tree.mujoco, tree.model, tree.names
    _add_mimics(tree)
    loops = []
    for e in active_equalities(mujoco, model):
        kind, where = equality_kind(mujoco, model, e), names.described("equality", e)
        if kind not in ("JOINT", "CONNECT", "WELD"):
            raise ModelError(
                where, f"is of the kind {kind.lower()}", LINEAR, "Remove it, or set active to false."
            )
        if kind == "JOINT":
            continue
        if tree.rigid(*bodies_of(mujoco, model, e)):
            _check_idle(tree, e, where)
            continue
        # without a scale of torques a weld holds the position of its anchor alone
        turns = kind == "CONNECT" or model.eq_data[e][_TORQUE_SCALE] == 0
        loops.append(_add_loop(tree, e, LoopKind.SPHERICAL if turns else LoopKind.FIXED, kind.lower()))
    return loops


def _add_mimics(tree: Tree) -> None:
    """Joints that follow others, with the values at which they then begin."""
    joints, follows = tree.names.joints, tree.ties.follows
    for joint in sorted(follows):
        tie = follows[joint]
        tree.builder.mimic(joints[joint], joints[tie.leader], tie.factor, tie.constant)
        value, factor, leader = Fraction(0), Fraction(1), joint
        while leader in follows:
            tie = follows[leader]
            value, factor, leader = value + factor * tie.constant, factor * tie.factor, tie.leader
        tree.home[joints[joint]] = value + factor * to_fraction(tree.home[joints[leader]])


def _check_idle(tree: Tree, e: int, where: str) -> None:
    """An equality between bodies that nothing moves against each other.  Raises ModelError where they do not meet it."""
    one, other = (tree.names.bodies[i] for i in bodies_of(tree.mujoco, tree.model, e))
    gap = _gap(tree, e)
    if gap > _MET:
        raise ModelError(
            where,
            f"ties {one!r} and {other!r}, which nothing moves against each other, and is open by {gap:.3g}",
            "an equality that can hold",
            "Remove it, or set its active to false.",
        )
    tree.warn(
        where,
        f"ties {one!r} and {other!r}, which nothing moves against each other: it is idle",
        "an equality between bodies that move against each other",
        "Remove it, or give the joint that is missing.",
    )


def _gap(tree: Tree, e: int) -> float:
    """By how much [m, rad] an equality is open between bodies that stand in each other as they must."""
    mujoco, model = tree.mujoco, tree.model
    data = mujoco.MjData(model)
    for joint, value in tree.held.items():
        data.qpos[int(model.jnt_qposadr[joint])] = float(value)
    mujoco.mj_kinematics(model, data)
    given, weld = model.eq_data[e], equality_kind(mujoco, model, e) == "WELD"
    turn = np.eye(3)
    if int(model.eq_objtype[e]) == int(mujoco.mjtObj.mjOBJ_SITE):
        ends = [int(model.eq_obj1id[e]), int(model.eq_obj2id[e])]
        axes, places = (
            [np.reshape(data.site_xmat[i], (3, 3)) for i in ends],
            [data.site_xpos[i] for i in ends],
        )
    else:
        ends = list(bodies_of(mujoco, model, e))
        axes = [np.reshape(data.xmat[i], (3, 3)) for i in ends]
        anchors = (given[3:6], given[:3]) if weld else (given[:3], given[3:6])
        places = [data.xpos[i] + R @ r for i, R, r in zip(ends, axes, anchors, strict=True)]
        if weld:
            turn = np.array(rotation_rows(given[6:10]))
    apart = float(np.linalg.norm(places[1] - places[0]))
    if not weld or given[_TORQUE_SCALE] == 0:
        return apart
    # the norm of R - 1 is sqrt(8) sin(angle / 2), at least the angle times 0.9 up to a half turn
    return max(apart, float(np.linalg.norm(axes[0] @ turn - axes[1])))


def _add_loop(tree: Tree, e: int, kind: LoopKind, word: str) -> str:
    """A frame at each end; those of sites are there already."""
    model, names = tree.model, tree.names
    one, other = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if int(model.eq_objtype[e]) == int(tree.mujoco.mjtObj.mjOBJ_SITE):
        ends = [site_frame(tree, s) for s in (one, other)]
        name = names.loop(e, f"{word} of {ends[0]} and {ends[1]}")
        tree.builder.loop(name, kind, ends[0], ends[1])
        return name
    bodies = names.bodies[one], names.bodies[other]
    name = names.loop(e, f"{word} of {bodies[0]} and {bodies[1]}")
    where = names.described("equality", e)
    data = model.eq_data[e]
    if word == "connect":
        places = [Placement(IDENTITY3, exact(where, data[k : k + 3])) for k in (0, 3)]
    else:  # the anchor in the first body, turned as the second one is there, and the anchor in the second
        places = [
            placement(where, data[3:6], data[6:10]),
            Placement(UNTURNED, exact(where, data[:3])),
        ]
    frames = []
    for body, place, end in zip(bodies, places, ("first", "second"), strict=True):
        frame = names.fresh_frame(f"{name}_{end}")
        tree.builder.frame(frame, body, place.position, place.rotation)
        frames.append(frame)
    tree.builder.loop(name, kind, frames[0], frames[1])
    return name


def site_frame(tree: Tree, site: int) -> str:
    """The frame of a site; sites without a name get one when something refers to them."""
    if site not in tree.names.sites:
        name = tree.names.fresh_frame(f"site{site}")
        at = placement(name, tree.model.site_pos[site], tree.model.site_quat[site])
        body = tree.names.bodies[int(tree.model.site_bodyid[site])]
        tree.builder.frame(name, body, at.position, at.rotation)
        tree.names.sites[site] = name
    return tree.names.sites[site]


def notes(mujoco: Any, model: Any, names: Names) -> list[Finding]:
    """What is left out on purpose."""
    found = []
    if bool(np.any(model.geom_contype | model.geom_conaffinity)) or model.npair:
        found.append(
            _note("geoms", "contacts between them are no part of the mechanism", "contacts from a simulator")
        )
    acting = [names.described("actuator", a) for a in range(len(model.actuator_trntype))]
    if acting:
        shown = ", ".join(acting[:3]) + (f" and {len(acting) - 3} more" if len(acting) > 3 else "")
        found.append(
            _note(
                "actuators",
                f"{shown}: their laws (gains, gears, servos) are no part of the mechanism",
                "generalized forces tau on the joints",
            )
        )
    for i in range(1, model.nbody):
        if model.body_mocapid[i] >= 0:
            what = "is a mocap body: it stands where the file places it"
            found.append(_note(f"body {names.bodies[i]!r}", what, "a body that nothing outside moves"))
    for e in range(model.neq):
        if not model.eq_active0[e]:
            found.append(
                _note(names.described("equality", e), "is not active, and left out", "an active one")
            )
    if active_equalities(mujoco, model):
        found.append(
            _note(
                "equalities", "hold exactly here; MuJoCo's give way a little", "constraints that may be exact"
            )
        )
    return found


def _note(where: str, what: str, expected: str) -> Finding:
    return Finding(Severity.NOTE, where, what, expected, "Nothing need be done.")
