"""Kane's sum over bodies with all its freedom: bodies may share partial velocities, and inertia is where it costs least.

    K*_r + K_r = sum over bodies of  w_r . T + v_r . R

holds for forces R and torques T about any point of a body, if v_r is the partial velocity of that point.  Here it is the
body's origin, on its joint's axis, with the inertia forces on second moments (recursive/collected_forces.py) of inertias
that may have been moved between neighbours.

Body i moves like the one that it hangs on, but for what its own joint adds: with N_ir the joint's rate for u_r = 1, e its
axis and p the origin seen from the other body's,

    w_r = w_r(parent) + e N_ir,   v_r = v_r(parent) + w_r(parent) x p           (a hinge)
    w_r = w_r(parent),            v_r = v_r(parent) + w_r(parent) x p + e N_ir  (a slide)

so that what the parent's partial velocities are multiplied by is the same force and torque, carried to the parent, and
e . T or e . R is left for N_ir.  Each body either shares the partial velocities of the one that it hangs on, or has its
own, which for joint rates amounts to taking the components of its angular velocity and of its origin's velocity for speeds
inside: w_r and v_r are then what converts forces on these to forces on the rates.  Which is cheaper is a decision for each
body.  If all share, only e remains of partial velocities, and the sum is that of Newton's and Euler's equations, from the
tips to the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from kanegen.codegen.derivation.kane.partial_velocities import PartialVelocities, collected_products
from kanegen.codegen.derivation.kane.rates import Rates
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.recursive.collected_forces import CollectedForces
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression

POINT = "sum over bodies"
"""The decision between the sum as it is written, body by body with central inertias, and what is here."""


def shares_velocities(choices: Choices) -> bool:
    """Whether the decision is for shared partial velocities."""
    return choices.pick(POINT, 2, whole=True) == 1


class SharedVelocities(CollectedForces):
    """Forces on the bodies of a tree that moves, each with those of bodies that share its partial velocities."""

    def __init__(self, motion: Motion, speeds: Rates) -> None:
        super().__init__(motion.tree, motion)
        self.partials = PartialVelocities(motion, speeds)

    def has_own(self, i: int) -> bool:
        """Whether partial velocities of body i are formed; those of bodies on the base are those of their joints."""
        body = self.tree.bodies[i]
        point = f"partial velocities of {body.name}"
        return body.parent >= 0 and self.motion.choices.pick(point, 2, body.name) == 1

    def collected(self, i: int) -> Sequence[int]:
        """The bodies that hang on body i and share its partial velocities."""
        return [j for j in self.tree.children(i) if not self.has_own(j)]

    def on_speed(self, r: int) -> Expression:
        """-(K*_r + gravity's part of K_r): the generalized force that the motion needs, rotors included."""
        return collected_products(self.motion, self._products(r))

    def _products(self, r: int) -> Iterator[tuple[Expression, Callable[[], Expression]]]:
        for i, body in enumerate(self.tree.bodies):
            rate = self.partials.speeds.rates_from_speeds[body.coordinate][r]
            if not self.has_own(i):
                yield rate, partial(self.generalized, i)
                continue
            for k in range(3):
                yield self.partials.partial_angular_velocity(i, r, k), partial(self.moment, i, k)
                yield self.partials.origin_partial(i, r, k), partial(self.force, i, k)
            if body.rotor_inertia != 0:
                yield rate, partial(self._rotor_force, i)

    def _rotor_force(self, i: int) -> Expression:
        return self.motion.rotor(i) * self.motion.rate_dot[i] * self.motion.to_unit(i)

    def _in_parent(self, i: int) -> bool:
        return not self.has_own(i) and super()._in_parent(i)


class MotionOfSpeeds(Motion):
    """The motion of a tree in which components of angular velocity that are speeds by definition are not computed.

    ``speeds`` say which, and those of angular acceleration unless they are ``steady``, with rates that do not change.
    """

    def __init__(self, *given: Any, speeds: Rates, steady: bool = False) -> None:
        super().__init__(*given)
        self._speeds, self._steady = speeds, steady

    def w(self, i: int, r: int) -> Expression:
        """Angular velocity of body i, component r."""
        known = self._speeds.defined(i, r) if i >= 0 else None
        return super().w(i, r) if known is None else known.velocity

    def alpha(self, i: int, t: int) -> Expression:
        """Angular acceleration of body i, component t."""
        known = self._speeds.defined(i, t) if i >= 0 and not self._steady else None
        return super().alpha(i, t) if known is None else known.acceleration


def shared_forces(motion: Motion, speeds: Rates, count: int) -> list[Expression]:
    """Generalized forces on ``count`` speeds that a motion needs, its weight included."""
    sums = SharedVelocities(motion, speeds)
    return [sums.on_speed(r) for r in range(count)]
