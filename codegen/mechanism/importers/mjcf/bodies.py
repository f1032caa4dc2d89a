"""Bodies, joints and sites of a compiled model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.mjcf.kinds import joint_actuators, joint_kind
from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.codegen.mechanism.importers.mjcf.placing import (
    Placement,
    central_tensor,
    exact,
    parallel,
    placement,
    to_fraction,
)
from kanegen.codegen.mechanism.importers.mjcf.ties import Ties
from kanegen.codegen.mechanism.importers.mjcf.unsupported import disabled
from kanegen.codegen.mechanism.readers import read_number, read_unit_vector
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    BallJoint,
    Joint,
    JointLimits,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import turned
from kanegen.codegen.mechanism.validation.joints import read_limits
from kanegen.codegen.mechanism.vectors import add, matrix_multiply, matrix_vector, scale, subtract
from kanegen.errors import ModelError


@dataclass
class Tree:
    """What is known of the tree while it is written into ``builder``.

    ``ties`` says which joints equalities hold in place, and which follow others; ``home`` has the reference value of each
    coordinate; ``speeds`` the names of the speeds by MuJoCo's number of the degree of freedom; ``resisting`` what the speeds
    of ball and free joints meet, by their names; ``findings`` what was noticed on the way.
    """

    mujoco: Any
    model: Any
    names: Names
    builder: MechanismBuilder
    ties: Ties
    home: dict[str, Value] = field(default_factory=dict)
    speeds: dict[int, str] = field(default_factory=dict)
    resisting: dict[str, dict[str, float]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def held(self) -> Mapping[int, Fraction]:
        """Values [rad, m] of the joints that equalities hold in place."""
        return self.ties.held

    def rigid(self, one: int, other: int) -> bool:
        """Whether nothing moves two bodies against each other: fixed in each other, or by joints that are held."""
        return self._carrier(one) == self._carrier(other)

    def _carrier(self, body: int) -> int:
        """The innermost body on the way to the world that a joint moves, or the world."""
        model = self.model
        while body:
            first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
            if any(j not in self.held for j in range(first, first + count)):
                return body
            body = int(model.body_parentid[body])
        return body

    def warn(self, where: str, what: str, expected: str, cure: str) -> None:
        """Note what is idle, or not quite as in MuJoCo."""
        self.findings.append(Finding(Severity.WARNING, where, what, expected, cure))


def add_bodies(tree: Tree, floating_base: bool) -> None:
    """Write all bodies with their joints, and the sites, into the builder.  Raises ModelError."""
    free = _body_to_free(tree) if floating_base else None
    for i in range(1, tree.model.nbody):
        _add_inertia(tree, i)
        if i == free:
            _add_floating(tree, f"{tree.names.bodies[i]}_free", tree.names.bodies[i], None)
        else:
            _add_joints(tree, i)
    for site, name in tree.names.sites.items():
        where = f"site {name!r}"
        at = placement(where, tree.model.site_pos[site], tree.model.site_quat[site])
        body = tree.names.bodies[int(tree.model.site_bodyid[site])]
        tree.builder.frame(name, body, at.position, at.rotation)


def _body_to_free(tree: Tree) -> int | None:
    """The body that is to float; None where the model lets it float itself."""
    model = tree.model
    roots = [i for i in range(1, model.nbody) if model.body_parentid[i] == 0]
    moving = [i for i in roots if model.body_jntnum[i] or _carries(model, i)]
    if len(moving) == 1:
        joints = int(model.body_jntnum[moving[0]])
        if not joints:
            return moving[0]
        if joint_kind(tree.mujoco, model, int(model.body_jntadr[moving[0]])) == "FREE":
            return None
    raise ModelError(
        "worldbody",
        "a floating base is asked for, but no single body stands fixed on the world",
        "one body without joints on the world, or a <freejoint/> in it",
        "Write <freejoint/> into the body that is to float.",
    )


def _carries(model: Any, body: int) -> bool:
    """Whether a body has a mass, or anything hangs on it."""
    return bool(model.body_mass[body] > 0 or body in model.body_parentid[1:])


def _add_inertia(tree: Tree, i: int) -> None:
    model, name = tree.model, tree.names.bodies[i]
    mass, moments = float(model.body_mass[i]), model.body_inertia[i]
    if mass == 0 and not moments.any():
        tree.builder.body(name)
        return
    center = exact(f"body {name!r}, mass centre", model.body_ipos[i])
    for moment in moments:
        read_number(f"body {name!r}, inertia", moment)
    tree.builder.body(name, mass, center, central_tensor(moments, model.body_iquat[i]))


def _add_joints(tree: Tree, i: int) -> None:
    """The joints of a body, from the parent outwards: each turns or shifts what the ones before have moved.

    A hinge whose anchor is not on the body's origin moves a carrier at the anchor, and the body is fixed to that.
    """
    model, names = tree.model, tree.names
    name, parent = names.bodies[i], names.bodies[int(model.body_parentid[i])]
    first, count = int(model.body_jntadr[i]), int(model.body_jntnum[i])
    if count and joint_kind(tree.mujoco, model, first) == "FREE":
        _add_floating(tree, names.joints[first], name, first)
        return
    at = placement(f"body {name!r}", model.body_pos[i], model.body_quat[i])
    joints = list(range(first, first + count))
    moving = [j for j in joints if j not in tree.held]
    if not moving:
        for j in joints:
            at = _held_in_place(tree, j, at)
        tree.builder.fixed(f"{name}_fixed", parent, name, at.position, at.rotation)
        return
    for j in joints:
        if j in tree.held:
            at = _held_in_place(tree, j, at)
            continue
        axis, anchor = _axis_and_anchor(tree, j)
        kind = joint_kind(tree.mujoco, model, j)
        if kind == "SLIDE" or (kind == "HINGE" and parallel(axis, anchor)):
            anchor = ZERO3
        later = any(k not in tree.held for k in joints if k > j)
        rest_held = [k for k in joints if k > j and k in tree.held]
        direct = not later and anchor == ZERO3 and not rest_held
        child = name if direct else tree.builder.carrier(f"carrier of {names.joints[j]}")
        _add_joint(tree, j, parent, child, at.then(IDENTITY3, anchor), axis)
        parent, at = child, Placement(IDENTITY3, scale(Fraction(-1), anchor))
    if parent != name:
        tree.builder.fixed(f"{name}_fixed", parent, name, at.position, at.rotation)


def _axis_and_anchor(tree: Tree, j: int) -> tuple[Vector3, Vector3]:
    where = f"joint {tree.names.joints[j]!r}"
    model = tree.model
    anchor = exact(f"{where}, position", model.jnt_pos[j])
    axis, _ = read_unit_vector(f"{where}, axis", [float(x) for x in model.jnt_axis[j]])
    return axis, anchor


def _held_in_place(tree: Tree, j: int, at: Placement) -> Placement:
    """The placement behind a joint that is held at a value."""
    axis, anchor = _axis_and_anchor(tree, j)
    moved = tree.held[j] - _reference(tree, j)
    if joint_kind(tree.mujoco, tree.model, j) == "SLIDE":
        return at.then(IDENTITY3, scale(moved, axis))
    turn = turned(axis, moved)
    return at.then(turn, subtract(anchor, matrix_vector(turn, anchor)))


def _reference(tree: Tree, j: int) -> Fraction:
    """``ref``: the value of the coordinate where the body stands as the file places it."""
    return to_fraction(tree.model.qpos0[int(tree.model.jnt_qposadr[j])])


def _add_joint(tree: Tree, j: int, parent: str, child: str, at: Placement, axis: Vector3) -> None:
    model, name, builder = tree.model, tree.names.joints[j], tree.builder
    dof = int(model.jnt_dofadr[j])
    kind = joint_kind(tree.mujoco, model, j)
    if kind == "BALL":
        builder.spherical(name, parent, child, at.position, at.rotation)
        _register_ball(tree, name, free=False, dof=dof)
        return
    reference = _reference(tree, j)
    where, limits, what = at.position, _limits(tree, j), _resistance(tree, dof, j)
    if kind == "SLIDE":
        where = add(where, matrix_vector(at.rotation, scale(-reference, axis)))
        builder.prismatic(name, parent, child, axis, where, at.rotation, limits=limits, **what)
    else:
        rotation = matrix_multiply(at.rotation, turned(axis, -reference)) if reference else at.rotation
        builder.revolute(name, parent, child, axis, where, rotation, limits=limits, **what)
    tree.home[name] = reference
    tree.speeds[dof] = name


def _add_floating(tree: Tree, name: str, body: str, joint: int | None) -> None:
    """A free joint: its coordinates are the pose in the world, whatever the file's placement of the body."""
    tree.builder.floating(name, BASE, body)
    model = tree.model
    if joint is None:
        index = tree.names.bodies.index(body)
        values = [*model.body_pos[index], *model.body_quat[index]]
        _register_ball(tree, name, free=True, dof=None)
    else:
        start = int(model.jnt_qposadr[joint])
        values = list(model.qpos0[start : start + 7])
        _register_ball(tree, name, free=True, dof=int(model.jnt_dofadr[joint]))
    x, y, z, w, qx, qy, qz = (to_fraction(value) for value in values)
    tree.home.update(zip(BallJoint(name, True, ()).coordinates, (x, y, z, qx, qy, qz, w), strict=True))


def _register_ball(tree: Tree, name: str, free: bool, dof: int | None) -> None:
    speeds = BallJoint.speed_names(name, free)
    if not free:
        one, zero = Fraction(1), Fraction(0)
        tree.home.update(zip(BallJoint(name, False, ()).coordinates, (zero, zero, zero, one), strict=True))
    if dof is None:
        return
    for k, speed in enumerate(speeds):
        tree.speeds[dof + k] = speed
        tree.resisting[speed] = _resistance(tree, dof + k, None)


def _resistance(tree: Tree, dof: int, joint: int | None) -> dict[str, float]:
    """Damping, Coulomb friction and rotor inertia of a degree of freedom, with what actuators add to a hinge or slide."""
    model, mujoco = tree.model, tree.mujoco
    damping, rotor = float(model.dof_damping[dof]), float(model.dof_armature[dof])
    if joint is not None and hasattr(model, "actuator_armature"):
        for a, driven in joint_actuators(mujoco, model).items():
            if driven == joint:
                gear = float(model.actuator_gear[_row_of_gear(model, a)][0])
                damping += gear**2 * float(model.actuator_damping[a])
                rotor += gear**2 * float(model.actuator_armature[a])
    return {
        "damping": 0.0 if disabled(mujoco, model, "DAMPER") else damping,
        "friction": 0.0 if disabled(mujoco, model, "FRICTIONLOSS") else float(model.dof_frictionloss[dof]),
        "rotor_inertia": rotor,
    }


def _row_of_gear(model: Any, actuator: int) -> int:
    """The row of an actuator's gear: actuators of several outputs have several."""
    address = getattr(model, "actuator_outadr", None)
    return actuator if address is None else int(address[actuator])


def _limits(tree: Tree, j: int) -> JointLimits | None:
    model = tree.model
    lower = upper = effort = None
    if model.jnt_limited[j]:
        lower, upper = (to_fraction(x) for x in model.jnt_range[j])
    if model.jnt_actfrclimited[j]:
        effort = max(abs(to_fraction(x)) for x in model.jnt_actfrcrange[j])
    if lower is None and effort is None:
        return None
    where = f"joint {tree.names.joints[j]!r}"
    limits, found = read_limits(where, JointLimits(lower, upper, None, effort))
    tree.names.findings.extend(found)
    return limits


def with_resistance(joint: Joint, resisting: Mapping[str, Mapping[str, float]]) -> Joint:
    """A joint of a ball or free joint's chain with what it meets."""
    what = resisting.get(joint.name)
    if what is None:
        return joint
    damping, friction, rotor = (
        read_number(f"joint {joint.name!r}, {key}", what[key])
        for key in ("damping", "friction", "rotor_inertia")
    )
    return replace(joint, damping=damping, friction=friction, rotor_inertia=rotor)
