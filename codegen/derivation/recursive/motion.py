"""Motion of every body of a placed tree, computed on demand, component by component.

For body i, in its own frame (k is its joint axis; a, b follow k cyclically):

    w_r      angular velocity
    alpha_t  angular acceleration
    U_rc     U = skew(alpha) + skew(w) skew(w), so that a fixed point r of the body has acceleration a + U r;
             for (r, c, t) cyclic  U_rc = w_r w_c - alpha_t  and  U_cr = w_r w_c + alpha_t
    a_r      acceleration of the origin, less gravity

Only what is asked for is built.  Where the same component can be had in several ways, the way is a decision point.
A column fact worth knowing: for a revolute joint U_child e_k = U_parent e_k, so three entries of U come from the parent
without any product of velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from kanegen.codegen.derivation.meanings import meaning
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import (
    InertialMeanings,
    PlacedBody,
    PlacedTree,
    inertial_meanings,
    without_inertia,
)
from kanegen.codegen.derivation.placed_tree.recollection import Scratch
from kanegen.codegen.derivation.recursive.on_demand import OnDemand, Recalled, RecalledBeyond
from kanegen.codegen.graph import Expression, Graph, Meaning, constant
from kanegen.codegen.graph.exact import exact_cosine, exact_sine
from kanegen.codegen.mechanism.records import Value
from kanegen.codegen.mechanism.values import Lift

GRADIENT = "U_"
"""How the names of decision points on entries of U begin."""

Component = Callable[[int], Expression]

_Key = tuple[str, int, *tuple[int, ...]]
"""A quantity, the body that it belongs to, and its components."""


class Motion:
    """Velocities and accelerations of the bodies of a tree for joint rates v and joint accelerations a."""

    def __init__(
        self,
        tree: PlacedTree,
        graph: Graph,
        choices: Choices,
        q: Sequence[Expression],
        v: Sequence[Expression],
        a: Sequence[Expression],
        gravity: Sequence[Value] | None = None,
    ) -> None:
        self.tree, self.graph, self.choices = tree, graph, choices
        self._lift = Lift(graph, live=True)  # what is still symbolic in a placed tree stays live
        self.zero = constant(graph, 0)
        self.gravity = [self.number(g) for g in gravity] if gravity is not None else [self.zero] * 3
        factors = [self.to_unit(i) for i in range(len(tree.bodies))]
        self.q = [
            self.zero if body.still else q[body.coordinate] * factor
            for body, factor in zip(tree.bodies, factors, strict=True)
        ]
        self.rate = [v[body.coordinate] * factor for body, factor in zip(tree.bodies, factors, strict=True)]
        self.rate_dot = [
            a[body.coordinate] * factor for body, factor in zip(tree.bodies, factors, strict=True)
        ]
        apart = [tree.tied and bool(body.offset) for body in tree.bodies]
        angles = [
            x if alone else x + body.offset for x, body, alone in zip(self.q, tree.bodies, apart, strict=True)
        ]
        self.sine = [
            x.sine() if body.revolute else self.zero for x, body in zip(angles, tree.bodies, strict=True)
        ]
        self.cosine = [
            x.cosine() if body.revolute else self.zero for x, body in zip(angles, tree.bodies, strict=True)
        ]
        for i in [i for i, alone in enumerate(apart) if alone]:
            # equations have the sine of the angle itself already, and adding the offset to it takes six operations
            s, c = exact_sine(tree.bodies[i].offset), exact_cosine(tree.bodies[i].offset)
            sine, cosine = self.sine[i], self.cosine[i]
            self.sine[i], self.cosine[i] = sine * c + cosine * s, cosine * c - sine * s
        self._words = [
            (body.name, self._name(body.parent), str(i), "xyz"[body.axis], body.joint)
            for i, body in enumerate(tree.bodies)
        ]
        self.labels: dict[int, str] = {}
        self._identity: Hashable = None
        recollection = choices.recollection
        if recollection is not None and isinstance(graph, Scratch) and type(self) is Motion:
            refs = (
                tuple([x.ref for x in given]) for given in (self.q, self.rate, self.rate_dot, self.gravity)
            )
            self._identity = (graph, recollection.number(tree, without_inertia), *refs)
        self._on_demand: OnDemand[Expression] = self.on_demand(Motion)
        self._positions: dict[int, tuple[Expression, ...]] = {}
        self._lifted: dict[int, tuple[tuple[Expression, ...], ...]] = {}

    def to_unit(self, i: int) -> Fraction:
        """What turns the coordinate of body i into one along its axis, in the tree's unit of length."""
        body = self.tree.bodies[i]
        return Fraction(body.sense) if body.revolute else body.sense / self.tree.length_unit

    # -- helpers -----------------------------------------------------------------------------------------------------

    def on_demand(self, kind: Any, *of: Hashable, inertia: PlacedTree | None = None) -> OnDemand[Expression]:
        """Quantities of this motion that are of a kind and ``of`` something: those that any search has built among them.

        Where ``inertia`` is given they are quantities of its bodies, and what is moved to or from those beyond counts.
        """
        recollection = self.choices.recollection
        if recollection is None or self._identity is None:
            return OnDemand(self.tree.depth())
        identity = (self._identity, kind, *of)
        if inertia is None:
            return Recalled(recollection, identity)
        return RecalledBeyond(recollection, identity, recollection.beyond(inertia))

    def number(self, value: Value) -> Expression:
        """A value of the tree in this graph, with what it means there where it depends on live parameters."""
        if isinstance(value, Fraction):
            return Expression(self.graph, self.graph.constant(value))
        found = self._lift(value)
        if (meant := self._inertial.get(value.ref)) is not None:
            self.mean(found, *meant)
        return found

    @cached_property
    def _inertial(self) -> InertialMeanings:
        return inertial_meanings(self.tree)

    def rotor(self, i: int) -> Expression:
        """Rotor inertia of the joint of body i, zero where there is none."""
        return self.number(self.tree.bodies[i].rotor_inertia)

    def rotation(self, i: int) -> tuple[tuple[Expression, ...], ...]:
        """Fixed rotation of the joint of body i, parent from joint frame."""
        if i not in self._lifted:
            self._lifted[i] = tuple(
                tuple(self.number(x) for x in row) for row in self.tree.bodies[i].rotation
            )
        return self._lifted[i]

    def sum(self, terms: Sequence[Expression]) -> Expression:
        """n-ary sum without the zeros."""
        zero = self.zero.ref
        return Expression(self.graph, self.graph.sum([t.ref for t in terms if t.ref != zero]))

    def _remember(self, key: _Key, build: Callable[[], Expression]) -> Expression:
        """What is built for the key, once; the key says what it is."""
        memory = self._on_demand
        found = memory.found.get(key)
        if found is not None:
            return found
        if memory.short:
            built = memory.found[key] = self._labelled(key, build)
            return built
        return memory(key, lambda: self._labelled(key, build))

    def _labelled(self, key: _Key, build: Callable[[], Expression]) -> Expression:
        built = build()
        if self._identity is not None:  # only counted
            return built
        index = abs(built.ref)
        if index not in self.labels:
            meant = meaning(key[0], key[2:], self._words[key[1]])
            self.labels[index] = meant.name if built.ref > 0 else "-" + meant.name
            self.graph.mean(built.ref, meant)
        return built

    def meaning(self, quantity: str, i: int, *components: int) -> Meaning:
        """What a quantity of body i means."""
        return meaning(quantity, components, self._words[i])

    def mean(self, value: Expression, quantity: str, i: int, *components: int) -> Expression:
        """The value, having said that it is this quantity of body i."""
        self.graph.mean(value.ref, meaning(quantity, components, self._words[i]))
        return value

    def label(self, value: Expression, meaning: Meaning) -> Expression:
        """The value, having said what it is; the C names its variable so."""
        self.graph.mean(value.ref, meaning)
        ref = value.ref
        self.labels.setdefault(abs(ref), meaning.name if ref > 0 else "-" + meaning.name)
        return value

    def into_joint_frame(self, i: int, parent: Component, r: int) -> Expression:
        """Component r, in the joint frame of body i, of a vector given in the parent's frame."""
        rotation = self.rotation(i)
        return self.sum([rotation[m][r] * parent(m) for m in range(3) if not rotation[m][r].is_zero])

    def into_body(self, i: int, joint: Component, r: int) -> Expression:
        """Component r, in body i's frame, of a vector given in its joint frame."""
        body = self.tree.bodies[i]
        k = body.axis
        if not body.revolute or r == k:
            return joint(r)
        c, s = self.cosine[i], self.sine[i]
        a, b = (k + 1) % 3, (k + 2) % 3
        return c * joint(a) + s * joint(b) if r == a else c * joint(b) - s * joint(a)

    def out_of_body(self, i: int, own: Component, r: int) -> Expression:
        """Component r, in the joint frame, of a vector given in body i's frame."""
        body = self.tree.bodies[i]
        k = body.axis
        if not body.revolute or r == k:
            return own(r)
        c, s = self.cosine[i], self.sine[i]
        a, b = (k + 1) % 3, (k + 2) % 3
        return c * own(a) - s * own(b) if r == a else c * own(b) + s * own(a)

    def out_of_joint_frame(self, i: int, joint: Component, m: int) -> Expression:
        """Component m, in the parent's frame, of a vector given in the joint frame of body i."""
        row = self.rotation(i)[m]
        return self.sum([row[r] * joint(r) for r in range(3) if not row[r].is_zero])

    def position(self, i: int) -> tuple[Expression, ...]:
        """Position of body i's origin from its parent's origin, in the parent's frame."""
        if i not in self._positions:
            body = self.tree.bodies[i]
            position = tuple(self.number(x) for x in body.position)
            if not body.revolute:
                rotation = self.rotation(i)
                position = tuple(position[m] + rotation[m][body.axis] * self.q[i] for m in range(3))
            self._positions[i] = tuple(self.mean(x, "position", i, m) for m, x in enumerate(position))
        return self._positions[i]

    # -- velocities and accelerations --------------------------------------------------------------------------------

    def w(self, i: int, r: int) -> Expression:
        """Angular velocity of body i, component r."""
        if i < 0:
            return self.zero

        def build() -> Expression:
            body = self.tree.bodies[i]
            turned = self.into_body(i, lambda c: self.w_joint(i, c), r)
            return turned + self.rate[i] if body.revolute and r == body.axis else turned

        return self._remember(("w", i, r), build)

    def w_joint(self, i: int, r: int) -> Expression:
        """Angular velocity of body i's parent, component r in the joint frame of body i."""
        parent = self.tree.bodies[i].parent
        return self._remember(
            ("wj", i, r),
            lambda: self.into_joint_frame(i, lambda m: self.w(parent, m), r),
        )

    def alpha_joint(self, i: int, r: int) -> Expression:
        """Angular acceleration of body i's parent, component r in the joint frame of body i."""
        parent = self.tree.bodies[i].parent
        return self._remember(
            ("alphaj", i, r),
            lambda: self.into_joint_frame(i, lambda m: self.alpha(parent, m), r),
        )

    def square(self, i: int, r: int) -> Expression:
        """Square of an angular velocity component."""
        return self.w(i, r) * self.w(i, r)

    def alpha(self, i: int, t: int) -> Expression:
        """Angular acceleration of body i, component t."""
        if i < 0:
            return self.zero
        return self._remember(("alpha", i, t), lambda: self._alpha(i, t))

    def _alpha(self, i: int, t: int) -> Expression:
        body = self.tree.bodies[i]
        k = body.axis
        if not body.revolute:
            return self.alpha_joint(i, t)
        if t == k:
            return self.alpha_joint(i, k) + self.rate_dot[i]
        a, b = (k + 1) % 3, (k + 2) % 3
        if body.parent >= 0 and not self._turns_alpha(i) and self._pick(i, f"alpha_{'xyz'[t]}", 2) == 0:
            # from the column that the parent gives: U_ak = w_k w_a + alpha_b, U_bk = w_b w_k - alpha_a
            if t == b:
                return self.column(i, a) - self.w(i, k) * self.w(i, a)
            return self.w(i, b) * self.w(i, k) - self.column(i, b)
        turned = self._turned_alpha(i, t)
        return turned + self.w(i, b) * self.rate[i] if t == a else turned - self.w(i, a) * self.rate[i]

    def _turned_alpha(self, i: int, t: int) -> Expression:
        """Angular acceleration of body i's parent, component t in body i's frame."""
        return self.into_body(i, lambda r: self.alpha_joint(i, r), t)

    def _turns_alpha(self, i: int) -> bool:
        """Whether the parent's angular acceleration is turned into body i's frame, or its U (revolute joints)."""
        return self.tree.bodies[i].parent >= 0 and self._pick(i, f"{GRADIENT}from_alpha", 2, late=True) == 1

    def column(self, i: int, r: int) -> Expression:
        """Entry r of U_i e_k = U_parent e_k, in body i's frame (revolute joints)."""
        return self._remember(
            ("column", i, r),
            lambda: self.into_body(i, lambda c: self.column_in_joint_frame(i, c), r),
        )

    def column_in_joint_frame(self, i: int, r: int) -> Expression:
        """Entry r of U_parent e_k, in body i's joint frame (revolute joints)."""
        body = self.tree.bodies[i]
        rotation = self.rotation(i)
        k = body.axis

        def parent(m: int) -> Expression:
            return self.sum(
                [self.U(body.parent, m, n) * rotation[n][k] for n in range(3) if not rotation[n][k].is_zero]
            )

        def build() -> Expression:
            # U e_k = w w_k - |w|^2 e_k + alpha x e_k turns two vectors where the other way turns a tensor
            odd = body.parent >= 0 and not self._is_permutation(body)
            if odd and self._pick(i, f"column_{'xyz'[r]}", 2) == 1:
                return self._column_of_vectors(i, r)
            return self.into_joint_frame(i, parent, r)

        return self._remember(("columnj", i, r), build)

    def _column_of_vectors(self, i: int, r: int) -> Expression:
        """Entry r of U_parent e_k, in body i's joint frame, from its parent's velocity and acceleration there."""
        k = self.tree.bodies[i].axis
        a, b = (k + 1) % 3, (k + 2) % 3
        w = [self.w_joint(i, c) for c in range(3)]
        if r == k:
            return -(w[a] * w[a] + w[b] * w[b])
        return w[k] * w[r] + self.alpha_joint(i, b) if r == a else w[k] * w[r] - self.alpha_joint(i, a)

    def U(self, i: int, r: int, c: int) -> Expression:
        """Entry (r, c) of U = skew(alpha) + skew(w) skew(w) of body i."""
        if i < 0:
            return self.zero
        return self._remember(("U", i, r, c), lambda: self._U(i, r, c))

    def _U(self, i: int, r: int, c: int) -> Expression:
        body = self.tree.bodies[i]
        k = body.axis
        if not body.revolute and self._is_permutation(body):
            rotation = self.rotation(i)
            return self.sum(
                [
                    rotation[m][r] * rotation[n][c] * self.U(body.parent, m, n)
                    for m in range(3)
                    for n in range(3)
                    if not rotation[m][r].is_zero and not rotation[n][c].is_zero
                ]
            )
        if body.revolute and c == k:
            if body.parent < 0 or self._pick(i, f"{GRADIENT}{'xyz'[r]}{'xyz'[c]}", 2) == 0:
                return self.column(i, r)
        elif r == c:
            return self._diagonal(i, r)
        if r == c:
            a, b = (k + 1) % 3, (k + 2) % 3
            return -(self.square(i, a) + self.square(i, b))
        t = 3 - r - c
        sign = 1 if (r + 1) % 3 == c else -1
        if body.revolute and r == k:
            if self._turns_alpha(i):
                # what the joint's rate adds to the parent's acceleration is a product with w_c, too
                return (self.w(i, k) + self.rate[i]) * self.w(i, c) - self._turned_alpha(i, t) * sign
            if self._pick(i, f"{GRADIENT}{'xyz'[r]}{'xyz'[c]}", 2) == 1:
                return self.w(i, r) * self.w(i, c) * 2 - self.column(i, c)
        return self.w(i, r) * self.w(i, c) - self.alpha(i, t) * sign

    def _diagonal(self, i: int, r: int) -> Expression:
        body = self.tree.bodies[i]
        others = [c for c in range(3) if c != r]
        if body.revolute and body.parent >= 0 and self._pick(i, f"{GRADIENT}{'xyz'[r]}{'xyz'[r]}", 2) == 1:
            k = body.axis
            return self.column(i, k) + self.square(i, r) - self.square(i, k)
        return -(self.square(i, others[0]) + self.square(i, others[1]))

    def acceleration(self, i: int, r: int) -> Expression:
        """Acceleration of body i's origin less gravity, component r."""
        if i < 0:
            return -self.gravity[r]

        return self._remember(
            ("a", i, r),
            lambda: self.into_body(i, lambda c: self.acceleration_in_joint_frame(i, c), r),
        )

    def acceleration_in_joint_frame(self, i: int, r: int) -> Expression:
        """Acceleration of body i's origin less gravity, component r in its joint frame."""
        body = self.tree.bodies[i]
        if body.parent < 0 and not body.revolute and not self._is_permutation(body):
            # however the base stands, these are numbers
            weight = self.into_joint_frame(i, lambda m: -self.gravity[m], r)
            return weight + self.rate_dot[i] if r == body.axis else weight
        return self.into_joint_frame(i, lambda m: self._carried(i, m), r)

    def _carried(self, i: int, m: int) -> Expression:
        """Acceleration of body i's origin, less gravity, component m in the parent's frame."""
        body = self.tree.bodies[i]
        parent = body.parent

        def build() -> Expression:
            position = self.position(i)
            terms = [self.acceleration(parent, m)]
            terms += [self.U(parent, m, n) * position[n] for n in range(3) if not position[n].is_zero]
            if not body.revolute:
                rotation = self.rotation(i)
                direction = [rotation[n][body.axis] for n in range(3)]
                n, l = (m + 1) % 3, (m + 2) % 3
                sweep = self.w(parent, n) * direction[l] - self.w(parent, l) * direction[n]
                terms += [sweep * (self.rate[i] * 2), direction[m] * self.rate_dot[i]]
            return self.sum(terms)

        return self._remember(("ac", i, m), build)

    # -- decisions ---------------------------------------------------------------------------------------------------

    def _pick(self, i: int, what: str, alternatives: int, late: bool = False) -> int:
        name = self.tree.bodies[i].name
        return self.choices.pick(f"{what} of {name}", alternatives, name, late=late)

    def _name(self, i: int) -> str:
        return self.tree.bodies[i].name if i >= 0 else "base"

    @staticmethod
    def _is_permutation(body: PlacedBody) -> bool:
        return all(isinstance(x, Fraction) and x in (0, 1, -1) for row in body.rotation for x in row)


class Named:
    """Quantities of a placed tree in a motion, built on demand, with names among the labels of the motion.

    What a derived class is of besides has to be among ``of``.
    """

    def __init__(self, tree: PlacedTree, motion: Motion, *of: Hashable) -> None:
        self.tree, self.motion = tree, motion
        self._on_demand = motion.on_demand(type(self), *of, inertia=tree)

    def _remember(
        self, key: tuple[str | int, ...], meant: Meaning, build: Callable[[], Expression]
    ) -> Expression:
        memory = self._on_demand
        found = memory.found.get(key)
        if found is not None:
            return found
        if memory.short:
            built = memory.found[key] = self.motion.label(build(), meant)
            return built
        return memory(key, lambda: self.motion.label(build(), meant))
