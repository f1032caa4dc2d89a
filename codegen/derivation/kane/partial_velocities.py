"""Partial angular velocities and partial velocities of bodies (Kane & Levinson 1983, eqs 23 and 44).

    w = sum_r w_r u_r,   v = sum_r v_r u_r

with w_r and v_r functions of q alone, in the bases of the bodies.  Components of angular velocity that are speeds by
definition are never computed (eq 18).

With q' = N u + ... for fewer speeds than coordinates, as constraints make it, the recursion that gives w_r takes
column r of N for the rates: these are nonholonomic partial angular velocities, sum_s w_s N_sr of the holonomic w_s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kanegen.codegen.derivation.kane.rates import Rates
from kanegen.codegen.derivation.meanings import meaning
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.on_demand import OnDemand
from kanegen.codegen.graph import Expression, Meaning, Ref

Component = Callable[[int], Expression]


class PartialVelocities:
    """Partial velocities of bodies and their origins in the tree of ``turns``, built on demand.

    They are in the tree's unit of length.  Components are numbered 0, 1, 2.
    """

    def __init__(self, turns: Motion, speeds: Rates) -> None:
        self.turns, self.speeds = turns, speeds
        self.tree, self.graph, self.zero = turns.tree, turns.graph, turns.zero
        self._on_demand: OnDemand[Expression] = OnDemand()

    def mean(
        self, value: Expression, quantity: str, i: int, components: tuple[int, ...], speed: int = -1
    ) -> Expression:
        """The value, having said which quantity of body i it is, and for which speed."""
        return value.mean(self.meaning(quantity, i, components, speed))

    def meaning(self, quantity: str, i: int, components: tuple[int, ...], speed: int) -> Meaning:
        """What a quantity of body i means."""
        words = (self._name(i), str(speed + 1), self._name(self._followed_in(i)))
        return meaning(quantity, components, words)

    def _followed_in(self, i: int) -> int:
        """The body in whose basis the mass centre of body i is followed."""
        return i

    def _remember(
        self,
        quantity: str,
        i: int,
        components: tuple[int, ...],
        build: Callable[[], Expression],
        speed: int = -1,
    ) -> Expression:
        key = (quantity, i, components, speed)
        return self._on_demand(key, lambda: self.mean(build(), quantity, i, components, speed))

    def _turned(self, i: int, parent: Component, k: int) -> Expression:
        """Component k in body i's basis of a vector given in its parent's basis."""
        return self.turns.into_body(i, lambda c: self.turns.into_joint_frame(i, parent, c), k)

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

        return self._remember("wr", i, (k,), build, r)

    def origin_partial(self, i: int, r: int, k: int) -> Expression:
        """Partial velocity of body i's origin, component k in its basis."""
        if i < 0:
            return self.zero
        return self._remember(
            "vr",
            i,
            (k,),
            lambda: self._turned(i, lambda m: self._origin_partial_in_parent(i, r, m), k),
            r,
        )

    def _origin_partial_in_parent(self, i: int, r: int, m: int) -> Expression:
        """Partial velocity of body i's origin, component m in its parent's basis."""
        parent = self.tree.bodies[i].parent
        value = self._swept(
            lambda c: self.origin_partial(parent, r, c),
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
        return self.speeds.rates_from_speeds[body.coordinate][r] * self.turns.to_unit(i)

    def _translates(self, i: int, r: int, s: int) -> bool:
        """Whether neither u_r nor u_s turns body i."""
        return all(self.partial_angular_velocity(i, x, k).is_zero for x in (r, s) for k in range(3))

    def _swept(
        self, origin: Component, angular: Component, position: Sequence[Expression], k: int
    ) -> Expression:
        """origin + angular x position, component k."""
        a, b = (k + 1) % 3, (k + 2) % 3
        return self.turns.sum([origin(k), *cross_terms(angular, position, a, b)])

    def _name(self, i: int) -> str:
        return self.tree.bodies[i].name if i >= 0 else "base"


def cross_terms(u: Component, v: Sequence[Expression], a: int, b: int) -> list[Expression]:
    """The terms u_a v_b - u_b v_a of a vector product, without those in which v vanishes."""
    terms = []
    if not v[b].is_zero:
        terms.append(u(a) * v[b])
    if not v[a].is_zero:
        terms.append(-u(b) * v[a])
    return terms


def collected_products(
    turns: Motion, products: Iterable[tuple[Expression, Callable[[], Expression]]]
) -> Expression:
    """Sum of partial velocities and what each is multiplied by; that of equal ones is added up first.

    What a partial velocity of zero would be multiplied by is not built.
    """
    factors: dict[Ref, list[Expression]] = {}
    for velocity, factor in products:
        if not velocity.is_zero:
            ref, value = velocity.ref, factor()
            factors.setdefault(abs(ref), []).append(value if ref > 0 else -value)
    return turns.sum([Expression(turns.graph, ref) * turns.sum(values) for ref, values in factors.items()])
