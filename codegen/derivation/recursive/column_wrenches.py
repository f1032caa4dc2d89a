"""Forces and moments that unit accelerations of single joints cause, at every joint on the way to the base.

A unit acceleration of joint j alone, with everything at rest, takes the force f and the moment n about the origin of body
j of the composite inertia beyond it (composite_inertia.py); a unit rate of it gives the same numbers as momenta.  Here they
are carried to any body on the way to the base, component by component, on demand.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.on_demand import OnDemand, on_demand
from kanegen.codegen.graph import Expression


class ColumnWrenches:
    """Components of the wrenches of a tree's joints, remembered.

    ``kind`` is "f" or "n"; a derived class may add kinds whose force, and the arm that it has, it names.
    """

    def __init__(self, composite: CompositeInertia) -> None:
        self.composite, self.motion, self.tree = composite, composite.motion, composite.tree
        self._on_demand: OnDemand[Expression] = OnDemand(self.tree.depth())

    @on_demand
    def component(self, kind: str, j: int, i: int, r: int) -> Expression:
        """Component r of the wrench of joint j at body i, in its frame and about its origin."""
        return self._own(kind, j, r) if i == j else self._carried(kind, j, i, r)

    def turned(self, kind: str, j: int, i: int, m: int) -> Expression:
        """Component m of the wrench of joint j at body i, still about its origin, along the axes of its parent."""
        motion = self.motion

        def own(c: int) -> Expression:
            return self.component(kind, j, i, c)

        return motion.out_of_joint_frame(i, lambda x: motion.out_of_body(i, own, x), m)

    def _own(self, kind: str, j: int, r: int) -> Expression:
        """The wrench at the body of the joint itself."""
        h, s, zero = self.composite.first, self.composite.second, self.motion.zero
        body = self.tree.bodies[j]
        k = body.axis
        a, b = (k + 1) % 3, (k + 2) % 3
        if kind == ("f" if body.revolute else "n"):
            # e x h or h x e
            across = -h(j, b) if r == a else h(j, a) if r == b else zero
            return across if body.revolute else -across
        if not body.revolute:
            return self.composite.mass(j) if r == k else zero
        return s(j, a, a) + s(j, b, b) if r == k else -s(j, r, k)

    def _lever(self, kind: str, before: int) -> tuple[str, Sequence[Expression]]:
        """What adds to a moment carried from body ``before`` to its parent: a kind of force, and its arm there."""
        del kind
        return "f", self.motion.position(before)

    def _carried(self, kind: str, j: int, i: int, r: int) -> Expression:
        before = j
        while self.tree.bodies[before].parent != i:
            before = self.tree.bodies[before].parent
        found = self.turned(kind, j, before, r)
        if kind.startswith("f"):
            return found
        a, b = (r + 1) % 3, (r + 2) % 3
        force, arm = self._lever(kind, before)
        terms = [found]
        if not arm[a].is_zero:
            terms.append(arm[a] * self.component(force, j, i, b))
        if not arm[b].is_zero:
            terms.append(-arm[b] * self.component(force, j, i, a))
        return self.motion.sum(terms)
