"""The thorough search of a kernel: its recipe where there is one, else resubstitution for a number of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
"""Steps times values in all cycles, from the best program and once more from others: a step takes longer the more values
there are.  Two minutes for a kernel, and four for the first of a mechanism, which is inverse dynamics of an arm; twice."""
_MOST_CYCLES = 40
"""From one program."""
_CYCLES_OF_A_START, _TRIED, _KEPT = 8, 4, 4
"""There is another program to begin with for so many cycles; it is gone on from for a few at first, and then from one of so
many."""
_LARGEST = 1500
"""Values of the webs that are searched: the table of all pairs takes 400 MB then."""
_RESCALING = 3000
"""Steps through the scales of values before each cycle."""
_PATIENCE = 0.2
"""How often a cycle goes on from what is one operation dearer than the best."""
_KINDS = {SUM: Kind.SUM, SHIFTED: Kind.SUM, PRODUCT: Kind.PRODUCT, SCALED: Kind.PRODUCT}


Others = Callable[[int], Sequence[Program]]
"""At most so many other programs of a kernel that cost little more."""


def _none(most: int) -> Sequence[Program]:
    return ()


def thorough(
    program: Program, plain: Program, book: RecipeBook, others: Others = _none, first: bool = False
) -> tuple[Program, tuple[Step, ...]]:
    """The cheapest program found for a kernel with this optimized program and plain derivation, and what was done.

    What it begins with besides is asked for from ``others``.  It takes up to twice as long for the ``first`` kernel of a
    mechanism.

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
        cycles = max(1, work // (steps * values))
        walk = _Walk(extension, program, steps)
        walk.go_on(cycles)
        best, source = walk.best, program
        starts = others(cycles // _CYCLES_OF_A_START)
        if starts:
            walk = _furthest([_Walk(extension, start, steps) for start in starts], cycles)
            if walk.price < cost(count(program_of(best, source))):
                best, source = walk.cheapest, walk.program
        found = program_of(best, source)
        if not is_equal(found, program):
            return program, ()
        recipe = recipe_of(best, source, plain)
    if cost(count(found)) >= cost(count(program)):
        return program, ()
    book.used[key] = recipe
    return found, (Step("resubstitution", count(found)),)


@dataclass
class _Walk:
    """A search that begins with one program, in cycles of so many steps, and the cheapest web that it has found.

    Of webs that cost the same it has the last one as its ``best``, and as its ``cheapest`` one that takes least when it is
    written out: twice a value is a multiplication then.  Each cycle begins with what the last one ended with, or with the
    best where that was dearer, in other scales, which cost as much or little more.  Now and then a cycle goes on from what
    is one operation dearer.
    """

    extension: ModuleType
    program: Program
    steps: int
    best: Web = field(init=False)
    now: Web = field(init=False)
    cheapest: Web = field(init=False)
    price: float = field(init=False)
    random: Random = field(init=False)
    cycles: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.best = self.now = self.cheapest = renumbered(web_of(self.program))
        self.price = cost(count(self.program))
        self.random = Random(1)

    def go_on(self, cycles: int) -> None:
        """So many cycles more, up to the most that are worth it."""
        random = self.random
        for _ in range(min(cycles, _MOST_CYCLES - self.cycles)):
            self.cycles += 1
            start = rescaled(self.now, _RESCALING, random, above=int(3 * random.random()))
            schedule = Schedule(1, self.steps, seed=self.cycles)
            found = resubstituted(self.extension, self.program, start, schedule)
            dearer = _price(found) - _price(self.best)
            if dearer <= 0:
                self.best = self.now = found
                price = cost(count(program_of(found, self.program)))
                if price <= self.price:
                    self.cheapest, self.price = found, price
            else:
                goes_on = dearer < 1.5 * ADDITION and random.random() < _PATIENCE
                self.now = found if goes_on else self.best


def _furthest(walks: Sequence[_Walk], cycles: int) -> _Walk:
    """The walk that has found the cheapest program after so many cycles of all: those fall behind that have found less."""
    while len(walks) > 1:
        for walk in walks:
            walk.go_on(_TRIED)
        cycles -= _TRIED * len(walks)
        walks = sorted(walks, key=lambda walk: walk.price)[: len(walks) // _KEPT or 1]
    walks[0].go_on(cycles)
    return walks[0]


def _price(web: Web) -> int:
    """The price of what values are made by, but for divisions and roots, which stay."""
    return sum(PRICES[_KINDS[made.form]] for made in web.values if made.form in _KINDS)
