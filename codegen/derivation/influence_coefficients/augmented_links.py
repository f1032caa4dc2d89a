"""I*, P* and weights with the sums over the links of (15) to (17) taken first.

All links beyond a joint n move alike with that joint and those before it, as one *augmented link*.  Written over its mass
elements dm, (15) and (16) say

    I*_kn = integral of g_k . g_n dm,    P*_k,mn = integral of g_k . H_mn dm,    H_mn = s_m x (s_n x (r - R_n)) for m <= n,

for the translational coefficients of the elements: M, Pi and the moments of (12) are what is left of such integrals when a
link's centre is singled out, and P* comes out symmetric in m and n.  Hence one d'Alembert load for each joint n and
each joint m before it or equal to it, with h and S the first and second moments of the augmented link about R_n:

    n turns:    force s_m x (s_n x h),       moment -s_n x (S s_m)
    n slides:   force M s_m x s_n,           moment h x (s_m x s_n)

whose work along g_k of the augmented link is P*_k,mn for all k <= n.  The rest follows from symmetry.  With the joints
counted along a branch, P*_k,mn = (dI*_kn/dphi_m + dI*_km/dphi_n - dI*_mn/dphi_k)/2, and I*_kn does not depend on joints
up to the first of k and n, so

    P*_n,mk = -P*_k,mn for m <= k <= n,    zero for k = n and where two of the three joints are on different branches.

Everything is computed in the axes of the link of joint n, where s_n is a unit vector.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from kanegen.codegen.derivation.influence_coefficients.arrays import Array, Matrix, Vector, zero_array
from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.on_demand import OnDemand
from kanegen.codegen.graph import Expression, constant
from kanegen.codegen.graph import linear as vec

Load = tuple[Vector, Vector]
"""A force, and its moment about the origin of a body, in the body's axes."""


class AugmentedLinks:
    """Dynamic influence coefficients of a placed tree, on its coordinates, on demand."""

    def __init__(self, tree: PlacedTree, motion: Motion) -> None:
        self.tree, self.motion = tree, motion
        self.composite = CompositeInertia(tree, motion)
        self._on_demand: OnDemand[Expression] = OnDemand()

    def effective_inertia(self) -> Matrix:
        """I* of (15), symmetric."""
        n = len(self.tree.bodies)
        found = vec.zero_matrix(self.motion.graph, n, n)
        for j in range(n):
            load = self._load_of_acceleration(j)
            for k in self._path(j):
                row, column = self.tree.bodies[k].coordinate, self.tree.bodies[j].coordinate
                value = self._work(k, j, load) * self._unit(k, j)
                mean(value, "effective inertia", (), *(self.tree.bodies[i].joint for i in (k, j)))
                found[row][column] = found[column][row] = value
        return found

    def inertia_power(self) -> Array:
        """P* of (16), symmetric in its last two indices."""
        n = len(self.tree.bodies)
        found = zero_array(self.motion.graph, n, n)

        def put(k: int, m: int, j: int, value: Expression) -> None:
            plane, row, column = (self.tree.bodies[i].coordinate for i in (k, m, j))
            found[plane][row][column] = found[plane][column][row] = value

        for j in range(n):
            path = self._path(j)
            for at, m in enumerate(path):
                load = self._load_of_rates(m, j)
                for place, k in enumerate(path[:-1]):
                    value = self._work(k, j, load) * self._unit(k, m, j)
                    mean(value, "inertia power", (), *(self.tree.bodies[i].joint for i in (k, m, j)))
                    put(k, m, j, value)
                    if place >= at:
                        put(j, m, k, -value)
        return found

    def weights(self) -> Vector:
        """The sum in (17) for the links' weights: generalized forces that gravity exerts."""
        found = [self.motion.zero] * len(self.tree.bodies)
        for j, body in enumerate(self.tree.bodies):
            k, a, b = self._axes(j)
            if body.revolute:
                h = [self.composite.first(j, r) for r in (a, b)]
                moment = vec.dot_total(self.motion.graph, h, [self._gravity(j, b), -self._gravity(j, a)])
                found[body.coordinate] = moment * self._unit(j)
            else:
                found[body.coordinate] = self.composite.mass(j) * self._gravity(j, k) * self._unit(j)
        return found

    # -- first-order coefficients of the links, in their own axes -----------------------------------------------------

    def rotation(self, k: int, j: int, r: int) -> Expression:
        """Component r, in the axes of body j, of the rotational g_k of body j."""
        motion, body = self.motion, self.tree.bodies[j]
        if k == j:
            return constant(motion.graph, int(body.revolute and r == body.axis))
        return self._on_demand(
            ("rotation", k, j, r),
            lambda: mean(
                motion.into_body(
                    j, lambda c: motion.into_joint_frame(j, lambda m: self.rotation(k, body.parent, m), c), r
                ),
                "g of rotation",
                (r,),
                body.name,
                self.tree.bodies[k].joint,
            ),
        )

    def translation(self, k: int, j: int, r: int) -> Expression:
        """Component r, in the axes of body j, of the translational g_k of the origin of body j."""
        motion, body = self.motion, self.tree.bodies[j]
        if k == j:
            return constant(motion.graph, int(not body.revolute and r == body.axis))

        def carried(m: int) -> Expression:
            n, o = (m + 1) % 3, (m + 2) % 3
            arm = motion.position(j)
            turn = [self.rotation(k, body.parent, n), -self.rotation(k, body.parent, o)]
            return self.translation(k, body.parent, m) + vec.dot_total(motion.graph, turn, [arm[o], arm[n]])

        return self._on_demand(
            ("translation", k, j, r),
            lambda: mean(
                motion.into_body(j, lambda c: motion.into_joint_frame(j, carried, c), r),
                "g of translation",
                (r,),
                body.name,
                self.tree.bodies[k].joint,
            ),
        )

    # -- loads of the augmented links ---------------------------------------------------------------------------------

    def _load_of_acceleration(self, j: int) -> Load:
        """What a unit acceleration of joint j needs: force s x h and moment J s of a turn, M s and h x s of a slide."""
        k, a, b = self._axes(j)
        force, moment = [self.motion.zero] * 3, [self.motion.zero] * 3
        if self.tree.bodies[j].revolute:
            force[a], force[b] = -self.composite.first(j, b), self.composite.first(j, a)
            moment[k] = self.composite.second(j, a, a) + self.composite.second(j, b, b)
            moment[a], moment[b] = -self.composite.second(j, a, k), -self.composite.second(j, b, k)
        else:
            force[k] = self.composite.mass(j)
            moment[a], moment[b] = self.composite.first(j, b), -self.composite.first(j, a)
        return force, moment

    def _load_of_rates(self, m: int, j: int) -> Load:
        """What H_mj needs, for unit rates of joints m and j."""
        k, a, b = self._axes(j)
        graph = self.motion.graph
        s = [self.rotation(m, j, r) for r in range(3)]
        h = [self.composite.first(j, r) for r in range(3)]
        force, moment = [self.motion.zero] * 3, [self.motion.zero] * 3
        if self.tree.bodies[j].revolute:
            force[k] = vec.dot_total(graph, [s[a], s[b]], [h[a], h[b]])
            force[a], force[b] = -s[k] * h[a], -s[k] * h[b]
            moment[a] = vec.dot_total(graph, [self.composite.second(j, b, r) for r in range(3)], s)
            moment[b] = -vec.dot_total(graph, [self.composite.second(j, a, r) for r in range(3)], s)
        else:
            mass = self.composite.mass(j)
            force[a], force[b] = mass * s[b], -mass * s[a]
            moment[k] = -vec.dot_total(graph, [s[a], s[b]], [h[a], h[b]])
            moment[a], moment[b] = s[a] * h[k], s[b] * h[k]
        return force, moment

    def _work(self, k: int, j: int, load: Load) -> Expression:
        """Work of a load on body j along its coefficients g_k."""
        g = [self.translation(k, j, r) for r in range(3)] + [self.rotation(k, j, r) for r in range(3)]
        return vec.dot_total(self.motion.graph, g, [*load[0], *load[1]])

    # -- helpers ------------------------------------------------------------------------------------------------------

    def _gravity(self, j: int, r: int) -> Expression:
        """Acceleration of free fall, component r in the axes of body j."""
        if j < 0:
            return self.motion.gravity[r]
        motion, parent = self.motion, self.tree.bodies[j].parent
        return self._on_demand(
            ("gravity", j, r),
            lambda: motion.into_body(
                j, lambda c: motion.into_joint_frame(j, lambda m: self._gravity(parent, m), c), r
            ),
        )

    def _path(self, j: int) -> list[int]:
        """The joints up to joint j, from the base outwards."""
        path: list[int] = []
        while j >= 0:
            path.append(j)
            j = self.tree.bodies[j].parent
        return path[::-1]

    def _axes(self, j: int) -> tuple[int, int, int]:
        k = self.tree.bodies[j].axis
        return k, (k + 1) % 3, (k + 2) % 3

    def _unit(self, *joints: int) -> Fraction:
        """What turns a coefficient along the placed axes into one on the coordinates."""
        return prod((self.motion.to_unit(j) for j in joints), start=Fraction(1))
