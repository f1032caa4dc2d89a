"""The dynamics of a tree in any formulation that gives its generalized forces.

tau = M(q) a + h(q, v): unit accelerations at rest and without gravity give the columns of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.derivation.kane.rates import GivenRates
from kanegen.codegen.derivation.kane.shared_velocities import shared_forces, shares_velocities
from kanegen.codegen.derivation.linear.solve import chosen_blocks, one_by_one, solve
from kanegen.codegen.derivation.meanings import names_of_values
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.regularity import require_regular
from kanegen.codegen.derivation.recursive.tree_dynamics import Rows, TreeDynamics
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]
Forces = Callable[[Mechanism, Graph, Vector, Vector, Vector], list[Expression]]
"""Mechanism (a plain tree), graph, q, v, a -> generalized forces in coordinate order."""
Inertia = Callable[[Mechanism, Graph, Vector], Rows]
"""Mechanism (a plain tree), graph, q -> mass matrix."""


class DynamicsFromForces(TreeDynamics):
    """A formulation's ``formula`` for the forces, and accelerations from it; inertia, too, where it has none of its own.

    Energies, momenta and frames are those of the bodies, whatever the formulation.  ``live`` is what the tree was placed
    with.  A ``free`` formulation is a sum over bodies of velocity coefficients and inertia forces, which Kane's method,
    dual vectors and influence coefficients write differently: bodies may share these coefficients instead.
    """

    def __init__(
        self,
        tree: PlacedTree,
        mechanism: Mechanism,
        choices: Choices,
        graph: Graph,
        q: Vector,
        v: Vector | None = None,
        a: Vector | None = None,
        *,
        formula: Forces,
        source: str,
        live: bool,
        inertia: Inertia | None = None,
        free: bool = False,
    ) -> None:
        super().__init__(tree, mechanism, choices, graph, q, v, a)
        reduced = without_fixed_joints(mechanism)
        still = tuple(replace(j, damping=Fraction(0), friction=Fraction(0)) for j in reduced.joints)
        reduced = replace(reduced, joints=still)  # what resists joints is overcome beside the formula
        self.given = reduced if live else with_numbers(reduced)
        self.formula, self.source, self.live = formula, source, live
        self.inertia, self.free = inertia, free

    def forces(self) -> Vector:
        """tau, h or g by the formula."""
        v, a = (self.rest if x is None else x for x in (self.v, self.a))
        if not self._shares_velocities():
            return self._forces(self.given, v, a)
        return self._shared_forces(self._motion(self._in_unit(), v, a, weight=True))

    def mass_matrix(self) -> Rows:
        """M, column by column where the formulation has nothing else, or of bodies that joints move as one."""
        if self._shares_velocities():
            return super().mass_matrix()
        if self.inertia is not None:
            self.sources[self.source] = None
            found = self.inertia(self.given, self.graph, self.q)
            for i, rotor in enumerate(self._rotors(self.given)):
                found[i][i] = found[i][i] + rotor
            return found
        n, one = len(self.q), constant(self.graph, 1)
        still = replace(self.given, gravity=(Fraction(0),) * 3)
        zero = self.rest[0]
        columns = [
            self._forces(still, self.rest, [one if i == j else zero for i in range(n)]) for j in range(n)
        ]
        return [[columns[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]

    def accelerations(self, tau: Vector) -> Vector:
        """M^-1 (tau - h).  Raises NoInertiaError where a joint has no inertia to move."""
        require_regular(self.mechanism)
        v = self.rest if self.v is None else self.v
        if not self._shares_velocities():
            matrix = self.mass_matrix()
            h = self._forces(self.given, v, self.rest)
            return solve(matrix, [t - x for t, x in zip(tau, h, strict=True)], one_by_one(matrix))
        matrix = super().mass_matrix()
        h = self._shared_forces(self._motion(self._in_unit(), v, weight=True))
        return solve(
            matrix, [t - x for t, x in zip(tau, h, strict=True)], chosen_blocks(matrix, self.choices)
        )

    def _shares_velocities(self) -> bool:
        return self.free and shares_velocities(self.choices)

    def _shared_forces(self, motion: Motion) -> list[Expression]:
        self.sources[f"{self.source}, velocities shared by bodies"] = None
        n, one = len(self.q), constant(self.graph, 1)
        unit = [[one if r == s else self.rest[0] for r in range(n)] for s in range(n)]
        found = shared_forces(motion, GivenRates(self.rest, self.rest, unit), n)
        self.labels |= names_of_values(self.graph)
        return found

    def _forces(self, mechanism: Mechanism, v: Vector, a: Vector) -> list[Expression]:
        """The forces of the bodies, and of the rotors, which formulas do not know."""
        self.sources[self.source] = None
        found = self.formula(mechanism, self.graph, self.q, v, a)
        self.labels |= names_of_values(self.graph)
        rotors = self._rotors(mechanism)
        return [x if rotor.is_zero else x + rotor * y for x, rotor, y in zip(found, rotors, a, strict=True)]

    def _rotors(self, mechanism: Mechanism) -> list[Expression]:
        """What resists the acceleration of each joint alone."""
        lift = Lift(self.graph, mechanism.parameters, live=self.live)
        return [lift(mechanism.joint(name).rotor_inertia) for name in mechanism.coordinates]
