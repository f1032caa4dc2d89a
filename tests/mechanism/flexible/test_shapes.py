"""Natural modes of beams and rods against their equations: roots of textbooks, ends' conditions, orthogonality."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from kanegen.codegen.mechanism.flexible import BeamFunction, Polynomial, RodFunction
from kanegen.codegen.mechanism.flexible.quadrature import integral
from kanegen.codegen.mechanism.flexible.shapes import Waves, function_of

ZERO, ONE = Fraction(0), Fraction(1)

ROOTS = {
    "clamped-free": (1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467),
    "clamped-pinned": (3.926602312047919, 7.068582745628732, 10.210176122813031, 13.351768777754093),
    "pinned-pinned": (math.pi, 2 * math.pi, 3 * math.pi, 4 * math.pi),
    "pinned-free": (3.926602312047919, 7.068582745628732, 10.210176122813031, 13.351768777754093),
}
"""Of the frequency equations (Blevins, Formulas for natural frequency and mode shape, table 8-1)."""

EXACT = 1e-35
"""Functions are evaluated to 40 digits."""


def beam(support: str, number: int) -> Waves:
    found = function_of("test", BeamFunction(support, number))
    assert isinstance(found, Waves)
    return found


def value(f: Waves, s: Fraction, order: int = 0) -> float:
    for _ in range(order):
        f = f.derived()
    return float(f.at(s))


def over(*factors: Waves | Polynomial) -> float:
    return float(integral("test", *factors))


CASES = [(support, number) for support in BeamFunction.SUPPORTS for number in (1, 2, 3, 4)]


@pytest.mark.parametrize(("support", "number"), CASES)
def test_roots_are_those_of_the_literature(support: str, number: int) -> None:
    assert float(beam(support, number).wave) == pytest.approx(ROOTS[support][number - 1], rel=1e-14)


@pytest.mark.parametrize(("support", "number"), [*CASES, ("clamped-free", 60), ("clamped-pinned", 60)])
def test_near_end_neither_moves_nor_turns(support: str, number: int) -> None:
    f = beam(support, number)
    assert abs(value(f, ZERO)) < EXACT
    assert abs(value(f, ZERO, 1)) < EXACT


@pytest.mark.parametrize(("support", "number"), [*CASES, ("clamped-free", 60), ("pinned-free", 60)])
def test_ends_are_as_supported(support: str, number: int) -> None:
    """Bending moments y'' and shear forces y''' vanish at free ends, y and y'' at pinned ones.

    A pinned near end has y'' = 0; at a pinned far end, the deflection is that of the tangent that was taken off.
    """
    f = beam(support, number)
    near, far = support.split("-")
    k = float(f.wave)
    if near == "pinned":
        assert abs(value(f, ZERO, 2)) < EXACT * k**2
    if far == "free":
        assert abs(value(f, ONE, 2)) < EXACT * k**2
        assert abs(value(f, ONE, 3)) < EXACT * k**3
    else:
        assert abs(f.at(ONE) - f.terms[4]) < EXACT * k
        assert abs(value(f, ONE, 2)) < EXACT * k**2


@pytest.mark.parametrize(("support", "number"), CASES)
def test_they_solve_the_equation_of_the_beam(support: str, number: int) -> None:
    """y'''' = k^4 y; the tangent that was taken off bends nothing."""
    f = beam(support, number)
    tangent = Waves(f.wave, (mpmath.mpf(0),) * 4 + f.terms[4:])
    for s in (Fraction(1, 7), Fraction(1, 2), ONE):
        swing = float(f.at(s) - tangent.at(s))
        assert value(f, s, 4) == pytest.approx(float(f.wave) ** 4 * swing, rel=1e-13, abs=1e-25)


def test_scales() -> None:
    for number in (1, 2, 5, 20):
        assert value(beam("clamped-free", number), ONE) == pytest.approx(1, abs=1e-30)
        assert over(beam("clamped-free", number), beam("clamped-free", number)) == pytest.approx(1 / 4)
        pinned = beam("clamped-pinned", number)
        assert over(pinned, pinned) == pytest.approx(1)


@pytest.mark.parametrize("support", ["clamped-free", "clamped-pinned"])
def test_modes_are_orthogonal_exactly(support: str) -> None:
    """Zero as a number: no operation is spent on what vanishes.  Curvatures are orthogonal as well."""
    modes = [beam(support, number) for number in (1, 2, 3, 12)]
    for i, one in enumerate(modes):
        for other in modes[:i]:
            assert integral("test", one, other) == 0
            bent = integral("test", one.derived().derived(), other.derived().derived())
            assert abs(float(bent)) < 1e-30


@pytest.mark.parametrize("support", ["pinned-pinned", "pinned-free"])
def test_pinned_modes_bend_as_free_beams_do(support: str) -> None:
    """Curvatures are orthogonal whatever tangent is taken off."""
    modes = [beam(support, number).derived().derived() for number in (1, 2, 3)]
    for i, one in enumerate(modes):
        for other in modes[:i]:
            assert abs(over(one, other)) < 1e-13 * math.sqrt(over(one, one) * over(other, other))


def test_high_modes_keep_their_digits() -> None:
    """cosh and sinh of the sixtieth mode are 10^81 each, what is left of them is about 1."""
    f = beam("clamped-free", 60)
    assert over(f, f) == pytest.approx(1 / 4, rel=1e-14)
    assert float(f.wave) == pytest.approx(59.5 * math.pi, rel=1e-15)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_rods(number: int) -> None:
    f = function_of("test", RodFunction(number))
    assert isinstance(f, Waves)
    assert value(f, ZERO) == 0
    assert abs(value(f, ONE, 1)) < EXACT * 10
    assert value(f, Fraction(1, 3)) == pytest.approx(math.sin((number - 0.5) * math.pi / 3), rel=1e-14)


def test_polynomials() -> None:
    p = Polynomial.of(1, "0.5", 0.1, Fraction(1, 3))
    assert p.coefficients == (Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(1, 3))
    assert p.at(Fraction(2)) == 1 + 1 + Fraction(4, 10) + Fraction(8, 3)
    assert p.derived().coefficients == (Fraction(1, 2), Fraction(1, 5), Fraction(1))
    assert p.times(p).at(Fraction(3)) == p.at(Fraction(3)) ** 2
    assert p.integral() == 1 + Fraction(1, 4) + Fraction(1, 30) + Fraction(1, 12)
    assert Polynomial(()).times(p).integral() == 0
    assert Polynomial(()).derived() == Polynomial(())
