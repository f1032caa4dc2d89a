"""The quantities that kernels compute, evaluated from the records by Newton's and Euler's equations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanegen.codegen.certificate.arrays import Array, cross, dot, length, times, turned
from kanegen.codegen.certificate.described import Described
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.newton_euler import BodyMotion, JointMotion, bodies, forces
from kanegen.codegen.certificate.speeds import Speeds


@dataclass(frozen=True)
class Scaled:
    """A value (*batch, *shape), and for each state (*batch) what its rounding errors are measured by."""

    value: Array
    scale: Array


class Reference:
    """See the module.  ``slip_speed`` [rad/s, m/s] belongs to Coulomb friction; ``nv`` counts the speeds."""

    def __init__(self, described: Described, speeds: Speeds, nv: int, slip_speed: float) -> None:
        self.described, self.speeds, self.nv, self.slip_speed = described, speeds, nv, slip_speed

    # -- dynamics ----------------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self, q: Array, v: Array, a: Array, *, gravity: bool = True, springs: bool = True, friction: bool = True
    ) -> Scaled:
        """tau (..., nv) in a motion."""
        motion = self.speeds.motion(q, v, a)
        return self.drives(q, motion, gravity=gravity, springs=springs, friction=friction)

    def drives(
        self, q: Array, motion: JointMotion, *, gravity: bool = True, springs: bool = True, friction: bool = True
    ) -> Scaled:
        """Forces on the speeds (..., nv) in a motion of the joints."""
        slip = self.slip_speed if friction else None
        found = forces(
            self.described,
            motion,
            bodies(self.described, motion),
            gravity=gravity,
            springs=springs,
            slip_speed=slip,
        )
        scale = self.speeds.scale_on_speeds(q, found.scale).max(axis=-1)
        return Scaled(self.speeds.on_speeds(q, found.value), scale)

    def gravity_forces(self, q: Array) -> Scaled:
        """g (..., nv), springs included."""
        return self.drives(q, self.speeds.at_rest(q), friction=False)

    def mass_matrix(self, q: Array) -> Scaled:
        """M (..., nv, nv): forces for unit derivatives of the speeds, at rest, without gravity."""
        ones = self._units(q)
        still = np.zeros(self.nv)
        pulled = {"gravity": False, "springs": False, "friction": False}
        if np.iscomplexobj(q):
            found = self.drives(q, self._moving_off(q, ones), **pulled)
        else:
            found = self.inverse_dynamics(q, still, ones, **pulled)
            drift = self.inverse_dynamics(q, still, still, **pulled)  # of prescribed motions
            found = Scaled(found.value - drift.value, found.scale + drift.scale)
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
        found = bodies(self.described, motion)
        energy, scale = np.zeros(motion.batch), np.zeros(motion.batch)
        for link in self.described.links:
            body = found[link.body]
            _, velocity, _ = body.point(link.center)
            spin = dot(body.w, turned(body.R @ link.tensor @ np.swapaxes(body.R, -1, -2), body.w))
            energy = energy + (link.mass * dot(velocity, velocity) + spin) / 2
            reach = length(body.v) + length(body.w) * float(np.linalg.norm(link.center))
            tensor = float(np.linalg.norm(link.tensor))
            scale = scale + abs(link.mass) * reach**2 + tensor * length(body.w) ** 2
            for name in link.joints if link.rotor else ():
                energy = energy + link.rotor * motion.rate[name] ** 2 / 2
                scale = scale + abs(link.rotor) * motion.rate[name] ** 2
        return Scaled(energy, scale)

    def potential_energy(self, q: Array) -> Scaled:
        """U of the moving bodies' weight, zero at the base origin, and of springs."""
        motion = self.speeds.at_rest(q)
        found = bodies(self.described, motion)
        energy, scale = np.zeros(motion.batch), np.zeros(motion.batch)
        g = self.described.gravity
        for link in self.described.links:
            if link.moves:
                place, _, _ = found[link.body].point(link.center)
                energy = energy - link.mass * dot(g, place)
                reach = length(found[link.body].p) + float(np.linalg.norm(link.center))
                scale = scale + abs(link.mass) * float(np.linalg.norm(g)) * reach
        for spring in self.described.springs:
            if len(spring.ends) == 1:
                size = motion.position[spring.ends[0]]
            else:
                size = np.sqrt(dot(*[self._apart(found, spring.ends)] * 2))
            energy = energy + spring.stiffness * (size - spring.rest) ** 2 / 2
            scale = scale + abs(spring.stiffness) * (abs(size) + abs(spring.rest)) ** 2
        return Scaled(energy, scale)

    def _apart(self, found: dict[str, BodyMotion], ends: tuple[str, ...]) -> Array:
        first, second = (self.point(found, name)[0] for name in ends)
        return second - first

    def point(self, found: dict[str, BodyMotion], frame: str) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a frame's origin."""
        body, _, position = self.described.frames[frame]
        return found[body].point(position)

    @cached_property
    def mass(self) -> float:
        """Of the moving bodies."""
        return sum(link.mass for link in self.described.links if link.moves)

    def center_of_mass(self, q: Array) -> Scaled:
        """Mass centre of the moving bodies (..., 3)."""
        motion = self.speeds.at_rest(q)
        return self._center(bodies(self.described, motion))

    def _center(self, found: dict[str, BodyMotion]) -> Scaled:
        moment, scale = np.zeros(3), np.zeros(())
        for link in self.described.links:
            if link.moves and link.mass:
                place, _, _ = found[link.body].point(link.center)
                moment = moment + link.mass * place
                scale = scale + abs(link.mass) * (length(found[link.body].p) + np.linalg.norm(link.center))
        return Scaled(moment / self.mass, scale / abs(self.mass))

    def momentum(self, q: Array, v: Array, *, about_center: bool = False) -> Scaled:
        """Linear momentum, then angular momentum about the base origin or the mass centre (..., 6)."""
        motion = self.speeds.motion(q, v, np.zeros(self.nv))
        found = bodies(self.described, motion)
        linear, angular, scale = np.zeros(3), np.zeros(3), np.zeros(())
        for link in self.described.links:
            body = found[link.body]
            place, velocity, _ = body.point(link.center)
            linear = linear + link.mass * velocity
            tensor = body.R @ link.tensor @ np.swapaxes(body.R, -1, -2)
            angular = angular + link.mass * cross(place, velocity) + turned(tensor, body.w)
            arm = float(np.linalg.norm(link.center))
            speed, reach = length(body.v) + length(body.w) * arm, length(body.p) + arm
            spin = float(np.linalg.norm(link.tensor)) * length(body.w)
            scale = scale + abs(link.mass) * speed * (1 + reach) + spin
        if about_center:
            center = self._center(found)
            angular = angular - cross(center.value, linear)
            scale = scale + center.scale * length(linear)
        return Scaled(np.concatenate([linear, angular], axis=-1), scale)

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: Array, frame: str) -> Scaled:
        """X (..., 4, 4)."""
        motion = self.speeds.at_rest(q)
        found = bodies(self.described, motion)
        body, rotation, _ = self.described.frames[frame]
        place, _, _ = self.point(found, frame)
        X = np.zeros((*motion.batch, 4, 4), dtype=place.dtype)
        X[..., :3, :3] = found[body].R @ rotation
        X[..., :3, 3] = place
        X[..., 3, 3] = 1
        return Scaled(X, 1 + self._reach(found))

    def _reach(self, found: dict[str, BodyMotion]) -> Array:
        """The longest way to a body, along the joints."""
        ways = {link.parent: np.zeros(()) for link in self.described.links}
        for link in self.described.links:
            step = length(found[link.body].p - found[link.parent].p)
            ways[link.body] = ways.get(link.parent, np.zeros(())) + step
        return np.max(np.broadcast_arrays(*ways.values()), axis=0)

    def jacobian(self, q: Array, frame: str) -> Scaled:
        """J (..., 6, nv): velocity of a frame's origin, then its angular velocity, for unit speeds."""
        motion = self._moving_off(q, self._units(q))
        found = bodies(self.described, motion)
        body, _, _ = self.described.frames[frame]
        _, _, a = self.point(found, frame)  # from rest, accelerations are as velocities
        rows = np.concatenate(np.broadcast_arrays(a, found[body].alpha), axis=-1)
        rates = sum((abs(x.real) for x in motion.acceleration.values()), np.zeros(()))
        scale = (rates * (1 + self._reach(found))).max(axis=0)
        return Scaled(np.moveaxis(rows, 0, -1), scale)

    def jacobian_rate(self, q: Array, v: Array, frame: str) -> Scaled:
        """dJ/dt (..., 6, nv) along a motion."""
        rates = self.speeds.rates(q, v)
        found = self.jacobian(stepped(q, rates), frame)
        return Scaled(slope(found.value), found.scale * (1 + abs(v).sum(axis=-1)))

    def mass_matrix_rate(self, q: Array, v: Array) -> Scaled:
        """dM/dt (..., nv, nv) along a motion."""
        found = self.mass_matrix(stepped(q, self.speeds.rates(q, v)))
        return Scaled(slope(found.value), found.scale * (1 + abs(v).sum(axis=-1)))


def times_matrix(matrix: Array, x: Array) -> Array:
    """Matrices (..., m, n) times vectors (..., n)."""
    return np.asarray((matrix @ x[..., None])[..., 0])


__all__ = ["Reference", "Scaled", "times", "times_matrix"]
