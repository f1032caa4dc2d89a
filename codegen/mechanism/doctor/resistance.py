"""Coordinates that no inertia resists: forward dynamics does not exist with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.poses import (
    Array,
    BodyMotions,
    body_motions,
    doubles,
    followers,
    moving_joints,
    skew,
)
from kanegen.codegen.mechanism.records import Body, JointKind, Mechanism
from kanegen.codegen.mechanism.values import numeric

_VANISHES_BELOW = 1e-11
"""Of the inertia with all other joints locked; doubles leave 1e-15 times the number of joints."""


def check_resistance(mechanism: Mechanism) -> Iterator[Finding]:
    """A doubt for each speed that no inertia resists once the joints beyond it give way.

    Looked at in one arbitrary state, from the tips inwards: what vanishes there vanishes everywhere, but for a chance of
    measure zero.  Mechanisms with loops or constraints are left to the derivation.
    """
    if mechanism.constrained:
        return
    if not any(body.inertia and numeric(body.inertia.mass, mechanism) for body in mechanism.bodies):
        return  # nothing has mass: one finding says so, not one for each joint
    motions = _arbitrary_motions(mechanism)
    eliminated = _by_elimination(motions) if mechanism.mimics else _by_articulation(motions)
    for name, resistance, locked in eliminated:
        if resistance <= _VANISHES_BELOW * locked or locked == 0:
            shared = "" if locked == 0 else " that the joints beyond it could not leave at rest"
            yield Finding(
                Severity.DOUBT,
                f"joint {name!r}",
                f"has no inertia behind it{shared}: forward dynamics is undefined",
                "a body with mass or inertia that the joint moves",
                "Give the bodies beyond it their inertia, or make the joint fixed; inverse dynamics works as it is.",
            )


def _arbitrary_motions(mechanism: Mechanism) -> BodyMotions:
    """The bodies in the one state that is looked at: any numbers that share no symmetry."""
    still = {joint.name for joint in mechanism.joints if joint.still}
    state = {
        name: 0.0 if name in still else float(np.sin(1.0 + 2.0 * k))
        for k, name in enumerate(moving_joints(mechanism))
    }
    return body_motions(mechanism, state)


def _by_articulation(motions: BodyMotions) -> Iterator[tuple[str, float, float]]:
    """Name, inertia with the joints beyond it free, and with all others locked, for each joint, tips first.

    Articulated and composite inertias (6, 6), each about the origin of its body along the axes of the base: one pass to the
    tips and one back.
    """
    mechanism, poses = motions.mechanism, motions.poses
    free = {body.name: _spatial(body, motions) for body in mechanism.bodies}
    whole = {name: inertia.copy() for name, inertia in free.items()}
    for joint in reversed(mechanism.joints):
        inertia_free, inertia_whole = free[joint.child], whole[joint.child]
        if joint.kind is not JointKind.FIXED:
            s = np.zeros(6)
            along = poses[joint.child][:3, :3] @ doubles(joint.axis, mechanism)
            s[slice(0, 3) if joint.kind is JointKind.REVOLUTE else slice(3, 6)] = along
            rotor = float(numeric(joint.rotor_inertia, mechanism))
            u = inertia_free @ s
            resistance, locked = float(s @ u) + rotor, float(s @ inertia_whole @ s) + rotor
            yield joint.name, resistance, locked
            if resistance > _VANISHES_BELOW * locked:  # what nothing resists counts as locked for the others
                inertia_free = inertia_free - np.outer(u, u) / resistance
        if joint.parent in free:
            shift = np.eye(6)
            shift[3:, :3] = -skew(poses[joint.child][:3, 3] - poses[joint.parent][:3, 3])
            free[joint.parent] += shift.T @ inertia_free @ shift
            whole[joint.parent] += shift.T @ inertia_whole @ shift


def _by_elimination(motions: BodyMotions) -> Iterator[tuple[str, float, float]]:
    """The same by the mass matrix on the rates that are independent, where joints follow others; tips first."""
    mechanism = motions.mechanism
    rotors = [j.rotor_inertia for j in mechanism.joints if j.kind is not JointKind.FIXED]
    m = np.diag(doubles(tuple(rotors), mechanism))
    for body in mechanism.bodies:
        jacobian = motions.jacobian(body.name, motions.poses[body.name][:3, 3])
        m += jacobian.T @ _spatial(body, motions) @ jacobian
    names, factors, _ = followers(mechanism)
    m = factors.T @ m @ factors
    locked = m.diagonal().copy()
    for k in reversed(range(len(names))):
        yield names[k], float(m[k, k]), float(locked[k])
        if m[k, k] > _VANISHES_BELOW * locked[k]:
            m = m - np.outer(m[:, k], m[k]) / m[k, k]


def _spatial(body: Body, motions: BodyMotions) -> Array:
    """What (angular velocity, velocity of the origin) is multiplied by for the momenta, (6, 6)."""
    found = np.zeros((6, 6))
    inertia, mechanism, turn = body.inertia, motions.mechanism, motions.poses[body.name][:3, :3]
    if inertia is not None:
        mass = float(numeric(inertia.mass, mechanism))
        arm = skew(turn @ doubles(inertia.center, mechanism))
        found[:3, :3] = turn @ doubles(inertia.tensor, mechanism) @ turn.T - mass * arm @ arm
        found[:3, 3:], found[3:, :3], found[3:, 3:] = mass * arm, -mass * arm, mass * np.eye(3)
    return found
