"""Kinetic and potential energy, and momentum.

With mass m, first moment h and inertia J about a body's origin, velocity v of the origin and angular velocity w,

    p = m v + w x h,   l = h x v + J w   (about the origin),   T = 1/2 sum (v . p + w . l).

Regrouping inertia across joints changes none of these: what moves belongs to points that both bodies carry along alike.
"""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.on_demand import on_demand
from kanegen.codegen.graph import Expression


class BodyMomentum:
    """Momentum of the bodies beyond each joint, about that body's origin, in its frame."""

    def __init__(self, kinematics: Kinematics) -> None:
        self.kinematics, self.motion, self.tree = kinematics, kinematics.motion, kinematics.tree
        self._on_demand = self.motion.on_demand(type(self), inertia=self.tree)

    @on_demand
    def own_linear(self, i: int, r: int) -> Expression:
        """p_r of body i alone."""
        motion, body = self.motion, self.tree.bodies[i]
        a, b = (r + 1) % 3, (r + 2) % 3
        h = body.first_moment
        p = motion.sum(
            [
                motion.number(body.mass) * self.kinematics.velocity(i, r) if body.mass != 0 else motion.zero,
                motion.number(h[b]) * motion.w(i, a) if h[b] != 0 else motion.zero,
                -motion.number(h[a]) * motion.w(i, b) if h[a] != 0 else motion.zero,
            ]
        )
        return motion.mean(p, "own linear momentum", i, r)

    @on_demand
    def own_angular(self, i: int, r: int) -> Expression:
        """l_r of body i alone, about its origin."""
        motion, body = self.motion, self.tree.bodies[i]
        a, b = (r + 1) % 3, (r + 2) % 3
        h, s = body.first_moment, body.second_moment
        terms = []
        if h[a] != 0:
            terms.append(motion.number(h[a]) * self.kinematics.velocity(i, b))
        if h[b] != 0:
            terms.append(-motion.number(h[b]) * self.kinematics.velocity(i, a))
        if s[a][a] + s[b][b] != 0:
            terms.append(motion.number(s[a][a] + s[b][b]) * motion.w(i, r))
        for c in (a, b):
            if s[r][c] != 0:
                terms.append(-motion.number(s[r][c]) * motion.w(i, c))
        return motion.mean(motion.sum(terms), "own angular momentum", i, r)

    @on_demand
    def linear(self, i: int, r: int) -> Expression:
        """Linear momentum of everything beyond the joint of body i."""
        children = [self._linear_in_parent(j, r) for j in self.tree.children(i)]
        return self.motion.mean(self.motion.sum([self.own_linear(i, r), *children]), "linear momentum", i, r)

    @on_demand
    def angular(self, i: int, r: int) -> Expression:
        """Angular momentum of everything beyond the joint of body i, about its origin."""
        children = [self._angular_in_parent(j, r) for j in self.tree.children(i)]
        return self.motion.mean(
            self.motion.sum([self.own_angular(i, r), *children]), "angular momentum", i, r
        )

    @on_demand
    def _linear_in_parent(self, j: int, m: int) -> Expression:
        motion = self.motion
        return motion.out_of_joint_frame(
            j, lambda r: motion.out_of_body(j, lambda c: self.linear(j, c), r), m
        )

    @on_demand
    def _angular_in_parent(self, j: int, m: int) -> Expression:
        motion = self.motion
        p = motion.position(j)
        n, o = (m + 1) % 3, (m + 2) % 3
        turned = motion.out_of_joint_frame(
            j, lambda r: motion.out_of_body(j, lambda c: self.angular(j, c), r), m
        )
        terms = [turned]
        if not p[n].is_zero:
            terms.append(p[n] * self._linear_in_parent(j, o))
        if not p[o].is_zero:
            terms.append(-p[o] * self._linear_in_parent(j, n))
        return motion.sum(terms)

    def total(self, m: int) -> tuple[Expression, Expression]:
        """Component m of the linear momentum and of the angular momentum about the base origin, in the base frame."""
        roots = self.tree.children(-1)
        return (
            self.motion.sum([self._linear_in_parent(j, m) for j in roots]),
            self.motion.sum([self._angular_in_parent(j, m) for j in roots]),
        )


def kinetic_energy(kinematics: Kinematics) -> Expression:
    """T = 1/2 sum over the bodies of v . p + w . l, and of the rotors."""
    motion, tree, momentum = kinematics.motion, kinematics.tree, BodyMomentum(kinematics)
    terms = []
    for i in range(len(tree.bodies)):
        for r in range(3):
            linear, angular = momentum.own_linear(i, r), momentum.own_angular(i, r)
            if not linear.is_zero:
                terms.append(kinematics.velocity(i, r) * linear)
            if not angular.is_zero:
                terms.append(motion.w(i, r) * angular)
        if tree.bodies[i].rotor_inertia != 0:
            terms.append(motion.rotor(i) * motion.rate[i] * motion.rate[i])
    return motion.sum(terms) * Fraction(1, 2)


def potential_energy(motion: Motion) -> Expression:
    """U = -g . (first moment of all bodies about the base origin): zero for mass at the base origin."""
    tree, composite = motion.tree, CompositeInertia(motion.tree, motion)
    terms = []
    for m in range(3):
        weight = motion.number(tree.gravity[m])
        if not weight.is_zero:
            at_rest = motion.number(tree.base_first_moment[m])
            moving = [composite.first_in_parent(j, m) for j in tree.children(-1)]
            terms.append(-weight * motion.sum([at_rest, *moving]))
    return motion.sum(terms)


def momentum(kinematics: Kinematics) -> list[Expression]:
    """Linear momentum, then angular momentum about the base origin, both in the base frame.

    Kane & Levinson's W31 (1983, eqs 134 - 138) is its component along n2.
    """
    body = BodyMomentum(kinematics)
    linear, angular = zip(*(body.total(m) for m in range(3)), strict=True)
    return [*linear, *angular]
