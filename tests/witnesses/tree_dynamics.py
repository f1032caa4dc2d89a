"""The bodies' own sums: generalized forces, energies and momentum of a tree, from a mechanism's records alone."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.mechanism import Mechanism, TorsionalSpringDamper
from kanegen.codegen.mechanism.constraints import SpringDamper

from .jets import Array, Jet
from .tree_motion import Pose, TreeNumbers


class TreeDynamics:
    """What moves a mechanism's tree, its loops and constraints left aside; states are arrays of one state.

    Prescribed joints move at their rates and come after the coordinates where every joint is meant.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.tree = TreeNumbers(mechanism)
        self.nq = len(mechanism.coordinates)
        self.prescribed_rates = np.array([self.tree.number(given.rate) for given in mechanism.prescribed])
        self._gravity = self.tree.vector(mechanism.gravity)
        self.bodies = [
            (
                body.name,
                self.tree.number(body.inertia.mass),
                self.tree.vector(body.inertia.center),
                self.tree.matrix(body.inertia.tensor),
            )
            for body in mechanism.bodies
            if body.inertia is not None
        ]

    def motions(self, q: Array, qdot: Array, qddot: Array) -> Jet:
        """A unit rate of each joint, one after another, with nothing else moving, and last the motion itself."""
        joints = len(self.tree.joints)
        places = np.tile([*q, *np.zeros_like(self.prescribed_rates)], (joints + 1, 1))
        rates = np.vstack([np.eye(joints), [*qdot, *self.prescribed_rates]])
        accelerations = np.zeros_like(rates)
        accelerations[-1, : self.nq] = qddot
        return Jet((places, rates, accelerations))

    def tree_forces(
        self, q: Array, qdot: Array, qddot: Array, inertia: bool = True, gravity: bool = True
    ) -> Array:
        """M q'' + h on every joint, coordinates first, then the prescribed ones: (nq + p,), springs included."""
        motions = self.motions(q, qdot, qddot)
        poses = self.tree.poses(motions)
        forces = self._spring_forces(motions, poses)
        free_fall = self._gravity if gravity else np.zeros(3)
        for name, mass, centre, tensor in self.bodies:
            pose = poses[name]
            at = pose.carried(np.eye(3), centre).position
            spin = pose.angular_velocity()
            turn = pose.rotation.terms[0][-1]
            central = turn @ tensor @ turn.T
            omega, alpha = spin.terms[0][-1], spin.terms[1][-1]
            linear = mass * (inertia * at.terms[2][-1] - free_fall)
            angular = inertia * (central @ alpha + np.cross(omega, central @ omega))
            forces = forces + at.terms[1][:-1] @ linear + spin.terms[0][:-1] @ angular
        return forces

    def _spring_forces(self, motions: Jet, poses: dict[str, Pose]) -> Array:
        """What springs and dampers resist with, on every joint."""
        forces = np.zeros(len(self.tree.joints))
        for spring in self.mechanism.springs:
            stiffness, damping, rest = map(self.tree.number, (spring.stiffness, spring.damping, spring.rest))
            length = self._spring_length(spring, motions, poses)
            pull = stiffness * (length.terms[0][-1] - rest) + damping * length.terms[1][-1]
            forces = forces + pull * length.terms[1][:-1]
        return forces

    def _spring_length(self, spring: SpringDamper, motions: Jet, poses: dict[str, Pose]) -> Jet:
        if isinstance(spring, TorsionalSpringDamper):
            return motions.component(self.tree.joints.index(spring.joint))
        first, second = (self.tree.frame(name, poses) for name in (spring.first, spring.second))
        between = second.position - first.position
        return between.dot(between).power(0.5)

    def tree_mass_matrix(self, q: Array) -> Array:
        """(nq, nq), on the rates of the coordinates."""
        still = np.zeros(self.nq)
        motions = self.motions(q, still, still)
        poses = self.tree.poses(motions)
        total = np.zeros((self.nq, self.nq))
        for name, mass, centre, tensor in self.bodies:
            linear = poses[name].carried(np.eye(3), centre).position.terms[1][: self.nq]
            angular = poses[name].angular_velocity().terms[0][: self.nq] @ poses[name].rotation.terms[0][-1]
            total += mass * linear @ linear.T + angular @ tensor @ angular.T
        return total

    def energies(self, q: Array, qdot: Array) -> tuple[float, float]:
        """Kinetic and potential energy [J], springs included, the latter zero with all mass at the origin."""
        motions = self.motions(q, qdot, np.zeros(self.nq))
        poses = self.tree.poses(motions)
        kinetic = potential = 0.0
        for name, mass, centre, tensor in self.bodies:
            at = poses[name].carried(np.eye(3), centre).position
            turn = poses[name].rotation.terms[0][-1]
            omega = poses[name].angular_velocity().terms[0][-1]
            velocity = at.terms[1][-1]
            kinetic += mass * (velocity @ velocity) / 2 + omega @ turn @ tensor @ turn.T @ omega / 2
            potential -= mass * float(self._gravity @ at.terms[0][-1])
        for spring in self.mechanism.springs:
            stretch = self._spring_length(spring, motions, poses).terms[0][-1] - self.tree.number(spring.rest)
            potential += self.tree.number(spring.stiffness) * stretch**2 / 2
        return float(kinetic), float(potential)

    def momentum(self, q: Array, qdot: Array) -> Array:
        """(6,): linear, then angular about the base origin."""
        motions = self.motions(q, qdot, np.zeros(self.nq))
        poses = self.tree.poses(motions)
        total = np.zeros(6)
        for name, mass, centre, tensor in self.bodies:
            at = poses[name].carried(np.eye(3), centre).position
            turn = poses[name].rotation.terms[0][-1]
            linear = mass * at.terms[1][-1]
            spin = turn @ tensor @ turn.T @ poses[name].angular_velocity().terms[0][-1]
            total += np.concatenate([linear, np.cross(at.terms[0][-1], linear) + spin])
        return total
