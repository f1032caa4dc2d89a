"""What stays constant in a motion: energy less the work of drives, and the momenta that no force from outside changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.constraints import (
    Loop,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
)
from kanegen.codegen.mechanism.poses import doubles
from kanegen.codegen.mechanism.records import BASE, Joint, JointKind, Mechanism
from kanegen.simulation.motion import Motion

Array = NDArray[np.float64]

PARALLEL = 1e-12
"""Sine of the angle between directions that differ by rounding."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity (k,) of a motion, and whether it has to stay as it was."""

    name: str
    unit: str
    values: Array
    constant: bool

    @property
    def change(self) -> float:
        """The largest distance from its first value."""
        return float(np.abs(self.values - self.values[0]).max())


def quantities(
    mechanism: Mechanism, motion: Motion, kinetic: Array, potential: Array, momentum: Array
) -> list[Quantity]:
    """Energies (k,) and momenta (k, 6) of a motion, and those combinations of momenta that stay constant.

    Rows that were not reached are left out by the caller.
    """
    driven = bool(motion.tau.any() or _wrenches(motion))
    energy = kinetic + potential
    found = [
        Quantity("kinetic energy", "J", kinetic, False),
        Quantity("potential energy", "J", potential, False),
        Quantity("energy", "J", energy, mechanism.lossless and not driven),
    ]
    if driven:
        found.append(
            Quantity(
                "energy less work of forces" if _wrenches(motion) else "energy less work of drives",
                "J",
                energy - motion.work.sum(axis=1),
                mechanism.lossless,
            )
        )
    for k, values in enumerate(momentum.T):
        kind, unit = ("momentum", "kg m/s") if k < 3 else ("angular momentum about the origin", "kg m²/s")
        found.append(Quantity(f"{kind}, {'xyz'[k % 3]}", unit, values, False))
    return [*found, *_conserved_momenta(mechanism, motion, momentum)]


def _wrenches(motion: Motion) -> tuple[str, ...]:
    """The frames on which others act."""
    return () if motion.of is None else motion.of.wrenches


def _conserved_momenta(mechanism: Mechanism, motion: Motion, momentum: Array) -> Iterator[Quantity]:
    """What the joint on the base and gravity leave alone, where nothing else connects the mechanism with the base."""
    root = _only_root(mechanism)
    if root is None or motion.of is None or _wrenches(motion):
        return
    chain, place = root
    names = [joint.name for joint in chain]
    speeds = [motion.of.speeds.index(name) for name in names if name in motion.of.speeds]
    if motion.tau[:, speeds if len(speeds) == len(names) else slice(None)].any():
        return
    gravity = doubles(mechanism.gravity, mechanism)
    point = place[:3, :3] @ doubles(chain[0].position, mechanism) + place[:3, 3]
    ball = next((ball for ball in mechanism.balls if chain[0].name in ball.joints), None)
    slides, turns = np.zeros((0, 3)), np.zeros((0, 3))
    if ball is not None:
        turns = _along(gravity)
        if ball.free:
            slides, point = _across(gravity), np.zeros(3)
    elif len(chain) == 1:
        axis = place[:3, :3] @ doubles(chain[0].rotation, mechanism) @ doubles(chain[0].axis, mechanism)
        lift, tilt = abs(axis @ gravity), float(np.linalg.norm(np.cross(axis, gravity)))
        if chain[0].kind is JointKind.PRISMATIC and lift <= PARALLEL * tilt:
            slides = axis[None]
        elif chain[0].kind is JointKind.REVOLUTE and tilt <= PARALLEL * lift:
            turns = axis[None]
    turning = momentum[:, 3:] - np.cross(point, momentum[:, :3])
    for direction in slides:
        yield Quantity(f"momentum along {_named(direction)}", "kg m/s", momentum[:, :3] @ direction, True)
    for direction in turns:
        where = _vector(point) if point.any() else "the origin"
        name = f"angular momentum about {_named(direction)} through {where}"
        yield Quantity(name, "kg m²/s", turning @ direction, True)


def _along(gravity: Array) -> Array:
    """Directions (m, 3) about which weight turns nothing, wherever it acts: all where there is none."""
    return gravity[None] / np.linalg.norm(gravity) if gravity.any() else np.eye(3)


def _across(gravity: Array) -> Array:
    """Directions (m, 3) along which weight has no part: axes of the base where these are some."""
    axes = np.eye(3)[gravity == 0]
    return axes if len(axes) >= 2 else np.linalg.svd(gravity[None])[2][1:]


def _only_root(mechanism: Mechanism) -> tuple[list[Joint], Array] | None:
    """The joints (a chain on carriers) by which all that moves hangs on the base, and the pose of the body they are on.

    None where there are several, or where a loop, a spring or another constraint reaches the base as well.
    """
    if mechanism.constraints or mechanism.prescribed or mechanism.mimics or mechanism.flexible:
        return None
    still = {BASE: np.eye(4)}
    roots: list[Joint] = []
    for joint in mechanism.joints:
        if joint.parent in still and joint.kind is JointKind.FIXED:
            pose = np.eye(4)
            pose[:3, :3] = doubles(joint.rotation, mechanism)
            pose[:3, 3] = doubles(joint.position, mechanism)
            still[joint.child] = still[joint.parent] @ pose
        elif joint.parent in still:
            roots.append(joint)
    if len(roots) != 1:
        return None
    ties: list[Loop | TranslationalSpringDamper] = [*mechanism.loops]
    ties += [spring for spring in mechanism.springs if isinstance(spring, TranslationalSpringDamper)]
    for tie in ties:
        if any(mechanism.frame(name).body in still for name in (tie.first, tie.second)):
            return None
    carriers = {body.name for body in mechanism.bodies if body.carrier}
    chain = [roots[0]]
    while chain[-1].child in carriers:
        chain.append(next(joint for joint in mechanism.joints if joint.parent == chain[-1].child))
    held = {spring.joint for spring in mechanism.springs if isinstance(spring, TorsionalSpringDamper)}
    resisted = [
        j for j in chain if j.name in held or j.rotor_inertia != 0 or j.damping != 0 or j.friction != 0
    ]
    return None if resisted else (chain, still[roots[0].parent])


def _named(direction: Array) -> str:
    """x, y or z, or the vector."""
    along = [
        name for name, axis in zip("xyz", np.eye(3), strict=True) if np.array_equal(np.abs(direction), axis)
    ]
    return along[0] if along else _vector(direction)


def _vector(values: Array) -> str:
    return f"({', '.join(f'{x + 0.0:.6g}' for x in values)})"
