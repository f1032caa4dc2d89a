"""Verification: it must see what is wrong, whatever its size, sign or place."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.graph import Argument, Expression, Graph, Program, constant, inputs
from kanegen.codegen.passes.verify import random_arguments, relative_difference, residual
from tests.emitted.programs import program

from .graphs import from_inputs

GOOD = from_inputs(lambda x: [x[0] * x[1], x[2] + x[3]])


def test_a_program_is_itself() -> None:
    assert residual(GOOD, GOOD) == 0


def test_rounding_is_measured() -> None:
    other = from_inputs(lambda x: [(x[0] + x[4]) * x[1] - x[4] * x[1], x[2] + x[3]])
    assert 0 < residual(other, GOOD) < 1e-13


@pytest.mark.parametrize("fault", [1e-9, -1e-3, 1.0])
def test_faults_are_seen(fault: float) -> None:
    wrong = from_inputs(lambda x: [x[0] * x[1], x[2] + x[3] + fault * x[5]])
    assert residual(wrong, GOOD) > abs(fault) / 10


def test_not_a_number_is_no_agreement() -> None:
    wrong = from_inputs(lambda x: [(-1 - x[0] * x[0]).square_root(), x[2]])
    assert math.isnan(residual(wrong, GOOD))


def test_not_a_number_in_the_last_output_is_seen() -> None:
    graph = Graph()
    x = inputs(graph, "x", 2)
    good = program("two", graph, {"x": 2}, {"y": [x[0]], "z": [x[1]]})
    wrong = program("two", graph, {"x": 2}, {"y": [x[0]], "z": [(-1 - x[0] * x[0]).square_root()]})
    assert math.isnan(residual(wrong, good))


def test_arguments_are_the_same_for_every_program() -> None:
    one, other = random_arguments(GOOD, 5), random_arguments(GOOD, 5)
    assert np.array_equal(one["x"], other["x"])
    assert one["x"].shape == (5, 6)
    assert not np.array_equal(one["x"], random_arguments(GOOD, 5, seed=1)["x"])


def test_zero_is_compared_absolutely() -> None:
    assert relative_difference(np.full((2, 1), 1e-3), np.zeros((2, 1)), 2) == 1e-3


def test_zero_but_for_rounding_is_zero() -> None:
    """cos a sin b - sin a cos b with a = b through other operations, and the constant zero."""
    g = Graph()
    (x,) = inputs(g, "x", 1)
    c, s = x.cosine(), x.sine()
    third = constant(g, Fraction(1, 3))
    rounded = (c * third) * s * 3 - c * s
    assert not rounded.is_zero

    def of(value: Expression) -> Program:
        argument, result = Argument("x", (1,), "", ""), Argument("y", (), "", "")
        return Program("p", "", "", (argument,), (result,), g, ((value.ref,),))

    assert residual(of(rounded), of(constant(g, 0))) < 1e-15
    assert residual(of(constant(g, 0)), of(rounded)) == 0
    assert residual(of(constant(g, Fraction(1, 10**10))), of(constant(g, 0))) == pytest.approx(1e-10)
    assert residual(of(c * s), of(rounded)) > 1
