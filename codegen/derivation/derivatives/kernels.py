"""First derivatives of inverse and forward dynamics as kernels.

Those of inverse dynamics come from composites (force_derivatives.py) for a tree, and from differentiating programs for
anything else.  Those of forward dynamics follow from them: tau = ID(q, v, a, p) holds along every change, so

    da = M^-1 (dtau - dID/dq dq - dID/dv dv - dID/dp dp)      at a = M^-1 (tau - h).

Whether the products use the inverse, which is wanted anyway, or the factors of M is a decision point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kanegen.codegen.derivation.derivatives.differentiate import By, derivatives_of
from kanegen.codegen.derivation.derivatives.through_the_tree import inverse_dynamics_derivatives
from kanegen.codegen.derivation.kernels.catalogue import (
    FORWARD_DYNAMICS_DERIVATIVES,
    FORWARD_DYNAMICS_PARAMETER_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_PARAMETER_DERIVATIVES,
    of_speeds,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.linear.solve import chosen_blocks, solve
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.resistance.separation import undirected_springs
from kanegen.codegen.derivation.system import Foundation, kernels_of
from kanegen.codegen.graph import (
    Expression,
    Graph,
    Program,
    compose,
    constant,
    count,
    inputs,
)
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Mechanism, Parameter

Vector = Sequence[Expression]

_COMPARED = 24
"""Mechanisms with up to so many coordinates are derived both ways; with more, what composites save outweighs the rest."""


def kernels_of_derivatives(
    mechanism: Mechanism, builds: Mapping[str, Build], live_parameters: bool, foundation: Foundation
) -> dict[str, Build]:
    """Derivatives of inverse and forward dynamics by q, v, a or tau, and by live parameters where there are any.

    ``builds`` are the mechanism's kernels on its ``foundation``.  A tree has derivatives of its own, from composites, which
    a motion map carries to q and v; where a mechanism is small, differentiating its whole program may be cheaper, and is
    tried.  Speeds of one's choice on a tree, and arms with flexible links, are differentiated as they are.
    """
    derivatives = whole = differentiated(
        builds["inverse_dynamics"], builds["mass_matrix"], builds["coordinate_rates"]
    )
    if foundation.through_tree:
        name = INVERSE_DYNAMICS_DERIVATIVES.name
        derivatives = kernels_of(foundation, {name: inverse_dynamics_derivatives})[name]
        # what the whole program's derivatives save is digits of springs without a direction
        if len(mechanism.coordinates) <= _COMPARED and not undirected_springs(mechanism, live_parameters):
            derivatives = _cheaper(derivatives, whole)
    return derivative_kernels(builds, derivatives, mechanism.parameters if live_parameters else ())


def derivative_kernels(
    builds: Mapping[str, Build], derivatives: Build, parameters: Sequence[Parameter] = ()
) -> dict[str, Build]:
    """All kernels of derivatives by name, from a mechanism's kernels and the derivatives of its inverse dynamics.

    ``builds`` has inverse_dynamics and forward_dynamics, ``derivatives`` those by q, v and a.
    ``parameters`` are the live ones; without any there are no kernels of theirs.
    """
    names = tuple(p.name for p in parameters)
    made = _OfForces(builds["inverse_dynamics"], builds["forward_dynamics"], derivatives, names)
    found: dict[str, Build] = {
        INVERSE_DYNAMICS_DERIVATIVES.name: derivatives,
        FORWARD_DYNAMICS_DERIVATIVES.name: made.forward,
    }
    if parameters:
        found[INVERSE_DYNAMICS_PARAMETER_DERIVATIVES.name] = made.inverse_by_parameters
        found[FORWARD_DYNAMICS_PARAMETER_DERIVATIVES.name] = made.forward_by_parameters
    return found


def _cheaper(*builds: Build) -> Build:
    """Whichever of several derivations of the same kernel counts fewest operations, the first of equal ones."""

    def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        return min((one(tree, mechanism, choices) for one in builds), key=lambda found: count(found).total)

    return build


def differentiated(inverse_dynamics: Build, mass_matrix: Build, rates: Build | None = None) -> Build:
    """Derivatives of tau by q, v and a for anything that has inverse dynamics, mass matrix and coordinate rates."""

    def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        forces = inverse_dynamics(tree, mechanism, choices)
        along = None if rates is None else rates(tree, mechanism, choices)
        contract = INVERSE_DYNAMICS_DERIVATIVES
        dq, dv, da = (of_speeds(slot, forces.outputs[0].size) for slot in contract.gives)
        found = derivatives_of(forces, [By(dq, "q", along), By(dv, "v")], contract.name, contract.title)
        inertia = compose(mass_matrix(tree, mechanism, choices), found.graph, {})[0]
        results = (*found.results, tuple(x.ref for x in inertia))
        return replace(found, outputs=(*found.outputs, da), results=results)

    return build


@dataclass
class _OfForces:
    """Kernels that follow from inverse dynamics and its ``derivatives``."""

    inverse_dynamics: Build
    forward_dynamics: Build
    derivatives: Build
    parameters: tuple[str, ...]
    exists: bool = False

    def inverse_by_parameters(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """dp of inverse dynamics."""
        forces = self.inverse_dynamics(tree, mechanism, choices)
        contract = INVERSE_DYNAMICS_PARAMETER_DERIVATIVES
        dp = of_speeds(contract.gives[0], forces.outputs[0].size, self.parameters)
        by = By(dp, parameters=self.parameters)
        return derivatives_of(forces, [by], contract.name, contract.title)

    def forward(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """dq, dv and dtau of forward dynamics."""
        forces = self._forces(tree, mechanism, choices)
        found = self.derivatives(tree, mechanism, choices)
        state = _State(forces, found, choices)
        changes = [state.at(found, name) for name in ("dq", "dv")]
        results = [*map(state.follow, changes), state.inverse]
        return state.program(FORWARD_DYNAMICS_DERIVATIVES, forces, found, results)

    def forward_by_parameters(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """dp of forward dynamics."""
        forces = self._forces(tree, mechanism, choices)
        found = self.inverse_by_parameters(tree, mechanism, choices)
        state = _State(forces, self.derivatives(tree, mechanism, choices), choices)
        contract, results = FORWARD_DYNAMICS_PARAMETER_DERIVATIVES, [state.follow(state.at(found, "dp"))]
        return state.program(contract, forces, found, results, self.parameters)

    def _forces(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """Inverse dynamics; raises the ModelError of forward dynamics where there is none."""
        if not self.exists:
            self.forward_dynamics(tree, mechanism, Choices())
            self.exists = True
        return self.inverse_dynamics(tree, mechanism, choices)


class _State:
    """Accelerations for given forces, from programs of inverse dynamics and of the mass matrix ("da")."""

    def __init__(self, forces: Program, derivatives: Program, choices: Choices) -> None:
        self.n = n = forces.outputs[0].size
        self.graph = graph = Graph()
        self.choices = choices
        self.labels: dict[int, str] = {}
        rest = {"a": [constant(graph, 0)] * n}
        bias = compose(forces, graph, rest, self.labels)[0]
        self.matrix = self._rows(_only(derivatives, "da"), rest)
        self._blocks = chosen_blocks(self.matrix, choices)
        self.inverse = inverse(self.matrix, self._blocks)
        driving = [t - h for t, h in zip(inputs(graph, "tau", n), bias, strict=True)]
        self.accelerations = self._solve(driving)

    def at(self, program: Program, name: str) -> list[list[Expression]]:
        """A matrix of derivatives where the accelerations are these."""
        return self._rows(_only(program, name), {"a": self.accelerations})

    def follow(self, matrix: Sequence[Vector]) -> list[list[Expression]]:
        """- M^-1 matrix, column by column."""
        columns = [self._solve([row[j] for row in matrix]) for j in range(len(matrix[0]))]
        return [[-column[i] for column in columns] for i in range(self.n)]

    def program(
        self,
        contract: Contract,
        forces: Program,
        derivatives: Program,
        results: Sequence[Sequence[Vector]],
        parameters: Sequence[str] = (),
    ) -> Program:
        """The program with these results."""
        state = (argument for argument in forces.inputs if argument.name != "a")
        return Program(
            name=contract.name,
            title=contract.title,
            source=f"{derivatives.source}; M^-1 of those of inverse dynamics",
            inputs=(*state, forces.outputs[0]),
            outputs=tuple(of_speeds(slot, self.n, parameters) for slot in contract.gives),
            graph=self.graph,
            results=tuple(tuple(x.ref for row in matrix for x in row) for matrix in results),
            labels=self.labels,
        )

    def _rows(self, program: Program, arguments: Mapping[str, Vector]) -> list[list[Expression]]:
        flat = compose(program, self.graph, arguments, self.labels)[0]
        columns = program.outputs[0].shape[1]
        return [flat[columns * i : columns * (i + 1)] for i in range(self.n)]

    def _solve(self, right: Vector) -> list[Expression]:
        """M^-1 right; both ways take as many operations where M is full."""
        if all(x.is_zero for x in right):
            return list(right)
        if self.choices.pick("solutions by the inverse", 2) == 0:
            return solve(self.matrix, right, self._blocks)
        return list(vec.apply_total(self.graph, self.inverse, right))


def _only(program: Program, name: str) -> Program:
    """The program with the output of that name alone."""
    at = [argument.name for argument in program.outputs].index(name)
    return replace(program, outputs=(program.outputs[at],), results=(program.results[at],))
