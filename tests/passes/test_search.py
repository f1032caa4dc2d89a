"""Search: descent over decisions on a made-up derivation whose best answers are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kanegen.codegen.graph import OperationCounts, Program
from kanegen.codegen.graph.decision import Decision, Weighed
from kanegen.codegen.passes import search as module
from kanegen.codegen.passes.search import Found, allowance, cost, search

from .graphs import from_inputs

A, B = frozenset("a"), frozenset("b")


class Derivation:
    """As many products as ``table`` says for the answers, of points with the given decisions."""

    def __init__(self, points: Mapping[str, Decision], table: Mapping[Any, int]) -> None:
        self.points, self.table, self.asked = points, table, 0

    def __call__(self, answers: Mapping[str, int]) -> tuple[Program, Mapping[str, Decision]]:
        self.asked += 1
        n = self.table[tuple(answers.get(point, 0) for point in self.points)]
        return from_inputs(lambda x: [x[0] * (x[1] + k) for k in range(1, n + 1)]), self.points


def found(points: Mapping[str, Decision], table: Mapping[Any, int], **options: object) -> Found:
    return search(Derivation(points, table), **options)  # type: ignore[arg-type]


def test_fine_decisions_one_by_one() -> None:
    points = {"p": Decision(3, A), "q": Decision(2, B)}
    table = {(p, q): 9 - 3 * (p == 2) - 2 * q for p in range(3) for q in range(2)}
    result = found(points, table)
    assert result.answers == {"p": 2, "q": 1}
    assert result.counts.multiplications == 4


def test_late_decisions_are_left_to_the_passes() -> None:
    points = {"p": Decision(2, A), "late": Decision(2, A, late=True), "gauge": Decision(2, A, coarse=True)}
    table = {
        (p, late, gauge): 9 - p - 4 * late - gauge
        for p in range(2)
        for late in range(2)
        for gauge in range(2)
    }
    assert found(points, table).answers == {"p": 1, "late": 0, "gauge": 1}
    assert found(points, table, start={"late": 1}).answers == {"p": 1, "late": 1, "gauge": 1}


def test_a_coarse_decision_shows_its_worth_with_the_fine_ones_of_its_bodies() -> None:
    points = {"gauge": Decision(2, A, coarse=True), "form": Decision(2, A)}
    table = {(0, 0): 6, (0, 1): 8, (1, 0): 7, (1, 1): 3}
    assert found(points, table).answers == {"gauge": 1, "form": 1}
    apart = {"gauge": Decision(2, A, coarse=True), "form": Decision(2, B)}
    assert found(apart, table).answers == {"gauge": 0, "form": 0}


def test_hopeless_coarse_decisions_are_not_followed() -> None:
    points = {"gauge": Decision(2, A, coarse=True), "form": Decision(2, A)}
    table = {(0, 0): 6, (0, 1): 7, (1, 0): 18, (1, 1): 3}
    assert found(points, table).answers == {"gauge": 0, "form": 0}


def test_coarse_answers_of_the_start_are_kept() -> None:
    points = {"gauge": Decision(2, A, coarse=True), "form": Decision(2, A)}
    table = {(0, 0): 2, (0, 1): 7, (1, 0): 6, (1, 1): 5}
    assert found(points, table, start={"gauge": 1}).answers == {"gauge": 1, "form": 1}
    assert found(points, table, start={"gauge": 0, "form": 1}).answers == {"gauge": 0, "form": 0}


@pytest.mark.parametrize(("early", "best"), [(False, (0, 1)), (True, (1, 2))])
def test_early_decisions_are_made_where_a_search_starts(early: bool, best: tuple[int, int]) -> None:
    """Even where they are given: what served another kernel need not serve this one."""
    points = {"order": Decision(2, A, coarse=True, early=early), "form": Decision(3, A)}
    table = {(0, 0): 10, (0, 1): 4, (0, 2): 10, (1, 0): 9, (1, 1): 9, (1, 2): 2}
    assert tuple(found(points, table, start={"order": 0}).answers.values()) == best


@pytest.mark.parametrize("budget", [1, 2, 5])
def test_the_budget_bounds_derivations(budget: int) -> None:
    points = {f"p{i}": Decision(4, A, coarse=i == 0) for i in range(4)}
    derivation = Derivation(points, {})
    derivation.table = _Sum()
    result = search(derivation, budget=budget)
    assert result.derivations == budget
    assert derivation.asked <= budget + 1  # the best one may be derived once more


class _Sum(dict[tuple[int, ...], int]):
    def __missing__(self, key: tuple[int, ...]) -> int:
        return 20 - sum(key)


def test_never_dearer_than_the_start_and_reproducible() -> None:
    points = {f"p{i}": Decision(3, A if i % 2 else B, coarse=i == 0) for i in range(4)}
    derivation = Derivation(points, {})
    derivation.table = _Hash()
    results = [search(derivation, budget=60) for _ in range(2)]
    assert results[0].answers == results[1].answers
    assert results[0].counts.multiplications <= derivation.table[0, 0, 0, 0]


class _Hash(dict[tuple[int, ...], int]):
    def __missing__(self, key: tuple[int, ...]) -> int:
        return 1 + (7 * key[0] + 5 * key[1] * key[2] + 3 * key[3] + key[0] * key[3]) % 13


def test_other_programs_near_the_best_one() -> None:
    """Each once, the cheapest first, and no further than two operations away."""
    points = {"p": Decision(8, A)}
    sizes = (6, 5, 3, 4, 3, 3, 5, 7)
    results = ((0,), (1,), (2,), (3,), (2,), (4,), (5,), (6,))  # the fifth is the third again

    def weigh(answers: Mapping[str, int]) -> Weighed:
        p = answers.get("p", 0)
        return Weighed(points, OperationCounts(additions=sizes[p]), 1, results[p])

    table = {(p,): n for p, n in enumerate(sizes)}
    best = search(Derivation(points, table), weigh=weigh)
    assert best.answers == {"p": 2}
    assert [(price, dict(answers)) for price, answers in best.near] == [
        (3, {"p": 5}), (4, {"p": 3}), (5, {"p": 1}), (5, {"p": 6}),
    ]  # fmt: skip


def test_divisions_weigh_twelve_and_ties_go_to_fewer_multiplications() -> None:
    assert cost(OperationCounts(divisions=1)) == cost(OperationCounts(square_roots=1)) == 12
    assert cost(OperationCounts(2, 3)) < cost(OperationCounts(3, 2)) < cost(OperationCounts(2, 4))


def test_the_work_allowed_falls_with_the_size() -> None:
    usual = allowance(100)
    assert allowance(3000) == usual
    assert allowance(4000) == usual * 9 // 16
    assert allowance(6000) == allowance(7500) == usual // 2
    assert allowance(12_000) == usual // 16
    assert allowance(30_000) == usual // 100


class _Large(Derivation):
    """Programs of some ten thousand nodes; every answer is better by a product."""

    def __call__(self, answers: Mapping[str, int]) -> tuple[Program, Mapping[str, Decision]]:
        self.asked += 1
        n = 5000 - sum(answers.values())
        return from_inputs(lambda x: [x[0] * (x[1] + k) for k in range(1, n + 1)]), self.points


def test_large_programs_are_searched_less() -> None:
    points = {f"p{i}": Decision(2, A) for i in range(40)}
    derivation = _Large(points, {})
    result = search(derivation, budget=1000)
    size = len(result.program.graph) + 10 * len(points)
    assert 1 < result.derivations < 40
    assert abs(result.derivations - allowance(size) / size) <= 1
    assert result.counts.multiplications == 5000 - (result.derivations - 1)


@pytest.mark.parametrize(("bodies", "work"), [(("a", "b"), 40), (("a", "a"), 20)])
def test_coarse_decisions_on_the_same_bodies_cost_as_one(bodies: tuple[str, str], work: int) -> None:
    """They make the same numbers anew; a further one costs what a fine one does."""
    points = {f"p{i}": Decision(2, frozenset({name}), coarse=True) for i, name in enumerate(bodies)}
    form = {"form": Decision(2, A)}
    assert module._work(Weighed(points, OperationCounts(), 7)) == 7 + work
    assert module._work(Weighed(points | form, OperationCounts(), 7)) == 17 + work


class _Huge(Derivation):
    """Programs for which the allowance ends with the first derivation; the second method halves them."""

    def __call__(self, answers: Mapping[str, int]) -> tuple[Program, Mapping[str, Decision]]:
        self.asked += 1
        n = 40_000 // (1 + answers.get("method", 0))
        return from_inputs(lambda x: [x[0] * (x[1] + k) for k in range(1, n + 1)]), self.points


@pytest.mark.parametrize(("whole", "multiplications"), [(False, 40_000), (True, 20_000)])
def test_methods_are_weighed_however_large_a_program_is(whole: bool, multiplications: int) -> None:
    points = {"form": Decision(2, A), "method": Decision(2, frozenset(), whole=whole)}
    result = search(_Huge(points, {}), budget=1000)
    assert result.counts.multiplications == multiplications
    assert result.derivations == 1 + whole


def test_nothing_is_weighed_where_nothing_is_searched() -> None:
    points = {"method": Decision(2, frozenset(), whole=True)}
    assert search(_Huge(points, {}), budget=1).derivations == 1
