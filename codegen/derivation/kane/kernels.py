"""The kernels of a mechanism by Kane's method, for joint rates or any other generalized speeds.

Here v is u, a is u' and tau is conjugate to u: power = tau . u.  With q' = W(q) u and u = Y(q) q', forces Q
that act on the joint rates are tau = W^T Q on the speeds, and Q = Y^T tau.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.deriver import Build
from kanegen.codegen.derivation.generalized_speeds import joint_rates
from kanegen.codegen.derivation.kane.equations import (
    described,
    equations_of_tree,
    forces_on_rates,
    intermediate_quantities,
)
from kanegen.codegen.derivation.kane.generalized_forces import (
    generalized_force,
    inertia_coefficient,
)
from kanegen.codegen.derivation.kane.motion import KaneMotion
from kanegen.codegen.derivation.kane.rotation import turns_of
from kanegen.codegen.derivation.kane.speeds import ChosenSpeeds
from kanegen.codegen.derivation.kernels.catalogue import (
    ACTUATOR_FORCES,
    BIAS_FORCES,
    COORDINATE_RATES,
    FORWARD_DYNAMICS,
    FRAME_JACOBIAN,
    FRAME_POSE,
    GRAVITY_FORCES,
    INVERSE_DYNAMICS,
    KINETIC_ENERGY,
    MASS_MATRIX,
    MOMENTUM,
    POTENTIAL_ENERGY,
)
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.kinematical_equations import KinematicalEquations
from kanegen.codegen.derivation.linear_solve import blockings, elimination_orders, solve
from kanegen.codegen.derivation.motion import Motion
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.recursive.tree_dynamics import TreeDynamics
from kanegen.codegen.graph import Expression, Graph, Program, constant, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Frame, Mechanism
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed, described_speed
from kanegen.errors import NoInertiaError

SOURCE = "Kane's dynamical equations (Kane & Levinson 1983)"


@dataclass(frozen=True)
class KaneFormulation:
    """Kane's method for one choice of generalized speeds (None: the joint rates), as kernels by name.

    Every method that takes (tree, mechanism, choices) derives one kernel.  Of the placed ``tree`` only the
    geometry is read, so that it may be regrouped; masses and central inertias are those of the mechanism.
    ``live_parameters`` must be what the tree was placed with.
    """

    speeds: tuple[GeneralizedSpeed, ...] | None = None
    live_parameters: bool = False

    def kernels(self, frames: Mapping[str, Frame]) -> dict[str, Build]:
        """All kernels of the formulation, by name, those of ``frames`` by identifiers included."""
        found: dict[str, Build] = {
            "inverse_dynamics": self.inverse_dynamics,
            "forward_dynamics": self.forward_dynamics,
            "mass_matrix": self.mass_matrix,
            "bias_forces": self.bias_forces,
            "gravity_forces": self.gravity_forces,
            "kinetic_energy": self.kinetic_energy,
            "potential_energy": self.potential_energy,
            "momentum": self.momentum,
            "coordinate_rates": self.coordinate_rates,
            "actuator_forces": self.actuator_forces,
        }
        for identifier, frame in frames.items():
            for contract, build in ((FRAME_POSE, self.frame_pose), (FRAME_JACOBIAN, self.frame_jacobian)):
                found[contract.named(identifier)] = partial(
                    build, frame=frame, kernel=contract.named(identifier)
                )
        return found

    def inverse_dynamics(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """Generalized forces on the speeds that produce given u': the first problem of the paper.

        The u' are not brought into evidence, which the paper's conclusion calls unnecessary for this purpose.
        """
        derivation = self._start(tree, mechanism, "qva")
        return derivation.program(INVERSE_DYNAMICS, derivation.forces())

    def actuator_forces(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """Torques and forces of the actuators, with their own signs, that produce given u' (eqs 118 - 126).

        For a joint without an actuator it is the generalized force on the joint's rate.
        """
        derivation = self._start(tree, mechanism, "qva")
        on_rates = forces_on_rates(derivation.chosen.equations.speeds_from_rates, derivation.forces())
        signs = {actuator.joint: actuator.sign for actuator in mechanism.actuators}
        forces = [x * signs.get(joint, 1) for joint, x in zip(mechanism.coordinates, on_rates, strict=True)]
        return derivation.program(ACTUATOR_FORCES, forces)

    def forward_dynamics(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """u' from forces on the speeds: the second problem (eqs 118 - 123), by an unrolled L D L^T."""
        kane = equations_of_tree(tree, mechanism, self._speeds(mechanism), self.live_parameters)
        matrix = kane.mass_matrix
        for r, speed in enumerate(kane.speeds):
            if matrix[r][r].is_zero:
                raise NoInertiaError(
                    f"generalized speed u{r + 1} = {described_speed(speed)}",
                    "moves no inertia, so its derivative is undefined",
                    "a body with mass or inertia that it moves",
                    "Give the bodies beyond it their inertia; inverse dynamics works as it is.",
                )
        orders = elimination_orders(
            [[not x.is_zero for x in row] for row in matrix], [[x.is_number for x in row] for row in matrix]
        )
        order = orders[choices.pick("elimination order", len(orders))]
        ways = blockings(order, matrix)
        blocks = ways[choices.pick("pivots of elimination", len(ways))]
        right = kane.right_hand_side(inputs(kane.graph, "tau", mechanism.dof))
        a = solve(matrix, right, blocks)
        labels = kane.labels(tuple(x.ref for x in a))
        return FORWARD_DYNAMICS.program(Arguments.of(mechanism, self.speeds), kane.graph, [a], SOURCE, labels)

    def mass_matrix(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """M = -X (eq 88), full and symmetric."""
        derivation = self._start(tree, mechanism, "q")
        n = mechanism.dof
        upper = {(r, s): -inertia_coefficient(derivation.motion, r, s) for r in range(n) for s in range(r, n)}
        entries = [upper[min(r, s), max(r, s)] for r in range(n) for s in range(n)]
        return derivation.program(MASS_MATRIX, entries)

    def bias_forces(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """Generalized forces on the speeds at u' = 0: those of velocities and gravity."""
        derivation = self._start(tree, mechanism, "qv")
        return derivation.program(BIAS_FORCES, derivation.forces())

    def gravity_forces(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """Generalized forces on the speeds that hold the mechanism at rest."""
        derivation = self._start(tree, mechanism, "q")
        return derivation.program(GRAVITY_FORCES, derivation.forces())

    def coordinate_rates(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """q' = W(q) u (eqs 8 - 12)."""
        derivation = self._start(tree, mechanism, "qv")
        return derivation.program(COORDINATE_RATES, derivation.chosen.rates)

    def kinetic_energy(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """T of the bodies, for speeds u."""
        dynamics = self._tree(tree, mechanism, choices)
        return self._of_tree(KINETIC_ENERGY, dynamics, dynamics.kinetic_energy())

    def momentum(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """Momentum of the bodies, for speeds u."""
        dynamics = self._tree(tree, mechanism, choices)
        return self._of_tree(MOMENTUM, dynamics, dynamics.momentum())

    def potential_energy(self, tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
        """U of the bodies."""
        dynamics = self._tree(tree, mechanism, choices, moving=False)
        return self._of_tree(POTENTIAL_ENERGY, dynamics, dynamics.potential_energy())

    def frame_pose(
        self, tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, kernel: str
    ) -> Program:
        """X of a frame."""
        dynamics = self._tree(tree, mechanism, choices, moving=False)
        pose = dynamics.frame_pose(frame)
        return self._of_tree(FRAME_POSE, dynamics, pose, name=kernel, frame=frame.name)

    def frame_jacobian(
        self, tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, kernel: str
    ) -> Program:
        """J W."""
        dynamics = self._tree(tree, mechanism, choices, moving=False)
        rows = dynamics.frame_jacobian(frame)
        if self.speeds is not None:
            still = Motion(tree, dynamics.graph, choices, dynamics.q, dynamics.rest, dynamics.rest)
            w = KinematicalEquations(still, self.speeds).rates_from_speeds
            rows = [list(row) for row in vec.multiply_total(dynamics.graph, rows, w)]
        return self._of_tree(FRAME_JACOBIAN, dynamics, rows, name=kernel, frame=frame.name)

    def _tree(
        self, tree: PlacedTree, mechanism: Mechanism, choices: Choices, moving: bool = True
    ) -> TreeDynamics:
        """The bodies as the speeds u move them."""
        graph, n = Graph(), len(tree.bodies)
        q, v = inputs(graph, "q", n), inputs(graph, "v", n) if moving else None
        if v is not None and self.speeds is not None:
            rest = [constant(graph, 0)] * n
            still = Motion(tree, graph, choices, q, rest, rest)
            v = tuple(KinematicalEquations(still, self.speeds).solve(v))
        return TreeDynamics(tree, mechanism, choices, graph, q, v)

    def _of_tree(self, contract: Contract, dynamics: TreeDynamics, found: Any, **words: str) -> Program:
        arguments, source = Arguments.of(dynamics.mechanism, self.speeds), "; ".join(dynamics.sources)
        return contract.program(arguments, dynamics.graph, [found], source, dynamics.labels, **words)

    def _speeds(self, mechanism: Mechanism) -> tuple[GeneralizedSpeed, ...]:
        return joint_rates(mechanism) if self.speeds is None else self.speeds

    def _start(self, tree: PlacedTree, mechanism: Mechanism, given: str) -> _Derivation:
        """A derivation with those of q, v and a as inputs that ``given`` names, and zeros for the others."""
        speeds = self._speeds(mechanism)
        graph = Graph()
        n = mechanism.dof
        zeros = (constant(graph, 0),) * n
        q, u, u_dot = (inputs(graph, name, n) if name in given else zeros for name in "qva")
        turns = turns_of(tree, graph, q)
        chosen = ChosenSpeeds(turns, speeds, q, u, u_dot)
        motion = KaneMotion(described(mechanism, self.live_parameters), turns, chosen)
        return _Derivation(speeds, chosen, motion, Arguments.of(mechanism, self.speeds))


@dataclass(frozen=True)
class _Derivation:
    """One kernel being derived: the motion of the bodies and the arguments of kernels."""

    speeds: Sequence[GeneralizedSpeed]
    chosen: ChosenSpeeds
    motion: KaneMotion
    arguments: Arguments

    def forces(self) -> list[Expression]:
        """tau_r = -(K*_r + gravity's part of K_r) (eq 117)."""
        return [-generalized_force(self.motion, r) for r in range(len(self.speeds))]

    def program(self, contract: Contract, entries: Sequence[Expression]) -> Program:
        refs = tuple(x.ref for x in entries)
        labels: Mapping[int, str] = {
            node: label for label, (node, _) in intermediate_quantities(self.motion, refs).items()
        }
        return contract.program(self.arguments, self.motion.graph, [entries], SOURCE, labels)
