"""Body coordinates x_i = (r_i, p_i) as inputs of a program, and vectors and points fixed in bodies.

``Direction`` and ``Point`` know, in the base frame, their value, its derivative with respect to the coordinates of their
body, its rate, and its curvature: the second derivative in time as far as it does not come from accelerations of x.
The base has the index -1 and no coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.euler_parameters.rotation import (
    rotation_curvature,
    rotation_matrix,
    rotation_rate,
    turned_gradient,
)
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import ExpressionRows, Expressions

SIZE = 7
"""Coordinates of a body: three of the mass centre, four of the rotation."""


class States:
    """Coordinates of all bodies, and their rates where they are given; matrices are built once."""

    def __init__(self, graph: Graph, x: Sequence[Expression], rates: Sequence[Expression] = ()) -> None:
        self.graph, self.x, self.rates = graph, x, rates
        self._turns: dict[int, ExpressionRows] = {}
        self._turn_rates: dict[int, ExpressionRows] = {}
        self._turn_curvatures: dict[int, ExpressionRows] = {}

    @property
    def count(self) -> int:
        """Number of bodies."""
        return len(self.x) // SIZE

    def center(self, i: int) -> Expressions:
        """r_i."""
        return self.x[SIZE * i : SIZE * i + 3]

    def parameters(self, i: int) -> Expressions:
        """p_i."""
        return self.x[SIZE * i + 3 : SIZE * (i + 1)]

    def center_rate(self, i: int) -> Expressions:
        """dr_i/dt."""
        return self.rates[SIZE * i : SIZE * i + 3]

    def parameter_rates(self, i: int) -> Expressions:
        """dp_i/dt."""
        return self.rates[SIZE * i + 3 : SIZE * (i + 1)]

    def turned(self, i: int, s: Expressions) -> Expressions:
        """A_i s; of the base s itself."""
        if i < 0:
            return list(s)
        if i not in self._turns:
            self._turns[i] = rotation_matrix(self.parameters(i))
        return vec.apply_total(self.graph, self._turns[i], s)

    def turned_back(self, i: int, v: Expressions) -> Expressions:
        """A_i^T v."""
        if i < 0:
            return list(v)
        return [vec.dot_total(self.graph, self.turned(i, unit), v) for unit in self.units()]

    def units(self) -> list[Expressions]:
        """The three unit vectors."""
        return [[constant(self.graph, int(r == c)) for c in range(3)] for r in range(3)]

    def turned_rate(self, i: int, s: Expressions) -> Expressions:
        """(dA_i/dt) s."""
        if i < 0:
            return vec.zeros(self.graph, 3)
        if i not in self._turn_rates:
            self._turn_rates[i] = rotation_rate(self.parameters(i), self.parameter_rates(i))
        return vec.apply_total(self.graph, self._turn_rates[i], s)

    def turned_curvature(self, i: int, s: Expressions) -> Expressions:
        """(d2A_i/dt2) s at constant dp/dt."""
        if i < 0:
            return vec.zeros(self.graph, 3)
        if i not in self._turn_curvatures:
            self._turn_curvatures[i] = rotation_curvature(self.parameter_rates(i))
        return vec.apply_total(self.graph, self._turn_curvatures[i], s)


@dataclass(frozen=True, slots=True)
class Direction:
    """A vector of body ``body`` with the given components in its axes, which may change at ``rate`` and ``bend``."""

    body: int
    components: Expressions
    rate: Expressions = ()
    bend: Expressions = ()

    def value(self, states: States) -> Expressions:
        """A v."""
        return states.turned(self.body, self.components)

    def pulled_back(self, states: States, force: Expressions) -> Expressions:
        """The derivative with respect to the body's seven coordinates of force . (A v)."""
        gradient = turned_gradient(states.parameters(self.body), self.components)
        turning = vec.apply_total(states.graph, vec.transpose(gradient), force)
        return vec.zeros(states.graph, 3) + turning

    def velocity(self, states: States) -> Expressions:
        """Its rate of change."""
        turning = states.turned_rate(self.body, self.components)
        return (
            vec.add_total(states.graph, turning, states.turned(self.body, self.rate))
            if self.rate
            else turning
        )

    def curvature(self, states: States) -> Expressions:
        """Its second derivative in time for constant dx/dt."""
        turning = states.turned_curvature(self.body, self.components)
        if not self.rate:
            return turning
        swept = vec.scale(2, states.turned_rate(self.body, self.rate))
        return vec.add_total(states.graph, turning, swept, states.turned(self.body, self.bend))


@dataclass(frozen=True, slots=True)
class Point:
    """A point fixed in a body, at ``arm`` [m] from the mass centre in the body's axes; of the base, from its origin."""

    body: int
    arm: Expressions

    @property
    def _lever(self) -> Direction:
        return Direction(self.body, self.arm)

    def value(self, states: States) -> Expressions:
        """r + A s, equation (1)."""
        turned = self._lever.value(states)
        return turned if self.body < 0 else vec.add_total(states.graph, states.center(self.body), turned)

    def pulled_back(self, states: States, force: Expressions) -> Expressions:
        """The derivative with respect to the body's seven coordinates of force . (r + A s)."""
        return [*force, *self._lever.pulled_back(states, force)[3:]]

    def velocity(self, states: States) -> Expressions:
        """Its velocity."""
        turning = self._lever.velocity(states)
        return (
            turning if self.body < 0 else vec.add_total(states.graph, states.center_rate(self.body), turning)
        )

    def curvature(self, states: States) -> Expressions:
        """Its acceleration for constant dx/dt."""
        return self._lever.curvature(states)


def apart(states: States, first: Point, second: Point) -> Expressions:
    """The vector from the first point to the second."""
    return vec.subtract(second.value(states), first.value(states))
