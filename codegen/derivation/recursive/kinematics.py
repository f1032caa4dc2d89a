"""Where the bodies and frames of a tree are, how they move, and their Jacobians.

Rotation matrices are built column by column outwards: a revolute joint leaves the column of its axis alone and turns the
other two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kanegen.codegen.derivation.meanings import mean
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Graph, constant, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import BASE, Frame

Row = tuple[Expression, ...]


class Kinematics:
    """Poses of the bodies in the base frame, and velocities of their origins in their own frames; on demand."""

    def __init__(self, tree: PlacedTree, motion: Motion) -> None:
        self.tree, self.motion = tree, motion
        self._on_demand = motion.on_demand(type(self))
        self._frames: dict[str, tuple[int, tuple[Row, ...], Row]] = {}

    def rotation(self, i: int, m: int, r: int) -> Expression:
        """Entry (m, r) of the rotation matrix of body i: base from body."""
        if i < 0:
            return constant(self.motion.graph, int(m == r))
        body = self.tree.bodies[i]
        k = body.axis
        a, b = (k + 1) % 3, (k + 2) % 3

        def joint(c: int) -> Expression:
            fixed = self.motion.rotation(i)
            return self._on_demand(
                ("Rj", i, m, c),
                lambda: self.motion.mean(
                    self.motion.sum(
                        [
                            self.rotation(body.parent, m, x) * fixed[x][c]
                            for x in range(3)
                            if not fixed[x][c].is_zero
                        ]
                    ),
                    "rotation before",
                    i,
                    m,
                    c,
                ),
            )

        def build() -> Expression:
            if not body.revolute or r == k:
                return joint(r)
            c, s = self.motion.cosine[i], self.motion.sine[i]
            return c * joint(a) + s * joint(b) if r == a else c * joint(b) - s * joint(a)

        return self._on_demand(("R", i, m, r), lambda: self.motion.mean(build(), "rotation", i, m, r))

    def direction(self, i: int, v: Sequence[Expression], m: int) -> Expression:
        """Component m in the base frame of a vector given in body i's frame."""
        return self.motion.sum([self.rotation(i, m, r) * v[r] for r in range(3) if not v[r].is_zero])

    def origin(self, i: int, m: int) -> Expression:
        """Position of body i's origin in the base frame, component m."""
        if i < 0:
            return self.motion.zero
        parent = self.tree.bodies[i].parent
        return self._on_demand(
            ("o", i, m),
            lambda: self.motion.mean(
                self.origin(parent, m) + self.direction(parent, self.motion.position(i), m), "origin", i, m
            ),
        )

    def axis(self, i: int, m: int) -> Expression:
        """Direction of the joint axis of body i in the base frame, component m, pointing with its coordinate."""
        return self.rotation(i, m, self.tree.bodies[i].axis) * self.tree.bodies[i].sense

    def velocity(self, i: int, r: int) -> Expression:
        """Velocity of body i's origin, component r in its own frame."""
        if i < 0:
            return self.motion.zero
        motion, body = self.motion, self.tree.bodies[i]
        parent = body.parent

        def carried(m: int) -> Expression:
            n, o = (m + 1) % 3, (m + 2) % 3
            p = motion.position(i)
            return motion.sum(
                [self.velocity(parent, m), motion.w(parent, n) * p[o], -motion.w(parent, o) * p[n]]
            )

        def build() -> Expression:
            turned = motion.into_body(i, lambda c: motion.into_joint_frame(i, carried, c), r)
            own = turned if body.revolute or r != body.axis else turned + motion.rate[i]
            return motion.mean(own, "v", i, r)

        return self._on_demand(("v", i, r), build)

    def frame(self, frame: Frame) -> tuple[int, tuple[Row, ...], Row]:
        """Body index, rotation (body from frame) and position of a frame in its placed body."""
        if frame.name not in self._frames:
            self._frames[frame.name] = self._in_placed_body(frame)
        return self._frames[frame.name]

    def _in_placed_body(self, frame: Frame) -> tuple[int, tuple[Row, ...], Row]:
        number = self.motion.number
        i = -1 if frame.body == BASE else self.tree.index(frame.body)
        if i < 0:
            return (
                i,
                tuple(tuple(number(x) for x in row) for row in frame.rotation),
                tuple(map(number, frame.position)),
            )
        body = self.tree.bodies[i]
        back = vec.transpose(body.frame_rotation)
        rotation = tuple(tuple(map(number, row)) for row in vec.multiply(back, frame.rotation))
        position = tuple(map(number, vec.apply(back, vec.subtract(frame.position, body.frame_position))))
        return i, rotation, position

    def frame_rotation(self, frame: Frame, m: int, c: int) -> Expression:
        """Entry (m, c) of the rotation matrix of a frame: base from frame."""
        i, rotation, _ = self.frame(frame)
        return mean(self.direction(i, [rotation[r][c] for r in range(3)], m), "direction", (m, c), frame.name)

    def frame_origin(self, frame: Frame, m: int) -> Expression:
        """Position of a frame's origin in the base frame, component m."""
        i, _, position = self.frame(frame)
        return mean(self.origin(i, m) + self.direction(i, position, m), "place", (m,), frame.name)


def start(tree: PlacedTree, choices: Choices) -> Kinematics:
    """Kinematics at rest over a new graph with input q."""
    graph = Graph()
    n = len(tree.bodies)
    rest = [constant(graph, 0)] * n
    return Kinematics(tree, Motion(tree, graph, choices, inputs(graph, "q", n), rest, rest))


def frames_of(tree: PlacedTree) -> tuple[Frame, ...]:
    """All frames: the named ones, and one for each moving body of the description whose name is not among them."""
    named = {frame.name for frame in tree.frames}
    own = [body.name for body in tree.bodies if not body.carrier and body.name not in named]
    return tuple(Frame(name, name) for name in own) + tree.frames


def frames_by_name(tree: PlacedTree, identifiers: Mapping[str, str]) -> dict[str, Frame]:
    """All frames by their names as identifiers, which are given by name."""
    return {identifiers[frame.name]: frame for frame in frames_of(tree)}


def frame_pose(kinematics: Kinematics, frame: Frame) -> list[list[Expression]]:
    """Homogeneous matrix of a frame: p_base = X p_frame."""
    rows = [
        [*(kinematics.frame_rotation(frame, m, c) for c in range(3)), kinematics.frame_origin(frame, m)]
        for m in range(3)
    ]
    return [*rows, [constant(kinematics.motion.graph, x) for x in (0, 0, 0, 1)]]


def frame_jacobian(kinematics: Kinematics, frame: Frame) -> list[list[Expression]]:
    """Velocity of a frame's origin and its angular velocity, both in the base frame, from joint rates."""
    motion, tree = kinematics.motion, kinematics.tree
    rows = [[motion.zero] * len(tree.bodies) for _ in range(6)]
    i, _, _ = kinematics.frame(frame)
    end = [kinematics.frame_origin(frame, m) for m in range(3)]
    while i >= 0:
        body = tree.bodies[i]
        axis = [kinematics.axis(i, m) for m in range(3)]
        arm = [end[m] - kinematics.origin(i, m) for m in range(3)]
        for m in range(3):
            if body.revolute:
                rows[m][body.coordinate] = motion.sum(vec.cross_terms(axis, arm, m))
                rows[3 + m][body.coordinate] = axis[m]
            else:
                rows[m][body.coordinate] = axis[m]
        i = body.parent
    return rows
