"""The thorough search of a kernel: its recipe where there is one, else resubstitution for a number of steps."""

from __future__ import annotations

from kanegen.codegen.graph import Program, count
from kanegen.codegen.passes.optimize import Step
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution.core import Schedule, core, resubstituted
from kanegen.codegen.passes.resubstitution.recipe import (
    RecipeBook,
    fingerprint,
    is_equal,
    program_from,
    recipe_of,
)
from kanegen.codegen.passes.resubstitution.web import program_of, web_of
from kanegen.errors import NotCompiledError

_STEPS_OF_A_VALUE = 500
"""Steps of a cycle for each value."""
_WORK = 480_000_000
"""Steps times values in all cycles: a step takes longer the more values there are.  Some minutes for an arm."""
_MOST_CYCLES = 24
_LARGEST = 1500
"""Values of the webs that are searched: the table of all pairs takes 400 MB then."""


def thorough(program: Program, plain: Program, book: RecipeBook) -> tuple[Program, tuple[Step, ...]]:
    """The cheapest program found for a kernel with this optimized program and plain derivation, and what was done.

    Raises NotCompiledError where there is no recipe and the core of the search was not compiled.
    """
    key = fingerprint(plain)
    recipe = book.known.get(key)
    found = program_from(recipe, program) if recipe is not None else None
    if recipe is None or found is None:
        web = web_of(program)
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
        steps = min(_STEPS_OF_A_VALUE * values, _WORK // values)
        cycles = max(1, min(_MOST_CYCLES, _WORK // (steps * values)))
        best = resubstituted(extension, program, web, Schedule(cycles, steps))
        found = program_of(best, program)
        if not is_equal(found, program):
            return program, ()
        recipe = recipe_of(best, program, plain)
    if cost(count(found)) >= cost(count(program)):
        return program, ()
    book.used[key] = recipe
    return found, (Step("resubstitution", count(found)),)
