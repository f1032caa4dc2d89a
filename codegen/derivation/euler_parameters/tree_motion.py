"""Motion of the bodies of a tree as its joints prescribe it: the kinematic analysis of the driven system, solved outwards.

Vectors are in the base frame unless said otherwise.  For body i on body j, turning about its axis z by q, or sliding,

    p_i = p_j p_fixed (cos q/2, z' sin q/2)
    w_i = w_j + z dq/dt,    dw_i/dt = dw_j/dt + z d2q/dt2 + w_j x z dq/dt
    the joint's point moves on body j, plus z q, and the mass centre r_i follows on body i.

The axis of a turn is the same vector in both bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from kanegen.codegen.derivation.euler_parameters.chain import Chain, axis_in_parent
from kanegen.codegen.derivation.euler_parameters.rotation import (
    parameter_product,
    rate_of_parameters,
    rotation_matrix,
)
from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.recursive.on_demand import OnDemand
from kanegen.codegen.graph import Expression, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import ExpressionRows, Expressions
from kanegen.codegen.mechanism.records import Vector3
from kanegen.codegen.mechanism.values import Lift

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)


class TreeMotion:
    """Positions, velocities and accelerations of the bodies, on demand, for coordinates, rates and accelerations.

    ``q``, ``v`` and ``a`` have one entry for each coordinate; joints that are no coordinates stand still at zero.
    Accelerations are less ``gravity`` (zero where none is given).
    """

    def __init__(
        self,
        chain: Chain,
        lift: Lift,
        q: Sequence[Expression],
        v: Sequence[Expression] = (),
        a: Sequence[Expression] = (),
        gravity: Vector3 | None = None,
    ) -> None:
        self.chain, self.lift, self.graph = chain, lift, lift.graph
        self._zero, self._one = constant(self.graph, 0), constant(self.graph, 1)
        self._q, self._v, self._a = q, v, a
        self._gravity = vec.zeros(self.graph, 3) if gravity is None else list(lift.vector(gravity))
        self._on_demand: OnDemand[Expressions] = OnDemand()
        self._matrices: dict[int, ExpressionRows] = {}

    def _remember(self, what: str, i: int, build: Callable[[], Expressions]) -> Expressions:
        def said() -> Expressions:
            found = build()
            for r, x in enumerate(found):
                mean(x, f"{what} of link", (r,), self.chain.links[i].name)
            return found

        return self._on_demand((what, i), said)

    def _given(self, values: Sequence[Expression], i: int) -> Expression:
        place = self.chain.links[i].coordinate
        return self._zero if place is None else values[place]

    # -- orientation and position ------------------------------------------------------------------------------------

    def parameters(self, i: int) -> Expressions:
        """p_i; (1, 0, 0, 0) for the base."""
        if i < 0:
            return [self._one, *vec.zeros(self.graph, 3)]
        return self._remember("p", i, lambda: self._parameters(i))

    def _parameters(self, i: int) -> Expressions:
        link = self.chain.links[i]
        found = list(parameter_product(self.parameters(link.parent), [self.lift(x) for x in link.parameters]))
        if not link.revolute:
            return found
        half = self._given(self._q, i) * _HALF
        turn = [half.cosine(), *vec.scale(half.sine(), self.lift.vector(link.axis))]
        return list(parameter_product(found, turn))

    def rotation(self, i: int) -> ExpressionRows:
        """A of body i (2)."""
        if i not in self._matrices:
            self._matrices[i] = rotation_matrix(self.parameters(i))
            for m, row in enumerate(self._matrices[i]):
                for r, x in enumerate(row):
                    mean(x, "rotation", (m, r), self.chain.links[i].name)
        return self._matrices[i]

    def in_base(self, i: int, v: Expressions) -> Expressions:
        """A vector of body i's axes in those of the base."""
        return list(v) if i < 0 else vec.apply_total(self.graph, self.rotation(i), v)

    def in_body(self, i: int, v: Expressions) -> Expressions:
        """A vector of the base's axes in those of body i."""
        return list(v) if i < 0 else vec.apply_total(self.graph, vec.transpose(self.rotation(i)), v)

    def axis(self, i: int) -> Expressions:
        """Direction of the joint's axis."""
        link = self.chain.links[i]
        return self._remember(
            "z", i, lambda: self.in_base(link.parent, self.lift.vector(axis_in_parent(link)))
        )

    def displacement(self, i: int) -> Expressions:
        """How far the joint has slid: z q, zero for a turn."""
        if self.chain.links[i].revolute:
            return vec.zeros(self.graph, 3)
        return self._remember("d", i, lambda: vec.scale(self._given(self._q, i), self.axis(i)))

    def out_arm(self, i: int) -> Expressions:
        """From the mass centre of link i's parent to where the joint is at zero, in the parent's axes."""
        link = self.chain.links[i]
        return list(self.lift.vector(self.chain.from_center(link.parent, link.position)))

    def own_arm(self, i: int) -> Expressions:
        """From the joint's point on body i to the body's mass centre, in the body's axes."""
        return list(self.lift.vector(self.chain.links[i].center))

    def center(self, i: int) -> Expressions:
        """r_i, the mass centre."""
        if i < 0:
            return vec.zeros(self.graph, 3)
        parent = self.chain.links[i].parent
        return self._remember(
            "r",
            i,
            lambda: vec.add_total(
                self.graph,
                self.center(parent),
                self.in_base(parent, self.out_arm(i)),
                self.displacement(i),
                self.in_base(i, self.own_arm(i)),
            ),
        )

    # -- velocity ----------------------------------------------------------------------------------------------------

    def _swing(self, i: int) -> Expressions:
        """Angular velocity of body i relative to its parent."""
        if not self.chain.links[i].revolute:
            return vec.zeros(self.graph, 3)
        return self._remember("zv", i, lambda: vec.scale(self._given(self._v, i), self.axis(i)))

    def angular_velocity(self, i: int) -> Expressions:
        """w_i."""
        if i < 0:
            return vec.zeros(self.graph, 3)
        parent = self.chain.links[i].parent
        return self._remember(
            "w", i, lambda: vec.add_total(self.graph, self.angular_velocity(parent), self._swing(i))
        )

    def parameter_rates(self, i: int) -> Expressions:
        """dp_i/dt."""
        return list(rate_of_parameters(self.parameters(i), self.angular_velocity(i)))

    def velocity(self, i: int) -> Expressions:
        """dr_i/dt."""
        if i < 0:
            return vec.zeros(self.graph, 3)
        link = self.chain.links[i]
        parent = link.parent

        def build() -> Expressions:
            carried = vec.add_total(self.graph, self.in_base(parent, self.out_arm(i)), self.displacement(i))
            own = self.in_base(i, self.own_arm(i))
            slide = (
                vec.zeros(self.graph, 3)
                if link.revolute
                else vec.scale(self._given(self._v, i), self.axis(i))
            )
            return vec.add_total(
                self.graph,
                self.velocity(parent),
                vec.cross(self.angular_velocity(parent), carried),
                slide,
                vec.cross(self.angular_velocity(i), own),
            )

        return self._remember("v", i, build)

    # -- acceleration ------------------------------------------------------------------------------------------------

    def angular_acceleration(self, i: int) -> Expressions:
        """dw_i/dt."""
        if i < 0:
            return vec.zeros(self.graph, 3)
        link = self.chain.links[i]
        parent = link.parent

        def build() -> Expressions:
            if not link.revolute:
                return self.angular_acceleration(parent)
            return vec.add_total(
                self.graph,
                self.angular_acceleration(parent),
                vec.scale(self._given(self._a, i), self.axis(i)),
                vec.cross(self.angular_velocity(parent), self._swing(i)),
            )

        return self._remember("wdot", i, build)

    def local_velocity(self, i: int) -> Expressions:
        """w'_i, in the body's axes."""
        return self._remember("w'", i, lambda: self.in_body(i, self.angular_velocity(i)))

    def local_acceleration(self, i: int) -> Expressions:
        """dw'_i/dt, in the body's axes."""
        return self._remember("w'dot", i, lambda: self.in_body(i, self.angular_acceleration(i)))

    def _relative(self, i: int, arm: Expressions) -> Expressions:
        """Acceleration of a point of body i relative to its mass centre, for its arm in the body's axes."""
        if i < 0 or all(x.is_zero for x in arm):
            return vec.zeros(self.graph, 3)
        w, alpha = self.local_velocity(i), self.local_acceleration(i)
        square = [x * x for x in w]
        rows = []
        for r in range(3):
            n, l = (r + 1) % 3, (r + 2) % 3
            rows.append([self._zero] * 3)
            rows[r][r] = -(square[n] + square[l])
            rows[r][n] = w[r] * w[n] - alpha[l]
            rows[r][l] = w[r] * w[l] + alpha[n]
        return self.in_base(i, vec.apply_total(self.graph, rows, arm))

    def acceleration(self, i: int) -> Expressions:
        """d2r_i/dt2, less gravity."""
        if i < 0:
            return vec.scale(-1, self._gravity)
        return self._remember("a", i, lambda: self._acceleration(i))

    def _acceleration(self, i: int) -> Expressions:
        link = self.chain.links[i]
        parent = link.parent
        terms = [self.acceleration(parent), self._relative(parent, self.out_arm(i))]
        if not link.revolute:
            w, z, slid = self.angular_velocity(parent), self.axis(i), self.displacement(i)
            terms.append(vec.cross(self.angular_acceleration(parent), slid))
            terms.append(
                vec.cross(
                    w,
                    vec.add_total(self.graph, vec.cross(w, slid), vec.scale(self._given(self._v, i) * 2, z)),
                )
            )
            terms.append(vec.scale(self._given(self._a, i), z))
        return vec.add_total(self.graph, *terms, self._relative(i, self.own_arm(i)))

    def parameter_accelerations(self, i: int) -> Expressions:
        """d2p_i/dt2 = B^T dw'/dt / 2 - |w|^2 p / 4."""
        p, w = self.parameters(i), self.angular_velocity(i)
        turning = rate_of_parameters(p, self.angular_acceleration(i))
        return vec.add_total(self.graph, turning, vec.scale(-vec.dot_total(self.graph, w, w) * _QUARTER, p))
