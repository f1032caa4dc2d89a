"""Arms with flexible links as point masses: nothing but Newton's second law and virtual work, in numbers.

Whatever depends on the mass of a link depends on the integrals of the products of 1, x, y, z and the components of its
shapes.  That symmetric matrix is a sum of w u u^T over a few vectors u = (c, x, phi_1, phi_2, ...): the same integrals as
those of point masses w at x + sum_k delta_k phi_k, the origin counted c times.  A point is at

    p = c o + B (x + sum_k delta_k phi_k),        tau_k = sum w (d2p/dt2 - c g) . dp/dq_k.

Products of transformations carry values, rates and second derivatives along; nothing is recursive but these, nothing is
regrouped, and no rotation is taken for orthogonal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.codegen.certificate.arrays import Array, about_axis
from kanegen.codegen.certificate.numeric_tree import Element, numeric_element
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.force_elements import ForceElement
from kanegen.codegen.mechanism.records import BASE, Inertia, JointKind, Mechanism


@dataclass(frozen=True, eq=False)
class Step:
    """One transformation on the way outwards: a fixed placement, a joint, or the deflection of a link up to a station.

    ``placement`` (4, 4) comes first; then a joint with ``axis`` and ``coordinate``, or modes at ``modes`` with their
    ``generators`` (modes, 4, 4), which are added to 1.
    """

    placement: Array
    kind: JointKind
    axis: Array
    coordinate: int | None
    modes: tuple[int, ...] = ()
    generators: Array | None = None


@dataclass(frozen=True, eq=False)
class Points:
    """Point masses of a body: ``weights`` (p,), and ``places`` (p, 1 + modes, 4): (c, x) and (0, phi_k) for each mode."""

    path: tuple[Step, ...]
    weights: Array
    places: Array
    modes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Flexible:
    """An arm: its point masses, the ways to its frames, its elastic and damping forces, and its drives.

    ``stiffness`` (n, n) is that of the links alone; ``springs`` on coordinates are their places, stiffness and rest.
    """

    count: int
    bodies: tuple[Points, ...]
    frames: Mapping[str, tuple[Step, ...]]
    stiffness: Array
    springs: tuple[tuple[int, float, float], ...]
    elements: tuple[tuple[tuple[tuple[int, float], ...], Element], ...]
    damping: Array
    rotors: Array
    friction: Array
    gravity: Array
    physical: bool

    @property
    def resisted(self) -> bool:
        """Whether anything takes energy away."""
        resisting = any(element.law.resistance != 0 for _, element in self.elements)
        return resisting or bool(self.damping.any() or self.friction.any())


def flexible_arm(mechanism: Mechanism) -> Flexible:
    """The arm as described, at the numbers of its parameters."""
    m = with_numbers(mechanism)
    index = {name: k for k, name in enumerate(m.coordinates)}
    n = len(index)
    inside: dict[str, tuple[Step, ...]] = {BASE: ()}  # the way to a body's own axes
    carried: dict[str, tuple[Step, ...]] = {BASE: ()}  # the way to the axes of what is attached to it
    bodies = []
    matrices = [np.zeros((n, n)), np.zeros((n, n))]
    rotors, friction = np.zeros(n), np.zeros(n)
    springs: list[tuple[int, float, float]] = []
    for joint in m.joints:
        step = Step(
            _homogeneous(joint.rotation, joint.position),
            joint.kind,
            _array(joint.axis),
            index.get(joint.name),
        )
        inside[joint.child] = path = (*carried[joint.parent], step)
        link = m.flexible_link(joint.child)
        carried[joint.child] = path
        modes: tuple[int, ...] = ()
        if link is not None:
            modes = tuple(index[mode] for mode in link.modes)
            carried[joint.child] = (*path, _bent(link.end, modes))
            at = np.ix_(modes, modes)
            matrices[0][at] += _array(link.stiffness)
            matrices[1][at] += _array(link.damping)
        gram = _gram(m.body(joint.child).inertia) if link is None else _modal_gram(link.integrals, len(modes))
        weights, vectors = _squares(gram)
        places = np.zeros((len(weights), 1 + len(modes), 4))
        places[:, 0, :] = vectors.T[:, :4]
        places[:, 1:, 1:] = vectors.T[:, 4:].reshape(len(weights), len(modes), 3)
        bodies.append(Points(path, weights, places, modes))
        k = index.get(joint.name)
        if k is not None:
            rotors[k], friction[k] = _number(joint.rotor_inertia), _number(joint.friction)
            matrices[1][k, k] += _number(joint.damping)
    elements = []
    for spring in m.springs:
        if isinstance(spring, ForceElement):
            element = numeric_element(spring)
            elements.append((tuple((index[name], c) for name, c in element.joints), element))
            continue
        assert isinstance(spring, TorsionalSpringDamper), (
            "springs between frames stand in no flexible mechanism"
        )
        k = index[spring.joint]
        springs.append((k, _number(spring.stiffness), _number(spring.rest)))
        matrices[1][k, k] += _number(spring.damping)
    frames = {}
    for body in m.bodies:
        frames[body.name] = inside[body.name]
    for frame in m.frames:
        link = m.flexible_link(frame.body)
        way = carried[frame.body]
        if link is not None and frame.name == frame.body:
            way = inside[frame.body]
        elif link is not None and (station := link.station(frame.name)) is not None:
            way = (*inside[frame.body], _bent(station, tuple(index[mode] for mode in link.modes)))
        placed = _homogeneous(frame.rotation, frame.position)
        frames[frame.name] = (*way, Step(placed, JointKind.FIXED, np.zeros(3), None))
    physical = all((points.weights >= -1e-9 * abs(points.weights).max(initial=0)).all() for points in bodies)
    return Flexible(
        n,
        tuple(bodies),
        frames,
        matrices[0],
        tuple(springs),
        tuple(elements),
        matrices[1],
        rotors,
        friction,
        _array(m.gravity),
        physical,
    )


def _bent(station: Any, modes: tuple[int, ...]) -> Step:
    """About the station: h = t + (1 + skew(theta)) (h0 - x)."""
    x = _array(station.position)
    generators = np.zeros((len(modes), 4, 4))
    for k, (d, theta) in enumerate(zip(station.displacements, station.rotations, strict=True)):
        turning = _skew(_array(theta))
        generators[k, 1:, 1:] = turning
        generators[k, 1:, 0] = _array(d) - turning @ x
    return Step(np.eye(4), JointKind.FIXED, np.zeros(3), None, modes, generators)


def _gram(inertia: Inertia | None) -> Array:
    found = np.zeros((4, 4))
    if inertia is not None:
        m, c, tensor = _number(inertia.mass), _array(inertia.center), _array(inertia.tensor)
        found[0, 0] = m
        found[0, 1:] = found[1:, 0] = m * c
        found[1:, 1:] = np.trace(tensor) / 2 * np.eye(3) - tensor + m * np.outer(c, c)
    return found


def _modal_gram(integrals: Any, count: int) -> Array:
    found = np.zeros((4 + 3 * count, 4 + 3 * count))
    found[0, 0] = float(integrals.mass)
    found[0, 1:4] = _array(integrals.first)
    found[1:4, 1:4] = _array(integrals.second)
    for k in range(count):
        at = slice(4 + 3 * k, 7 + 3 * k)
        found[0, at] = _array(integrals.mode_first[k])
        found[1:4, at] = _array(integrals.mode_mixed[k])
        for n in range(k, count):
            found[at, 4 + 3 * n : 7 + 3 * n] = _array(integrals.mode_products[k][n])
    return np.asarray(np.triu(found) + np.triu(found, 1).T)


def _squares(gram: Array) -> tuple[Array, Array]:
    """Weights w (n,) and vectors u in columns (n, n) with sum w u u^T = gram (n, n).

    The whole mass in its centre, and eigenvectors of what is left: those of all together would drown small integrals beside
    a large mass.  Where no masses at all have these integrals, there is no such centre.
    """
    mass, first = gram[0, 0], gram[0, 1:]
    if mass <= 0 or (first**2 > mass * np.diag(gram)[1:]).any():
        weights, vectors = np.linalg.eigh(gram)
        return weights, vectors
    vectors = np.eye(len(gram))
    vectors[1:, 0] = first / mass
    weights, vectors[1:, 1:] = np.linalg.eigh(gram[1:, 1:] - np.outer(first, first) / mass)
    return np.array([mass, *weights]), vectors


def _number(value: Any) -> float:
    return float(value)


def _array(values: Any) -> Array:
    return np.array([_array(x) if isinstance(x, tuple) else float(x) for x in values])


def _homogeneous(rotation: Any, position: Any) -> Array:
    found = np.eye(4)
    found[1:, 1:] = np.array([[float(x) for x in row] for row in rotation])
    found[1:, 0] = [float(x) for x in position]
    return found


def _skew(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def moved(step: Step, q: Array, order: int) -> Array:
    """The joint or deflection of a step (..., 4, 4) at q (..., nq), or its ``order``-th derivative by its coordinate."""
    batch = q.shape[:-1]
    if step.coordinate is None:
        return np.broadcast_to(np.eye(4) * (order == 0), (*batch, 4, 4))
    x = q[..., step.coordinate]
    found = np.zeros((*batch, 4, 4), dtype=q.dtype)
    if step.kind is JointKind.PRISMATIC:
        if order == 0:
            found[..., :, :] = np.eye(4)
            found[..., 1:, 0] = x[..., None] * step.axis
        elif order == 1:
            found[..., 1:, 0] = step.axis
        return found
    turned = about_axis(step.axis, x)
    for _ in range(order):
        turned = turned @ _skew(step.axis)
    found[..., 1:, 1:] = turned
    found[..., 0, 0] = float(order == 0)
    return found


class Way:
    """A product of steps at q: its value, and its derivatives by every coordinate, second ones along a motion."""

    def __init__(self, path: tuple[Step, ...], q: Array, count: int) -> None:
        self.count = count
        self.columns: dict[int, Array] = {}
        value: Array = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
        self._factors: list[tuple[Array, dict[int, Array], Array | None]] = []
        for step in path:
            if step.generators is not None:
                factor = np.eye(4) + np.einsum("...k,kij->...ij", q[..., list(step.modes)], step.generators)
                slopes: dict[int, Array] = dict(zip(step.modes, step.generators, strict=True))
                second = None
            else:
                factor = step.placement @ moved(step, q, 0)
                slopes, second = {}, None
                if step.coordinate is not None:
                    slopes = {step.coordinate: step.placement @ moved(step, q, 1)}
                    second = step.placement @ moved(step, q, 2)
            self._factors.append((factor, slopes, second))
            self.columns = {k: x @ factor for k, x in self.columns.items()}
            for k, slope in slopes.items():
                self.columns[k] = value @ slope
            value = value @ factor
        self.value = value

    def along(self, v: Array, a: Array) -> tuple[Array, Array]:
        """First and second derivative in time (..., 4, 4) for rates v and accelerations a (..., nq)."""
        zero = np.zeros((4, 4))
        value: Array = np.eye(4)
        rate, second = zero, zero
        for factor, slopes, curvature in self._factors:
            df: Array = zero
            ddf: Array = zero
            for k, slope in slopes.items():
                df = df + v[..., k, None, None] * slope
                ddf = ddf + a[..., k, None, None] * slope
                if curvature is not None:
                    ddf = ddf + v[..., k, None, None] ** 2 * curvature
            second = second @ factor + 2 * rate @ df + value @ ddf
            rate = rate @ factor + value @ df
            value = value @ factor
        return rate, second
