"""Control laws in the records: what is refused, what shows in the hash, and what folding makes of them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from sympy import Rational, cos, sin

from kanegen.codegen.mechanism import Mechanism, MechanismBuilder, ModelError, validated, without_fixed_joints
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.folding import with_numbers

T = sympy.Symbol("t")
Q = sympy.symbols("q1 q2")
V = sympy.symbols("v1 v2")
M, G = sympy.symbols("m g")


def builder() -> MechanismBuilder:
    arm = MechanismBuilder("arm")
    m = arm.parameter("m", "0.5", "kg")
    arm.parameter("g", "9.81", "m/s^2")
    arm.body("link", mass=m)
    arm.body("slider", mass=m)
    arm.body("tool", mass=1)
    arm.revolute("a", "base", "link", (0, 0, 1))
    arm.prismatic("b", "link", "slider", (1, 0, 0))
    arm.fixed("weld", "slider", "tool")
    return arm


LAW = ControlLaw("law", "a law", "nowhere", T, Q, V, (M * G * cos(Q[0]) - V[0], sin(T) + Q[1] ** 2))


def with_law(law: ControlLaw = LAW) -> Mechanism:
    return validated(replace(builder().build(), laws=(law,)))


def test_the_builder_makes_the_same_record() -> None:
    arm = builder()
    arm.law("law", LAW.forces, T, Q, V, title="a law", source="nowhere")
    assert arm.build().laws == (LAW,)
    assert arm.build() != builder().build()


def test_the_builder_takes_plain_numbers() -> None:
    arm = builder()
    arm.law("constant", [1.5, 0], T, Q, V)
    assert arm.build().laws[0].forces == (sympy.Float(1.5), sympy.Integer(0))


WRONG: list[tuple[dict[str, object], str]] = [
    ({"name": "lambda"}, "control law 'lambda': its name cannot be that of a C function"),
    ({"name": "my law"}, "cannot be that of a C function"),
    ({"name": "law_batch"}, "cannot be that of a C function"),
    ({"name": ""}, "cannot be that of a C function"),
    ({"forces": (M,)}, r"has 1 forces; expected 2, one for each of a, b\. Give one each, in this order"),
    ({"q": Q[:1]}, "has 1 coordinates q; expected 2"),
    ({"v": (*V, sympy.Symbol("v3"))}, "has 3 rates v; expected 2"),
    ({"v": Q}, "the symbol 'q1' stands for two things"),
    ({"time": Q[1]}, "the symbol 'q2' stands for two things"),
    ({"time": "t"}, "'t' stands for a part of the state; expected a SymPy Symbol"),
    ({"time": sympy.Symbol("g")}, "the symbol 'g' of a part of the state is also the name of a parameter"),
    ({"forces": (M, sympy.Symbol("k"))}, "depends on the symbol 'k'"),
    ({"forces": (M, sympy.Symbol("q1", real=True))}, "depends on the symbol 'q1', with other assumptions"),
    ({"forces": (M, 1.0)}, "control law 'law', force on 'b': 1.0 is no SymPy expression"),
    ({"forces": (M, sympy.sinh(Q[0]))}, r"sinh in sinh\(q1\) is not supported"),
    ({"forces": (M, Q[0] ** V[0])}, r"the power q1\*\*v1 with exponent v1"),
    ({"forces": (sympy.oo, M)}, "oo is not a finite real number"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_wrong_laws(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        with_law(replace(LAW, **change))  # type: ignore[arg-type]


def test_names_are_unique() -> None:
    with pytest.raises(ModelError, match="control law 'LAW': the name is given twice"):
        validated(replace(builder().build(), laws=(LAW, replace(LAW, name="LAW"))))


def test_parameters_may_have_assumptions() -> None:
    law = replace(LAW, forces=(sympy.Symbol("m", positive=True) * Q[0], V[1]))
    assert with_law(law).laws == (law,)


def test_folding_puts_numbers_in() -> None:
    folded = with_numbers(with_law())
    assert folded.parameters == ()
    assert folded.laws[0].forces == (Rational(981, 200) * cos(Q[0]) - V[0], sin(T) + Q[1] ** 2)
    assert validated(folded) == folded


def test_laws_survive_the_removal_of_fixed_joints() -> None:
    assert without_fixed_joints(with_law()).laws == (LAW,)


CHANGES: list[dict[str, object]] = [
    {"name": "other"},
    {"title": "other"},
    {"source": "other"},
    {"forces": (LAW.forces[0], LAW.forces[1] + Q[0])},
    {"forces": (-LAW.forces[0], LAW.forces[1])},
    {"forces": LAW.forces[::-1]},
    {"q": Q[::-1]},
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_shows_in_the_hash(change: dict[str, object]) -> None:
    other = replace(LAW, **change)  # type: ignore[arg-type]
    assert fingerprint(with_law(other)) != fingerprint(with_law())
    assert fingerprint(builder().build()) != fingerprint(with_law())


def test_names_of_symbols_do_not_show_in_the_hash() -> None:
    new = dict(zip(LAW.state, sympy.symbols("time x y dx dy"), strict=True))
    renamed = ControlLaw(
        "law",
        "a law",
        "nowhere",
        new[T],
        tuple(new[q] for q in Q),
        tuple(new[v] for v in V),
        tuple(force.xreplace(new) for force in LAW.forces),
    )
    assert fingerprint(with_law(renamed)) == fingerprint(with_law())


def test_exactness_of_numbers() -> None:
    arm = builder()
    arm.law("law", [0.1 * Q[0], V[0] / 3], T, Q, V)
    assert with_numbers(arm.build()).laws[0].forces[1] == V[0] / 3
    assert Fraction(str(arm.build().laws[0].forces[0].as_coefficient(Q[0]))) == Fraction(1, 10)


def test_laws_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(LAW)) == LAW
