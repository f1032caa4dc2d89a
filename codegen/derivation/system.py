"""A mechanism with one of its kernels in the making: what moves, what resists, and the graph that they are written in.

A system is the dynamics of a tree, a map from the speeds of the mechanism to the joints of the tree, and what resists
these joints.  Kernels (kernels/) are written once over it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.motion_maps.motion_map import MotionMap, Rows, TreeMotion, Vector
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.resistance.on_tree import Resistance
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant, inputs
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift

Projected = Callable[[Mechanism, Graph, Vector, Vector, Vector, Rows], list[Expression]]
"""Tree, graph, q, dq/dt, d2q/dt2 and T -> generalized forces on the speeds, but for rotors and resistance."""

PROJECTED = "tree forces on nonholonomic partial velocities (Kane)"


@dataclass(frozen=True, eq=False)
class Foundation:
    """What all kernels of one mechanism are made from.

    ``mechanism`` and ``tree`` have numbers for parameters that are not ``live``; ``programs`` are the kernels of the tree
    by name.  ``projected`` gives forces on the speeds directly, where a formulation forms nonholonomic partial velocities
    itself.  ``require_inertia`` raises NoInertiaError where no inertia resists a motion, given the mass matrix on the free
    rates.
    """

    mechanism: Mechanism
    tree: Mechanism
    arguments: Arguments
    programs: Mapping[str, Build]
    live: bool
    motion_map: Callable[[Mechanism, Vector, Lift], MotionMap]
    require_inertia: Callable[[System, Rows], None]
    projected: Projected | None = None


class System:
    """One kernel in the making, on the inputs q, v, a and tau of its graph."""

    def __init__(
        self, foundation: Foundation, tree: PlacedTree | None, tree_mechanism: Mechanism, choices: Choices
    ) -> None:
        self.foundation, self.mechanism = foundation, foundation.mechanism
        self.arguments, self.programs = foundation.arguments, foundation.programs
        self.tree, self.tree_mechanism, self.choices = tree, tree_mechanism, choices
        self.graph = Graph()
        self.zero = constant(self.graph, 0)
        self.nq, self.nv = self.arguments.nq, self.arguments.nv
        self.joints = len(foundation.tree.coordinates)
        self.q = inputs(self.graph, "q", self.nq)
        self.lift = Lift(self.graph, self.mechanism.parameters, live=foundation.live)
        self.map = foundation.motion_map(self.mechanism, self.q, self.lift)
        self.resistance = Resistance(self.mechanism, foundation.tree)
        self.labels: dict[int, str] = {}
        self._sources: dict[str, None] = {}

    def input(self, name: str, count: int | None = None) -> tuple[Expression, ...]:
        """Entries of an input, as many as there are speeds unless told."""
        return inputs(self.graph, name, self.nv if count is None else count)

    @property
    def rest(self) -> list[Expression]:
        """No speeds, or none of their derivatives."""
        return [self.zero] * self.nv

    # -- the tree ----------------------------------------------------------------------------------------------------

    def tree_program(self, kernel: str | Build) -> Program:
        """A program of the tree, with inputs of its own."""
        assert self.tree is not None, "only what needs no tree is built without one"
        if isinstance(kernel, str):
            kernel = self.programs[kernel]
        return kernel(self.tree, self.tree_mechanism, self.choices)

    def of_tree(
        self,
        kernel: str | Build | Program,
        motion: TreeMotion,
        more: Mapping[str, Vector] | None = None,
    ) -> list[list[Expression]]:
        """Outputs of a program of the tree in a motion, and for other inputs."""
        program = kernel if isinstance(kernel, Program) else self.tree_program(kernel)
        self._sources |= {program.source: None} if program.source else {}
        still = [self.zero] * self.joints
        arguments: dict[str, Vector] = {
            "q": motion.q,
            "v": still if motion.v is None else motion.v,
            "a": still if motion.a is None else motion.a,
            **(more or {}),
        }
        return compose(program, self.graph, arguments, self.labels, self.map.placements())

    def rows_of_tree(self, kernel: str | Build | Program, motion: TreeMotion) -> list[list[Expression]]:
        """The first output of a program of the tree, a matrix with a column for each joint."""
        flat, n = self.of_tree(kernel, motion)[0], self.joints
        return [flat[i : i + n] for i in range(0, len(flat), n)]

    # -- forces and inertia ------------------------------------------------------------------------------------------

    def forces(self, motion: TreeMotion) -> list[Expression]:
        """Generalized forces on the joints of the tree in a motion, resistance overcome."""
        kernel = (
            "gravity_forces" if motion.v is None else "bias_forces" if motion.steady else "inverse_dynamics"
        )
        return self.with_resistance(self.of_tree(kernel, motion)[0], motion)

    def with_resistance(self, forces: Vector, motion: TreeMotion) -> list[Expression]:
        """Forces on the joints of the tree, and those that overcome what resists them."""
        return [x + y for x, y in zip(forces, self.resisting(motion), strict=True)]

    def resisting(self, motion: TreeMotion) -> list[Expression]:
        """What overcomes springs and friction, on the joints of the tree."""
        return self.resistance.forces(motion, self.lift, self.map.placements())

    def driving(self, motion: TreeMotion) -> list[Expression]:
        """Generalized forces on the speeds in a motion."""
        projected = self.foundation.projected
        if projected is None or motion.v is None:
            return self.map.on_speeds(self.forces(motion))
        assert motion.a is not None, "forces need accelerations"
        tree, live = without_fixed_joints(self.tree_mechanism), self.foundation.live
        tree = tree if live else with_numbers(tree)
        found = projected(tree, self.graph, motion.q, motion.v, motion.a, self.map.columns())
        self._sources[PROJECTED] = None
        resisting = self.resisting(motion)
        for j, joint in enumerate(self.resistance.joints):
            if joint.rotor_inertia != 0:
                resisting[j] = resisting[j] + self.lift(joint.rotor_inertia) * motion.a[j]
        return [x + y for x, y in zip(found, self.map.on_speeds(resisting), strict=True)]

    def spring_energy(self) -> Expression:
        """Energy stored in the springs."""
        return self.resistance.energy(self.map.motion(), self.lift, self.map.placements())

    def tree_inertia(self) -> list[list[Expression]]:
        """Mass matrix on the joints of the tree."""
        return self.rows_of_tree("mass_matrix", self.map.motion())

    def free_inertia(self) -> Rows:
        """Mass matrix on the free rates."""
        return self.map.free_inertia(self.tree_inertia())

    def resisted_inertia(self) -> Rows:
        """The same, where inertia resists every motion.  Raises NoInertiaError elsewhere."""
        inertia = self.free_inertia()
        self.foundation.require_inertia(self, inertia)
        return inertia

    def standing_in(self, resistance: Resistance, **programs: Build) -> System:
        """This kernel in a new graph, with another resistance and other programs of the tree under these names."""
        foundation = replace(self.foundation, programs={**self.programs, **programs})
        found = System(foundation, self.tree, self.tree_mechanism, self.choices)
        found.resistance = resistance
        return found

    # -- the result --------------------------------------------------------------------------------------------------

    def program(
        self,
        contract: Contract,
        results: Sequence[Any],
        *,
        source: str | None = None,
        name: str | None = None,
        **words: str,
    ) -> Program:
        """The program with these results.  Its source is that of all programs of the tree in it, unless given."""
        if source is None:
            source = "; ".join(self._sources) + (self.map.carried if contract.through_speeds else "")
        return contract.program(self.arguments, self.graph, results, source, self.labels, name=name, **words)


Make = Callable[[System], Program]


def kernels_of(foundation: Foundation, made: Mapping[str, Make]) -> dict[str, Build]:
    """Kernels by name, each from a function of its system."""

    def build(make: Make) -> Build:
        return lambda tree, mechanism, choices: make(System(foundation, tree, mechanism, choices))

    return {name: build(make) for name, make in made.items()}
