"""What a picture of a mechanism needs beside its kernels: which bodies its joints connect, and where their masses are.

The generator knows it from the model, and fills this record when a picture is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A body, and the joint that it hangs on.

    ``kind``: "fixed", "revolute", "prismatic", "spherical", "floating", or "several" for a joint of other freedoms.
    ``axis`` (3,) is along the body's own axes, zero where there is none.  ``anchor`` (3,) is the place of the joint on
    ``parent`` [m], along its axes.  ``mass`` [kg] and its ``centre`` (3,) [m] along the body's axes are those of the model.
    """

    body: str
    parent: str
    joint: str
    kind: str
    axis: Vector
    anchor: Vector
    mass: float
    centre: Vector


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The bodies of a mechanism in the order of the tree.

    ``base`` is the name of what ``parent`` calls the fixed base.  ``ties`` are pairs of frames that a loop or a spring
    connects.  ``units`` are those of the coordinates, "rad", "m", or "1" for an entry of a quaternion; ``rates`` and
    ``forces`` those of the speeds and of the forces on them.
    """

    base: str
    links: tuple[Link, ...]
    ties: tuple[tuple[str, str], ...]
    units: tuple[str, ...]
    rates: tuple[str, ...]
    forces: tuple[str, ...]
