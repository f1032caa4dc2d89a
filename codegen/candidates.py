"""Programs that searches find for a kernel, compared after all passes.

A search counts operations before the passes, and these tell apart programs that the count cannot: so the best of those
that the search met are optimized, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kanegen.codegen.derivation.placed_tree import (
    exchange,
    inertial_gauge,
    orientation,
    placement,
    unit_gauge,
)
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.look_through import look_through
from kanegen.codegen.passes.merge import merge
from kanegen.codegen.passes.optimize import Step, factored, finished, looked_through, optimize
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution.residues import values_of
from kanegen.codegen.passes.search import NEAR, Found, search

_LATE_NODES = 3000
"""Nodes of the programs that are optimized to compare late decisions, those of inverse dynamics of an arm of usual size."""

_FACTORED_NODES, _LOOKED_THROUGH_CUBES = 32_000, 600_000_000
"""Nodes of other programs that are flattened and factored, and their cubes in those that are looked through then: the more
nodes there are, the more there is to look at from each of them, and the less the nearest of few such programs brings."""
_FACTORED, _LOOKED_THROUGH = 8, 36
"""One for so many derivations that may be tried, at most."""
_FINALISTS = 8
"""Of the programs looked through, those that go through all passes."""

_PLACED_NODES, _SMALL_NODES = 60_000, 700
"""Nodes of the programs with other origins that are factored; and of small ones, which are looked through and compared with
other units of length, too.  In larger ones what is factored says nothing about units."""

_TINY_NODES = 300
"""Nodes of programs that are looked through to decide on masses; others are flattened and factored."""

_TRIED_ALIKE = 4
"""Programs that are optimized for each that is looked for."""

_MADE_UP_FOR = 2.5
"""Operations that a program may be dearer when it is factored, since later passes may make up for them."""

_MUCH, _BOTH_NODES = 0.95, 4000
"""Of the price of a program is left when equal values are one, so that the passes find more in what is left; and nodes of
programs of named kernels that are optimized with and without that."""

_WHOLE = 0.5
"""Of an operation.  A saving below it only trades additions for multiplications."""


@dataclass(frozen=True)
class Candidate:
    """What a search finds, its program after all passes, and the steps of these."""

    found: Found
    program: Program
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, found: Found) -> Candidate:
        """After all passes."""
        return cls(found, *optimize(found.program))

    @property
    def price(self) -> float:
        """Of the program, in additions; tenths of thousandths are rounding."""
        return round(cost(count(self.program)), 6)


@dataclass(frozen=True)
class Beginning:
    """What a search begins with, how many derivations it may try, and whether programs near the best are compared.

    ``places`` is how many derivations may be tried with other origins of frames, and other units of length, after it.
    """

    decisions: Mapping[str, int]
    budget: int
    near: bool = False
    places: int = 0


def best_candidate(
    sources: KernelSources, name: str, beginning: Beginning
) -> tuple[Candidate, Mapping[str, int]]:
    """What is best after all passes of what searches find, and the decisions for other kernels to begin with.

    Other kernels begin with what the searches end with: what passes make of single programs says nothing about them.
    """
    best, searches = _best_of_searches(sources, name, beginning)
    begun = best.found.answers
    if beginning.near and beginning.budget > 1:
        deriver = sources.deriver(name, searched=True)
        found = _best_of_near(best, searches, deriver, beginning.budget)
        best = best if found is best else _with_late_decisions(found, deriver)
    derivations = sum(search.derivations for search in searches)
    return replace(best, found=replace(best.found, derivations=derivations)), begun


def decisions(sources: KernelSources, name: str, beginning: Beginning) -> Mapping[str, int]:
    """The decisions for other kernels to begin with, of a kernel that is not asked for itself."""
    return _best_of_searches(sources, name, beginning)[0].found.answers


def _best_of_searches(
    sources: KernelSources, name: str, beginning: Beginning
) -> tuple[Candidate, list[Found]]:
    """The best of what searches find, and all that they find.

    Where an early decision was not for the textbook, there is another search in which it is.
    """
    start, budget = beginning.decisions, beginning.budget
    if budget == 1:
        found = searched(sources, name, start, budget)
        if beginning.places:
            found = _placed_anew(found, sources.deriver(name, searched=False), beginning.places)
        return _unsearched(found, sources.options.kernels is not None), [found]
    deriver = sources.deriver(name, searched=True)
    start = _with_masses(start, deriver)
    searches = [searched(sources, name, start, budget)]
    best = Candidate.of(searches[0])
    early = [point for point, decision in best.found.points.items() if decision.early]
    if any(best.found.answers.get(point, 0) for point in early):
        textbook = {**start, **dict.fromkeys(early, 0)}
        searches.append(searched(sources, name, textbook, budget, early=False))
        best = min(best, Candidate.of(searches[-1]), key=lambda candidate: candidate.price)
    return _with_late_decisions(best, deriver), searches


def _unsearched(found: Found, named: bool) -> Candidate:
    """A program that no search has chosen, after all passes; its equal values are one before them where there are many.

    Of small ones both are made, and the cheaper one counts; of larger ones, too, where the kernel was ``named``: who names
    it waits for the better.
    """
    program, merged = found.program, merge(found.program)
    left, size = cost(count(merged)) / max(1, cost(count(program))), len(program.graph)
    if left == 1 or (size > _SMALL_NODES and left > _MUCH):
        return Candidate.of(found)
    first = Candidate(found, *optimize(merged))
    both = size <= (_BOTH_NODES if named else _SMALL_NODES)
    candidates = (Candidate.of(found), first) if both else (first,)
    return min(candidates, key=lambda candidate: cost(count(merge(candidate.program))))


def _with_masses(start: Mapping[str, int], deriver: Deriver) -> Mapping[str, int]:
    """The decisions with that whether masses may stay on bodies, which each kernel makes for itself.

    Products with one velocity are gathered by the passes: before these a kinetic energy shows nothing of what it loses.
    Programs are compared without what is decided about second moments: that was for masses that stay, or was not.  Where
    both cost the same, masses may stay unless another kernel decided otherwise: there is more to choose from then.
    """
    point, moments = inertial_gauge.EMPTIED, (inertial_gauge.KEPT, inertial_gauge.POINT)
    plain = {met: answer for met, answer in start.items() if not met.startswith(moments)}
    without, points = deriver(plain)
    if point not in points:
        return start
    kept, tiny = deriver({**plain, point: 1})[0], len(without.graph) <= _TINY_NODES
    gain = min(_rough_price(without, by) - _rough_price(kept, by) for by in {False, tiny})
    open_one = start.get(point, without.graph.kinds != kept.graph.kinds)
    if gain > _WHOLE or (gain > -_WHOLE and open_one):
        return start if start.get(point) else {**plain, point: 1}
    return {met: answer for met, answer in start.items() if not met.startswith(inertial_gauge.KEPT)}


def _placed_anew(found: Found, deriver: Deriver, most: int) -> Found:
    """The same search, had it ended with the orders of joints, frames and unit of length that suit the kernel best.

    Sums of lengths are formed by the passes: a search, which counts before them, sees little of what an origin is worth.
    """
    size = len(found.program.graph)
    most = min(most, _PLACED_NODES // size - 1)
    if most < 1:
        return found
    small = size <= _SMALL_NODES
    best, least, tried = found.answers, _rough_price(found.program, small), 0
    kinds = (exchange.POINT, orientation.POINT, placement.POINT, unit_gauge.POINT)
    for point, decision in found.points.items():
        if not point.startswith(kinds if small else kinds[:-1]):
            continue
        for answer in range(decision.alternatives):
            if answer == best[point] or tried == most:
                continue
            tried += 1
            trial = {**best, point: answer}
            its = _rough_price(deriver.recollected(trial)[0], small)
            if its < least - _WHOLE:
                best, least = trial, its
    found = found if best is found.answers else _with_answers(found, best, deriver)
    return replace(found, derivations=found.derivations + tried)


def _rough_price(program: Program, small: bool = False) -> float:
    """What a program costs when it is flattened and factored, and looked through where ``small`` ones are compared."""
    return cost(count(looked_through(program)[0] if small else factored(program)))


def _with_late_decisions(best: Candidate, deriver: Deriver) -> Candidate:
    """The best of a candidate and those in which its late decisions are others.

    Fine ones are not optimized that change only numbers, or make the program so dear that the passes will not make up for
    it.  Passes go on with what is cheaper than the best so far when it is looked through, or as cheap where it is coarse or
    was cheaper before.
    """
    left = _LATE_NODES
    late = {point: decision for point, decision in best.found.points.items() if decision.late}
    for point, decision in late.items():
        given = best.found.answers.get(point, 0)
        for answer in range(decision.alternatives):
            answers = {**best.found.answers, point: answer}
            if answer == given or not (decision.coarse or _is_near(best.found, answers, deriver)):
                continue
            trial = _with_answers(best.found, answers, deriver)
            gain = _rough_price(best.found.program) - _rough_price(trial.program)
            alike = trial.program.graph.kinds == best.found.program.graph.kinds
            if not decision.coarse and (alike or gain < -_MADE_UP_FOR):
                continue
            left -= len(best.program.graph)
            if left < 0:
                return best
            program, steps = looked_through(trial.program)
            gain_then = _looked_through(best) - round(cost(count(program)), 6)
            if gain_then > 0 or (gain_then > -_WHOLE and (gain > _WHOLE or decision.coarse)):
                candidate = Candidate(trial, *finished(trial.program, program, steps))
                best = min(best, candidate, key=lambda candidate: candidate.price)
    return best


def _looked_through(candidate: Candidate) -> float:
    """The price of a candidate when it is looked through; that at the end where this was not done."""
    found = (round(cost(step.counts), 6) for step in candidate.steps if step.name == look_through.__name__)
    return next(found, candidate.price)


def _is_near(found: Found, answers: Mapping[str, int], deriver: Deriver) -> bool:
    """Whether these answers lead to another program than was found, which costs little more."""
    here, there = deriver.weigh(found.answers), deriver.weigh(answers)
    same = here.results is not None and here.results == there.results
    return not same and cost(there.counts) <= cost(here.counts) + NEAR


def _with_answers(found: Found, answers: Mapping[str, int], deriver: Deriver) -> Found:
    """The same search, had it ended with these answers."""
    program, points = deriver(answers)
    chosen = {met: answers.get(met, 0) for met in points}
    return replace(found, program=program, answers=chosen, counts=count(program), points=points)


def _best_of_near(best: Candidate, searches: Iterable[Found], deriver: Deriver, budget: int) -> Candidate:
    """The best of a candidate and of other programs that searches met.

    Those come first that are cheapest when they are flattened and factored, and only the cheapest of these when they are
    looked through go through all passes: each step takes several times as long as the one before.
    """
    near = [(price, found, answers) for found in searches for price, answers in found.near]
    most = min(budget // _FACTORED, _FACTORED_NODES // len(best.found.program.graph))
    waiting = list[tuple[float, int, Found, Mapping[str, int]]]()
    for _, found, answers in sorted(near, key=lambda entry: entry[0])[:most]:
        price = cost(count(factored(deriver.recollected(answers)[0])))
        waiting.append((price, len(waiting), found, answers))
    left, tried = _LOOKED_THROUGH_CUBES, []
    for _, place, found, answers in sorted(waiting, key=lambda entry: entry[:2])[: budget // _LOOKED_THROUGH]:
        trial = _with_answers(found, answers, deriver)
        left -= len(trial.program.graph) ** 3
        if left < 0:
            break
        program, steps = looked_through(trial.program)
        tried.append((cost(count(program)), place, trial, program, steps))
    for _, _, trial, program, steps in sorted(tried, key=lambda entry: entry[:2])[:_FINALISTS]:
        candidate = Candidate(trial, *finished(trial.program, program, steps))
        if candidate.price < best.price - _WHOLE:
            best = candidate
    return best


def alike(best: Candidate, deriver: Deriver, most: int) -> list[Program]:
    """Up to so many optimized programs that are one decision away from the best one and hardly dearer.

    Those come first that differ in a late decision, and the cheapest of each kind.  Programs are other ones where values
    differ in them.
    """
    if most < 1:
        return []
    answers, least = best.found.answers, cost(best.found.counts)
    trials = list[tuple[float, int, bool, Mapping[str, int]]]()
    for point, decision in best.found.points.items():
        for answer in range(decision.alternatives):
            if answer != answers.get(point, 0):
                other = {**answers, point: answer}
                trials.append((cost(deriver.weigh(other).counts), len(trials), not decision.late, other))
    met = {values_of(best.program.graph, best.program.roots)}
    found = list[tuple[bool, float, int, Program]]()
    for price, place, fine, trial in sorted(trials, key=lambda entry: entry[:2])[: _TRIED_ALIKE * most]:
        if price > least + NEAR:
            break
        program, _ = optimize(deriver(trial)[0])
        values, price = values_of(program.graph, program.roots), cost(count(program))
        if price < best.price + 1 + _WHOLE and values not in met:
            met.add(values)
            found.append((fine, price, place, program))
    return [program for *_, program in sorted(found, key=lambda entry: entry[:3])[:most]]


def searched(
    sources: KernelSources, name: str, start: Mapping[str, int], budget: int, early: bool = True
) -> Found:
    """The best program of a kernel that a search finds."""
    deriver = sources.deriver(name, searched=budget > 1)
    return search(deriver, start, budget, weighed=sources.trees.tied, weigh=deriver.weigh, early=early)
