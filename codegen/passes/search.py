"""Search: derive again with other choices, and let the count decide.

Coordinate descent over the decision points of a derivation.  A fine decision is changed alone: derive, count, keep what
is better.  A coarse one (the inertial gauge of a body) is changed together with one round of descent over the fine
decisions that concern the same bodies, since its worth shows only then.  Bounded by derivations and by the work in them,
counted in nodes and never in time, and free of chance, so the result is reproducible.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.graph import OperationCounts, Program, count
from kanegen.codegen.graph.decision import Decision, Weighed
from kanegen.codegen.passes.prices import cost

_HOPELESS = 4
"""A coarse change that costs more operations than this at first is not followed up."""

_NODES_OF_A_DECISION = 10
_NODES_OF_A_PAIR = 10
"""What decisions cost, in nodes of a graph.  A coarse one makes the numbers of all bodies anew, each of which has a few
coarse decisions: so the cost of one grows with the number of bodies."""

_USUAL_SIZE = 3000
"""Nodes, decisions included, of inverse dynamics of an arm with six general joints."""

_WORK = 600 * _USUAL_SIZE
"""Nodes built in a search of programs up to the usual size: no arm of six or seven joints gains from more."""

NEAR = 2.5
"""Programs that cost so many additions more than the best at most are worth the passes: two operations."""

_FEW = 40
"""Where fewer derivations are allowed than this, methods are weighed first, whatever that takes."""

Derive = Callable[[Mapping[str, int]], tuple[Program, Mapping[str, Decision]]]
"""Answers to decision points -> the program, and the points that were met."""

Weigh = Callable[[Mapping[str, int]], Weighed]
"""Answers to decision points -> what the program costs."""


@dataclass(frozen=True)
class Found:
    """The best program found, its decision points and the answers at all of them, its counts, and how many were derived.

    ``near`` has the answers that lead to other programs which cost little more, each with its price, the cheapest first.
    """

    program: Program
    answers: Mapping[str, int]
    counts: OperationCounts
    derivations: int
    points: Mapping[str, Decision]
    near: Sequence[tuple[float, Mapping[str, int]]] = ()


@dataclass(frozen=True, slots=True)
class _Worth:
    """What is remembered of a program: the decision points met, its price, the work that it takes to derive it, and what
    the same programs have in common.
    """

    points: Mapping[str, Decision]
    cost: float
    work: int
    results: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _State:
    """Answers, and what they lead to."""

    answers: Mapping[str, int]
    points: Mapping[str, Decision]
    cost: float


def allowance(size: int) -> int:
    """Nodes that a search of programs of this size may build.

    Beyond the usual size it falls with the square: large programs have more decisions, which a search would not come to
    the end of, and the time of a whole generation is to stay the same.  Up to two and a half times that size, where arms
    with seven joints at odd angles are, half of the work is worth it; from there it falls at once to the square.
    """
    ratio = Fraction(_USUAL_SIZE, max(size, _USUAL_SIZE))
    return int(_WORK * max(ratio**2, min(Fraction(1), (ratio * 5 / 2) ** 8) / 2))


def _work(weighed: Weighed) -> int:
    """Nodes of a program, and what its decisions cost."""
    points = weighed.points
    coarse = len({decision.scope for decision in points.values() if decision.coarse})
    return weighed.nodes + _NODES_OF_A_DECISION * (len(points) - coarse) + _NODES_OF_A_PAIR * coarse**2


class _Search:
    def __init__(self, weigh: Weigh, budget: int) -> None:
        self.weigh, self.budget, self.spent = weigh, budget, 0
        self.work, self.allowance = 0, 0
        self.known: dict[frozenset[tuple[str, int]], _Worth] = {}

    def state(self, answers: Mapping[str, int]) -> _State:
        """What the answers lead to.  Those met before are not derived again, but count as if they were."""
        given = frozenset(item for item in answers.items() if item[1])
        worth = self.known.get(given)
        if worth is None:
            found = self.weigh(answers)
            worth = self.known[given] = _Worth(found.points, cost(found.counts), _work(found), found.results)
        self.spent += 1
        self.work += worth.work
        self.allowance = self.allowance or allowance(worth.work)
        return _State(answers, worth.points, worth.cost)

    def near(self, best: _State) -> list[tuple[float, Mapping[str, int]]]:
        """Prices and answers of other programs than the best one that cost little more: the cheapest first."""
        own = frozenset(item for item in best.answers.items() if item[1])
        met = {self.known[own].results}
        found = list[tuple[float, Mapping[str, int]]]()
        for given, worth in sorted(self.known.items(), key=lambda known: known[1].cost):
            if worth.cost > best.cost + NEAR:
                break
            if given != own and worth.results is not None and worth.results not in met:
                met.add(worth.results)
                found.append((worth.cost, dict(given)))
        return found

    @property
    def exhausted(self) -> bool:
        """Whether nothing more may be derived."""
        return self.spent >= self.budget or self.work >= self.allowance

    def weighed(self, state: _State, points: Iterable[str]) -> _State:
        """The best alternatives of the given points as things stand, whatever that takes."""
        for point in points:
            decision = state.points.get(point)
            for answer in range(decision.alternatives if decision is not None else 0):
                if answer != state.answers.get(point, 0):
                    trial = self.state({**state.answers, point: answer})
                    state = trial if trial.cost < state.cost - 1e-9 else state
        return state

    def with_early(self, state: _State) -> _State:
        """The state with the best alternatives of early points, each by the method that it suits best."""
        early = [p for p, d in state.points.items() if d.early]
        if not early:
            return state
        methods = [p for p, d in state.points.items() if d.whole]
        best = self.weighed(self.weighed(state, methods), early)
        made = {p: best.answers.get(p, 0) for p in early}
        if all(state.answers.get(p, 0) == answer for p, answer in made.items()):
            return state
        return self.state({**state.answers, **made})

    def round(self, state: _State, points: Iterable[str]) -> _State:
        """One round of descent over the given points."""
        for point in points:
            decision = state.points.get(point)
            if decision is None:
                continue
            for answer in range(decision.alternatives):
                if answer == state.answers.get(point, 0) or self.exhausted:
                    continue
                trial = self.state({**state.answers, point: answer})
                if trial.cost < state.cost - 1e-9:
                    state = trial
        return state

    def descend(self, state: _State) -> _State:
        """Rounds over the fine points until nothing helps."""
        while True:
            better = self.round(state, [p for p, d in state.points.items() if d.fine])
            if better is state:
                return state
            state = better

    def coarse_round(self, state: _State, kept: Collection[str]) -> _State:
        """Every alternative of every coarse point not kept, each with the fine points of its scope made anew."""
        for point in [p for p, d in state.points.items() if d.coarse and p not in kept]:
            decision = state.points.get(point)
            if decision is None:
                continue
            for answer in range(decision.alternatives):
                if answer == state.answers.get(point, 0) or self.exhausted:
                    continue
                trial = self.state({**state.answers, point: answer})
                if trial.cost > state.cost + _HOPELESS:
                    continue
                related = [p for p, d in trial.points.items() if d.fine and d.scope & decision.scope]
                trial = self.round(trial, related)
                if trial.cost < state.cost - 1e-9:
                    state = trial
        return state


def search(
    derive: Derive,
    start: Mapping[str, int] | None = None,
    budget: int = 1000,
    weighed: bool = False,
    weigh: Weigh | None = None,
    early: bool = True,
) -> Found:
    """Improve the answers from ``start`` until nothing helps, ``budget`` programs or too many nodes have been derived.

    Where ``weighed``, methods are compared first, whatever that takes.  Coarse answers that are given in ``start`` are
    kept, unless there are no fine ones to make that they serve.  ``early`` ones are compared before all else, and kept as
    given where that is False.  ``weigh`` says what the program of some answers costs, where that takes less than to derive
    it.
    """

    def derived(answers: Mapping[str, int]) -> Weighed:
        program, points = derive(answers)
        return Weighed(points, count(program), len(program.graph))

    start = dict(start or {})
    if budget == 1 and not weighed:
        program, points = derive(start)
        return Found(program, {point: start.get(point, 0) for point in points}, count(program), 1, points)
    run = _Search(weigh or derived, budget)
    state = run.state(start)
    if early and budget > 1:
        state = run.with_early(state)
    if weighed or (budget > 1 and run.allowance < _FEW * run.work):  # a descent would hardly come to try them
        state = run.weighed(state, [p for p, d in state.points.items() if d.whole])
    state = run.descend(state)
    kept = start if any(d.fine and not d.whole for d in state.points.values()) else {}
    while not run.exhausted:
        better = run.coarse_round(state, kept)
        if better is state:
            break
        state = run.descend(better)
    answers = {point: state.answers.get(point, 0) for point in state.points}
    program = derive(state.answers)[0]
    return Found(program, answers, count(program), run.spent, state.points, run.near(state))
