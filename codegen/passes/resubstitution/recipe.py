"""Recipes: what a thorough search found, kept as text, so that the same kernel need not be searched again.

A recipe is a memory of a search and no source of formulas: it is used for a kernel with the same results alone, and only
where the program made from it is proved equal to the one that was derived.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import resources
from pathlib import Path

import mpmath
import numpy as np

from kanegen.codegen.graph import Kind, Program
from kanegen.codegen.graph.evaluate import evaluate_entries, multiprecision
from kanegen.codegen.passes.resubstitution.residues import MERSENNE, NAMING, Points, residues_of
from kanegen.codegen.passes.resubstitution.web import (
    LEAF,
    OPAQUE,
    PRODUCT,
    SCALED,
    SHIFTED,
    SUM,
    Made,
    Web,
    program_of,
)
from kanegen.errors import FileError

FILE_NAME = "recipes.txt"
_HEAD = "kanegen recipe 1"
_SIGNS = {SUM: "+", PRODUCT: "*", SCALED: "k", SHIFTED: "c"}
_FORMS = {sign: form for form, sign in _SIGNS.items()}

_PROOF = Points((MERSENNE, 2**61 - 1281, 2**61 - 1299), ("proof", "a second prime", "a third"))
"""Fresh points, and other primes than those of a search."""
_DIGITS, _AGREEMENT, _STATES = 60, 40, 3
"""Constants have 60 digits.  Where some were rounded, programs agree to 40 at least: what is between is for results that are
small beside their terms."""


@dataclass(frozen=True)
class Recipe:
    """What was found for a kernel: its name, by what its results are known, and the lines of the web."""

    kernel: str
    fingerprint: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it, ended by an empty line."""
        return "\n".join((_HEAD, f"{self.kernel} {self.fingerprint}", *self.lines)) + "\n\n"


def fingerprint(program: Program) -> str:
    """By what the results of a kernel are known, however they are derived: a digest of residues of its results."""
    values = residues_of(program.graph, program.roots, NAMING)
    results = [
        (output.name, [(values[ref] if ref > 0 else -values[-ref]).at for ref in refs])
        for output, refs in zip(program.outputs, program.results, strict=True)
    ]
    return hashlib.blake2b(repr(results).encode("ascii"), digest_size=16).hexdigest()


def recipe_of(web: Web, program: Program, plain: Program) -> Recipe:
    """The recipe for a web of values, the leaves of which stand in ``program``, of the kernel with this plain derivation.

    Results that are numbers are left out, but where rounding to 60 digits has made one of them: then all have their places.
    """
    names = residues_of(program.graph, program.roots, NAMING)
    lines = []
    for made in web.values:
        operands = " ".join(map(str, made.operands))
        if made.form == LEAF:
            lines.append(f"= {names[made.node].at[0]:x}")
        elif made.form == OPAQUE:
            assert made.kind is not None  # which an opaque value has
            lines.append(f"{made.kind.name.lower()} {made.name or '-'} {operands}")
        elif made.number is None:
            lines.append(f"{_SIGNS[made.form]} {operands}")
        else:
            lines.append(f"{_SIGNS[made.form]} {made.number} {operands}")
    references, graph = iter(web.results), program.graph
    results = [f"={graph.value(x)}" if graph.is_constant(x) else str(next(references)) for x in program.roots]
    if all(
        plain.graph.is_constant(ref) for ref, word in zip(plain.roots, results, strict=True) if word[0] == "="
    ):
        results = [word for word in results if word[0] != "="]
    lines.append(" ".join(("results", *results)))
    return Recipe(plain.name, fingerprint(plain), tuple(lines))


def program_from(recipe: Recipe, program: Program) -> Program | None:
    """The program that a recipe gives for the same kernel as ``program``, None where it does not prove equal to it."""
    try:
        names = residues_of(program.graph, program.roots, NAMING)
        web = web_from(recipe, {x.at[0]: i for i, x in names.items()})
        found = program_of(web, _with_numbers(program, recipe))
        return found if is_equal(found, program) else None
    except (AssertionError, LookupError, ValueError, ZeroDivisionError):
        return None  # the recipe is not for this program, or is damaged


def _with_numbers(program: Program, recipe: Recipe) -> Program:
    """The program with the results that are numbers in the recipe, where this has places for all.  Raises ValueError."""
    words, graph = recipe.lines[-1].split()[1:], program.graph
    if not any(word.startswith("=") for word in words):
        return program
    each = zip(program.roots, words, strict=True)
    roots = iter([graph.constant(Fraction(word[1:])) if word[0] == "=" else ref for ref, word in each])
    return replace(program, results=tuple(tuple(next(roots) for _ in refs) for refs in program.results))


def web_from(recipe: Recipe, nodes: Mapping[int, int]) -> Web:
    """The web of a recipe, where the leaves with these names are these nodes.  Raises LookupError, ValueError."""
    values: list[Made] = []
    for line in recipe.lines[:-1]:
        sign, *words = line.split()
        if sign == "=":
            values.append(Made(LEAF, node=nodes[int(words[0], 16)]))
        elif sign in ("+", "*"):
            a, b = map(int, words)
            values.append(Made(_FORMS[sign], (a, b)))
        elif sign in _FORMS:
            values.append(Made(_FORMS[sign], (int(words[1]),), Fraction(words[0])))
        else:
            name = "" if words[0] == "-" else words[0]
            operands = tuple(map(int, words[1:]))
            values.append(Made(OPAQUE, operands, kind=Kind[sign.upper()], name=name))
        if any(not 0 < abs(ref) < len(values) for ref in values[-1].operands):
            raise ValueError(f"{line!r} needs what comes later")
    word, *words = recipe.lines[-1].split()
    results = [reference for reference in words if not reference.startswith("=")]
    if word != "results" or any(not 0 < abs(int(ref)) <= len(values) for ref in results):
        raise ValueError(f"{recipe.lines[-1]!r} names no results")
    leaves = sum(made.form == LEAF for made in values)
    return Web(tuple(values), leaves, tuple(map(int, results)))


def is_equal(program: Program, other: Program) -> bool:
    """Whether the results of two programs of one kernel are equal.

    Exactly, by residues at fresh points; or to 40 digits at random states, where numbers were rounded to 60 on the way.
    """
    sides = [residues_of(p.graph, p.roots, _PROOF) for p in (program, other)]
    results = [
        [(x[ref] if ref > 0 else -x[-ref]).at for ref in p.roots]
        for x, p in zip(sides, (program, other), strict=True)
    ]
    return results[0] == results[1] or _agree(program, other)


def _agree(program: Program, other: Program) -> bool:
    generator = np.random.default_rng(0)
    context = mpmath.mp.clone()
    context.dps = _DIGITS + 20
    names = sorted({p.graph.payloads[i] for p in (program, other) for i in _inputs(p)})
    for _ in range(_STATES):
        given = {key: context.mpf(float(generator.uniform(0.5, 2.5))) for key in names}
        found, expected = (
            [x for row in evaluate_entries(p, given, multiprecision(context)) for x in row]
            for p in (program, other)
        )
        largest = max(map(abs, expected), default=0)
        worst = max((abs(x - y) for x, y in zip(found, expected, strict=True)), default=0)
        if not worst <= largest * context.mpf(10) ** -_AGREEMENT:
            return False
    return True


def _inputs(program: Program) -> list[int]:
    graph = program.graph
    return [i for i in graph.reachable(program.roots) if graph.kinds[i] in (Kind.INPUT, Kind.PARAMETER)]


@dataclass
class RecipeBook:
    """Recipes by the fingerprints of their kernels, those that were used or found, and the file that these go to.

    Searches are to go ``further`` than what is known.
    """

    place: Path = field(default_factory=lambda: Path(FILE_NAME))
    known: Mapping[str, Sequence[Recipe]] = field(default_factory=dict)
    used: dict[str, Recipe] = field(default_factory=dict)
    further: bool = False

    def files(self) -> dict[str, bytes]:
        """The file by its name, with what was used or found and what it holds of other kernels.  Raises FileError."""
        kept = {key: recipes[0] for key, recipes in read_recipes([self.place]).items()} | self.used
        ordered = sorted(kept.values(), key=lambda recipe: (recipe.kernel, recipe.fingerprint))
        text = "".join(recipe.text for recipe in ordered)
        return {self.place.name: text.encode("ascii")} if self.used else {}


def built_in_recipes() -> list[Path]:
    """The files with the recipes of built-in mechanisms."""
    folder = Path(str(resources.files("kanegen.generated"))) / "recipes"
    return sorted(folder.glob("*.txt"))


def read_recipes(files: Iterable[Path]) -> dict[str, list[Recipe]]:
    """The recipes in some files by fingerprint, in the order of the files; those that do not exist hold none.

    Raises FileError for what cannot be read, or is no file of recipes.
    """
    found: dict[str, list[Recipe]] = {}
    for path in files:
        try:
            text = path.read_text(encoding="ascii") if path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise FileError(f"{path} cannot be read: {error}. Name another file of recipes") from error
        for part in filter(None, text.split("\n\n")):
            lines = part.splitlines()
            if len(lines) < 3 or lines[0] != _HEAD or len(lines[1].split()) != 2:
                raise FileError(
                    f"{path} is no file of recipes, at {lines[0]!r}. Remove it, or name another one"
                )
            kernel, own = lines[1].split()
            recipe = Recipe(kernel, own, tuple(lines[2:]))
            if recipe not in found.setdefault(own, []):
                found[own].append(recipe)
    return found
