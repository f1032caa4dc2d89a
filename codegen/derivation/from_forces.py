"""Programs of a tree from any formulation that gives its generalized forces.

tau = M(q) a + h(q, v): unit accelerations at rest and without gravity give the columns of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
)
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.linear_solve import elimination_orders, solve
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.regularity import require_regular
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Expression, Graph, Program, constant, inputs
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]
Forces = Callable[[Mechanism, Graph, Vector, Vector, Vector], list[Expression]]
"""Mechanism (a plain tree), graph, q, v, a -> generalized forces in coordinate order."""


def programs_from(forces: Forces, source: str, live: bool) -> dict[str, Build]:
    """Inverse and forward dynamics, mass matrix, bias and gravity forces from a formulation's generalized forces."""
    made = _Programs(forces, source, live)
    return {
        "inverse_dynamics": made.inverse_dynamics,
        "forward_dynamics": made.forward_dynamics,
        "mass_matrix": made.mass_matrix,
        "bias_forces": made.bias_forces,
        "gravity_forces": made.gravity_forces,
    }


class _Programs:
    def __init__(self, forces: Forces, source: str, live: bool) -> None:
        self.forces, self.source, self.live = forces, source, live

    def inverse_dynamics(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """tau from q, v, a."""
        graph, n = Graph(), len(tree.bodies)
        tau = self._forces(mechanism, graph, *(inputs(graph, name, n) for name in "qva"))
        return self._program(INVERSE_DYNAMICS, mechanism, tau)

    def bias_forces(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """h(q, v)."""
        graph, n = Graph(), len(tree.bodies)
        rest = [constant(graph, 0)] * n
        h = self._forces(mechanism, graph, inputs(graph, "q", n), inputs(graph, "v", n), rest)
        return self._program(BIAS_FORCES, mechanism, h)

    def gravity_forces(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """g(q)."""
        graph, n = Graph(), len(tree.bodies)
        rest = [constant(graph, 0)] * n
        g = self._forces(mechanism, graph, inputs(graph, "q", n), rest, rest)
        return self._program(GRAVITY_FORCES, mechanism, g)

    def mass_matrix(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """M(q)."""
        graph, n = Graph(), len(tree.bodies)
        matrix = self._inertia(mechanism, graph, inputs(graph, "q", n))
        return self._program(MASS_MATRIX, mechanism, [x for row in matrix for x in row])

    def forward_dynamics(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """a from q, v, tau."""
        require_regular(mechanism)
        graph, n = Graph(), len(tree.bodies)
        q, v, tau = (inputs(graph, name, n) for name in ("q", "v", "tau"))
        matrix = self._inertia(mechanism, graph, q)
        h = self._forces(mechanism, graph, q, v, [constant(graph, 0)] * n)
        order = elimination_orders(
            [[not x.is_zero for x in row] for row in matrix], [[x.is_number for x in row] for row in matrix]
        )[0]
        a = solve(matrix, [t - x for t, x in zip(tau, h, strict=True)], [(i,) for i in order])
        return self._program(FORWARD_DYNAMICS, mechanism, a)

    def _inertia(self, mechanism: Mechanism, graph: Graph, q: Vector) -> list[list[Expression]]:
        n, zero, one = len(q), constant(graph, 0), constant(graph, 1)
        still = replace(mechanism, gravity=(Fraction(0),) * 3)
        rest = [zero] * n
        columns = [
            self._forces(still, graph, q, rest, [one if i == j else zero for i in range(n)]) for j in range(n)
        ]
        return [[columns[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]

    def _forces(
        self, mechanism: Mechanism, graph: Graph, q: Vector, v: Vector, a: Vector
    ) -> list[Expression]:
        reduced = without_fixed_joints(mechanism)
        given = reduced if self.live else with_numbers(reduced)
        found = self.forces(given, graph, q, v, a)
        if all(joint.rotor_inertia == 0 for joint in given.joints):
            return found
        lift = Lift(graph, given.parameters, live=self.live)
        rotors = [lift(given.joint(name).rotor_inertia) for name in given.coordinates]
        return [x + rotor * y for x, rotor, y in zip(found, rotors, a, strict=True)]

    def _program(self, contract: Contract, mechanism: Mechanism, values: Vector) -> Program:
        return contract.program(Arguments.of(mechanism), values[0].graph, [values], self.source)
