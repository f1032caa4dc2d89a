"""The thorough search of a kernel: its recipe where there is one, else resubstitution for a number of steps.

A search that is to go further begins with the recipe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from types import ModuleType
from zlib import crc32

from kanegen.codegen.graph import Kind, Program, count
from kanegen.codegen.passes.optimize import Step
from kanegen.codegen.passes.prices import ADDITION, PRICES, cost
from kanegen.codegen.passes.resubstitution.core import Schedule, Source, core, resubstituted
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
    neighbourhood,
    program_of,
    renumbered,
    web_of,
)
from kanegen.errors import CertificateError, NotCompiledError

_SMALLEST, _LARGEST = 60, 120
"""So many values take part in a cycle, at least and at most."""
_STEPS_OF_A_VALUE = 300
"""Steps of a cycle for each of them: half a second."""
_CYCLES, _CYCLES_OF_FIRST = (300, 0.6), (450, 1.0)
"""So many for a kernel, or so many for each value where that is more; and for the first of a mechanism, which is inverse
dynamics of an arm."""
_MOST_CYCLES, _MOST_OF_A_VALUE = 1500, 2
"""In all."""
WORK_OF_A_SET, _OVERHEAD = 3000, 2000
"""Cycles for all kernels of a mechanism together, a quarter of an hour: each takes the less the fewer values are searched,
and the longer the more there are besides, as if one of so many values more were searched."""
_STAGE, _COVERED = 12, 3
"""Cycles before walks are compared: so many at least, and as many as look at each value so often."""
_ALIKE = 10_000_000
"""So many walks at most, over the square of the number of values: in a large web luck evens out."""
_KEPT = 4
"""One of so many walks goes on."""
_RESCALING, _RESCALED = 3000, 300
"""Steps through the scales of values, before each cycle in which as many values were searched."""
_PATIENCE = 0.2
"""How often a cycle goes on from what is one operation dearer than the best."""
_KINDS = {SUM: Kind.SUM, SHIFTED: Kind.SUM, PRODUCT: Kind.PRODUCT, SCALED: Kind.PRODUCT}


Others = Callable[[int], Sequence[Program]]
"""At most so many other programs of a kernel that cost little more."""


def _none(most: int) -> Sequence[Program]:
    return ()


def work_of(program: Program, first: bool) -> float:
    """What a thorough search of an optimized program takes, in cycles of usual ones."""
    values = _inner(renumbered(web_of(program)))
    usual = (_SMALLEST + _LARGEST) / 2
    return _most_cycles(values, first) * (min(1, values / usual) + values / _OVERHEAD)


def _inner(web: Web) -> int:
    return len(web.values) - web.leaves


def _most_cycles(values: int, first: bool) -> int:
    least, share = _CYCLES_OF_FIRST if first else _CYCLES
    return int(min(max(least, share * values), _MOST_OF_A_VALUE * values, _MOST_CYCLES))


def thorough(
    program: Program,
    plain: Program,
    book: RecipeBook,
    others: Others = _none,
    first: bool = False,
    share: float = 1.0,
) -> tuple[Program, tuple[Step, ...]]:
    """The cheapest program found for a kernel with this optimized program and plain derivation, and what was done.

    Where no recipe is known, what it begins with besides is asked for from ``others``.  It takes half as long again for the
    ``first`` kernel of a mechanism, or more; it ends after a ``share`` of the cycles.

    Raises NotCompiledError where there is no recipe and the core of the search was not compiled, and CertificateError where
    what is found does not prove equal.
    """
    key = fingerprint(plain)
    proved = [
        (found, recipe)
        for recipe in book.known.get(key, ())
        # frames may have been turned since, so that the program has sines of other angles
        if (found := program_from(recipe, program) or program_from(recipe, plain)) is not None
    ]
    found, recipe = min([*proved, (program, None)], key=lambda one: cost(count(one[0])))
    if recipe is None or book.further:
        web = renumbered(web_of(found))
        values = _inner(web)
        if not values:
            return program, ()
        extension = core()
        if extension is None:
            raise NotCompiledError(
                f"{plain.name}: a thorough search needs the extension kanegen._resubstitution, which was not compiled "
                "with this installation. Install kanegen where there is a C compiler with 128-bit integers (GCC or "
                "Clang), or search normally"
            )
        cycles, seed = max(1, int(share * _most_cycles(values, first))), 0
        if recipe is not None:
            others, seed = _none, crc32(recipe.text.encode("ascii")) >> 1
        walk = _furthest_walk(extension, found, program, values, cycles, others, seed)
        best, source = walk.cheapest
        found = program_of(best, source)
        if not is_equal(found, program):
            raise CertificateError(
                f"{plain.name}: the program that a thorough search found does not prove equal to the one that it began "
                "with. kanegen is at fault. Search normally, and report it with the model"
            )
        recipe = recipe_of(best, source, plain)
    if cost(count(found)) >= cost(count(program)):
        return program, ()
    book.used[key] = recipe
    return found, (Step("resubstitution", count(found)),)


@dataclass
class _Walk:
    """A search that begins with one program, in cycles, and the cheapest web that it has found.

    Of webs that cost the same it has the last one as its ``best``, and as its ``cheapest`` the first that takes least when
    it is written out, with the program in which its leaves stand: twice a value is a multiplication then.  Each cycle looks
    at some neighbouring values, and begins with what the last one ended with, or with the best where that was dearer; every
    few cycles in other scales, which cost as much or little more.  Now and then a cycle goes on from what is one operation
    dearer.

    Numbers are rounded to 60 digits when a web is written out, and terms that vanish so, or values that become one, are not
    told by residues.  Where that makes it cheaper the walk goes on with what is written.  A value that is nothing but
    rounding may be taken for one, and others made of it: such a web does not prove equal to ``given``, and the walk goes
    back to the cheapest that does.
    """

    extension: ModuleType
    given: Program
    program: Program
    seed: int
    best: Web = field(init=False)
    now: Web = field(init=False)
    cheapest: tuple[Web, Program] = field(init=False)
    price: float = field(init=False)
    random: Random = field(init=False)
    cycles: int = field(init=False, default=0)
    source: Source = field(init=False)

    def __post_init__(self) -> None:
        self._begin(self.program)
        self.cheapest, self.price = (self.best, self.program), cost(count(self.program))
        self.random = Random(self.seed)

    def _begin(self, program: Program) -> None:
        self.program, self.source = program, Source.of(program)
        self.best = self.now = renumbered(web_of(program))

    def go_on(self, cycles: int) -> None:
        """So many cycles more."""
        random = self.random
        for _ in range(cycles):
            start = self.now
            if self.cycles % max(1, len(start.values) // _RESCALED) == 0:
                start = rescaled(start, _RESCALING, random, above=int(3 * random.random()))
            self.cycles += 1
            size = _SMALLEST + int(random.random() * (_LARGEST - _SMALLEST))
            window = neighbourhood(start, size, random)
            inner = sum(index >= start.leaves for index in window)
            schedule = Schedule(_STEPS_OF_A_VALUE * inner, seed=self.cycles + (self.seed << 32))
            found = resubstituted(self.extension, self.source, start, schedule, window)
            if found is None:
                self.now = self.best
                continue
            dearer = _price(found) - _price(self.best)
            if dearer <= 0:
                self._take(found)
            else:
                goes_on = dearer < 1.5 * ADDITION and random.random() < _PATIENCE
                self.now = found if goes_on else self.best

    def _take(self, found: Web) -> None:
        """Go on with what is as cheap as the best, or cheaper."""
        self.best = self.now = found
        written = program_of(found, self.program)
        price = cost(count(written))
        if price < self.price:
            if not is_equal(written, self.given):
                self._begin(program_of(*self.cheapest))
                return
            self.cheapest, self.price = (found, self.program), price
        if _price(renumbered(web_of(written))) < _price(found):
            self._begin(written)


def _furthest_walk(
    extension: ModuleType,
    program: Program,
    given: Program,
    values: int,
    left: int,
    others: Others,
    seed: int,
) -> _Walk:
    """The walk that has found the cheapest program, of many that begin with the best one and with others.

    Chances of the first are those of the ``seed`` and 1.  After a few cycles those fall behind that have found less, until
    one is left, which has what is ``left`` of the cycles.
    """
    stage = max(_STAGE, _COVERED * values // _LARGEST)
    number = max(1, min(left // (2 * stage), _ALIKE // values**2))
    starts = [*others(number // 2)]
    starts = [program] * (number - len(starts)) + starts
    walks = [_Walk(extension, given, start, own) for own, start in enumerate(starts, seed + 1)]
    while len(walks) > 1:
        for walk in walks:
            walk.go_on(stage)
        left -= stage * len(walks)
        walks = sorted(walks, key=lambda walk: walk.price)[: len(walks) // _KEPT or 1]
    walks[0].go_on(left)
    return walks[0]


def _price(web: Web) -> int:
    """The price of what values are made by, but for divisions and roots, which stay."""
    return sum(PRICES[_KINDS[made.form]] for made in web.values if made.form in _KINDS)
