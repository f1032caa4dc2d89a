"""States beside the random ones: where something vanishes, and formulas that are right elsewhere may fail.

They are zero and home, all joints at their lower limits and all at their upper ones, all hinges turned by a quarter, so that
axes are aligned or at right angles, and for every spring and damper a configuration in which its ends nearly meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.mechanism.constraints import TranslationalSpringDamper
from kanegen.codegen.mechanism.poses import frame_poses
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.values import numeric

NEAR = 1e-8
"""Coordinates are so far from where ends of a spring meet [rad, m]: an expanded square of the distance has no digits."""

_MEETING = 1e10
"""Ends of a spring whose distance is less than this part of the way to them meet, in doubles: it has no direction there."""

_DIFFERENCE = 1e-6
"""Of a coordinate, for the slope of the way from one end to the other."""

_STEPS = 20
"""Of Gauss and Newton, on the way to where ends meet."""


@dataclass(frozen=True, eq=False)
class SpecialStates:
    """``q`` (k, nq): well-conditioned ones first, then those ``near`` which ends of springs meet.

    ``spread`` (k,) is how many times the errors of positions are larger in the direction of the shortest spring: the way
    to its ends over their distance.
    """

    q: Array
    near: int
    spread: Array

    @property
    def ordinary(self) -> Array:
        """Those that no ends of springs are close in."""
        return self.q[: len(self.q) - self.near]

    @property
    def close(self) -> Array:
        """Those in which ends of a spring nearly meet."""
        return self.q[len(self.q) - self.near :]


def special_states(mechanism: Mechanism, home: Array) -> SpecialStates:
    """The special states of a mechanism whose coordinates ``home`` (nq,) are those of its description.

    A mechanism with constraints has those alone that are known to satisfy them: its home.
    """
    if mechanism.constrained:
        return SpecialStates(home[None], 0, np.ones(1))
    kinds = {joint.name: joint.kind for joint in mechanism.joints}
    simple = [k for k, name in enumerate(mechanism.coordinates) if name in kinds]
    zero = home.copy()
    zero[simple] = 0.0
    quarter = zero.copy()
    turning = [k for k in simple if kinds[mechanism.coordinates[k]] is JointKind.REVOLUTE]
    quarter[turning] = np.pi / 2
    found = [zero, home, quarter]
    for end in ("lower", "upper"):
        at = home.copy()
        for k in simple:
            limits = mechanism.joint(mechanism.coordinates[k]).limits
            given = None if limits is None else getattr(limits, end)
            if given is not None:
                at[k] = float(given)
        found.append(at)
    ordinary = list(dict.fromkeys(tuple(q) for q in found))
    close = _close(mechanism, home, simple)
    q = np.array([*ordinary, *close])
    spread = _spread(mechanism, q)
    kept = spread < _MEETING
    return SpecialStates(q[kept], int(kept[len(ordinary) :].sum()), spread[kept])


def _directed(mechanism: Mechanism) -> list[TranslationalSpringDamper]:
    """Springs and dampers with a direction, as far as hinges and slides alone move their ends."""
    if mechanism.balls or mechanism.mimics:
        return []
    return [
        s
        for s in mechanism.springs
        if isinstance(s, TranslationalSpringDamper)
        and (
            numeric(s.damping, mechanism) or (numeric(s.rest, mechanism) and numeric(s.stiffness, mechanism))
        )
    ]


def _ends(mechanism: Mechanism, spring: TranslationalSpringDamper, q: Array) -> tuple[Array, Array]:
    poses = frame_poses(mechanism, q.tolist())
    return poses[spring.first][:3, 3], poses[spring.second][:3, 3]


def _close(mechanism: Mechanism, home: Array, simple: list[int]) -> list[tuple[float, ...]]:
    """For each spring with a direction a configuration where its ends nearly meet, if hinges and slides lead there."""
    found: list[tuple[float, ...]] = []
    if not simple:
        return found
    beside = home.copy()
    beside[simple] += np.cos(1 + np.arange(len(simple)))  # stretched chains do not tell which way to fold
    for spring in _directed(mechanism):
        for start in (home, beside):
            q = _closest(mechanism, spring, start, simple)
            one, two = _ends(mechanism, spring, q)
            if np.linalg.norm(two - one) <= _DIFFERENCE * NEAR:
                q[simple] = np.round(q[simple], 12)  # so that a place that can be written down is hit
                q[simple] += NEAR * np.cos(np.arange(len(simple)))
                found.append(tuple(q))
                break
    return found


def _closest(
    mechanism: Mechanism, spring: TranslationalSpringDamper, start: Array, simple: list[int]
) -> Array:
    """Coordinates at which the ends of a spring are close, from ``start`` by steps of Gauss and Newton."""
    q = start.copy()
    for _ in range(_STEPS):
        one, two = _ends(mechanism, spring, q)
        columns = []
        for k in simple:
            step = q.copy()
            step[k] += _DIFFERENCE
            there = _ends(mechanism, spring, step)
            columns.append((there[1] - there[0] - (two - one)) / _DIFFERENCE)
        way = np.linalg.lstsq(np.stack(columns, axis=1), one - two, rcond=1e-6)[0]
        q[simple] += np.clip(way, -1.0, 1.0)
    return q


def _spread(mechanism: Mechanism, states: Array) -> Array:
    found, springs = np.ones(len(states)), _directed(mechanism)
    for row, q in enumerate(states if springs else ()):
        poses = frame_poses(mechanism, q.tolist())
        reach = 2 * max(float(np.linalg.norm(pose[:3, 3])) for pose in poses.values())
        for spring in springs:
            apart = float(np.linalg.norm(poses[spring.second][:3, 3] - poses[spring.first][:3, 3]))
            found[row] = max(found[row], 1 + reach / apart if apart else np.inf)
    return found
