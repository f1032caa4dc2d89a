"""Every way in which loops, constraints, speeds, prescribed joints and springs can be wrong, and what is said about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    DistanceRate,
    JointRate,
    Loop,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    ModelError,
    PointVelocityComponent,
    PositionConstraint,
    PrescribedRate,
    RollingContact,
    TorsionalSpringDamper,
    validated,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.poses import frame_poses

from .constrained_models import RATES, Q, X, Y, Z, chain, everything

Step = Callable[[MechanismBuilder], object]
a, b, c, d, e = Q
ra, rb, *_ = RATES
S = LoopKind.SPHERICAL

BAD: list[tuple[str, Step, str]] = [
    # loops
    ("unknown frame", lambda m: m.loop("hook", S, "tip", "pots"), "loop 'hook': its second frame 'pots'"),
    ("one body", lambda m: m.loop("hook", S, "tip", "body_e"), "loop 'hook': its first frame 'tip' and"),
    ("welded together", lambda m: m.loop("hook", S, "plate", "body_c"), "loop 'hook': .* are both fixed"),
    ("kind", lambda m: m.loop("hook", "ball", "tip", "post"), "loop 'hook': is of the kind 'ball'"),
    # contacts and edges
    ("wheel", lambda m: m.rolling("roll", "rim", 1), "rolling contact 'roll': its wheel 'rim' is not a"),
    ("ground", lambda m: m.rolling("roll", "tip", 1, ground="road"), "rolling contact 'roll': its ground"),
    (
        "ground turns with the wheel",
        lambda m: m.rolling("roll", "tip", 1, ground="body_e"),
        r"rolling contact 'roll': its wheel 'tip' and its ground 'body_e' are both fixed",
    ),
    (
        "contact",
        lambda m: m.rolling("roll", "tip", 1, contact="rim"),
        r"rolling contact 'roll': its contact 'rim' is not a frame",
    ),
    (
        "contact turns with the wheel",
        lambda m: m.rolling("roll", "tip", 1, contact="body_e"),
        r"rolling contact 'roll': its wheel 'tip' and its contact 'body_e' are both fixed",
    ),
    (
        "radius",
        lambda m: m.rolling("roll", "tip", 0, ground="table"),
        r"rolling contact 'roll': its radius is 0\.0 m; expected a radius above 0",
    ),
    ("edge", lambda m: m.knife_edge("cut", "blade"), r"knife edge 'cut': its edge 'blade' is not a frame"),
    ("edge on its ground", lambda m: m.knife_edge("cut", "post", "table"), "knife edge 'cut': .* are"),
    # written equations
    (
        "too few coordinates",
        lambda m: m.position_constraint("tie", a - b, (a, b)),
        r"equation of position 'tie': has 2 coordinates q; expected 5, one for each of a, b, c, d, e",
    ),
    (
        "too few rates",
        lambda m: m.velocity_constraint("tie", ra - rb, Q, (ra, rb)),
        r"equation of velocity 'tie': has 2 rates qdot; expected 5",
    ),
    (
        "no symbol",
        lambda m: m.position_constraint("tie", a - b, (a, b, c, d, sympy.sin(e))),
        r"equation of position 'tie': sin\(e\) stands for a coordinate or a rate; expected a SymPy Symbol",
    ),
    (
        "symbol twice",
        lambda m: m.velocity_constraint("tie", ra - rb, Q, (a, *RATES[1:])),
        r"equation of velocity 'tie': the symbol 'a' stands for two things",
    ),
    (
        "symbol of a parameter",
        lambda m: m.position_constraint("tie", a - b, (a, b, c, d, sympy.Symbol("r"))),
        r"equation of position 'tie': the symbol 'r' of a coordinate or a rate is also the name of a parameter",
    ),
    (
        "no expression",
        lambda m: m.position_constraint("tie", sympy.Eq(a, b), Q),
        r"equation of position 'tie': .* is no SymPy expression",
    ),
    (
        "unknown symbol",
        lambda m: m.position_constraint("tie", a - sympy.Symbol("s"), Q),
        r"depends on the symbol 's'; expected its own symbols a, b, c, d, e, or parameters of the mechanism: r, w\. Give",
    ),
    (
        "other assumptions",
        lambda m: m.position_constraint("tie", sympy.Symbol("a", real=True) - b, Q),
        r"depends on the symbol 'a', with other assumptions than among its own",
    ),
    (
        "rates in an equation of position",
        lambda m: m.position_constraint("tie", ra - rb, Q),
        r"equation of position 'tie': depends on the symbol 'ra'",
    ),
    (
        "nothing moves in it",
        lambda m: m.position_constraint("tie", sympy.Symbol("r") - 1, Q),
        r"equation of position 'tie': r - 1 = 0 restricts nothing",
    ),
    (
        "not compiled",
        lambda m: m.position_constraint("tie", sympy.sinh(a) - b, Q),
        r"equation of position 'tie': sinh in sinh\(a\) is not supported",
    ),
    (
        "squared rates",
        lambda m: m.velocity_constraint("tie", ra**2 - rb**2, Q, RATES),
        r"equation of velocity 'tie': ra\*\*2 - rb\*\*2 is not linear in the rates",
    ),
    (
        "sine of a rate",
        lambda m: m.velocity_constraint("tie", sympy.sin(ra) - rb, Q, RATES),
        r"equation of velocity 'tie': .* is not linear in the rates",
    ),
    (
        "quotient of rates",
        lambda m: m.velocity_constraint("tie", ra / rb - a, Q, RATES),
        r"equation of velocity 'tie': .* is not linear in the rates",
    ),
    (
        "an imposed rate",
        lambda m: m.velocity_constraint("tie", ra - sympy.cos(b), Q, RATES),
        r"equation of velocity 'tie': has the term -cos\(b\), in which there is no rate; .* prescribed joint",
    ),
    (
        "coordinates alone",
        lambda m: m.velocity_constraint("tie", a * b, Q, RATES),
        r"equation of velocity 'tie': has the term a\*b",
    ),
    # speeds
    ("speed of no coordinate", lambda m: m.speeds([JointRate("turn")]), "speed, rate of 'turn': is not"),
    (
        "speed of no body",
        lambda m: m.speeds([AngularVelocityComponent("top", X)]),
        r"speed, angular velocity of 'top': 'top' is not a body",
    ),
    (
        "speed of no frame",
        lambda m: m.speeds([PointVelocityComponent("top", X)]),
        r"speed, velocity of 'top': its frame 'top' is not a frame",
    ),
    (
        "speed relative to itself",
        lambda m: m.speeds([PointVelocityComponent("tip", X, "body_e")]),
        r"speed, velocity of 'tip': its frame 'tip' and its frame of reference 'body_e' are both fixed",
    ),
    (
        "distance from no frame",
        lambda m: m.speeds([DistanceRate("tip", "pots")]),
        r"speed, rate of the distance from 'tip' to 'pots': its second frame 'pots' is not a frame",
    ),
    (
        "distance within a body",
        lambda m: m.speeds([DistanceRate("plate", "body_c")]),
        r"speed, rate of the distance from 'plate' to 'body_c': its first frame .* are both fixed in 'body_c'",
    ),
    (
        "distance twice",
        lambda m: m.speeds([DistanceRate("tip", "post"), JointRate("a"), DistanceRate("post", "tip")]),
        r"speed, rate of the distance from 'post' to 'tip': is given twice",
    ),
    (
        "no unit vector",
        lambda m: m.speeds([AngularVelocityComponent("body_c", (1, 1, 0))]),
        r"speed, angular velocity of 'body_c', direction: \(1 1 0\) is not a unit vector",
    ),
    (
        "no direction",
        lambda m: m.speeds([AngularVelocityComponent("body_c", (1, 0))]),
        r"speed, angular velocity of 'body_c', direction: has 2 entries",
    ),
    (
        "speed twice",
        lambda m: m.speeds([JointRate("a"), JointRate("a"), JointRate("b")]),
        r"speed, rate of 'a': is given twice",
    ),
    ("too few speeds", lambda m: m.speeds([JointRate("a")]), "speeds: are 1"),
    (
        "too many speeds",
        lambda m: m.speeds([*(JointRate(name) for name in "abcde"), AngularVelocityComponent("body_e", Y)]),
        r"speeds: are 6; expected 5",
    ),
    (
        "fewer speeds than equations leave",
        lambda m: (m.loop("hook", S, "tip", "post"), m.speeds([JointRate("a")])),
        r"speeds: are 1; expected 2 to 5",
    ),
    ("no speeds", lambda m: (m.loop("hook", S, "tip", "post"), m.speeds([])), "speeds: are missing"),
    # prescribed joints
    ("no joint", lambda m: m.prescribe("spin"), "prescribed joint 'spin': is not a joint"),
    ("fixed joint", lambda m: m.prescribe("weld"), r"prescribed joint 'weld': is fixed"),
    ("twice", lambda m: m.prescribe("turn"), r"prescribed joint 'turn': is given twice"),
    (
        "a coordinate",
        lambda m: (m.prescribe("a"), m.coordinates([*"abcde"])),
        r"prescribed joint 'a': is among the coordinates",
    ),
    # springs
    ("spring on no coordinate", lambda m: m.torsional_spring("coil", "turn", 1), "spring 'coil': acts on"),
    (
        "spring on no frame",
        lambda m: m.translational_spring("coil", "tip", "hook", 1),
        r"spring 'coil': its second frame 'hook' is not a frame",
    ),
    (
        "spring in one body",
        lambda m: m.translational_spring("coil", "tip", "body_e", 1),
        r"spring 'coil': .* are both fixed in 'body_e'",
    ),
    ("stiffness", lambda m: m.torsional_spring("coil", "c", -1), r"spring 'coil': its stiffness is -1\.0"),
    (
        "damping",
        lambda m: m.translational_spring("coil", "tip", "post", damping=-1),
        r"spring 'coil': its damping is -1\.0; expected 0 or more",
    ),
    (
        "length at rest",
        lambda m: m.translational_spring("coil", "tip", "post", 1, rest=-1),
        r"spring 'coil': its length at rest is -1\.0",
    ),
    # home
    ("home", lambda m: m.home((0, 0, 0)), r"home: has 3 numbers; expected 5"),
    # actuators
    ("actuator on a prescribed joint", lambda m: m.actuator("turn"), "actuator 'turn': acts on 'turn'"),
    (
        "actuator on no speed",
        lambda m: (
            m.loop("hook", S, "tip", "post"),
            m.speeds([JointRate("a"), JointRate("b")]),
            m.actuator("c"),
        ),
        r"actuator 'c': acts on 'c', whose rate is no generalized speed; expected one of 'a', 'b'\. Choose its rate",
    ),
]


@pytest.mark.parametrize(("step", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_findings(step: Step, message: str) -> None:
    builder = chain()
    step(builder)
    with pytest.raises(ModelError, match=message):
        builder.build()


def test_names_are_unique_among_loops_and_constraints() -> None:
    builder = chain()
    builder.loop("tie", S, "tip", "post")
    with pytest.raises(ModelError, match="constraint 'tie': the name is given twice"):
        builder.knife_edge("tie", "tip")
    model = everything()
    with pytest.raises(ModelError, match="constraint 'edge': the name is given twice"):
        validated(replace(model, loops=(Loop("edge", S, "tip", "post"),)))
    with pytest.raises(ModelError, match="spring 'wound': the name is given twice"):
        validated(replace(model, springs=model.springs[:1] * 2))


def disc(**contact: object) -> Mechanism:
    """A disc as in the catalogue, but for what is changed."""
    builder = MechanismBuilder("disc")
    for name in ("along", "sideways", "heading", "leaning"):
        builder.body(name)
    builder.body("disc", mass=1, inertia=(1, 2, 1))
    builder.prismatic("x", BASE, "along", X)
    builder.prismatic("y", "along", "sideways", Y)
    builder.revolute("yaw", "sideways", "heading", Z)
    builder.revolute("lean", "heading", "leaning", X)
    builder.revolute("spin", "leaning", "disc", Y, position=(0, 0, "0.3"))
    builder.frame("axle", "disc", rotation=(math.pi / 2, 0, 0))
    builder.frame("below", "leaning", position=(0, "0.1", 0))
    builder.frame("ahead", "heading", position=("0.1", 0, 0))
    builder.frame("sunk", BASE, position=(0, 0, "-0.01"))
    wheel = {"wheel": "axle", "radius": "0.3", "contact": "heading"} | contact
    builder.rolling("roll", **wheel)
    builder.speeds(JointRate(name) for name in ("yaw", "lean", "spin"))
    return builder.build()


def test_a_contact_by_construction_passes() -> None:
    assert disc().dof == 3
    assert disc(contact="leaning").dof == 3


def test_a_spring_whose_ends_followers_keep_together_has_no_direction() -> None:
    builder = MechanismBuilder("pair")
    for name in ("one", "two"):
        builder.body(name, 1, inertia=(1, 1, 1))
        builder.prismatic(f"to_{name}", BASE, name, X)
    builder.mimic("to_two", "to_one", 1, "0.5")
    poses = frame_poses(builder.build(), [0.2])
    assert [poses[name][0, 3] for name in ("one", "two")] == [0.2, 0.7]
    builder.frame("end", "two", ("-0.5", 0, 0))
    builder.translational_spring("cord", "one", "end", 20, rest="0.1")
    with pytest.raises(ModelError, match="meet in every configuration"):
        builder.build()


@pytest.mark.parametrize(
    "wrong",
    [
        {"radius": "0.31"},
        {"wheel": "disc"},
        {"contact": "below"},
        {"contact": "ahead"},
        {"ground": "sunk"},
    ],
)
def test_a_frame_that_is_not_the_point_of_contact_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(
        ModelError,
        match=r"rolling contact 'roll': with coordinates a little off the home .*",
    ):
        disc(**wrong)


def test_an_axle_that_stands_on_the_ground_is_refused() -> None:
    with pytest.raises(
        ModelError, match="rolling contact 'roll': the z axis of its wheel 'sideways' is perp"
    ):
        disc(wheel="sideways")


NIL = Fraction(0)


def foreign() -> Expression:
    """A value of another mechanism."""
    graph = Graph()
    return Expression(graph, graph.parameter("r"))


HAND_MADE: list[tuple[Callable[[Mechanism], Mechanism], str]] = [
    (
        lambda m: replace(m, constraints=(RollingContact("roll", "tip", "wide", "table"),)),
        r"rolling contact 'roll', radius: not a finite number, 'wide'",
    ),
    (lambda m: replace(m, prescribed=(PrescribedRate("turn", foreign()),)), "uses parameters of another"),
    (lambda m: replace(m, home=(foreign(), NIL, NIL, NIL, NIL)), "home: uses parameters of another"),
    (
        lambda m: replace(m, springs=(TorsionalSpringDamper("coil", "c", foreign(), NIL, NIL),)),
        "spring 'coil', stiffness: uses parameters of another mechanism",
    ),
    (
        lambda m: replace(m, speeds=(AngularVelocityComponent("body_e", (foreign(), NIL, NIL)),)),
        "speed, angular velocity of 'body_e', direction: uses parameters of another mechanism",
    ),
    (
        lambda m: replace(m, constraints=(PositionConstraint("tie", Q, 3),)),
        "equation of position 'tie': 3 is no SymPy expression",
    ),
]


@pytest.mark.parametrize(("change", "message"), HAND_MADE, ids=[case[1] for case in HAND_MADE])
def test_findings_in_records_made_by_hand(change: Callable[[Mechanism], Mechanism], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        validated(change(everything()))


def test_a_law_of_a_constrained_mechanism_has_forces_on_its_speeds() -> None:
    model = everything()
    t, u = sympy.Symbol("t"), sympy.symbols("u1:4")
    for q, v, forces, message in (
        (u, u, u, "has 3 coordinates q; expected 5, one for each of a, b, c, d, e"),
        (Q, RATES, u, "has 5 rates v; expected 3, one for each of the generalized speeds"),
        (Q, u, RATES, "has 5 forces; expected 3"),
        (Q, u, (u[0], u[1], "u3"), "force on speed, velocity of 'tip': 'u3' is no SymPy expression"),
    ):
        with pytest.raises(ModelError, match=message):
            validated(replace(model, laws=(ControlLaw("hold", "", "", t, q, v, forces),)))
