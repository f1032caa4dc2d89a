"""Body coordinates from plain quaternion formulas: an independent stand-in for the compiled kernels.

Joint frames are parallel to their parent's at zero.  Constraints are written with rotation matrices and differentiated
numerically but exactly: once by a complex step (W. Squire & G. Trapp, 1998), twice by samples on a circle in the complex
plane, whose discrete Fourier transform are the coefficients of the Taylor series (J. N. Lyness & C. B. Moler, 1967).  The
rows are not those of the generator: hinges compare axes by cross products (three equations for two), which is redundant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.manifest import BodyCoordinates

Array = NDArray[Any]

SAMPLES, RADIUS = 32, 0.25
"""Of f(r e^(i phi)): the first coefficient that is mistaken for another is multiplied by 0.25^32 = 5e-20."""
STEP = 1e-40


@dataclass(frozen=True)
class Link:
    """A body on a hinge about ``axis``, at ``place`` [m] in the frame of its parent (None: the base)."""

    name: str
    parent: int | None
    axis: tuple[float, float, float]
    place: tuple[float, float, float]
    mass: float
    center: tuple[float, float, float]
    moments: tuple[float, float, float]


@dataclass(frozen=True)
class Closure:
    """A hinge about z between points of two bodies."""

    name: str
    first: int
    first_point: tuple[float, float, float]
    second: int
    second_point: tuple[float, float, float]


@dataclass(frozen=True)
class Witness:
    """What ``BodySystem`` needs of a robot; the joint of link i has coordinate i and is called q1, q2, ..."""

    name: str
    links: tuple[Link, ...]
    closures: tuple[Closure, ...] = ()
    speed_names: tuple[str, ...] = ()
    home: Array = field(default_factory=lambda: np.zeros(0))
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"q{i + 1}" for i in range(len(self.links)))

    @property
    def body_coordinates(self) -> BodyCoordinates:
        joints = (*self.coordinate_names, *(closure.name for closure in self.closures))
        rows = [joint for joint in joints for _ in range(6)]
        bodies = tuple(link.name for link in self.links)
        return BodyCoordinates(bodies, joints, (*rows, *bodies))

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(KERNELS)

    def bind(self, name: str) -> Any:
        n, nq = 7 * len(self.links), len(self.links)
        k = len(self.body_coordinates.rows)
        sizes = {"x": n, "xdot": n, "q": nq, "v": nq, "a": nq, "drives": nq, "multipliers": k}
        function, inputs = KERNELS[name]
        bound = _Bound()
        vars(bound).update({argument: np.zeros(sizes[argument]) for argument in inputs})
        result = function(self, *vars(bound).values())
        vars(bound)["result"] = np.zeros(result.shape)

        def run() -> None:
            *arguments, out = vars(bound).values()
            out[...] = function(self, *arguments)

        bound.run = run
        return bound


class _Bound:
    __slots__ = ("__dict__", "run")

    def __call__(self) -> None:
        self.run()


def rotation(p: Array) -> Array:
    """Carries components from the body to the base: v + 2 e0 e x v + 2 e x (e x v)."""
    cross = skew(p[1:])
    return np.eye(3) + 2 * p[0] * cross + 2 * cross @ cross


def skew(v: Array) -> Array:
    x, y, z = v
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def product(p: Array, r: Array) -> Array:
    return np.concatenate([[p[0] * r[0] - p[1:] @ r[1:]], p[0] * r[1:] + r[0] * p[1:] + skew(p[1:]) @ r[1:]])


def derivative(function: Callable[[Any], Array]) -> Array:
    """df/de at e = 0 of a real analytic function: nothing is subtracted, so the step can be as small as one likes."""
    return np.imag(function(1j * STEP)) / STEP


def second_coefficient(function: Callable[[Any], Array]) -> Array:
    """The coefficient of e^2 in a real analytic function."""
    circle = RADIUS * np.exp(2j * np.pi * np.arange(SAMPLES) / SAMPLES)
    values = np.array([function(e) for e in circle])
    return np.real(np.tensordot(circle**-2, values, axes=1)) / SAMPLES


def body_coordinates(w: Witness, q: Array) -> Array:
    places: list[Array] = []
    frames: list[tuple[Array, Array]] = []
    for link, angle in zip(w.links, q, strict=True):
        origin, p = (np.zeros(3), np.array([1.0, 0, 0, 0])) if link.parent is None else frames[link.parent]
        turn = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.array(link.axis)])
        frames.append((origin + rotation(p) @ np.array(link.place), product(p, turn)))
        center, own = frames[-1]
        places += [center + rotation(own) @ np.array(link.center), own]
    return np.concatenate(places)


def point(w: Witness, x: Array, i: int | None, at: Any) -> Array:
    """A point given in a body's frame."""
    if i is None:
        return np.array(at) + 0 * x[:3]
    r, p = x[7 * i : 7 * i + 3], x[7 * i + 3 : 7 * i + 7]
    return r + rotation(p) @ (np.array(at) - np.array(w.links[i].center))


def turned(x: Array, i: int | None, v: Any) -> Array:
    return np.array(v) + 0 * x[:3] if i is None else rotation(x[7 * i + 3 : 7 * i + 7]) @ np.array(v)


def hinges(w: Witness) -> list[tuple[int | None, Any, int, Any, Any]]:
    """First body and point, second body and point, axis in both."""
    tree = [(link.parent, link.place, i, (0.0, 0.0, 0.0), link.axis) for i, link in enumerate(w.links)]
    loops = [(c.first, c.first_point, c.second, c.second_point, (0.0, 0.0, 1.0)) for c in w.closures]
    return [*tree, *loops]


def joint_constraints(w: Witness, x: Array) -> Array:
    rows = []
    for first, there, second, here, axis in hinges(w):
        rows.append(point(w, x, second, here) - point(w, x, first, there))
        rows.append(np.cross(turned(x, first, axis), turned(x, second, axis)))
    norms = [x[7 * i + 3 : 7 * i + 7] @ x[7 * i + 3 : 7 * i + 7] - 1.0 for i in range(len(w.links))]
    return np.concatenate([*rows, norms])


def driving_constraints(w: Witness, x: Array, q: Array) -> Array:
    """sin(theta - q), from the turn of a direction across the axis."""
    values = []
    for i, link in enumerate(w.links):
        axis = np.array(link.axis)
        across = np.roll(axis, 1)
        third = np.cross(axis, across)
        own, base = turned(x, i, across), (turned(x, link.parent, v) for v in (across, third))
        cosine, sine = (v @ own for v in base)
        values.append(sine * np.cos(q[i]) - cosine * np.sin(q[i]))
    return np.array(values)


def jacobian(function: Callable[[Array], Array], x: Array) -> Array:
    return np.array([derivative(lambda e, u=unit: function(x + e * u)) for unit in np.eye(len(x))]).T


def b_matrix(p: Array) -> Array:
    return np.concatenate([-p[1:, None], p[0] * np.eye(3) - skew(p[1:])], axis=1)


def body_mass_matrix(w: Witness, x: Array) -> Array:
    matrix = np.zeros((len(x), len(x)))
    for i, link in enumerate(w.links):
        at = 7 * i
        b = b_matrix(x[at + 3 : at + 7])
        matrix[at : at + 3, at : at + 3] = link.mass * np.eye(3)
        matrix[at + 3 : at + 7, at + 3 : at + 7] = 4 * b.T @ np.diag(link.moments) @ b
    return matrix


def body_forces(w: Witness, x: Array, xdot: Array) -> Array:
    """Weight and gyroscopic torques -w' x I w', as generalized forces 2 B^T h', less the terms of 4 B^T I dB/dt dp/dt.

    The latter vanish: dB/dt dp/dt = B(dp/dt) dp/dt = 0.
    """
    forces = np.zeros(len(x))
    for i, link in enumerate(w.links):
        at = 7 * i
        b, rate = b_matrix(x[at + 3 : at + 7]), xdot[at + 3 : at + 7]
        spin = 2 * b @ rate
        forces[at : at + 3] = link.mass * np.array(w.gravity)
        forces[at + 3 : at + 7] = 2 * b.T @ -np.cross(spin, np.array(link.moments) * spin)
    return forces


def exerted(w: Witness, x: Array, i: int, generalized: Array, at: Array) -> Array:
    """Force and moment about a point that generalized forces on body i amount to, in the base frame."""
    force = generalized[7 * i : 7 * i + 3]
    torque = rotation(x[7 * i + 3 : 7 * i + 7]) @ (
        b_matrix(x[7 * i + 3 : 7 * i + 7]) @ generalized[7 * i + 3 : 7 * i + 7] / 2
    )
    return np.concatenate([force, torque - np.cross(at - x[7 * i : 7 * i + 3], force)])


def joint_reactions(w: Witness, x: Array, multipliers: Array) -> Array:
    rows = jacobian(lambda y: joint_constraints(w, y), x)
    found = []
    for k, (_, _, second, here, _) in enumerate(hinges(w)):
        own = slice(6 * k, 6 * k + 6)
        found.append(exerted(w, x, second, -rows[own].T @ multipliers[own], point(w, x, second, here)))
    return np.array(found)


def actuator_forces(w: Witness, x: Array, q: Array, drives: Array) -> Array:
    rows = jacobian(lambda y: driving_constraints(w, y, q), x)
    found = []
    for i, link in enumerate(w.links):
        moment = exerted(w, x, i, -rows[i] * drives[i], x[7 * i : 7 * i + 3])[3:]
        found.append(turned(x, i, link.axis) @ moment)
    return np.array(found)


def _gamma(w: Witness, x: Array, xdot: Array) -> Array:
    return -2 * second_coefficient(lambda e: joint_constraints(w, x + e * xdot))


def _drive_gamma(w: Witness, x: Array, xdot: Array, q: Array, v: Array, a: Array) -> Array:
    return -2 * second_coefficient(lambda e: driving_constraints(w, x + e * xdot, q + e * v + e * e * a / 2))


KERNELS: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "body_coordinates": (body_coordinates, ("q",)),
    "body_rates": (lambda w, q, v: derivative(lambda e: body_coordinates(w, q + e * v)), ("q", "v")),
    "joint_constraints": (joint_constraints, ("x",)),
    "joint_constraint_jacobian": (
        lambda w, x: jacobian(lambda y: joint_constraints(w, y), x),
        ("x",),
    ),
    "joint_constraint_gamma": (_gamma, ("x", "xdot")),
    "driving_constraints": (driving_constraints, ("x", "q")),
    "driving_constraint_jacobian": (
        lambda w, x, q: jacobian(lambda y: driving_constraints(w, y, q), x),
        ("x", "q"),
    ),
    "driving_constraint_gamma": (_drive_gamma, ("x", "xdot", "q", "v", "a")),
    "body_mass_matrix": (body_mass_matrix, ("x",)),
    "body_forces": (body_forces, ("x", "xdot")),
    "actuator_forces": (actuator_forces, ("x", "q", "drives")),
    "joint_reactions": (joint_reactions, ("x", "multipliers")),
}


def sim_yoo_lee_robot() -> Witness:
    """The robot of the paper, from tables and assumptions once more."""
    z, y, x = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    lengths = (1.5, 1.02, 1.02, 0.2, 0.15, 0.18)
    masses = (680.0, 360.0, 180.0, 55.0, 36.0, 68.0)
    moments = (
        (100.0, 100.0, 62.0),  # the first two of link 1 do not matter
        (11.0, 53.0, 44.0),
        (1.1, 44.0, 44.0),
        (0.44, 0.82, 0.91),
        (0.47, 0.18, 0.38),
        (0.64, 0.44, 0.73),
    )
    links = []
    for i, axis in enumerate((z, y, y, y, z, x)):
        place = (0.0, 0.0, 0.0) if i == 0 else (0.0, 0.0, 1.5) if i == 1 else (lengths[i - 1], 0.0, 0.0)
        center = (0.0, 0.0, 0.75) if i == 0 else (lengths[i] / 2, 0.0, 0.0)
        links.append(
            Link(f"link{i + 1}", None if i == 0 else i - 1, axis, place, masses[i], center, moments[i])
        )
    names = tuple(f"q{i}" for i in range(1, 7))
    return Witness("sim_yoo_lee_robot", tuple(links), speed_names=names, home=np.zeros(6))


def four_bar(home: Array) -> Witness:
    """The plane four-bar: ground 1, crank 0.3, coupler 0.9, rocker 0.7, rods of 1 kg/m, gravity along -y."""
    z = (0.0, 0.0, 1.0)

    def rod(name: str, parent: int | None, place: float, length: float) -> Link:
        moment = length**3 / 12
        return Link(name, parent, z, (place, 0.0, 0.0), length, (length / 2, 0.0, 0.0), (0.0, moment, moment))

    return Witness(
        "four_bar",
        (rod("crank", None, 0.0, 0.3), rod("coupler", 0, 0.3, 0.9), rod("rocker", None, 1.0, 0.7)),
        (Closure("closure", 1, (0.9, 0.0, 0.0), 2, (0.7, 0.0, 0.0)),),
        speed_names=("q1",),
        home=home,
        gravity=(0.0, -9.81, 0.0),
    )
