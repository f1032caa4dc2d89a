"""Newton's and Euler's equations in numbers: an evaluation that shares nothing with the derivations.

All vectors are along the axes of the base, every body's motion is that relative to the base, joints and bodies are taken as
they are described, and nothing is symbolic.  Batches of any shape; complex numbers carry a step of a derivative.

Beside every force stands a *scale*: the sum of the magnitudes of what adds up to it.  Rounding errors of any way to compute
the force are some units in the last place of that, however much cancels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kanegen.codegen.certificate.arrays import Array, cross, dot, length, times, turned, turned_back
from kanegen.codegen.certificate.body_motion import BodyMotion, JointMotion
from kanegen.codegen.certificate.numeric_tree import (
    Drive,
    Element,
    Kind,
    Link,
    NumericBushing,
    NumericTree,
    Spring,
)


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


def forces(
    tree: NumericTree,
    motion: JointMotion,
    moving: Mapping[str, BodyMotion],
    acting: Acting,
    slip_speed: float,
) -> Forces:
    """Forces of the drives in a motion.  Coulomb friction is smooth around rates of ``slip_speed``."""
    g = tree.gravity if acting.gravity else np.zeros(3)
    f: dict[str, Array] = {}
    n: dict[str, Array] = {}
    sf: dict[str, Array] = {}
    sn: dict[str, Array] = {}
    for body in moving:
        f[body], n[body] = np.zeros((*motion.batch, 3)), np.zeros((*motion.batch, 3))
        sf[body], sn[body] = np.zeros(motion.batch), np.zeros(motion.batch)
    for link in tree.links:
        _inertia(link, moving[link.body], g, f, n, sf, sn)
    found = Forces({}, {})
    if acting.resistance:
        for spring in tree.springs:
            _spring(tree, spring, motion, moving, (f, n, sf, sn), found)
        for element in tree.elements:
            _element(tree, element, motion, moving, (f, n, sf, sn), found)
        for bushing in tree.bushings:
            _bushing(tree, bushing, moving, (f, n, sf, sn))
    for link in reversed(tree.links):
        here, parent = moving[link.body], moving[link.parent]
        r = here.way
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
    arm = length(r)
    _, _, size = body.sizes.point(arm)
    sf[link.body] = abs(link.mass) * (size + length(g))
    sn[link.body] = float(np.linalg.norm(link.tensor)) * body.sizes.spin + arm * sf[link.body]


def _spring(
    tree: NumericTree,
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
    ends = [tree.frames[name] for name in spring.ends]
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
    reach = sum(moving[body].sizes.p + float(np.linalg.norm(offset)) for body, _, offset in ends)
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.where(size > 0, size * (1 + reach / length(apart)), 0.0)
    scale = turn + abs(spring.stiffness) * (reach + abs(spring.rest))
    _pull(tree, spring.ends, load, scale, moving, loads)


def _pull(
    tree: NumericTree,
    ends: tuple[str, ...],
    load: Array,
    scale: Array,
    moving: Mapping[str, BodyMotion],
    loads: tuple[dict[str, Array], ...],
) -> None:
    """What is needed against a load on the first of two frames' origins, and its opposite on the second."""
    f, n, sf, sn = loads
    for sign, name in zip((-1, 1), ends, strict=True):
        body, _, offset = tree.frames[name]
        arm = moving[body].point(offset)[0] - moving[body].p
        f[body] = f[body] + sign * load
        n[body] = n[body] + cross(arm, sign * load)
        sf[body] = sf[body] + scale
        sn[body] = sn[body] + scale * length(arm)


def _element(
    tree: NumericTree,
    element: Element,
    motion: JointMotion,
    moving: Mapping[str, BodyMotion],
    loads: tuple[dict[str, Array], ...],
    found: Forces,
) -> None:
    """What drives supply against a force element, along its joints or on the ends of each of its lines.

    The displacement has errors of units in the last place of what it adds up from; the law has its own, and those times its
    slope.
    """
    if element.joints:
        s = sum((c * motion.position[name] for name, c in element.joints), np.zeros(motion.batch))
        rate = sum((c * motion.rate[name] for name, c in element.joints), np.zeros(motion.batch))
        reach = sum(
            (abs(c * motion.position[name].real) for name, c in element.joints), np.zeros(motion.batch)
        )
        sweep = sum((abs(c * motion.rate[name].real) for name, c in element.joints), np.zeros(motion.batch))
        pull, size = pulled(element, s, rate, reach, sweep)
        for name, c in element.joints:
            _add(found, name, c * pull, abs(c) * size)
        return
    lines = stretched(tree, element, moving)
    total = sum((line.length for line in lines), np.zeros(motion.batch))
    speeds = [dot(line.direction, line.speed) for line in lines]
    reach = sum((line.reach for line in lines), np.zeros(motion.batch))
    sweep = sum((length(line.speed) for line in lines), np.zeros(motion.batch))
    pull, size = pulled(element, total, sum(speeds, np.zeros(motion.batch)), reach, sweep)
    for line in lines:
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = abs(pull.real) * (1 + line.reach / abs(line.length.real))
        _pull(tree, line.ends, times(pull, line.direction), turn + size, moving, loads)


def pulled(element: Element, s: Array, rate: Array, reach: Array, sweep: Array) -> tuple[Array, Array]:
    """The force of a law, and what its rounding errors are measured by, from those of s and of its rate."""
    at, terms = element.results(s, rate), element.terms(s, rate)
    size = terms["force"] + terms["resistance"]
    size = size + abs(at["by_s"].real) * reach + abs(at["by_rate"].real) * sweep
    return at["force"] + at["resistance"], size


def _bushing(
    tree: NumericTree,
    bushing: NumericBushing,
    moving: Mapping[str, BodyMotion],
    loads: tuple[dict[str, Array], ...],
) -> None:
    """The force and the moment that do the work of a bushing's pull in a virtual motion of its two bodies.

    With R from the second axes to the first and its trace t, a = sin(phi) n, c = cos(phi), and the relative angular velocity
    w along the first axes, da/dt = (t w - R w) / 2 and dc/dt = - a . w.
    """
    f, n, sf, sn = loads
    bent = deformed(tree, bushing, moving)
    (one, _, _), (two, _, _) = (tree.frames[name] for name in bushing.ends)
    spin = turned_back(bent.axes, moving[two].w - moving[one].w)
    a, share = bent.sine, (4 - bent.cosine) / 6
    trace = 1 + 2 * bent.cosine
    theta = times(share, times(trace, spin) - turned(bent.rotation, spin)) + times(dot(a, spin) / 3, a)
    rates = np.concatenate(
        [turned_back(bent.axes, bent.speed - cross(moving[one].w, bent.way)), theta], axis=-1
    )
    pull = turned(bushing.stiffness, bent.u) + turned(bushing.damping, rates)
    force, couple = pull[..., :3], pull[..., 3:]
    force = turned(bent.axes, force)
    couple = times(share, times(trace, couple) - turned_back(bent.rotation, couple)) + times(
        dot(a, couple) / 3, a
    )
    moment = turned(bent.axes, couple)
    fast = (
        moving[one].sizes.v
        + moving[two].sizes.v
        + (moving[one].sizes.w + moving[two].sizes.w) * (1 + bent.size)
    )
    size = abs(bushing.stiffness).sum() * bent.size + abs(bushing.damping).sum() * (fast + bent.size)
    for sign, body in ((-1, one), (1, two)):
        arm = bent.place - moving[body].p  # both forces act where the second frame is
        f[body] = f[body] + sign * force
        n[body] = n[body] + sign * (cross(arm, force) + moment)
        sf[body] = sf[body] + size
        sn[body] = sn[body] + size * (1 + length(arm) + moving[body].sizes.p)


@dataclass(frozen=True, eq=False)
class Deformation:
    """``u`` (..., 6) of a bushing; the axes of its first frame, and the way and speed of the second origin from there.

    ``rotation`` leads from the second axes to the first; ``place`` is that of the second origin, ``cosine`` cos(phi),
    ``sine`` sin(phi) n, and ``size`` what u adds up from.
    """

    u: Array
    axes: Array
    rotation: Array
    way: Array
    speed: Array
    place: Array
    cosine: Array
    sine: Array
    size: Array


def deformed(tree: NumericTree, bushing: NumericBushing, moving: Mapping[str, BodyMotion]) -> Deformation:
    """How a bushing is deformed."""
    ends = [tree.frames[name] for name in bushing.ends]
    axes, other = (moving[body].R @ rotation for body, rotation, _ in ends)
    points = [moving[body].point(offset) for body, _, offset in ends]
    way, speed = points[1][0] - points[0][0], points[1][1] - points[0][1]
    R = np.swapaxes(axes, -1, -2) @ other
    cosine = (np.trace(R, axis1=-2, axis2=-1) - 1) / 2
    a = np.stack([R[..., k - 1, k - 2] - R[..., k - 2, k - 1] for k in range(3)], axis=-1) / 2
    reach = sum(
        (moving[body].sizes.p + float(np.linalg.norm(offset)) for body, _, offset in ends), np.zeros(())
    )
    u = np.concatenate([turned_back(axes, way), times((4 - cosine) / 3, a)], axis=-1)
    return Deformation(u, axes, R, way, speed, points[1][0], cosine, a, 1 + reach)


@dataclass(frozen=True, eq=False)
class Line:
    """A straight line between two frames' origins.

    ``speed`` is the velocity of the second beside the first, and ``reach`` what the places of its ends add up from.
    """

    ends: tuple[str, str]
    length: Array
    direction: Array
    speed: Array
    reach: Array


def stretched(tree: NumericTree, element: Element, moving: Mapping[str, BodyMotion]) -> list[Line]:
    """The lines of an element along a path."""
    lines = []
    for pair in element.pairs:
        ends = [tree.frames[name] for name in pair]
        points = [moving[body].point(offset) for body, _, offset in ends]
        apart, speed = points[1][0] - points[0][0], points[1][1] - points[0][1]
        size = np.sqrt(dot(apart, apart))
        reach = sum(
            (moving[body].sizes.p + float(np.linalg.norm(offset)) for body, _, offset in ends), np.zeros(())
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            lines.append(Line(pair, size, times(1 / size, apart), speed, reach))
    return lines


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
