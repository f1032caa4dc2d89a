"""What the dynamics of one tree give: the quantities that kernels are made of, in one motion and one graph.

``TreeDynamics`` derives them by recursions over the bodies.  A formulation that is a way to generalized forces overrides
``forces``, and has the rest from it (from_forces.py).  Kernels (kernels/) ask for quantities and do not know who derives
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.parameters import regressor
from kanegen.codegen.derivation.parameters.base_parameters import canonical_tree
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.placed_tree.unit_gauge import with_unit_of_length
from kanegen.codegen.derivation.recursive import (
    centroidal,
    composite_inertia,
    coriolis,
    energy,
    forward_dynamics,
    frame_rates,
    inverse_mass_matrix,
    kinematics,
    newton_euler,
)
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.force_derivatives import SOURCE, ForceDerivatives, force_derivatives
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.regularity import is_well_conditioned, require_regular
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import Frame, Mechanism

Vector = Sequence[Expression]
Rows = list[list[Expression]]

_REGRESSOR = (
    "powers of unit parameters in the partial velocities of the joints (Atkeson, An & Hollerbach 1986)"
)


class TreeDynamics:
    """Quantities of a placed tree in a motion, in SI units and in the order of the tree's coordinates.

    ``tree`` is the placed ``mechanism``, regrouped or not.  Coordinates ``q``, rates ``v`` and accelerations ``a`` are any
    expressions of ``graph``; without rates the tree is at rest, without accelerations its rates do not change.
    ``labels`` name quantities by their nodes, ``sources`` say how what was asked for was derived.
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
    ) -> None:
        self.tree, self.mechanism, self.choices, self.graph = tree, mechanism, choices, graph
        self.rest: Vector = [constant(graph, 0)] * len(tree.bodies)
        self.q, self.v, self.a = q, v, a
        self.labels: dict[int, str] = {}
        self.sources: dict[str, None] = {}

    # -- forces and inertia ------------------------------------------------------------------------------------------

    def forces(self) -> Vector:
        """Generalized forces that the motion needs, those against weight included: tau = M a + h, h or g."""
        self.sources[
            "recursive Newton-Euler without motion"
            if self.v is None
            else "recursive Newton-Euler without joint accelerations"
            if self.a is None
            else "recursive Newton-Euler (Luh, Walker & Paul 1980) on second moments"
        ] = None
        return newton_euler.joint_forces(self._motion(self._in_unit(), self.v, self.a, weight=True))

    def force_derivatives(self) -> ForceDerivatives:
        """Derivatives of the forces by q, v and a."""
        self.sources[SOURCE] = None
        motion = self._motion(self._in_unit(), self.v, self.a, weight=True)
        return force_derivatives(motion, newton_euler.JointForces(motion.tree, motion))

    def mass_matrix(self) -> Rows:
        """M, full and symmetric."""
        self.sources["composite inertias (Walker & Orin 1982) on second moments"] = None
        return composite_inertia.mass_matrix(self._motion(self._in_unit()))

    def accelerations(self, tau: Vector) -> Vector:
        """M^-1 (tau - h).  Raises NoInertiaError where a joint has no inertia to move."""
        require_regular(self.mechanism)
        formed, tree = is_well_conditioned(self.mechanism), self.tree
        if not formed and tree.as_described is not None:
            # regrouping leaves inertias that are differences: small ones keep their digits only as those of bodies
            tree = tree.as_described
        motion = self._motion(with_unit_of_length(tree, self.choices), self.v, weight=True)
        found, source = forward_dynamics.accelerations(motion, tau, formed)
        self.sources[source] = None
        return found

    def inverse_mass_matrix(self) -> Rows:
        """M^-1, full and symmetric.  Raises NoInertiaError where a joint has no inertia to move."""
        require_regular(self.mechanism)
        found, source = inverse_mass_matrix.inverse_mass_matrix(self._motion(self._in_unit()))
        self.sources[source] = None
        return found

    def coriolis_matrix(self) -> Rows:
        """C with C v the Coriolis and centrifugal forces and dM/dt - 2 C skew-symmetric."""
        self.sources["composite inertias and their rates (Echeandia & Wensing 2021) on second moments"] = None
        return coriolis.coriolis_matrix(self._motion(self._in_unit(), self.v))

    # -- energy, momentum, mass centre -------------------------------------------------------------------------------

    def kinetic_energy(self) -> Expression:
        """T, that of rotors included."""
        self.sources["sum over the bodies of (v . p + w . l) / 2"] = None
        return energy.kinetic_energy(self._kinematics(self.v))

    def potential_energy(self) -> Expression:
        """U of weight, zero for mass at the base origin."""
        self.sources["weight of the composite first moment"] = None
        return energy.potential_energy(self._motion(self.tree))

    def momentum(self) -> Vector:
        """Linear momentum, then angular momentum about the base origin, in the base frame."""
        self.sources["momenta carried from the tips to the base"] = None
        return energy.momentum(self._kinematics(self.v))

    def center_of_mass(self) -> Vector:
        """Mass centre of the moving bodies in the base frame.  Raises ModelError where they have no mass."""
        self.sources["composite first moment over the mass"] = None
        return centroidal.center_of_mass(CompositeInertia(self.tree, self._motion(self.tree)))

    def centroidal_momentum_matrix(self) -> Rows:
        """Linear momentum and angular momentum about the mass centre are A v.  Raises ModelError without mass."""
        self.sources["composite inertias about the mass centre (Orin, Goswami & Lee 2013)"] = None
        return centroidal.centroidal_momentum_matrix(CompositeInertia(self.tree, self._motion(self.tree)))

    # -- inertial parameters -----------------------------------------------------------------------------------------

    def regressor(self) -> Rows:
        """Y on the base parameters of the mechanism.  Raises ModelError where there are none."""
        return regressor.regressor(self._canonical(), self.mechanism, self.tree.live)

    def full_regressor(self) -> Rows:
        """Y on all inertial parameters of the moving bodies."""
        return regressor.full_regressor(self._canonical())

    def _canonical(self) -> Motion:
        self.sources[_REGRESSOR] = None
        tree = canonical_tree(self.mechanism, self.tree.live)
        return self._motion(tree, self.v, self.a, weight=True)

    # -- frames ------------------------------------------------------------------------------------------------------

    def frame_pose(self, frame: Frame) -> Rows:
        """Homogeneous matrix of a frame, p_base = X p_frame."""
        self.sources["chain of joint rotations"] = None
        return kinematics.frame_pose(self._kinematics(), frame)

    def frame_jacobian(self, frame: Frame) -> Rows:
        """Velocity of a frame's origin, then its angular velocity, in the base frame, for unit rates."""
        self.sources["joint axes crossed with lever arms"] = None
        return kinematics.frame_jacobian(self._kinematics(), frame)

    def frame_jacobian_rate(self, frame: Frame, kernel: str) -> Rows:
        """Time derivative of the Jacobian; how it is formed is a decision on the ``kernel``.

        Formulas of still joints do not have the coordinates that they would be differentiated by.
        """
        still = any(body.still for body in self.tree.bodies)
        by_velocities = self.choices.pick(f"method of {kernel}", 1 if still else 2) == 0
        self.sources[
            "joint axes crossed with velocities" if by_velocities else "derivative of the Jacobian's formulas"
        ] = None
        v = self.rest if self.v is None else self.v
        return frame_rates.frame_jacobian_rate(self._kinematics(), frame, self.q, v, by_velocities)

    def frame_acceleration(self, frame: Frame) -> Vector:
        """Acceleration of a frame's origin, then its angular acceleration, in the base frame."""
        self.sources["joint axes crossed with velocities"] = None
        v, a = (self.rest if x is None else x for x in (self.v, self.a))
        return frame_rates.frame_acceleration(self._kinematics(), frame, v, a)

    def frame_forces(self, frame: Frame, wrench: Vector) -> Vector:
        """Generalized forces that a force and a moment at a frame are equal to."""
        self.sources["force and moment carried outwards to each joint"] = None
        return frame_rates.frame_forces(self._kinematics(), frame, wrench)

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _in_unit(self) -> PlacedTree:
        """The tree in the unit of length that the decision point chooses."""
        return with_unit_of_length(self.tree, self.choices)

    def _kinematics(self, v: Vector | None = None) -> Kinematics:
        return Kinematics(self.tree, self._motion(self.tree, v))

    def _motion(
        self, tree: PlacedTree, v: Vector | None = None, a: Vector | None = None, *, weight: bool = False
    ) -> Motion:
        """The bodies of a tree as they move; at rest, or without joint accelerations, unless these are given."""
        rates, slopes = self.rest if v is None else v, self.rest if a is None else a
        gravity = tree.gravity if weight else None
        motion = Motion(tree, self.graph, self.choices, self.q, rates, slopes, gravity)
        motion.labels = self.labels
        return motion
