"""What ties the joints of a tree together or drives them: loops, rolling, blades, equations, given rates, springs.

Frames are named; ``base`` stands for the fixed frame itself.  An *equation of position* (holonomic) restricts the
coordinates, an *equation of velocity* (nonholonomic) only their rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement
from kanegen.codegen.mechanism.quantities import Value


class LoopKind(Enum):
    """The joint that closes a loop; its axis is the z axis of both of its frames."""

    SPHERICAL = "spherical"
    REVOLUTE = "revolute"
    UNIVERSAL = "universal"
    CYLINDRICAL = "cylindrical"
    PRISMATIC = "prismatic"
    PLANAR = "planar"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Loop:
    """A joint between two frames that the tree does not contain; it closes a loop.

    SPHERICAL: the origins coincide (3 equations).  REVOLUTE: also the z axes (5).  UNIVERSAL: the origins coincide
    and the z axes stay perpendicular (4).  CYLINDRICAL: the z axes lie on one line (4).  PRISMATIC: likewise, without
    turning (5).  PLANAR: the z axes stay parallel and the second origin in the xy plane of the first (3).  FIXED (6).
    """

    name: str
    kind: LoopKind
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class RollingContact:
    """A thin wheel that rolls without slip on the xy plane of the frame ``ground``.

    ``wheel`` is a frame fixed in the wheel: its origin the centre, its z axis the axle; ``radius`` [m].
    ``contact`` names a frame whose origin is the point of contact by the construction of the tree; then touching is no
    equation.  Without it the wheel touches by an equation of position.  Slip vanishes along ground x and y.
    """

    name: str
    wheel: str
    radius: Value
    ground: str
    contact: str | None = None


@dataclass(frozen=True, slots=True)
class KnifeEdge:
    """A sharp edge: the origin of frame ``edge`` has no velocity along its y axis, relative to the body of ``ground``."""

    name: str
    edge: str
    ground: str


@dataclass(frozen=True, slots=True)
class FrameCoordinate:
    """A coordinate of a frame that a ``symbol`` of an equation stands for, or with ``rate`` its derivative by time.

    ``entry`` is x, y or z, of the position of the frame's origin [m], or R11 to R33, of the rotation matrix that carries
    components from the axes of ``frame`` to those of ``relative_to``: column k is the direction of the frame's axis k.
    """

    symbol: sympy.Symbol
    frame: str
    entry: str
    relative_to: str = "base"
    rate: bool = False

    @property
    def name(self) -> str:
        """What users call it: hand.x, rate(hand.x), and table.hand.x where it is seen from a frame other than the base."""
        path = [*([] if self.relative_to == "base" else [self.relative_to]), self.frame, self.entry]
        return f"rate({'.'.join(path)})" if self.rate else ".".join(path)


@dataclass(frozen=True, slots=True)
class PositionConstraint:
    """An equation of position ``expression`` = 0 in the coordinates ``q``, and symbols named like parameters.

    It may contain ``time`` [s], where that is given, coordinates of ``frames``, and joints that move as functions of time
    (``PrescribedMotion``) by symbols named like these.
    """

    name: str
    q: tuple[sympy.Symbol, ...]
    expression: sympy.Expr
    time: sympy.Symbol | None = None
    frames: tuple[FrameCoordinate, ...] = ()


@dataclass(frozen=True, slots=True)
class VelocityConstraint:
    """An equation of velocity ``expression`` = 0, linear in the rates ``qdot`` of coordinates ``q`` and those of frames.

    ``time`` and ``frames`` as in ``PositionConstraint``; the rate of a joint j that moves as a function of time is the
    symbol rate(j).
    """

    name: str
    q: tuple[sympy.Symbol, ...]
    qdot: tuple[sympy.Symbol, ...]
    expression: sympy.Expr
    time: sympy.Symbol | None = None
    frames: tuple[FrameCoordinate, ...] = ()


Constraint = RollingContact | KnifeEdge | PositionConstraint | VelocityConstraint


@dataclass(frozen=True, slots=True)
class PrescribedRate:
    """A joint that is no coordinate: it moves at a constant rate [rad/s, m/s] whatever force that takes.

    The joint stands at zero in every formula, so nothing may depend on how far it has moved.  Rate zero makes an
    auxiliary generalized speed: the force that holds the joint is a constraint force brought into evidence.
    """

    joint: str
    rate: Value


@dataclass(frozen=True, slots=True)
class PrescribedMotion:
    """A joint that is no coordinate: it moves as a function of ``time`` [s] whatever force that takes.

    ``expression`` [rad, m] is in ``time`` and symbols named like parameters, with two derivatives.
    """

    joint: str
    time: sympy.Symbol
    expression: sympy.Expr

    @property
    def varies(self) -> bool:
        """Whether time is in it at all."""
        return self.time in self.expression.free_symbols


Prescribed = PrescribedRate | PrescribedMotion


@dataclass(frozen=True, slots=True)
class TorsionalSpringDamper:
    """Resists a joint of the tree with ``stiffness`` (q - rest) + ``damping`` dq/dt, on the joint's coordinate."""

    name: str
    joint: str
    stiffness: Value
    damping: Value
    rest: Value


@dataclass(frozen=True, slots=True)
class TranslationalSpringDamper:
    """Pulls the origins of two frames together with ``stiffness`` (l - rest) + ``damping`` dl/dt, l their distance."""

    name: str
    first: str
    second: str
    stiffness: Value
    damping: Value
    rest: Value


SpringDamper = TorsionalSpringDamper | TranslationalSpringDamper | ForceElement | Bushing
