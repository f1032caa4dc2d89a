"""The Coriolis matrix by composite inertias: the one whose column j is half the derivative of the velocity forces by v_j.

With J_i(P) the velocity of a particle P for a unit rate of joint i (its partial velocity) and dm its mass,

    M_ij = sum J_i . J_j dm,      C_ij = sum J_i . dJ_j/dt dm,

so that dM/dt = C + C^T (dM/dt - 2 C is skew-symmetric) and C v are the velocity forces.  The Christoffel symbols of M give
the same C (Echeandia & Wensing 2021 compute it in spatial notation).  For a joint i on the way from joint j to the base only
particles beyond joint j count.  At position r from the origin of body j they have, with e the axis of joint j and x' the
rate of x in the axes of body j,

    J_j = e x r,  dJ_j/dt = w x (e x r) + e x r'      (revolute)      J_j = e,  dJ_j/dt = w x e      (prismatic)

and three wrenches about the origin of body j reach joint i, of J_j (as for M), of dJ_j/dt and, for the entry C_ji, of the
moments of velocities with J_j:

    f = sum J_j dm            n = sum r x J_j dm          C_ij = e_i . n1  or  e_i . f1
    f1 = sum dJ_j/dt dm       n1 = sum r x dJ_j/dt dm     C_ji = e_i . n2 + (w_i x e_i) . n  or  (w_i x e_i) . f
                              n2 = sum dr/dt x J_j dm

Composite first and second moments H = sum r dm, S = sum r r^T dm give f and n; their rates H' and D = sum r r'^T dm in the
axes of body j give the rest:

    revolute   f1 = e (w . H) - w_k H + e x H'     n1 = (S w) x e + (tr D - D^T) e     n2 = S (w x e) + (tr D - D) e
    prismatic  f1 = m w x e                        n1 = H x (w x e)                    n2 = (H' + w x H) x e
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.column_wrenches import ColumnWrenches
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.composite_rates import CompositeRates
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression


class CoriolisColumns(ColumnWrenches):
    """The entries that joint j shares with itself and the joints on the way to the base, component by component."""

    def __init__(self, tree: PlacedTree, motion: Motion) -> None:
        super().__init__(CompositeInertia(tree, motion))
        self.rates = CompositeRates(self.composite)

    def entries(self, j: int) -> dict[int, tuple[Expression, Expression]]:
        """C_ij and C_ji for joint i = j and every joint i between it and the base, by body.

        For unit rates along the axes in the tree's unit of length.
        """
        motion = self.motion
        found: dict[int, tuple[Expression, Expression]] = {}
        i = j
        while i >= 0:
            body = self.tree.bodies[i]
            k = body.axis
            a, b = (k + 1) % 3, (k + 2) % 3
            kind = "n" if body.revolute else "f"
            above = self.component(kind + "1", j, i, k)
            if i == j:
                found[i] = (above, above)
            else:
                # w x e_k = (w_b, -w_a) along the axes a and b
                terms = [
                    motion.w(i, b) * self.component(kind, j, i, a),
                    -motion.w(i, a) * self.component(kind, j, i, b),
                ]
                if body.revolute:
                    terms.append(self.component("n2", j, i, k))
                found[i] = (above, motion.sum(terms))
            i = body.parent
        return found

    def _own(self, kind: str, j: int, r: int) -> Expression:
        if kind in ("f", "n"):
            return super()._own(kind, j, r)
        return (
            self._own_of_hinge(kind, j, r)
            if self.tree.bodies[j].revolute
            else self._own_of_slider(kind, j, r)
        )

    def _own_of_hinge(self, kind: str, j: int, r: int) -> Expression:
        motion, h, rates = self.motion, self.composite.first, self.rates
        k = self.tree.bodies[j].axis
        a, b = (k + 1) % 3, (k + 2) % 3
        d, w = rates.second, motion.w
        if kind == "f1":
            if r == k:
                return w(j, a) * h(j, a) + w(j, b) * h(j, b)
            along = -w(j, k) * h(j, r)
            return along - rates.first(j, b) if r == a else along + rates.first(j, a)
        if r == k:
            trace = d(j, a, a) + d(j, b, b)
            return trace if kind == "n1" else trace + self._second_times_turned_axis(j, k)
        if kind == "n1":
            swing = self._second_times_w(j, b) if r == a else -self._second_times_w(j, a)
            return swing - d(j, k, r)
        return self._second_times_turned_axis(j, r) - d(j, r, k)

    def _own_of_slider(self, kind: str, j: int, r: int) -> Expression:
        h, w = self.composite.first, self.motion.w
        k = self.tree.bodies[j].axis
        a, b = (k + 1) % 3, (k + 2) % 3
        if kind == "f1":
            turning = w(j, b) if r == a else -w(j, a) if r == b else self.motion.zero
            return turning * self.composite.mass(j)
        if kind == "n1":
            if r == k:
                return -(h(j, a) * w(j, a) + h(j, b) * w(j, b))
            return h(j, k) * w(j, r)
        if r == k:
            return self.motion.zero
        # H' + w x H, crossed with the axis
        at, sign = (b, 1) if r == a else (a, -1)
        n, o = (at + 1) % 3, (at + 2) % 3
        return (self.rates.first(j, at) + w(j, n) * h(j, o) - w(j, o) * h(j, n)) * sign

    def _second_times_w(self, j: int, r: int) -> Expression:
        """Component r of S w."""
        return self.motion.sum([self.composite.second(j, r, c) * self.motion.w(j, c) for c in range(3)])

    def _second_times_turned_axis(self, j: int, r: int) -> Expression:
        """Component r of S (w x e)."""
        k = self.tree.bodies[j].axis
        a, b = (k + 1) % 3, (k + 2) % 3
        s, w = self.composite.second, self.motion.w
        return s(j, r, a) * w(j, b) - s(j, r, b) * w(j, a)

    def _lever(self, kind: str, before: int) -> tuple[str, Sequence[Expression]]:
        if kind == "n2":
            return "f", [self._velocity(before, m) for m in range(3)]
        return "f1" if kind == "n1" else "f", self.motion.position(before)

    def _velocity(self, i: int, m: int) -> Expression:
        """Velocity of body i's origin less that of its parent's, component m in the parent's frame."""
        motion, body = self.motion, self.tree.bodies[i]
        position = motion.position(i)
        n, o = (m + 1) % 3, (m + 2) % 3
        terms = [motion.w(body.parent, n) * position[o], -motion.w(body.parent, o) * position[n]]
        if not body.revolute:
            terms.append(motion.rotation(i)[m][body.axis] * motion.rate[i])
        return motion.sum(terms)


def coriolis_matrix(motion: Motion) -> list[list[Expression]]:
    """C in coordinate order, for a motion's velocities; its accelerations do not matter.

    C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric.
    """
    tree, n = motion.tree, len(motion.tree.bodies)
    matrix = [[motion.zero] * n for _ in range(n)]
    columns = CoriolisColumns(tree, motion)
    for j, body in enumerate(tree.bodies):
        for i, (above, below) in columns.entries(j).items():
            row, column = tree.bodies[i].coordinate, body.coordinate
            factor = motion.to_unit(i) * motion.to_unit(j)
            matrix[row][column] = above * factor
            matrix[column][row] = below * factor
    return matrix
