"""How bodies move, in the two forms of Kane's method (Kane & Levinson 1983, eqs 13 - 75).

    explicit form   partial angular velocities w_r (partial_velocities.py) and partial velocities v_r of mass centres,
                    functions of q alone: w = sum_r w_r u_r (eq 23), v = sum_r v_r u_r (eq 44)
    implicit form   w and v themselves, as sums of products with q' (eqs 12 - 21, 31 - 43)
    accelerations   alpha by differentiation in the body's basis (eqs 48 - 60), a of mass centres (eqs 65 - 75)

The bases are the bodies' own, except that a mass centre on the axis of its body's revolute joint is a point of the inner
body as well, and is followed in that body's basis (A*, B*, D* and F* of the Stanford Arm: eqs 28 - 31, 34, 42).
Components of angular velocity that are speeds by definition are never computed (eq 18).

Given zeros for u', accelerations are what is left beside sum_r w_r u'_r and sum_r v_r u'_r: the Z71 ... Z83 and Z94 ... Z136
of eqs 56 - 60 and 71 - 75.  The acceleration of free fall is subtracted at the base, once for all bodies: inertia forces
-m a and gravitational forces m g meet the same partial velocities (eqs 78 and 90).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanegen.codegen.derivation.kane.partial_velocities import PartialVelocities, cross_terms
from kanegen.codegen.derivation.kane.rates import Rates
from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.placed_tree.central_inertia import central_inertias
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism, Value
from kanegen.codegen.mechanism.reduction import without_fixed_joints


def turns_of(tree: PlacedTree, graph: Graph, q: Sequence[Expression]) -> Motion:
    """The rotations and positions of a placed tree, at rest."""
    still = [constant(graph, 0)] * len(tree.bodies)
    return Motion(tree, graph, Choices(), q, still, still)


def bodies_of(tree: Mechanism, live: bool) -> Mechanism:
    """The tree whose inertias are read: fixed joints lumped, parameters folded unless they stay live."""
    reduced = without_fixed_joints(tree)
    return reduced if live else with_numbers(reduced)


def is_on_axis(body: PlacedBody, center: Sequence[Value]) -> bool:
    """Whether a point of a body lies on the axis of the revolute joint that the body hangs on."""
    return body.revolute and all(center[k] == 0 for k in range(3) if k != body.axis)


class KaneMotion(PartialVelocities):
    """Partial velocities, velocities and accelerations of bodies and their mass centres, built on demand.

    ``mechanism`` has no fixed joints, and the tree of ``turns`` is its placed form in metres, at rest; of the tree only the
    geometry is read, so that it does not matter whether its inertias are regrouped.
    """

    def __init__(self, mechanism: Mechanism, turns: Motion, speeds: Rates) -> None:
        super().__init__(turns, speeds)
        self.gravity = tuple(turns.number(g) for g in mechanism.gravity)
        self.inertias = central_inertias(mechanism, turns.tree)
        for body in self.tree.bodies:
            mean(speeds.rates[body.coordinate], "rate", (), body.joint)
        self._rate_dot: Sequence[Expression] | None = None

    # -- angular motion --------------------------------------------------------------------------------------

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

        return self._remember("w", i, (k,), build)

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

        return self._remember("alpha", i, (k,), build)

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
                mean(self._rate_dot[body.coordinate], "acceleration", (), body.joint)
        body = self.tree.bodies[i]
        return self._rate_dot[body.coordinate] * body.sense

    def _without_rate_derivatives(self, i: int, k: int) -> Expression:
        if i < 0:
            return self.zero
        return self._remember(
            "alpha0",
            i,
            (k,),
            lambda: self._differentiated(i, self._without_rate_derivatives, k),
        )

    # -- linear motion ---------------------------------------------------------------------------------------

    def carrier(self, i: int) -> tuple[int, tuple[Expression, ...]]:
        """The body in whose basis the mass centre of body i is followed, and its position from that origin.

        A mass centre on the axis of a revolute joint is fixed in the parent too; -1 is the base.
        """
        body, center = self.tree.bodies[i], self.inertias[i].center
        if not is_on_axis(body, center):
            return i, tuple(self.turns.number(x) for x in center)
        along = self.turns.number(center[body.axis])
        rotation, position = self.turns.rotation(i), self.turns.position(i)
        return body.parent, tuple(position[m] + rotation[m][body.axis] * along for m in range(3))

    def _followed_in(self, i: int) -> int:
        return self.carrier(i)[0] if i >= 0 else i

    def partial_velocity(self, i: int, r: int, k: int) -> Expression:
        """v_r of the mass centre of body i, component k in the basis of its carrier (eq 44)."""
        j, position = self.carrier(i)
        return self._remember(
            "vr*",
            i,
            (k,),
            lambda: self._swept(
                lambda c: self.origin_partial(j, r, c),
                lambda c: self.partial_angular_velocity(j, r, c),
                position,
                k,
            ),
            r,
        )

    def velocity(self, i: int, k: int) -> Expression:
        """v of the mass centre of body i, component k in the basis of its carrier, in implicit form."""
        j, position = self.carrier(i)
        return self._remember(
            "v*",
            i,
            (k,),
            lambda: self._swept(
                lambda c: self._origin_velocity(j, c), lambda c: self.angular_velocity(j, c), position, k
            ),
        )

    def acceleration(self, i: int, k: int) -> Expression:
        """a - g of the mass centre of body i, component k in the basis of its carrier (eqs 65 - 75)."""
        j, position = self.carrier(i)
        return self._remember(
            "a*",
            i,
            (k,),
            lambda: self._of_point(j, position, k),
        )

    def paired_partial_velocity(self, i: int, r: int, s: int, k: int) -> Expression:
        """v_r of the mass centre of body i, component k, in a basis that suits the product with v_s.

        Where u_r and u_s only translate the body, both vectors are taken in the basis of the innermost body in
        which they are the same: squares of sines and cosines then never meet (X66 of the Stanford Arm is a
        number).
        """
        j, _ = self.carrier(i)
        if j < 0 or not self._translates(j, r, s):
            return self.partial_velocity(i, r, k)
        while self.tree.bodies[j].parent >= 0 and self._translates(self.tree.bodies[j].parent, r, s):
            if not (self._slide(j, r).is_zero and self._slide(j, s).is_zero):
                break
            j = self.tree.bodies[j].parent
        return self._origin_partial_in_parent(j, r, k)

    def _origin_velocity(self, i: int, k: int) -> Expression:
        """Velocity of body i's origin, component k in its basis."""
        if i < 0:
            return self.zero
        body = self.tree.bodies[i]
        parent = body.parent

        def in_parent(m: int) -> Expression:
            value = self._swept(
                lambda c: self._origin_velocity(parent, c),
                lambda c: self.angular_velocity(parent, c),
                self.turns.position(i),
                m,
            )
            return value if body.revolute else value + self.turns.rotation(i)[m][body.axis] * self._rate(i)

        return self._remember(
            "v",
            i,
            (k,),
            lambda: self._turned(i, in_parent, k),
        )

    def _origin_acceleration(self, i: int, k: int) -> Expression:
        """Acceleration of body i's origin less that of free fall, component k in its basis."""
        if i < 0:
            return -self.gravity[k]
        body = self.tree.bodies[i]
        parent = body.parent

        def in_parent(m: int) -> Expression:
            value = self._of_point(parent, self.turns.position(i), m)
            if body.revolute:
                return value
            direction = [self.turns.rotation(i)[n][body.axis] for n in range(3)]
            a, b = (m + 1) % 3, (m + 2) % 3
            coriolis = self.turns.sum(
                cross_terms(lambda c: self.angular_velocity(parent, c), direction, a, b)
            )
            return self.turns.sum(
                [value, coriolis * (self._rate(i) * 2), direction[m] * self._rate_derivative(i)]
            )

        return self._remember(
            "a",
            i,
            (k,),
            lambda: self._turned(i, in_parent, k),
        )

    def _of_point(self, j: int, position: Sequence[Expression], k: int) -> Expression:
        """a + alpha x r + w x (w x r) for the point r of body j, component k in its basis."""
        terms = [self._origin_acceleration(j, k)]
        terms += [self._sweep(j, k, c) * position[c] for c in range(3) if not position[c].is_zero]
        return self.turns.sum(terms)

    def _sweep(self, j: int, k: int, c: int) -> Expression:
        """Entry (k, c) of the operator alpha x + w x (w x of body j."""
        if j < 0:
            return self.zero

        def build() -> Expression:
            if k == c:
                others = [self.angular_velocity(j, x) for x in range(3) if x != k]
                return -(others[0] * others[0] + others[1] * others[1])
            product = self.angular_velocity(j, k) * self.angular_velocity(j, c)
            t = 3 - k - c
            alpha = self.angular_acceleration(j, t)
            return product - alpha if (k + 1) % 3 == c else product + alpha

        return self._remember("U", j, (k, c), build)
