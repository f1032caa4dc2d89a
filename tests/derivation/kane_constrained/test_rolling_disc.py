"""The thin rolling disc, with N written by hand, against Lagrange's multipliers and against the classical equations.

q = (yaw, lean, spin, x, y); x and y are those of the point of contact, n is up.  With the axes e_x (heading), e_y (axle)
and e_z (from the contact to the centre) of the leaning body, the disc's angular velocity is

    w = lean' e_x + (spin' + yaw' sin lean) e_y + yaw' cos lean e_z,

and the disc rolls when x' = r spin' cos yaw and y' = r spin' sin yaw.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import sympy

from kanegen.codegen.derivation.kane import nonholonomic_forces
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.graph import Expression, Graph, constant, evaluate, inputs
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from tests.derivation.comparison import ROUNDING, Array, worst

from .support import program_of

DISC = mechanism("rolling_disc")
MASS, RADIUS, G = (float(parameter.value) for parameter in DISC.parameters)
ACROSS, ABOUT_AXLE = MASS * RADIUS**2 / 4, MASS * RADIUS**2 / 2


def rolling_states(count: int) -> tuple[Array, Array, Array]:
    """q, q' and q'' of rolling motions, (count, 5), leaning by 1.2 rad at most."""
    random = np.random.default_rng(1828)
    q, v, a = random.uniform(-1.2, 1.2, (3, count, 5))
    v[:, :3] *= 4
    a[:, :3] *= 10
    c, s, rate, turning = np.cos(q[:, 0]), np.sin(q[:, 0]), v[:, 2], v[:, 0]
    v[:, 3], v[:, 4] = RADIUS * rate * c, RADIUS * rate * s
    a[:, 3] = RADIUS * (a[:, 2] * c - rate * turning * s)
    a[:, 4] = RADIUS * (a[:, 2] * s + rate * turning * c)
    return q, v, a


def by_kane(of_rates: bool, states: tuple[Array, Array, Array]) -> Array:
    """Forces on u = (yaw', lean', spin'), or on the components of w along e_x, e_y, e_z."""
    tree = spanning_tree(with_numbers(DISC))
    graph = Graph()
    q, v, a = (inputs(graph, name, 5) for name in "qva")
    zero, one = constant(graph, 0), constant(graph, 1)
    c, s = q[0].cosine() * RADIUS, q[0].sine() * RADIUS
    if of_rates:
        spin = [zero, zero, one]
        yaw, lean = [one, zero, zero], [zero, one, zero]
    else:
        # spin' = w_y - w_z tan(lean), yaw' = w_z / cos(lean)
        secant = 1 / q[1].cosine()
        spin = [zero, one, -(q[1].sine() * secant)]
        yaw, lean = [zero, zero, secant], [one, zero, zero]
    N: list[list[Expression]] = [yaw, lean, spin, [c * x for x in spin], [s * x for x in spin]]
    program = program_of(graph, dict.fromkeys("qva", 5), nonholonomic_forces(tree, graph, q, v, a, N))
    found: Array = evaluate(program, dict(zip("qva", states, strict=True)))["tau"]
    return found


@cache
def multipliers() -> Any:
    """q, q', q'' -> forces on yaw, lean and spin: Lagrange's equations with two multipliers, these eliminated."""
    t = sympy.Symbol("t")
    q = [sympy.Function(name)(t) for name in ("yaw", "lean", "spin", "x", "y")]
    yaw, lean, spin, x, y = q
    up = sympy.rot_ccw_axis3(yaw) * sympy.rot_ccw_axis1(lean)[:, 2]
    velocity = (sympy.Matrix([x, y, 0]) + RADIUS * up).diff(t)
    w = lean.diff(t), spin.diff(t) + yaw.diff(t) * sympy.sin(lean), yaw.diff(t) * sympy.cos(lean)
    kinetic = MASS * velocity.dot(velocity) + ACROSS * (w[0] ** 2 + w[2] ** 2) + ABOUT_AXLE * w[1] ** 2
    lagrangian = kinetic / 2 - MASS * G * RADIUS * sympy.cos(lean)
    left = [lagrangian.diff(c.diff(t)).diff(t) - lagrangian.diff(c) for c in q]
    rows = [
        x.diff(t) - RADIUS * sympy.cos(yaw) * spin.diff(t),
        y.diff(t) - RADIUS * sympy.sin(yaw) * spin.diff(t),
    ]
    of_rates = sympy.Matrix([[row.diff(c.diff(t)) for c in q] for row in rows])
    forces = sympy.symbols("tau0:3")
    unknown = (*forces, *sympy.symbols("lambda0:2"))
    pulls = of_rates.T * sympy.Matrix(unknown[3:])
    equations = [
        a - b - (forces[i] if i < 3 else 0) for i, (a, b) in enumerate(zip(left, pulls, strict=True))
    ]
    solution = sympy.solve(equations, unknown)
    plain = sympy.symbols("z0:15")
    derivatives = [*q, *(c.diff(t) for c in q), *(c.diff(t, 2) for c in q)]
    named = dict(zip(reversed(derivatives), reversed(plain), strict=True))
    return sympy.lambdify(plain, [solution[force].subs(named) for force in forces])


def classical(states: tuple[Array, Array, Array]) -> Array:
    """Moments on the disc along e_x, e_y, e_z that the motion takes, besides the contact force and gravity.

    Euler's equations about the centre in axes that turn with W = w - spin' e_y, with A across and C about the axle; the
    contact force m (a - g) is eliminated with a from v = w x r e_z:

        M_x = (A + m r^2) w_x' + (A W_y - (C + m r^2) w_y) w_z - m g r sin(lean)
        M_y = (C + m r^2) w_y' + m r^2 w_x w_z
        M_z = A w_z' + (C w_y - A W_y) w_x
    """
    q, v, a = (array.T for array in states)
    s, c = np.sin(q[1]), np.cos(q[1])
    w_x, W_y, w_z = v[1], v[0] * s, v[0] * c
    w_y = v[2] + W_y
    change_x, change_y, change_z = a[1], a[2] + a[0] * s + v[0] * v[1] * c, a[0] * c - v[0] * v[1] * s
    rolling = MASS * RADIUS**2
    return np.array(
        [
            (ACROSS + rolling) * change_x
            + (ACROSS * W_y - (ABOUT_AXLE + rolling) * w_y) * w_z
            - MASS * G * RADIUS * s,
            (ABOUT_AXLE + rolling) * change_y + rolling * w_x * w_z,
            ACROSS * change_z + (ABOUT_AXLE * w_y - ACROSS * W_y) * w_x,
        ]
    ).T


def test_the_disc_in_three_ways() -> None:
    states = rolling_states(40)
    expected = np.array([multipliers()(*np.hstack(state)) for state in zip(*states, strict=True)])
    assert worst(by_kane(True, states), expected) < 10 * ROUNDING  # the witness cancels m x'' with m x''
    moments = classical(states)
    s, c = np.sin(states[0][:, 1]), np.cos(states[0][:, 1])
    # n = sin(lean) e_y + cos(lean) e_z
    on_rates = np.array([s * moments[:, 1] + c * moments[:, 2], moments[:, 0], moments[:, 1]]).T
    assert worst(on_rates, expected) < 10 * ROUNDING
    assert worst(by_kane(False, states), moments) < 10 * ROUNDING


def test_a_steady_turn_takes_no_force() -> None:
    """Upright and straight on, and round a circle at the lean that the classical equations demand."""
    q, v, a = np.zeros((3, 1, 5))
    v[:, 2], v[:, 3] = 6.0, 6.0 * RADIUS
    assert np.abs(by_kane(True, (q, v, a))).max() == 0.0
    lean, yaw = 0.3, 2.0
    s, c = np.sin(lean), np.cos(lean)
    # M_x = 0 for w_x = 0, solved for w_y
    w_y = (ACROSS * yaw**2 * s * c - MASS * G * RADIUS * s) / ((ABOUT_AXLE + MASS * RADIUS**2) * yaw * c)
    spin = w_y - yaw * s
    q[0, 1], v[0, 0], v[0, 2], v[0, 3] = lean, yaw, spin, RADIUS * spin
    a[0, 4] = RADIUS * spin * yaw
    assert np.abs(by_kane(True, (q, v, a))).max() < ROUNDING * MASS * G * RADIUS
