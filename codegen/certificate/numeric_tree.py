"""A mechanism's records as arrays of doubles, joint by joint as they stand: nothing is moved or lumped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.certificate.evaluation import values
from kanegen.codegen.graph.evaluate import UNIT_ROUNDOFF, rounding_errors
from kanegen.codegen.mechanism.constraints import TorsionalSpringDamper
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement, ForceLaw, coordinates_of, lines_of
from kanegen.codegen.mechanism.records import BASE, BallJoint, Inertia, Joint, JointKind, Mechanism, Value

FloatArray = NDArray[np.float64]


class Kind(Enum):
    """How a link moves in its parent."""

    FIXED = "fixed"
    TURNING = "turning"
    SLIDING = "sliding"
    BALL = "ball"


@dataclass(frozen=True)
class Drive:
    """What resists one rate of a joint: ``rotor`` [kg m^2, kg], ``damping`` [N m s, N s/m] and ``friction`` [N m, N]."""

    rotor: float
    damping: float
    friction: float


@dataclass(frozen=True, eq=False)
class Link:
    """A body and the joint that carries it: r_parent = rotation @ r_joint + position.

    ``joints`` are the names under which its motion is given: one of a simple joint, none of a fixed one, three or six of
    a ball joint, each with one of ``drives``.
    ``mass`` [kg], ``center`` [m] and the central ``tensor`` [kg m^2] are in the body's frame; ``moves`` says that it is not
    welded to the base.
    """

    body: str
    parent: str
    kind: Kind
    joints: tuple[str, ...]
    rotation: FloatArray
    position: FloatArray
    axis: FloatArray
    drives: tuple[Drive, ...]
    mass: float
    center: FloatArray
    tensor: FloatArray
    moves: bool
    ball: BallJoint | None = None


@dataclass(frozen=True)
class Spring:
    """A spring with a damper, on a joint or between the origins of two frames (in SI units)."""

    ends: tuple[str, ...]
    stiffness: float
    damping: float
    rest: float


@dataclass(frozen=True, eq=False)
class Element:
    """A force element: joints with coefficients, or the ends of lines of a path, and its law with numbers for parameters."""

    joints: tuple[tuple[str, float], ...]
    pairs: tuple[tuple[str, str], ...]
    law: ForceLaw

    def results(self, s: FloatArray, rate: FloatArray) -> dict[str, FloatArray]:
        """What the program of the law gives (...), real or complex."""
        s, rate = np.broadcast_arrays(s, rate)
        return values(self.law.program(), {"s": s[..., None], "rate": rate[..., None]}, {})

    def terms(self, s: FloatArray, rate: FloatArray) -> dict[str, FloatArray]:
        """What the results add up from (...), by magnitude."""
        s, rate = np.broadcast_arrays(s.real, rate.real)
        found = rounding_errors(self.law.program(), {"s": s[..., None], "rate": rate[..., None]})
        return {name: x / UNIT_ROUNDOFF for name, x in found.items()}

    def stored(self, s: FloatArray, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The energy, and what its rounding errors are measured by, from those of s, which adds up from ``reach``."""
        still = np.zeros(s.shape)
        at = self.results(s, still)
        return at["energy"], self.terms(s, still)["energy"] + abs(at["force"].real) * reach


@dataclass(frozen=True, eq=False)
class NumericBushing:
    """A bushing between two frames, with its matrices (6, 6)."""

    ends: tuple[str, str]
    stiffness: FloatArray
    damping: FloatArray


@dataclass(frozen=True, eq=False)
class NumericTree:
    """Links in an order in which parents come first, placements of frames in bodies by name, springs, gravity [m/s^2]."""

    links: tuple[Link, ...]
    frames: Mapping[str, tuple[str, FloatArray, FloatArray]]
    springs: tuple[Spring, ...]
    elements: tuple[Element, ...]
    bushings: tuple[NumericBushing, ...]
    gravity: FloatArray

    @property
    def resisted(self) -> bool:
        """Whether anything takes energy away."""
        return (
            any(d.damping or d.friction for x in self.links for d in x.drives)
            or any(s.damping for s in self.springs)
            or any(bushing.damping.any() for bushing in self.bushings)
            or any(element.law.resistance != 0 for element in self.elements)
        )

    @property
    def rotors(self) -> bool:
        """Whether drives turn with the joints."""
        return any(drive.rotor for link in self.links for drive in link.drives)

    @property
    def physical(self) -> bool:
        """Whether all bodies have masses and central moments of inertia that are not negative."""
        return all(
            link.mass >= 0
            and all(drive.rotor >= 0 for drive in link.drives)
            and float(np.linalg.eigvalsh(link.tensor)[0]) >= -1e-12 * size
            for link in self.links
            if (size := max(float(np.abs(link.tensor).max()), 1e-300))
        )


def numeric_tree(mechanism: Mechanism) -> NumericTree:
    """The records of a mechanism in doubles, at the numbers of its parameters."""
    m = with_numbers(mechanism)
    bodies = {body.name: body.inertia for body in m.bodies}
    chains = m.ball_parts
    joints = {joint.name: joint for joint in m.joints}
    moving = {BASE: False}
    links = []
    for joint in m.joints:
        ball = chains.get(joint.name)
        if ball is not None and joint.name != ball.joints[-1]:
            continue  # the last of the chain carries the body, the others only carriers
        first = joint if ball is None else joints[ball.joints[0]]
        moving[joint.child] = moving[first.parent] or joint.kind is not JointKind.FIXED
        names = () if joint.kind is JointKind.FIXED else (joint.name,) if ball is None else ball.joints
        drives = tuple(_drive(joints[name]) for name in names)
        links.append(_link(first, joint.child, bodies[joint.child], ball, names, drives, moving[joint.child]))
    frames = {name: (name, np.eye(3), np.zeros(3)) for name in moving}
    frames |= {f.name: (f.body, _matrix(f.rotation), _vector(f.position)) for f in m.frames}
    springs = tuple(
        Spring(
            (s.joint,) if isinstance(s, TorsionalSpringDamper) else (s.first, s.second),
            _float(s.stiffness),
            _float(s.damping),
            _float(s.rest),
        )
        for s in m.springs
        if not isinstance(s, ForceElement | Bushing)
    )
    elements = tuple(numeric_element(s) for s in m.springs if isinstance(s, ForceElement))
    bushings = tuple(
        NumericBushing((s.first, s.second), _matrix(s.stiffness), _matrix(s.damping))
        for s in m.springs
        if isinstance(s, Bushing)
    )
    return NumericTree(tuple(links), frames, springs, elements, bushings, _vector(m.gravity))


def numeric_element(element: ForceElement) -> Element:
    """An element of a mechanism that has numbers for parameters."""
    joints = tuple((name, _float(c)) for name, c in coordinates_of(element))
    return Element(joints, lines_of(element), element.law)


def _drive(joint: Joint) -> Drive:
    return Drive(_float(joint.rotor_inertia), _float(joint.damping), _float(joint.friction))


def _link(
    first: Joint,
    body: str,
    inertia: Inertia | None,
    ball: BallJoint | None,
    names: tuple[str, ...],
    drives: tuple[Drive, ...],
    moves: bool,
) -> Link:
    return Link(
        body=body,
        parent=first.parent,
        kind=Kind.BALL if ball is not None else _KINDS[first.kind],
        joints=names,
        rotation=_matrix(first.rotation),
        position=_vector(first.position),
        axis=_vector(first.axis),
        drives=drives,
        mass=0.0 if inertia is None else _float(inertia.mass),
        center=np.zeros(3) if inertia is None else _vector(inertia.center),
        tensor=np.zeros((3, 3)) if inertia is None else _matrix(inertia.tensor),
        moves=moves,
        ball=ball,
    )


_KINDS = {
    JointKind.FIXED: Kind.FIXED,
    JointKind.REVOLUTE: Kind.TURNING,
    JointKind.PRISMATIC: Kind.SLIDING,
}


def _float(value: Value) -> float:
    assert isinstance(value, Fraction), "parameters have been replaced by their numbers"
    return float(value)


def _vector(values: Sequence[Value]) -> FloatArray:
    return np.array([_float(x) for x in values])


def _matrix(rows: Sequence[Sequence[Value]]) -> FloatArray:
    return np.array([_vector(row) for row in rows])
