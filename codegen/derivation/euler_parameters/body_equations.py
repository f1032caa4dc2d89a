"""Equations of motion of a single body: mass matrix (20), velocity-dependent forces of (19), applied forces (23) to (26)."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.euler_parameters.rotation import b_matrix
from kanegen.codegen.derivation.euler_parameters.states import States
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.linear import ExpressionRows, Expressions
from kanegen.codegen.mechanism.records import Inertia
from kanegen.codegen.mechanism.values import Lift


def rotational_mass(states: States, body: int, inertia: Inertia, lift: Lift) -> ExpressionRows:
    """4 B^T I B of (20), 4 x 4; its null vector is p."""
    b = b_matrix(states.parameters(body))
    inertial = vec.multiply_total(states.graph, lift.matrix(inertia.tensor), b)
    columns = list(zip(*b, strict=True))
    found = [[columns[0][0]] * 4 for _ in range(4)]
    for r in range(4):
        row = vec.scale(4, vec.apply_total(states.graph, vec.transpose(inertial), columns[r]))
        for c in range(r, 4):
            found[r][c] = found[c][r] = row[c]
    return found


def quadratic_term(states: States, body: int, inertia: Inertia, lift: Lift) -> Expressions:
    """-8 (dB/dt)^T I B dp/dt: what stands on the right of (19), corrected in derivative and sign."""
    graph, rate = states.graph, states.parameter_rates(body)
    w = vec.apply_total(graph, b_matrix(states.parameters(body)), rate)
    inertial = vec.apply_total(graph, lift.matrix(inertia.tensor), w)
    return vec.scale(-8, vec.apply_total(graph, vec.transpose(b_matrix(rate)), inertial))


def applied(states: States, body: int, force: Expressions, arm: Sequence[Expression]) -> Expressions:
    """Generalized forces (26) of a force in the base's axes at a point ``arm`` of the body's axes (23)."""
    torque = vec.cross(arm, states.turned_back(body, force))
    return [*force, *generalized_torque(states, body, torque)]


def generalized_torque(states: States, body: int, torque: Expressions) -> Expressions:
    """h = 2 B^T h' (25), for a torque in the body's axes."""
    graph = states.graph
    if all(x.is_zero for x in torque):
        return vec.zeros(graph, 4)
    return vec.scale(2, vec.apply_total(graph, vec.transpose(b_matrix(states.parameters(body))), torque))


def torque_of(states: States, body: int, generalized: Expressions) -> Expressions:
    """h' = B h / 2 (30), in the body's axes."""
    half = vec.apply_total(states.graph, b_matrix(states.parameters(body)), generalized)
    return [x / 2 for x in half]
