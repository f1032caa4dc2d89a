"""Angular velocities in the two forms of Kane's method (Kane & Levinson 1983, eqs 13 - 27, 48 - 60).

For the bodies of a placed tree, each vector in the body's own basis:

    explicit form   the partial angular velocities w_r, functions of q alone: w = sum_r w_r u_r (eq 23)
    implicit form   w itself, as a sum of products with q' (eqs 12, 14, 16, 19, 21)
    acceleration    alpha by differentiation in the body's basis (eqs 48 - 60)

Components of angular velocity that are speeds by definition are never computed (eq 18).

Given u' as inputs, accelerations are complete.  Given zeros for u', they are what is left beside sum_r w_r
u'_r: the Z71 ... Z83 of eqs 56 - 60.

With q' = N u + ... for fewer speeds than coordinates, as constraints make it, the recursion that gives w_r takes
column r of N for the rates: these are nonholonomic partial angular velocities, sum_s w_s N_sr of the holonomic w_s.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kane.speeds import SpeedsOfTree
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.derivation.on_demand import OnDemand
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.graph import Expression, Graph, constant

Component = Callable[[int], Expression]


def turns_of(tree: PlacedTree, graph: Graph, q: Sequence[Expression]) -> Motion:
    """The rotations and positions of a placed tree, at rest."""
    still = [constant(graph, 0)] * len(tree.bodies)
    return Motion(tree, graph, Choices(), q, still, still)


class KaneRotation:
    """Partial angular velocities, angular velocities and angular accelerations, built on demand.

    Components are numbered 0, 1, 2.  ``quantities`` lists the nodes that were built, in that order, with
    words for what they are: the candidates for the names Z1, Z2, ...
    """

    def __init__(self, turns: Motion, speeds: SpeedsOfTree) -> None:
        """``turns`` has the rotations and positions, at rest."""
        self.turns, self.speeds = turns, speeds
        self.tree, self.graph, self.zero = turns.tree, turns.graph, turns.zero
        self.quantities: dict[int, str] = {}
        self._on_demand: OnDemand[Expression] = OnDemand()
        for body in self.tree.bodies:
            self.note(speeds.rates[body.coordinate], f"rate of {body.joint}")
        self._rate_dot: Sequence[Expression] | None = None

    def note(self, value: Expression, meaning: str) -> Expression:
        """Remember what an intermediate quantity means; the first meaning stays."""
        if self.graph.operands(value.ref):
            self.quantities.setdefault(abs(value.ref), meaning if value.ref > 0 else f"minus the {meaning}")
        return value

    def _remember(self, key: Hashable, meaning: str, build: Callable[[], Expression]) -> Expression:
        return self._on_demand(key, lambda: self.note(build(), meaning))

    def _turned(self, i: int, parent: Component, k: int) -> Expression:
        """Component k in body i's basis of a vector given in its parent's basis."""
        return self.turns.into_body(i, lambda c: self.turns.into_joint_frame(i, parent, c), k)

    # -- angular motion --------------------------------------------------------------------------------------

    def partial_angular_velocity(self, i: int, r: int, k: int) -> Expression:
        """w_r of body i, component k (eq 23)."""
        if i < 0:
            return self.zero

        def build() -> Expression:
            if (known := self.speeds.defined(i, k)) is not None:
                return known.factor if known.speed == r else self.zero
            body = self.tree.bodies[i]
            value = self._turned(i, lambda c: self.partial_angular_velocity(body.parent, r, c), k)
            if body.revolute and k == body.axis:
                value = value + self.speeds.rates_from_speeds[body.coordinate][r] * body.sense
            return value

        return self._remember(
            ("wr", i, r, k), f"partial angular velocity {r + 1} of {self._name(i)}, {k + 1}", build
        )

    def angular_velocity(self, i: int, k: int) -> Expression:
        """w of body i, component k, in implicit form."""
        if i < 0:
            return self.zero

        def build() -> Expression:
            if (known := self.speeds.defined(i, k)) is not None:
                return known.velocity
            body = self.tree.bodies[i]
            value = self._turned(i, lambda c: self.angular_velocity(body.parent, c), k)
            return value + self._rate(i) if body.revolute and k == body.axis else value

        return self._remember(("w", i, k), f"angular velocity of {self._name(i)}, {k + 1}", build)

    def angular_acceleration(self, i: int, k: int) -> Expression:
        """alpha of body i, component k (eqs 48 - 60)."""
        if i < 0:
            return self.zero

        def build() -> Expression:
            if (known := self.speeds.defined(i, k)) is not None:
                return known.acceleration
            value = self._differentiated(i, self.angular_acceleration, k)
            body = self.tree.bodies[i]
            return value + self._rate_derivative(i) if body.revolute and k == body.axis else value

        return self._remember(("alpha", i, k), f"angular acceleration of {self._name(i)}, {k + 1}", build)

    def _differentiated(self, i: int, parent: Callable[[int, int], Expression], k: int) -> Expression:
        """d/dt in N of w_parent + q' e, less q'' e, from that of w_parent: + w_parent x q' e, component k."""
        body = self.tree.bodies[i]
        value = self._turned(i, lambda c: parent(body.parent, c), k)
        if not body.revolute or k == body.axis:
            return value
        if k == (body.axis + 1) % 3:
            return value + self.angular_velocity(i, (body.axis + 2) % 3) * self._rate(i)
        return value - self.angular_velocity(i, (body.axis + 1) % 3) * self._rate(i)

    def _rate(self, i: int) -> Expression:
        body = self.tree.bodies[i]
        return self.speeds.rates[body.coordinate] * body.sense

    def _rate_derivative(self, i: int) -> Expression:
        """q'' of the joint of body i."""
        if self._rate_dot is None:
            self._rate_dot = self.speeds.second_derivatives(self._without_rate_derivatives)
            for body in self.tree.bodies:
                self.note(self._rate_dot[body.coordinate], f"second derivative of {body.joint}")
        body = self.tree.bodies[i]
        return self._rate_dot[body.coordinate] * body.sense

    def _without_rate_derivatives(self, i: int, k: int) -> Expression:
        if i < 0:
            return self.zero
        return self._remember(
            ("alpha0", i, k),
            f"angular acceleration of {self._name(i)} at constant rates, {k + 1}",
            lambda: self._differentiated(i, self._without_rate_derivatives, k),
        )

    def _name(self, i: int) -> str:
        return self.tree.bodies[i].name if i >= 0 else "base"
