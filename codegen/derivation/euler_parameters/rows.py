"""Scalar equations between bodies: value Phi, gradient Phi_x, and gamma with Phi_x d2x/dt2 = gamma (10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from kanegen.codegen.derivation.euler_parameters.states import SIZE, Direction, Point, States, apart
from kanegen.codegen.graph import Expression, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import Expressions

Gradient = Mapping[int, Expressions]
"""Derivatives with respect to the seven coordinates of the bodies concerned, by their index."""


class Row(Protocol):
    """One equation of position."""

    def value(self, states: States) -> Expression:
        """Phi."""

    def gradient(self, states: States) -> Gradient:
        """Phi_x, the exact derivative of Phi also where |p| is not 1."""

    def gamma(self, states: States) -> Expression:
        """Minus the second derivative of Phi in time at constant dx/dt."""


@dataclass(frozen=True, slots=True)
class Coincidence:
    """Two points have the same component along an axis of the base: one row of (5)."""

    first: Point
    second: Point
    component: int

    def value(self, states: States) -> Expression:
        """Phi."""
        return apart(states, self.first, self.second)[self.component]

    def gradient(self, states: States) -> Gradient:
        """Phi_x."""
        unit = states.units()[self.component]
        return _collected(
            (self.second.body, lambda: self.second.pulled_back(states, unit)),
            (self.first.body, lambda: self.first.pulled_back(states, vec.scale(-1, unit))),
        )

    def gamma(self, states: States) -> Expression:
        """gamma."""
        k = self.component
        return self.first.curvature(states)[k] - self.second.curvature(states)[k]


@dataclass(frozen=True, slots=True)
class Perpendicular:
    """Two directions are perpendicular: (33) for a right angle, times ``sense``."""

    first: Direction
    second: Direction
    sense: int = 1

    def value(self, states: States) -> Expression:
        """Phi."""
        return vec.dot_total(states.graph, self.first.value(states), self.second.value(states)) * self.sense

    def gradient(self, states: States) -> Gradient:
        """Phi_x."""
        first, second = self.first, self.second
        return _collected(
            (first.body, lambda: first.pulled_back(states, vec.scale(self.sense, second.value(states)))),
            (second.body, lambda: second.pulled_back(states, vec.scale(self.sense, first.value(states)))),
        )

    def gamma(self, states: States) -> Expression:
        """gamma."""
        return -_curvature_of_product(states, self.first, _Moving.direction(states, self.second)) * self.sense


@dataclass(frozen=True, slots=True)
class Distance:
    """The second point lies ``length`` [m] from the first as measured along a direction of the first's body."""

    direction: Direction
    first: Point
    second: Point
    length: Expression
    length_acceleration: Expression
    sense: int = 1

    def value(self, states: States) -> Expression:
        """Phi."""
        along = vec.dot_total(
            states.graph, self.direction.value(states), apart(states, self.first, self.second)
        )
        return along * self.sense - self.length

    def gradient(self, states: States) -> Gradient:
        """Phi_x."""
        along = vec.scale(self.sense, self.direction.value(states))
        between = vec.scale(self.sense, apart(states, self.first, self.second))
        return _collected(
            (self.second.body, lambda: self.second.pulled_back(states, along)),
            (self.first.body, lambda: self.first.pulled_back(states, vec.scale(-1, along))),
            (self.direction.body, lambda: self.direction.pulled_back(states, between)),
        )

    def gamma(self, states: States) -> Expression:
        """gamma."""
        curvature = _curvature_of_product(
            states, self.direction, _Moving.difference(states, self.first, self.second)
        )
        return self.length_acceleration - curvature * self.sense


@dataclass(frozen=True, slots=True)
class SquaredDistance:
    """Two points are ``length`` [m] apart: l . l - L^2 (35), l from the first to the second.

    L may be driven: ``length_rate`` and ``length_acceleration`` are its derivatives in time.  Where the points coincide
    the gradient vanishes.
    """

    first: Point
    second: Point
    length: Expression
    length_rate: Expression
    length_acceleration: Expression

    def value(self, states: States) -> Expression:
        """Phi."""
        between = apart(states, self.first, self.second)
        return vec.dot_total(states.graph, between, between) - self.length * self.length

    def gradient(self, states: States) -> Gradient:
        """Phi_x."""
        twice = vec.scale(2, apart(states, self.first, self.second))
        return _collected(
            (self.second.body, lambda: self.second.pulled_back(states, twice)),
            (self.first.body, lambda: self.first.pulled_back(states, vec.scale(-1, twice))),
        )

    def gamma(self, states: States) -> Expression:
        """gamma = 2 (dL/dt)^2 + 2 L d2L/dt2 - 2 dl/dt . dl/dt - 2 l . (curvature of l)."""
        moving = _Moving.difference(states, self.first, self.second)
        half = [
            self.length_rate * self.length_rate,
            self.length * self.length_acceleration,
            -vec.dot_total(states.graph, moving.rate, moving.rate),
            -vec.dot_total(states.graph, moving.value, moving.curvature),
        ]
        return total(states.graph, half) * 2


@dataclass(frozen=True, slots=True)
class Normalisation:
    """|p|^2 = 1 of one body (3)."""

    body: int

    def value(self, states: States) -> Expression:
        """Phi."""
        p = states.parameters(self.body)
        return vec.dot_total(states.graph, p, p) - 1

    def gradient(self, states: States) -> Gradient:
        """Phi_x."""
        return {self.body: vec.zeros(states.graph, 3) + vec.scale(2, states.parameters(self.body))}

    def gamma(self, states: States) -> Expression:
        """gamma."""
        rate = states.parameter_rates(self.body)
        return vec.dot_total(states.graph, rate, rate) * -2


@dataclass(frozen=True, slots=True)
class _Moving:
    """A vector, its rate and its curvature, in the base frame."""

    value: Expressions
    rate: Expressions
    curvature: Expressions

    @classmethod
    def direction(cls, states: States, of: Direction) -> _Moving:
        return cls(of.value(states), of.velocity(states), of.curvature(states))

    @classmethod
    def difference(cls, states: States, first: Point, second: Point) -> _Moving:
        return cls(
            apart(states, first, second),
            vec.subtract(second.velocity(states), first.velocity(states)),
            vec.subtract(second.curvature(states), first.curvature(states)),
        )


def _curvature_of_product(states: States, direction: Direction, other: _Moving) -> Expression:
    """d2(a . b)/dt2 at constant dx/dt."""
    graph, own = states.graph, _Moving.direction(states, direction)
    return total(
        graph,
        [
            vec.dot_total(graph, own.curvature, other.value),
            vec.dot_total(graph, own.rate, other.rate) * 2,
            vec.dot_total(graph, own.value, other.curvature),
        ],
    )


def _collected(*parts: tuple[int, Callable[[], Expressions]]) -> Gradient:
    """Derivatives by body; those of the base do not exist."""
    found: dict[int, Expressions] = {}
    for body, build in parts:
        if body >= 0:
            found[body] = (
                vec.add_total(found[body][0].graph, found[body], build()) if body in found else build()
            )
    return found


def dense(row: Row, states: States) -> Expressions:
    """The gradient over all coordinates of all bodies."""
    found = [constant(states.graph, 0)] * len(states.x)
    for body, part in row.gradient(states).items():
        found[SIZE * body : SIZE * (body + 1)] = part
    return found
