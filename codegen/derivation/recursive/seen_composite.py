"""What is beyond a joint, seen from one of its two frames, and the changes of its motion that derivatives stand for.

The frames of a revolute joint are that of its body and its joint frame, which does not turn with it; which one serves is a
decision point.  See force_derivatives.py for the symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.composite_momentum import CompositeMomentum
from kanegen.codegen.derivation.recursive.motion import Component
from kanegen.codegen.graph import Expression, constant


@dataclass(frozen=True)
class Change:
    """A change x, y, z of a body's motion (see force_derivatives.py), in one of its frames."""

    x: Sequence[Expression]
    y: Sequence[Expression]
    z: Sequence[Expression]


class SeenComposite:
    """Composite inertia and momentum of everything beyond the joint of body i, and the motion of the body, in one frame."""

    def __init__(
        self, i: int, in_joint_frame: bool, inertia: CompositeInertia, momentum: CompositeMomentum
    ) -> None:
        self.i, self.in_joint_frame = i, in_joint_frame
        self.motion, self.body = inertia.motion, inertia.tree.bodies[i]
        self._inertia, self._momentum = inertia, momentum

    # -- motion ------------------------------------------------------------------------------------------------------

    def w(self, r: int) -> Expression:
        """Angular velocity across the axis: that along it is without the joint's own rate in the joint frame."""
        return self.motion.w_joint(self.i, r) if self.in_joint_frame else self.motion.w(self.i, r)

    def column(self, r: int) -> Expression:
        """Entry r of U e."""
        motion, i = self.motion, self.i
        if self.in_joint_frame:
            return motion.column_in_joint_frame(i, r)
        return motion.column(i, r) if self.body.revolute else motion.U(i, r, self.body.axis)

    def acceleration(self, r: int) -> Expression:
        """Acceleration of the body's origin less gravity."""
        motion, i = self.motion, self.i
        return motion.acceleration_in_joint_frame(i, r) if self.in_joint_frame else motion.acceleration(i, r)

    # -- moments -----------------------------------------------------------------------------------------------------

    @property
    def mass(self) -> Expression:
        """m."""
        return self._inertia.mass(self.i)

    def first(self, r: int) -> Expression:
        """h."""
        source, i = self._inertia, self.i
        return source.first_in_joint_frame(i, r) if self.in_joint_frame else source.first(i, r)

    def momentum(self, r: int) -> Expression:
        """P."""
        source, i = self._momentum, self.i
        return source.first_in_joint_frame(i, r) if self.in_joint_frame else source.first(i, r)

    def inertia(self, r: int, c: int) -> Expression:
        """J = tr(S) 1 - S."""
        source, i = self._inertia, self.i
        return self._trace_less(
            source.second, source.second_in_joint_frame if self.in_joint_frame else source.second, i, r, c
        )

    def turning(self, r: int, c: int) -> Expression:
        """E = tr(D) 1 - D."""
        source, i = self._momentum, self.i
        return self._trace_less(
            source.second, source.second_in_joint_frame if self.in_joint_frame else source.second, i, r, c
        )

    def _trace_less(
        self,
        own: Callable[[int, int, int], Expression],
        seen: Callable[[int, int, int], Expression],
        i: int,
        r: int,
        c: int,
    ) -> Expression:
        """Entry of tr(T) 1 - T.  That along the axis does not feel the joint's angle."""
        if r != c:
            return -seen(i, r, c)
        table = own if r == self.body.axis else seen
        return self.motion.sum([table(i, s, s) for s in range(3) if s != r])


def changes_of(seen: SeenComposite) -> dict[str, Change]:
    """The changes that unit steps of q, v and a of the joint are."""
    motion, k = seen.motion, seen.body.axis
    a, b = (k + 1) % 3, (k + 2) % 3
    zero, one = motion.zero, constant(motion.graph, 1)
    none = [zero] * 3
    axis = [one if r == k else zero for r in range(3)]

    def across(vector: Component, factor: int = 1) -> list[Expression]:
        """vector x axis."""
        return [vector(b) * factor if r == a else -vector(a) * factor if r == b else zero for r in range(3)]

    column = [seen.column(r) for r in range(3)]
    if not seen.body.revolute:
        return {
            "q": Change(none, none, column),
            "v": Change(none, none, across(seen.w, 2)),
            "a": Change(none, none, axis),
        }
    return {
        "q": Change(across(seen.w), column, across(seen.acceleration)),
        "v": Change(axis, across(seen.w, 2), none),
        "a": Change(none, axis, none),
    }
