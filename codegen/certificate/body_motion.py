"""How bodies move, in numbers, and beside each vector what it was added up from.

All vectors are along the axes of the base.  A rate or an acceleration of a body is a sum over the joints before it, and what
it is the sum of may be far larger than itself: two joints that turn against each other leave the body where it is.  Rounding
errors of any way to compute it are some units in the last place of the sum of magnitudes, its *size*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kanegen.codegen.certificate.arrays import Array, about_axis, cross, length, times, turned
from kanegen.codegen.certificate.numeric_tree import FloatArray, Kind, Link, NumericTree
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
class Sizes:
    """Sums of the magnitudes (*batch) of what p, w, v, alpha and a of a body were added up from."""

    p: Array
    w: Array
    v: Array
    alpha: Array
    a: Array

    @property
    def spin(self) -> Array:
        """Of the accelerations of points of the body, for each metre from its origin."""
        return np.asarray(self.alpha + self.w**2)

    def point(self, arm: Array | float) -> tuple[Array, Array, Array]:
        """Of position, velocity and acceleration of a point, so far from the body's origin [m]."""
        return self.p + arm, self.v + self.w * arm, self.a + self.spin * arm


@dataclass(frozen=True)
class BodyMotion:
    """Axes R and origin p of a body, its velocity v and angular velocity w, their derivatives a and alpha.

    ``way`` is that from the origin of its parent, which the difference of two origins far away would not give.
    """

    R: Array
    p: Array
    w: Array
    v: Array
    alpha: Array
    a: Array
    way: Array
    sizes: Sizes

    def point(self, offset: Array) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point fixed in the body at ``offset`` (3,) of its axes."""
        return self.at(turned(self.R, offset))

    def at(self, r: Array) -> tuple[Array, Array, Array]:
        """Those of a point fixed in the body at r from its origin, along the axes of the base."""
        wr = cross(self.w, r)
        return self.p + r, self.v + wr, self.a + cross(self.alpha, r) + cross(self.w, wr)


def bodies(tree: NumericTree, motion: JointMotion) -> dict[str, BodyMotion]:
    """The motion of every body by name, ``BASE`` included."""
    none, nothing = np.zeros((*motion.batch, 3)), np.zeros(motion.batch)
    still = np.broadcast_to(np.eye(3), (*motion.batch, 3, 3))
    sizes = Sizes(nothing, nothing, nothing, nothing, nothing)
    found = {BASE: BodyMotion(still, none, none, none, none, none, none, sizes)}
    for link in tree.links:
        found[link.body] = _carried(link, found[link.parent], motion)
    return found


def _carried(link: Link, parent: BodyMotion, motion: JointMotion) -> BodyMotion:
    """The motion of a link from that of its parent: of a point fixed there, and what the joint adds."""
    axes = parent.R @ link.rotation
    if link.kind is Kind.BALL:
        return _ball(link, parent, axes, motion)
    way, far, sizes = turned(parent.R, link.position), _norm(link.position), parent.sizes
    if link.kind is Kind.FIXED:
        p, v, a = parent.at(way)
        sp, sv, sa = sizes.point(far)
        return BodyMotion(axes, p, parent.w, v, parent.alpha, a, way, Sizes(sp, sizes.w, sv, sizes.alpha, sa))
    name = link.joints[0]
    x, rate, acceleration = motion.position[name], motion.rate[name], motion.acceleration[name]
    s = turned(axes, link.axis)
    fast, pushed = abs(rate.real), abs(acceleration.real)
    if link.kind is Kind.TURNING:
        p, v, a = parent.at(way)
        sp, sv, sa = sizes.point(far)
        turning = times(rate, s)
        alpha = parent.alpha + times(acceleration, s) + cross(parent.w, turning)
        sizes = Sizes(sp, sizes.w + fast, sv, sizes.alpha + pushed + sizes.w * fast, sa)
        return BodyMotion(axes @ about_axis(link.axis, x), p, parent.w + turning, v, alpha, a, way, sizes)
    way, far = way + times(x, s), far + abs(x.real)
    p, v, a = parent.at(way)
    sp, sv, sa = sizes.point(far)
    sliding = times(rate, s)
    a = a + 2 * cross(parent.w, sliding) + times(acceleration, s)
    sizes = Sizes(sp, sizes.w, sv + fast, sizes.alpha, sa + 2 * sizes.w * fast + pushed)
    return BodyMotion(axes, p, parent.w, v + sliding, parent.alpha, a, way, sizes)


def _ball(link: Link, parent: BodyMotion, axes: Array, motion: JointMotion) -> BodyMotion:
    """Speeds are along the child's axes, so that their derivatives are those in the child."""
    assert link.ball is not None
    R = axes @ motion.rotations[link.ball.name]
    rate = np.stack([motion.rate[name] for name in link.joints], axis=-1)
    acceleration = np.stack([motion.acceleration[name] for name in link.joints], axis=-1)
    sizes = parent.sizes
    relative, fast = turned(R, rate[..., -3:]), length(rate[..., -3:])
    w, sw = parent.w + relative, sizes.w + fast
    alpha = parent.alpha + turned(R, acceleration[..., -3:]) + cross(parent.w, relative)
    sizes_alpha = sizes.alpha + length(acceleration[..., -3:]) + sizes.w * fast
    way, far = turned(parent.R, link.position), _norm(link.position)
    if link.ball.free:
        shift = motion.shifts[link.ball.name]
        way, far = way + turned(axes, shift), far + length(shift)
    p, v, a = parent.at(way)
    sp, sv, sa = sizes.point(far)
    if link.ball.free:
        u, moved = turned(R, rate[..., :3]), length(rate[..., :3])
        v, a = v + u, a + cross(parent.w, u) + cross(w, u) + turned(R, acceleration[..., :3])
        sv, sa = sv + moved, sa + (sizes.w + sw) * moved + length(acceleration[..., :3])
    return BodyMotion(R, p, w, v, alpha, a, way, Sizes(sp, sw, sv, sizes_alpha, sa))


def _norm(x: FloatArray) -> Array:
    return np.asarray(np.linalg.norm(x))
