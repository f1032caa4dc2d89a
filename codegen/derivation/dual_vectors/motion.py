"""Dual velocities of the bodies of a chain and their rates of change, equations (1) to (3).

The velocity of a body for its own origin P is V = w + epsilon v, in the axes of the body.  Its rate of change is that of
the components, so that the acceleration of P is the dual part of dV/dt plus w x v.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.dual_vectors.chain import DualChain
from kanegen.codegen.derivation.dual_vectors.dual_rotation import about_axis
from kanegen.codegen.derivation.dual_vectors.dual_vector import (
    DualVector,
    dual_zero_vector,
    unit_vector,
    zeros,
)
from kanegen.codegen.graph import Expression, Graph


class DualMotion:
    """The bodies of a chain at coordinates q: their velocities for any rates, and the rates of change of these."""

    def __init__(self, chain: DualChain, graph: Graph, q: Sequence[Expression]) -> None:
        self.chain, self.graph = chain, graph
        self.axes = [unit_vector(graph, body.axis) for body in chain.bodies]
        self._joints = [about_axis(body.axis, body.dual_angle(q)) for body in chain.bodies]

    def velocities(self, rates: Sequence[Expression]) -> list[DualVector]:
        """V of every body for its origin, for rates of the coordinates in the order of q."""
        rest = dual_zero_vector(self.graph)
        found: list[DualVector] = []
        for i, body in enumerate(self.chain.bodies):
            carried = self._inward(i, found[body.parent] if body.parent >= 0 else rest)
            # (3): V(P_i) = V(P_i-1) + (dtheta/dt) z_i, with V(P_i-1) of the parent seen at P_i by (2)
            found.append(carried + self.axes[i] * body.dual_angle(rates))
        return found

    def rates_of_change(
        self,
        velocities: Sequence[DualVector],
        rates: Sequence[Expression],
        accelerations: Sequence[Expression],
    ) -> list[DualVector]:
        """dV/dt of every body, for the accelerations of the coordinates, in a base that falls upwards.

        Its acceleration is -g.  To d'Alembert's principle this is the weight of every body, a dual force m g + epsilon 0
        at each mass centre.
        """
        base = DualVector(zeros(self.graph), self.chain.gravity)
        found: list[DualVector] = []
        for i, body in enumerate(self.chain.bodies):
            carried = self._inward(i, found[body.parent] if body.parent >= 0 else -base)
            # the axes in which V(P_i-1) is seen turn and slide with the joint; to z_i itself this does nothing
            moved = velocities[i].cross(self.axes[i] * body.dual_angle(rates))
            found.append(carried + self.axes[i] * body.dual_angle(accelerations) + moved)
        return found

    def outward(self, i: int, vector: DualVector) -> DualVector:
        """A dual vector at the origin of body i, seen at its parent's origin in the parent's axes."""
        return self.chain.bodies[i].place.outward(self._joints[i].outward(vector))

    def _inward(self, i: int, vector: DualVector) -> DualVector:
        """A dual vector at the origin of body i's parent, seen at body i's origin in its axes."""
        return self._joints[i].inward(self.chain.bodies[i].place.inward(vector))
