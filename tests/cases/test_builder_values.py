"""Values that people give to the builder and write into files (cases 73, 74, 76, 85 and 97): taken as meant, or refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import (
    JointLimits,
    JointRate,
    Mechanism,
    MechanismBuilder,
    ModelError,
    validated,
)
from kanegen.codegen.mechanism.flexible import Beam, BeamFunction, Mode, Polynomial
from kanegen.codegen.mechanism.importers.toml import from_toml

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def pendulums() -> MechanismBuilder:
    """Three hinges about z in a row, bodies of 1 kg with a moment of 1 kg m^2 about their joints, no gravity."""
    builder = MechanismBuilder("row", gravity=(0, 0, 0))
    parent = "base"
    for k, name in enumerate("abc"):
        builder.body(f"body_{name}", mass=1, inertia=(1, 1, 1))
        builder.revolute(name, parent, f"body_{name}", axis=Z, position=(1 if k else 0, 0, 0))
        parent = f"body_{name}"
    return builder


def slides(first: str = "x", second: str = "y") -> MechanismBuilder:
    """A mass of 2 kg that slides along x and y, on a carriage of 1 kg; gravity is none."""
    builder = MechanismBuilder("table", gravity=(0, 0, 0))
    builder.body("carriage", mass=1)
    builder.body("mass", mass=2)
    builder.prismatic(first, "base", "carriage", axis=X)
    builder.prismatic(second, "carriage", "mass", axis=Y)
    return builder


# -- case 73 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("velocity", [False, True])
def test_equations_beside_prescribed_joints(velocity: bool) -> None:
    """Case 73: a = 2 b and c held still: forces on a, and the force that holds c, by Lagrange's equations by hand."""
    builder = pendulums()
    builder.prescribe("c", 0)
    q, rates = sympy.symbols("a b"), sympy.symbols("da db")
    if velocity:
        builder.velocity_constraint("gear", rates[0] - 2 * rates[1], q, rates)
    else:
        builder.position_constraint("gear", q[0] - 2 * q[1], q)
    builder.speeds([JointRate("a")])
    arm = kanegen.load(builder.build(), interpreted=True)
    a, b, c = sympy.symbols("a b c")
    da, db, dc = sympy.symbols("da db dc")
    places = [(0, 0), (sympy.cos(a), sympy.sin(a))]
    places.append((places[1][0] + sympy.cos(a + b), places[1][1] + sympy.sin(a + b)))
    turns = [da, da + db, da + db + dc]
    rate = {a: da, b: db, c: dc}
    T = sum(
        (sum(sum(sympy.diff(x, s) * r for s, r in rate.items()) ** 2 for x in place) + w**2) / 2
        for place, w in zip(places, turns, strict=True)
    )
    state = {a: 0.6, b: 0.3, c: 0, da: 1.0, db: 0.5, dc: 0}
    accelerations = {a: 2.0, b: 1.0, c: 0}

    def force(s: sympy.Symbol) -> float:
        momentum = T.diff(rate[s])
        total = sum(
            momentum.diff(x) * rate[x] + momentum.diff(rate[x]) * accelerations[x] for x in (a, b, c)
        ) - T.diff(s)
        return float(total.subs(state))

    tau = arm.inverse_dynamics([0.6, 0.3], [1.0], [2.0])
    assert_allclose(tau, [force(a) + force(b) / 2], rtol=1e-14)
    forces = arm.constraint_forces([0.6, 0.3], [1.0], [2.0])
    # the gear's multiplier is on a - 2 b: Q_b = -2 lambda; then what holds c
    assert_allclose(forces, [-force(b) / 2, force(c)], rtol=1e-14)


def geared(name: str) -> MechanismBuilder:
    """a - 2 b is what this name stands for; c is prescribed."""
    builder = pendulums()
    builder.prescribe("c", 0)
    a, b = sympy.symbols("a b")
    builder.position_constraint("gear", a - 2 * b - sympy.Symbol(name), (a, b))
    builder.speeds([JointRate("a")])
    return builder


def test_equations_that_name_a_joint_of_constant_rate() -> None:
    """Case 73: nothing may depend on how far such a joint has moved, which an equation says that does."""
    with pytest.raises(ModelError, match=r"equation of position 'gear': depends on .*constant rate"):
        kanegen.load(geared("c").build())


def test_equations_that_name_time() -> None:
    """Case 73: time is an argument then."""
    a, b = kanegen.load(geared("t").build()).assemble(t=0.4)
    assert_allclose(a - 2 * b, 0.4, rtol=1e-14)


# -- case 74 -----------------------------------------------------------------------------------------------------------

SYMBOLS = sympy.symbols("x y")
UNDEFINED: list[tuple[Callable[[Any, Any], Any], str]] = [
    (lambda x, y: sympy.sqrt(x**2 + y**2) - 1, "derivatives"),
    (lambda x, y: y - sympy.sqrt(x), "derivatives"),
    (lambda x, y: y - 1 / x, "value"),
    (lambda x, y: y - sympy.tan(x + sympy.pi / 2) * 0 - x / y, "value"),
    (lambda x, y: y - sympy.sqrt(x - 1), "value"),
    (lambda x, y: y - x**-1.5, "value"),
]


@pytest.mark.parametrize(("equation", "what"), UNDEFINED)
def test_equations_without_a_value_at_home(equation: Callable[[Any, Any], Any], what: str) -> None:
    """Case 74: an equation that has no value, or no derivatives, at home is named, and a home is asked for."""
    builder = slides()
    builder.position_constraint("curve", equation(*SYMBOLS), SYMBOLS)
    builder.speeds([JointRate("y")])
    with pytest.raises(ModelError, match=rf"equation 'curve': has no finite {what} .*home, x = 0, y = 0"):
        kanegen.load(builder.build(), interpreted=True)


def test_the_same_equation_with_a_home() -> None:
    """Case 74: with a home on the circle the mass moves on it: by hand, M = 2 / x^2 + 1 y^2 / x^2 on the speed y."""
    builder = slides()
    x, y = SYMBOLS
    builder.position_constraint("circle", sympy.sqrt(x**2 + y**2) - 1, SYMBOLS)
    builder.speeds([JointRate("y")])
    builder.home({"x": "0.8", "y": "0.6"})
    arm = kanegen.load(builder.build(), interpreted=True)
    # dx/dt = -(y/x) dy/dt; the carriage and the mass move along x, the mass alone along y
    assert_allclose(arm.mass_matrix([0.8, 0.6]), [[3 * (0.6 / 0.8) ** 2 + 2]], rtol=1e-14)


# -- case 76 -----------------------------------------------------------------------------------------------------------

COEFFICIENTS: list[Any] = [
    (1.5, -1.5),
    [1.5, -1.5],
    ("1.5", "-3/2"),
    (Fraction(3, 2), Decimal("-1.5")),
    np.array([1.5, -1.5]),
    (sympy.Rational(3, 2), np.float64(-1.5)),
    (x for x in (1.5, -1.5)),
]


@pytest.mark.parametrize("coefficients", COEFFICIENTS, ids=lambda given: type(given).__name__)
def test_polynomials_of_any_numbers(coefficients: Any) -> None:
    """Case 76: a beam that tapers from 1.5 kg/m to nothing weighs 0.75 kg, however its polynomial is written."""
    polynomial = Polynomial(coefficients)
    assert polynomial == Polynomial.of(1.5, -1.5)
    assert polynomial.coefficients == (Fraction(3, 2), Fraction(-3, 2))
    link = Beam(1, polynomial, [Mode("bend", y=(0, 0, 1))], EI_z=1).link("link")
    assert link.integrals.mass == Fraction(3, 4)


@pytest.mark.parametrize("one", [2, 2.0, "2", Fraction(2), sympy.Integer(2), np.int64(2)])
def test_polynomials_of_one_number(one: Any) -> None:
    """Case 76: a single number is a constant, and counts as such wherever numbers of modes are asked for."""
    assert Polynomial(one) == Polynomial.of(2)
    if isinstance(one, int | np.integer):
        shapes = [Mode("bend", y=BeamFunction("clamped-free", one))]
        assert Beam(1, 1, shapes, EI_z=1).link("link") == Beam(
            1, 1, [Mode("bend", y=BeamFunction("clamped-free", 2))], EI_z=1
        ).link("link")


@pytest.mark.parametrize("wrong", [("one",), (math.nan,), (math.inf, 1), (True,), None, (None,), ((1, 2),)])
def test_polynomials_of_no_numbers(wrong: Any) -> None:
    """Case 76: what is no number is refused as such."""
    with pytest.raises(ModelError, match="polynomial"):
        Polynomial(wrong)


# -- case 85 -----------------------------------------------------------------------------------------------------------

POWERS: list[tuple[Callable[[Any], Any], Callable[[float], float]]] = [
    (lambda x: x**2.0, lambda x: x**2),
    (lambda x: x**0.5, math.sqrt),
    (lambda x: x**1.5, lambda x: x * math.sqrt(x)),
    (lambda x: x**-1.0, lambda x: 1 / x),
    (lambda x: x ** sympy.Rational(-3, 2), lambda x: 1 / (x * math.sqrt(x))),
    (lambda x: (x**2.0 + 1) ** 0.5, lambda x: math.sqrt(x * x + 1)),
    (lambda x: sympy.sin(x**2.0) ** 3.0 / (1 + x**1.0) ** 2.0, lambda x: math.sin(x * x) ** 3 / (1 + x) ** 2),
]


@pytest.mark.parametrize(("power", "value"), POWERS)
def test_decimal_exponents(power: Callable[[Any], Any], value: Callable[[float], float]) -> None:
    """Case 85: exponents as decimal numbers in laws and equations give what the standard library gives."""
    x, dx = sympy.symbols("x v_x")
    builder = MechanismBuilder("slide", gravity=(0, 0, 0))
    builder.body("mass", mass=2)
    builder.prismatic("x", "base", "mass", axis=X)
    builder.law("power", [power(x)], sympy.Symbol("t"), [x], [dx])
    builder.home({"x": "0.7"})
    arm = kanegen.load(builder.build(), interpreted=True, kernels=["power"])
    assert_allclose(arm.call("power", 0.0, [0.7], [0.0]), [value(0.7)], rtol=1e-15 * 4)
    tied = slides()
    tied.position_constraint("curve", SYMBOLS[1] - power(SYMBOLS[0]), SYMBOLS)
    tied.speeds([JointRate("x")])
    tied.home({"x": "0.7", "y": value(0.7)})
    table = kanegen.load(tied.build(), interpreted=True, kernels=["coordinate_rates"])
    step = 1e-5
    slope = (value(0.7 + step) - value(0.7 - step)) / (2 * step)
    # a central difference is off by step^2 times a third derivative below 20, and by rounding over the step
    rates = table.coordinate_rates([0.7, value(0.7)], [1.0])
    assert_allclose(rates, [1, slope], atol=20 * step**2 + 1e-15 / step)


TOML_POWERS = {
    "m**2": 0.25,
    "m**2.0": 0.25,
    "m**0.5": math.sqrt(0.5),
    "m**(1/2)": math.sqrt(0.5),
    "m**1.5": 0.5 * math.sqrt(0.5),
    "m**-1": 2.0,
    "m**-1.0": 2.0,
    "m**(-3/2)": 2 * math.sqrt(2.0),
    "2*m**2.0 + 1": 1.5,
}


@pytest.mark.parametrize("text", TOML_POWERS)
def test_decimal_exponents_in_toml(text: str) -> None:
    """Case 85: the same in the arithmetic of a TOML file, in numbers and in equations."""
    model = f'''
coordinates = ["x", "y"]
speeds = ["x"]
parameters = {{ m = 0.5 }}
home = {{ x = 0.5, y = {TOML_POWERS[text]!r} }}
body = [{{ name = "one", mass = "{text}" }}, {{ name = "two", mass = 1 }}]
joint = [
  {{ name = "x", type = "prismatic", parent = "base", child = "one", axis = [1, 0, 0] }},
  {{ name = "y", type = "prismatic", parent = "one", child = "two", axis = [0, 1, 0] }},
]
equation = [{{ name = "curve", position = "y - ({text.replace("m", "x")})" }}]
'''
    arm = kanegen.load(from_toml(model), interpreted=True, kernels=["mass_matrix", "constraint_residual"])
    assert_allclose(arm.call("constraint_residual", [0.5, TOML_POWERS[text]]), [0.0], atol=1e-15)
    slope = sympy.sympify(text.replace("m", "x")).diff("x").subs("x", 0.5)
    assert_allclose(
        arm.mass_matrix([0.5, TOML_POWERS[text]]), [[TOML_POWERS[text] + 1 + float(slope) ** 2]], rtol=1e-13
    )


@pytest.mark.parametrize(
    "text", ["m**0.3", "m**17", "m**m", "m**0", "m**1e9", "m**(1/0)", "m**(1/3)", "m**((2))"]
)
def test_other_exponents_in_toml(text: str) -> None:
    """Case 85: other exponents are refused, with the line."""
    model = f'parameters = {{ m = 0.5 }}\nbody = [{{ name = "one", mass = "{text}" }}]\n'
    with pytest.raises(
        ModelError, match=r"line 2: body 'one', mass: .*(a power|divides by zero|'\)' is missing)"
    ):
        from_toml(model)


# -- case 97 -----------------------------------------------------------------------------------------------------------


def hinge(limits: JointLimits | None) -> MechanismBuilder:
    builder = MechanismBuilder("door")
    builder.body("leaf", mass=1, inertia=(1, 1, 1))
    builder.revolute("hinge", "base", "leaf", axis=Z, limits=limits)
    return builder


def test_limits_without_end() -> None:
    """Case 97: infinite limits are none, as in files, and those that there are come back as given."""
    model = hinge(JointLimits(-math.inf, math.inf, math.inf, 3.5)).build()  # type: ignore[arg-type]
    assert model.joint("hinge").limits == JointLimits(effort=Fraction(7, 2))
    arm = kanegen.load(model, interpreted=True, kernels=["mass_matrix"])
    found = arm.joint_limits["hinge"]
    assert (found.lower, found.upper, found.velocity, found.effort) == (None, None, None, 3.5)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"lower": math.nan}, "limits, lower: not a finite number"),
        ({"velocity": -1.0}, "limits, velocity: is negative"),
        ({"effort": "-2"}, "limits, effort: is negative"),
        ({"lower": 1, "upper": 0}, "the lower one, 1.0, is above the upper one, 0.0"),
        ({"upper": "far"}, "limits, upper: not a finite number"),
        ({"upper": True}, "limits, upper: a truth value"),
    ],
)
def test_limits_that_cannot_be(limits: dict[str, Any], message: str) -> None:
    """Case 97: refused where they are given."""
    with pytest.raises(ModelError, match=message):
        hinge(JointLimits(**limits))


def test_records_made_by_hand_are_checked() -> None:
    """Case 97: records that never saw the builder pass the same checks when they are loaded."""
    good = hinge(None).build()

    def with_limits(limits: JointLimits) -> Mechanism:
        return replace(good, joints=tuple(replace(joint, limits=limits) for joint in good.joints))

    for limits, message in (
        (JointLimits(upper=math.nan), "limits, upper: not a finite number, nan"),
        (JointLimits(velocity=Fraction(-1)), "velocity: is negative"),
    ):
        for check in (validated, lambda m: kanegen.load(m, interpreted=True, kernels=["mass_matrix"])):
            with pytest.raises(ModelError, match=message):
                check(with_limits(limits))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="gravity: not a finite number, nan"):
        kanegen.load(replace(good, gravity=(math.nan, 0, 0)), interpreted=True)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="coordinates"):
        kanegen.load(replace(good, coordinates=()), interpreted=True)
