"""Coordinates that no inertia resists: forward dynamics does not exist with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.records import BASE, Inertia, Joint, JointKind, Matrix3, Mechanism, Vector3
from kanegen.codegen.mechanism.values import numeric

Array = NDArray[np.float64]

_VANISHES_BELOW = 1e-11
"""Of the inertia with all other joints locked; doubles leave 1e-15 times the number of joints."""


def check_resistance(mechanism: Mechanism) -> Iterator[Finding]:
    """A doubt for each speed that no inertia resists once the joints beyond it give way.

    Looked at in one arbitrary state, from the tips inwards: what vanishes there vanishes everywhere, but for a chance of
    measure zero.  Mechanisms with loops or constraints are left to the derivation.
    """
    if mechanism.constrained:
        return
    if not any(
        body.inertia is not None and numeric(body.inertia.mass, mechanism) for body in mechanism.bodies
    ):
        return  # nothing has mass: one finding says so, not one for each joint
    yields = _by_elimination(mechanism) if mechanism.mimics else _by_articulation(mechanism)
    for name, resistance, locked in yields:
        if resistance <= _VANISHES_BELOW * locked or locked == 0:
            shared = "" if locked == 0 else " that the joints beyond it could not leave at rest"
            yield Finding(
                Severity.DOUBT,
                f"joint {name!r}",
                f"has no inertia behind it{shared}: forward dynamics is undefined",
                "a body with mass or inertia that the joint moves",
                "Give the bodies beyond it their inertia, or make the joint fixed; inverse dynamics works as it is.",
            )


def _by_articulation(mechanism: Mechanism) -> Iterator[tuple[str, float, float]]:
    """Name, inertia with the joints beyond it free, and with all others locked, for each joint, tips first.

    Articulated and composite inertias (6, 6), each about the origin of its body along the axes of the base: one pass to the
    tips and one back.
    """
    frames = {BASE: (np.eye(3), np.zeros(3))}
    axes: dict[str, Array] = {}
    bodies = {body.name: body for body in mechanism.bodies}
    free = {BASE: np.zeros((6, 6))}
    whole = {BASE: np.zeros((6, 6))}
    moving = 0
    for joint in mechanism.joints:
        turn, origin = _placed(joint, frames[joint.parent], mechanism)
        if joint.kind is not JointKind.FIXED:
            axes[joint.name] = turn @ _vector(joint.axis, mechanism)
            turn, origin = _moved(joint, moving, axes[joint.name], turn, origin)
            moving += 1
        frames[joint.child] = turn, origin
        inertia = bodies[joint.child].inertia
        free[joint.child] = np.zeros((6, 6)) if inertia is None else _spatial(inertia, turn, mechanism)
        whole[joint.child] = free[joint.child].copy()
    for joint in reversed(mechanism.joints):
        inertia_free, inertia_whole = free.pop(joint.child), whole.pop(joint.child)
        if joint.kind is not JointKind.FIXED:
            s = np.zeros(6)
            s[slice(0, 3) if joint.kind is JointKind.REVOLUTE else slice(3, 6)] = axes[joint.name]
            rotor = float(numeric(joint.rotor_inertia, mechanism))
            u = inertia_free @ s
            resistance, locked = float(s @ u) + rotor, float(s @ inertia_whole @ s) + rotor
            yield joint.name, resistance, locked
            if resistance > _VANISHES_BELOW * locked:  # what nothing resists counts as locked for the others
                inertia_free = inertia_free - np.outer(u, u) / resistance
        shift = np.eye(6)
        shift[3:, :3] = -_skew(frames[joint.child][1] - frames[joint.parent][1])
        free[joint.parent] += shift.T @ inertia_free @ shift
        whole[joint.parent] += shift.T @ inertia_whole @ shift


def _spatial(inertia: Inertia, turn: Array, mechanism: Mechanism) -> Array:
    """What (angular velocity, velocity of the origin) is multiplied by for the momenta, (6, 6)."""
    mass = float(numeric(inertia.mass, mechanism))
    arm = _skew(turn @ _vector(inertia.center, mechanism))
    found = np.zeros((6, 6))
    found[:3, :3] = turn @ _matrix(inertia.tensor, mechanism) @ turn.T - mass * arm @ arm
    found[:3, 3:], found[3:, :3], found[3:, 3:] = mass * arm, -mass * arm, mass * np.eye(3)
    return found


def _by_elimination(mechanism: Mechanism) -> Iterator[tuple[str, float, float]]:
    """The same by the mass matrix, where joints follow others."""
    m, names = _mass_matrix(mechanism)
    locked = m.diagonal().copy()
    for k in reversed(range(len(names))):
        yield names[k], float(m[k, k]), float(locked[k])
        if m[k, k] > _VANISHES_BELOW * locked[k]:
            m = m - np.outer(m[:, k], m[k]) / m[k, k]


def _mass_matrix(mechanism: Mechanism) -> tuple[Array, tuple[str, ...]]:
    """The mass matrix (n, n) on the rates that are independent, and the joints that they belong to, bases first."""
    moving = [joint.name for joint in mechanism.joints if joint.kind is not JointKind.FIXED]
    column = {name: k for k, name in enumerate(moving)}
    frames = {BASE: (np.eye(3), np.zeros(3))}
    columns = {BASE: np.zeros((6, len(moving)))}
    m = np.zeros((len(moving), len(moving)))
    bodies = {body.name: body for body in mechanism.bodies}
    for joint in mechanism.joints:
        jacobian = columns[
            joint.parent
        ].copy()  # angular velocity, and velocity of the point at the base's origin
        turn, origin = _placed(joint, frames[joint.parent], mechanism)
        if joint.kind is not JointKind.FIXED:
            k = column[joint.name]
            axis = turn @ _vector(joint.axis, mechanism)
            if joint.kind is JointKind.REVOLUTE:
                jacobian[:3, k], jacobian[3:, k] = axis, np.cross(origin, axis)
            else:
                jacobian[3:, k] = axis
            turn, origin = _moved(joint, k, axis, turn, origin)
            m[k, k] += float(numeric(joint.rotor_inertia, mechanism))
        frames[joint.child], columns[joint.child] = (turn, origin), jacobian
        inertia = bodies[joint.child].inertia
        if inertia is not None:
            mass = float(numeric(inertia.mass, mechanism))
            center = origin + turn @ _vector(inertia.center, mechanism)
            tensor = turn @ _matrix(inertia.tensor, mechanism) @ turn.T
            omega = jacobian[:3]
            velocity = jacobian[3:] + np.cross(omega.T, center).T
            m += omega.T @ tensor @ omega + mass * velocity.T @ velocity
    return _reduced(m, mechanism, moving)


def _reduced(m: Array, mechanism: Mechanism, moving: list[str]) -> tuple[Array, tuple[str, ...]]:
    """T^T M T for joints that follow others."""
    leaders = {mimic.joint: mimic for mimic in mechanism.mimics}
    free = [name for name in moving if name not in leaders]
    t = np.zeros((len(moving), len(free)))
    for row, name in enumerate(moving):
        factor = 1.0
        while name in leaders:
            factor *= float(numeric(leaders[name].multiplier, mechanism))
            name = leaders[name].leader
        t[row, free.index(name)] = factor
    return t.T @ m @ t, tuple(free)


def _placed(joint: Joint, parent: tuple[Array, Array], mechanism: Mechanism) -> tuple[Array, Array]:
    turn, origin = parent
    return turn @ _matrix(joint.rotation, mechanism), origin + turn @ _vector(joint.position, mechanism)


def _moved(joint: Joint, k: int, axis: Array, turn: Array, origin: Array) -> tuple[Array, Array]:
    """Where the child of the k-th moving joint is in the one state that is looked at."""
    q = 0.0 if joint.still else np.sin(1.0 + 2.0 * k)  # any numbers that share no symmetry
    if joint.kind is JointKind.REVOLUTE:
        return _turned(axis, q) @ turn, origin
    return turn, origin + q * axis


def _skew(v: Array) -> Array:
    """The matrix of v x."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _turned(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    skew = _skew(axis)
    turned: Array = np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew
    return turned


def _vector(vector: Vector3, mechanism: Mechanism) -> Array:
    return np.array([float(numeric(x, mechanism)) for x in vector])


def _matrix(matrix: Matrix3, mechanism: Mechanism) -> Array:
    return np.array([_vector(row, mechanism) for row in matrix])
