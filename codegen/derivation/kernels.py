"""The standard kernels by name: each one a derivation from a mechanism and answers to its decision points.

Placement and regrouping depend on few decision points and are remembered between the many derivations of a search.
"""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.derivation import inertial_gauge, orientation, placement
from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.inertial_gauge import regroup
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Program
from kanegen.codegen.graph.decision import Decision
from kanegen.codegen.mechanism.records import Mechanism


class Deriver:
    """Derives one kernel of one mechanism, again and again, for different answers."""

    def __init__(
        self,
        mechanism: Mechanism,
        build: Build,
        *,
        live_parameters: bool = False,
        gauge: bool = True,
    ) -> None:
        self.mechanism, self.build, self.live, self.gauge = mechanism, build, live_parameters, gauge
        self._placed: dict[tuple[tuple[str, int], ...], tuple[PlacedTree, dict[str, Decision]]] = {}
        self._regrouped: dict[tuple[tuple[str, int], ...], tuple[PlacedTree, dict[str, Decision]]] = {}

    def __call__(self, answers: Mapping[str, int]) -> tuple[Program, Mapping[str, Decision]]:
        """The program for these answers, and the decision points met with their numbers of alternatives."""
        tree, points = self._tree(answers)
        choices = Choices(answers)
        program = self.build(tree, self.mechanism, choices)
        return program, points | choices.points

    def _tree(self, answers: Mapping[str, int]) -> tuple[PlacedTree, dict[str, Decision]]:
        points_here = (placement.POINT, orientation.POINT)
        key = tuple(sorted((p, a) for p, a in answers.items() if a and p.startswith(points_here)))
        if key not in self._placed:
            choices = Choices(answers)
            placed = placement.place(self.mechanism, choices, self.live)
            placed = orientation.turn_frames(placed, choices) if self.gauge else placed
            self._placed[key] = (placed, choices.points)
        tree, points = self._placed[key]
        if not self.gauge:
            return tree, points
        longer = key + tuple(
            sorted((p, a) for p, a in answers.items() if a and p.startswith(inertial_gauge.POINT))
        )
        if longer not in self._regrouped:
            choices = Choices(answers)
            self._regrouped[longer] = (regroup(tree, choices), choices.points)
        grouped, more = self._regrouped[longer]
        return grouped, points | more
