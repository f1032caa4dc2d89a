"""The quantities that kernels of arms with flexible links compute, from their point masses."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kanegen.codegen.certificate.arrays import Array, cross, dot
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.newton_euler import ALL, Acting, pulled
from kanegen.codegen.certificate.point_masses import Flexible, Points, Way
from kanegen.codegen.certificate.reference import Scaled
from kanegen.codegen.certificate.speeds import Speeds


class FlexibleReference:
    """As ``Reference``, for rates v = dq/dt of joints and modes."""

    orthogonal = False
    """Axes of frames behind bent links are not at right angles."""

    def __init__(self, arm: Flexible, speeds: Speeds, slip_speed: float) -> None:
        self.records, self.speeds, self.slip_speed = arm, speeds, slip_speed
        self.nv = arm.count

    def _ways(self, q: Array) -> list[tuple[Points, Way]]:
        return [(body, Way(body.path, q, self.nv)) for body in self.records.bodies]

    # -- dynamics ----------------------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Array, v: Array, a: Array, acting: Acting = ALL) -> Scaled:
        """tau (..., nv) in a motion."""
        q, v, a = np.broadcast_arrays(q, v, a)
        value = np.zeros(q.shape, dtype=np.result_type(q, v, a))
        scale = np.zeros(q.shape[:-1])
        falling = self.records.gravity if acting.gravity else np.zeros(3)
        for body, way in self._ways(q):
            points = _Points(body, way, q)
            acceleration, size = points.acceleration(v, a)
            acceleration = acceleration - points.origins[:, None] * falling
            size = size + abs(points.origins) * float(np.linalg.norm(falling))
            for k, column in points.columns.items():
                force = (body.weights * dot(column, acceleration)).sum(axis=-1)
                value[..., k] += force
                reach = np.sqrt((abs(column) ** 2).sum(axis=-1))
                scale = np.maximum(scale, (abs(body.weights) * reach * size).sum(axis=-1))
        if acting.rotors:
            value = value + self.records.rotors * a
        if acting.resistance:
            value = value + q @ self.records.stiffness + v @ self.records.damping
            for k, stiffness, rest in self.records.springs:
                value[..., k] += stiffness * (q[..., k] - rest)
                scale = scale + stiffness * (abs(q[..., k]) + abs(rest))
            for joints, element in self.records.elements:
                s, rate = (sum((c * x[..., k] for k, c in joints), np.zeros(())) for x in (q, v))
                reach, sweep = (sum((abs(c * x[..., k]) for k, c in joints), np.zeros(())) for x in (q, v))
                pull, size = pulled(element, s, rate, reach, sweep)
                for k, c in joints:
                    value[..., k] += c * pull
                    scale = scale + abs(c) * size
            value = value + self.records.friction * v / np.sqrt(v * v + self.slip_speed**2)
            scale = scale + abs(q) @ abs(self.records.stiffness).max(axis=-1)
            scale = scale + abs(v) @ abs(self.records.damping).max(axis=-1)
        return Scaled(value, scale)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """a (..., nv), with the mass matrix."""
        h = self.inverse_dynamics(q, v, np.zeros_like(v)).value
        return np.asarray(np.linalg.solve(self.mass_matrix(q).value, (tau - h)[..., None])[..., 0])

    def gravity_forces(self, q: Array) -> Scaled:
        """g (..., nv), stiffness included."""
        still = np.zeros(self.nv)
        return self.inverse_dynamics(q, still, still)

    def mass_matrix(self, q: Array) -> Scaled:
        """M (..., nv, nv): sum of w dp/dq_i . dp/dq_j."""
        M = np.zeros((*q.shape, self.nv), dtype=q.dtype)
        scale = np.zeros(q.shape[:-1])
        for body, way in self._ways(q):
            columns = _Points(body, way, q).columns
            for i, one in columns.items():
                for j, other in columns.items():
                    M[..., i, j] += (body.weights * dot(one, other)).sum(axis=-1)
            for one in columns.values():
                scale = np.maximum(scale, (abs(body.weights) * (abs(one) ** 2).sum(axis=-1)).sum(axis=-1))
        return Scaled(M + np.diag(self.records.rotors), scale + self.records.rotors.max(initial=0))

    def mass_matrix_rate(self, q: Array, v: Array) -> Scaled:
        """dM/dt (..., nv, nv) along a motion."""
        found = self.mass_matrix(stepped(q, v))
        return Scaled(slope(found.value), found.scale * (1 + abs(v).sum(axis=-1)))

    # -- energies and momenta ----------------------------------------------------------------------------------------

    def kinetic_energy(self, q: Array, v: Array) -> Scaled:
        """T of links and rotors."""
        energy, scale = np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
        for body, way in self._ways(q):
            velocity = _Points(body, way, q).velocity(v)
            energy = energy + (body.weights * dot(velocity, velocity)).sum(axis=-1) / 2
            scale = scale + (abs(body.weights) * (abs(velocity) ** 2).sum(axis=-1)).sum(axis=-1)
        turning = (self.records.rotors * v * v).sum(axis=-1) / 2
        return Scaled(energy + turning, scale + abs(turning))

    def gravity_energy(self, q: Array) -> Scaled:
        """U of weight."""
        energy, scale = np.zeros(q.shape[:-1]), np.zeros(q.shape[:-1])
        for body, way in self._ways(q):
            points = _Points(body, way, q)
            heights = points.places @ self.records.gravity
            energy = energy - (body.weights * points.origins * heights).sum(axis=-1)
            # A place is a sum of terms as large as its distance, in every direction: also where it has no height at all.
            reach = np.sqrt((abs(points.places) ** 2).sum(axis=-1)) * np.linalg.norm(self.records.gravity)
            scale = scale + (abs(body.weights * points.origins) * reach).sum(axis=-1)
        return Scaled(energy, scale)

    def potential_energy(self, q: Array) -> Scaled:
        """U of weight, bent links and springs."""
        weight = self.gravity_energy(q)
        energy, scale = weight.value, weight.scale
        energy = energy + ((q @ self.records.stiffness) * q).sum(axis=-1) / 2
        scale = scale + (abs(q) @ abs(self.records.stiffness) * abs(q)).sum(axis=-1)
        for k, stiffness, rest in self.records.springs:
            energy = energy + stiffness * (q[..., k] - rest) ** 2 / 2
            scale = scale + stiffness * (abs(q[..., k]) + abs(rest)) ** 2
        for joints, element in self.records.elements:
            s = sum((c * q[..., k] for k, c in joints), np.zeros(()))
            reach = sum((abs(c * q[..., k]) for k, c in joints), np.zeros(()))
            stored = element.stored(s, reach)
            energy, scale = energy + stored[0], scale + stored[1]
        return Scaled(energy, scale)

    def elastic_energy(self, q: Array, modes: list[int]) -> Scaled:
        """U of bent links alone."""
        bent = q[..., modes]
        stiffness = self.records.stiffness[np.ix_(modes, modes)]
        return Scaled(
            ((bent @ stiffness) * bent).sum(axis=-1) / 2,
            (abs(bent) @ abs(stiffness) * abs(bent)).sum(axis=-1),
        )

    @cached_property
    def mass(self) -> float:
        """Of everything that moves."""
        return float(
            sum((b.weights * b.places[:, 0, 0] ** 2).sum() for b in self.records.bodies if _moves(b))
        )

    def center_of_mass(self, q: Array) -> Scaled:
        """Mass centre of what moves (..., 3)."""
        moment, scale = np.zeros(3), np.zeros(q.shape[:-1])
        for body, way in self._ways(q):
            if _moves(body):
                points = _Points(body, way, q)
                moment = moment + np.einsum("p,...pi->...i", body.weights * points.origins, points.places)
                size = abs(points.places).sum(axis=-1)
                scale = scale + (abs(body.weights * points.origins) * size).sum(axis=-1)
        return Scaled(moment / self.mass, scale / abs(self.mass))

    def momentum(self, q: Array, v: Array, *, about_center: bool = False) -> Scaled:
        """Linear momentum, then angular momentum about the origin of the base (..., 6)."""
        assert not about_center, "no kernel asks for it"
        linear, angular, scale = np.zeros(3), np.zeros(3), np.zeros(q.shape[:-1])
        for body, way in self._ways(q):
            points = _Points(body, way, q)
            velocity = points.velocity(v)
            linear = linear + np.einsum("p,...pi->...i", body.weights * points.origins, velocity)
            angular = angular + (body.weights[:, None] * cross(points.places, velocity)).sum(axis=-2)
            speed = abs(velocity).sum(axis=-1)
            reach = abs(points.origins) + abs(points.places).sum(axis=-1)
            scale = scale + (abs(body.weights) * speed * reach).sum(axis=-1)
        return Scaled(np.concatenate([linear, angular], axis=-1), scale)

    # -- frames ------------------------------------------------------------------------------------------------------

    def pose(self, q: Array, frame: str) -> Scaled:
        """X (..., 4, 4), with the position last."""
        value = Way(self.records.frames[frame], q, self.nv).value
        X = np.zeros_like(value)
        X[..., :3, :3], X[..., :3, 3], X[..., 3, 3] = value[..., 1:, 1:], value[..., 1:, 0], 1
        return Scaled(X, 1 + abs(value[..., 1:, 0]).sum(axis=-1))

    def jacobian(self, q: Array, frame: str) -> Scaled:
        """J (..., 6, nv): velocity of a frame's origin; then angular velocities, carried by what is before them."""
        path = self.records.frames[frame]
        way = Way(path, q, self.nv)
        J = np.zeros((*q.shape[:-1], 6, self.nv), dtype=q.dtype)
        for k, column in way.columns.items():
            J[..., :3, k] = column[..., 1:, 0]
        for position, step in enumerate(path):
            before = Way(path[:position], q, self.nv).value[..., 1:, 1:] @ step.placement[1:, 1:]
            if step.generators is not None:
                for k, generator in zip(step.modes, step.generators, strict=True):
                    theta = np.array([generator[3, 2], generator[1, 3], generator[2, 1]])
                    J[..., 3:, k] = before @ theta
            elif step.coordinate is not None and step.kind.value == "revolute":
                J[..., 3:, step.coordinate] = before @ step.axis
        return Scaled(J, 1 + abs(J).max(axis=(-1, -2)))

    def jacobian_rate(self, q: Array, v: Array, frame: str) -> Scaled:
        """dJ/dt (..., 6, nv) along a motion."""
        found = self.jacobian(stepped(q, v), frame)
        return Scaled(slope(found.value), found.scale * (1 + abs(v).sum(axis=-1)))


def _moves(body: Points) -> bool:
    return bool(body.modes) or any(step.coordinate is not None or step.modes for step in body.path)


class _Points:
    """The point masses of a body where they are: ``places`` (..., p, 3), ``columns`` dp/dq_k, ``origins`` c (p,)."""

    def __init__(self, body: Points, way: Way, q: Array) -> None:
        self.body, self.way = body, way
        self.origins = body.places[:, 0, 0]
        self.local = self._inside(q) + body.places[:, 0, :]
        self.places = self._out(way.value, self.local)
        self.columns = {k: self._out(slope, self.local) for k, slope in way.columns.items()}
        for n, k in enumerate(body.modes):
            self.columns[k] = self._out(way.value, body.places[:, 1 + n, :])

    def _inside(self, by: Array) -> Array:
        """The deflections of the points in their body (..., p, 4), or derivatives of them."""
        return np.asarray(
            np.einsum("...k,pkj->...pj", by[..., list(self.body.modes)], self.body.places[:, 1:, :])
        )

    @staticmethod
    def _out(matrix: Array, local: Array) -> Array:
        return np.asarray(np.einsum("...ij,...pj->...pi", matrix, local)[..., 1:])

    def velocity(self, v: Array) -> Array:
        """dp/dt (..., p, 3)."""
        return np.asarray(
            sum((v[..., k, None, None] * column for k, column in self.columns.items()), np.zeros(3))
        )

    def acceleration(self, v: Array, a: Array) -> tuple[Array, Array]:
        """d2p/dt2 (..., p, 3), and a sum of magnitudes (..., p)."""
        rate, second = self.way.along(v, a)
        parts = (
            self._out(second, self.local),
            2 * self._out(rate, self._inside(v)),
            self._out(self.way.value, self._inside(a)),
        )
        speed = np.asarray(abs(v).sum(axis=-1))[..., None]
        pushing = np.asarray(abs(a).sum(axis=-1))[..., None]
        reach = np.asarray(abs(self.places).sum(axis=-1) + abs(self.local).sum(axis=-1))
        return np.asarray(parts[0] + parts[1] + parts[2]), reach * (pushing + speed**2)
