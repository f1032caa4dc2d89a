"""One kernel in the making: its graph, and the arm as it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.flexible_links.composites import Composites
from kanegen.codegen.derivation.flexible_links.loads import Loads
from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.derivation.flexible_links.segments import Arm, arm_of, regrouped
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.resistance.friction import friction_forces
from kanegen.codegen.graph import Expression, Graph, Program, constant, inputs
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]


@dataclass(frozen=True, eq=False)
class Basis:
    """What all kernels of one mechanism are made from: its segments as described, and regrouped."""

    mechanism: Mechanism
    described: Arm
    arm: Arm
    arguments: Arguments
    live: bool


def basis_of(mechanism: Mechanism, live: bool) -> Basis:
    """The basis of a mechanism with flexible links, with numbers for parameters that are not ``live``."""
    described = arm_of(mechanism if live else with_numbers(mechanism))
    return Basis(mechanism, described, regrouped(described), Arguments.of(mechanism), live)


class Setting:
    """The parts of a kernel, and what puts them together."""

    def __init__(self, basis: Basis, choices: Choices) -> None:
        self.basis, self.arguments, self.choices = basis, basis.arguments, choices
        self.graph = Graph()
        self.n = self.arguments.nv
        modes = basis.mechanism.modes
        self.joints = tuple(name for name in basis.mechanism.coordinates if name not in modes)
        self.q = inputs(self.graph, "q", self.n)
        self.lift = Lift(self.graph, basis.mechanism.parameters, live=basis.live)
        self.labels: dict[int, str] = {}

    def input(self, name: str, count: int | None = None) -> tuple[Expression, ...]:
        """Entries of an input, as many as there are coordinates unless told."""
        return inputs(self.graph, name, self.n if count is None else count)

    def motion(
        self,
        v: Vector | None = None,
        a: Vector | None = None,
        *,
        weight: bool = True,
        described: bool = False,
    ) -> Motion:
        """The arm in a motion, with mass regrouped unless it is wanted as ``described``."""
        arm = self.basis.described if described else self.basis.arm
        motion = Motion(arm, self.graph, self.lift, self.q, v, a, weight=weight)
        self.labels |= {k: x for k, x in motion.labels.items() if k not in self.labels}
        return motion

    def forces(self, v: Vector | None = None, a: Vector | None = None) -> list[Any]:
        """Generalized forces of a motion, those against weight, stiffness, springs and friction included."""
        found = Loads(self.motion(v, a)).inertial()
        for place, x in self.resistance(v):
            found[place] += x
        return found

    def mass_matrix(self) -> list[list[Any]]:
        """Rows of M."""
        return Composites(self.motion()).matrix()

    def resistance(self, v: Vector | None) -> list[tuple[int, Any]]:
        """What drives supply against springs and friction of their joints, by places."""
        mechanism, found = self.basis.mechanism, []
        index = {name: k for k, name in enumerate(mechanism.coordinates)}
        for spring in mechanism.springs:
            assert isinstance(spring, TorsionalSpringDamper), "validated"
            k = index[spring.joint]
            found.append((k, self.lift(spring.stiffness) * (self.q[k] - self.lift(spring.rest))))
            if v is not None:
                found.append((k, self.lift(spring.damping) * v[k]))
        if v is not None:
            joints = [mechanism.joint(name) for name in self.joints]
            places = [index[joint.name] for joint in joints]
            rubbing = friction_forces(joints, [v[k] for k in places], self.lift)
            found += list(zip(places, rubbing, strict=True))
        return found

    def spring_energy(self) -> Any:
        """Energy stored in springs of joints."""
        index = {name: k for k, name in enumerate(self.basis.mechanism.coordinates)}
        terms = []
        for spring in self.basis.mechanism.springs:
            assert isinstance(spring, TorsionalSpringDamper), "validated"
            stretch = self.q[index[spring.joint]] - self.lift(spring.rest)
            terms.append(self.lift(spring.stiffness) * stretch * stretch / 2)
        return sum(terms)

    def expressions(self, values: Sequence[Any]) -> list[Expression]:
        """Values as expressions of the graph."""
        return [x if isinstance(x, Expression) else constant(self.graph, x) for x in values]

    def program(self, contract: Contract, *results: Any, source: str, **words: str) -> Program:
        """The program with the entries of each result, which may be numbers."""
        found = [[self.expressions(row) for row in _rows(entries)] for entries in results]
        return contract.program(self.arguments, self.graph, found, source, self.labels, **words)


def _rows(entries: Any) -> list[Sequence[Any]]:
    """A number, a vector or a matrix as rows."""
    if not isinstance(entries, Sequence):
        return [[entries]]
    return list(entries) if entries and isinstance(entries[0], Sequence) else [entries]
