"""The tables of Kane's method that belong to bodies: velocities, partial velocities, inertia forces, weights (tables.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from kanegen.codegen.derivation.kane.forces import inertia_torque, torque_coefficient
from kanegen.codegen.derivation.kane.motion import KaneMotion
from kanegen.codegen.derivation.kane.rates import Rates
from kanegen.codegen.derivation.motion_maps.motion_map import Vector
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Meaning
from kanegen.codegen.mechanism.records import ZERO3, Mechanism

Table = Sequence[Any]
"""Expressions in nested sequences of the same lengths."""

_AT_CONSTANT_SPEEDS = frozenset(("alpha", "a", "a*", "U", "T*", "R*", "K*"))
"""Quantities that have another meaning without du/dt and without weight."""

_UNITS: Mapping[str, tuple[str, str]] = {
    "wr": ("1", "1/m"),
    "vr": ("m", "1"),
    "vr*": ("m", "1"),
    "T*s": ("kg m^2", "kg m"),
    "R*s": ("kg m", "kg"),
}
"""Units of what belongs to a speed in rad/s, or in m/s."""


class MotionAtConstantSpeeds(KaneMotion):
    """The motion for du/dt = 0: accelerations are what is left beside the partial velocities, alpha_t and a_t.

    Weight is kept apart: ``free_fall`` has its acceleration along the axes of each body.  ``sliding`` says of each speed
    whether it is one in m/s; None of those whose unit is not known.
    """

    def __init__(
        self, mechanism: Mechanism, turns: Motion, speeds: Rates, sliding: Sequence[bool | None]
    ) -> None:
        self.sliding = sliding
        super().__init__(replace(mechanism, gravity=ZERO3), turns, speeds)
        self._falling = [turns.number(g) for g in mechanism.gravity]

    def meaning(self, quantity: str, i: int, components: tuple[int, ...], speed: int) -> Meaning:
        """What a quantity of body i means, with the unit that it has for this speed."""
        if quantity in _AT_CONSTANT_SPEEDS:
            quantity = f"{quantity} t"
        found = super().meaning(quantity, i, components, speed)
        slides = self.sliding[speed] if speed >= 0 else None
        if quantity not in _UNITS or slides is None:
            return found
        return replace(found, unit=_UNITS[quantity][slides])

    def free_fall(self, i: int, k: int) -> Expression:
        """Acceleration of free fall along axis k of body i."""
        if i < 0:
            return self._falling[k]
        parent = self.tree.bodies[i].parent
        return self._remember(
            "free fall", i, (k,), lambda: self._turned(i, lambda c: self.free_fall(parent, c), k)
        )


class BodyTables:
    """The tables of all bodies but carriers, for derivatives ``u_dot`` of those speeds that are not auxiliary."""

    def __init__(self, motion: MotionAtConstantSpeeds, u_dot: Vector) -> None:
        self.motion, self.u_dot, self.sum = motion, u_dot, motion.turns.sum
        self.bodies = [i for i, body in enumerate(motion.tree.bodies) if not body.carrier]
        self.mass = [motion.turns.number(inertia.mass) for inertia in motion.inertias]

    def tables(self) -> list[Table]:
        """In the order of ``BODY_TABLES``, then X and K* for du/dt = 0 without rotors."""
        motion = self.motion
        every = range(len(motion.sliding))
        moving = range(len(self.u_dot))
        vectors = (
            motion.angular_velocity,
            motion.angular_acceleration,
            self.angular_acceleration,
            motion.velocity,
            motion.acceleration,
            self.acceleration,
            self.inertia_torque,
            self.inertia_force,
            self.weight,
        )
        partials = (motion.partial_angular_velocity, motion.partial_velocity)
        return [
            *([[f(i, k) for k in range(3)] for i in self.bodies] for f in vectors),
            *([[[f(i, r, k) for k in range(3)] for r in every] for i in self.bodies] for f in partials),
            [[self.inertia_part(i, r) for r in every] for i in self.bodies],
            [[self.weight_part(i, r) for r in every] for i in self.bodies],
            [[self.coefficient(r, s) for s in moving] for r in moving],
            [self.inertia_force_at_constant_speeds(r) for r in moving],
        ]

    # -- bodies ------------------------------------------------------------------------------------------------------

    def angular_acceleration(self, i: int, k: int) -> Expression:
        """alpha = sum_r w_r u'_r + alpha_t."""
        return self._accelerated("alpha", i, k, self.motion.angular_acceleration, self._w(i, k))

    def acceleration(self, i: int, k: int) -> Expression:
        """a = sum_r v_r u'_r + a_t of the mass centre."""
        return self._accelerated("a*", i, k, self.motion.acceleration, self._v(i, k))

    def inertia_torque(self, i: int, k: int) -> Expression:
        """T*."""
        return self._accelerated("T*", i, k, partial(inertia_torque, self.motion), self._torque(i, k))

    def inertia_force(self, i: int, k: int) -> Expression:
        """R*."""
        return self._accelerated("R*", i, k, self._force_at_constant_speeds, self._force(i, k))

    def weight(self, i: int, k: int) -> Expression:
        """m g, along the axes that the mass centre is followed in."""
        carrier, _ = self.motion.carrier(i)
        return self.motion.mean(self.mass[i] * self.motion.free_fall(carrier, k), "weight", i, (k,))

    def inertia_part(self, i: int, r: int) -> Expression:
        """(K*_r)_B = w_r . T* + v_r . R*."""
        parts = self._dotted(i, r, self.inertia_torque, self.inertia_force)
        return self._of_speed(self.sum(parts), "K* of body", i, r)

    def weight_part(self, i: int, r: int) -> Expression:
        """(K_r)_B = v_r . m g."""
        parts = [self.motion.partial_velocity(i, r, k) * self.weight(i, k) for k in range(3)]
        return self._of_speed(self.sum(parts), "K of body", i, r)

    # -- all bodies together -----------------------------------------------------------------------------------------

    def coefficient(self, r: int, s: int) -> Expression:
        """What all bodies make of X_rs."""
        parts: list[Expression] = []
        for i in self.bodies:
            parts += self._dotted(i, r, lambda i, k: self._torque(i, k)(s), lambda i, k: self._force(i, k)(s))
        return self.sum(parts)

    def inertia_force_at_constant_speeds(self, r: int) -> Expression:
        """What all bodies make of K*_r for du/dt = 0."""
        torque = partial(inertia_torque, self.motion)
        parts = [self._dotted(i, r, torque, self._force_at_constant_speeds) for i in self.bodies]
        return self.sum([x for body in parts for x in body])

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _dotted(self, i: int, r: int, torque: Any, force: Any) -> list[Expression]:
        """The terms of w_r . torque + v_r . force of body i."""
        motion = self.motion
        found = [motion.partial_angular_velocity(i, r, k) * torque(i, k) for k in range(3)]
        return [*found, *(motion.partial_velocity(i, r, k) * force(i, k) for k in range(3))]

    def _accelerated(self, quantity: str, i: int, k: int, still: Any, by_speed: Any) -> Expression:
        """still + sum_s by_speed(s) u'_s."""
        terms = [still(i, k), *(by_speed(s) * x for s, x in enumerate(self.u_dot))]
        return self.motion.mean(self.sum(terms), f"{quantity} u", i, (k,))

    def _w(self, i: int, k: int) -> Any:
        return lambda s: self.motion.partial_angular_velocity(i, s, k)

    def _v(self, i: int, k: int) -> Any:
        return lambda s: self.motion.partial_velocity(i, s, k)

    def _torque(self, i: int, k: int) -> Any:
        return lambda s: torque_coefficient(self.motion, s, i, k)

    def _force(self, i: int, k: int) -> Any:
        def for_unit(s: int) -> Expression:
            return self.motion.mean(-self.mass[i] * self.motion.partial_velocity(i, s, k), "R*s", i, (k,), s)

        return for_unit

    def _force_at_constant_speeds(self, i: int, k: int) -> Expression:
        return self.motion.mean(-self.mass[i] * self.motion.acceleration(i, k), "R*", i, (k,))

    def _of_speed(self, value: Expression, quantity: str, i: int, r: int) -> Expression:
        return value.mean(of_force(self.motion.meaning(quantity, i, (), r), self.motion.sliding[r]))


_FORCE = ("N m", "N")
"""Units of what belongs to a speed in rad/s, or in m/s."""


def of_force(meant: Meaning, slides: bool | None) -> Meaning:
    """The meaning of a generalized force, with its unit."""
    return meant if slides is None else replace(meant, unit=_FORCE[slides])
