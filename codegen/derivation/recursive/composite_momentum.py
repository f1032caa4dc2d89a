"""Moments of velocity of everything beyond a joint, by velocities relative to the origin of its body.

With u the velocity of a particle relative to the origin of body j (rotation of the body included), all in body j's frame,

    P = 2 integral of u dm,        D = 2 integral of u r^T dm

are to velocities what first and second moments are to positions.  They give the forces that a change of the angular
velocity alone causes (force_derivatives.py), and carrying the factor 2 from the tips on makes it cost one product for
each component of an angular velocity.  The symmetric part of D is the rate of the second moments, the other part angular
momentum.
"""

from __future__ import annotations

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.motion import Motion, Named
from kanegen.codegen.graph import Expression


class CompositeMomentum(Named):
    """Moments of velocity of a placed tree in a motion, component by component, on demand."""

    def __init__(self, tree: PlacedTree, motion: Motion, inertia: CompositeInertia) -> None:
        super().__init__(tree, motion)
        self.inertia = inertia

    def twice_w(self, i: int, r: int) -> Expression:
        """Twice the angular velocity of body i, component r."""
        return self.motion.w(i, r) * 2

    def sweep(self, j: int, m: int) -> Expression:
        """Twice the velocity of body j's origin relative to its parent's, component m in the parent's frame."""

        def build() -> Expression:
            motion, body = self.motion, self.tree.bodies[j]
            position = motion.position(j)
            n, o = (m + 1) % 3, (m + 2) % 3
            terms = []
            if body.parent >= 0:
                terms = [
                    self.twice_w(body.parent, n) * position[o],
                    -self.twice_w(body.parent, o) * position[n],
                ]
            if not body.revolute:
                terms.append(motion.rotation(j)[m][body.axis] * (motion.rate[j] * 2))
            return motion.sum(terms)

        return self._remember(("u", j, m), self.motion.meaning("u", j, m), build)

    # -- in the body's own frame -------------------------------------------------------------------------------------

    def first(self, i: int, r: int) -> Expression:
        """P about body i's origin, component r."""

        def build() -> Expression:
            motion, h = self.motion, self.tree.bodies[i].first_moment
            a, b = (r + 1) % 3, (r + 2) % 3
            terms = []
            if h[b] != 0:
                terms.append(self.twice_w(i, a) * motion.number(h[b]))
            if h[a] != 0:
                terms.append(-self.twice_w(i, b) * motion.number(h[a]))
            for j in self.tree.children(i):
                terms += [self._turned_first(j, r), self.sweep(j, r) * self.inertia.mass(j)]
            return motion.sum(terms)

        return self._remember(("P", i, r), self.motion.meaning("P", i, r), build)

    def second(self, i: int, r: int, c: int) -> Expression:
        """D about body i's origin, entry (r, c)."""

        def build() -> Expression:
            motion, s = self.motion, self.tree.bodies[i].second_moment
            a, b = (r + 1) % 3, (r + 2) % 3
            terms = []
            if s[b][c] != 0:
                terms.append(self.twice_w(i, a) * motion.number(s[b][c]))
            if s[a][c] != 0:
                terms.append(-self.twice_w(i, b) * motion.number(s[a][c]))
            terms += [self._second_in_parent(j, r, c) for j in self.tree.children(i)]
            return motion.sum(terms)

        return self._remember(("D", i, r, c), self.motion.meaning("D", i, r, c), build)

    # -- across the joint --------------------------------------------------------------------------------------------

    def first_in_joint_frame(self, j: int, r: int) -> Expression:
        """P about body j's origin, component r in its joint frame."""
        return self.motion.out_of_body(j, lambda c: self.first(j, c), r)

    def _turned_first(self, j: int, m: int) -> Expression:
        """P about body j's origin, component m in the parent's axes."""
        return self._remember(
            ("Pt", j, m),
            self.motion.meaning("Pt", j, m),
            lambda: self.motion.out_of_joint_frame(j, lambda r: self.first_in_joint_frame(j, r), m),
        )

    def _second_in_parent(self, j: int, m: int, n: int) -> Expression:
        """D about the parent's origin, entry (m, n) in the parent's axes."""
        motion = self.motion
        rotation = motion.rotation(j)
        terms = [
            rotation[m][r] * rotation[n][c] * self.second_in_joint_frame(j, r, c)
            for r in range(3)
            for c in range(3)
            if not rotation[m][r].is_zero and not rotation[n][c].is_zero
        ]
        position = motion.position(j)[n]
        if not position.is_zero:
            terms.append(self._turned_first(j, m) * position)
        sweep = self.sweep(j, m)
        if not sweep.is_zero:
            terms.append(sweep * self.inertia.first_in_parent(j, n))
        return motion.sum(terms)

    def second_in_joint_frame(self, j: int, r: int, c: int) -> Expression:
        """D about body j's origin, entry (r, c) in its joint frame."""
        body = self.tree.bodies[j]
        k = body.axis
        if not body.revolute or (r == k and c == k):
            return self.second(j, r, c)
        motion = self.motion
        if k == r:
            return self._remember(
                ("Dj", j, r, c),
                motion.meaning("Dj", j, r, c),
                lambda: motion.out_of_body(j, lambda x: self.second(j, k, x), c),
            )
        if k == c:
            return self._remember(
                ("Dj", j, r, c),
                motion.meaning("Dj", j, r, c),
                lambda: motion.out_of_body(j, lambda x: self.second(j, x, k), r),
            )
        a, b = (k + 1) % 3, (k + 2) % 3
        cosine, sine = motion.cosine[j], motion.sine[j]

        def swing() -> Expression:
            # s (D_aa - D_bb) + c (D_ab + D_ba): what the turn by one angle moves, divided by its sine
            across = self.second(j, a, b) + self.second(j, b, a)
            return sine * (self.second(j, a, a) - self.second(j, b, b)) + cosine * across

        x = self._remember(("swing", j), motion.meaning("swing D", j), swing)
        if r != c:
            return cosine * x - self.second(j, c, r)
        return self.second(j, a, a) - sine * x if r == a else self.second(j, b, b) + sine * x
