"""Entries of the regressor: the generalized force of joint i for one inertial parameter of body b alone.

For a unit rate of joint i the body turns at s and its origin moves at u (its partial velocities, in its own frame); it then
takes the power that joint i would supply.  With a the acceleration of its origin less gravity, w and alpha its angular
velocity and acceleration and U = skew(alpha) + skew(w)^2,

    mass            u . a
    m c along e_c   u . U e_c + s . (e_c x a)
    I about e_t     s_t alpha_t + s_r w_t w_c - s_c w_r w_t              (t, r, c) cyclic
    I_tr            -s_t U_ct + s_r U_cr + s_c (w_t^2 - w_r^2)

(as in the linear identification models of Khosla & Kanade 1985 and Atkeson, An & Hollerbach 1986).  Partial velocities are
carried outwards, once for all ten parameters, instead of ten forces and moments inwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.on_demand import OnDemand, on_demand
from kanegen.codegen.graph import Expression, constant

_PAIRS = {5: (0, 1), 6: (2, 0), 8: (1, 2)}
"""Axes (t, r) of the products of inertia, by their place among the ten parameters; the third axis follows cyclically."""
_DIAGONAL = {4: 0, 7: 1, 9: 2}


class RegressorEntries:
    """Forces for unit inertial parameters about the placed frames of a tree, on demand."""

    def __init__(self, tree: PlacedTree, motion: Motion) -> None:
        self.tree, self.motion = tree, motion
        self._one = constant(motion.graph, 1)
        self._on_demand: OnDemand[Expression] = OnDemand()

    def entry(self, i: int, b: int, place: int) -> Expression:
        """Force on the coordinate of the joint of body i for the parameter at ``place`` of body b at or beyond it."""
        motion = self.motion
        s = [self._turn(i, b, r) for r in range(3)]
        u = [self._slide(i, b, r) for r in range(3)]
        if place == 0:
            terms = [_product(u[r], partial(motion.acceleration, b, r)) for r in range(3)]
        elif place < 4:
            c = place - 1
            r, t = (c + 1) % 3, (c + 2) % 3
            terms = [_product(u[x], partial(motion.U, b, x, c)) for x in range(3)]
            terms.append(_product(s[t], lambda: motion.acceleration(b, r)))
            terms.append(-_product(s[r], lambda: motion.acceleration(b, t)))
        elif place in _DIAGONAL:
            t = _DIAGONAL[place]
            r, c = (t + 1) % 3, (t + 2) % 3
            terms = [
                _product(s[t], lambda: motion.alpha(b, t)),
                _product(s[r], lambda: motion.w(b, t) * motion.w(b, c)),
                -_product(s[c], lambda: motion.w(b, r) * motion.w(b, t)),
            ]
        else:
            t, r = _PAIRS[place]
            c = 3 - t - r
            terms = [
                -_product(s[t], lambda: motion.U(b, c, t)),
                _product(s[r], lambda: motion.U(b, c, r)),
                _product(s[c], lambda: motion.square(b, t) - motion.square(b, r)),
            ]
        return motion.sum(terms) * motion.to_unit(i)

    def matrix(self, columns: Sequence[tuple[int, int]]) -> list[list[Expression]]:
        """The forces on all coordinates, in their order, for the given (body, place) of unit parameters."""
        rows = [[self.motion.zero] * len(columns) for _ in self.tree.bodies]
        for column, (b, place) in enumerate(columns):
            i = b
            while i >= 0:
                rows[self.tree.bodies[i].coordinate][column] = self.entry(i, b, place)
                i = self.tree.bodies[i].parent
        return rows

    @on_demand
    def _turn(self, i: int, b: int, r: int) -> Expression:
        """Angular velocity of body b for a unit rate along the axis of joint i, component r in its frame."""
        if i == b:
            body = self.tree.bodies[i]
            return self._one if body.revolute and r == body.axis else self.motion.zero
        parent = self.tree.bodies[b].parent
        return self._into(b, [self._turn(i, parent, m) for m in range(3)], r)

    @on_demand
    def _slide(self, i: int, b: int, r: int) -> Expression:
        """Velocity of body b's origin for a unit rate along the axis of joint i, component r in its frame."""
        if i == b:
            body = self.tree.bodies[i]
            return self._one if not body.revolute and r == body.axis else self.motion.zero
        parent = self.tree.bodies[b].parent
        position = self.motion.position(b)
        turn = [self._turn(i, parent, m) for m in range(3)]
        carried = []
        for m in range(3):
            n, o = (m + 1) % 3, (m + 2) % 3
            terms = [self._slide(i, parent, m), turn[n] * position[o], -turn[o] * position[n]]
            carried.append(self.motion.sum(terms))
        return self._into(b, carried, r)

    def _into(self, b: int, v: Sequence[Expression], r: int) -> Expression:
        motion = self.motion
        return motion.into_body(b, lambda c: motion.into_joint_frame(b, v.__getitem__, c), r)


def _product(factor: Expression, quantity: Callable[[], Expression]) -> Expression:
    """The product, without building the quantity where the factor is zero."""
    return factor if factor.is_zero else factor * quantity()
