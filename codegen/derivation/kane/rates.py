"""How the rates of a tree's joints depend on generalized speeds, as Kane's method needs to know it.

Chosen speeds: u and u' are given for a full set of speeds; rates follow from u = Y(q) q' (Kane & Levinson 1983, eqs 1 -
12).  Given rates: q' and q'' are given for all coordinates; N says how q' depends on fewer, independent speeds, q' = N u +
what does not depend on u, which makes partial velocities nonholonomic ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kanegen.codegen.derivation.motion_maps.chosen_speeds import ChosenSpeeds
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, Vector
from kanegen.codegen.graph import Expression

BodyComponent = Callable[[int, int], Expression]
"""Component k of a vector of body i, in the body's basis."""


@dataclass(frozen=True, slots=True)
class DefinedComponent:
    """A component of a body's angular velocity that is ``factor`` u_r by definition (eq 18); r is ``speed``.

    ``velocity`` is the component, ``acceleration`` the same one of the angular acceleration.
    """

    speed: int
    factor: Expression
    velocity: Expression
    acceleration: Expression


class Rates(Protocol):
    """What partial velocities, velocities and accelerations are made of; coordinates in the order of the tree's."""

    @property
    def rates(self) -> Sequence[Expression]:
        """q'."""

    @property
    def rates_from_speeds(self) -> Rows:
        """d q'_s / d u_r, a row for each coordinate s."""

    def defined(self, body: int, k: int) -> DefinedComponent | None:
        """Component k of the body's angular velocity, where it is a speed by definition."""

    def second_derivatives(self, steady: BodyComponent) -> Sequence[Expression]:
        """q''.  ``steady`` gives the angular accelerations that the bodies would have if q'' were zero."""


class RatesOfSpeeds:
    """The motion of a tree with chosen speeds u and their derivatives u'."""

    def __init__(self, chosen: ChosenSpeeds, u: Vector, u_dot: Vector) -> None:
        self._chosen, self._u, self._u_dot = chosen, u, u_dot
        self.rates, self.rates_from_speeds = chosen.solve(u), chosen.rates_from_speeds

    def defined(self, body: int, k: int) -> DefinedComponent | None:
        """Component k of the body's angular velocity, where it is a speed by definition (eq 18)."""
        found = self._chosen.defined(body, k)
        if found is None:
            return None
        r, factor = found
        return DefinedComponent(r, factor, self._u[r] * factor, self._u_dot[r] * factor)

    def second_derivatives(self, steady: BodyComponent) -> Sequence[Expression]:
        """q'' from Y q'' = u' - Y' q'."""
        return self._chosen.accelerations(self._u, self._u_dot, steady)


class GivenRates:
    """The motion q', q'' of a tree, and N, how q' depends on independent speeds: a row for each coordinate."""

    def __init__(self, rates: Vector, accelerations: Vector, rates_from_speeds: Rows) -> None:
        self.rates, self.rates_from_speeds = rates, rates_from_speeds
        self._accelerations = accelerations

    def defined(self, body: int, k: int) -> DefinedComponent | None:
        """None: angular velocities are made of rates."""
        return None

    def second_derivatives(self, steady: BodyComponent) -> Sequence[Expression]:
        """q'' as given."""
        return self._accelerations
