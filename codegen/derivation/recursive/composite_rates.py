"""Rates of composite inertias in the axes of the body that carries them, component by component, on demand.

For everything beyond joint j, with r the position of a particle from the origin of body j and r' its rate seen from body j,

    H' = sum r' dm,      D = sum r r'^T dm      (D + D^T is the rate of the second moment S).

What belongs to body j itself stands still there.  Across the joint of a child c, turning at the rate w_c about e and placed
at p in the axes of its parent, a particle moves with r' + w_c e x r in the child's axes, and with p' besides.
"""

from __future__ import annotations

from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.on_demand import OnDemand, on_demand
from kanegen.codegen.graph import Expression


class CompositeRates:
    """Rates that belong to the composite inertias of a tree."""

    def __init__(self, composite: CompositeInertia) -> None:
        self.composite, self.motion, self.tree = composite, composite.motion, composite.tree
        self._on_demand: OnDemand[Expression] = OnDemand(self.tree.depth())

    @on_demand
    def first(self, i: int, r: int) -> Expression:
        """Component r of H' of body i, in its frame."""
        terms = []
        for j in self.tree.children(i):
            terms += [self._turned_first(j, r), self.composite.mass(j) * self._slide(j, r)]
        return self.motion.sum(terms)

    @on_demand
    def second(self, i: int, r: int, c: int) -> Expression:
        """Entry (r, c) of D of body i, in its frame."""
        return self.motion.sum([self._second_in_parent(j, r, c) for j in self.tree.children(i)])

    def _slide(self, j: int, m: int) -> Expression:
        """Rate of the position of body j's origin in its parent's frame, component m."""
        body = self.tree.bodies[j]
        if body.revolute:
            return self.motion.zero
        return self.motion.rotation(j)[m][body.axis] * self.motion.rate[j]

    @on_demand
    def _turned_first(self, j: int, m: int) -> Expression:
        """What moves relative to body j's origin, component m in the parent's axes."""
        motion = self.motion
        return motion.out_of_joint_frame(
            j, lambda x: motion.out_of_body(j, lambda y: self._swept_first(j, y), x), m
        )

    def _swept_first(self, j: int, r: int) -> Expression:
        """H' + rate e x H of body j, in its frame."""
        body = self.tree.bodies[j]
        k = body.axis
        own = self.first(j, r)
        if not body.revolute or r == k:
            return own
        a, b = (k + 1) % 3, (k + 2) % 3
        h, rate = self.composite.first, self.motion.rate[j]
        return own - h(j, b) * rate if r == a else own + h(j, a) * rate

    def _second_in_parent(self, j: int, m: int, n: int) -> Expression:
        """What body j and everything beyond it add to D of its parent, entry (m, n)."""
        motion, composite = self.motion, self.composite
        rotation, position = motion.rotation(j), motion.position(j)
        terms = [
            rotation[m][r] * rotation[n][c] * self._second_joint(j, r, c)
            for r in range(3)
            for c in range(3)
            if not rotation[m][r].is_zero and not rotation[n][c].is_zero
        ]
        if not position[m].is_zero:
            terms.append(position[m] * self._turned_first(j, n))
        slide = self._slide(j, n)
        if not slide.is_zero:
            terms.append(composite.first_in_parent(j, m) * slide)
        return motion.sum(terms)

    def _second_joint(self, j: int, r: int, c: int) -> Expression:
        """D of body j, seen from the parent, entry (r, c) in the joint frame."""
        body = self.tree.bodies[j]
        k = body.axis
        if not body.revolute or (r == k and c == k):
            return self._swept_second(j, r, c)
        motion = self.motion
        if c == k:
            return motion.out_of_body(j, lambda x: self._swept_second(j, x, k), r)
        if r == k:
            return motion.out_of_body(j, lambda x: self._swept_second(j, k, x), c)
        a = (k + 1) % 3
        x = self._swing(j)
        if r != c:
            return motion.cosine[j] * x - self._swept_second(j, c, r)
        moved = motion.sine[j] * x
        return self._swept_second(j, r, r) - moved if r == a else self._swept_second(j, r, r) + moved

    @on_demand
    def _swing(self, j: int) -> Expression:
        """As for the second moment itself: the turn moves s (D_aa - D_bb) + c (D_ab + D_ba), times its sine and cosine."""
        motion, k = self.motion, self.tree.bodies[j].axis
        a, b = (k + 1) % 3, (k + 2) % 3
        return motion.sine[j] * (self._swept_second(j, a, a) - self._swept_second(j, b, b)) + motion.cosine[
            j
        ] * (self._swept_second(j, a, b) + self._swept_second(j, b, a))

    def _swept_second(self, j: int, r: int, c: int) -> Expression:
        """D + sum r (rate e x r)^T dm of body j, entry (r, c) in its frame."""
        body = self.tree.bodies[j]
        k = body.axis
        own = self.second(j, r, c)
        if not body.revolute or c == k:
            return own
        a, b = (k + 1) % 3, (k + 2) % 3
        s, rate = self.composite.second, self.motion.rate[j]
        return own - s(j, r, b) * rate if c == a else own + s(j, r, a) * rate
