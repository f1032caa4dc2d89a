"""Equations, speeds and laws without a value at home (cases 68 and 74), and nouns that are counted (case 91)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import JointRate, MechanismBuilder, ModelError
from kanegen.errors import counted

X, Y, DX, DY, T = sympy.symbols("x y dx dy t")


def slides() -> MechanismBuilder:
    """A point that slides along x and then along y."""
    builder = MechanismBuilder("slides")
    builder.body("b", 1)
    builder.body("c", 1)
    builder.prismatic("x", "base", "b", axis=(1, 0, 0))
    builder.prismatic("y", "b", "c", axis=(0, 1, 0))
    return builder


def blade(equation: sympy.Expr, speeds: Sequence[Any], home: dict[str, Any] | None) -> kanegen.Robot:
    builder = slides()
    builder.velocity_constraint("blade", equation, [X, Y], [DX, DY])
    builder.speeds(speeds)
    if home:
        builder.home(home)
    return kanegen.load(builder.build(), interpreted=True)


@pytest.mark.parametrize("equation", [DY - DX / X, DY - DX * sympy.sqrt(X - 5)])
def test_equations_of_velocity_without_a_value_at_home(equation: sympy.Expr) -> None:
    """Case 74: the equation is named, and a home asked for; with one, dy/dt is what the equation says."""
    with pytest.raises(
        ModelError,
        match=r"equation 'blade': has no finite coefficients in the configuration home, x = 0, y = 0",
    ):
        blade(equation, [JointRate("x")], None)
    arm = blade(equation, [JointRate("x")], {"x": 9})
    slope = float(-equation.coeff(DX).subs(X, 9))
    assert_allclose(arm.coordinate_rates([9.0, 0.0], [1.0]), [1.0, slope], rtol=1e-15)


def law(force: sympy.Expr, home: dict[str, Any] | None = None) -> kanegen.Robot:
    builder = slides()
    builder.law("push", [force, 0], T, [Y, X], [DX, DY])  # names decide, not places
    if home:
        builder.home(home)
    return kanegen.load(builder.build(), interpreted=True)


@pytest.mark.parametrize("force", [1 / X, sympy.sqrt(X - 5), DX / X])
def test_laws_without_a_value_at_home(force: sympy.Expr) -> None:
    """Case 74: the law is named, and a home asked for."""
    with pytest.raises(
        ModelError, match=r"control law 'push': has no value in the configuration home, x = 0, y"
    ):
        law(force)
    arm = law(force, {"x": 9, "y": 0})
    expected = float(force.subs({X: 9, DX: 2}))
    assert_allclose(arm.call("push", 0.0, [9.0, 0.0], [2.0, 0.0]), [expected, 0.0], rtol=1e-15)


@pytest.mark.parametrize("force", [DX / sympy.sqrt(DX**2), sympy.sin(T) / T, 1 / Y])
def test_laws_without_a_value_at_rest_or_at_the_start(force: sympy.Expr) -> None:
    """Case 74: laws may be undefined at rest or at t = 0, as friction is, or in a configuration that is not home."""
    arm = law(force, {"y": 1})
    found = arm.call("push", 0.5, [0.0, 1.0], [2.0, 0.0])
    assert_allclose(found, [float(force.subs({DX: 2, T: 0.5, Y: 1})), 0.0], rtol=1e-15)


def test_laws_of_other_speeds_are_not_a_matter_of_inertia() -> None:
    """Case 68: with a set of speeds laws are left out, and asking for one says why, as a missing kernel."""
    for interpreted in (True, False):
        arm = kanegen.load(
            "stanford_arm", speeds="kane_levinson", interpreted=interpreted, kernels=["mass_matrix"]
        )
        with pytest.raises(
            kanegen.MissingKernelError, match="it is a law in the rates of the joints"
        ) as caught:
            arm.call("feedback_law", 0.0, [0.0] * 6, [0.0] * 6)
        assert not isinstance(caught.value, kanegen.MissingInertiaError)


def test_what_no_inertia_resists_is() -> None:
    """Case 68: and where it is, in trees and in linkages, the error says so by its class."""
    builder = MechanismBuilder("light")
    builder.body("b", 1)
    builder.body("c")
    builder.prismatic("x", "base", "b", axis=(1, 0, 0))
    builder.prismatic("y", "b", "c", axis=(0, 1, 0))
    free = builder.build()
    builder.velocity_constraint("rail", DX, [X, Y], [DX, DY])
    builder.speeds([JointRate("y")])
    for model in (free, builder.build()):
        arm = kanegen.load(model, interpreted=True)
        with pytest.raises(kanegen.MissingInertiaError):
            arm.forward_dynamics([0.0, 0.0], [0.0] * arm.nv, [0.0] * arm.nv)


def test_counted_nouns() -> None:
    """Case 91: one of a thing is one, none and two are some."""
    assert [counted(n, "joint") for n in (0, 1, 2)] == ["0 joints", "1 joint", "2 joints"]
    assert counted(1, "degree of freedom", "degrees of freedom") == "1 degree of freedom"
    arm = law(X)
    assert "2 degrees of freedom" in repr(arm)
    one = blade(DX, [JointRate("y")], None)
    assert "1 degree of freedom, " in repr(one)
    builder = slides()
    builder.velocity_constraint("blade", DX, [X, Y], [DX, DY])
    builder.speeds([JointRate("x"), JointRate("y")])
    with pytest.raises(
        ModelError,
        match=r"has 1 degree of freedom \(2 coordinates, 1 independent equation\), but 2 generalized speeds",
    ):
        kanegen.load(builder.build(), interpreted=True)


def test_controllers_by_nearly_their_name() -> None:
    """Case 91: simulate suggests the law that was meant, as load does for kernels."""
    arm = law(-X)
    with pytest.raises(ValueError, match=r"slides has no law 'pusch'"):
        kanegen.simulate(arm, [0.1, 0.0], [0.0, 0.0], 0.1, "pusch")
    with pytest.raises(ValueError, match=r"has no law 'zzz'"):
        kanegen.simulate(arm, [0.1, 0.0], [0.0, 0.0], 0.1, "zzz")
