"""Describe joints in Python; those of several freedoms become chains of simple ones."""

from __future__ import annotations

import logging
from dataclasses import replace
from fractions import Fraction

from kanegen.codegen.graph import Graph
from kanegen.codegen.mechanism.readers import (
    Rotation,
    Vector,
    read_rotation,
    read_term,
    read_unit_vector,
    read_value,
    read_vector,
)
from kanegen.codegen.mechanism.records import (
    BallJoint,
    Body,
    Joint,
    JointKind,
    JointLimits,
    Mimic,
    Vector3,
)
from kanegen.codegen.mechanism.validation import check_new_name
from kanegen.codegen.mechanism.validation.joints import exact_limits
from kanegen.codegen.mechanism.values import Scalar, square_root
from kanegen.codegen.mechanism.vectors import cross, dot, scale
from kanegen.errors import ModelError, did_you_mean

logger = logging.getLogger(__name__)

_X: Vector3 = (Fraction(1), Fraction(0), Fraction(0))
_Y: Vector3 = (Fraction(0), Fraction(1), Fraction(0))
_Z: Vector3 = (Fraction(0), Fraction(0), Fraction(1))


class JointBuilder:
    """The joints of a mechanism.  Every method raises ModelError for a value that is wrong by itself.

    A joint frame is placed in the parent by r_parent = rotation @ r_joint + position [m]; the child's frame coincides with
    it where all coordinates of the joint are zero (for quaternions: at (0, 0, 0, 1)).  ``rotation`` is (roll, pitch, yaw)
    about fixed axes, or a 3 x 3 matrix.  Axes are given in the joint frame and are normalised.
    """

    _graph: Graph
    """That of expressions in parameters."""

    def __init__(self) -> None:
        self._bodies: list[Body] = []
        self._joints: list[Joint] = []
        self._balls: list[BallJoint] = []
        self._mimics: list[Mimic] = []

    def revolute(
        self,
        name: str,
        parent: str,
        child: str,
        axis: Vector,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
        *,
        limits: JointLimits | None = None,
        damping: Scalar = 0,
        friction: Scalar = 0,
        rotor_inertia: Scalar = 0,
        gear_ratio: Scalar = 1,
    ) -> None:
        """A joint whose coordinate is the angle [rad] about ``axis``.

        ``rotor_inertia`` [kg m^2] is that of the drive's rotor about its own axis; its square-of-``gear_ratio`` multiple
        resists the joint's acceleration (the gyroscopic effects of the rotor are left out).  ``damping`` [N m s/rad] and
        Coulomb ``friction`` [N m] act where a generation asks for friction.
        """
        joint = self._joint(name, JointKind.REVOLUTE, parent, child, axis, position, rotation, limits)
        self._joints.append(_driven(self._graph, joint, damping, friction, rotor_inertia, gear_ratio))

    def prismatic(
        self,
        name: str,
        parent: str,
        child: str,
        axis: Vector,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
        *,
        limits: JointLimits | None = None,
        damping: Scalar = 0,
        friction: Scalar = 0,
        rotor_inertia: Scalar = 0,
        gear_ratio: Scalar = 1,
    ) -> None:
        """A joint whose coordinate is the displacement [m] along ``axis``.

        ``gear_ratio`` [rad/m] turns the joint's rate into that of the rotor, ``rotor_inertia`` is in kg m^2 (or in kg, with
        the ratio 1); ``damping`` [N s/m] and Coulomb ``friction`` [N] act where a generation asks for friction.
        """
        joint = self._joint(name, JointKind.PRISMATIC, parent, child, axis, position, rotation, limits)
        self._joints.append(_driven(self._graph, joint, damping, friction, rotor_inertia, gear_ratio))

    def fixed(
        self,
        name: str,
        parent: str,
        child: str,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A joint that holds its child in place."""
        self._joints.append(self._joint(name, JointKind.FIXED, parent, child, _Z, position, rotation))

    def change_joint(
        self,
        name: str,
        *,
        limits: JointLimits | None = None,
        damping: Scalar | None = None,
        friction: Scalar | None = None,
        rotor_inertia: Scalar | None = None,
        gear_ratio: Scalar = 1,
    ) -> None:
        """Other numbers for a revolute or prismatic joint; what is not given stays.  See ``revolute`` and ``prismatic``."""
        known = {joint.name: joint for joint in self._joints if joint.kind is not JointKind.FIXED}
        if name not in list(known):
            raise ModelError(
                f"joint {name!r}",
                "is no joint that moves",
                f"one of {', '.join(map(repr, known))}",
                did_you_mean(name, known, "Mend the name."),
            )
        old = known[name]
        driven = _driven(
            self._graph,
            old,
            old.damping if damping is None else damping,
            old.friction if friction is None else friction,
            0 if rotor_inertia is None else rotor_inertia,
            gear_ratio,
        )
        self._joints[self._joints.index(old)] = replace(
            driven,
            rotor_inertia=old.rotor_inertia if rotor_inertia is None else driven.rotor_inertia,
            limits=old.limits if limits is None else exact_limits(f"joint {name!r}", limits),
        )

    def mimic(self, joint: str, leader: str, multiplier: Scalar = 1, offset: Scalar = 0) -> None:
        """A joint that another one moves: its coordinate is ``multiplier`` * (that of ``leader``) + ``offset`` [rad, m].

        It is no coordinate of the mechanism any more; forces on it count on its leader, ``multiplier`` times.  Leaders may
        be mimics themselves.
        """
        where = f"mimic joint {joint!r}"
        if any(known.joint == joint for known in self._mimics):
            raise ModelError(where, "follows twice", "one leader", "Remove one of the two.")
        factor, shift = read_value(f"{where}, multiplier", multiplier), read_value(f"{where}, offset", offset)
        self._mimics.append(Mimic(joint, leader, factor, shift))

    def spherical(
        self,
        name: str,
        parent: str,
        child: str,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A ball joint: q has the unit quaternion ``name``_qx, _qy, _qz, _qw, v the angular velocity along the child's axes.

        See ``BallJoint``.
        """
        self._ball(name, parent, child, position, rotation, free=False)

    def floating(
        self,
        name: str,
        parent: str,
        child: str,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A child that moves freely: q has its position and unit quaternion, v its velocities along its own axes.

        See ``BallJoint``; the order is position, (x, y, z, w); linear, angular.
        """
        self._ball(name, parent, child, position, rotation, free=True)

    def planar(
        self,
        name: str,
        parent: str,
        child: str,
        axis: Vector,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A child that slides in the plane normal to ``axis`` and turns about it: ``name``_x, ``name``_y, ``name``_angle.

        x and y are the two coordinate axes of the joint frame that follow the normal cyclically (x and y for the normal
        z), or two perpendicular directions where the normal is none of them.
        """
        first = self._joint(f"{name}_x", JointKind.PRISMATIC, parent, f"{name}_x", axis, position, rotation)
        x, y = _in_plane(first.axis)
        self._chain(name, parent, child, position, rotation, (("x", x), ("y", y)), (("angle", first.axis),))

    def cylindrical(
        self,
        name: str,
        parent: str,
        child: str,
        axis: Vector,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A child that turns about ``axis`` and slides along it, independently: ``name``_angle, ``name``_slide."""
        self._revolute_then(name, parent, child, axis, position, rotation)

    def universal(
        self,
        name: str,
        parent: str,
        child: str,
        axis: Vector,
        second_axis: Vector,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A child that turns about ``axis``, fixed in the parent, and about ``second_axis``, fixed in the child.

        Coordinates ``name``_1 and ``name``_2; both axes are given in the joint frame where these are zero.
        """
        where = f"joint {name!r}"
        first, _ = read_unit_vector(f"{where}, axis", axis)
        second, _ = read_unit_vector(f"{where}, second axis", second_axis)
        across = cross(first, second)
        if dot(across, across) == 0:
            raise ModelError(
                where, "both axes are parallel", "two axes that differ", "Give another second axis."
            )
        carrier = self.carrier(f"carrier of {name}_1")
        self.revolute(f"{name}_1", parent, carrier, axis, position, rotation)
        self.revolute(f"{name}_2", carrier, child, second_axis)

    def helical(
        self,
        name: str,
        parent: str,
        child: str,
        axis: Vector,
        pitch: Scalar,
        position: Vector = (0, 0, 0),
        rotation: Rotation | None = None,
    ) -> None:
        """A screw: ``name`` is the angle [rad] about ``axis``; the child advances ``pitch`` [m/rad] times it."""
        carrier = self.carrier(f"carrier of {name}")
        self.revolute(name, parent, carrier, axis, position, rotation)
        self.prismatic(f"{name}_slide", carrier, child, axis)
        self.mimic(f"{name}_slide", name, read_value(f"joint {name!r}, pitch", pitch))

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _revolute_then(
        self, name: str, parent: str, child: str, axis: Vector, position: Vector, rotation: Rotation | None
    ) -> None:
        carrier = self.carrier(f"carrier of {name}_angle")
        self.revolute(f"{name}_angle", parent, carrier, axis, position, rotation)
        self.prismatic(f"{name}_slide", carrier, child, axis)

    def _ball(
        self,
        name: str,
        parent: str,
        child: str,
        position: Vector,
        rotation: Rotation | None,
        free: bool,
    ) -> None:
        names = BallJoint.speed_names(name, free)
        slides = tuple(zip(("vx", "vy", "vz"), (_X, _Y, _Z), strict=True)) if free else ()
        turns = tuple(zip(("wx", "wy", "wz"), (_X, _Y, _Z), strict=True))
        self._chain(name, parent, child, position, rotation, slides, turns)
        self._balls.append(BallJoint(name, free, names))

    def _chain(
        self,
        name: str,
        parent: str,
        child: str,
        position: Vector,
        rotation: Rotation | None,
        slides: tuple[tuple[str, Vector3], ...],
        turns: tuple[tuple[str, Vector3], ...],
    ) -> None:
        """Joints ``name``_part along and about axes, with carriers between them."""
        parts = [(part, axis, JointKind.PRISMATIC) for part, axis in slides]
        parts += [(part, axis, JointKind.REVOLUTE) for part, axis in turns]
        at: Vector = position
        turned: Rotation | None = rotation
        for part, axis, kind in parts:
            full = f"{name}_{part}"
            last = part == parts[-1][0]
            below = child if last else self.carrier(f"carrier of {full}")
            self._joints.append(self._joint(full, kind, parent, below, axis, at, turned))
            parent, at, turned = below, (0, 0, 0), None

    def carrier(self, name: str) -> str:
        """A body that only links joints: it has no inertia and gets no frame.  Returns its name."""
        check_new_name("body", name, [body.name for body in self._bodies])
        self._bodies.append(Body(name, None, carrier=True))
        return name

    def _joint(
        self,
        name: str,
        kind: JointKind,
        parent: str,
        child: str,
        axis: Vector,
        position: Vector,
        rotation: Rotation | None,
        limits: JointLimits | None = None,
    ) -> Joint:
        where = f"joint {name!r}"
        check_new_name("joint", name, [joint.name for joint in self._joints])
        unit, length = read_unit_vector(f"{where}, axis", axis)
        if abs(length - 1) > 1e-6:
            logger.info("%s: axis of length %.9g normalised", where, length)
        turned = read_rotation(f"{where}, rotation", rotation)
        at = read_vector(f"{where}, position", position)
        return Joint(name, kind, parent, child, turned, at, unit, limits=exact_limits(where, limits))


def _driven(
    graph: Graph, joint: Joint, damping: Scalar, friction: Scalar, rotor_inertia: Scalar, gear_ratio: Scalar
) -> Joint:
    """The joint with what resists it."""
    where = f"joint {joint.name!r}"
    ratio = read_value(f"{where}, gear ratio", gear_ratio)
    rotor = read_value(f"{where}, rotor inertia", rotor_inertia) * ratio * ratio
    damper = read_term(graph, f"{where}, damping", damping)
    rubbing = read_term(graph, f"{where}, friction", friction)
    for what, value in (("damping", damper), ("friction", rubbing), ("rotor inertia", rotor)):
        if isinstance(value, Fraction) and value < 0:
            raise ModelError(
                f"{where}, {what}", f"is negative, {float(value)!r}", "at least 0", "Mend its sign."
            )
    return replace(joint, damping=damper, friction=rubbing, rotor_inertia=rotor)


def _in_plane(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors that form a right-handed system with the normal."""
    nonzero = [i for i in range(3) if normal[i] != 0]
    if len(nonzero) == 1 and normal[nonzero[0]] == 1:
        k = nonzero[0]
        return (_X, _Y, _Z)[(k + 1) % 3], (_X, _Y, _Z)[(k + 2) % 3]
    # the coordinate axis that is least along the normal; parameters count as one
    sizes = [abs(float(x)) if isinstance(x, Fraction) else 1.0 for x in normal]
    least = (_X, _Y, _Z)[sizes.index(min(sizes))]
    x = cross(least, normal)
    x = scale(1 / square_root(dot(x, x)), x)
    return x, cross(normal, x)
