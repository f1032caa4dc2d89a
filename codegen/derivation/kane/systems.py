"""Systems whose forces on the speeds are Kane's sums over bodies (Kane & Levinson 1983), and not those on joints, projected.

Everything else that kernels ask for, energies, momenta, frames, comes from the dynamics of the tree through the map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from kanegen.codegen.derivation.kane.forces import (
    generalized_force,
    inertia_coefficient,
    nonholonomic_forces,
)
from kanegen.codegen.derivation.kane.motion import KaneMotion, bodies_of
from kanegen.codegen.derivation.kane.partial_velocities import PartialVelocities
from kanegen.codegen.derivation.kane.rates import RatesOfSpeeds
from kanegen.codegen.derivation.kane.shared_inertia import inertia_over_groups
from kanegen.codegen.derivation.kane.shared_velocities import MotionOfSpeeds, shared_forces, shares_velocities
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.derivation.meanings import names_of_values
from kanegen.codegen.derivation.motion_maps.chosen_speeds import ChosenSpeeds
from kanegen.codegen.derivation.motion_maps.motion_map import Rows, Vector
from kanegen.codegen.derivation.placed_tree.unit_gauge import with_unit_of_length
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.system import System
from kanegen.codegen.graph import Expression, Program


class ChosenSpeedsSystem(System):
    """A plain tree on generalized speeds u of one's choice, or on the rates of its joints.

    Quantities are named after what they are: partial velocities, velocities, accelerations, forces.
    """

    source = "Kane's dynamical equations (Kane & Levinson 1983)"
    _kane: KaneMotion | None = None

    def driving(self, v: Vector | None = None, a: Vector | None = None) -> list[Expression]:
        """tau_r = -(K*_r + gravity's part of K_r) (eq 117).

        The u' are not brought into evidence, which the paper's conclusion calls unnecessary for this purpose.
        """
        if shares_velocities(self.choices):
            return self._shared(v, a)
        motion = self._moving(v, a)
        return [-generalized_force(motion, r) for r in range(self.nv)]

    def inertia(self) -> Rows:
        """M = -X (eq 88): as it is written, over bodies that two speeds move as one, or the tree's between W^T and W."""
        if not shares_velocities(self.choices):
            kane = self._kane or self._moving()
            return self._symmetric(lambda r, s: -inertia_coefficient(kane, r, s))
        if self.choices.pick("inertia on the speeds", 2, whole=True) == 0:
            return super().inertia()
        assert isinstance(self.map, ChosenSpeeds) and self.tree is not None
        self._sources[f"{self.source}, bodies that two speeds move as one"] = None
        tree = with_unit_of_length(self.tree, self.choices)
        motion = Motion(tree, self.graph, self.choices, self.q, self.rest, self.rest)
        speeds = RatesOfSpeeds(self.map, self.rest, self.rest)
        return self._symmetric(partial(inertia_over_groups, PartialVelocities(motion, speeds)))

    def _symmetric(self, entry: Callable[[int, int], Expression]) -> Rows:
        upper = {(r, s): entry(r, s) for r in range(self.nv) for s in range(r, self.nv)}
        return [[upper[min(r, s), max(r, s)] for s in range(self.nv)] for r in range(self.nv)]

    def free_inertia(self) -> Rows:
        """The same: all speeds are free."""
        return self.inertia()

    def balance(self, v: Vector, tau: Vector) -> tuple[list[Expression], Vector]:
        """tau + Z, where M u' = tau + Z (eqs 118 - 123)."""
        return [t - h for t, h in zip(tau, self.driving(v, self.rest), strict=True)], self.rest

    def program(self, contract: Contract, results: Sequence[Any], **besides: Any) -> Program:
        """The program with these results, quantities named."""
        source = {} if self._kane is None else {"source": self.source}
        return _named(super().program(contract, results, **{**source, **besides}))

    def _shared(self, v: Vector | None, a: Vector | None) -> list[Expression]:
        """The forces, with partial velocities that bodies share."""
        assert isinstance(self.map, ChosenSpeeds) and self.tree is not None
        tree = with_unit_of_length(self.tree, self.choices)
        u, u_dot = (self.rest if x is None else x for x in (v, a))
        speeds = RatesOfSpeeds(self.map, u, u_dot)
        given = tree, self.graph, self.choices, self.q, speeds.rates
        steady = MotionOfSpeeds(*given, self.rest, speeds=speeds, steady=True)
        motion = MotionOfSpeeds(*given, speeds.second_derivatives(steady.alpha), tree.gravity, speeds=speeds)
        motion.labels = self.labels
        self._sources[f"{self.source}, velocities shared by bodies"] = None
        return shared_forces(motion, speeds, self.nv)

    def _moving(self, v: Vector | None = None, a: Vector | None = None) -> KaneMotion:
        assert isinstance(self.map, ChosenSpeeds)
        rates = RatesOfSpeeds(self.map, self.rest if v is None else v, self.rest if a is None else a)
        self._kane = KaneMotion(bodies_of(self.tree_mechanism, self.foundation.live), self.map.turns, rates)
        return self._kane


class NonholonomicSystem(System):
    """A constrained mechanism that moves: nonholonomic partial velocities of its tree."""

    source = "tree forces on nonholonomic partial velocities (Kane)"

    def program(self, contract: Contract, results: Sequence[Any], **besides: Any) -> Program:
        """The program with these results, quantities named."""
        return _named(super().program(contract, results, **besides))

    def driving(self, v: Vector | None = None, a: Vector | None = None) -> list[Expression]:
        """Generalized forces on the speeds; at rest, or where bodies share velocities, those on the joints, projected."""
        if v is None or shares_velocities(self.choices):
            return super().driving(v, a)
        motion = self.map.motion(v, a)
        assert motion.v is not None and motion.a is not None, "forces need accelerations"
        found = nonholonomic_forces(
            bodies_of(self.tree_mechanism, self.foundation.live),
            self.graph,
            motion.q,
            motion.v,
            motion.a,
            self.map.columns(),
        )
        self._sources[self.source] = None
        resisting = self.resisting(motion)
        for j, joint in enumerate(self.resistance.joints):
            if joint is not None and joint.rotor_inertia != 0:
                resisting[j] = resisting[j] + self.lift(joint.rotor_inertia) * motion.a[j]
        return [x + y for x, y in zip(found, self.map.on_speeds(resisting), strict=True)]


def _named(program: Program) -> Program:
    """The program whose variables are called after what they mean."""
    return replace(program, labels={**names_of_values(program.graph), **program.labels})
