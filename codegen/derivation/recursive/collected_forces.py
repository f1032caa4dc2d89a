"""Inertia forces of bodies on second moments, and how they are collected on others.

With mass m, first moment h and second-moment tensor S about a body's origin, its inertia forces are

    f = m a + U h
    n = h x a + vee(S, U),   vee_t = sum_l (U_cl S_rl - U_rl S_cl)   for (r, c, t) cyclic.

A force that acts on a body acts on the one that it hangs on as well, but for the component along the joint's axis: force
and moment, about the origin, are carried there and added to its own.  Only the components that are asked for are ever built.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.on_demand import on_demand
from kanegen.codegen.derivation.recursive.parent_frame import chosen_in_joint_frame, moment_in_joint_frame
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


class CollectedForces:
    """Forces and moments on bodies for given motions: what each needs itself, and what is collected on it.

    By default that is what everything beyond it needs, which its joint has to pass on.
    """

    def __init__(self, tree: PlacedTree, motion: Motion, *of: Hashable) -> None:
        """What a derived class is of besides has to be among ``of``."""
        self.tree, self.motion = tree, motion
        self._on_demand = motion.on_demand(type(self), *of, inertia=tree)

    def collected(self, i: int) -> Sequence[int]:
        """The bodies whose forces are carried to body i."""
        return self.tree.children(i)

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
        return self.motion.mean(value, "moment along" if body.revolute else "force along", i)

    @on_demand
    def force(self, i: int, r: int) -> Expression:
        """Force collected on body i, component r in its frame."""
        motion, body = self.motion, self.tree.bodies[i]
        terms = []
        if body.mass != 0:
            terms.append(motion.number(body.mass) * motion.acceleration(i, r))
        for c in range(3):
            if body.first_moment[c] != 0:
                terms.append(motion.number(body.first_moment[c]) * motion.U(i, r, c))
        terms += [self._child_force(j, r) for j in self.collected(i)]
        return motion.mean(motion.sum(terms), "force", i, r)

    @on_demand
    def _child_force(self, j: int, m: int) -> Expression:
        turned = self.motion.out_of_joint_frame(j, lambda r: self.force_in_joint_frame(j, r), m)
        return self.motion.mean(turned, "force in parent", j, m)

    @on_demand
    def force_in_joint_frame(self, j: int, r: int) -> Expression:
        """Force collected on body j, component r in its joint frame."""
        return self.motion.out_of_body(j, lambda c: self.force(j, c), r)

    @on_demand
    def moment_in_joint_frame(self, j: int, r: int) -> Expression:
        """Moment collected on body j about its origin, component r in its joint frame."""
        own = self.motion.out_of_body(j, lambda c: self.moment(j, c), r)
        return own + self._moment_in_parent(j, r) if self._in_parent(j) else own

    def moment(self, i: int, t: int) -> Expression:
        """Moment collected on body i about its origin, component t in its frame."""
        return self.required_moment(i, t)

    @on_demand
    def required_moment(self, i: int, t: int) -> Expression:
        """Moment that the motions of body i and of those collected on it require."""
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
        for j in self.collected(i):
            terms.append(self._child_moment(j, t))
            position = motion.position(j)
            if not position[r].is_zero:
                terms.append(position[r] * self._child_force(j, c))
            if not position[c].is_zero:
                terms.append(-position[c] * self._child_force(j, r))
        return motion.mean(motion.sum(terms), "moment", i, t)

    @on_demand
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
        return chosen_in_joint_frame(self.tree, self.motion.choices, i)

    @on_demand
    def _moment_in_parent(self, i: int, t: int) -> Expression:
        """Moment of the second moments of body i, component t in its joint frame."""
        return moment_in_joint_frame(self.motion, i, t)
