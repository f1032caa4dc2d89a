"""A constrained mechanism with ball joints on coordinates of its joints: what the equations of constraints are written in.

The chain of a ball joint hangs on a placement whose entries are parameters (motion_maps/joint_tree.py), and has coordinates
of its own: three angles and, where it is floating, three displacements.  Wherever the placement is, they describe what is
near it without singularities, and what is differentiated there is exact.  Kernels are derived on them once, taken where
they are zero, and the placement's parameters become the entries of a quaternion (ball_kernels.py).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.motion_maps.joint_tree import graph_of, on_placement
from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import Constraint, PositionConstraint, VelocityConstraint
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import ZERO3, BallJoint, Matrix3, Mechanism, Value, Vector3
from kanegen.codegen.mechanism.speeds import on_equation
from kanegen.codegen.mechanism.values import numeric, settle
from kanegen.errors import ModelError

FloatArray = NDArray[np.float64]


def on_chart(mechanism: Mechanism) -> bool:
    """Whether the equations of a mechanism are written in other coordinates than its own."""
    return mechanism.constrained and bool(mechanism.balls)


def resisted_balls(mechanism: Mechanism) -> bool:
    """Whether anything resists the joints of balls themselves: off the middle of a chart that is more than these know."""
    joints = [mechanism.joint(name) for ball in mechanism.balls for name in ball.joints]
    return any(j.rotor_inertia != 0 or j.damping != 0 or j.friction != 0 for j in joints)


@lru_cache(maxsize=16)
def charted(mechanism: Mechanism) -> Mechanism:
    """The mechanism on the coordinates of all its joints; itself where it has no ball joints, or is charted.

    Placements have the numbers of ``home``.  Its parameters are those of the original and of the placements.
    """
    if not on_chart(mechanism) or mechanism.coordinates == mechanism.rates:
        return mechanism
    home = _home(mechanism)
    place = dict(zip(mechanism.coordinates, home, strict=True))
    chart = replace(
        mechanism,
        coordinates=mechanism.rates,
        home=tuple(place.get(name, Fraction(0)) for name in mechanism.rates),
        constraints=tuple(_constraint(item, mechanism) for item in mechanism.constraints),
        speeds=tuple(
            on_equation(speed, lambda item: _constraint(item, mechanism))
            for speed in mechanism.generalized_speeds
        ),
        laws=(),
    )
    graph = graph_of(mechanism)
    for ball in mechanism.balls:
        at = [numeric(place[name], mechanism) for name in ball.coordinates]
        x, y, z = at[:3] if ball.free else ZERO3
        chart = on_placement(chart, ball, graph, _rotation(ball, at[-4:]), (x, y, z))
    return chart


def folded_chart(mechanism: Mechanism, live: bool) -> Mechanism:
    """The chart with the mechanism's own parameters as numbers unless ``live``; placements stay parameters."""
    return charted(mechanism if live else with_numbers(mechanism))


def configurations(mechanism: Mechanism, states: FloatArray) -> FloatArray:
    """Coordinates q (k, nq) of a mechanism for coordinates (k, n) of its chart; what follows these, the time, stays."""
    if not on_chart(mechanism):
        return states
    n = len(mechanism.rates)
    states, times = states[:, :n], states[:, n:]
    home = np.array([float(numeric(x, mechanism)) for x in _home(mechanism)])
    found = np.broadcast_to(home, (len(states), len(home))).copy()
    for k, name in enumerate(mechanism.rates):
        if name in mechanism.coordinates:
            found[:, mechanism.coordinates.index(name)] = states[:, k]
    for ball, at in zip(mechanism.balls, mechanism.quaternions, strict=True):
        k = mechanism.rates.index(ball.joints[0])
        there = home[at : at + 4] / np.linalg.norm(home[at : at + 4])
        if ball.free:
            found[:, at - 3 : at] += states[:, k : k + 3] @ _matrix(there).T
            k += 3
        for axis in range(3):
            half = states[:, k + axis] / 2
            turn = np.zeros((len(states), 4))
            turn[:, axis], turn[:, 3] = np.sin(half), np.cos(half)
            there = _product(np.broadcast_to(there, turn.shape), turn)
        found[:, at : at + 4] = there
    return np.hstack([found, times])


def _home(mechanism: Mechanism) -> tuple[Value, ...]:
    """The configuration given, or zero with balls that do not turn."""
    upright = {ball.coordinates[-1] for ball in mechanism.balls}
    return mechanism.home or tuple(Fraction(int(name in upright)) for name in mechanism.coordinates)


def _rotation(ball: BallJoint, quaternion: list[Fraction]) -> Matrix3:
    x, y, z, w = quaternion
    square = x * x + y * y + z * z + w * w
    if square == 0:
        raise ModelError(
            f"home, ball joint {ball.name!r}",
            "is the quaternion 0 0 0 0",
            "a unit quaternion",
            "Use 0 0 0 1.",
        )
    two = 2 / square

    def row(a: Fraction, b: Fraction, c: Fraction) -> Vector3:
        return settle(a), settle(b), settle(c)

    return (
        row(1 - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)),
        row(two * (x * y + w * z), 1 - two * (x * x + z * z), two * (y * z - w * x)),
        row(two * (x * z - w * y), two * (y * z + w * x), 1 - two * (x * x + y * y)),
    )


def _constraint(item: Constraint, mechanism: Mechanism) -> Constraint:
    """An equation in the coordinates of the chart.  Raises ModelError where it names a quaternion's entries."""
    if not isinstance(item, PositionConstraint | VelocityConstraint):
        return item
    known = dict(zip(mechanism.coordinates, item.q, strict=True))
    rates = (
        dict(zip(mechanism.coordinates, item.qdot, strict=True))
        if isinstance(item, VelocityConstraint)
        else {}
    )
    inner = [name for ball in mechanism.balls for name in ball.coordinates]
    used = item.expression.free_symbols & (
        {known[name] for name in inner} | {rates.get(name) for name in inner}
    )
    if used:
        raise ModelError(
            f"equation {item.name!r}",
            f"depends on {', '.join(sorted(map(str, used)))}, coordinates of a ball joint",
            "coordinates of hinges and slides, or a loop, contact or edge between frames",
            "Tie the bodies together by frames fixed in them.",
        )
    q = tuple(known.get(name) or sympy.Dummy(name) for name in mechanism.rates)
    if isinstance(item, PositionConstraint):
        return replace(item, q=q)
    return replace(item, q=q, qdot=tuple(rates.get(name) or sympy.Dummy(name) for name in mechanism.rates))


def _matrix(quaternion: FloatArray) -> FloatArray:
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _product(p: FloatArray, q: FloatArray) -> FloatArray:
    """Quaternions (k, 4) of turns p, then q about the turned axes."""
    u, s, v, t = p[:, :3], p[:, 3:], q[:, :3], q[:, 3:]
    vector = s * v + t * u + np.cross(u, v)
    return np.hstack([vector, s * t - (u * v).sum(axis=1, keepdims=True)])
