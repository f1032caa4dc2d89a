"""The quantities that kernels compute, evaluated from the records by Newton's and Euler's equations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanegen.codegen.certificate.arrays import Array, cross, dot, length, turned
from kanegen.codegen.certificate.body_motion import BodyMotion, JointMotion, bodies
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.newton_euler import (
    ALL,
    INERTIA,
    Acting,
    Forces,
    deformed,
    forces,
    stretched,
)
from kanegen.codegen.certificate.numeric_tree import NumericTree, Spring
from kanegen.codegen.certificate.speeds import ProjectedSpeeds, Speeds


@dataclass(frozen=True)
class Scaled:
    """A value (*batch, *shape), and for each state (*batch) what its rounding errors are measured by."""

    value: Array
    scale: Array


class Reference:
    """Quantities of a tree by Newton's and Euler's equations.

    ``slip_speed`` [rad/s, m/s] belongs to Coulomb friction; ``nv`` counts the speeds.
    """

    orthogonal = True
    """Whether axes of frames are at right angles."""

    def __init__(self, tree: NumericTree, speeds: Speeds, nv: int, slip_speed: float) -> None:
        self.records, self.speeds, self.nv, self.slip_speed = tree, speeds, nv, slip_speed
        # checks come in turn, and all ask for the same quantities
        self._mass: tuple[Array, Scaled] | None = None
        self._rest: tuple[Array, dict[str, BodyMotion], Array] | None = None
        self._start: tuple[Array, dict[str, BodyMotion], Array] | None = None
        self._step: tuple[Array, Array, Array] | None = None

    # -- dynamics ----------------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Array, v: Array, a: Array, acting: Acting = ALL) -> Scaled:
        """tau (..., nv) in a motion."""
        return self.drives(q, self.speeds.motion(q, v, a), acting)

    def drives(self, q: Array, motion: JointMotion, acting: Acting = ALL) -> Scaled:
        """Forces on the speeds (..., nv) in a motion of the joints."""
        found = self._on_joints(motion, acting)
        scale = self.speeds.scale_on_speeds(q, found.scale).max(axis=-1, initial=0.0)
        return Scaled(self.speeds.on_speeds(q, found.value), scale)

    def on_coordinates(self, q: Array, motion: JointMotion) -> Scaled:
        """Forces (..., nq) on the coordinates."""
        speeds, found = self.speeds, self._on_joints(motion, ALL)
        assert isinstance(speeds, ProjectedSpeeds), "mechanisms whose coordinates are tied together"
        scale = speeds.on_coordinates(q, found.scale, magnitudes=True)
        return Scaled(speeds.on_coordinates(q, found.value), scale.max(axis=-1))

    def _on_joints(self, motion: JointMotion, acting: Acting) -> Forces:
        return forces(self.records, motion, bodies(self.records, motion), acting, self.slip_speed)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """a (..., nv), with the mass matrix."""
        h = self.inverse_dynamics(q, v, np.zeros_like(v)).value
        return np.asarray(np.linalg.solve(self.mass_matrix(q).value, (tau - h)[..., None])[..., 0])

    def gravity_forces(self, q: Array) -> Scaled:
        """g (..., nv), springs included."""
        return self.drives(q, self.speeds.at_rest(q))

    def mass_matrix(self, q: Array) -> Scaled:
        """M (..., nv, nv): forces for unit derivatives of the speeds, at rest, without gravity."""
        if self._mass is None or self._mass[0] is not q:
            self._mass = (q, self._mass_matrix(q))
        return self._mass[1]

    def _mass_matrix(self, q: Array) -> Scaled:
        found = self.drives(q, self._moving_off(q, self._units(q)), INERTIA)
        return Scaled(np.moveaxis(found.value, 0, -1), found.scale.max(axis=0))

    def _moving_off(self, q: Array, v: Array) -> JointMotion:
        """Joints at rest with accelerations that are the rates of unit speeds."""
        moving, resting = self.speeds.motion(q, v, np.zeros(self.nv)), self.speeds.at_rest(q)
        drift = self.speeds.motion(q, np.zeros(self.nv), np.zeros(self.nv))
        return JointMotion(
            moving.batch,
            moving.position,
            {name: np.zeros(moving.batch) for name in moving.rate},
            {name: rate - drift.rate[name] for name, rate in moving.rate.items()},
            resting.rotations,
            resting.shifts,
        )

    def _units(self, q: Array) -> Array:
        return np.eye(self.nv).reshape(self.nv, *[1] * (q.ndim - 1), self.nv)

    # -- energies and momenta ----------------------------------------------------------------------------------------

    def kinetic_energy(self, q: Array, v: Array) -> Scaled:
        """T of bodies and rotors; all terms are positive where bodies are physical."""
        motion = self.speeds.motion(q, v, np.zeros(self.nv))
        found = bodies(self.records, motion)
        energy, scale = np.zeros(motion.batch), np.zeros(motion.batch)
        for link in self.records.links:
            body = found[link.body]
            _, velocity, _ = body.point(link.center)
            spin = dot(body.w, turned(body.R @ link.tensor @ np.swapaxes(body.R, -1, -2), body.w))
            energy = energy + (link.mass * dot(velocity, velocity) + spin) / 2
            _, speed, _ = body.sizes.point(float(np.linalg.norm(link.center)))
            tensor = float(np.linalg.norm(link.tensor))
            scale = scale + abs(link.mass) * speed**2 + tensor * body.sizes.w**2
            for name, drive in zip(link.joints, link.drives, strict=True):
                energy = energy + drive.rotor * motion.rate[name] ** 2 / 2
                scale = scale + abs(drive.rotor) * motion.rate[name] ** 2
        return Scaled(energy, scale)

    def potential_energy(self, q: Array) -> Scaled:
        """U of the moving bodies' weight, zero at the base origin, and of springs."""
        motion = self.speeds.at_rest(q)
        found = bodies(self.records, motion)
        energy, scale = np.zeros(motion.batch), np.zeros(motion.batch)
        g = self.records.gravity
        for link in self.records.links:
            if link.moves:
                place, _, _ = found[link.body].point(link.center)
                energy = energy - link.mass * dot(g, place)
                reach, _, _ = found[link.body].sizes.point(float(np.linalg.norm(link.center)))
                scale = scale + abs(link.mass) * float(np.linalg.norm(g)) * reach
        for spring in self.records.springs:
            if len(spring.ends) == 1:
                size = motion.position[spring.ends[0]]
                most = abs(size.real)
            else:
                apart, most = self._apart(found, spring)
                if spring.rest == 0:  # without a root, which has no derivative where the ends meet
                    energy = energy + spring.stiffness * dot(apart, apart) / 2
                    scale = scale + abs(spring.stiffness) * most**2
                    continue
                size = np.sqrt(dot(apart, apart))
            energy = energy + spring.stiffness * (size - spring.rest) ** 2 / 2
            scale = scale + abs(spring.stiffness) * (most + abs(spring.rest)) ** 2
        for element in self.records.elements:
            own = [
                (c * motion.position[name], abs(c * motion.position[name].real)) for name, c in element.joints
            ]
            own += [(line.length, line.reach) for line in stretched(self.records, element, found)]
            s, reach = (sum(x, np.zeros(motion.batch)) for x in zip(*own, strict=True))
            stored = element.stored(s, reach)
            energy, scale = energy + stored[0], scale + stored[1]
        for bushing in self.records.bushings:
            bent = deformed(self.records, bushing, found)
            energy = energy + (bent.u * turned(bushing.stiffness, bent.u)).sum(axis=-1) / 2
            scale = scale + abs(bushing.stiffness).sum() * bent.size**2
        return Scaled(energy, scale)

    def _apart(self, found: dict[str, BodyMotion], spring: Spring) -> tuple[Array, Array]:
        """The way from one end of a spring to the other, and what it adds up from."""
        first, second = (self.point(found, name)[0] for name in spring.ends)
        frames = (self.records.frames[name] for name in spring.ends)
        reach = [found[body].sizes.p + float(np.linalg.norm(offset)) for body, _, offset in frames]
        return second - first, reach[0] + reach[1]

    def point(self, found: dict[str, BodyMotion], frame: str) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a frame's origin."""
        body, _, position = self.records.frames[frame]
        return found[body].point(position)

    @cached_property
    def mass(self) -> float:
        """Of the moving bodies."""
        return sum(link.mass for link in self.records.links if link.moves)

    def center_of_mass(self, q: Array) -> Scaled:
        """Mass centre of the moving bodies (..., 3)."""
        motion = self.speeds.at_rest(q)
        return self._center(bodies(self.records, motion))

    def _center(self, found: dict[str, BodyMotion]) -> Scaled:
        moment, scale = np.zeros(3), np.zeros(())
        for link in self.records.links:
            if link.moves and link.mass:
                place, _, _ = found[link.body].point(link.center)
                moment = moment + link.mass * place
                reach, _, _ = found[link.body].sizes.point(float(np.linalg.norm(link.center)))
                scale = scale + abs(link.mass) * reach
        return Scaled(moment / self.mass, scale / abs(self.mass))

    def momentum(self, q: Array, v: Array, *, about_center: bool = False) -> Scaled:
        """Linear momentum, then angular momentum about the base origin or the mass centre (..., 6)."""
        motion = self.speeds.motion(q, v, np.zeros(self.nv))
        found = bodies(self.records, motion)
        linear, angular, scale = np.zeros(3), np.zeros(3), np.zeros(())
        for link in self.records.links:
            body = found[link.body]
            place, velocity, _ = body.point(link.center)
            linear = linear + link.mass * velocity
            tensor = body.R @ link.tensor @ np.swapaxes(body.R, -1, -2)
            angular = angular + link.mass * cross(place, velocity) + turned(tensor, body.w)
            arm = float(np.linalg.norm(link.center))
            reach, speed, _ = body.sizes.point(arm)
            spin = float(np.linalg.norm(link.tensor)) * body.sizes.w
            scale = scale + abs(link.mass) * speed * (1 + reach) + spin
        if about_center:
            center = self._center(found)
            angular = angular - cross(center.value, linear)
            scale = scale + center.scale * length(linear)
        return Scaled(np.concatenate([linear, angular], axis=-1), scale)

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: Array, frame: str) -> Scaled:
        """X (..., 4, 4)."""
        found, reach = self._resting(q)
        body, rotation, _ = self.records.frames[frame]
        place, _, _ = self.point(found, frame)
        X = np.zeros((*place.shape[:-1], 4, 4), dtype=place.dtype)
        X[..., :3, :3] = found[body].R @ rotation
        X[..., :3, 3] = place
        X[..., 3, 3] = 1
        return Scaled(X, 1 + reach)

    def jacobian(self, q: Array, frame: str) -> Scaled:
        """J (..., 6, nv): velocity of a frame's origin, then its angular velocity, for unit speeds."""
        found, scale = self._starting(q)
        body, _, _ = self.records.frames[frame]
        _, _, a = self.point(found, frame)  # from rest, accelerations are as velocities
        rows = np.concatenate(np.broadcast_arrays(a, found[body].alpha), axis=-1)
        return Scaled(np.moveaxis(rows, 0, -1), scale)

    def jacobian_rate(self, q: Array, v: Array, frame: str) -> Scaled:
        """dJ/dt (..., 6, nv) along a motion."""
        found = self.jacobian(self._along(q, v), frame)
        return Scaled(slope(found.value), found.scale * (1 + abs(v).sum(axis=-1)))

    def _along(self, q: Array, v: Array) -> Array:
        """q with a step along the motion."""
        if self._step is None or self._step[0] is not q or self._step[1] is not v:
            self._step = (q, v, stepped(q, self.speeds.rates(q, v)))
        return self._step[2]

    def _resting(self, q: Array) -> tuple[dict[str, BodyMotion], Array]:
        """Bodies where they are, and the longest way to one of them."""
        if self._rest is None or self._rest[0] is not q:
            found = bodies(self.records, self.speeds.at_rest(q))
            self._rest = (q, found, self._reach(found))
        return self._rest[1], self._rest[2]

    def _starting(self, q: Array) -> tuple[dict[str, BodyMotion], Array]:
        """Bodies that begin to move with unit speeds, one for each of the leading dimension, and a scale of speeds."""
        if self._start is None or self._start[0] is not q:
            motion = self._moving_off(q, self._units(q))
            found = bodies(self.records, motion)
            rates = sum((abs(x.real) for x in motion.acceleration.values()), np.zeros(()))
            scale = np.broadcast_to(rates * (1 + self._reach(found)), motion.batch).max(axis=0)
            self._start = (q, found, scale)
        return self._start[1], self._start[2]

    def _reach(self, found: dict[str, BodyMotion]) -> Array:
        """The longest way to a body, along the joints."""
        return np.asarray(np.max([body.sizes.p for body in found.values()], axis=0))

    def mass_matrix_rate(self, q: Array, v: Array) -> Scaled:
        """dM/dt (..., nv, nv) along a motion."""
        found = self._mass_matrix(self._along(q, v))
        return Scaled(slope(found.value), found.scale * (1 + abs(v).sum(axis=-1)))
