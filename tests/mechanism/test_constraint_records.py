"""Records of loops, constraints, speeds and springs: what the builder makes of them, and that every stage keeps them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    Frame,
    JointRate,
    KnifeEdge,
    Loop,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    PointVelocityComponent,
    PositionConstraint,
    PrescribedRate,
    RollingContact,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
    numeric,
    validated,
    without_fixed_joints,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.validation.constraints import EQUATIONS, driven_joints, equation_count

from . import witness
from .constrained_models import RATES, Q, chain, everything

NIL, ONE = Fraction(0), Fraction(1)


def test_the_builder_keeps_what_it_is_told() -> None:
    model = everything()
    assert model.loops == (Loop("hook", LoopKind.PLANAR, "tip", "post"),)
    wheel, edge, height, gear = model.constraints
    assert isinstance(wheel, RollingContact)
    assert (wheel.wheel, wheel.ground, wheel.contact) == ("axle", "table", "body_c")
    assert isinstance(wheel.radius, Expression)
    assert edge == KnifeEdge("edge", "plate", "table")
    assert isinstance(height, PositionConstraint)
    assert isinstance(gear, VelocityConstraint)
    assert gear.qdot == RATES
    (given,) = model.prescribed
    assert (given.joint, numeric(given.rate, model)) == ("turn", Fraction(3, 2))
    assert model.springs == (
        TorsionalSpringDamper("wound", "c", Fraction(3), Fraction(1, 10), Fraction(1, 5)),
        TranslationalSpringDamper("stretched", "tip", "post", Fraction(20), NIL, Fraction(1, 2)),
    )
    assert model.home == (NIL, Fraction(1, 10), NIL, Fraction(3, 10), NIL)


def test_directions_of_speeds_become_exact() -> None:
    assert everything().speeds == (
        JointRate("e"),
        AngularVelocityComponent("plate", (ONE, NIL, NIL)),
        PointVelocityComponent("tip", (Fraction(3, 5), Fraction(4, 5), NIL), "table"),
    )


def test_validated_records_stay_as_they_are() -> None:
    model = everything()
    assert validated(model) == model


def test_prescribed_joints_are_no_coordinates() -> None:
    model = chain().build()
    assert model.coordinates == tuple("abcde")
    assert model.dof == 5
    assert not model.plain_tree
    assert model.frame(BASE) == Frame(BASE, BASE)


def test_a_mechanism_without_speeds_has_the_rates_of_its_coordinates() -> None:
    builder = chain()
    builder.speeds(())
    model = builder.build()
    assert model.dof == 5
    assert driven_joints(model) == model.coordinates
    assert driven_joints(everything()) == ("e",)


def test_counts_of_equations() -> None:
    """Degrees of freedom that the joint which closes a loop leaves, and the equations: six together."""
    freedom = {
        LoopKind.SPHERICAL: 3,
        LoopKind.REVOLUTE: 1,
        LoopKind.UNIVERSAL: 2,
        LoopKind.CYLINDRICAL: 2,
        LoopKind.PRISMATIC: 1,
        LoopKind.PLANAR: 3,
        LoopKind.FIXED: 0,
    }
    assert {kind: 6 - free for kind, free in freedom.items()} == dict(EQUATIONS)
    assert equation_count(everything()) == 3 + 2 + 1 + 1 + 1


def test_folding_puts_numbers_everywhere() -> None:
    model = with_numbers(everything())
    assert model.parameters == ()
    wheel, _, height, gear = model.constraints
    assert isinstance(wheel, RollingContact)
    assert wheel.radius == Fraction(3, 10)
    assert isinstance(height, PositionConstraint)
    assert isinstance(gear, VelocityConstraint)
    assert height.expression == Q[0] - sympy.Rational(3, 10) * sympy.sin(Q[2])
    assert gear.expression == RATES[2] - sympy.Rational(3, 10) * sympy.cos(Q[0]) * RATES[3]
    assert model.prescribed == (PrescribedRate("turn", Fraction(3, 2)),)
    assert validated(model) == model


def test_removing_fixed_joints_keeps_what_ties_the_rest() -> None:
    model = everything()
    reduced = without_fixed_joints(model)
    for field in ("loops", "constraints", "prescribed", "springs", "home", "coordinates"):
        assert getattr(reduced, field) == getattr(model, field)
    assert "plate" not in {body.name for body in reduced.bodies}
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    for name in ("plate", "tip", "post"):
        # the same products in another order
        np.testing.assert_allclose(
            witness.frame_pose(reduced, q, name), witness.frame_pose(model, q, name), rtol=0, atol=1e-15
        )


def test_angular_velocities_of_lumped_bodies_become_those_of_their_carriers() -> None:
    model = without_fixed_joints(everything())
    speed = model.speeds[1]
    assert isinstance(speed, AngularVelocityComponent)
    assert speed.body == "body_c"
    direction = witness.vector(speed.direction, model)
    np.testing.assert_allclose(direction, [np.cos(0.5), np.sin(0.5), 0], rtol=0, atol=2**-53)
    assert validated(model) == model


def swap(index: int, **fields: object) -> Callable[[Mechanism], Mechanism]:
    """One of the constraints with other fields."""

    def change(model: Mechanism) -> Mechanism:
        constraints = list(model.constraints)
        constraints[index] = replace(constraints[index], **fields)
        return replace(model, constraints=tuple(constraints))

    return change


CHANGES: list[Callable[[Mechanism], Mechanism]] = [
    lambda m: replace(m, loops=()),
    lambda m: replace(m, loops=(replace(m.loops[0], kind=LoopKind.SPHERICAL),)),
    lambda m: replace(m, loops=(replace(m.loops[0], first="post", second="tip"),)),
    lambda m: replace(m, constraints=m.constraints[::-1]),
    swap(0, radius=ONE),
    swap(0, contact="plate"),
    swap(0, contact=None),
    swap(1, ground=BASE),
    swap(2, expression=Q[0] + sympy.sin(Q[2])),
    swap(3, expression=2 * RATES[2] - sympy.cos(Q[0]) * RATES[3]),
    lambda m: replace(m, prescribed=(PrescribedRate("turn", NIL),)),
    lambda m: replace(m, speeds=m.speeds[::-1]),
    lambda m: replace(m, speeds=(JointRate("e"), JointRate("a"), JointRate("b"))),
    lambda m: replace(m, springs=m.springs[:1]),
    lambda m: replace(m, springs=(m.springs[0], replace(m.springs[1], damping=ONE))),
    lambda m: replace(m, home=()),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_shows_in_the_fingerprint(change: Callable[[Mechanism], Mechanism]) -> None:
    assert fingerprint(everything()) == fingerprint(everything())
    assert fingerprint(change(everything())) != fingerprint(everything())


def test_names_of_symbols_do_not_show_in_the_fingerprint() -> None:
    def model(names: str) -> Mechanism:
        builder = chain()
        q = sympy.symbols(names)
        builder.position_constraint("height", q[0] - sympy.Symbol("r") * sympy.sin(q[2]), q)
        return builder.build()

    assert fingerprint(model("a b c d e")) == fingerprint(model("q1 q2 q3 q4 q5"))


def test_laws_have_as_many_rates_and_forces_as_there_are_speeds() -> None:
    """q of the mechanism's five coordinates, v and forces of its three speeds."""
    model = everything()
    u = sympy.symbols("u1:4")
    time = sympy.Symbol("t")
    law = ControlLaw("hold", "", "", time, Q, u, tuple(-3 * x + Q[4] for x in u))
    assert validated(replace(model, laws=(law,))).laws == (law,)
    assert fingerprint(replace(model, laws=(law,))) != fingerprint(model)


def test_the_hash_of_plain_trees_is_that_of_earlier_versions() -> None:
    """Compiled mechanisms are found by it: new kinds of records leave it alone where there are none."""
    builder = MechanismBuilder("hinge")
    builder.body("link", mass=1, inertia=(1, 1, 1))
    builder.revolute("q1", "base", "link", (1, 0, 0))
    assert fingerprint(builder.build()) == "d2301b72428702b2e39c425de28e18ef99efe841d35fe83bc391a10546709e70"
