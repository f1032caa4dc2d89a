"""A serial chain as plain numbers: what every engine is built from here.

Nothing in this package imports kanegen, so an error in kanegen's catalogue cannot hide itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Vector = tuple[float, float, float]
JointKind = Literal["revolute", "prismatic"]
Axis = Literal["x", "y", "z"]


@dataclass(frozen=True)
class ChainBody:
    """One body and the joint that carries it; all frames are parallel when the coordinates are zero.

    Attributes:
        name: the body's name.
        kind: the joint's kind.
        axis: the joint's axis, a coordinate axis of the body's frame.
        coordinate: the index of the joint's coordinate in a state row.
        offset: the origin of the body's frame in the parent's frame, m.
        mass: kg.
        centre: the mass centre in the body's frame, m.
        moments: central principal moments of inertia along the frame's axes, kg m^2.
    """

    name: str
    kind: JointKind
    axis: Axis
    coordinate: int
    offset: Vector
    mass: float
    centre: Vector
    moments: Vector


@dataclass(frozen=True)
class Chain:
    """A serial chain of one-degree-of-freedom joints on a fixed base.

    Attributes:
        name: the mechanism's name.
        gravity: the acceleration of free fall in the base frame, m/s^2.
        bodies: from the base outwards.
    """

    name: str
    gravity: Vector
    bodies: tuple[ChainBody, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """``order[j]`` is the index in a state row of the coordinate of the chain's joint ``j``."""
        return tuple(body.coordinate for body in self.bodies)
