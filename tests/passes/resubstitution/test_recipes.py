"""Recipes: they give the programs that they were made from, and are refused for anything else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from kanegen.codegen.graph import Expression, Program, count
from kanegen.codegen.passes.optimize import optimize
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution import thorough as module
from kanegen.codegen.passes.resubstitution.core import core
from kanegen.codegen.passes.resubstitution.recipe import (
    Recipe,
    RecipeBook,
    fingerprint,
    is_equal,
    program_from,
    read_recipes,
    recipe_of,
)
from kanegen.codegen.passes.resubstitution.thorough import thorough
from kanegen.codegen.passes.resubstitution.web import web_of
from kanegen.errors import CertificateError, FileError, NotCompiledError
from tests.emitted.programs import double_pendulum, every_operation
from tests.passes.graphs import from_inputs

PROGRAMS = [double_pendulum(), every_operation()]


@pytest.mark.parametrize("program", PROGRAMS, ids=["pendulum", "mixture"])
def test_a_recipe_is_read_again(program: Program, tmp_path: Path) -> None:
    recipe = recipe_of(web_of(program), program, program)
    file = tmp_path / "recipes.txt"
    file.write_text(recipe.text, encoding="ascii")
    known = read_recipes([file, tmp_path / "none.txt"])
    assert known == {fingerprint(program): [recipe]}
    found = program_from(recipe, program)
    assert found is not None
    assert is_equal(found, program)


def test_a_recipe_is_known_by_what_it_computes() -> None:
    """Passes change nothing about it; other numbers do."""
    plain = double_pendulum()
    assert fingerprint(plain) == fingerprint(optimize(plain)[0])
    other = from_inputs(lambda x: [x[0] * x[1]])
    assert fingerprint(other) != fingerprint(from_inputs(lambda x: [2 * x[0] * x[1]]))


def test_damaged_recipes_are_refused() -> None:
    """Every line of it, with another operand, another operation or another number."""
    program = double_pendulum()
    recipe = recipe_of(web_of(program), program, program)
    refused = 0
    for at, line in enumerate(recipe.lines):
        sign, *words = line.split()
        worse = {
            "+": ["*", *words],
            "*": ["+", *words],
            "k": ["k", "7" + words[0], *words[1:]],
            "=": ["=", "1" + words[0]],
            "results": ["results", *words[::-1]],
        }.get(sign, ["nothing", *words])
        damaged = replace(recipe, lines=(*recipe.lines[:at], " ".join(worse), *recipe.lines[at + 1 :]))
        refused += program_from(damaged, program) is None
    assert refused == len(recipe.lines)
    assert program_from(replace(recipe, lines=recipe.lines[:3]), program) is None


def test_numbers_rounded_on_the_way() -> None:
    """Cosines of fixed angles have 60 digits: what follows from them is equal to nearly as many, and no other value is."""

    def rotated(scale: Fraction) -> Program:
        def build(x: object) -> list[Expression]:
            first: Expression = x[0]  # type: ignore[index]
            graph = first.graph
            c = Expression(graph, graph.cosine(graph.constant(Fraction("0.3"))))
            s = Expression(graph, graph.sine(graph.constant(Fraction("0.3"))))
            return [(c * c + s * s) * first if scale == 1 else scale * first]

        return from_inputs(build)  # type: ignore[arg-type]

    one, near = rotated(Fraction(1)), rotated(1 + Fraction(1, 10**30))
    other = from_inputs(lambda x: [1 * x[0]])
    assert is_equal(one, other)
    assert not is_equal(near, other)


def test_what_is_no_file_of_recipes(tmp_path: Path) -> None:
    file = tmp_path / "recipes.txt"
    for content in (b"kanegen recipe 2\na b\nresults 1\n", b"\xff\xfe", b"something else\n"):
        file.write_bytes(content)
        with pytest.raises(FileError):
            read_recipes([file])


def test_the_cheapest_recipe_that_proves_equal(tmp_path: Path) -> None:
    """In whatever file it is; the first one of those that cost the same, and others stay in the file that is written."""
    plain, other = double_pendulum(), every_operation()
    dear, cheap = (recipe_of(web_of(p), p, plain) for p in (plain, optimize(plain)[0]))
    alike, alone = replace(cheap, kernel="another"), recipe_of(web_of(other), other, other)
    wrong = replace(cheap, lines=("= 1", "results 1"))
    own, others = tmp_path / "own.txt", tmp_path / "others.txt"
    for first, second, taken in (
        (dear, cheap, cheap),
        (cheap, dear, cheap),
        (cheap, alike, cheap),
        (wrong, cheap, cheap),
        (cheap, wrong, cheap),
    ):
        own.write_text(first.text + alone.text, encoding="ascii")
        others.write_text(second.text, encoding="ascii")
        book = RecipeBook(own, read_recipes([own, others]))
        assert count(thorough(plain, plain, book)[0]) == count(optimize(plain)[0])
        own.write_bytes(book.files()[own.name])
        assert read_recipes([own]) == {fingerprint(plain): [taken], fingerprint(other): [alone]}


@pytest.mark.skipif(core() is None, reason="the core of the search is not compiled here")
def test_a_search_goes_further_than_its_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with the recipe alone, with other chances than before, and never ends with what is dearer."""
    monkeypatch.setattr(module, "_CYCLES", (4, 0.0))
    begun, walk = [], module._Walk

    def recorded(extension: ModuleType, given: Program, program: Program, seed: int) -> module._Walk:
        begun.append((count(program), seed))
        return walk(extension, given, program, seed)

    monkeypatch.setattr(module, "_Walk", recorded)
    plain = double_pendulum()
    better = optimize(plain)[0]
    file, recipe = tmp_path / "recipes.txt", recipe_of(web_of(better), better, plain)
    file.write_text(recipe.text, encoding="ascii")
    book = RecipeBook(file, read_recipes([file]), further=True)
    found, (step,) = thorough(plain, plain, book, lambda most: pytest.fail("others are not asked for"))
    assert step.counts == count(found)
    assert cost(count(found)) <= cost(count(better)) < cost(count(plain))
    assert {counts for counts, _ in begun} == {count(better)}
    assert len({seed for _, seed in begun}) == len(begun)
    assert all(seed > len(begun) for _, seed in begun)
    file.write_bytes(book.files()[file.name])
    assert count(thorough(plain, plain, RecipeBook(known=read_recipes([file])))[0]) == count(found)


def test_without_the_compiled_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recipe is enough; without one, the error says what to do."""
    program = double_pendulum()
    monkeypatch.setattr(module, "core", lambda: None)
    with pytest.raises(NotCompiledError, match="compiler"):
        thorough(program, program, RecipeBook())
    better = optimize(program)[0]
    recipe = recipe_of(web_of(better), better, program)
    book = RecipeBook(known={recipe.fingerprint: [recipe]})
    assert count(thorough(program, program, book)[0]) == count(better)


@pytest.mark.skipif(core() is None, reason="the core of the search is not compiled here")
def test_what_is_found_and_does_not_prove_equal_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was left out in silence once, and with it all that was found for numbers of many digits."""
    wrong = double_pendulum()
    monkeypatch.setattr(module, "_STEPS_OF_A_VALUE", 1)
    monkeypatch.setattr(module, "_CYCLES", (1, 0.0))
    monkeypatch.setattr(
        module, "program_of", lambda web, source: replace(wrong, results=(wrong.results[0][::-1],))
    )
    with pytest.raises(CertificateError, match="does not prove equal"):
        thorough(wrong, wrong, RecipeBook())


def test_a_recipe_that_does_not_prove_equal_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    program = double_pendulum()
    wrong = Recipe(program.name, fingerprint(program), ("= 1", "results 1"))
    monkeypatch.setattr(module, "core", lambda: None)
    with pytest.raises(NotCompiledError):
        thorough(program, program, RecipeBook(known={wrong.fingerprint: [wrong]}))


def test_a_result_that_rounding_makes_a_number() -> None:
    """A walk goes on with what is written out, where such a result is none of the web any more."""

    def build(x: object) -> list[Expression]:
        first: Expression = x[0]  # type: ignore[index]
        return [Fraction(1, 10**45) * first, first * first * first, first - first]

    plain = from_inputs(build)  # type: ignore[arg-type]
    assert [plain.graph.is_constant(ref) for ref in plain.roots] == [False, False, True]
    graph = plain.graph
    written = replace(plain, results=((graph.constant(Fraction(0)), *plain.roots[1:]),))
    recipe = recipe_of(web_of(written), written, plain)
    assert recipe.lines[-1].split()[1::2] == ["=0", "=0"]
    found = program_from(recipe, plain)
    assert found is not None
    assert count(found) == count(written)
    for wrong in ("=1", "=1/1" + 40 * "0"):
        other = replace(recipe, lines=(*recipe.lines[:-1], recipe.lines[-1].replace("=0", wrong, 1)))
        assert program_from(other, plain) is None
    short = replace(recipe, lines=(*recipe.lines[:-1], recipe.lines[-1].removesuffix(" =0")))
    assert program_from(short, plain) is None


def test_a_recipe_with_sines_of_other_angles(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one of the textbook's program then, as where a body has been turned about its joint since."""
    angle = Fraction("0.3")

    def turned(x: object) -> list[Expression]:
        q: Expression = x[0]  # type: ignore[index]
        graph = q.graph
        c, s = (Expression(graph, f(graph.constant(angle))) for f in (graph.cosine, graph.sine))
        later = q + angle
        return [(c * later.sine() - s * later.cosine()) * (1 + c * c * q * later.sine())]

    def straight(x: object) -> list[Expression]:
        q: Expression = x[0]  # type: ignore[index]
        graph = q.graph
        c, s = (Expression(graph, f(graph.constant(angle))) for f in (graph.cosine, graph.sine))
        return [q.sine() * (1 + c * c * q * (c * q.sine() + s * q.cosine()))]

    program, plain = from_inputs(turned), from_inputs(straight)  # type: ignore[arg-type]
    recipe = recipe_of(web_of(plain), plain, plain)
    assert cost(count(plain)) < cost(count(program))
    assert program_from(recipe, program) is None
    monkeypatch.setattr(module, "core", lambda: None)
    book = RecipeBook(known={recipe.fingerprint: [recipe]})
    assert count(thorough(program, plain, book)[0]) == count(plain)


def test_a_recipe_that_is_dearer_than_the_program_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The passes may have become better since it was found."""
    plain = double_pendulum()
    dear, better = recipe_of(web_of(plain), plain, plain), optimize(plain)[0]
    assert cost(count(better)) < cost(count(plain))
    monkeypatch.setattr(module, "core", lambda: None)
    with pytest.raises(NotCompiledError):
        thorough(better, plain, RecipeBook(known={dear.fingerprint: [dear]}))


@pytest.mark.skipif(core() is None, reason="the core of the search is not compiled here")
def test_a_search_goes_on_from_the_best_of_several_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many are asked for as the work is enough for, and that of the first kernel of a mechanism is more."""
    monkeypatch.setattr(module, "_STEPS_OF_A_VALUE", 1)
    monkeypatch.setattr(module, "_RESCALING", 1)
    monkeypatch.setattr(module, "_CYCLES_OF_FIRST", (18, 0.0))
    monkeypatch.setattr(module, "_CYCLES", (12, 0.0))
    monkeypatch.setattr(module, "_STAGE", 1)
    plain, asked = double_pendulum(), []

    def others(most: int) -> list[Program]:
        asked.append(most)
        return [optimize(plain)[0]]

    book = RecipeBook()
    found, _ = thorough(plain, plain, book, others, first=True)
    thorough(plain, plain, RecipeBook(), others)
    assert asked == [4, 3]
    assert (
        cost(count(found))
        <= cost(count(optimize(plain)[0]))
        < cost(count(thorough(plain, plain, RecipeBook())[0]))
    )
    assert is_equal(found, plain)
    (recipe,) = book.used.values()
    again = program_from(recipe, plain)
    assert again is not None
    assert count(again) == count(found)
