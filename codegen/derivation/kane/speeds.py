"""How the rates of a tree's coordinates depend on generalized speeds, as Kane's method needs to know it.

Chosen speeds: u and u' are given for a full set of speeds; rates follow from u = Y(q) q' (Kane & Levinson 1983, eqs 1 -
12).  Given rates: q' and q'' are given for all coordinates; N says how q' depends on fewer, independent speeds, q' = N u +
what does not depend on u, which makes partial velocities nonholonomic ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kanegen.codegen.derivation.kinematical_equations import KinematicalEquations
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.graph import Expression, Tangents
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed

Rows = Sequence[Sequence[Expression]]
BodyComponent = Callable[[int, int], Expression]
"""Component k of a vector of body i, in the body's basis."""


@dataclass(frozen=True, slots=True)
class DefinedComponent:
    """A component of a body's angular velocity that is ``factor`` u_r by definition (eq 18); r is ``speed``."""

    speed: int
    factor: Expression
    u: Expression
    u_dot: Expression

    @property
    def velocity(self) -> Expression:
        """The component of the angular velocity."""
        return self.u * self.factor

    @property
    def acceleration(self) -> Expression:
        """The same component of the angular acceleration."""
        return self.u_dot * self.factor


class SpeedsOfTree(Protocol):
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


class ChosenSpeeds:
    """A full set of generalized speeds u of a tree, with their derivatives u'.

    Raises ModelError for speeds that do not determine the rates.
    """

    def __init__(
        self,
        turns: Motion,
        speeds: Sequence[GeneralizedSpeed],
        q: Sequence[Expression],
        u: Sequence[Expression],
        u_dot: Sequence[Expression],
    ) -> None:
        self.equations = KinematicalEquations(turns, speeds)
        self._turns, self._q, self._u, self._u_dot = turns, tuple(q), tuple(u), tuple(u_dot)
        self.rates = self.equations.solve(self._u)

    @property
    def rates_from_speeds(self) -> Rows:
        """W of q' = W u."""
        return self.equations.rates_from_speeds

    def defined(self, body: int, k: int) -> DefinedComponent | None:
        """Component k of the body's angular velocity, where it is a speed by definition (eq 18)."""
        found = self.equations.defined(body, k)
        if found is None:
            return None
        r, factor = found
        return DefinedComponent(r, factor, self._u[r], self._u_dot[r])

    def second_derivatives(self, steady: BodyComponent) -> list[Expression]:
        """q'' from Y q'' = u' - Y' q'.

        For a speed w . d, with d fixed in the body, the component of Y' q' is the angular acceleration along d that the
        body would have with all q'' zero.  For a component of the velocity of a point the row of Y is differentiated.
        """
        offset = {}
        for r, speed in enumerate(self.equations.speeds):
            if speed.point is not None:
                offset[r] = self._changing_row(r)
            elif speed.coordinate is None:
                number = self._turns.number
                terms = [
                    number(speed.direction[k]) * steady(speed.body, k)
                    for k in range(3)
                    if speed.direction[k] != 0
                ]
                offset[r] = self._turns.sum(terms)
        return self.equations.solve(self._u_dot, offset)

    def _changing_row(self, r: int) -> Expression:
        """Component r of Y' q'."""
        along = Tangents(self._turns.graph, dict(zip(self._q, self.rates, strict=True)))
        row = self.equations.speeds_from_rates[r]
        return self._turns.sum([along.first(y) * rate for y, rate in zip(row, self.rates, strict=True)])


class GivenRates:
    """The motion q', q'' of a tree, and N, how q' depends on independent speeds: a row for each coordinate."""

    def __init__(
        self, rates: Sequence[Expression], accelerations: Sequence[Expression], rates_from_speeds: Rows
    ) -> None:
        self.rates, self.rates_from_speeds = tuple(rates), rates_from_speeds
        self._accelerations = tuple(accelerations)

    def defined(self, body: int, k: int) -> DefinedComponent | None:
        """None: angular velocities are made of rates."""
        del body, k
        return None

    def second_derivatives(self, steady: BodyComponent) -> Sequence[Expression]:
        """q'' as given."""
        del steady
        return self._accelerations
