"""A dynamic model in the paper's canonical form, equation (17)."""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.derivation.influence_coefficients.arrays import Array, Matrix, Vector, quadratic
from kanegen.codegen.graph import Expression, Graph, total
from kanegen.codegen.graph import linear as vec


@dataclass(frozen=True, slots=True)
class Model:
    """T = I* d2u/dt2 + du/dt^T P* du/dt - loads: I* is n x n and symmetric, P* n x n x n, ``loads`` n generalized forces."""

    inertia: Matrix
    power: Array
    loads: Vector

    def forces(self, graph: Graph, rates: Vector, accelerations: Vector) -> list[Expression]:
        """T, equation (17)."""
        inertial = vec.apply_total(graph, self.inertia, accelerations)
        power = quadratic(graph, self.power, rates)
        return [total(graph, [x, y, -z]) for x, y, z in zip(inertial, power, self.loads, strict=True)]
