"""What a mechanism is: frozen records in SI units, numeric or with live symbolic parameters.

Values are exact numbers (Fraction) or Expressions in the parameters of the mechanism's own graph.  Rotation matrices
carry components from the child side to the parent side: r_parent = rotation @ r_child + position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from kanegen.codegen.mechanism.constraints import (
    Constraint,
    Loop,
    PositionConstraint,
    Prescribed,
    PrescribedMotion,
    PrescribedRate,
    SpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.flexible_records import FlexibleLink
from kanegen.codegen.mechanism.force_elements import losses
from kanegen.codegen.mechanism.quantities import Matrix3 as Matrix3
from kanegen.codegen.mechanism.quantities import Value as Value
from kanegen.codegen.mechanism.quantities import Vector3 as Vector3
from kanegen.codegen.mechanism.speeds import CombinedSpeed, GeneralizedSpeed, JointRate

ZERO: Value = Fraction(0)
ONE: Value = Fraction(1)
ZERO3: Vector3 = (Fraction(0), Fraction(0), Fraction(0))
IDENTITY3: Matrix3 = (
    (Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(0), Fraction(1), Fraction(0)),
    (Fraction(0), Fraction(0), Fraction(1)),
)
BASE = "base"


class JointKind(Enum):
    """How a joint lets its child move relative to its parent."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named model parameter: folded in as a number by default, a field of the C parameter struct when kept live.

    ``least`` is the least value that makes sense, None where any does.
    """

    name: str
    value: Fraction
    unit: str
    description: str
    least: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass [kg], mass centre [m] in the body frame, and central inertia tensor [kg m^2] along the body frame's axes.

    ``tensor`` is the symmetric matrix with Ixy = -integral of x y dm off the diagonal (the convention of URDF).
    """

    mass: Value
    center: Vector3
    tensor: Matrix3


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body, or a flexible one undeflected.  ``inertia`` is None where none is given (never an invented mass).

    A ``carrier`` is no part of the description: it only links the joints that one joint of several freedoms stands for.
    """

    name: str
    inertia: Inertia | None
    carrier: bool = False


@dataclass(frozen=True, slots=True)
class JointLimits:
    """What a joint must not exceed, as data: range [rad, m], speed [rad/s, m/s], force [N m, N].  None: not given."""

    lower: Fraction | None = None
    upper: Fraction | None = None
    velocity: Fraction | None = None
    effort: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of the tree.

    The joint frame is fixed in the parent: r_parent = rotation @ r_joint + position.  The child's frame coincides with
    it at coordinate zero.  ``axis`` is a unit vector in that frame: the coordinate is the angle [rad] about it or the
    displacement [m] along it.

    ``rotor_inertia`` [kg m^2, kg] is that of the drive, seen from the joint (gear ratio squared times the rotor's own): it
    resists the joint's acceleration and nothing else.  ``damping`` [N m s/rad, N s/m] and ``friction`` [N m, N] (Coulomb)
    resist its rate.  The coordinate of a ``still`` joint stays at zero while its rate does not vanish (see BallJoint).
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    rotation: Matrix3
    position: Vector3
    axis: Vector3
    rotor_inertia: Value = Fraction(0)
    damping: Value = Fraction(0)
    friction: Value = Fraction(0)
    limits: JointLimits | None = None
    still: bool = False


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that another one moves: its coordinate is multiplier * (that of ``leader``) + offset [rad, m]."""

    joint: str
    leader: str
    multiplier: Value
    offset: Value


@dataclass(frozen=True, slots=True)
class BallJoint:
    """A joint whose child turns freely (spherical) or moves freely (``free``, floating).

    Coordinates: for a floating joint the position [m] of the child's origin in the joint frame; then the unit quaternion
    (x, y, z, w) that turns components from the child's axes to those of the joint frame.  Speeds: the velocity [m/s] of
    the child's origin (floating), then the angular velocity [rad/s], both relative to the joint frame and along the
    child's axes.  In the tree it is a chain of ``joints``, one for each speed along or about the child's x, y and z axes,
    on carriers that move along: at every instant the chain begins anew from zero where the child is.

    The rotor inertias of its joints resist dw/dt, about each axis by its own; those along the axes of a floating joint are
    equal, a, and resist the acceleration of the child's origin, a (dv/dt + w x v): a mass there without weight.
    """

    name: str
    free: bool
    joints: tuple[str, ...]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its entries of q."""
        position = ("x", "y", "z") if self.free else ()
        return tuple(f"{self.name}_{part}" for part in (*position, "qx", "qy", "qz", "qw"))

    @staticmethod
    def speed_names(name: str, free: bool) -> tuple[str, ...]:
        """Names of the entries of v, and of the joints of the chain."""
        linear = ("vx", "vy", "vz") if free else ()
        return tuple(f"{name}_{part}" for part in (*linear, "wx", "wy", "wz"))


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed in a body: r_body = rotation @ r_frame + position.  Every body has one of its own name."""

    name: str
    body: str
    rotation: Matrix3 = IDENTITY3
    position: Vector3 = ZERO3


@dataclass(frozen=True, slots=True)
class Actuator:
    """The sign with which an actuator's own force enters the generalized force of its joint: tau = sign * force."""

    joint: str
    name: str
    sign: int


@dataclass(frozen=True, slots=True)
class RoundedAngles:
    """Angles of a description that were taken for what they are rounded from: ``count`` of them, by up to ``largest`` [rad].

    ``tolerance`` [rad] is what was asked for; ``written`` is the mechanism with its angles as they stand.
    """

    count: int
    largest: float
    tolerance: float
    written: Mechanism


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A tree of rigid bodies on the fixed base frame ``BASE``, with whatever closes loops in it or restricts its motion.

    ``joints`` come in an order in which every parent precedes its children, each joint followed by what hangs on it.
    ``coordinates`` names the entries of q in order: movable joints, and the coordinates of ``balls``, those of each one
    together, and modes of ``flexible`` links.  Joints of ``prescribed`` move as given, and those of ``mimics`` as their
    leaders do: they are no coordinates.  ``gravity`` is the acceleration of free fall [m/s^2] in the base frame.

    ``loops`` and ``constraints`` restrict the motion; ``speeds`` are then the independent generalized speeds v, to which
    a and tau belong (power = tau . v).  Without ``speeds`` v are the rates of q, or there are none where equations with time
    decide all of the motion.  ``home`` is a configuration in which
    loops can be closed, zero by default.  ``laws`` are compiled as kernels along with the dynamics.  ``rounded`` says which
    angles of a file were taken for what they are rounded from.

    Importers and the builder validate; records made by hand go through ``validated``.  ``unphysical`` says that masses and
    inertias that no body has were let through there, so that nothing refuses them later.
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    coordinates: tuple[str, ...]
    gravity: Vector3
    frames: tuple[Frame, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    laws: tuple[ControlLaw, ...] = ()
    loops: tuple[Loop, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    prescribed: tuple[Prescribed, ...] = ()
    speeds: tuple[GeneralizedSpeed, ...] = ()
    springs: tuple[SpringDamper, ...] = ()
    home: tuple[Value, ...] = ()
    balls: tuple[BallJoint, ...] = ()
    mimics: tuple[Mimic, ...] = ()
    flexible: tuple[FlexibleLink, ...] = ()
    rounded: RoundedAngles | None = field(default=None, compare=False, repr=False)
    unphysical: bool = field(default=False, compare=False, repr=False)

    def __hash__(self) -> int:
        """From a few names: what is remembered of a mechanism is looked up often, and its numbers take long to hash."""
        return hash((self.name, self.coordinates, len(self.bodies), len(self.frames)))

    @property
    def dof(self) -> int:
        """Degrees of freedom: the number of generalized speeds."""
        return len(self.generalized_speeds)

    @property
    def rates(self) -> tuple[str, ...]:
        """Names of the joints and modes whose rates are the speeds where none were chosen, in the order of coordinates."""
        first = {ball.coordinates[0]: ball for ball in self.balls}
        hidden = {name for ball in self.balls for name in ball.coordinates}
        names: list[str] = []
        for name in self.coordinates:
            if name in first:
                names += first[name].joints
            elif name not in hidden:
                names.append(name)
        return tuple(names)

    @property
    def generalized_speeds(self) -> tuple[GeneralizedSpeed, ...]:
        """The speeds: those that were chosen, or the rates of its joints, where no equations are left to decide these."""
        return self.speeds or (() if self.tied else tuple(JointRate(name) for name in self.rates))

    @property
    def tied(self) -> bool:
        """Whether equations hold between its coordinates: those of loops and constraints."""
        return bool(self.loops or self.constraints)

    @property
    def constrained(self) -> bool:
        """Whether loops, constraints, prescribed motions or chosen speeds tie the joints together."""
        return bool(self.loops or self.constraints or self.prescribed or self.speeds)

    @property
    def resisted(self) -> bool:
        """Whether springs, dampers or friction act in it."""
        return bool(self.springs) or any(j.damping != 0 or j.friction != 0 for j in self.joints)

    @property
    def lossless(self) -> bool:
        """Whether only works of forces change its energy: nothing dissipates, and no motion is prescribed but rest."""
        bending = (entry for link in self.flexible for row in link.damping for entry in row)
        springs = (loss for spring in self.springs for loss in losses(spring))
        joints = (loss for joint in self.joints for loss in (joint.damping, joint.friction))
        rates = self.steady_joints.values()
        return not self.depends_on_time and all(x == 0 for x in (*bending, *springs, *joints, *rates))

    @property
    def plain_tree(self) -> bool:
        """Whether nothing but its joints determines the motion: v = dq/dt and no forces but those of joints and gravity."""
        return not (self.constrained or self.resisted or self.balls or self.mimics or self.flexible)

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Where in q the quaternions of ball joints begin, in the order of ``balls``."""
        return tuple(self.coordinates.index(ball.coordinates[-4]) for ball in self.balls)

    @property
    def ball_parts(self) -> dict[str, BallJoint]:
        """The ball joint that each of its parts belongs to, by the names of these joints."""
        return {name: ball for ball in self.balls for name in ball.joints}

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that move by themselves, in the order of their coordinates; balls by their own names."""
        own = {name: ball.name for ball in self.balls for name in ball.coordinates}
        return tuple(
            dict.fromkeys(own.get(name, name) for name in self.coordinates if name not in self.modes)
        )

    @property
    def prescribed_joints(self) -> tuple[str, ...]:
        """Names of the joints whose motion is prescribed."""
        return tuple(given.joint for given in self.prescribed)

    @property
    def steady_joints(self) -> dict[str, Value]:
        """The rates of joints that move at constant ones, by name: in formulas they stand at zero."""
        return {given.joint: given.rate for given in self.prescribed if isinstance(given, PrescribedRate)}

    @property
    def motions(self) -> dict[str, PrescribedMotion]:
        """The joints that move as functions of time, by name."""
        return {given.joint: given for given in self.prescribed if isinstance(given, PrescribedMotion)}

    @property
    def depends_on_time(self) -> bool:
        """Whether prescribed motions, constraints or speeds contain time, so that kernels take it."""
        combined = (speed.equation for speed in self.speeds if isinstance(speed, CombinedSpeed))
        equations = (PositionConstraint, VelocityConstraint)
        return any(given.varies for given in self.motions.values()) or any(
            isinstance(item, equations) and item.time is not None for item in (*self.constraints, *combined)
        )

    @property
    def speeds_at_rest(self) -> bool:
        """Whether speeds have terms without a rate, so that it moves where they are zero."""
        return any(isinstance(speed, CombinedSpeed) and speed.at_rest != 0 for speed in self.speeds)

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the coordinates that are modes of flexible links, link by link."""
        return tuple(mode for link in self.flexible for mode in link.modes)

    def flexible_link(self, body: str) -> FlexibleLink | None:
        """The body of that name as a flexible link, None where it is rigid."""
        return next((link for link in self.flexible if link.body == body), None)

    def ball(self, name: str) -> BallJoint | None:
        """The ball joint of that name, None where it is no ball joint's."""
        return next((ball for ball in self.balls if ball.name == name), None)

    def body(self, name: str) -> Body:
        """The body of that name.  Raises KeyError."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise KeyError(name)

    def joint(self, name: str) -> Joint:
        """The joint of that name.  Raises KeyError."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise KeyError(name)

    def followed(self, joint: str) -> Mimic:
        """What a joint follows in the end, where leaders follow others; what moves by itself follows itself."""
        mimics = {mimic.joint: mimic for mimic in self.mimics}
        leader, multiplier, offset = joint, ONE, ZERO
        while leader in mimics:
            mimic = mimics[leader]
            offset = offset + multiplier * mimic.offset
            leader, multiplier = mimic.leader, multiplier * mimic.multiplier
        return Mimic(joint, leader, multiplier, offset)

    def frame(self, name: str) -> Frame:
        """The frame of that name; ``BASE`` is the fixed frame itself.  Raises KeyError."""
        if name == BASE:
            return Frame(BASE, BASE)
        for frame in self.frames:
            if frame.name == name:
                return frame
        raise KeyError(name)
