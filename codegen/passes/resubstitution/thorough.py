"""The thorough search of a kernel: its recipe where there is one, else resubstitution for a number of steps."""

from __future__ import annotations

from random import Random
from types import ModuleType

from kanegen.codegen.graph import Kind, Program, count
from kanegen.codegen.passes.optimize import Step
from kanegen.codegen.passes.prices import ADDITION, PRICES, cost
from kanegen.codegen.passes.resubstitution.core import Schedule, core, resubstituted
from kanegen.codegen.passes.resubstitution.recipe import (
    RecipeBook,
    fingerprint,
    is_equal,
    program_from,
    recipe_of,
)
from kanegen.codegen.passes.resubstitution.scales import rescaled
from kanegen.codegen.passes.resubstitution.web import (
    PRODUCT,
    SCALED,
    SHIFTED,
    SUM,
    Web,
    program_of,
    renumbered,
    web_of,
)
from kanegen.errors import NotCompiledError

_STEPS_OF_A_VALUE = 300
"""Steps of a cycle for each value."""
_WORK, _WORK_OF_FIRST = 480_000_000, 960_000_000
"""Steps times values in all cycles: a step takes longer the more values there are.  Two minutes for a kernel, and four for
the first of a mechanism, which is inverse dynamics of an arm."""
_MOST_CYCLES = 40
_LARGEST = 1500
"""Values of the webs that are searched: the table of all pairs takes 400 MB then."""
_RESCALING = 3000
"""Steps through the scales of values before each cycle."""
_PATIENCE = 0.2
"""How often a cycle goes on from what is one operation dearer than the best."""
_KINDS = {SUM: Kind.SUM, SHIFTED: Kind.SUM, PRODUCT: Kind.PRODUCT, SCALED: Kind.PRODUCT}


def thorough(
    program: Program, plain: Program, book: RecipeBook, first: bool = False
) -> tuple[Program, tuple[Step, ...]]:
    """The cheapest program found for a kernel with this optimized program and plain derivation, and what was done.

    It takes up to twice as long for the ``first`` kernel of a mechanism.

    Raises NotCompiledError where there is no recipe and the core of the search was not compiled.
    """
    key = fingerprint(plain)
    recipe = book.known.get(key)
    found = program_from(recipe, program) if recipe is not None else None
    if recipe is None or found is None:
        web = renumbered(web_of(program))
        values = len(web.values)
        if values == web.leaves or values > _LARGEST:
            return program, ()
        extension = core()
        if extension is None:
            raise NotCompiledError(
                f"{plain.name}: a thorough search needs the extension kanegen._resubstitution, which was not compiled "
                "with this installation. Install kanegen where there is a C compiler with 128-bit integers (GCC or "
                "Clang), or search normally"
            )
        work = _WORK_OF_FIRST if first else _WORK
        steps = min(_STEPS_OF_A_VALUE * values, work // values)
        cycles = max(1, min(_MOST_CYCLES, work // (steps * values)))
        best = _searched(extension, program, web, cycles, steps)
        found = program_of(best, program)
        if not is_equal(found, program):
            return program, ()
        recipe = recipe_of(best, program, plain)
    if cost(count(found)) >= cost(count(program)):
        return program, ()
    book.used[key] = recipe
    return found, (Step("resubstitution", count(found)),)


def _searched(extension: ModuleType, program: Program, web: Web, cycles: int, steps: int) -> Web:
    """The cheapest web that so many cycles find.

    Each begins with what the last one ended with, or with the best where that was dearer, in other scales, which cost as
    much or little more.  Now and then a cycle goes on from what is one operation dearer.
    """
    random = Random(1)
    best = now = web
    for cycle in range(cycles):
        start = rescaled(now, _RESCALING, random, above=int(3 * random.random()))
        found = resubstituted(extension, program, start, Schedule(1, steps, seed=cycle + 1))
        dearer = _price(found) - _price(best)
        if dearer <= 0:
            best = now = found
        else:
            now = found if dearer < 1.5 * ADDITION and random.random() < _PATIENCE else best
    return best


def _price(web: Web) -> int:
    """The price of what values are made by, but for divisions and roots, which stay."""
    return sum(PRICES[_KINDS[made.form]] for made in web.values if made.form in _KINDS)
