"""Derivatives of the generalized forces of a tree by its joint coordinates, rates and accelerations, in composites.

Let the body of joint j move a little otherwise, by a change

    x of its angular velocity,  y of the acceleration field about its origin (a particle at r gains y x r + 2 x x u),
    z of the acceleration of its origin,

while everything beyond the joint keeps its motion relative to it.  With the composite mass m, first moment h, moment of
inertia J, and the moments of velocity P and D (composite_momentum.py), the joint then carries more by

    f = m z + y x h + x x P
    n = h x z + J y + E x,      E = tr(D) 1 - D.

The three derivatives are such changes.  With e the joint axis, in body j's frame, w and a the motion of its origin and
U = skew(alpha) + skew(w) skew(w):

                 by q_j                                     by v_j                   by a_j
    revolute     x = w x e,  y = U e,  z = a x e            x = e,  y = 2 w x e      y = e
    prismatic    z = U e                                    z = 2 w x e              z = e

Seen from the parent, a turn by dq_j also turns the force and moment that the joint carries, and a shift moves their point
of attack.  Carried to joint i on the way to the base, f and n give the derivatives of tau_i.  For the other triangle, tau_i
depends on the changes at its own body as

    d tau_i = f_a . z + n_a . y + g . x

where (f_a, n_a) is what a unit acceleration of joint i needs (the column of the mass matrix: inertia is symmetric), and
g = E^T e (revolute) or P x e (prismatic).  The three vectors are carried to joint j < i as forces and moments are; g gains
2 u x f_a, u being the velocity of one body's origin relative to the other's.

The structure is that of Carpentier & Mansard 2018 ("Analytical derivatives of rigid body dynamics algorithms") and Singh,
Russell & Wensing 2022 ("Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra"); x, y and z
are chosen so that only differences of velocities occur, and three numbers stand for their velocity-product matrices here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kanegen.codegen.derivation.meanings import meaning
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.composite_momentum import CompositeMomentum
from kanegen.codegen.derivation.recursive.motion import Component, Motion
from kanegen.codegen.derivation.recursive.newton_euler import JointForces
from kanegen.codegen.derivation.recursive.seen_composite import SeenComposite, changes_of
from kanegen.codegen.graph import Expression

Matrix = list[list[Expression]]

SOURCE = "composite inertias and moments of velocity (after Carpentier & Mansard 2018)"

QUANTITIES = ("q", "v", "a")


@dataclass(frozen=True)
class ForceDerivatives:
    """d tau_i / d q_j, d v_j and d a_j: rows i, columns j, both in coordinate order, in SI units."""

    dq: Matrix
    dv: Matrix
    da: Matrix


@dataclass(frozen=True)
class _Wrench:
    """A force and a moment, by components in some frame and about its origin."""

    force: Component
    moment: Component


def force_derivatives(motion: Motion, forces: JointForces) -> ForceDerivatives:
    """All derivatives for a motion of a tree; ``forces`` are those that this motion needs."""
    return _Derivation(motion.tree, motion, forces).matrices()


class _Derivation:
    def __init__(self, tree: PlacedTree, motion: Motion, forces: JointForces) -> None:
        self.tree, self.motion, self.forces = tree, motion, forces
        inertia = CompositeInertia(tree, motion)
        self.momentum = CompositeMomentum(tree, motion, inertia)
        # With the joint frame, what is carried on needs no turning by the joint's own angle.
        self._in_joint_frame = [
            body.revolute and motion.choices.pick(f"derivatives at {body.name}", 2, body.name) == 0
            for body in tree.bodies
        ]
        self._composites = [
            SeenComposite(i, in_joint_frame, inertia, self.momentum)
            for i, in_joint_frame in enumerate(self._in_joint_frame)
        ]
        self._changes = [changes_of(seen) for seen in self._composites]

    # -- the matrices ------------------------------------------------------------------------------------------------

    def matrices(self) -> ForceDerivatives:
        motion, bodies = self.motion, self.tree.bodies
        n = len(bodies)
        found: dict[str, Matrix] = {name: [[motion.zero] * n for _ in range(n)] for name in QUANTITIES}

        def enter(name: str, i: int, j: int, value: Expression) -> None:
            factor = motion.to_unit(i) * motion.to_unit(j)
            found[name][bodies[i].coordinate][bodies[j].coordinate] = value * factor

        for i, body in enumerate(bodies):
            own = {name: self._own(i, name) for name in QUANTITIES}
            for name, wrench in own.items():
                value = self._along(i, wrench)
                enter(name, i, i, value + motion.rotor(i) if name == "a" else value)
            carried = {name: self._beyond_joint(i, name, own[name]) for name in QUANTITIES}
            functional = self._functional(i)
            child, j = i, body.parent
            while j >= 0:
                functional = self._functional_to_parent(i, child, carried["a"], functional)
                carried = {name: self._to_parent(i, child, name, w) for name, w in carried.items()}
                for name, wrench in carried.items():
                    enter(name, j, i, self._along(j, wrench))
                enter("a", i, j, self._along(j, carried["a"]))
                view = self._seen(j)
                at = _Wrench(view(carried["a"].force), view(carried["a"].moment))
                for name in ("q", "v"):
                    enter(name, i, j, self._respond(j, name, at, view(functional)))
                if bodies[j].parent >= 0:
                    carried = {
                        name: _Wrench(self._out(j, wrench.force), self._out(j, wrench.moment))
                        for name, wrench in carried.items()
                    }
                    functional = self._out(j, functional)
                child, j = j, bodies[j].parent
        return ForceDerivatives(found["q"], found["v"], found["a"])

    def _along(self, j: int, wrench: _Wrench) -> Expression:
        """Component along the axis of joint j, which its own turning does not change."""
        axis = self.tree.bodies[j].axis
        return wrench.moment(axis) if self.tree.bodies[j].revolute else wrench.force(axis)

    def _respond(self, j: int, name: str, at: _Wrench, functional: Component) -> Expression:
        """What the functional (at, g) gives for a change of joint j."""
        change = self._changes[j][name]
        terms = [z * at.force(r) for r, z in enumerate(change.z) if not z.is_zero]
        terms += [y * at.moment(r) for r, y in enumerate(change.y) if not y.is_zero]
        terms += [x * functional(r) for r, x in enumerate(change.x) if not x.is_zero]
        return self.motion.sum(terms)

    # -- one joint ---------------------------------------------------------------------------------------------------

    def _own(self, i: int, name: str) -> _Wrench:
        """f and n of a change of joint i, in the frame of its composite."""
        motion, seen, change = self.motion, self._composites[i], self._changes[i][name]
        x, y, z = change.x, change.y, change.z
        h, p = seen.first, seen.momentum

        def force(r: int) -> Expression:
            a, b = (r + 1) % 3, (r + 2) % 3
            products = (
                (seen.mass, z[r], 1),
                *self._cross(y[a], y[b], h(b), h(a)),
                *self._cross(x[a], x[b], p(b), p(a)),
            )
            return motion.sum([value * factor * sign for value, factor, sign in products])

        def moment(r: int) -> Expression:
            a, b = (r + 1) % 3, (r + 2) % 3
            products = [*self._cross(z[b], z[a], h(a), h(b))]
            products += [(seen.inertia(r, c), y[c], 1) for c in range(3) if not y[c].is_zero]
            products += [(seen.turning(r, c), x[c], 1) for c in range(3) if not x[c].is_zero]
            return motion.sum([value * factor * sign for value, factor, sign in products])

        label = f"{self._name(i)}_by_{name}"
        return _Wrench(self._lazy(force, f"f_{label}"), self._lazy(moment, f"n_{label}"))

    @staticmethod
    def _cross(
        first: Expression, second: Expression, of_first: Expression, of_second: Expression
    ) -> tuple[tuple[Expression, Expression, int], ...]:
        """first * of_first - second * of_second, by terms that are not zero."""
        pairs = ((of_first, first, 1), (of_second, second, -1))
        return tuple(pair for pair in pairs if not pair[1].is_zero)

    def _functional(self, i: int) -> Component:
        """g of joint i, in its joint frame."""
        body, seen = self.tree.bodies[i], self._composites[i]
        k = body.axis
        a, b = (k + 1) % 3, (k + 2) % 3

        def component(r: int) -> Expression:
            if body.revolute:
                return seen.turning(k, r)
            return seen.momentum(b) if r == a else -seen.momentum(a) if r == b else self.motion.zero

        return component if self._in_joint_frame[i] else self._out(i, self._lazy(component))

    # -- from joint to joint -----------------------------------------------------------------------------------------

    def _seen(self, j: int) -> Callable[[Component], Component]:
        """From body j's frame to that of its composite."""
        if not self._in_joint_frame[j]:
            return lambda vector: vector
        return lambda vector: self._out(j, vector)

    def _out(self, j: int, vector: Component) -> Component:
        """From body j's frame to its joint frame."""
        return self._lazy(lambda r: self.motion.out_of_body(j, vector, r))

    def _beyond_joint(self, i: int, name: str, own: _Wrench) -> _Wrench:
        """What joint i carries, in its joint frame, with what its own displacement does to it."""
        out = own if self._in_joint_frame[i] else _Wrench(self._out(i, own.force), self._out(i, own.moment))
        if name != "q":
            return out
        force = self._lazy(lambda r: self.forces.force_in_joint_frame(i, r))
        if not self.tree.bodies[i].revolute:
            return _Wrench(out.force, self._plus_turned(i, out.moment, force))
        moment = self._lazy(lambda r: self.forces.moment_in_joint_frame(i, r))
        return _Wrench(self._plus_turned(i, out.force, force), self._plus_turned(i, out.moment, moment))

    def _plus_turned(self, i: int, first: Component, second: Component) -> Component:
        """first + axis x second."""
        k = self.tree.bodies[i].axis
        a, b = (k + 1) % 3, (k + 2) % 3

        def component(r: int) -> Expression:
            return first(r) - second(b) if r == a else first(r) + second(a) if r == b else first(r)

        return self._lazy(component)

    def _to_parent(self, i: int, j: int, name: str, wrench: _Wrench) -> _Wrench:
        """From the joint frame of body j to its parent's frame and origin; i is the joint that was changed."""
        motion, position = self.motion, self.motion.position(j)
        label = f"{self._name(i)}_by_{name}_at_{self._name(j)}"
        force = self._lazy(lambda m: motion.out_of_joint_frame(j, wrench.force, m), f"f_{label}")

        def moment(m: int) -> Expression:
            r, c = (m + 1) % 3, (m + 2) % 3
            terms = [motion.out_of_joint_frame(j, wrench.moment, m)]
            if not position[r].is_zero:
                terms.append(position[r] * force(c))
            if not position[c].is_zero:
                terms.append(-position[c] * force(r))
            return motion.sum(terms)

        return _Wrench(force, self._lazy(moment, f"n_{label}"))

    def _functional_to_parent(self, i: int, j: int, wrench: _Wrench, functional: Component) -> Component:
        """g of joint i, from the joint frame of body j to its parent's frame."""
        motion = self.motion
        force = self._lazy(lambda m: motion.out_of_joint_frame(j, wrench.force, m))

        def component(m: int) -> Expression:
            r, c = (m + 1) % 3, (m + 2) % 3
            terms = [motion.out_of_joint_frame(j, functional, m)]
            for sweep, factor, sign in ((r, c, 1), (c, r, -1)):
                speed = self.momentum.sweep(j, sweep)
                if not speed.is_zero:
                    terms.append(speed * force(factor) * sign)
            return motion.sum(terms)

        return self._lazy(component, f"g_{self._name(i)}_at_{self._name(j)}")

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _lazy(self, build: Component, label: str | None = None) -> Component:
        """The components, each built once, on demand."""
        memo: dict[int, Expression] = {}

        def component(r: int) -> Expression:
            if r not in memo:
                memo[r] = build(r)
                if label is not None:
                    self.motion.label(memo[r], meaning("change", (r,), (label,)))
            return memo[r]

        return component

    def _name(self, i: int) -> str:
        return self.tree.bodies[i].name
