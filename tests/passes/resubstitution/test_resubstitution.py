"""Resubstitution: it finds what greedy passes do not, never changes a value, and is the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Expression, Kind, Program, count
from kanegen.codegen.passes.prices import PRICES, cost
from kanegen.codegen.passes.resubstitution import core as extension
from kanegen.codegen.passes.resubstitution.core import PRIMES, SEARCHED, Schedule, resubstituted
from kanegen.codegen.passes.resubstitution.recipe import is_equal
from kanegen.codegen.passes.resubstitution.residues import MERSENNE, NAMING, rational, residues_of
from kanegen.codegen.passes.resubstitution.web import program_of, renumbered, web_of
from tests.emitted.programs import double_pendulum, every_operation
from tests.passes.graphs import from_inputs, operations, same_values, sums_of_products

SHORT = Schedule(cycles=2, steps=400)
COMPILED = pytest.mark.skipif(extension.core() is None, reason="the core of the search is not compiled here")


def searched(program: Program, schedule: Schedule = SHORT) -> Program:
    web = web_of(program)
    return program_of(resubstituted(extension.core(), program, web, schedule), program)


def turned(x: Sequence[Expression]) -> list[Expression]:
    """A vector turned by one angle and turned back: two of its components, after two products of it were used."""
    c, s = x[0].cosine(), x[0].sine()
    u, v = c * x[1] + s * x[2], c * x[2] - s * x[1]
    return [u, v, (c * u - s * v) * x[3], (s * u + c * v) * x[4]]


def kept_by_a_turn(x: Sequence[Expression]) -> list[Expression]:
    """The square of a vector in one frame, where its components in another one are at hand."""
    c, s = x[0].cosine(), x[0].sine()
    u, v = c * x[1] + s * x[2], c * x[2] - s * x[1]
    return [u, v, x[1] * x[1] + x[2] * x[2], (u * u + v * v) * x[3]]


def multiples(x: Sequence[Expression]) -> list[Expression]:
    """3 (a + b) / 7 where a + b is at hand only as 5 a + 5 b."""
    return [
        5 * x[0] + 5 * x[1],
        Fraction(3, 7) * x[0] + Fraction(3, 7) * x[1],
        (x[0] + x[1]) * x[2],
    ]


def distributed(x: Sequence[Expression]) -> list[Expression]:
    """a b + a c + d b + d c, as (a + d) (b + c)."""
    return [x[0] * x[1] + x[0] * x[2] + x[3] * x[1] + x[3] * x[2]]


@COMPILED
@pytest.mark.parametrize(
    ("build", "most"),
    [(turned, (6, 2)), (kept_by_a_turn, (7, 3)), (multiples, (3, 1)), (distributed, (1, 2))],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_equal_residues_find(
    build: Callable[[Sequence[Expression]], list[Expression]], most: tuple[int, int]
) -> None:
    """No rule knows these; as few operations as a person needs."""
    program = from_inputs(build)
    found = searched(program)
    same_values(found, program)
    assert operations(found)[0] <= most[0]
    assert operations(found)[1] <= most[1]


@COMPILED
@given(sums_of_products(parameters=True))
@settings(max_examples=30, deadline=None)
def test_random_programs_keep_their_values(program: Program) -> None:
    """No operation more, and the same values, with live parameters, quotients and functions in between."""
    web = web_of(program)
    if len(web.values) == web.leaves:
        return
    found = searched(program, Schedule(cycles=1, steps=300))
    assert is_equal(found, program)
    same_values(found, program)
    assert cost(count(found)) <= cost(count(program)) + 1e-9


@COMPILED
def test_a_seed_decides_everything() -> None:
    program = from_inputs(turned)
    first, again = (resubstituted(extension.core(), program, web_of(program), SHORT) for _ in range(2))
    assert first == again


@COMPILED
def test_the_core_has_the_prices_of_the_passes() -> None:
    lib = extension.core().lib  # type: ignore[union-attr]
    assert (PRICES[Kind.PRODUCT], PRICES[Kind.SUM]) == (lib.KANEGEN_MULTIPLICATION, lib.KANEGEN_ADDITION)
    assert (
        len(PRIMES),
        len(SEARCHED.primes),
    ) == (lib.KANEGEN_PRIMES, lib.KANEGEN_POINTS + 2 * lib.KANEGEN_PRIMES)


@pytest.mark.parametrize("program", [double_pendulum(), every_operation()], ids=["pendulum", "mixture"])
def test_a_web_is_the_program(program: Program) -> None:
    """There and back: the same values, no operation more, and names where they were."""
    web = web_of(program)
    back = program_of(renumbered(web), program)
    same_values(back, program)
    assert cost(count(back)) <= cost(count(program))
    assert sorted(back.labels.values()) == sorted(program.labels.values())


def test_residues_are_those_of_the_value() -> None:
    """However it is written; of another value they are others."""

    def written(x: Sequence[Expression]) -> list[Expression]:
        c, s = x[0].cosine(), x[0].sine()
        return [
            (x[1] + x[2]) * (x[1] - x[2]) / x[3],
            x[1] * x[1] / x[3] - x[2] * x[2] / x[3],
            c * c + s * s,
            (-x[0]).sine() + s,
            (x[0] + x[1]).sine(),
        ]

    program = from_inputs(written)
    values = residues_of(program.graph, program.roots, NAMING)
    first, second, one, zero, other = (
        (values[ref] if ref > 0 else -values[-ref]).at for ref in program.roots
    )
    assert first == second
    assert one == (1, 1)
    assert zero == (0, 0)
    assert len({first, one, zero, other}) == 4


def test_fractions_come_back_from_residues() -> None:
    for value in (
        Fraction(0),
        Fraction(-3, 7),
        Fraction(10**40 + 7, 3**80),
        Fraction("0.059130434782608696"),
    ):
        at = SEARCHED.number(value).at
        assert rational((at[0], *at[3::2]), (MERSENNE, *PRIMES)) == value


def test_primes() -> None:
    """Fermat's test, to several bases."""
    assert all(pow(base, p - 1, p) == 1 for p in (MERSENNE, *PRIMES) for base in (2, 3, 5, 7))
    assert len({MERSENNE, *PRIMES}) == 1 + len(PRIMES)
