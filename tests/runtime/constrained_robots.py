"""Small constrained mechanisms, described by their equations."""

from __future__ import annotations

import functools
from fractions import Fraction

from described import Described, Vector, folder_of, robot

from kanegen.codegen.graph import Expression, Graph

__all__ = ["folder_of", "pendulum", "robot", "sled", "slider_crank"]

GRAVITY = Fraction(981, 100)

ROD = Fraction(1, 2)


def _unused(q: Vector, qdot: Vector) -> Vector:
    return [0 * x for x in q]


@functools.cache
def pendulum() -> Described:
    """A bob of 2 kg on a rod of 0.5 m in Cartesian coordinates (y upwards), its rod described twice; v = dx/dt.

    Dead centres where the rod lies along x.
    """
    two = Fraction(2)
    return Described(
        name="cartesian_pendulum",
        coordinates=("x", "y"),
        speeds=("x",),
        speed_rows=((1, 0),),
        mass=(two, two),
        bias=lambda q, qdot: [0 * q[0], 2 * GRAVITY + 0 * q[0]],
        potential=lambda q: 2 * GRAVITY * q[1],
        residual=lambda q: [(s * (q[0] * q[0] + q[1] * q[1] - ROD * ROD)) for s in (1, 2)],
        rows=lambda q: [[2 * s * q[0], 2 * s * q[1]] for s in (1, 2)],
        drift=lambda q, qdot: [-2 * s * (qdot[0] * qdot[0] + qdot[1] * qdot[1]) for s in (1, 2)],
        position=("rod", "rod again"),
        velocity=("rod", "rod again"),
        redundant=("rod again",),
        home=(0.0, -0.5),
        law=lambda t, q, v: [-3 * v[0] + 2 * (5 * t).sine()],
    )


CRANK, COUPLER = Fraction(3, 10), Fraction(1)
CRANK_INERTIA, ROD_INERTIA, SLIDER = Fraction(1, 20), Fraction(3, 100), Fraction(2)
CRANK_MOMENT = Fraction(1, 5)
"""Mass of the crank times the distance of its centre from the axis [kg m]."""


@functools.cache
def slider_crank(speed: str = "crank", *, live: bool = False, rod: Fraction = COUPLER) -> Described:
    """A crank of 0.3 m, a rod of 1 m or as given, a slider of 2 kg along x; v the rate of one of the three coordinates.

    Angles from the x axis.  Masses are such that the mass matrix is diag(crank, rod, slider).  ``live``: gravity is a
    live parameter.
    """
    coordinates = ("crank", "rod", "slider")

    def gravity(graph: Graph) -> Expression:
        return Expression(graph, graph.parameter("g") if live else graph.constant(GRAVITY))

    return Described(
        name=f"slider_crank_{speed}{'_live' if live else ''}{'' if rod == COUPLER else '_other_rod'}",
        coordinates=coordinates,
        speeds=(speed,),
        speed_rows=(tuple(int(name == speed) for name in coordinates),),
        mass=(CRANK_INERTIA, ROD_INERTIA, SLIDER),
        bias=lambda q, qdot: [CRANK_MOMENT * (gravity(q[0].graph) * q[0].cosine()), 0 * q[0], 0 * q[0]],
        potential=lambda q: CRANK_MOMENT * (gravity(q[0].graph) * q[0].sine()),
        residual=lambda q: [
            CRANK * q[0].cosine() + rod * q[1].cosine() - q[2],
            CRANK * q[0].sine() + rod * q[1].sine(),
        ],
        rows=lambda q: [
            [-CRANK * q[0].sine(), -rod * q[1].sine(), -1],
            [CRANK * q[0].cosine(), rod * q[1].cosine(), 0],
        ],
        drift=lambda q, qdot: [
            CRANK * q[0].cosine() * qdot[0] * qdot[0] + rod * q[1].cosine() * qdot[1] * qdot[1],
            CRANK * q[0].sine() * qdot[0] * qdot[0] + rod * q[1].sine() * qdot[1] * qdot[1],
        ],
        position=("pin x", "pin y"),
        velocity=("pin x", "pin y"),
        home=(0.0, 0.0, float(CRANK + rod)),
        parameters={"g": GRAVITY} if live else {},
    )


@functools.cache
def sled() -> Described:
    """A sled of 2 kg and 0.1 kg m^2 on one blade under its mass centre; v = (dx/dt, rate of the heading).

    A dead centre where it heads along y.
    """
    return Described(
        name="sled",
        coordinates=("x", "y", "heading"),
        speeds=("x", "turning"),
        speed_rows=((1, 0, 0), (0, 0, 1)),
        mass=(Fraction(2), Fraction(2), Fraction(1, 10)),
        bias=_unused,
        potential=lambda q: 0 * q[0],
        residual=lambda q: [],
        rows=lambda q: [[-q[2].sine(), q[2].cosine(), 0]],
        drift=lambda q, qdot: [qdot[2] * (qdot[0] * q[2].cosine() + qdot[1] * q[2].sine())],
        position=(),
        velocity=("blade",),
    )
