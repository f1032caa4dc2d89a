"""Laws and equations whose symbols go by their names alone, in any order, and functions of time in their place."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

from kanegen.codegen.mechanism import JointRate, MechanismBuilder, ModelError, quantity, reference, state
from kanegen.codegen.mechanism.fingerprint import fingerprint

T, A, B, K = sympy.symbols("t a b k")
DA, DB = sympy.symbols("da db")
E, W = sympy.symbols("e w")
QA, QB = dynamicsymbols("a b")


def arm(**joints: str) -> MechanismBuilder:
    builder = MechanismBuilder("arm")
    builder.parameter("k", 3, "N m")
    for name, parent in {"a": "base", "b": "link a", **joints}.items():
        builder.body(f"link {name}", mass=1, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
        builder.revolute(name, parent, f"link {name}", axis=(0, 1, 0))
    return builder


def made(describe: Callable[[MechanismBuilder], None], **joints: str) -> str:
    builder = arm(**joints)
    describe(builder)
    return fingerprint(builder.build())


LISTED = made(lambda b: b.law("hold", [K * sympy.sin(T) - A * DB, B - DA], T, [A, B], [DA, DB]))


@pytest.mark.parametrize(
    "forces",
    [
        [K * sympy.sin(T) - A * DB, B - DA],
        {"b": B - DA, "a": K * sympy.sin(T) - A * DB},
        [K * sympy.sin(sympy.Symbol("time")) - A * sympy.Symbol("b_dot"), B - sympy.Symbol("rate(a)")],
        [K * sympy.sin(T) - sympy.Symbol("a", real=True) * DB, B - sympy.Symbol("v_a")],
        [K * sympy.sin(T) - QA * QB.diff(), QB - QA.diff()],
        [K * sympy.sin(T) - QA * sympy.Symbol("db"), B - sympy.Derivative(QA + 0 * QB, dynamicsymbols._t)],
    ],
)
def test_names_say_what_symbols_of_laws_mean(forces: Any) -> None:
    assert made(lambda b: b.law("hold", forces)) == LISTED


def test_functions_of_time_may_be_listed() -> None:
    forces = [K * sympy.sin(T) - QA * QB.diff(), QB - QA.diff()]
    assert made(lambda b: b.law("hold", forces, T, [QA, QB], [QA.diff(), QB.diff()])) == LISTED


def tied(describe: Callable[[MechanismBuilder], None]) -> str:
    def all_of_it(builder: MechanismBuilder) -> None:
        describe(builder)
        builder.speeds([JointRate("a"), JointRate("c")])
        builder.home({"b": "0.1", "a": "0.1"})

    return made(all_of_it, c="link a")


def test_names_say_what_symbols_of_equations_mean() -> None:
    q, v = sympy.symbols("a b c"), sympy.symbols("da db dc")
    listed = tied(lambda b: b.position_constraint("tie", B - A, q))
    for expression in (B - A, QB - QA, sympy.Symbol("b", real=True) - A):
        assert tied(lambda b, x=expression: b.position_constraint("tie", x)) == listed
    listed = tied(lambda b: b.velocity_constraint("tie", DB - sympy.Abs(A) * DA, q, v))
    for expression in (DB - sympy.Abs(A) * DA, QB.diff() - sympy.Abs(QA) * QA.diff()):
        assert tied(lambda b, x=expression: b.velocity_constraint("tie", x)) == listed


def test_an_equation_may_choose_between_rates() -> None:
    tied(lambda b: b.velocity_constraint("tie", sympy.Piecewise((DB - DA, A < 1), (DB - 2 * DA, True))))


def test_states_and_signals_by_name() -> None:
    explicit = [state("e", rate=reference("w") - A, initial="0.5")]
    one = made(lambda b: b.law("pi", {"a": E + reference("w", 1)}, states=explicit))
    named = [state("e", rate=W - QA, initial=0.5)]
    other = made(lambda b: b.law("pi", {"a": E + reference("w", 1)}, states=named, references=["w"]))
    assert one == other
    for changed in (
        state("e", rate=W - A, initial=1),
        state("e", rate=W - B, initial=0.5),
        state("f", rate=W - A, initial=0.5),
    ):
        assert one != made(
            lambda b, s=changed: b.law(
                "pi", {"a": s.symbol + reference("w", 1)}, states=[s], references=["w"]
            )
        )


def test_quantities_show_in_the_hash() -> None:
    found = {
        made(lambda b, x=x: b.law("hold", {"a": x}))
        for x in (
            quantity("gravity_forces")[0],
            quantity("gravity_forces")[1],
            quantity("bias_forces")[0],
            quantity("inverse_dynamics", a=[1, 0])[0],
            quantity("inverse_dynamics", a=[1, quantity("gravity_forces")[1]])[0],
        )
    }
    assert len(found) == 5


@pytest.mark.parametrize(
    ("forces", "more", "told"),
    [
        ({"a": QA.diff().diff()}, {}, "is no rate of a coordinate"),
        ({"a": sympy.Function("f")(A, B)}, {}, "is no function of time alone"),
        ({"a": sympy.Symbol("z")}, {}, "depends on the symbol 'z'"),
        ({"a": sympy.Symbol("dz")}, {}, "depends on the symbol 'dz'"),
        ({"a": W}, {"references": ["w", "w"]}, "'w' is called like another"),
        ({"a": A}, {"references": ["a"]}, "'a' is called like a coordinate"),
        ({"a": A}, {"states": [state("b", rate=1)]}, "'b' is called like a coordinate"),
        ({"a": A}, {"states": [state("k", rate=1)]}, "also the name of a parameter"),
        ({"a": E}, {"states": [state("e", rate=sympy.sinh(A))]}, "sinh"),
        ({"a": E}, {"states": [state("e", rate=1 / A)]}, "no value in the configuration home"),
        ({"a": E}, {"states": ["e"]}, "states"),
    ],
)
def test_what_means_nothing_is_refused(forces: Any, more: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        made(lambda b: b.law("hold", forces, **more))


def test_an_initial_value_is_a_number() -> None:
    builder = arm()
    parameter = builder.parameter("x0", 1, "rad")
    with pytest.raises(ModelError, match="depends on parameters"):
        state("e", rate=A, initial=parameter)


@pytest.mark.parametrize(
    ("name", "describe", "told"),
    [
        ("t", lambda b: b.law("hold", {"a": sympy.Symbol("t")}), "time"),
        ("a", lambda b: b.law("hold", {"a": A}), "the coordinate"),
        ("a", lambda b: b.position_constraint("e", "a = 2*b"), "the coordinate"),
        ("t", lambda b: b.velocity_constraint("e", "rate(a) = t*rate(b)"), "time"),
        ("t", lambda b: b.prescribe("b", motion="sin(t)"), "time"),
        ("t", lambda b: b.prescribe("b", table=[(0, 0), (1, 1)]), "time"),
    ],
)
def test_a_parameter_is_not_taken_for_a_coordinate_or_time(name: str, describe: Any, told: str) -> None:
    """Nor these for it; elsewhere a parameter may be called as it likes."""
    builder = arm()
    builder.parameter(name, 2, "kg")
    assert builder.build().parameters
    describe(builder)
    with pytest.raises(ModelError, match=f"'{name}' may stand for {told} and for the parameter of this name"):
        builder.build()


def test_a_symbol_that_may_be_two_rates_is_refused() -> None:
    with pytest.raises(ModelError, match="'Dp' may stand for the rate of"):
        made(lambda b: b.law("hold", {"a": sympy.Symbol("Dp")}), D="link a", p="link a")


def test_laws_with_all_of_it_can_be_pickled() -> None:
    builder = arm()
    force = quantity("inverse_dynamics", a=[quantity("gravity_forces")[0], E])[0] + reference("w", 2)
    builder.law("all", {"a": force}, states=[state("e", rate=W)], references=["w"])
    law = builder.build().laws[0]
    assert pickle.loads(pickle.dumps(law)) == law


def test_laws_stay_when_a_mechanism_is_opened() -> None:
    builder = arm()
    builder.law("pi", {"a": E - W}, states=[state("e", rate=W - QA, initial="0.5")], references=["w"])
    opened = MechanismBuilder.from_mechanism(builder.build())
    assert fingerprint(opened.build()) == fingerprint(builder.build())
    builder.law("hold", {"a": quantity("gravity_forces")[0]})
    opened = MechanismBuilder.from_mechanism(builder.build())
    assert fingerprint(opened.build()) == fingerprint(builder.build())
    opened.body("more", mass=1, inertia=("0.1", "0.1", "0.1"))
    opened.revolute("c", "link b", "more", axis=(0, 1, 0))
    with pytest.raises(ModelError, match="refers to entries of gravity_forces"):
        opened.build()
