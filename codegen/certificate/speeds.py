"""How coordinates and speeds move the joints, and what forces on joints are on the speeds; in numbers.

For a tree this is read from the records.  Where constraints or chosen speeds tie the joints together it is what the kernel
coordinate_rates says, dq/dt = N v + drift; accelerations are the derivative of that along the motion, by a complex step.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

import mpmath
import numpy as np

from kanegen.codegen.certificate.arrays import Array, of_quaternion, turned
from kanegen.codegen.certificate.body_motion import JointMotion
from kanegen.codegen.certificate.evaluation import Evaluate, slope, stepped, values
from kanegen.codegen.graph import Argument, Expression, Graph, Program
from kanegen.codegen.graph.evaluate import evaluate_entries, multiprecision
from kanegen.codegen.graph.sympy_bridge import from_sympy
from kanegen.codegen.mechanism.constraints import PrescribedMotion
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import Mechanism, Value

_DIGITS, _STEP_DIGITS = 60, 20
"""Of motions in time, and of the step of their differences: errors of second ones are of the order 1e-20, rounding too."""


class Speeds(Protocol):
    """The motion of joints for q (..., nq), v and a (..., nv); q and its rates end with those of time where it matters."""

    def motion(self, q: Array, v: Array, a: Array) -> JointMotion:
        """That of all joints of the tree.  Where N is not constant and q or v are complex, accelerations are zero."""

    def at_rest(self, q: Array) -> JointMotion:
        """No joint moves, prescribed ones included."""

    def columns(self, q: Array) -> Array:
        """N (..., nq, nv): dq/dt for unit speeds, without drift."""

    def rates(self, q: Array, v: Array) -> Array:
        """dq/dt (..., nq)."""

    def on_speeds(self, q: Array, forces: Mapping[str, Array]) -> Array:
        """Forces on joints by name as forces on the speeds (..., nv)."""

    def scale_on_speeds(self, q: Array, scales: Mapping[str, Array]) -> Array:
        """The same of magnitudes, which do not cancel."""


class Driven:
    """Joints that move as given, from their expressions in many digits: derivatives are differences of these."""

    def __init__(self, mechanism: Mechanism) -> None:
        """``mechanism`` has numbers for its parameters."""
        self._steady = {name: _number(rate) for name, rate in mechanism.steady_joints.items()}
        self._context = mpmath.mp.clone()
        self._context.dps = _DIGITS
        self._programs = {name: _program(given) for name, given in mechanism.motions.items()}
        self._known: dict[float, dict[str, tuple[float, float, float]]] = {}

    def at(self, q: Array, batch: tuple[int, ...]) -> dict[str, tuple[Array, Array, Array]]:
        """Coordinate, rate and acceleration (*batch) of each joint by name; q (..., nq + 1) ends with the time."""
        still = np.zeros(batch)
        found = {name: (still, np.full(batch, rate), still) for name, rate in self._steady.items()}
        if self._programs:
            t = np.broadcast_to(q[..., -1], batch)
            step = t.imag if np.iscomplexobj(t) else None
            known = [self._jets(float(x)) for x in t.real.ravel()]
            for name in self._programs:
                x, v, a = np.array([jets[name] for jets in known]).T.reshape(3, *batch)
                found[name] = (x, v, a) if step is None else (x + 1j * step * v, v + 1j * step * a, a)
        return found

    def _jets(self, t: float) -> dict[str, tuple[float, float, float]]:
        if t not in self._known:
            self._known[t] = {name: self._jet(program, t) for name, program in self._programs.items()}
        return self._known[t]

    def _jet(self, program: Program, t: float) -> tuple[float, float, float]:
        """Value, and differences from there on, as pieces of a motion are."""
        h, arithmetic = self._context.mpf(10) ** -_STEP_DIGITS, multiprecision(self._context)
        x, y, z = (
            evaluate_entries(program, {("t", 0): self._context.mpf(t) + k * h}, arithmetic)[0][0]
            for k in (0, 1, 2)
        )
        return float(x), float((4 * y - 3 * x - z) / (2 * h)), float((x - 2 * y + z) / h**2)


def _program(given: PrescribedMotion) -> Program:
    graph = Graph()
    x = from_sympy(graph, given.expression, {given.time: Expression(graph, graph.input("t"))})
    one = [Argument(name, (), "", "") for name in ("t", "x")]
    return Program("x", "", "", (one[0],), (one[1],), graph, ((x.ref,),))


class TreeSpeeds:
    """Speeds that are the rates of joints; mimics follow, and balls have quaternions."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism = with_numbers(mechanism)
        self._driven = Driven(mechanism)
        self._speed = {name: k for k, name in enumerate(mechanism.rates)}
        self._place = {name: k for k, name in enumerate(mechanism.coordinates)}
        self._balls = list(zip(mechanism.balls, mechanism.quaternions, strict=True))
        ends = [mechanism.followed(name) for name in (*self._speed, *(m.joint for m in mechanism.mimics))]
        self._leads = {end.joint: (end.leader, _number(end.multiplier), _number(end.offset)) for end in ends}

    def motion(self, q: Array, v: Array, a: Array) -> JointMotion:
        """See ``Speeds``."""
        batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1], a.shape[:-1])
        q, v, a = (np.broadcast_to(x, (*batch, x.shape[-1])) for x in (q, v, a))
        position, rate, acceleration = {}, {}, {}
        for joint, (leader, factor, offset) in self._leads.items():
            k = self._speed[leader]
            rate[joint], acceleration[joint] = factor * v[..., k], factor * a[..., k]
            if leader in self._place:
                position[joint] = factor * q[..., self._place[leader]] + offset
        for joint, (x, _, _) in self._driven.at(q, batch).items():  # at rest; who moves them says how fast
            position[joint], rate[joint], acceleration[joint] = x, np.zeros(batch), np.zeros(batch)
        rotations, shifts = {}, {}
        for ball, at in self._balls:
            rotations[ball.name] = of_quaternion(q[..., at : at + 4])
            if ball.free:
                shifts[ball.name] = q[..., at - 3 : at]
        return JointMotion(batch, position, rate, acceleration, rotations, shifts)

    def at_rest(self, q: Array) -> JointMotion:
        """See ``Speeds``."""
        still = np.zeros(len(self._speed))
        return self.motion(q, still, still)

    def columns(self, q: Array) -> Array:
        """See ``Speeds``: ones, R for the positions of floating joints, and Q (w, 0) / 2 for quaternions Q."""
        found = np.zeros((*q.shape, len(self._speed)), dtype=q.dtype)
        for name, k in self._speed.items():
            if name in self._place:
                found[..., self._place[name], k] = 1.0
        for ball, at in self._balls:
            k = self._speed[ball.joints[-3]]
            u, w = q[..., at : at + 3], q[..., at + 3]
            for m in range(3):
                e = np.eye(3)[m]
                crossed = np.stack(
                    [u[..., i - 2] * e[i - 1] - u[..., i - 1] * e[i - 2] for i in range(3)], -1
                )
                found[..., at : at + 3, k + m] = (w[..., None] * e + crossed) / 2
                found[..., at + 3, k + m] = -u[..., m] / 2
                if ball.free:
                    found[..., at - 3 : at, k - 3 + m] = turned(of_quaternion(q[..., at : at + 4]), e)
        return found

    def rates(self, q: Array, v: Array) -> Array:
        """See ``Speeds``."""
        return np.asarray((self.columns(q) @ v[..., None])[..., 0])

    def of_rates(self, q: Array) -> Array:
        """L (..., nv, nq): speeds for unit rates of q, with L N = 1; what lengthens a quaternion Q is no motion.

        L = N^T but for quaternions, where it is 4 N^T / |Q|^2.
        """
        found = np.swapaxes(self.columns(q), -1, -2).copy()
        for ball, at in self._balls:
            k = self._speed[ball.joints[-3]]
            square = (q[..., at : at + 4] ** 2).sum(axis=-1)[..., None, None]
            found[..., k : k + 3, at : at + 4] *= 4 / square
        return found

    def on_speeds(self, q: Array, forces: Mapping[str, Array]) -> Array:
        """See ``Speeds``."""
        return self._gathered(forces, False)

    def scale_on_speeds(self, q: Array, scales: Mapping[str, Array]) -> Array:
        """See ``Speeds``."""
        return self._gathered(scales, True)

    def _gathered(self, forces: Mapping[str, Array], magnitudes: bool) -> Array:
        found: list[Array] = [np.zeros(())] * len(self._speed)
        for joint, (leader, factor, _) in self._leads.items():
            weight = abs(factor) if magnitudes else factor
            found[self._speed[leader]] = found[self._speed[leader]] + weight * forces[joint]
        return np.stack(found, axis=-1)


class ProjectedSpeeds:
    """Speeds to which a program of coordinate rates belongs."""

    def __init__(
        self,
        mechanism: Mechanism,
        rates: Program,
        parameters: Mapping[str, float],
        evaluate: Evaluate = values,
    ) -> None:
        """Mimics are for trees alone."""
        self._program, self._parameters, self._evaluate = rates, parameters, evaluate
        numbers = with_numbers(mechanism)
        self._tree = TreeSpeeds(mechanism)
        self._joints = numbers.rates
        self._turning = bool(numbers.quaternions)
        self._driven, self._nq = Driven(numbers), len(numbers.coordinates)
        self._time = np.ones(int(numbers.depends_on_time))
        self._nv = sum(argument.size for argument in rates.inputs if argument.name == "v")
        self._last: tuple[Array, Array] | None = None

    def motion(self, q: Array, v: Array, a: Array) -> JointMotion:
        """See ``Speeds``."""
        qdot = self.rates(q, v)
        u = self._of_joints(q, qdot)
        if np.iscomplexobj(u):
            return self._of_tree(q, u, np.zeros(u.shape))
        there = stepped(q, qdot)
        return self._of_tree(q, u, slope(self._of_joints(there, self.rates(there, stepped(v, a)))))

    def of_coordinates(self, q: Array, qdot: Array, qddot: Array) -> JointMotion:
        """The motion for rates and accelerations of the coordinates."""
        acceleration = slope(self._of_joints(stepped(q, qdot), stepped(qdot, qddot)))
        return self._of_tree(q, self._of_joints(q, qdot), acceleration)

    def at_rest(self, q: Array) -> JointMotion:
        """See ``Speeds``."""
        none = np.zeros(len(self._joints))
        return self._of_tree(q, none, none, moving=False)

    def _of_joints(self, q: Array, qdot: Array) -> Array:
        """Rates of the tree's joints (..., n), along the axes of balls."""
        if not self._turning:
            return qdot[..., : self._nq]
        return np.asarray((self._tree.of_rates(q) @ qdot[..., None])[..., 0])

    def _of_tree(self, q: Array, u: Array, a: Array, *, moving: bool = True) -> JointMotion:
        """The motion for rates of the tree's joints; prescribed joints move as they must, or rest."""
        found = self._tree.motion(q, u, a)
        position, rate, acceleration = dict(found.position), dict(found.rate), dict(found.acceleration)
        for joint, (x, speed, change) in self._driven.at(q, found.batch).items():
            position[joint] = x
            rate[joint], acceleration[joint] = (speed, change) if moving else (np.zeros(found.batch),) * 2
        return JointMotion(found.batch, position, rate, acceleration, found.rotations, found.shifts)

    def columns(self, q: Array) -> Array:
        """See ``Speeds``."""
        if (
            self._last is None or self._last[0] is not q
        ):  # forces are projected again and again in the same states
            units = np.eye(self._nv).reshape(self._nv, *[1] * (q.ndim - 1), self._nv)
            drift = self.rates(q, np.zeros(self._nv))
            self._last = (q, np.moveaxis(self.rates(q, units) - drift, 0, -1))
        return self._last[1]

    def rates(self, q: Array, v: Array) -> Array:
        """See ``Speeds``."""
        (found,) = self._evaluate(self._program, {"q": q, "v": v}, self._parameters).values()
        batch = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        found = np.broadcast_to(found, (*batch, self._nq))  # without speeds, v has a batch and no entries
        if not self._time.size:
            return found
        return np.concatenate([found, np.broadcast_to(self._time, (*found.shape[:-1], 1))], axis=-1)

    def on_coordinates(self, q: Array, forces: Mapping[str, Array], *, magnitudes: bool = False) -> Array:
        """Forces on joints by name, or their magnitudes, as forces on the coordinates (..., nq): power = force . dq/dt."""
        stacked = self._stacked(forces)
        if not self._turning:
            return stacked
        L = self._tree.of_rates(q)[..., : self._nq]
        return np.asarray((stacked[..., None, :] @ (abs(L) if magnitudes else L))[..., 0, :])

    def on_speeds(self, q: Array, forces: Mapping[str, Array]) -> Array:
        """See ``Speeds``."""
        return self._projected(self._joint_columns(q), forces)

    def scale_on_speeds(self, q: Array, scales: Mapping[str, Array]) -> Array:
        """See ``Speeds``."""
        return self._projected(abs(self._joint_columns(q).real), scales)

    def _joint_columns(self, q: Array) -> Array:
        """Rates of the tree's joints for unit speeds (..., n, nv)."""
        columns = self.columns(q)
        return np.asarray(self._tree.of_rates(q) @ columns) if self._turning else columns[..., : self._nq, :]

    def _stacked(self, forces: Mapping[str, Array]) -> Array:
        return np.stack([forces[name] for name in self._joints], axis=-1)

    def _projected(self, columns: Array, forces: Mapping[str, Array]) -> Array:
        return np.asarray((self._stacked(forces)[..., None, :] @ columns)[..., 0, :])


def _number(value: Value) -> float:
    assert isinstance(value, Fraction), "parameters have been replaced by their numbers"
    return float(value)
