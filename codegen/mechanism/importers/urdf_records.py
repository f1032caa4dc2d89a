"""What a URDF says that matters to dynamics, as written, each with the element that says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from kanegen.codegen.mechanism.importers.xml_tree import Element
from kanegen.codegen.mechanism.records import JointLimits

Triple = tuple[Fraction, Fraction, Fraction]
ZERO: Triple = (Fraction(0), Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class Origin:
    """``<origin>``: position [m] and roll, pitch, yaw [rad] about fixed axes; the identity without an element.

    ``written`` are the angles before those near a quarter turn were made one.  ``matrix`` are the rows of a rotation that
    is given as a quaternion instead.
    """

    position: Triple = ZERO
    angles: Triple = ZERO
    written: Triple = ZERO
    matrix: tuple[Triple, Triple, Triple] | None = None
    element: Element | None = None

    @property
    def rotation(self) -> Triple | tuple[Triple, Triple, Triple] | None:
        """For the builder: angles, the rows of a matrix, or None for the identity."""
        return self.matrix or (self.angles if any(self.angles) else None)


@dataclass(frozen=True, slots=True)
class Inertial:
    """``<inertial>``: mass [kg], mass centre and axes, and (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) [kg m^2] about these axes."""

    mass: Fraction
    origin: Origin
    moments: tuple[Fraction, ...]
    element: Element

    @property
    def tensor(self) -> tuple[tuple[Fraction, ...], ...]:
        """The rows of the central tensor along the inertial frame's axes."""
        xx, yy, zz, xy, xz, yz = self.moments
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


@dataclass(frozen=True, slots=True)
class UrdfLink:
    """``<link>``."""

    name: str
    inertial: Inertial | None
    element: Element


@dataclass(frozen=True, slots=True)
class UrdfMimic:
    """``<mimic>``."""

    leader: str
    multiplier: Fraction
    offset: Fraction
    element: Element


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """``<joint>``; ``axis`` has any length but zero."""

    name: str
    type: str
    parent: str
    child: str
    origin: Origin
    axis: Triple
    limits: JointLimits | None
    damping: Fraction
    friction: Fraction
    mimic: UrdfMimic | None
    element: Element


@dataclass(frozen=True, slots=True)
class UrdfEnd:
    """A frame on a link, or on the base where the link is "world" and there is none of that name."""

    link: str
    position: Triple
    angles: Triple


@dataclass(frozen=True, slots=True)
class UrdfLoop:
    """What makes the origins of two frames coincide, and their axes where there is one: the same in both frames."""

    name: str
    first: UrdfEnd
    second: UrdfEnd
    axis: Triple | None
    element: Element


@dataclass(frozen=True, slots=True)
class UrdfSpring:
    """A spring [N/m, m] and damper [N s/m] between two points."""

    name: str
    first: UrdfEnd
    second: UrdfEnd
    stiffness: Fraction
    damping: Fraction
    rest: Fraction
    element: Element


@dataclass(frozen=True, slots=True)
class UrdfRobot:
    """``<robot>``; ``rotors`` [kg m^2, kg] are what rotors add to the inertia on their joints, ``driven`` joints that a
    transmission names.
    """

    name: str
    links: tuple[UrdfLink, ...]
    joints: tuple[UrdfJoint, ...]
    element: Element
    loops: tuple[UrdfLoop, ...] = ()
    springs: tuple[UrdfSpring, ...] = ()
    rotors: Mapping[str, Fraction] = field(default_factory=dict)
    driven: frozenset[str] = frozenset()
