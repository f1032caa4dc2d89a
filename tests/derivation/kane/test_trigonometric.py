"""Quotients of trigonometric polynomials in lowest terms: tables of (numerator, denominator, what is left)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from kanegen.codegen.derivation.motion_maps.trigonometric import TrigonometricAlgebra
from kanegen.codegen.graph import Expression, Graph, constant, inputs

GRAPH = Graph()
ANGLES = inputs(GRAPH, "q", 2)
LENGTH = Expression(GRAPH, GRAPH.parameter("L"))
ALGEBRA = TrigonometricAlgebra(
    GRAPH, [x.sine() for x in ANGLES], [x.cosine() for x in ANGLES], [LENGTH, constant(GRAPH, 2)]
)
S, C = ALGEBRA.sines[0], ALGEBRA.cosines[0]
S2, C2 = ALGEBRA.sines[1], ALGEBRA.cosines[1]
L = ALGEBRA.value(LENGTH)
ONE = ALGEBRA.one


@pytest.mark.parametrize(
    ("numerator", "denominator", "top", "bottom"),
    [
        (C * S2, S2, C, ONE),
        (1 - S**2, C, C, ONE),
        (C, 1 - S**2, ONE, C),
        (S2 * S**2, -S2 * S**2 - S2 * C**2, -(S**2), ONE),
        (C, S2 * S**2 + S2 * C**2, C, S2),
        (S * C2 + C * S2, S, S * C2 + C * S2, S),
        (S**2 + C**2, ONE * 2, ONE / 2, ONE),
        (C**2 - 1 + S**2, S, ALGEBRA.zero, ONE),
        (C * L, L * S, C, S),
        (S * (C2 + 2), 3 * C2 + 6, S / 3, ONE),
    ],
)
def test_quotients_lose_common_factors(numerator: Any, denominator: Any, top: Any, bottom: Any) -> None:
    assert ALGEBRA.quotient(numerator, denominator) == (top, bottom)


def test_equal_functions_have_equal_normal_forms() -> None:
    assert ALGEBRA.normal(C**4 + C**2 * S**2) == ALGEBRA.normal(1 - S**2)
    assert ALGEBRA.normal(C**3 * C2) == C * C2 - S**2 * C * C2


def test_residues_of_sixty_digit_numbers_vanish() -> None:
    residue = ALGEBRA.value(constant(GRAPH, Fraction(1, 3) + Fraction(1, 10**58)))
    assert ALGEBRA.normal(S * residue * 3 - S) == 0


def test_determinants_are_reduced() -> None:
    turn = [[C, S], [-S, C]]
    assert ALGEBRA.determinant(turn) == 1
    assert ALGEBRA.determinant([[S * S2, C2], [-S * C2, S2]]) == S


def test_polynomials_become_expressions() -> None:
    sine, cosine = ANGLES[0].sine(), ANGLES[1].cosine()
    assert ALGEBRA.expression(S * C2 - L) == sine * cosine - LENGTH
    assert ALGEBRA.expression(ALGEBRA.zero).is_zero
