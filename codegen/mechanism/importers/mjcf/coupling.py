"""Equalities, springs and actuators of a compiled model."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.mjcf.bodies import Tree, to_fraction
from kanegen.codegen.mechanism.importers.mjcf.kinds import equality_kind, joint_actuators, joint_kind
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.codegen.mechanism.importers.mjcf.placing import Placement, exact, placement
from kanegen.codegen.mechanism.importers.mjcf.source import warnings_of
from kanegen.codegen.mechanism.importers.mjcf.unsupported import disabled, two_sites
from kanegen.codegen.mechanism.records import IDENTITY3
from kanegen.codegen.mechanism.vectors import IDENTITY3 as UNTURNED
from kanegen.errors import ModelError

Array = NDArray[np.float64]

_LINEAR = "connect, weld, and joint equalities of the first degree"


def active_equalities(mujoco: Any, model: Any) -> list[int]:
    """The equalities that hold from the start."""
    if disabled(mujoco, model, "EQUALITY") or disabled(mujoco, model, "CONSTRAINT"):
        return []
    return [e for e in range(model.neq) if model.eq_active0[e]]


def held_joints(mujoco: Any, model: Any, names: Names) -> dict[int, Fraction]:
    """Values [rad, m] of the joints that an equality without a second joint holds.  Raises ModelError."""
    found: dict[int, Fraction] = {}
    for e in active_equalities(mujoco, model):
        if equality_kind(mujoco, model, e) == "JOINT" and model.eq_obj2id[e] < 0:
            joint = int(model.eq_obj1id[e])
            value = _reference(model, joint) + to_fraction(model.eq_data[e][0])
            before = found.setdefault(joint, value)
            if before != value:
                raise ModelError(
                    names.described("equality", e),
                    f"holds the joint {names.joints[joint]!r} at {float(value):g}, another one at {float(before):g}",
                    "one value",
                    "Remove one of the two, or set its active to false.",
                )
    return found


def add_equalities(tree: Tree) -> list[str]:
    """Loops and mimics; returns the names of the loops.  Raises ModelError for what is neither."""
    mujoco, model, names = tree.mujoco, tree.model, tree.names
    loops = []
    for e in active_equalities(mujoco, model):
        kind, where = equality_kind(mujoco, model, e), names.described("equality", e)
        if kind == "JOINT":
            if model.eq_obj2id[e] >= 0:
                _add_mimic(tree, e, where)
        elif kind == "CONNECT":
            loops.append(_add_loop(tree, e, LoopKind.SPHERICAL, "connect"))
        elif kind == "WELD":
            loops.append(_add_loop(tree, e, LoopKind.FIXED, "weld"))
        else:
            raise ModelError(
                where, f"is of the kind {kind.lower()}", _LINEAR, "Remove it, or set active to false."
            )
    return loops


def _add_mimic(tree: Tree, e: int, where: str) -> None:
    """y - y0 = c0 + c1 (x - x0), with y0 and x0 the reference values."""
    model = tree.model
    follower, leader = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    c0, c1, *higher = (to_fraction(c) for c in model.eq_data[e][:5])
    if any(higher):
        listed = " ".join(f"{c:g}" for c in model.eq_data[e][:5])
        raise ModelError(where, f"its polycoef {listed} is not linear", _LINEAR, "Keep two coefficients.")
    name = tree.names.joints[follower]
    for joint, cure in ((leader, "Hold both."), (follower, "Remove one of the two equalities.")):
        if joint in tree.held:
            raise ModelError(
                where, f"its joint {tree.names.joints[joint]!r} is held by another equality", _LINEAR, cure
            )
    offset = _reference(model, follower) + c0 - c1 * _reference(model, leader)
    tree.builder.mimic(name, tree.names.joints[leader], c1, offset)
    tree.home[name] = c1 * to_fraction(tree.home[tree.names.joints[leader]]) + offset


def _reference(model: Any, joint: int) -> Fraction:
    return to_fraction(model.qpos0[int(model.jnt_qposadr[joint])])


def _add_loop(tree: Tree, e: int, kind: LoopKind, word: str) -> str:
    """A frame at each end; those of sites are there already."""
    model, names = tree.model, tree.names
    one, other = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
    if int(model.eq_objtype[e]) == int(tree.mujoco.mjtObj.mjOBJ_SITE):
        ends = [_site_frame(tree, s) for s in (one, other)]
        name = names.given("equality", e) or f"{word} of {ends[0]} and {ends[1]}"
        tree.builder.loop(name, kind, ends[0], ends[1])
        return name
    bodies = names.bodies[one], names.bodies[other]
    name = names.given("equality", e) or f"{word} of {bodies[0]} and {bodies[1]}"
    where = names.described("equality", e)
    data = model.eq_data[e]
    if kind is LoopKind.SPHERICAL:
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


def _site_frame(tree: Tree, site: int) -> str:
    """The frame of a site; sites without a name get one when something refers to them."""
    if site not in tree.names.sites:
        name = tree.names.fresh_frame(f"site{site}")
        at = placement(name, tree.model.site_pos[site], tree.model.site_quat[site])
        body = tree.names.bodies[int(tree.model.site_bodyid[site])]
        tree.builder.frame(name, body, at.position, at.rotation)
        tree.names.sites[site] = name
    return tree.names.sites[site]


def add_springs(tree: Tree) -> None:
    """Springs of hinges, slides, and of tendons that are a straight line between two sites."""
    mujoco, model, names = tree.mujoco, tree.model, tree.names
    springs, dampers = (not disabled(mujoco, model, what) for what in ("SPRING", "DAMPER"))
    for j in range(model.njnt):
        if springs and model.jnt_stiffness[j] != 0 and j not in tree.held:
            rest = float(model.qpos_spring[int(model.jnt_qposadr[j])])
            name = names.joints[j]
            tree.builder.torsional_spring(f"{name}_spring", name, float(model.jnt_stiffness[j]), 0, rest)
    for t in range(model.ntendon):
        stiffness = float(model.tendon_stiffness[t]) if springs else 0.0
        damping = float(model.tendon_damping[t]) if dampers else 0.0
        ends = two_sites(mujoco, model, t)
        if ends is None or not (stiffness or damping):
            continue
        first, second = (_site_frame(tree, site) for site in ends)
        rest = float(model.tendon_lengthspring[t][0]) if stiffness else 0.0
        name = names.given("tendon", t) or f"tendon{t}"
        tree.builder.translational_spring(name, first, second, stiffness, damping, rest)


def independent_speeds(tree: Tree) -> list[str]:
    """Joints whose rates are independent where loops are closed, those of actuators preferred.

    The rank of the equalities' Jacobian in the reference configuration decides, as MuJoCo computes it.
    """
    mujoco, model = tree.mujoco, tree.model
    jacobian = _reduced(tree, _jacobian(mujoco, model))
    driven_dofs = {int(model.jnt_dofadr[j]) for j in joint_actuators(mujoco, model).values()}
    floating = {d for d in jacobian if joint_kind(mujoco, model, int(model.dof_jntid[d])) == "FREE"}
    # last come those that should rather stay independent
    order = sorted(jacobian, key=lambda d: (d in floating, d in driven_dofs, -d))
    dependent: list[int] = []
    for dof in order:
        columns = np.array([jacobian[d] for d in (*dependent, dof)]).T
        if np.linalg.matrix_rank(columns, tol=1e-9 * max(1.0, np.abs(columns).max())) > len(dependent):
            dependent.append(dof)
    return [tree.speeds[d] for d in sorted(jacobian) if d not in dependent]


def _jacobian(mujoco: Any, model: Any) -> Array:
    """Rows of connect and weld in the reference configuration, (m, nv)."""
    data = mujoco.MjData(model)
    with warnings_of(mujoco):
        mujoco.mj_forward(model, data)
    if mujoco.mj_isSparse(model):
        rows = np.zeros((data.nefc, model.nv))
        mujoco.mju_sparse2dense(rows, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
    else:
        rows = data.efc_J.reshape(-1, model.nv)[: data.nefc]
    equality = int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    wanted = [
        r
        for r in range(data.nefc)
        if int(data.efc_type[r]) == equality
        and equality_kind(mujoco, model, int(data.efc_id[r])) in ("CONNECT", "WELD")
    ]
    return np.asarray(rows[wanted], dtype=np.float64)


def _reduced(tree: Tree, rows: Array) -> dict[int, Array]:
    """Columns by degree of freedom, without held joints and with those of mimics counted on their leaders."""
    mujoco, model = tree.mujoco, tree.model
    columns = {d: rows[:, d].copy() for d in tree.speeds}
    follows: dict[int, tuple[int, float]] = {}
    for e in active_equalities(mujoco, model):
        if equality_kind(mujoco, model, e) == "JOINT" and model.eq_obj2id[e] >= 0:
            follower, leader = (int(model.jnt_dofadr[j]) for j in (model.eq_obj1id[e], model.eq_obj2id[e]))
            follows[follower] = leader, float(model.eq_data[e][1])
    for follower in follows:
        target, factor = follower, 1.0
        while target in follows:
            target, step = follows[target]
            factor *= step
        columns[target] += factor * columns[follower]
    return {d: column for d, column in columns.items() if d not in follows}


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
