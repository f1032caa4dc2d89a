"""How large a mechanism is, and the unit of length in which its own lengths are numbers of ordinary size.

What is found in doubles, whether loops are closed or rows depend on one another, is found in that unit: bounds on rounding
errors mean the same for a watch and for a crane, and a slide counts as much as a hinge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from kanegen.codegen.mechanism.constraints import Loop, RollingContact
from kanegen.codegen.mechanism.records import BASE, Joint, JointKind, Mechanism, Vector3
from kanegen.codegen.mechanism.values import numeric

_ORDINARY = 1024.0
"""Units are powers of it: lengths of 1/32 to 32 are ordinary numbers, and a change of unit rounds nothing."""


_ROUNDING = 1e-12
"""What may be left of lengths that vanish, where frames are written somewhere else [m]."""


def unit_for(size: float) -> float:
    """The power of 1024 that a size is an ordinary multiple of; 1 for zero, and from 1/32 to 32."""
    return _ORDINARY ** round(math.log(size, _ORDINARY)) if 0.0 < size < math.inf else 1.0


def unit_of_length(mechanism: Mechanism) -> float:
    """The unit [m] of a mechanism's lengths, at its parameters' numbers and its home."""
    return unit_for(size_of(mechanism))


def units_of(mechanism: Mechanism, names: Sequence[str], unit: float) -> tuple[float, ...]:
    """One for each joint or coordinate: the unit of length [m] for slides, 1 rad for hinges, 1 for the rest."""
    slides = slides_of(mechanism)
    return tuple(unit if name in slides else 1.0 for name in names)


def slides_of(mechanism: Mechanism) -> set[str]:
    """The joints that slide."""
    return {joint.name for joint in mechanism.joints if joint.kind is JointKind.PRISMATIC}


def size_of(mechanism: Mechanism, home: Mapping[str, float] | None = None) -> float:
    """The length of the longest loop; without loops that of all joints together or the largest radius that rolls [m].

    ``home`` are the coordinates by joint, those of the mechanism where none are given.  1 where no length is more than what
    rounding leaves.
    """
    home = home_of(mechanism) if home is None else home
    loops = max((length_of(mechanism, loop, home) for loop in mechanism.loops), default=0.0)
    radii = [radius_of(mechanism, c) for c in mechanism.constraints if isinstance(c, RollingContact)]
    size = loops if loops > _ROUNDING else max(_offsets(mechanism, mechanism.joints, home), *radii, 0.0)
    return size if size > _ROUNDING else 1.0


def home_of(mechanism: Mechanism) -> dict[str, float]:
    """The coordinates of home by name, none where it is not given."""
    given = (float(numeric(x, mechanism)) for x in mechanism.home)
    return dict(zip(mechanism.coordinates, given, strict=False))


def radius_of(mechanism: Mechanism, contact: RollingContact) -> float:
    """The radius of a wheel [m]."""
    return abs(float(numeric(contact.radius, mechanism)))


def length_of(mechanism: Mechanism, loop: Loop, home: Mapping[str, float]) -> float:
    """The sum of the lengths in a loop, from the frame that closes it to the body that its two halves hang on, and back.

    They are distances between its joints along its bodies, and what its slides are drawn out by at ``home``, the
    coordinates by joint.  On the body that the halves hang on it is the distance between the two joints that hang on it.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    frames = [mechanism.frame(name) for name in (loop.first, loop.second)]
    halves: list[list[Joint]] = []
    for frame in frames:
        body, half = frame.body, list[Joint]()
        while body != BASE:
            half.append(above[body])
            body = above[body].parent
        halves.append(half[::-1])
    while halves[0] and halves[1] and halves[0][0] == halves[1][0]:
        halves = [half[1:] for half in halves]
    ends = [half[0].position if half else frame.position for half, frame in zip(halves, frames, strict=True)]
    total = math.dist(*(_numbers(mechanism, end) for end in ends))
    for half, frame in zip(halves, frames, strict=True):
        total += _offsets(mechanism, half[1:], home) + _travel(half[:1], home)
        total += math.hypot(*_numbers(mechanism, frame.position)) if half else 0.0
    return total


def _offsets(mechanism: Mechanism, joints: Sequence[Joint], home: Mapping[str, float]) -> float:
    """The distances of joints from the origins of the bodies that they are on, and the travel of slides at home."""
    lengths = [math.hypot(*_numbers(mechanism, joint.position)) for joint in joints]
    return sum(lengths) + _travel(joints, home)


def _travel(joints: Sequence[Joint], home: Mapping[str, float]) -> float:
    slides = [joint.name for joint in joints if joint.kind is JointKind.PRISMATIC]
    return sum(abs(home.get(name, 0.0)) for name in slides)


def _numbers(mechanism: Mechanism, vector: Vector3) -> tuple[float, ...]:
    return tuple(float(numeric(x, mechanism)) for x in vector)
