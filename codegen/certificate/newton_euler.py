"""Newton's and Euler's equations in numbers: an evaluation that shares nothing with the derivations.

All vectors are along the axes of the base, every body's motion is that relative to the base, joints and bodies are taken as
they are described, and nothing is symbolic.  Batches of any shape; complex numbers carry a step of a derivative.

Beside every force stands a *scale*: the sum of the magnitudes of what adds up to it.  Rounding errors of any way to compute
the force are some units in the last place of that, however much cancels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kanegen.codegen.certificate.arrays import (
    Array,
    about_axis,
    cross,
    dot,
    length,
    times,
    turned,
    turned_back,
)
from kanegen.codegen.certificate.described import Described, Drive, Kind, Link, Spring
from kanegen.codegen.mechanism.records import BASE


@dataclass(frozen=True)
class JointMotion:
    """Positions, rates and accelerations of joints by name, each (*batch).

    The joints of a ball have the components of its speeds and of their derivatives as rates and accelerations, and no
    position; ``rotations`` (*batch, 3, 3) and, of floating joints, ``shifts`` (*batch, 3) place its child, by the ball's
    name.
    """

    batch: tuple[int, ...]
    position: Mapping[str, Array]
    rate: Mapping[str, Array]
    acceleration: Mapping[str, Array]
    rotations: Mapping[str, Array] = field(default_factory=dict)
    shifts: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class BodyMotion:
    """Axes R and origin p of a body, its velocity v and angular velocity w, their derivatives a and alpha."""

    R: Array
    p: Array
    w: Array
    v: Array
    alpha: Array
    a: Array

    def point(self, offset: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point fixed in the body at ``offset`` (3,) of its axes."""
        r = turned(self.R, offset)
        wr = cross(self.w, r)
        return self.p + r, self.v + wr, self.a + cross(self.alpha, r) + cross(self.w, wr)


@dataclass(frozen=True, slots=True)
class Acting:
    """What drives have to overcome beside the inertia of bodies: weight, springs and friction, rotors."""

    gravity: bool = True
    resistance: bool = True
    rotors: bool = True


ALL = Acting()
INERTIA = Acting(gravity=False, resistance=False)
BODIES = Acting(resistance=False, rotors=False)


@dataclass(frozen=True)
class Forces:
    """Forces of drives on joints by name, (*batch), and their scales."""

    value: dict[str, Array]
    scale: dict[str, Array]


def bodies(described: Described, motion: JointMotion) -> dict[str, BodyMotion]:
    """The motion of every body by name, ``BASE`` included."""
    none = np.zeros((*motion.batch, 3))
    still = np.broadcast_to(np.eye(3), (*motion.batch, 3, 3))
    found = {BASE: BodyMotion(still, none, none, none, none, none)}
    for link in described.links:
        found[link.body] = _carried(link, found[link.parent], motion)
    return found


def _carried(link: Link, parent: BodyMotion, motion: JointMotion) -> BodyMotion:
    """The motion of a link from that of its parent: of a point fixed there, and what the joint adds."""
    axes = parent.R @ link.rotation
    if link.kind is Kind.BALL:
        return _ball(link, parent, axes, motion)
    offset = link.position
    if link.kind is Kind.FIXED:
        p, v, a = parent.point(offset)
        return BodyMotion(axes, p, parent.w, v, parent.alpha, a)
    name = link.joints[0]
    x, rate, acceleration = motion.position[name], motion.rate[name], motion.acceleration[name]
    s = turned(axes, link.axis)
    if link.kind is Kind.TURNING:
        p, v, a = parent.point(offset)
        turning = times(rate, s)
        alpha = parent.alpha + times(acceleration, s) + cross(parent.w, turning)
        return BodyMotion(axes @ about_axis(link.axis, x), p, parent.w + turning, v, alpha, a)
    p, v, a = parent.point(offset + times(x, link.rotation @ link.axis))
    sliding = times(rate, s)
    a = a + 2 * cross(parent.w, sliding) + times(acceleration, s)
    return BodyMotion(axes, p, parent.w, v + sliding, parent.alpha, a)


def _ball(link: Link, parent: BodyMotion, axes: Array, motion: JointMotion) -> BodyMotion:
    """Speeds are along the child's axes, so that their derivatives are those in the child."""
    assert link.ball is not None
    R = axes @ motion.rotations[link.ball.name]
    rate = np.stack([motion.rate[name] for name in link.joints], axis=-1)
    acceleration = np.stack([motion.acceleration[name] for name in link.joints], axis=-1)
    relative = turned(R, rate[..., -3:])
    w = parent.w + relative
    alpha = parent.alpha + turned(R, acceleration[..., -3:]) + cross(parent.w, relative)
    offset = link.position
    if link.ball.free:
        offset = offset + turned(link.rotation, motion.shifts[link.ball.name])
    p, v, a = parent.point(offset)
    if link.ball.free:
        u = turned(R, rate[..., :3])
        v, a = v + u, a + cross(parent.w, u) + cross(w, u) + turned(R, acceleration[..., :3])
    return BodyMotion(R, p, w, v, alpha, a)


def forces(
    described: Described,
    motion: JointMotion,
    moving: Mapping[str, BodyMotion],
    acting: Acting,
    slip_speed: float,
) -> Forces:
    """Forces of the drives in a motion.  Coulomb friction is smooth around rates of ``slip_speed``."""
    g = described.gravity if acting.gravity else np.zeros(3)
    f: dict[str, Array] = {}
    n: dict[str, Array] = {}
    sf: dict[str, Array] = {}
    sn: dict[str, Array] = {}
    for body in moving:
        f[body], n[body] = np.zeros((*motion.batch, 3)), np.zeros((*motion.batch, 3))
        sf[body], sn[body] = np.zeros(motion.batch), np.zeros(motion.batch)
    for link in described.links:
        _inertia(link, moving[link.body], g, f, n, sf, sn)
    found = Forces({}, {})
    if acting.resistance:
        for spring in described.springs:
            _spring(described, spring, motion, moving, (f, n, sf, sn), found)
    for link in reversed(described.links):
        here, parent = moving[link.body], moving[link.parent]
        r = here.p - parent.p
        body, above = link.body, link.parent
        f[above] = f[above] + f[body]
        n[above] = n[above] + n[body] + cross(r, f[body])
        sf[above] = sf[above] + sf[body]
        sn[above] = sn[above] + sn[body] + length(r) * sf[body]
        _on_joints(link, here, parent, (f[body], n[body], sf[body], sn[body]), found)
        for name, drive in zip(link.joints, link.drives, strict=True):
            _drive(name, drive, motion, found, acting, slip_speed)
        if acting.rotors:
            _leaning(link, motion, found)
    return found


def _inertia(
    link: Link,
    body: BodyMotion,
    g: Array,
    f: dict[str, Array],
    n: dict[str, Array],
    sf: dict[str, Array],
    sn: dict[str, Array],
) -> None:
    """What moves a body as it moves, with the moment about its origin."""
    if not link.mass and not link.tensor.any():
        return
    r = turned(body.R, link.center)
    _, _, a = body.point(link.center)
    f[link.body] = link.mass * (a - g)
    tensor = body.R @ link.tensor @ np.swapaxes(body.R, -1, -2)
    turning = turned(tensor, body.alpha) + cross(body.w, turned(tensor, body.w))
    n[link.body] = turning + cross(r, f[link.body])
    spin = length(body.alpha) + length(body.w) ** 2
    arm = length(r)
    sf[link.body] = abs(link.mass) * (length(body.a) + length(g) + arm * spin)
    sn[link.body] = float(np.linalg.norm(link.tensor)) * spin + arm * sf[link.body]


def _spring(
    described: Described,
    spring: Spring,
    motion: JointMotion,
    moving: Mapping[str, BodyMotion],
    loads: tuple[dict[str, Array], ...],
    found: Forces,
) -> None:
    """What drives supply against a spring: on its joint, or against the two forces with which it pulls at points.

    Positions of its ends have errors of some units in the last place of the way along the joints.  The distance has them,
    too, so that the pull has stiffness times that; and they turn the direction by that over the distance, maybe a small one.
    """
    if len(spring.ends) == 1:
        (name,) = spring.ends
        stretch, rate = motion.position[name] - spring.rest, motion.rate[name]
        _add(found, name, spring.stiffness * stretch + spring.damping * rate)
        return
    f, n, sf, sn = loads
    ends = [described.frames[name] for name in spring.ends]
    points = [moving[body].point(offset) for body, _, offset in ends]
    apart, speed = points[1][0] - points[0][0], points[1][1] - points[0][1]
    if spring.rest == 0 and spring.damping == 0:  # a pull along each coordinate, where the ends meet as well
        load, size = spring.stiffness * apart, np.zeros(motion.batch)
    else:
        distance = np.sqrt(dot(apart, apart))
        direction = times(1 / distance, apart)
        pull = spring.stiffness * (distance - spring.rest) + spring.damping * dot(direction, speed)
        load = times(pull, direction)
        size = abs(pull.real) + spring.damping * length(speed)
    reach = np.max([length(body.p) for body in moving.values()], axis=0) + length(points[1][0])
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(size > 0, size * (1 + reach / length(apart)), 0.0)
    scale = turn + abs(spring.stiffness) * (reach + abs(spring.rest))
    for sign, (body, _, _), (point, _, _) in zip((-1, 1), ends, points, strict=True):
        arm = point - moving[body].p
        f[body] = f[body] + sign * load
        n[body] = n[body] + cross(arm, sign * load)
        sf[body] = sf[body] + scale
        sn[body] = sn[body] + scale * length(arm)


def _on_joints(
    link: Link,
    body: BodyMotion,
    parent: BodyMotion,
    load: tuple[Array, Array, Array, Array],
    found: Forces,
) -> None:
    f, n, sf, sn = load
    if link.kind is Kind.BALL:
        parts = [turned_back(body.R, f)] if len(link.joints) > 3 else []
        scales = [sf] * (len(link.joints) - 3) + [sn] * 3
        values = np.concatenate([*parts, turned_back(body.R, n)], axis=-1)
        for k, name in enumerate(link.joints):
            _add(found, name, values[..., k], scales[k])
    elif link.kind is not Kind.FIXED:
        (name,) = link.joints
        s = turned(parent.R @ link.rotation, link.axis)
        turning = link.kind is Kind.TURNING
        _add(found, name, dot(s, n if turning else f), sn if turning else sf)


def _drive(
    name: str, drive: Drive, motion: JointMotion, found: Forces, acting: Acting, slip_speed: float
) -> None:
    """What a drive needs for its own rotor and against friction; along the axes of a ball, for each of them."""
    if acting.rotors:
        _add(found, name, drive.rotor * motion.acceleration[name])
    if acting.resistance:
        rate = motion.rate[name]
        smooth = drive.friction * rate / np.sqrt(rate * rate + slip_speed**2)
        _add(found, name, drive.damping * rate + smooth)


def _leaning(link: Link, motion: JointMotion, found: Forces) -> None:
    """What the equal drives that shift a free body need beyond dv/dt, as the axes of v lean with the body: w x v."""
    if link.ball is None or not link.ball.free or not link.drives[0].rotor:
        return
    rate = np.stack([motion.rate[name] for name in link.joints], axis=-1)
    lean = cross(rate[..., 3:], rate[..., :3])
    for k in range(3):
        _add(found, link.joints[k], link.drives[k].rotor * lean[..., k])


def _add(found: Forces, name: str, value: Array, scale: Array | None = None) -> None:
    found.value[name] = found.value.get(name, 0.0) + value
    found.scale[name] = found.scale.get(name, 0.0) + (abs(value.real) if scale is None else scale)
