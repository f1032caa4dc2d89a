"""The standard kernels by name: each one a derivation from a mechanism and answers to its decision points.

Placement and regrouping depend on few decision points and are remembered, between the many derivations of a search and
between kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from kanegen.codegen.derivation.placed_tree import exchange, inertial_gauge, orientation, placement
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.inertial_gauge import regroup
from kanegen.codegen.derivation.placed_tree.placement import (
    ExchangedBodyError,
    PlacedTree,
    without_inertia,
)
from kanegen.codegen.derivation.placed_tree.recollection import Recollection
from kanegen.codegen.graph import Program, count
from kanegen.codegen.graph.count import Tally
from kanegen.codegen.graph.decision import Decision, Weighed
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError

Build = Callable[[PlacedTree, Mechanism, Choices], Program]
"""A derivation of one kernel, from a placed tree, its mechanism and answers to decision points."""

Found = tuple[PlacedTree, dict[str, Decision]]
"""A tree, and the decision points met on the way to it."""

Derivation = tuple[Program, Mapping[str, Decision]]
"""A program, and the decision points met on the way to it with their numbers of alternatives."""

_DEEPEST = 12
"""Bodies that may hang one on another where quantities are recollected: these are built within one another."""

T = TypeVar("T")
_Key = tuple[tuple[str, int], ...]


class Trees:
    """Placed trees of one mechanism for any answers, remembered: as placed, turned, and regrouped.

    Where there are no ``turns``, last bodies alone are turned.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        live_parameters: bool = False,
        tied: bool = False,
        shared: frozenset[str] = frozenset(),
        turns: bool = True,
    ) -> None:
        self.mechanism, self.live, self.tied, self.turns = mechanism, live_parameters, tied, turns
        self.shared = shared
        self.recollection = Recollection()
        self._placed: dict[_Key, Found] = {}
        self._turned: dict[_Key, Found] = {}
        self._regrouped: dict[_Key, Found] = {}

    def placed(self, answers: Mapping[str, int]) -> Found:
        """The tree with its origins as the answers say, and no more."""
        key = _key(answers, placement.POINT)
        if key not in self._placed:
            choices = Choices(answers)
            tree = placement.place(self.mechanism, choices, self.live, self.tied)
            self._placed[key] = replace(tree, shared=self.shared), choices.points
        return self._placed[key]

    def turned(self, answers: Mapping[str, int]) -> Found:
        """The tree with origins and orientations of frames as the answers say."""
        key = _key(answers, placement.POINT, orientation.POINT)
        if not self.turns and key not in self._turned:
            tree, points = self.placed(answers)
            self._turned[key] = orientation.turn_last_bodies(tree), points
        if key not in self._turned:
            tree, points = self.placed(answers)
            choices = Choices(answers)
            turned = orientation.turn_frames(tree, choices)
            self._turned[key] = (turned, points | choices.points)
        return self._turned[key]

    def regrouped(self, answers: Mapping[str, int]) -> Found:
        """That tree with inertial parameters moved across joints as the answers say."""
        gauge = (inertial_gauge.POINT, inertial_gauge.KEPT)
        key = _key(answers, placement.POINT, orientation.POINT, exchange.POINT, *gauge)
        if key not in self._regrouped:
            tree, points = self.turned(answers)
            choices = Choices(answers)
            grouped = replace(regroup(exchange.exchange_joints(tree, choices), choices), as_described=tree)
            self._regrouped[key] = (grouped, points | choices.points)
        return self._regrouped[key]


def _key(answers: Mapping[str, int], *points: str) -> _Key:
    """The answers to these decision points that are not the textbook's."""
    return tuple(
        sorted((point, answer) for point, answer in answers.items() if answer and point.startswith(points))
    )


def _in_order(points: Mapping[str, T]) -> dict[str, T]:
    """What belongs to decision points, but for those on the order of joints.

    A kernel that is about a body which an exchange of joints takes away has them in the order of the description.
    """
    return {point: x for point, x in points.items() if not point.startswith(exchange.POINT)}


class Deriver:
    """Derives one kernel of one mechanism, again and again, for different answers.

    ``gauge``: frames are turned, and inertial parameters moved across joints.  Kernels into which inertia does not enter,
    as poses of frames, have no decisions on it, which is found out where they are ``searched``.  ``trees`` shares what
    kernels have in common.  ``plain`` is the textbook derivation, where it is known.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        build: Build,
        *,
        live_parameters: bool = False,
        gauge: bool = True,
        searched: bool = True,
        trees: Trees | None = None,
        plain: Derivation | None = None,
    ) -> None:
        self.mechanism, self.build, self.gauge, self.searched = mechanism, build, gauge, searched
        self.trees = trees or Trees(mechanism, live_parameters=live_parameters)
        self._plain = plain
        self._has_inertia: bool | None = None
        self._first: tuple[dict[str, int], Derivation] | None = None
        self._nodes: Fraction | None = None

    def __call__(self, answers: Mapping[str, int]) -> Derivation:
        """The program for these answers, and the decision points met with their numbers of alternatives.

        What was weighed first has been derived, and is what many searches end with.
        """
        if self._first is not None and self._first[0] == _given(answers):
            return self._first[1]
        tree, points = self._tree(answers)
        if self._plain is not None and not any(answers.values()) and tree is self.trees.placed({})[0]:
            program, met = self._plain
            return program, {**points, **met}
        choices = Choices(answers)
        try:
            program = self.build(tree, self.mechanism, choices)
        except ExchangedBodyError:
            program, met = self(_in_order(answers))
            return program, _in_order(met)
        return program, points | choices.points

    def _tree(self, answers: Mapping[str, int]) -> Found:
        if not self.gauge:
            return self.trees.placed(answers)
        if not self.searched or self.has_inertia():
            return self.trees.regrouped(answers)
        return self.trees.turned(answers)

    def weigh(self, answers: Mapping[str, int]) -> Weighed:
        """What the program for these answers costs: the same as of the program itself, found in less time.

        A graph of its own would have about so many nodes more than needed as that of the program weighed first.
        """
        if self._nodes is None:
            program, points = self(answers)
            self._first = _given(answers), (program, points)
            _, needed = Tally(program.graph)(program.roots)
            self._nodes = Fraction(len(program.graph), max(1, needed))
            return weighed(program, points)
        program, points = self.recollected(answers)
        recollection = self.trees.recollection
        if program.graph is not recollection.graph():
            return weighed(program, points)
        counts, needed = recollection.count(program.roots)
        return Weighed(points, counts, int(self._nodes * needed), tuple(program.roots))

    def recollected(self, answers: Mapping[str, int]) -> Derivation:
        """The same as for a call, found in less time, in a graph that is shared where that can be."""
        tree, points = self._tree(answers)
        choices = Choices(answers, self.trees.recollection if tree.depth() <= _DEEPEST else None)
        try:
            program = self.build(tree, self.mechanism, choices)
        except ExchangedBodyError:
            program, met = self.recollected(_in_order(answers))
            return program, _in_order(met)
        return program, points | choices.points

    def plain(self) -> Derivation:
        """The textbook derivation, without any choice."""
        if self._plain is None:
            (tree, points), choices = self.trees.placed({}), Choices()
            self._plain = (self.build(tree, self.mechanism, choices), points | choices.points)
        return self._plain

    def has_inertia(self) -> bool:
        """Whether masses or moments of the bodies enter into the kernel: without them it is another one, or none."""
        if self._has_inertia is None:
            _, points = self.plain()
            methods = {point: 1 for point, decision in points.items() if decision.whole}
            # a method that is written in the inertias of the description would not show it, but another one
            self._has_inertia = self._feels_inertia({}) or (bool(methods) and self._feels_inertia(methods))
        return self._has_inertia

    def _feels_inertia(self, answers: Mapping[str, int]) -> bool:
        tree, _ = self.trees.placed({})
        program = self.build(tree, self.mechanism, Choices(answers)) if answers else self.plain()[0]
        try:
            without = self.build(
                replace(tree, bodies=without_inertia(tree)), self.mechanism, Choices(answers)
            )
        except (ModelError, ZeroDivisionError):
            return True
        first, second = ((p.graph.kinds, p.graph.payloads, p.results) for p in (program, without))
        return first != second


def _given(answers: Mapping[str, int]) -> dict[str, int]:
    """The answers that are not the textbook's."""
    return {point: answer for point, answer in answers.items() if answer}


def weighed(program: Program, points: Mapping[str, Decision]) -> Weighed:
    """What a search knows of a program."""
    return Weighed(points, count(program), len(program.graph))
