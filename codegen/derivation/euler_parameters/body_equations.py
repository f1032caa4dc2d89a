"""Equations of motion of a single body: mass matrix (20), velocity-dependent forces of (19), applied forces (23) to (26)."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.euler_parameters.arrays import (
    Matrix,
    Vector,
    cross,
    product,
    scaled,
    times,
    times_transposed,
    zeros,
)
from kanegen.codegen.derivation.euler_parameters.rotation import b_matrix
from kanegen.codegen.derivation.euler_parameters.states import States
from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.records import Inertia
from kanegen.codegen.mechanism.values import Lift


def rotational_mass(states: States, body: int, inertia: Inertia, lift: Lift) -> Matrix:
    """4 B^T I B of (20), 4 x 4; its null vector is p."""
    b = b_matrix(states.parameters(body))
    inertial = product(states.graph, lift.matrix(inertia.tensor), b)
    columns = list(zip(*b, strict=True))
    found = [[columns[0][0]] * 4 for _ in range(4)]
    for r in range(4):
        row = scaled(4, times_transposed(states.graph, inertial, columns[r]))
        for c in range(r, 4):
            found[r][c] = found[c][r] = row[c]
    return found


def quadratic_term(states: States, body: int, inertia: Inertia, lift: Lift) -> list[Expression]:
    """-8 (dB/dt)^T I B dp/dt: what stands on the right of (19), corrected in derivative and sign."""
    graph, rate = states.graph, states.parameter_rates(body)
    w = times(graph, b_matrix(states.parameters(body)), rate)
    inertial = times(graph, lift.matrix(inertia.tensor), w)
    return scaled(-8, times_transposed(graph, b_matrix(rate), inertial))


def applied(states: States, body: int, force: Vector, arm: Sequence[Expression]) -> list[Expression]:
    """Generalized forces (26) of a force in the base's axes at a point ``arm`` of the body's axes (23)."""
    torque = cross(arm, states.turned_back(body, force))
    return [*force, *generalized_torque(states, body, torque)]


def generalized_torque(states: States, body: int, torque: Vector) -> list[Expression]:
    """h = 2 B^T h' (25), for a torque in the body's axes."""
    graph = states.graph
    if all(x.is_zero for x in torque):
        return zeros(graph, 4)
    return scaled(2, times_transposed(graph, b_matrix(states.parameters(body)), torque))


def torque_of(states: States, body: int, generalized: Vector) -> list[Expression]:
    """h' = B h / 2 (30), in the body's axes."""
    half = times(states.graph, b_matrix(states.parameters(body)), generalized)
    return [x / 2 for x in half]
