"""Kernels in the coordinates of bodies: against the records, complex steps, and the work of forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from kanegen.codegen.certificate.arrays import Array, cross, dot, of_quaternion, turned
from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.evaluation import slope, stepped
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.measure import Checks, Measured, largest, residual
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.derivation.euler_parameters.body_model import body_model
from kanegen.codegen.derivation.formulations import body_coordinates_of
from kanegen.codegen.mechanism import DistanceRate, JointRate, Mechanism, numeric

from .definitions import RANK, Definitions, condition, transposed


class BodyCoordinates:
    """The kernels in coordinates of bodies, in a motion that the constraints allow."""

    def __init__(self, sample: Sample) -> None:
        self.sample, self.q = sample, sample.q
        self.qdot = sample.rates
        if sample.kernel_set.projected:
            there = stepped(sample.q, sample.rates)
            self.qddot = slope(sample.reference.speeds.rates(there, stepped(sample.v, sample.a)))
        else:
            self.qddot = sample.a
        self.x = sample.at("body_coordinates")
        self.xdot = sample.at("body_rates", v=self.qdot)
        self.xddot = sample.at("body_accelerations", v=self.qdot, a=self.qddot)
        self.d = Definitions(sample.kernel_set.mechanism, sample.q)
        known = body_coordinates_of(sample.kernel_set.mechanism)
        assert known is not None, "kernels in coordinates of bodies"
        self.names = known.bodies

    def checks(self) -> Iterator[Measured]:
        """One after another."""
        yield from self._coordinates()
        yield from self._constraints("joint", {})
        yield from self._constraints("driving", {"q": (self.q, self.qdot, self.qddot)})
        yield from self._struts()
        yield from self._inertia()
        yield from self._forces()

    def _coordinates(self) -> Checks:
        sample, q = self.sample, self.q
        along = sample.along("body_coordinates", q=self.qdot)
        yield Measured("rates", ("body_rates",), residual(self.xdot, along, largest(self.xdot)))
        along = sample.along("body_rates", {"v": self.qdot}, q=self.qdot, v=self.qddot)
        yield Measured(
            "accelerations", ("body_accelerations",), residual(self.xddot, along, largest(self.xddot))
        )
        worst = 0.0
        moving = bodies(self.d.records, self.d.tree.at_rest(q))
        for k, name in enumerate(self.names):
            own = self.x[:, 7 * k : 7 * k + 7]
            place, _, _ = moving[name].point(self.lumped[name][1])
            turn = of_quaternion(own[:, [4, 5, 6, 3]])
            worst = max(
                worst,
                residual(own[:, :3], place, 1 + moving[name].sizes.p),
                residual(turn, moving[name].R, 1.0),
            )
            worst = max(worst, residual((own[:, 3:] ** 2).sum(axis=-1), np.ones(len(q)), 1.0))
        yield Measured("mass centres and Euler parameters", ("body_coordinates",), worst)

    @cached_property
    def lumped(self) -> dict[str, tuple[float, Array, Array]]:
        """Mass, mass centre and central tensor of the bodies of x with what is welded to them, in their own axes."""
        moving = bodies(self.d.records, self.d.tree.at_rest(self.q[:1]))
        parts: dict[str, list[tuple[float, Array, Array]]] = {name: [] for name in self.names}
        for link in self.d.records.links:
            name = self._carrier(self.d.mechanism, link.body)
            if name in parts:
                own, other = moving[name], moving[link.body]
                R = (own.R.swapaxes(-1, -2) @ other.R)[0]
                place = (own.R[0].T @ (other.p - own.p)[0]) + R @ link.center
                parts[name].append((link.mass, place, R @ link.tensor @ R.T))
        found = {}
        for name, own in parts.items():
            mass = sum(m for m, _, _ in own)
            center = sum((m * c for m, c, _ in own), np.zeros(3)) / mass if mass else own[0][1]
            tensor = sum(
                (
                    J + m * ((c - center) @ (c - center) * np.eye(3) - np.outer(c - center, c - center))
                    for m, c, J in own
                ),
                np.zeros((3, 3)),
            )
            found[name] = (mass, center, tensor)
        return found

    def _constraints(self, what: str, given: Mapping[str, tuple[Array, Array, Array]]) -> Checks:
        """Zero; derivatives by x; and what is left of the second derivative along the motion."""
        sample = self.sample
        phi, rows, rest = f"{what}_constraints", f"{what}_constraint_jacobian", f"{what}_constraint_gamma"
        at = {name: values[0] for name, values in given.items()}
        size = 1 + largest(self.x)
        value = sample.at(phi, x=self.x, **at)
        yield Measured(f"{what}: zero in a motion", (phi,), residual(value, np.zeros_like(value), size**2))
        inside = {x.name for x in sample.programs[rows].inputs}
        J = sample.at(rows, x=self.x, **{k: y for k, y in at.items() if k in inside})
        beside = np.cos(np.arange(self.x.size)).reshape(self.x.shape)  # off the joints, and off |p| = 1
        off, way = self.x + beside / 10, beside[:, ::-1]
        there = sample.at(rows, x=off, **{k: y for k, y in at.items() if k in inside})
        along = sample.along(phi, {"x": off, **at}, x=way)
        found = residual(applied(there, way), along, (largest(there) + size) * abs(way).sum(axis=-1))
        yield Measured(f"{what}: the Jacobian", (rows,), found)
        moving = {
            k: y for name, values in given.items() for k, y in zip((name, "v", "a"), values, strict=True)
        }
        gamma = sample.at(rest, x=self.x, xdot=self.xdot, **moving)
        scale = largest(J) * largest(self.xddot) + largest(gamma) + size * (1 + largest(self.xdot)) ** 2
        yield Measured(f"{what}: J d2x/dt2 = gamma", (rest,), residual(applied(J, self.xddot), gamma, scale))
        if what == "joint":
            rank = np.linalg.matrix_rank(J, rtol=RANK)
            free = self.x.shape[1] - sample.kernel_set.mechanism.dof
            yield Measured(
                "as many motions as degrees of freedom", (rows,), 0.0 if (rank == free).all() else np.inf
            )
        if what == "driving":
            back = applied(J, self.xdot)
            yield Measured(
                "driving: J dx/dt = dq/dt",
                (rows,),
                residual(back, self.qdot, largest(J) * largest(self.xdot)),
            )

    def _struts(self) -> Checks:
        sample = self.sample
        if not sample.has("strut_constraints"):
            return
        ends = [s for s in self.d.mechanism.generalized_speeds if isinstance(s, DistanceRate)]
        along = stepped(self.q, self.qdot)
        lengths = self._lengths(ends, self.q)
        speed = slope(self._lengths(ends, along))
        k = [i for i, s in enumerate(self.d.mechanism.generalized_speeds) if isinstance(s, DistanceRate)]
        yield from self._constraints("strut", {"l": (lengths, speed, sample.a[:, k])})

    def _lengths(self, ends: Sequence[DistanceRate], q: Array) -> Array:
        d = Definitions(self.sample.kernel_set.mechanism, q)
        apart = [d.frame(s.second).p[0] - d.frame(s.first).p[0] for s in ends]
        return np.stack([np.sqrt(dot(x, x)) for x in apart], axis=-1)

    def _inertia(self) -> Checks:
        """Kinetic energy of any motion of the bodies, and nothing for what lengthens Euler parameters."""
        M = self.sample.at("body_mass_matrix", x=self.x)
        rng = np.random.default_rng(7)
        xdot = rng.uniform(-1, 1, self.x.shape)
        energy, worst = np.zeros(len(M)), 0.0
        for k, name in enumerate(self.names):
            e = self.x[:, 7 * k + 3 : 7 * k + 7]
            own = xdot[:, 7 * k : 7 * k + 7]
            own[:, 3:] -= (own[:, 3:] * e).sum(axis=-1, keepdims=True) * e
            w = self._spin(e, own[:, 3:])
            mass, _, tensor = self.lumped[name]
            energy = energy + mass * (own[:, :3] ** 2).sum(axis=-1) / 2 + dot(w, turned(tensor, w)) / 2
            along = np.zeros_like(xdot)
            along[:, 7 * k + 3 : 7 * k + 7] = e
            worst = max(worst, residual(applied(M, along), np.zeros_like(along), largest(M)))
        found = (xdot * applied(M, xdot)).sum(axis=-1) / 2
        worst = max(
            worst,
            residual(found, energy, largest(M) * (abs(xdot) ** 2).sum(axis=-1)),
            residual(M, transposed(M), 0.0),
        )
        yield Measured("kinetic energy", ("body_mass_matrix",), worst)

    @staticmethod
    def _spin(e: Array, edot: Array) -> Array:
        """Angular velocity along the axes of the body, from the derivative of its rotation."""
        there = stepped(e, edot)
        R = of_quaternion(there[:, [1, 2, 3, 0]])
        skew = transposed(R.real) @ slope(R)
        return np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=-1)

    def _forces(self) -> Checks:
        """Multipliers of the motion: M d2x/dt2 + J^T lambda = g; from them drives, struts and reactions."""
        sample, x, q = self.sample, self.x, self.q
        loads = {"x": x, "xdot": self.xdot, "q": q}
        inside = {y.name for y in sample.programs["body_forces"].inputs}
        missing = sample.at("body_forces", **{k: y for k, y in loads.items() if k in inside}) - applied(
            sample.at("body_mass_matrix", x=x), self.xddot
        )
        J = sample.at("joint_constraint_jacobian", x=x)
        inside = {y.name for y in sample.programs["driving_constraint_jacobian"].inputs}
        D = sample.at(
            "driving_constraint_jacobian", **{k: y for k, y in {"x": x, "q": q}.items() if k in inside}
        )
        rows = J.shape[1]
        both = np.concatenate([J, D], axis=1)
        found = applied(np.linalg.pinv(transposed(both), rcond=RANK), missing)
        on_joints, on_drives = found[:, :rows], found[:, rows:]
        r = sample.reference
        tau = r.inverse_dynamics(q, sample.v, sample.a)
        error = condition(both) * (tau.scale + largest(missing))
        names = ("actuator_forces", "body_forces")
        at = {"x": x, "q": q, "lambda": on_drives}
        inside = {y.name for y in sample.programs["actuator_forces"].inputs}
        driven = sample.at("actuator_forces", **{k: y for k, y in at.items() if k in inside})
        columns = np.moveaxis(sample.columns, 0, -1)
        back = applied(transposed(columns), driven)
        yield Measured("drives do the work", names, residual(back, tau.value, error * (1 + largest(columns))))
        yield self._reactions(J, on_joints, error)
        if sample.has("strut_forces"):
            speeds = self.d.mechanism.generalized_speeds
            struts = [k for k, s in enumerate(speeds) if isinstance(s, DistanceRate)]
            own = [self.d.joints.index(s.joint) for s in speeds if isinstance(s, JointRate)]
            L = sample.at("strut_constraint_jacobian", x=x)
            both = np.concatenate([J, D[:, own], L], axis=1)
            found = applied(np.linalg.pinv(transposed(both), rcond=RANK), missing)
            pushed = sample.at("strut_forces", **{"x": x, "lambda": found[:, -len(struts) :]})
            error = condition(both) ** 2 * (tau.scale + largest(missing))
            yield Measured("struts push", ("strut_forces",), residual(pushed, tau.value[:, struts], error))

    def _reactions(self, J: Array, multipliers: Array, error: Array) -> Measured:
        """Power in any motion of the bodies: forces and moments at the joints do what the multipliers do."""
        sample = self.sample
        R = sample.at("joint_reactions", **{"x": self.x, "lambda": multipliers})
        rng = np.random.default_rng(8)
        worst = 0.0
        for _ in range(4):
            xdot = rng.uniform(-1, 1, self.x.shape)
            motion = {}
            for k, name in enumerate(self.names):
                own, e = xdot[:, 7 * k : 7 * k + 7], self.x[:, 7 * k + 3 : 7 * k + 7]
                own[:, 3:] -= (own[:, 3:] * e).sum(axis=-1, keepdims=True) * e
                w = turned(of_quaternion(e[:, [1, 2, 3, 0]]), self._spin(e, own[:, 3:]))
                motion[name] = (self.x[:, 7 * k : 7 * k + 3], own[:, :3], w)
            power = np.zeros(len(xdot))
            for k, (first, second, point) in enumerate(self._connections):
                (v1, w1), (v2, w2) = (self._at(motion, body, point) for body in (first, second))
                power = power + dot(R[:, k, :3], v2 - v1) + dot(R[:, k, 3:], w2 - w1)
            expected = -(multipliers * applied(J, xdot)).sum(axis=-1)
            scale = error * (1 + largest(self.x)) * xdot.shape[1]
            worst = max(worst, residual(power, expected, scale))
        return Measured("reactions do the work of the multipliers", ("joint_reactions",), worst)

    @staticmethod
    def _at(motion: Mapping[str, tuple[Array, Array, Array]], body: str, point: Array) -> tuple[Array, Array]:
        if body not in motion:
            return np.zeros_like(point), np.zeros_like(point)
        center, v, w = motion[body]
        return v + cross(w, point - center), w

    @cached_property
    def _connections(self) -> list[tuple[str, str, Array]]:
        """First and second body of the rows of joint_reactions, and the place of the joint on the second."""
        model = body_model(self.sample.kernel_set.mechanism)
        numbers = np.vectorize(
            lambda value: float(numeric(value, self.sample.kernel_set.mechanism)), otypes=[float]
        )
        found = []
        for connection in model.connections:
            first, second = (
                "" if mark.body < 0 else model.chain.links[mark.body].name
                for mark in (connection.first, connection.second)
            )
            point = np.broadcast_to(numbers(connection.second.point), (len(self.x), 3))
            if second in self.names:
                own = self.x[:, 7 * self.names.index(second) :][:, :7]
                point = own[:, :3] + turned(of_quaternion(own[:, [4, 5, 6, 3]]), point)
            found.append((first, second, point))
        return found

    def _carrier(self, m: Mechanism, body: str) -> str:
        """The body with coordinates of its own to which a body is welded."""
        while body not in self.names:
            above = next((j for j in m.joints if j.child == body), None)
            if above is None:
                return body
            body = above.parent
        return body
