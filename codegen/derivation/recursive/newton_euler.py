"""Recursive Newton-Euler inverse dynamics (Luh, Walker & Paul 1980) on second moments.

The force and moment that a joint carries are those of everything beyond it (collected_forces.py).  The generalized force
of a joint is the component of the moment (revolute) or the force (prismatic) along its axis.
"""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.collected_forces import CollectedForces
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.tip_elimination import articulated_share
from kanegen.codegen.graph import Expression


class JointForces(CollectedForces):
    """Forces and moments carried by the joints, for given motions of the bodies.

    ``free`` maps tip bodies whose joints give way to the forces of those joints: what such a body then passes on is
    that of its articulated inertia (see tip_elimination.py).
    """

    def __init__(
        self, tree: PlacedTree, motion: Motion, free: Mapping[int, Expression] | None = None
    ) -> None:
        self.free = free or {}
        super().__init__(tree, motion, *((i, x.ref) for i, x in self.free.items()))

    def moment(self, i: int, t: int) -> Expression:
        """Moment carried by the joint of body i about its origin, component t in its frame."""
        if i not in self.free:
            return self.required_moment(i, t)
        k = self.tree.bodies[i].axis
        if t == k:
            return self.free[i]
        share = articulated_share(self.tree.bodies[i], t)
        if share == 0:
            return self.required_moment(i, t)
        return self.required_moment(i, t) - self.motion.number(share) * (
            self.required_moment(i, k) - self.free[i]
        )

    def _in_parent(self, i: int) -> bool:
        """Whether the second moments of body i are evaluated in its joint frame: never those of one that gives way."""
        return i not in self.free and super()._in_parent(i)


def joint_forces(motion: Motion) -> list[Expression]:
    """Generalized forces of a motion in coordinate order: tau = M(q) a + h(q, v)."""
    forces, bodies = JointForces(motion.tree, motion), motion.tree.bodies
    tau = [motion.zero] * len(bodies)
    for i, body in enumerate(bodies):
        tau[body.coordinate] = forces.generalized(i)
    return tau
