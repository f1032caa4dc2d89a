"""States beside the random ones: where something vanishes, and formulas that are right elsewhere may fail.

They are zero and home, all joints at their lower limits and all at their upper ones, all hinges turned by a quarter, so that
axes are aligned or at right angles, and for every spring and damper a configuration in which its ends nearly meet.  Loops
are closed from there.  Where constraints or chosen speeds tie coordinates together, dead centres and configurations beside
them join these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.body_motion import bodies
from kanegen.codegen.certificate.newton_euler import stretched
from kanegen.codegen.certificate.numeric_tree import numeric_tree
from kanegen.codegen.certificate.speeds import TreeSpeeds
from kanegen.codegen.certificate.tied_motion import TiedMotion
from kanegen.codegen.mechanism.constraints import TranslationalSpringDamper
from kanegen.codegen.mechanism.force_elements import lines_of
from kanegen.codegen.mechanism.poses import frame_poses
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import DistanceRate
from kanegen.codegen.mechanism.values import numeric

NEAR = 1e-8
"""Coordinates are so far from where ends of a spring meet [rad, m]: an expanded square of the distance has no digits."""

_MEETING = 1e10
"""Ends of a spring whose distance is less than this part of the way to them meet, in doubles: it has no direction there."""

_DIFFERENCE = 1e-6
"""Of a coordinate, for the slope of the way from one end to the other."""

_BESIDE = 1e-9
"""Displacements of elements [rad, m] so far from each other are the same but for rounding."""

_SMOOTH = 1e-3
"""Slopes of a law that differ by less, beside their sizes, belong to no kink."""

_STEPS = 20
"""Of Gauss and Newton, on the way to where ends meet."""

_STARTS = 5
"""Random configurations from which dead centres are looked for."""

_USUAL = 10.0
"""Up to this growth of rounding errors a state is looked at as random ones are.

These leave four digits of the bound, and what is solved twice, as mass matrices are, takes the square.
"""

_LARGEST = 1e8
"""From this growth on half of the digits are gone, and calls of a robot refuse."""


class Place(IntEnum):
    """What a special state is: one like any other, one in which ends of a spring nearly meet, one beside a dead centre or
    where the speeds determine the motion badly, and a dead centre.
    """

    ORDINARY = 0
    CLOSE = 1
    BESIDE = 2
    CENTRE = 3


@dataclass(frozen=True, eq=False)
class SpecialStates:
    """``q`` (k, nq) and the ``place`` (k,) of each.

    ``spread`` (k,) is how many times the errors of positions are larger in the direction of the shortest spring, or distance
    that is a speed: the way to its ends over its length.  ``growth`` (k,) is how many times those of what follows from the
    speeds are larger than usual, where what is singular is solved once by its determinant.  ``usual`` are random states in
    which they are not, as many as there were with those in which they are.
    """

    q: Array
    place: Array
    spread: Array
    growth: Array
    usual: Array | None = None

    def of(self, place: Place) -> Array:
        """Those of one kind."""
        return np.asarray(self.q[self.place == place])

    @property
    def ordinary(self) -> Array:
        """Those that are like any other."""
        return self.of(Place.ORDINARY)


def special_states(mechanism: Mechanism, home: Array, tied: TiedMotion | None = None) -> SpecialStates:
    """The special states of a mechanism whose coordinates ``home`` (nq,) are those of its description.

    ``tied`` tells how its coordinates move, where constraints or chosen speeds tie them together.  Equations of position
    hold in all states; from where that cannot be had, no state comes, nor where they or speeds have no coefficients.
    """
    kinds = {joint.name: joint.kind for joint in mechanism.joints}
    simple = [k for k, name in enumerate(mechanism.coordinates) if name in kinds]
    ordinary = _closed(tied, _ordinary(mechanism, home, simple, kinds))
    close = _close(mechanism, home, simple, tied)
    centres = beside = ordinary[:0]
    usual = None
    if tied is not None:
        regular = np.flatnonzero(tied.growth(tied.usual) <= _USUAL)
        usual = tied.usual[np.resize(regular, len(tied.usual))] if len(regular) else tied.usual
        starts = _closed(tied, np.concatenate([ordinary, tied.usual[:_STARTS]]))
        centres, starts = tied.dead_centres(starts)
        beside = tied.beside(centres, starts)
        apart = abs(ordinary[:, None] - centres).max(axis=2, initial=0.0) > NEAR
        ordinary = ordinary[apart.all(axis=1)]
    q = np.concatenate([ordinary, close, beside, centres])
    place = np.repeat([*Place], [len(ordinary), len(close), len(beside), len(centres)])
    spread = _spread(mechanism, q)
    growth = np.ones(len(q)) if tied is None else tied.growth(q)
    growth[place == Place.CENTRE] = np.inf
    place[(place < Place.BESIDE) & (growth > _USUAL)] = Place.BESIDE
    place[~(growth < _LARGEST)] = Place.CENTRE
    growth[place == Place.CENTRE] = np.inf
    kept = (spread < _MEETING) & _off_kinks(mechanism, q)
    if tied is not None:
        kept &= tied.defined(q, place == Place.CENTRE)
    return SpecialStates(q[kept], place[kept], spread[kept], growth[kept], usual)


def _ordinary(mechanism: Mechanism, home: Array, simple: list[int], kinds: Mapping[str, JointKind]) -> Array:
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
    return np.array(list(dict.fromkeys(tuple(q) for q in found)))


def _closed(loops: TiedMotion | None, q: Array) -> Array:
    """Configurations on the equations of position from given ones, of those from which they are reached."""
    if loops is None or not len(q):
        return q
    found, closed = loops.closed(q)
    different = {tuple(np.round(x, 9)): x for x in found[closed]}
    return np.array(list(different.values())).reshape(-1, q.shape[1])


def _directed(mechanism: Mechanism) -> list[tuple[str, str]]:
    """The ends of springs, dampers and lines of elements with a direction."""
    return [
        ends
        for s in mechanism.springs
        if not isinstance(s, TranslationalSpringDamper)
        or numeric(s.damping, mechanism)
        or (numeric(s.rest, mechanism) and numeric(s.stiffness, mechanism))
        for ends in lines_of(s)
    ]


def _ends(mechanism: Mechanism, pair: tuple[str, str], q: Array) -> tuple[Array, Array]:
    nq = len(mechanism.coordinates)
    poses = frame_poses(mechanism, q[:nq].tolist(), *q[nq:].tolist())
    return poses[pair[0]][:3, 3], poses[pair[1]][:3, 3]


def _close(mechanism: Mechanism, home: Array, simple: list[int], loops: TiedMotion | None) -> Array:
    """For each spring with a direction a configuration where its ends nearly meet, if hinges and slides alone lead there."""
    found: list[Array] = []
    if not simple or mechanism.balls or mechanism.mimics:
        return home[None][:0]
    beside = home.copy()
    beside[simple] += np.cos(1 + np.arange(len(simple)))  # stretched chains do not tell which way to fold
    for pair in _directed(mechanism):
        for start in (home, beside):
            q = _closest(mechanism, pair, start, simple, loops)
            one, two = _ends(mechanism, pair, q)
            if np.linalg.norm(two - one) <= _DIFFERENCE * NEAR:
                q[simple] = np.round(q[simple], 12)  # so that a place that can be written down is hit
                away = NEAR * np.cos(np.arange(len(simple)))
                if loops is not None:
                    units = loops.units[simple]
                    T = loops.directions(q[None])[0, simple] / units[:, None]
                    away = units * (T @ (T.T @ away))
                q[simple] += away
                found.append(q)
                break
    return np.array(found).reshape(-1, len(home))


def _closest(
    mechanism: Mechanism,
    pair: tuple[str, str],
    start: Array,
    simple: list[int],
    loops: TiedMotion | None,
) -> Array:
    """Coordinates at which the ends of a spring are close, from ``start`` by steps of Gauss and Newton."""
    q = start.copy()
    for _ in range(_STEPS):
        T = np.eye(len(simple))
        if loops is not None:
            q = loops.closed(q[None])[0][0]
            T = loops.directions(q[None])[0, simple]
        one, two = _ends(mechanism, pair, q)
        columns = []
        for k in simple:
            step = q.copy()
            step[k] += _DIFFERENCE
            there = _ends(mechanism, pair, step)
            columns.append((there[1] - there[0] - (two - one)) / _DIFFERENCE)
        way = T @ np.linalg.lstsq(np.stack(columns, axis=1) @ T, one - two, rcond=1e-6)[0]
        q[simple] += np.clip(way, -1.0, 1.0)
    return q


def _off_kinks(mechanism: Mechanism, states: Array) -> Array:
    """Where no force element stands where its slope jumps (states,): a rounding of its displacement decides there."""
    kept = np.ones(len(states), dtype=bool)
    records = numeric_tree(mechanism)
    if not records.elements or not len(states):
        return kept
    motion = TreeSpeeds(mechanism).at_rest(states)
    moved = bodies(records, motion)
    for element in records.elements:
        own = [c * motion.position[name] for name, c in element.joints]
        own += [line.length for line in stretched(records, element, moved)]
        s = np.sum(own, axis=0)
        still = np.zeros(len(states))
        below, above = (element.results(s + by, still)["by_s"] for by in (-_BESIDE, _BESIDE))
        kept &= abs(above - below) <= _SMOOTH * (abs(above) + abs(below))
    return kept


def _spread(mechanism: Mechanism, states: Array) -> Array:
    pairs = _directed(mechanism)
    pairs += [(s.first, s.second) for s in mechanism.speeds if isinstance(s, DistanceRate)]
    if not pairs:
        return np.ones(len(states))
    records = numeric_tree(mechanism)
    moved = bodies(records, TreeSpeeds(mechanism).at_rest(states))
    found = np.ones(len(states))
    for pair in pairs:
        frames = [records.frames[name] for name in pair]
        first, second = (moved[body].point(offset)[0] for body, _, offset in frames)
        reach = sum(moved[body].sizes.p + np.linalg.norm(offset) for body, _, offset in frames)
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = reach / np.linalg.norm(second - first, axis=-1)
        found = np.maximum(found, np.where(reach > 0, 1 + turn, np.inf))
    return found
