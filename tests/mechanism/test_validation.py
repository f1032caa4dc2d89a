"""Records made by hand: the same findings as through the builder."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.mechanism import (
    BASE,
    IDENTITY3,
    ZERO3,
    Body,
    Frame,
    Inertia,
    Joint,
    JointKind,
    Mechanism,
    ModelError,
    validated,
)

ONE, NIL = Fraction(1), Fraction(0)
UNIT = Inertia(ONE, ZERO3, IDENTITY3)
FIRST = Joint("q1", JointKind.REVOLUTE, BASE, "a", IDENTITY3, ZERO3, (ONE, NIL, NIL))
SECOND = Joint("q2", JointKind.PRISMATIC, "a", "b", IDENTITY3, ZERO3, (NIL, ONE, NIL))
GOOD = Mechanism(
    name="hand made",
    bodies=(Body("b", UNIT), Body("a", UNIT)),
    joints=(SECOND, FIRST),
    coordinates=("q2", "q1"),
    gravity=(NIL, NIL, Fraction(-981, 100)),
    frames=(Frame("a", "a"), Frame("b", "b")),
)


def test_order_is_mended_and_the_rest_kept() -> None:
    mechanism = validated(GOOD)
    assert mechanism.joints == (FIRST, SECOND)
    assert [body.name for body in mechanism.bodies] == ["a", "b"]
    assert replace(mechanism, joints=GOOD.joints, bodies=GOOD.bodies) == GOOD
    assert validated(mechanism) == mechanism


def skewed(entry: Fraction) -> Inertia:
    """A unit inertia with one product of inertia given on one side only."""
    return Inertia(ONE, ZERO3, ((ONE, entry, NIL), (NIL, ONE, NIL), (NIL, NIL, ONE)))


BAD = [
    (
        "axis",
        replace(GOOD, joints=(SECOND, replace(FIRST, axis=(ONE, ONE, NIL)))),
        r"joint 'q1', axis: \(1 1 0\) is not",
    ),
    (
        "rotation",
        replace(
            GOOD,
            joints=(SECOND, replace(FIRST, rotation=((ONE, NIL, NIL), (NIL, ONE, ONE), (NIL, NIL, ONE)))),
        ),
        r"joint 'q1', rotation: R R\^T differs",
    ),
    (
        "reflection",
        replace(
            GOOD,
            joints=(SECOND, replace(FIRST, rotation=((ONE, NIL, NIL), (NIL, ONE, NIL), (NIL, NIL, -ONE)))),
        ),
        r"joint 'q1', rotation: is a reflection",
    ),
    (
        "asymmetric",
        replace(GOOD, bodies=(Body("b", UNIT), Body("a", skewed(Fraction(1, 10))))),
        r"body 'a', inertia: is not symmetric: Ixy is 0\.1, Iyx is 0\.0",
    ),
    ("gravity", replace(GOOD, gravity=(NIL, NIL)), r"gravity: has 2 entries"),
    ("not finite", replace(GOOD, gravity=(0.0, 0.0, float("nan"))), r"gravity: not a finite number, nan"),
    ("frame missing", replace(GOOD, frames=(Frame("a", "a"),)), r"body 'b': has no frame of its own name"),
    ("frame elsewhere", replace(GOOD, frames=(Frame("a", "a"), Frame("b", "a"))), r"body 'b': has no frame"),
    ("duplicate", replace(GOOD, bodies=(Body("a", UNIT), Body("a", UNIT))), "body 'a': the name is given"),
    ("unknown body", replace(GOOD, bodies=(Body("a", UNIT),)), r"joint 'q2': its child 'b' is not a body"),
    ("nameless", replace(GOOD, name=""), r"mechanism '': has no name"),
]


@pytest.mark.parametrize(("mechanism", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_findings(mechanism: Mechanism, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        validated(mechanism)


def test_values_may_not_depend_on_inputs() -> None:
    graph = Graph()
    mechanism = replace(GOOD, gravity=(NIL, NIL, Expression(graph, graph.input("t"))))
    with pytest.raises(ModelError, match="gravity: depends on 't'"):
        validated(mechanism)


def test_frames_may_be_fixed_in_the_base() -> None:
    validated(replace(GOOD, frames=(*GOOD.frames, Frame("camera", BASE))))
