"""Recursive Newton-Euler inverse dynamics (Luh, Walker & Paul 1980) on second moments.

With mass m, first moment h and second-moment tensor S about a body's origin, its inertia forces are

    f = m a + U h
    n = h x a + vee(S, U),   vee_t = sum_l (U_cl S_rl - U_rl S_cl)   for (r, c, t) cyclic,

and the force and moment that a joint carries are f and n summed over everything beyond it.  The generalized force of a
joint is the component of n (revolute) or f (prismatic) along its axis.  Only the components that reach a joint axis are
ever built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.on_demand import OnDemand, on_demand
from kanegen.codegen.derivation.recursive.parent_frame import chosen_in_joint_frame, moment_in_joint_frame
from kanegen.codegen.derivation.recursive.tip_elimination import articulated_share
from kanegen.codegen.graph import Expression

_FORMS: tuple[Callable[[Any, Any], tuple[tuple[Any, str], ...]], ...] = (
    lambda x, y: ((x, "cr"), (-y, "rc")),
    lambda x, y: ((x + y, "alpha"), (x - y, "S")),
    lambda x, y: ((x + y, "cr"), (-2 * y, "S")),
    lambda x, y: ((2 * x, "S"), (-(x + y), "rc")),
    lambda x, y: ((x - y, "cr"), (2 * y, "alpha")),
    lambda x, y: ((x - y, "rc"), (2 * x, "alpha")),
)
"""Forms of x U_cr - y U_rc that U_cr = S + alpha, U_rc = S - alpha allow (S = w_r w_c): coefficients of quantities."""


class JointForces:
    """Forces and moments carried by the joints, for given motions of the bodies.

    ``free`` maps tip bodies whose joints give way to the forces of those joints: what such a body then passes on is
    that of its articulated inertia (see tip_elimination.py).
    """

    def __init__(
        self, tree: PlacedTree, motion: Motion, free: Mapping[int, Expression] | None = None
    ) -> None:
        self.tree, self.motion, self.free = tree, motion, free or {}
        self._on_demand: OnDemand[Expression] = OnDemand(self.tree.depth())

    def generalized(self, i: int) -> Expression:
        """Generalized force of the joint of body i, on its coordinate, in SI units."""
        return self.along_axis(i) * self.motion.to_unit(i)

    def along_axis(self, i: int) -> Expression:
        """Force or moment of the joint of body i along its axis, in the tree's unit of length."""
        body = self.tree.bodies[i]
        value = self.moment(i, body.axis) if body.revolute else self.force(i, body.axis)
        if body.revolute and self._in_parent(i):
            value = value + self._moment_in_parent(i, body.axis)
        if body.rotor_inertia != 0:
            value = value + self.motion.rotor(i) * self.motion.rate_dot[i]
        return value

    @on_demand
    def force(self, i: int, r: int) -> Expression:
        """Force carried by the joint of body i, component r in its frame."""
        motion, body = self.motion, self.tree.bodies[i]
        terms = []
        if body.mass != 0:
            terms.append(motion.number(body.mass) * motion.acceleration(i, r))
        for c in range(3):
            if body.first_moment[c] != 0:
                terms.append(motion.number(body.first_moment[c]) * motion.U(i, r, c))
        terms += [self._child_force(j, r) for j in self.tree.children(i)]
        return motion.sum(terms)

    @on_demand
    def _child_force(self, j: int, m: int) -> Expression:
        return self.motion.out_of_joint_frame(j, lambda r: self.force_in_joint_frame(j, r), m)

    def force_in_joint_frame(self, j: int, r: int) -> Expression:
        """Force carried by the joint of body j, component r in its joint frame."""
        return self.motion.out_of_body(j, lambda c: self.force(j, c), r)

    def moment_in_joint_frame(self, j: int, r: int) -> Expression:
        """Moment carried by the joint of body j about its origin, component r in its joint frame."""
        own = self.motion.out_of_body(j, lambda c: self.moment(j, c), r)
        return own + self._moment_in_parent(j, r) if self._in_parent(j) else own

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

    @on_demand
    def required_moment(self, i: int, t: int) -> Expression:
        """Moment that the motion of body i and everything beyond it requires, were its joint driven."""
        motion, body = self.motion, self.tree.bodies[i]
        r, c = (t + 1) % 3, (t + 2) % 3
        h = body.first_moment
        terms = []
        if h[r] != 0:
            terms.append(motion.number(h[r]) * motion.acceleration(i, c))
        if h[c] != 0:
            terms.append(-motion.number(h[c]) * motion.acceleration(i, r))
        if not self._in_parent(i):
            terms += self._second_moment_terms(i, t)
        for j in self.tree.children(i):
            terms.append(self._child_moment(j, t))
            position = motion.position(j)
            if not position[r].is_zero:
                terms.append(position[r] * self._child_force(j, c))
            if not position[c].is_zero:
                terms.append(-position[c] * self._child_force(j, r))
        return motion.sum(terms)

    def _child_moment(self, j: int, m: int) -> Expression:
        return self.motion.out_of_joint_frame(j, lambda r: self.moment_in_joint_frame(j, r), m)

    def _second_moment_terms(self, i: int, t: int) -> list[Expression]:
        """Terms of vee_t(S, U) of body i."""
        motion, body = self.motion, self.tree.bodies[i]
        s = body.second_moment
        r, c = (t + 1) % 3, (t + 2) % 3
        terms = self._pair(i, t, s[r][r], s[c][c])
        if s[r][t] != 0:
            terms.append(motion.number(s[r][t]) * motion.U(i, c, t))
        if s[c][t] != 0:
            terms.append(-motion.number(s[c][t]) * motion.U(i, r, t))
        if s[r][c] != 0:
            terms.append(motion.number(s[r][c]) * (motion.U(i, c, c) - motion.U(i, r, r)))
        return terms

    def _pair(self, i: int, t: int, x: Any, y: Any) -> list[Expression]:
        """x U_cr - y U_rc in one of the forms above."""
        motion = self.motion
        r, c = (t + 1) % 3, (t + 2) % 3
        if x == 0 and y == 0:
            return []
        name = self.tree.bodies[i].name
        form = _FORMS[motion.choices.pick(f"form of n_{'xyz'[t]} of {name}", len(_FORMS), name)]

        def term(coefficient: Any, quantity: str) -> list[Expression]:
            if coefficient == 0:
                return []
            value = {
                "cr": lambda: motion.U(i, c, r),
                "rc": lambda: motion.U(i, r, c),
                "alpha": lambda: motion.alpha(i, t),
                "S": lambda: motion.w(i, r) * motion.w(i, c),
            }[quantity]()
            return [motion.number(coefficient) * value]

        return [e for coefficient, quantity in form(x, y) for e in term(coefficient, quantity)]

    def _in_parent(self, i: int) -> bool:
        """Whether the second moments of body i are evaluated in its joint frame (parent_frame.py)."""
        return i not in self.free and chosen_in_joint_frame(self.tree, self.motion.choices, i)

    @on_demand
    def _moment_in_parent(self, i: int, t: int) -> Expression:
        """Moment of the second moments of body i, component t in its joint frame."""
        return moment_in_joint_frame(self.motion, i, t)


def joint_forces(motion: Motion) -> list[Expression]:
    """Generalized forces of a motion in coordinate order: tau = M(q) a + h(q, v)."""
    forces, bodies = JointForces(motion.tree, motion), motion.tree.bodies
    tau = [motion.zero] * len(bodies)
    for i, body in enumerate(bodies):
        tau[body.coordinate] = forces.generalized(i)
    return tau
