"""One kernel in the making: its graph, the motion of the tree's joints, and the programs of the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.constraints.elastic import Elastic
from kanegen.codegen.derivation.friction import friction_forces
from kanegen.codegen.derivation.joint_motion.coordinates import JointCoordinates, rotors_do_not_lean
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.standard import Build, FrameBuild
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant, inputs
from kanegen.codegen.mechanism.records import Joint, Mechanism
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]


@dataclass(frozen=True, eq=False)
class Basis:
    """What all kernels of one mechanism are made from.

    ``mechanism`` has numbers for parameters that are not live; ``joints`` are the movable joints in the order of the tree;
    ``programs`` are the kernels of the tree by name.
    """

    mechanism: Mechanism
    joints: tuple[Joint, ...]
    arguments: Arguments
    programs: Mapping[str, Build]
    live: bool


class Setting:
    """The parts of a kernel, and what puts them together."""

    def __init__(self, basis: Basis, tree: PlacedTree, tree_mechanism: Mechanism, choices: Choices) -> None:
        self.basis, self.mechanism, self.arguments = basis, basis.mechanism, basis.arguments
        self.tree, self.tree_mechanism, self.choices = tree, tree_mechanism, choices
        self.graph = Graph()
        self.zero = constant(self.graph, 0)
        self.nq, self.nv = self.arguments.nq, self.arguments.nv
        self.q = inputs(self.graph, "q", self.nq)
        self.lift = Lift(self.graph, self.mechanism.parameters, live=basis.live)
        self.coordinates = JointCoordinates(self.mechanism, self.q, self.lift)
        self.labels: dict[int, str] = {}

    def input(self, name: str, count: int) -> tuple[Expression, ...]:
        """Entries of an input."""
        return inputs(self.graph, name, count)

    @property
    def rest(self) -> list[Expression]:
        """No speeds, or none of their derivatives."""
        return [self.zero] * self.nv

    def of_tree(
        self,
        kernel: str | Build,
        v: Vector | None = None,
        a: Vector | None = None,
        more: Mapping[str, Vector] | None = None,
    ) -> list[list[Expression]]:
        """Outputs of a program of the tree for speeds v and their derivatives a (not given: zero), and other inputs."""
        speeds = self.rest if v is None else v
        build = self.basis.programs[kernel] if isinstance(kernel, str) else kernel
        arguments: dict[str, Vector] = {
            "q": self.coordinates.positions(),
            "v": self.coordinates.rates(speeds),
            "a": self.coordinates.accelerations(speeds, self.rest if a is None else a),
            **(more or {}),
        }
        return self._composed(build(self.tree, self.tree_mechanism, self.choices), arguments)

    def forces(self, v: Vector | None = None, a: Vector | None = None) -> list[Expression]:
        """Generalized forces on the speeds in a motion, those that overcome springs and friction included."""
        found = self.of_tree("inverse_dynamics", v, a)[0]
        return self.on_speeds(found, v)

    def on_speeds(self, forces: Vector, v: Vector | None) -> list[Expression]:
        """Forces on the tree's joints and those that overcome resistance, as forces on the speeds."""
        resisting = self.resistance(v)
        return self.coordinates.on_speeds([x + y for x, y in zip(forces, resisting, strict=True)])

    def resistance(self, v: Vector | None) -> list[Expression]:
        """What drives on the tree's joints must supply to overcome springs and, where speeds are given, friction.

        With the correction for rotors of ball joints, which the tree takes for those of its joints.
        """
        found = self._springs(v)
        if v is not None:
            rubbing = friction_forces(self.basis.joints, self.coordinates.rates(v), self.lift)
            found = [x + y for x, y in zip(found, rubbing, strict=True)]
            for j, x in rotors_do_not_lean(self.mechanism, v, self.lift).items():
                found[j] = found[j] + x
        return found

    def spring_energy(self) -> Expression:
        """Energy stored in the springs."""
        elastic, _ = self._elastic()
        return self._elastic_program([elastic.energy()], self.rest)[0]

    def program(self, contract: Contract, entries: Any, source: str, **words: str) -> Program:
        """The program with the entries of its result."""
        return contract.program(self.arguments, self.graph, [entries], source, self.labels, **words)

    def of_frame(self, build: FrameBuild, entries: Any, source: str) -> Program:
        """The program of a frame, as ``build`` makes that of the tree."""
        return build.contract.program(
            self.arguments,
            self.graph,
            [entries],
            source,
            self.labels,
            name=build.name,
            frame=build.frame.name,
        )

    def _springs(self, v: Vector | None) -> list[Expression]:
        if not self.mechanism.springs:
            return [self.zero] * len(self.basis.joints)
        elastic, rates = self._elastic()
        return self._elastic_program(elastic.forces(rates), self.rest if v is None else v)

    def _elastic(self) -> tuple[Elastic, tuple[Expression, ...]]:
        """The springs on the tree's joints, over a graph of its own with inputs q and v of these."""
        graph, n = Graph(), len(self.basis.joints)
        tree = replace(self.tree_mechanism, springs=self.mechanism.springs)
        lift = Lift(graph, tree.parameters, live=True)
        return Elastic(tree, inputs(graph, "q", n), lift), inputs(graph, "v", n)

    def _elastic_program(self, results: Vector, v: Vector) -> list[Expression]:
        program = Program("", "", "", (), (), results[0].graph, (tuple(x.ref for x in results),))
        arguments = {"q": self.coordinates.positions(), "v": self.coordinates.rates(v)}
        return self._composed(program, arguments)[0]

    def _composed(self, program: Program, arguments: Mapping[str, Vector]) -> list[list[Expression]]:
        return compose(program, self.graph, arguments, self.labels, self.coordinates.placements())
