"""Mass matrix by composite inertias (Walker & Orin 1982; Featherstone's CRBA), on second moments.

The bodies beyond joint j, frozen into one, have mass m, first moment h and second-moment tensor S about the origin of body
j.  A unit acceleration of joint j alone, with everything at rest, needs the force f and the moment n

    revolute,  axis e_k:  f = e_k x h,  n = J e_k     (J = tr(S) 1 - S)
    prismatic, axis e_k:  f = m e_k,    n = h x e_k

and M_ij is the component of that force or moment along the axis of every joint i on the way to the base.  Composite
inertias are carried across a joint in its own axes, where turning a symmetric tensor by one angle takes five products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from kanegen.codegen.derivation.meanings import meaning
from kanegen.codegen.derivation.recursive.motion import Motion, Named
from kanegen.codegen.derivation.recursive.on_demand import on_demand
from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.records import Value


class CompositeInertia(Named):
    """Composite inertial parameters of a placed tree, component by component, on demand."""

    def beyond(self, i: int) -> Sequence[int]:
        """The bodies on the joints of body i that are counted with it."""
        return self.tree.children(i)

    # -- composites in the body's own frame --------------------------------------------------------------------------

    @on_demand
    def mass(self, i: int) -> Expression:
        """Mass of body i and everything beyond it."""
        children = [self.mass(j) for j in self.beyond(i)]
        composite = self.motion.sum([self.motion.number(self.tree.bodies[i].mass), *children])
        return self.motion.mean(composite, "m", i)

    def first(self, i: int, r: int) -> Expression:
        """First moment about body i's origin, component r in its frame."""

        def build() -> Expression:
            own = self.motion.number(self.tree.bodies[i].first_moment[r])
            return self.motion.sum([own, *(self.first_in_parent(j, r) for j in self.beyond(i))])

        return self._remember(("h", i, r), self.motion.meaning("h", i, r), build)

    def second(self, i: int, r: int, c: int) -> Expression:
        """Second moment about body i's origin, entry (r, c) in its frame."""
        r, c = min(r, c), max(r, c)

        def build() -> Expression:
            own = self.motion.number(self.tree.bodies[i].second_moment[r][c])
            return self.motion.sum([own, *(self._second_in_parent(j, r, c) for j in self.beyond(i))])

        return self._remember(("S", i, r, c), self.motion.meaning("S", i, r, c), build)

    # -- across the joint --------------------------------------------------------------------------------------------

    def _turned_first(self, j: int, m: int) -> Expression:
        """First moment about body j's origin, component m in the parent's axes."""
        motion = self.motion
        return self._remember(
            ("ht", j, m),
            self.motion.meaning("ht", j, m),
            lambda: motion.out_of_joint_frame(j, lambda r: self.first_in_joint_frame(j, r), m),
        )

    def first_in_joint_frame(self, j: int, r: int) -> Expression:
        """First moment about body j's origin, component r in its joint frame."""
        return self.motion.out_of_body(j, lambda c: self.first(j, c), r)

    def first_in_parent(self, j: int, m: int) -> Expression:
        """First moment of everything beyond the joint of body j about its parent's origin, in the parent's frame."""
        turned = self._turned_first(j, m)
        position = self.motion.position(j)[m]
        return turned if position.is_zero else turned + self.mass(j) * position

    def _second_in_parent(self, j: int, m: int, n: int) -> Expression:
        """Second moment about the parent's origin, entry (m, n) in the parent's axes."""
        motion = self.motion
        rotation = motion.rotation(j)
        position = motion.position(j)
        terms = [
            rotation[m][r] * rotation[n][c] * self.second_in_joint_frame(j, r, c)
            for r in range(3)
            for c in range(3)
            if not rotation[m][r].is_zero and not rotation[n][c].is_zero
        ]
        if not position[m].is_zero:
            # p_m (h_n + m p_n) + h_m p_n: the bracket is the first moment about the parent's origin
            terms.append(position[m] * self.first_in_parent(j, n))
        if not position[n].is_zero:
            terms.append(position[n] * self._turned_first(j, m))
        return motion.sum(terms)

    def second_in_joint_frame(self, j: int, r: int, c: int) -> Expression:
        """Second moment about body j's origin, entry (r, c) in its joint frame."""
        r, c = min(r, c), max(r, c)
        body = self.tree.bodies[j]
        k = body.axis
        if not body.revolute or (r == k and c == k):
            return self.second(j, r, c)
        motion = self.motion
        if k in (r, c):
            other = r if c == k else c
            return self._remember(
                ("Sj", j, r, c),
                motion.meaning("Sj", j, r, c),
                lambda: motion.out_of_body(j, lambda x: self.second(j, x, k), other),
            )
        a, b = (k + 1) % 3, (k + 2) % 3
        cosine, sine = motion.cosine[j], motion.sine[j]

        def swing() -> Expression:
            # s (S_aa - S_bb) + 2 c S_ab: what the turn by one angle moves, divided by its sine
            return sine * (self.second(j, a, a) - self.second(j, b, b)) + cosine * (self.second(j, a, b) * 2)

        x = self._remember(("swing", j), motion.meaning("swing", j), swing)
        if r != c:
            return cosine * x - self.second(j, a, b)
        return self.second(j, a, a) - sine * x if r == a else self.second(j, b, b) + sine * x

    # -- the mass matrix ---------------------------------------------------------------------------------------------

    def column(self, j: int, divisor: Value = Fraction(1)) -> dict[int, Expression]:
        """Entries of the column of joint j in the rows of joint j and every joint between it and the base.

        By body, for unit accelerations along the axes in the tree's unit of length, divided by ``divisor``.
        """
        motion, body = self.motion, self.tree.bodies[j]
        factor = motion.number(1 / divisor)
        of = (j,) if divisor == 1 else (j, factor.ref)
        k = body.axis
        a, b = (k + 1) % 3, (k + 2) % 3
        zero = motion.zero

        def force(r: int) -> Expression:
            if body.revolute:
                return -self.first(j, b) * factor if r == a else self.first(j, a) * factor if r == b else zero
            return self.mass(j) * factor if r == k else zero

        def moment(r: int) -> Expression:
            if body.revolute:
                entry = self.second(j, a, a) + self.second(j, b, b) if r == k else -self.second(j, r, k)
                return entry * factor
            return self.first(j, b) * factor if r == a else -self.first(j, a) * factor if r == b else zero

        entries: dict[int, Expression] = {}
        i = j
        f: Callable[[int], Expression] = force
        n: Callable[[int], Expression] = moment
        while True:
            here = self.tree.bodies[i]
            entries[i] = n(here.axis) if here.revolute else f(here.axis)
            if i == j and body.rotor_inertia != 0:
                entries[i] = entries[i] + motion.rotor(i) * factor
            if here.parent < 0:
                return entries
            f, n = self._carry(of, i, f, n)
            i = here.parent

    def _carry(
        self,
        of: tuple[int, ...],
        i: int,
        f: Callable[[int], Expression],
        n: Callable[[int], Expression],
    ) -> tuple[Callable[[int], Expression], Callable[[int], Expression]]:
        """Force and moment ``of`` a column, which may be divided, at body i, carried to the parent of i."""
        motion, j = self.motion, of[0]
        position = motion.position(i)

        def force(m: int) -> Expression:
            return self._remember(
                ("f", *of, i, m),
                meaning("f", (m,), (self._name(j), self._name(i))),
                lambda: motion.out_of_joint_frame(i, lambda r: motion.out_of_body(i, f, r), m),
            )

        def moment(m: int) -> Expression:
            def build() -> Expression:
                r, c = (m + 1) % 3, (m + 2) % 3
                turned = motion.out_of_joint_frame(i, lambda x: motion.out_of_body(i, n, x), m)
                terms = [turned]
                if not position[r].is_zero:
                    terms.append(position[r] * force(c))
                if not position[c].is_zero:
                    terms.append(-position[c] * force(r))
                return motion.sum(terms)

            return self._remember(("n", *of, i, m), meaning("n", (m,), (self._name(j), self._name(i))), build)

        return force, moment

    def _name(self, i: int) -> str:
        return self.tree.bodies[i].name


def mass_matrix(motion: Motion) -> list[list[Expression]]:
    """M(q), full and symmetric, in coordinate order."""
    tree, n = motion.tree, len(motion.tree.bodies)
    matrix = [[motion.zero] * n for _ in range(n)]
    composite = CompositeInertia(tree, motion)
    for j, body in enumerate(tree.bodies):
        for i, value in composite.column(j).items():
            row, column = tree.bodies[i].coordinate, body.coordinate
            matrix[row][column] = matrix[column][row] = value * (motion.to_unit(i) * motion.to_unit(j))
    return matrix
