"""A pendulum whose mass, length and gravity stay live in the generated C."""

from __future__ import annotations

from fractions import Fraction

from kanegen.codegen.emit import LiveParameter, Model
from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.schedule import schedule

from .programs import model, program

VALUES = {"m": Fraction(2), "l": Fraction(3, 4), "double": Fraction(981, 100), "tilt": Fraction(1, 10)}
"""Mass, length, the strength of gravity under a name that C has taken, and the angle of the base."""


def pendulum() -> Program:
    """tau = m l^2 a + m g l sin(q + tilt), with sin and cos of the tilt as parameter-only work."""
    g = Graph()
    (q,), (a,) = inputs(g, "q", 1), inputs(g, "a", 1)
    m, l, gravity, tilt = (Expression(g, g.parameter(name)) for name in VALUES)
    leaning = q.sine() * tilt.cosine() + q.cosine() * tilt.sine()
    return program(
        "inverse_dynamics", g, {"q": 1, "a": 1}, {"tau": (m * l * l * a + m * gravity * l * leaning,)}
    )


def period_squared() -> Program:
    """A kernel whose output does not depend on the state: l / g x 4 (number near pi^2)."""
    g = Graph()
    l, gravity = Expression(g, g.parameter("l")), Expression(g, g.parameter("double"))
    return program("period_squared", g, {"q": 1}, {"y": (Fraction("39.4784176") * l / gravity,)})


def live_model() -> Model:
    """The model of both kernels, in both precisions."""
    hoisted = hoist((pendulum(), period_squared()))
    assert hoisted.prepare is not None
    return model(
        *hoisted.kernels,
        nq=1,
        nv=1,
        coordinate_names=("q",),
        joint_names=("hinge",),
        prepare=schedule(hoisted.prepare),
        parameters=tuple(
            LiveParameter(n, v, {"m": "kg"}.get(n, ""), "mass" if n == "m" else "") for n, v in VALUES.items()
        ),
        single_precision=True,
    )
