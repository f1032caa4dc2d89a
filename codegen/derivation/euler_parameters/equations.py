"""Inverse dynamics of a driven tree through the multipliers of all its constraints, solved from the tips to the base.

Every body has seven equations (18), (19) and brings seven constraints: five of its joint, one drive, and the normalisation
(3).  What its children's constraints exert is known when its turn comes, so its own seven multipliers follow:

    (18)   the multipliers of the joint's point are the force R = m (d2r/dt2 - g) + sum of R over the children;
    (19)   times B / 2, the inverse of (25): since B B^T = 1 and B p = 0 the normalisation's multiplier drops out, and the
           inertia terms become I dw'/dt + w' x I w'.  There remain three equations for the moment.

The gradients of a hinge's two rows of rotation and of its drive are, with respect to the body's turning, the vectors f, g,
h of a right-handed orthonormal triad where the joint is closed and the drive satisfied (for a slide, those of its rows).
So the three multipliers are the components of the moment n at the joint along them, and what they exert on the parent is
-n: no pivot is chosen and nothing is divided.  The drive's multiplier is the component along the axis, which (30) to (34)
turn into the actuator's torque, or (36) into its force.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.euler_parameters.chain import Chain, chain_of
from kanegen.codegen.derivation.euler_parameters.tree_motion import TreeMotion
from kanegen.codegen.derivation.open_chains import require_tree
from kanegen.codegen.derivation.recursive.on_demand import OnDemand, on_demand
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Expressions
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift


def forces(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
) -> list[Expression]:
    """Generalized forces [N m, N] that move a plain tree so, in the order of its coordinates, gravity included.

    ``q``, ``v`` and ``a`` are expressions of ``graph``, one for each coordinate.  Values of the tree that are expressions
    stay live.  Raises ModelError for what is no plain tree.
    """
    require_tree(tree, "the tree's multipliers")
    chain = chain_of(tree, live_parameters=True)
    lift = Lift(graph, live=True)
    motion = TreeMotion(chain, lift, q, v, a, gravity=chain.mechanism.gravity)
    tau = [constant(graph, 0)] * len(tree.coordinates)
    carried = _Multipliers(chain, motion)
    for i, link in enumerate(chain.links):
        if link.coordinate is not None:
            exerted = carried.moment(i) if link.revolute else carried.force(i)
            tau[link.coordinate] = vec.dot_total(graph, motion.axis(i), exerted)
    return tau


class _Multipliers:
    """Force and moment that each joint exerts on its body, in the base's axes: its multipliers of position and rotation."""

    def __init__(self, chain: Chain, motion: TreeMotion) -> None:
        self.chain, self.motion, self.graph = chain, motion, motion.graph
        self._on_demand: OnDemand[Expressions] = OnDemand()

    @on_demand
    def force(self, i: int) -> Expressions:
        """R: (18) for the body's multipliers of position."""
        inertia = self.chain.links[i].inertia
        own = vec.zeros(self.graph, 3)
        if inertia is not None:
            own = vec.scale(self.motion.lift(inertia.mass), self.motion.acceleration(i))
        return vec.add_total(self.graph, own, *(self.force(k) for k in self.chain.children(i)))

    @on_demand
    def moment(self, i: int) -> Expressions:
        """n about the joint's point on the body: (19) times B / 2, with the torques h' of (23)."""
        motion = self.motion
        children = self.chain.children(i)
        local = [self._inertia_torque(i)]
        local.append(vec.cross(motion.own_arm(i), motion.in_body(i, self.force(i))))
        slid = vec.zeros(self.graph, 3)
        for k in children:
            local.append(vec.cross(motion.out_arm(k), motion.in_body(i, self.force(k))))
            slid = vec.add_total(self.graph, slid, vec.cross(motion.displacement(k), self.force(k)))
        moments = [
            motion.in_base(i, vec.add_total(self.graph, *local)),
            slid,
            *(self.moment(k) for k in children),
        ]
        return vec.add_total(self.graph, *moments)

    def _inertia_torque(self, i: int) -> Expressions:
        """I dw'/dt + w' x I w' in the body's axes."""
        inertia = self.chain.links[i].inertia
        if inertia is None:
            return vec.zeros(self.graph, 3)
        tensor = self.motion.lift.matrix(inertia.tensor)
        w, rate = self.motion.local_velocity(i), self.motion.local_acceleration(i)
        return vec.add_total(
            self.graph,
            vec.apply_total(self.graph, tensor, rate),
            vec.cross(w, vec.apply_total(self.graph, tensor, w)),
        )
