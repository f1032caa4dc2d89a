"""The way from one point of a mechanism to another, with all its digits where the two nearly meet.

A rotation about k turns y by sin q k x y + (1 - cos q) k x (k x y).  With 1 - cos q = 2 sin(q / 2)^2, what joints do to a
point is a sum of terms that are small where their coordinates are, beside where the point is at q = 0; and the
difference of two such places is a number, or vanishes.  From cos q itself nothing is left of 1 - cos q below 1e-8 rad.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.motion_maps.chains import Chains, dot
from kanegen.codegen.derivation.resistance.separation import collected, may_meet
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Joint, JointKind


@dataclass(frozen=True)
class Separation:
    """The vector from one origin to another in the body that carries both, and its derivatives by coordinates.

    ``first`` has a vector for each coordinate that moves one of the two, ``second`` one for each pair of these, in both
    orders, where it is not zero.  ``square`` is that of the distance, ``along`` half its derivatives.
    """

    vector: vec.Vector
    first: Mapping[int, vec.Vector]
    second: Mapping[tuple[int, int], vec.Vector]
    square: Expression
    along: Mapping[int, Expression]


def separation(chains: Chains, first: str, second: str) -> Separation:
    """From the origin of one named frame to that of another."""
    above = chains.common_ancestor(*(chains.mechanism.frame(name).body for name in (first, second)))
    ends = [_End(chains, name, above) for name in (first, second)]
    still = vec.subtract(ends[1].still, ends[0].still)
    moved = vec.subtract(ends[1].moved, ends[0].moved)
    found = tuple(collected(x + y).whole() for x, y in zip(still, moved, strict=True))
    slopes: dict[int, vec.Vector] = {}
    bends: dict[tuple[int, int], vec.Vector] = {}
    for end, sign in zip(ends, (-1, 1), strict=True):
        columns = end.columns()
        for place, (j, _, column) in enumerate(columns):
            slopes[j] = vec.scale(sign, column)
            for i, axis, _ in columns[: place + 1]:
                if axis is not None:
                    bends[i, j] = bends[j, i] = vec.scale(sign, vec.cross(axis, column))
    moving = [turn for end in ends for turn in end.moving]
    if len(moving) == 1 and moving[0] is not None and all(collected(x).is_zero for x in still):
        # about one hinge from where they meet: the chord of a circle
        (q, across), (j,) = moving[0], slopes
        squared, half = dot(across, across), (q / 2).sine()
        return Separation(found, slopes, bends, squared * half * half * 4, {j: squared * q.sine()})
    along = {j: dot(found, column) for j, column in slopes.items()}
    return Separation(found, slopes, bends, dot(found, found), along)


def needs_all_digits(chains: Chains, first: str, second: str) -> bool:
    """Whether hinges are between two origins that may meet."""
    above = chains.common_ancestor(*(chains.mechanism.frame(name).body for name in (first, second)))
    turning = any(
        joint.kind is JointKind.REVOLUTE and not chains.q[joint.name].is_zero
        for name in (first, second)
        for joint in chains.path(chains.mechanism.frame(name).body, above)
    )
    return turning and may_meet(chains.mechanism, first, second, chains.lift)


class _End:
    """A frame's origin in the axes of an ancestor: where it is at q = 0, and how far it has moved from there.

    ``moving`` has for every hinge its angle and the velocity of the point, on the hinge's axes, and None for slides.
    """

    def __init__(self, chains: Chains, name: str, above: str) -> None:
        self._chains, self._above = chains, above
        frame = chains.mechanism.frame(name)
        self._joints = chains.path(frame.body, above)
        self._position = chains.frame(name, above).position
        lift = chains.lift
        still: vec.Vector = lift.vector(frame.position)
        moved: vec.Vector = (chains.zero,) * 3
        self.moving: list[tuple[Expression, vec.Vector] | None] = []
        for joint in reversed(self._joints):
            axis, q = lift.vector(joint.axis), chains.q.get(joint.name, chains.zero)
            if joint.kind is JointKind.PRISMATIC and not q.is_zero:
                self.moving.append(None)
                moved = vec.add(moved, vec.scale(q, axis))
            elif joint.kind is JointKind.REVOLUTE and not q.is_zero:
                half = (q / 2).sine()
                across = vec.cross(axis, vec.add(still, moved))
                self.moving.append((q, across))
                inwards = vec.cross(axis, across)
                moved = vec.add_total(
                    chains.graph, moved, vec.scale(q.sine(), across), vec.scale(half * half * 2, inwards)
                )
            turn = lift.matrix(joint.rotation)
            moved = vec.apply_total(chains.graph, turn, moved)
            still = vec.add(lift.vector(joint.position), vec.apply_total(chains.graph, turn, still))
        self.still, self.moved = still, moved

    def columns(self) -> Sequence[tuple[int, vec.Vector | None, vec.Vector]]:
        """For each coordinate on the way, from the ancestor: its place, its axis if it turns, and its velocity."""
        found: list[tuple[int, vec.Vector | None, vec.Vector]] = []
        for joint in self._joints:
            q = self._chains.q.get(joint.name, self._chains.zero)
            if joint.kind is not JointKind.FIXED and not q.is_zero:
                place = self._chains.mechanism.coordinates.index(joint.name)
                axis, origin = self._axis(joint)
                if joint.kind is JointKind.PRISMATIC:
                    found.append((place, None, axis))
                else:
                    lever = tuple(collected(x - y) for x, y in zip(self._position, origin, strict=True))
                    found.append((place, axis, vec.cross(axis, lever)))
        return found

    def _axis(self, joint: Joint) -> tuple[vec.Vector, vec.Vector]:
        """Direction and a point of a joint's axis."""
        chains = self._chains
        parent = chains.body(joint.parent, self._above)
        own = vec.apply_total(
            chains.graph, chains.lift.matrix(joint.rotation), chains.lift.vector(joint.axis)
        )
        axis = vec.apply_total(chains.graph, parent.rotation, own)
        arm = vec.apply_total(chains.graph, parent.rotation, chains.lift.vector(joint.position))
        return axis, vec.add(parent.position, arm)
