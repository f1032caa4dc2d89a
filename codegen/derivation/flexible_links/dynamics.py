"""What the dynamics of an arm with flexible links give: assumed modes on Book's kinematics (1983).

Quantities are those of a tree (recursive/tree_dynamics.py), with the amplitudes of modes among the coordinates; kernels do
not know which of both they are made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from kanegen.codegen.derivation.flexible_links.forces import Composites, Loads
from kanegen.codegen.derivation.flexible_links.motion import Motion, Shape
from kanegen.codegen.derivation.flexible_links.poses import Poses
from kanegen.codegen.derivation.flexible_links.segments import Arm
from kanegen.codegen.derivation.linear.inverse import inverse
from kanegen.codegen.derivation.linear.solve import solve
from kanegen.codegen.graph import Expression, Graph, Tangents, constant, total
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.flexible_records import Station
from kanegen.codegen.mechanism.records import Frame
from kanegen.codegen.mechanism.values import Lift

Vector = Sequence[Expression]
Rows = list[list[Expression]]

_HALF = Fraction(1, 2)


class FlexibleDynamics:
    """Quantities of an arm in a motion, in the order of its coordinates: joints and modes.

    ``described`` and ``regrouped`` are its segments as they are, and with mass moved across joints.  Without rates ``v`` the
    arm is at rest, without accelerations ``a`` its rates do not change.  ``labels`` name quantities by their nodes,
    ``sources`` say how what was asked for was derived.
    """

    source = "kinematics of Book (1983), virtual work of affine segments, composite moments"

    def __init__(
        self,
        described: Arm,
        regrouped: Arm,
        graph: Graph,
        lift: Lift,
        q: Vector,
        v: Vector | None = None,
        a: Vector | None = None,
    ) -> None:
        self.described, self.regrouped, self.graph, self.lift = described, regrouped, graph, lift
        self.q, self.v, self.a = q, v, a
        self.labels: dict[int, str] = {}
        self.sources: dict[str, None] = {}

    # -- forces and inertia ------------------------------------------------------------------------------------------

    def forces(self) -> list[Expression]:
        """Generalized forces that the motion needs, those against weight, stiffness and damping of links included."""
        return self._needed(self.a)

    def mass_matrix(self) -> Rows:
        """M."""
        self.sources[self.source] = None
        return self._rows(self._inertia())

    def accelerations(self, tau: Vector) -> list[Expression]:
        """M^-1 (tau - h)."""
        matrix = self.mass_matrix()
        right = [t - x for t, x in zip(tau, self._needed(None), strict=True)]
        self.sources["L D L^T from the tips"] = None
        return solve(matrix, right, [[k] for k in self.tips_first()])

    def inverse_mass_matrix(self) -> Rows:
        """M^-1."""
        found = inverse(self.mass_matrix(), [[k] for k in self.tips_first()])
        self.sources["L D L^T"] = None
        return found

    def tips_first(self) -> list[int]:
        """Coordinates from the tips to the base: eliminated so, entries of M that are zero stay zero."""
        order: list[int] = []
        for segment in reversed(self.described.segments):
            order += reversed(segment.modes)
            if segment.coordinate is not None:
                order.append(segment.coordinate)
        return order

    def _needed(self, a: Vector | None) -> list[Expression]:
        self.sources[self.source] = None
        return self._entries(self._inertial(a))

    def _inertial(self, a: Vector | None) -> list[Any]:
        """Forces for accelerations, those of springs and friction of joints excepted."""
        return Loads(self._motion(self.v, a)).inertial()

    def _inertia(self) -> list[list[Any]]:
        """M, with numbers among its entries."""
        return Composites(self._motion()).matrix()

    # -- energy, momentum, mass centre -------------------------------------------------------------------------------

    def kinetic_energy(self) -> Expression:
        """T, that of rotors included."""
        self.sources[self.source] = None
        return self._entry(kinetic_energy(self._motion(self.v, weight=False)))

    def gravity_energy(self) -> Expression:
        """U of weight, zero at the origin of the base."""
        self.sources[self.source] = None
        motion = self._motion(described=True)
        _, moment = first_moment(motion)
        return self._entry(vec.dot(vec.scale(-1, motion.lifted(self.described.gravity)), moment))

    def elastic_energy(self) -> Expression:
        """U of bent links."""
        self.sources[self.source] = None
        return self._entry(elastic_energy(self._motion()))

    def potential_energy(self) -> Expression:
        """U of weight and bent links."""
        return self.gravity_energy() + self.elastic_energy()

    def momentum(self) -> list[Expression]:
        """Linear momentum, then angular momentum about the base origin, in the base frame."""
        self.sources[self.source] = None
        linear, angular = Loads(self._motion(self.v, weight=False, described=True)).momentum()
        return self._entries([*linear, *angular])

    def center_of_mass(self) -> list[Expression]:
        """Mass centre of everything that moves, in the base frame."""
        self.sources[self.source] = None
        mass, moment = first_moment(self._motion(described=True))
        return self._entries([0 if vec.is_zero(x) else x / mass for x in moment])

    # -- frames ------------------------------------------------------------------------------------------------------

    def frame_pose(self, frame: Frame) -> Rows:
        """Matrix of a frame, p_base = X p_frame, not orthogonal behind bent links."""
        self.sources["joints and links in turn (Book 1983, eqs 3 to 7)"] = None
        pose = Poses(self._motion()).placed(self.described.frames[frame.name])
        return self._rows([*([*pose.axes[m], pose.origin[m]] for m in range(3)), [0, 0, 0, 1]])

    def frame_jacobian(self, frame: Frame) -> Rows:
        """Velocity of a frame's origin, then its angular velocity, in the base frame, for unit rates."""
        self.sources["joint axes and mode shapes, carried by what is before them"] = None
        return self._rows(Poses(self._motion()).jacobian(self.described.frames[frame.name]))

    def frame_acceleration(self, frame: Frame) -> list[Expression]:
        """The derivative of the frame's velocity, J v."""
        assert self.v is not None, "what rests is not accelerated"
        rows = self.frame_jacobian(frame)
        tangents = Tangents(self.graph, dict(zip(self.q, self.v, strict=True)))
        terms = [vec.products([tangents.first(x) for x in row], self.v) for row in rows]
        if self.a is not None:
            terms = [own + vec.products(row, self.a) for own, row in zip(terms, rows, strict=True)]
        return [total(self.graph, x) for x in terms]

    def frame_forces(self, frame: Frame, wrench: Vector) -> list[Expression]:
        """Generalized forces that a force and a moment at a frame are equal to."""
        columns = vec.transpose(self.frame_jacobian(frame))
        self.sources["transposed"] = None
        return [vec.dot(column, wrench) for column in columns]

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _motion(
        self,
        v: Vector | None = None,
        a: Vector | None = None,
        *,
        weight: bool = True,
        described: bool = False,
    ) -> Motion:
        """The arm in a motion, with mass regrouped unless it is wanted as ``described``."""
        arm = self.described if described else self.regrouped
        motion = Motion(arm, self.graph, self.lift, self.q, v, a, weight=weight)
        self.labels |= {k: x for k, x in motion.labels.items() if k not in self.labels}
        return motion

    def _entry(self, value: Any) -> Expression:
        """A value, which may be a number, as an expression of the graph."""
        return value if isinstance(value, Expression) else constant(self.graph, value)

    def _entries(self, values: Sequence[Any]) -> list[Expression]:
        return [self._entry(x) for x in values]

    def _rows(self, rows: Sequence[Sequence[Any]]) -> Rows:
        return [self._entries(row) for row in rows]


# -- where an arm's energy and its mass are ------------------------------------------------------------------------------


def kinetic_energy(motion: Motion) -> Any:
    """Half the integral of the square of dp/dt = do/dt + dB/dt h + B dh/dt."""
    terms: list[Any] = []
    for i, segment in enumerate(motion.arm.segments):
        at, shape = motion.axes(i), Shape(motion, i)
        velocity = at.velocity
        shifted = vec.add(vec.apply(at.dB, shape.first), vec.apply(at.B, shape.first_rate))
        doubled = [vec.dot(velocity, vec.scale(shape.mass, velocity)), 2 * vec.dot(velocity, shifted)]
        square = vec.multiply(vec.transpose(at.dB), at.dB)
        doubled.append(vec.double_dot(square, shape.second))
        if segment.bends:
            spinning, metric = (
                vec.multiply(vec.transpose(at.dB), at.B),
                vec.multiply(vec.transpose(at.B), at.B),
            )
            mixed = shape.mixed(motion.v)  # dh/dt h^T dm
            doubled.append(2 * vec.double_dot(spinning, vec.transpose(mixed)))
            for k, one in enumerate(segment.modes):
                for n, other in enumerate(segment.modes):
                    pair = shape.mode_product(k, n)
                    doubled.append(motion.v[one] * motion.v[other] * vec.double_dot(metric, pair))
        rotor = motion.number(segment.joint.rotor_inertia)
        if segment.coordinate is not None and rotor != 0:
            doubled.append(rotor * motion.v[segment.coordinate] * motion.v[segment.coordinate])
        terms += [_HALF * x for x in doubled if not vec.is_zero(x)]
    return sum(terms)


def first_moment(motion: Motion) -> tuple[Any, Vector]:
    """Mass of everything that moves, and its first moment about the base's origin, in the base."""
    segments = motion.arm.segments
    carried: dict[int, dict[Station, tuple[Any, Vector]]] = {}
    mass: Any = 0
    moment: Vector = vec.NONE
    for i in reversed(range(len(segments))):
        segment, shape = segments[i], Shape(motion, i)
        own: tuple[Any, Vector] = shape.mass, shape.first
        for station, (m, s) in carried.get(i, {}).items():
            if segment.bends:
                s = vec.add(
                    vec.apply(motion.bent(segment, station), s), vec.scale(m, motion.tip(segment, station))
                )
            own = own[0] + m, vec.add(own[1], s)
        seen = vec.add(vec.apply(motion.turn(i), own[1]), vec.scale(own[0], motion.offset(i)))
        if segment.parent < 0:
            mass, moment = mass + own[0], vec.add(moment, seen)
            continue
        there = carried.setdefault(segment.parent, {})
        station = segment.place.station
        before = there.get(station, (0, vec.NONE))
        there[station] = before[0] + own[0], vec.add(before[1], seen)
    return mass, moment


def elastic_energy(motion: Motion) -> Any:
    """Half of delta^T K delta of all links (Book 1983, eq. 46)."""
    terms: list[Any] = []
    for segment in motion.arm.segments:
        if segment.link is None:
            continue
        for k, one in enumerate(segment.modes):
            for n, other in enumerate(segment.modes):
                stiffness = motion.number(segment.link.stiffness[k][n])
                if stiffness != 0:
                    terms.append(_HALF * stiffness * motion.q[one] * motion.q[other])
    return sum(terms)
