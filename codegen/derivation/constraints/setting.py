"""One kernel of a constrained mechanism in the making: its graph, its motion, and the programs of its tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.constraints.elastic import Elastic
from kanegen.codegen.derivation.constraints.motion import ConstrainedMotion
from kanegen.codegen.derivation.constraints.plan import Plan
from kanegen.codegen.derivation.constraints.spanning_tree import (
    tree_accelerations,
    tree_positions,
    tree_rates,
)
from kanegen.codegen.derivation.friction import friction_forces
from kanegen.codegen.derivation.joint_motion.coordinates import rotors_do_not_lean
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.standard import Build, FrameBuild
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift

SOURCE = "tree forces on nonholonomic partial velocities (Kane)"

Vector = Sequence[Expression]
Projected = Callable[
    [Mechanism, Graph, Vector, Vector, Vector, Sequence[Vector]],
    list[Expression],
]
"""Tree, graph, q, dq/dt, d2q/dt2 and N -> generalized forces on the speeds."""


@dataclass(frozen=True, eq=False)
class Basis:
    """What all kernels of one mechanism are made from.

    ``programs`` are inverse_dynamics and mass_matrix of the tree.  ``projected`` gives forces on the speeds directly, from
    the tree's motion and N, where a formulation forms nonholonomic partial velocities itself.  ``augmented`` says that
    the tree alone has motions without inertia.
    """

    mechanism: Mechanism
    arguments: Arguments
    plan: Plan
    programs: Mapping[str, Build]
    projected: Projected | None
    live: bool
    augmented: bool


class Setting:
    """One kernel in the making: its graph, the motion of the mechanism, and the programs of the tree."""

    def __init__(
        self,
        basis: Basis,
        tree: PlacedTree | None,
        tree_mechanism: Mechanism,
        choices: Choices,
    ) -> None:
        self.mechanism, self.arguments = basis.mechanism, basis.arguments
        self.basis, self.tree, self.tree_mechanism, self.choices = basis, tree, tree_mechanism, choices
        self.graph = Graph()
        self.zero = constant(self.graph, 0)
        self.nq, self.nv = self.arguments.nq, self.arguments.nv
        self.q = inputs(self.graph, "q", self.nq)
        self.lift = Lift(self.graph, basis.mechanism.parameters, live=basis.live)
        self.motion = ConstrainedMotion(self.mechanism, self.q, self.lift, basis.plan)
        self.elastic = Elastic(self.mechanism, self.q, self.lift)
        self.labels: dict[int, str] = {}

    def input(self, name: str, count: int) -> tuple[Expression, ...]:
        """Entries of an input."""
        return inputs(self.graph, name, count)

    def of_tree(
        self, build: Build, qdot: Vector | None = None, qddot: Vector | None = None, moving: bool = True
    ) -> list[list[Expression]]:
        """Outputs of a program of the tree in a motion; prescribed joints stand still where ``moving`` is False."""
        rest = [self.zero] * self.nq
        rates = tree_rates(self.mechanism, self.lift, rest if qdot is None else qdot)
        if not moving:
            rates = [self.zero] * len(rates)
        arguments = {
            "q": tree_positions(self.mechanism, self.graph, self.q),
            "v": rates,
            "a": tree_accelerations(self.mechanism, self.graph, rest if qddot is None else qddot),
        }
        return compose(self.tree_program(build), self.graph, arguments, self.labels)

    def tree_program(self, build: Build) -> Program:
        """A program of the tree, with inputs of its own."""
        assert self.tree is not None, "only what needs no tree is built without one"
        return build(self.tree, self.tree_mechanism, self.choices)

    def forces(
        self, qdot: Vector | None = None, qddot: Vector | None = None, moving: bool = True
    ) -> list[Expression]:
        """Generalized forces on the joints of the tree, springs, dampers and friction overcome."""
        found = self.of_tree(self.basis.programs["inverse_dynamics"], qdot, qddot, moving)[0]
        return [x + y for x, y in zip(found, self._resistance(qdot), strict=True)]

    def _resistance(self, qdot: Vector | None) -> list[Expression]:
        """What overcomes springs and dampers on the coordinates, and friction on every joint of the tree."""
        held = [self.zero] * len(self.mechanism.prescribed)
        found = [*self.elastic.forces(qdot), *held]
        if qdot is None:
            return found
        joints = [self.mechanism.joint(name) for name in self.tree_mechanism.coordinates]
        rubbing = friction_forces(joints, tree_rates(self.mechanism, self.lift, qdot), self.lift)
        found = [x + y for x, y in zip(found, rubbing, strict=True)]
        for j, x in rotors_do_not_lean(self.mechanism, qdot, self.lift).items():
            found[j] = found[j] + x
        return found

    def on_speeds(self, qdot: Vector, qddot: Vector) -> list[Expression]:
        """Generalized forces on the speeds in a motion."""
        if self.basis.projected is None:
            return self.motion.on_speeds(self.forces(qdot, qddot)[: self.nq])
        reduced = without_fixed_joints(self.tree_mechanism)
        found = self.basis.projected(
            reduced if self.basis.live else with_numbers(reduced),
            self.graph,
            tree_positions(self.mechanism, self.graph, self.q),
            tree_rates(self.mechanism, self.lift, qdot),
            tree_accelerations(self.mechanism, self.graph, qddot),
            [*self.motion.N, *[[self.zero] * self.nv] * len(self.mechanism.prescribed)],
        )
        # the formulation knows neither what resists the joints nor their rotors
        resisting = self._resistance(qdot)[: self.nq]
        for j, name in enumerate(self.mechanism.coordinates):
            rotor = self.mechanism.joint(name).rotor_inertia
            if rotor != 0:
                resisting[j] = resisting[j] + self.lift(rotor) * qddot[j]
        return [x + y for x, y in zip(found, self.motion.on_speeds(resisting), strict=True)]

    def tree_inertia(self) -> list[list[Expression]]:
        """Mass matrix of the tree on the coordinates."""
        n = len(self.tree_mechanism.coordinates)
        flat = self.of_tree(self.basis.programs["mass_matrix"])[0]
        return [flat[n * i : n * i + self.nq] for i in range(self.nq)]

    def free_inertia(self) -> list[list[Expression]]:
        """Mass matrix on the plan's free rates: P^T M P."""
        return congruence(self.graph, self.tree_inertia(), self.motion.P)

    def program(self, contract: Contract, *results: Any, source: str = SOURCE, **words: str) -> Program:
        """The program with the entries of each result."""
        return contract.program(self.arguments, self.graph, results, source, self.labels, **words)

    def of_frame(self, build: FrameBuild, entries: Any, source: str) -> Program:
        """The program of a frame, as ``build`` makes that of the tree."""
        return self.program(build.contract, entries, source=source, name=build.name, frame=build.frame.name)


def congruence(graph: Graph, m: Sequence[Vector], columns: Sequence[Vector]) -> list[list[Expression]]:
    """P^T M P for the columns of P; symmetric."""
    return vec.multiply_symmetric_total(graph, columns, [vec.apply_total(graph, m, x) for x in columns])


Make = Callable[[Setting], Program]
