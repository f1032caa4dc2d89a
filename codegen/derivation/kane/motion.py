"""Velocities of mass centres in the two forms of Kane's method (Kane & Levinson 1983, eqs 28 - 47, 61 - 75).

    explicit form   the partial velocities v_r, functions of q alone: v = sum_r v_r u_r (eq 44)
    implicit form   v itself, as a sum of products with q' (eqs 31, 33, 35, 41, 43)
    acceleration    a of the mass centre (eqs 65 - 75)

The bases are the bodies' own, except that a mass centre on the axis of its body's revolute joint is a point
of the inner body as well, and is followed in that body's basis (A*, B*, D* and F* of the Stanford Arm: eqs 28
- 31, 34, 42).

Given zeros for u', accelerations are what is left beside sum_r v_r u'_r: the Z94 ... Z136 of eqs 71 - 75.
The acceleration of free fall is subtracted at the base, once for all bodies: inertia forces -m a and
gravitational forces m g meet the same partial velocities (eqs 78 and 90).
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.central_inertia import central_inertias
from kanegen.codegen.derivation.kane.rotation import Component, KaneRotation
from kanegen.codegen.derivation.kane.speeds import SpeedsOfTree
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.records import Mechanism


class KaneMotion(KaneRotation):
    """Partial velocities, velocities and accelerations of mass centres, and everything of ``KaneRotation``.

    ``mechanism`` has no fixed joints, and the tree of ``turns`` is its placed form in metres; of the tree only the
    geometry is read, so that it does not matter whether its inertias are regrouped.
    """

    def __init__(self, mechanism: Mechanism, turns: Motion, speeds: SpeedsOfTree) -> None:
        super().__init__(turns, speeds)
        self.gravity = tuple(self.turns.number(g) for g in mechanism.gravity)
        self.inertias = central_inertias(mechanism, turns.tree)

    # -- linear motion ---------------------------------------------------------------------------------------

    def carrier(self, i: int) -> tuple[int, tuple[Expression, ...]]:
        """The body in whose basis the mass centre of body i is followed, and its position from that origin.

        A mass centre on the axis of a revolute joint is fixed in the parent too; -1 is the base.
        """
        body = self.tree.bodies[i]
        center = self.inertias[i].center
        if not body.revolute or any(center[k] != 0 for k in range(3) if k != body.axis):
            return i, tuple(self.turns.number(x) for x in center)
        along = self.turns.number(center[body.axis])
        rotation, position = self.turns.rotation(i), self.turns.position(i)
        return body.parent, tuple(position[m] + rotation[m][body.axis] * along for m in range(3))

    def partial_velocity(self, i: int, r: int, k: int) -> Expression:
        """v_r of the mass centre of body i, component k in the basis of its carrier (eq 44)."""
        j, position = self.carrier(i)
        return self._remember(
            ("vr*", i, r, k),
            f"partial velocity {r + 1} of the mass centre of {self._name(i)}, {k + 1}",
            lambda: self._swept(
                lambda c: self._origin_partial(j, r, c),
                lambda c: self.partial_angular_velocity(j, r, c),
                position,
                k,
            ),
        )

    def velocity(self, i: int, k: int) -> Expression:
        """v of the mass centre of body i, component k in the basis of its carrier, in implicit form."""
        j, position = self.carrier(i)
        return self._remember(
            ("v*", i, k),
            f"velocity of the mass centre of {self._name(i)}, {k + 1}",
            lambda: self._swept(
                lambda c: self._origin_velocity(j, c), lambda c: self.angular_velocity(j, c), position, k
            ),
        )

    def acceleration(self, i: int, k: int) -> Expression:
        """a - g of the mass centre of body i, component k in the basis of its carrier (eqs 65 - 75)."""
        j, position = self.carrier(i)
        return self._remember(
            ("a*", i, k),
            f"acceleration of the mass centre of {self._name(i)}, less that of free fall, {k + 1}",
            lambda: self._of_point(j, position, k),
        )

    def _swept(
        self, origin: Component, angular: Component, position: Sequence[Expression], k: int
    ) -> Expression:
        """origin + angular x position, component k."""
        a, b = (k + 1) % 3, (k + 2) % 3
        return self.turns.sum([origin(k), *_cross_terms(angular, position, a, b)])

    def _origin_partial(self, i: int, r: int, k: int) -> Expression:
        """Partial velocity of body i's origin, component k in its basis."""
        if i < 0:
            return self.zero
        return self._remember(
            ("vr", i, r, k),
            f"partial velocity {r + 1} of the origin of {self._name(i)}, {k + 1}",
            lambda: self._turned(i, lambda m: self._origin_partial_in_parent(i, r, m), k),
        )

    def _origin_partial_in_parent(self, i: int, r: int, m: int) -> Expression:
        """Partial velocity of body i's origin, component m in its parent's basis."""
        parent = self.tree.bodies[i].parent
        value = self._swept(
            lambda c: self._origin_partial(parent, r, c),
            lambda c: self.partial_angular_velocity(parent, r, c),
            self.turns.position(i),
            m,
        )
        return value + self.turns.rotation(i)[m][self.tree.bodies[i].axis] * self._slide(i, r)

    def _slide(self, i: int, r: int) -> Expression:
        """What u_r contributes to the rate of a prismatic joint; zero for a revolute one."""
        body = self.tree.bodies[i]
        if body.revolute:
            return self.zero
        return self.speeds.rates_from_speeds[body.coordinate][r] * body.sense

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

    def _translates(self, i: int, r: int, s: int) -> bool:
        """Whether neither u_r nor u_s turns body i."""
        return all(self.partial_angular_velocity(i, x, k).is_zero for x in (r, s) for k in range(3))

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
            ("v", i, k),
            f"velocity of the origin of {self._name(i)}, {k + 1}",
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
                _cross_terms(lambda c: self.angular_velocity(parent, c), direction, a, b)
            )
            return self.turns.sum(
                [value, coriolis * (self._rate(i) * 2), direction[m] * self._rate_derivative(i)]
            )

        return self._remember(
            ("a", i, k),
            f"acceleration of the origin of {self._name(i)}, less that of free fall, {k + 1}",
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

        return self._remember(("U", j, k, c), f"sweep of {self._name(j)}, {k + 1} {c + 1}", build)


def _cross_terms(u: Component, v: Sequence[Expression], a: int, b: int) -> list[Expression]:
    """The terms u_a v_b - u_b v_a of a vector product, without those in which v vanishes."""
    terms = []
    if not v[b].is_zero:
        terms.append(u(a) * v[b])
    if not v[a].is_zero:
        terms.append(-u(b) * v[a])
    return terms
