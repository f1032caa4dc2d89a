"""Resubstitution: it finds what greedy passes do not, never changes a value, and is the same for the same seed."""

from __future__ import annotations

import hashlib
import math
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from kanegen.codegen.graph import Expression, Kind, Program, count
from kanegen.codegen.graph.exact import exact_cosine, exact_sine
from kanegen.codegen.passes.prices import PRICES, cost
from kanegen.codegen.passes.resubstitution import core as extension
from kanegen.codegen.passes.resubstitution.core import PRIMES, SEARCHED, Schedule, Source, resubstituted
from kanegen.codegen.passes.resubstitution.recipe import _PROOF, is_equal
from kanegen.codegen.passes.resubstitution.residues import MERSENNE, NAMING, rational, residues_of
from kanegen.codegen.passes.resubstitution.thorough import _price, _Walk
from kanegen.codegen.passes.resubstitution.web import (
    LEAF,
    OPAQUE,
    SCALED,
    SHIFTED,
    SUM,
    Made,
    Web,
    neighbourhood,
    program_of,
    renumbered,
    web_of,
)
from tests.emitted.programs import double_pendulum, every_operation
from tests.passes.graphs import from_inputs, operations, same_values, sums_of_products

SHORT = Schedule(800)
COMPILED = pytest.mark.skipif(extension.core() is None, reason="the core of the search is not compiled here")


def searched(program: Program, schedule: Schedule = SHORT) -> Program:
    return program_of(everywhere(program, schedule), program)


def everywhere(program: Program, schedule: Schedule = SHORT) -> Web:
    web = web_of(program)
    found = resubstituted(extension.core(), Source.of(program), web, schedule, range(len(web.values)))
    assert found is not None
    return found


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
    found = searched(program, Schedule(300))
    assert is_equal(found, program)
    same_values(found, program)
    assert cost(count(found)) <= cost(count(program)) + 1e-9


@COMPILED
def test_a_seed_decides_everything() -> None:
    program = from_inputs(turned)
    first, again = (everywhere(program) for _ in range(2))
    assert first == again


@COMPILED
@pytest.mark.parametrize("size", [8, 12, 20])
def test_what_is_outside_the_window_stays(size: int) -> None:
    """Where it is still needed, it is made by what it was made by; the results are the same, and what is inside changes."""
    program = double_pendulum()
    web = renumbered(web_of(program))
    before, changed = definitions(program, web), 0
    for seed in range(10):
        window = window_of(web, size, seed)
        found = resubstituted(extension.core(), Source.of(program), web, SHORT, window)
        assert found is not None
        assert is_equal(program_of(found, program), program)
        after = definitions(program, found)
        other = {value for value in before.keys() & after.keys() if before[value] != after[value]}
        assert other <= {list(before)[index] for index in window}
        changed += len(other)
    assert changed


def definitions(program: Program, web: Web) -> dict[int, tuple[int, set[int]]]:
    """How each value is made, by what is left of it and its operands modulo a prime, without signs."""
    nodes, left = Source.of(program).numbers, list[int]()
    for made in web.values:
        if made.form in (LEAF, OPAQUE):
            left.append(nodes[made.node][0].at[0])
            continue
        terms = [left[abs(r) - 1] * (1 if r > 0 else -1) for r in made.operands]
        terms += [SEARCHED.number(made.number).at[0]] if made.number is not None else []
        left.append((sum(terms) if made.form in (SUM, SHIFTED) else math.prod(terms)) % MERSENNE)
    known = [min(x, MERSENNE - x) for x in left]
    return {
        value: (made.form, {known[abs(r) - 1] for r in made.operands})
        for value, made in zip(known, web.values, strict=True)
    }


def window_of(web: Web, size: int, seed: int) -> list[int]:
    return neighbourhood(web, size, Random(seed))


@pytest.mark.parametrize("size", [1, 7, 30, 1000])
def test_a_neighbourhood(size: int) -> None:
    """Leaves first, no more values than asked for, connected, and each value with the leaves that it is made from."""
    web = renumbered(web_of(double_pendulum()))
    inner = len(web.values) - web.leaves
    met = set()
    for seed in range(200):
        window = window_of(web, size, seed)
        assert window == window_of(web, size, seed) == sorted(window)
        inside = {index for index in window if index >= web.leaves}
        assert 1 <= len(inside) <= size
        assert len(inside) == min(size, inner) or size == 1000
        needed = {abs(r) - 1 for index in inside for r in web.values[index].operands}
        assert set(window) - inside == {index for index in needed if index < web.leaves}
        joined = {min(inside)}
        for _ in inside:
            joined |= {i for i in inside if joined & {abs(r) - 1 for r in web.values[i].operands}}
            joined |= {abs(r) - 1 for i in joined for r in web.values[i].operands} & inside
        assert joined == inside
        met |= inside
    assert len(met) == inner


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
        assert extension._fraction(at) == value


LONG = Fraction(3**1100, 2**1743)
"""A number that is not known from its residues."""


def test_numbers_of_many_digits() -> None:
    """A product of three numbers of 60 digits is read from its residues; what is not is told from one that is."""
    sixty = Fraction(Decimal(2).sqrt(Context(60)))
    for value in (sixty, sixty**2, -(sixty**3), 7 / sixty**3):
        assert extension._fraction(SEARCHED.number(value).at) == value
    assert extension._fraction(SEARCHED.number(LONG).at) is None


@COMPILED
def test_a_web_with_a_number_that_cannot_be_read_is_not_taken() -> None:
    """Such numbers come from webs alone: those of graphs have 60 digits."""
    program = from_inputs(lambda x: [7 * (x[0] * x[1] + x[0] * x[2]) + x[3]])
    web = renumbered(web_of(program))
    values = tuple(made if made.number is None else replace(made, number=LONG) for made in web.values)
    longer = replace(web, values=values)
    everything = range(len(values))
    assert resubstituted(extension.core(), Source.of(program), longer, Schedule(1), everything) is None
    compiled = extension.core()
    assert compiled is not None
    walk = _Walk(compiled, program, program, 1)
    walk.now = longer
    walk.go_on(1)
    assert walk.now == walk.cheapest[0] == web


def test_primes() -> None:
    """Fermat's test, to several bases."""
    assert all(pow(base, p - 1, p) == 1 for p in (MERSENNE, *PRIMES) for base in (2, 3, 5, 7))
    assert len({MERSENNE, *PRIMES}) == 1 + len(PRIMES)
    assert not set(PRIMES) & set(_PROOF.primes)


@COMPILED
def test_equal_values_are_one() -> None:
    """However they are made, and before the first step."""
    program = from_inputs(lambda x: [x[0] * (x[1] + x[2]), x[3] * (x[0] * x[1] + x[0] * x[2])])
    web = web_of(program)
    found = resubstituted(extension.core(), Source.of(program), web, Schedule(0), range(len(web.values)))
    assert found is not None
    saved = 2 * PRICES[Kind.PRODUCT] + PRICES[Kind.SUM]
    assert _price(found) == _price(web) - saved
    assert is_equal(program_of(found, program), program)


@COMPILED
def test_what_vanishes_when_numbers_are_rounded() -> None:
    """Squares of a sine and a cosine of 60 digits add up to 1 when they are written out, and not in residues."""
    program = from_inputs(lambda x: [x[0] * x[1] + x[2]])
    web = renumbered(web_of(program))
    product, result = len(web.values) - 1, len(web.values)
    sine, cosine = exact_sine(Fraction(1)), exact_cosine(Fraction(1))
    further = [
        Made(SCALED, (product,), sine),
        Made(SCALED, (result + 1,), sine),
        Made(SCALED, (product,), cosine),
        Made(SCALED, (result + 3,), cosine),
        Made(SUM, (result + 2, result + 4)),
        Made(SUM, (result + 5, -product)),
        Made(SUM, (result, result + 6)),
    ]
    longer = replace(web, values=(*web.values, *further), results=(result + 7,))
    compiled = extension.core()
    assert compiled is not None
    walk = _Walk(compiled, program, program, 1)
    walk._take(longer)
    assert _price(longer) > _price(walk.best) == _price(web)
    assert is_equal(program_of(*walk.cheapest), program)
    walk.go_on(1)
    assert is_equal(program_of(*walk.cheapest), program)


@COMPILED
def test_a_walk_goes_back_from_what_does_not_prove_equal() -> None:
    """Such as a value that is nothing but rounding, which any other one is a multiple of."""
    program = from_inputs(lambda x: [x[0] * x[1] + x[2]])
    other = renumbered(web_of(from_inputs(lambda x: [x[0] * x[1]])))
    compiled = extension.core()
    assert compiled is not None
    walk = _Walk(compiled, program, program, 1)
    best = walk.best
    walk._take(replace(other, leaves=2))
    assert walk.now == walk.best == best
    assert is_equal(program_of(*walk.cheapest), program)


def test_the_core_compiles_where_it_can(tmp_path: Path) -> None:
    """Without a warning; and then it is there: setup leaves out what does not compile, and tests of it with it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    flags = ("-std=gnu99", "-Wall", "-Wextra", "-Werror", "-c")
    probe = tmp_path / "probe.c"
    probe.write_text("unsigned __int128 wide;\n", encoding="ascii")
    if subprocess.run([compiler, *flags, probe], cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("the compiler has no integers of 128 bits")
    source = Path(extension.__file__).with_name("resubstitution.c")
    for optimization in ("-O0", "-O3"):
        subprocess.run([compiler, *flags, optimization, source], cwd=tmp_path, check=True)
    compiled = extension.core()
    assert compiled is not None
    sources = sorted(source.parent.glob("*.[ch]"))
    digest = hashlib.blake2b(b"".join(path.read_bytes() for path in sources), digest_size=8).hexdigest()
    assert compiled.ffi.string(compiled.lib.kanegen_resubstitution_sources()).decode() == digest
