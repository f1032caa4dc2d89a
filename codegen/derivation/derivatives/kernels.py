"""First derivatives of inverse and forward dynamics as kernels.

Those of inverse dynamics come from composites (force_derivatives.py) for a tree, and from differentiating programs for
anything else.  Those of forward dynamics follow from them: tau = ID(q, v, a, p) holds along every change, so

    da = M^-1 (dtau - dID/dq dq - dID/dv dv - dID/dp dp)      at a = M^-1 (tau - h).

Whether the products use the inverse, which is wanted anyway, or the factors of M is a decision point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation.derivatives.differentiate import By, derivatives_of
from kanegen.codegen.derivation.kernels.catalogue import (
    FORWARD_DYNAMICS_DERIVATIVES,
    FORWARD_DYNAMICS_PARAMETER_DERIVATIVES,
    INVERSE_DYNAMICS_DERIVATIVES,
    INVERSE_DYNAMICS_PARAMETER_DERIVATIVES,
    of_speeds,
)
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.linear.solve import blockings, elimination_orders, solve
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.graph import (
    Argument,
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


def derivative_kernels(
    builds: Mapping[str, Build], derivatives: Build, parameters: Sequence[Parameter] = ()
) -> dict[str, Build]:
    """All kernels of derivatives by name, from a mechanism's kernels and the derivatives of its inverse dynamics.

    ``builds`` has inverse_dynamics and forward_dynamics, ``derivatives`` those by q, v and a.
     ``parameters`` are the live ones; without any there are no kernels of theirs.
    """
    inverse_dynamics = builds["inverse_dynamics"]
    exists = _Once(builds["forward_dynamics"])
    made: dict[str, Build] = {
        INVERSE_DYNAMICS_DERIVATIVES.name: derivatives,
        FORWARD_DYNAMICS_DERIVATIVES.name: partial(_forward, inverse_dynamics, derivatives, exists),
    }
    if parameters:
        by = partial(_inverse_by_parameters, inverse_dynamics, tuple(parameters))
        made[INVERSE_DYNAMICS_PARAMETER_DERIVATIVES.name] = by
        made[FORWARD_DYNAMICS_PARAMETER_DERIVATIVES.name] = partial(
            _forward_by_parameters,
            inverse_dynamics,
            derivatives,
            by,
            exists,
            tuple(p.name for p in parameters),
        )
    return made


class _Once:
    """Derives a kernel once, for the ModelError that it may raise."""

    def __init__(self, build: Build) -> None:
        self.build, self.done = build, False

    def __call__(self, tree: PlacedTree, mechanism: Mechanism) -> None:
        if not self.done:
            self.build(tree, mechanism, Choices())
            self.done = True


def cheaper(*builds: Build) -> Build:
    """Whichever of several derivations of the same kernel counts fewest operations, the first of equal ones."""

    def build(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        return min((one(tree, mechanism, choices) for one in builds), key=lambda found: count(found).total)

    return build


# -- inverse dynamics ----------------------------------------------------------------------------------------------------


def differentiated(inverse_dynamics: Build, mass_matrix: Build, rates: Build | None = None) -> Build:
    """Derivatives of tau by q, v and a for anything that has inverse dynamics, mass matrix and coordinate rates."""
    return partial(_differentiated, inverse_dynamics, mass_matrix, rates)


def _differentiated(
    inverse_dynamics: Build,
    mass_matrix: Build,
    rates: Build | None,
    tree: PlacedTree,
    mechanism: Mechanism,
    choices: Choices,
) -> Program:
    forces = inverse_dynamics(tree, mechanism, choices)
    n = forces.outputs[0].size
    along = None if rates is None else rates(tree, mechanism, choices)
    contract = INVERSE_DYNAMICS_DERIVATIVES
    dq, dv, da = (of_speeds(slot, n) for slot in contract.gives)
    found = derivatives_of(forces, [By(dq, "q", along), By(dv, "v")], contract.name, contract.title)
    inertia = compose(mass_matrix(tree, mechanism, choices), found.graph, {})[0]
    return _with_output(found, da, inertia)


def _with_output(program: Program, argument: Argument, values: Vector) -> Program:
    """The program with one more output, whose entries are in its graph already."""
    return Program(
        program.name,
        program.title,
        program.source,
        program.inputs,
        (*program.outputs, argument),
        program.graph,
        (*program.results, tuple(x.ref for x in values)),
        program.labels,
    )


def _inverse_by_parameters(
    inverse_dynamics: Build,
    parameters: tuple[Parameter, ...],
    tree: PlacedTree,
    mechanism: Mechanism,
    choices: Choices,
) -> Program:
    forces = inverse_dynamics(tree, mechanism, choices)
    contract, names = INVERSE_DYNAMICS_PARAMETER_DERIVATIVES, tuple(p.name for p in parameters)
    by = By(of_speeds(contract.gives[0], forces.outputs[0].size, names), parameters=names)
    return derivatives_of(forces, [by], contract.name, contract.title)


# -- forward dynamics ----------------------------------------------------------------------------------------------------


def _forward(
    inverse_dynamics: Build,
    derivatives: Build,
    exists: _Once,
    tree: PlacedTree,
    mechanism: Mechanism,
    choices: Choices,
) -> Program:
    exists(tree, mechanism)
    forces = inverse_dynamics(tree, mechanism, choices)
    found = derivatives(tree, mechanism, choices)
    state = _State(forces, found, choices)
    changes = {name: state.at(found, name) for name in ("dq", "dv")}
    results = [*(state.follow(changes[name]) for name in ("dq", "dv")), state.inverse]
    return state.program(FORWARD_DYNAMICS_DERIVATIVES, forces, found, results)


def _forward_by_parameters(
    inverse_dynamics: Build,
    derivatives: Build,
    by_parameter: Build,
    exists: _Once,
    parameters: tuple[str, ...],
    tree: PlacedTree,
    mechanism: Mechanism,
    choices: Choices,
) -> Program:
    exists(tree, mechanism)
    forces = inverse_dynamics(tree, mechanism, choices)
    found = by_parameter(tree, mechanism, choices)
    state = _State(forces, derivatives(tree, mechanism, choices), choices)
    contract = FORWARD_DYNAMICS_PARAMETER_DERIVATIVES
    return state.program(contract, forces, found, [state.follow(state.at(found, "dp"))], parameters)


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
        orders = elimination_orders(
            [[not x.is_zero for x in row] for row in self.matrix],
            [[x.is_number for x in row] for row in self.matrix],
        )
        order = orders[choices.pick("elimination order", len(orders))]
        ways = blockings(order, self.matrix)
        self._blocks = ways[choices.pick("pivots of elimination", len(ways))]
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
        given = {argument.name: argument for argument in forces.inputs}
        return Program(
            name=contract.name,
            title=contract.title,
            source=f"{derivatives.source}; M^-1 of those of inverse dynamics",
            inputs=(given["q"], given["v"], forces.outputs[0]),
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
    return Program(
        program.name,
        program.title,
        program.source,
        program.inputs,
        (program.outputs[at],),
        program.graph,
        (program.results[at],),
        program.labels,
    )
