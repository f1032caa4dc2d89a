"""Describe a mechanism in Python, step by step; everything wrong with it is found here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Self

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.mechanism.flexible import Beam, LinkTable
from kanegen.codegen.mechanism.flexible.appendages import rigid_inertia
from kanegen.codegen.mechanism.flexible_records import FlexibleLink
from kanegen.codegen.mechanism.force_laws import limited, stops
from kanegen.codegen.mechanism.joint_builder import JointBuilder
from kanegen.codegen.mechanism.laws_library import with_laws
from kanegen.codegen.mechanism.mimics import with_mimics_as_constraints
from kanegen.codegen.mechanism.motion_builder import MotionBuilder
from kanegen.codegen.mechanism.readers import (
    Matrix,
    Rotation,
    Vector,
    inertia_tensor,
    read_list,
    read_rotation,
    read_value,
    read_vector,
)
from kanegen.codegen.mechanism.records import (
    ZERO3,
    Actuator,
    Body,
    Frame,
    Inertia,
    Joint,
    JointKind,
    Mechanism,
    Parameter,
)
from kanegen.codegen.mechanism.references import by_names, refitted_constraint, refitted_law
from kanegen.codegen.mechanism.speeds import on_equation
from kanegen.codegen.mechanism.validation import check_new_name, check_texts, validated
from kanegen.codegen.mechanism.validation.exact import values_of
from kanegen.codegen.mechanism.validation.flexible_links import check_end
from kanegen.codegen.mechanism.validation.named_symbols import constraint_by_name, law_by_name, motion_by_name
from kanegen.codegen.mechanism.validation.symbols import (
    check_order_is_stated,
    home_of,
    law_with_forces_by_name,
)
from kanegen.codegen.mechanism.validation.tree import depth_first
from kanegen.codegen.mechanism.values import Scalar
from kanegen.codegen.mechanism.vectors import diagonal, rotated_tensor
from kanegen.errors import ModelError, did_you_mean


class MechanismBuilder(JointBuilder, MotionBuilder):
    """Collects parameters, bodies, joints, frames, actuators and control laws, and builds a validated ``Mechanism``.

    Units are SI, angles radians.  Every number may be an int, a float (0.1 means one tenth), decimal text, a
    Fraction, a SymPy or NumPy number, or an Expression in the builder's own parameters.  Bodies and joints
    may come in any order. Every method raises ModelError for a value that is wrong by itself; ``build``
    checks the whole.
    """

    def __init__(self, name: str, gravity: Vector = (0, 0, -9.81)) -> None:
        """``gravity`` is the acceleration of free fall [m/s^2] in the base frame."""
        JointBuilder.__init__(self)
        MotionBuilder.__init__(self)
        self._name = name
        self._graph = Graph()
        self._gravity = read_vector("gravity", gravity)
        self._parameters: list[Parameter] = []
        self._frames: list[Frame] = []
        self._actuators: list[Actuator] = []
        self._flexible: list[FlexibleLink] = []
        self._coordinates: tuple[str, ...] | None = None
        self._opened: Mechanism | None = None

    @classmethod
    def from_mechanism(cls, mechanism: Mechanism) -> Self:
        """A builder that has described a mechanism already: what is added or changed makes another one of it.

        Coordinates that are new come where the tree has them, or at the end where the mechanism has an order of its own.
        Equations and laws stay those that they are; laws put no force on new speeds.
        """
        opened, builder = by_names(mechanism), cls(mechanism.name)
        graphs = (value.graph for _, value in values_of(opened) if isinstance(value, Expression))
        builder._opened, builder._graph = opened, next(graphs, builder._graph)
        builder._gravity = opened.gravity
        builder._parameters += opened.parameters
        builder._bodies += opened.bodies
        builder._joints += opened.joints
        builder._balls += opened.balls
        builder._mimics += opened.mimics
        builder._frames += (frame for frame in opened.frames if frame.name != frame.body)
        builder._actuators += opened.actuators
        builder._flexible += opened.flexible
        builder._loops += opened.loops
        builder._constraints += opened.constraints
        builder._prescribed += opened.prescribed
        builder._springs += opened.springs
        builder._speeds = opened.speeds
        builder._home = dict(zip(opened.coordinates, opened.home, strict=False)) or ()
        if opened.coordinates != builder._coordinates_of(opened.joints):
            builder._coordinates = opened.coordinates
        return builder

    def declared(self, parameter: str) -> Expression:
        """A parameter that was declared before, for use in values."""
        names = [known.name for known in self._parameters]
        if parameter not in names:
            raise ModelError(
                f"parameter {parameter!r}",
                "is not declared",
                f"one of {', '.join(map(repr, names)) or '(there are none)'}",
                did_you_mean(parameter, names, "Declare it: parameter(...)."),
            )
        return Expression(self._graph, self._graph.parameter(parameter))

    def parameter(self, name: str, value: Scalar, unit: str, description: str = "") -> Expression:
        """Declare a parameter with its default number; the result may be used in values, with + - * and /."""
        number = read_value(f"parameter {name!r}", value)
        if isinstance(number, Expression):
            raise ModelError(
                f"parameter {name!r}", "its value is an expression", "a number", "Give a number."
            )
        check_new_name("parameter", name, [parameter.name for parameter in self._parameters])
        self._parameters.append(Parameter(name, number, unit, description))
        return Expression(self._graph, self._graph.parameter(name))

    def gravity(self, gravity: Vector) -> None:
        """Replace the acceleration of free fall [m/s^2], base frame; here it may depend on parameters."""
        self._gravity = read_vector("gravity", gravity)

    def body(
        self,
        name: str,
        mass: Scalar | None = None,
        center: Vector = (0, 0, 0),
        inertia: Vector | Matrix = (0, 0, 0),
        inertia_rotation: Rotation | None = None,
        *,
        carrier: bool = False,
    ) -> None:
        """A rigid body; one without ``mass`` has no inertia at all, and a ``carrier`` no frame of its name.

        ``center`` is the mass centre [m] in the body frame.  ``inertia`` is the central inertia tensor [kg
        m^2]: three principal moments, six entries (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) with Ixy = -integral of x y
        dm, or a symmetric 3 x 3 matrix; zero, the default, is a point mass.  It is given along the body
        frame's axes, or along axes turned by ``inertia_rotation`` (roll, pitch, yaw or a matrix, from the
        turned axes to the body frame).
        """
        where = f"body {name!r}"
        check_new_name("body", name, [body.name for body in self._bodies])
        at = read_vector(f"{where}, mass centre", center)
        tensor = inertia_tensor(f"{where}, inertia", inertia)
        if inertia_rotation is not None:
            tensor = rotated_tensor(read_rotation(f"{where}, inertia rotation", inertia_rotation), tensor)
        if mass is not None:
            self._bodies.append(Body(name, Inertia(read_value(f"{where}, mass", mass), at, tensor), carrier))
            return
        if any(entry != 0 for entry in (*at, *(entry for row in tensor for entry in row))):
            raise ModelError(
                where, "has a mass centre or an inertia but no mass", "all of them, or none", "Give its mass."
            )
        self._bodies.append(Body(name, None, carrier))

    def change_body(
        self,
        name: str,
        mass: Scalar | None = None,
        center: Vector | None = None,
        inertia: Vector | Matrix | None = None,
        inertia_rotation: Rotation | None = None,
    ) -> None:
        """Other numbers for a rigid body; what is not given stays.  See ``body``."""
        known = {body.name: body for body in self._bodies if not body.carrier}
        bends = name in [link.body for link in self._flexible]
        if name not in list(known) or bends:
            raise ModelError(
                f"body {name!r}",
                "is flexible" if bends else "is not described",
                "a rigid body",
                did_you_mean(name, known, "Mend the name."),
            )
        old = known[name].inertia or Inertia(Fraction(0), ZERO3, diagonal(*ZERO3))
        place = self._bodies.index(known[name])
        del self._bodies[place]
        kept = mass is None and known[name].inertia is not None
        self.body(
            name,
            old.mass if kept else mass,
            old.center if center is None else center,
            old.tensor if inertia is None else inertia,
            inertia_rotation,
        )
        self._bodies.insert(place, self._bodies.pop())

    def flexible(
        self, name: str, link: Beam | LinkTable, stations: Mapping[str, Scalar] | None = None
    ) -> None:
        """A body that bends and twists: a slender beam, or any link by its modal integrals.

        Its frame is that of its near end, clamped into the hub that the body's joint moves; its modes are coordinates,
        after that of its joint.  Joints and frames of the body are attached to its far end: their positions are those in
        the undeflected link.  ``stations`` names further frames of a beam, at distances [m] along it.
        """
        check_new_name("body", name, [body.name for body in self._bodies])
        if stations is not None and not isinstance(stations, Mapping):
            raise ModelError(
                f"flexible link {name!r}, stations",
                f"is {stations!r}",
                "names of frames with their distances [m]",
                'Give {"middle": 0.5}.',
            )
        at = dict(stations or {})
        if isinstance(link, Beam):
            record = link.link(name, at.items())
        elif not isinstance(link, LinkTable):
            raise ModelError(
                f"flexible link {name!r}",
                f"{link!r} does not describe one",
                "a Beam or a LinkTable",
                "Give one of these, or use body for a rigid link.",
            )
        elif at:
            raise ModelError(
                f"flexible link {name!r}",
                "has stations at distances, but is no beam",
                "the stations of a LinkTable in its table",
                "Put them there.",
            )
        else:
            record = link.link(name)
        if record.integrals.mass == 0:
            raise ModelError(f"flexible link {name!r}, mass", "is 0", "more than 0", "Give its mass.")
        self._bodies.append(Body(name, rigid_inertia(record.integrals)))
        self._flexible.append(record)
        for frame, station in record.stations:
            self.frame(frame, name, station.position)

    def payload(
        self,
        name: str,
        frame: str,
        mass: Scalar,
        center: Vector = (0, 0, 0),
        inertia: Vector | Matrix = (0, 0, 0),
        inertia_rotation: Rotation | None = None,
    ) -> None:
        """A body that is held at the named frame, or at a body's own; the rest as in ``body``, seen from that frame."""
        found = next((f for f in self._frames if f.name == frame), None)
        if found is None and frame not in [body.name for body in self._bodies]:
            known = [f.name for f in self._frames] + [b.name for b in self._bodies if not b.carrier]
            raise ModelError(
                f"payload {name!r}",
                f"{frame!r} is not a frame",
                f"one of {', '.join(map(repr, known))}",
                "Mend the name, or add the frame before.",
            )
        check_end(f"payload {name!r}", frame, self._flexible)
        self.body(name, mass, center, inertia, inertia_rotation)
        held = found or Frame(frame, frame)
        self.fixed(f"grasp of {name}", held.body, name, held.position, held.rotation)

    def frame(
        self, name: str, body: str, position: Vector = (0, 0, 0), rotation: Rotation | None = None
    ) -> None:
        """A further named frame fixed in a body: r_body = rotation @ r_frame + position.

        Every body has a frame of its own name without being asked.
        """
        where = f"frame {name!r}"
        check_new_name("frame", name, [frame.name for frame in self._frames])
        turned = read_rotation(f"{where}, rotation", rotation)
        self._frames.append(Frame(name, body, turned, read_vector(f"{where}, position", position)))

    def coordinates(self, order: Iterable[str]) -> None:
        """The order of the coordinates in q, v, a and tau; by default that of the tree, depth first.

        The names of movable joints; a ball or floating joint may be named as one.
        """
        whole = {ball.name: ball.coordinates for ball in self._balls}
        self._coordinates = tuple(
            part for name in read_list("coordinates", order, str, "name") for part in whole.get(name, (name,))
        )

    def actuator(self, joint: str, sign: int = 1, name: str | None = None) -> None:
        """An actuator whose force enters the generalized force of ``joint`` with ``sign`` +1 or -1."""
        self._actuators.append(Actuator(joint, joint if name is None else name, sign))

    def joint_stop(self, joint: str, stiffness: Scalar, dissipation: Scalar = 0, name: str = "") -> None:
        """Elastic stops at the limits of a joint that was declared before, of ``stiffness`` [N m/rad, N/m].

        ``dissipation`` [s/rad, s/m] takes energy away at impacts.  See ``force_laws.stops``.  Raises ModelError for a joint
        without limits.
        """
        limits = next((known.limits for known in self._joints if known.name == joint), None)
        if limits is None or not limited(limits):
            raise ModelError(
                f"stop of joint {joint!r}",
                "has no limits, or is not declared yet",
                "a joint with a lower limit, an upper one or both",
                "Declare it before, with limits.",
            )
        law = stops(limits.lower, limits.upper, stiffness, dissipation)
        self.force_element(name or f"{joint}_stop", joint, law)

    def build(self, allow_unphysical: bool = False) -> Mechanism:
        """The validated mechanism.  Raises ModelError.

        Refuses masses and inertia tensors that no real body has, unless ``allow_unphysical``.
        """
        check_texts(
            *(self._joints, self._mimics, self._frames, self._actuators),
            *(self._loops, self._constraints, self._prescribed, self._springs),
        )
        joints = depth_first(self._joints, [body.name for body in self._bodies])
        carriers = {body.name for body in self._bodies if body.carrier}
        coordinates, opened = self._coordinates, self._opened
        if coordinates is None:
            coordinates = self._coordinates_of(joints)
        elif opened is not None and coordinates == opened.coordinates:
            more = self._coordinates_of(joints)
            coordinates = (
                *(name for name in coordinates if name in more),
                *(name for name in more if name not in coordinates),
            )
        mechanism = Mechanism(
            name=self._name,
            bodies=tuple(self._bodies),
            joints=joints,
            coordinates=coordinates,
            gravity=self._gravity,
            frames=tuple(Frame(j.child, j.child) for j in joints if j.child not in carriers)
            + tuple(self._frames),
            actuators=tuple(self._actuators),
            parameters=tuple(self._parameters),
            loops=tuple(self._loops),
            prescribed=tuple(self._prescribed),
            speeds=self._speeds,
            springs=tuple(self._springs),
            home=home_of(self._home, coordinates, self._balls, self._mimics),
            balls=tuple(self._balls),
            mimics=tuple(self._mimics),
            flexible=tuple(self._flexible),
            unphysical=opened is not None and opened.unphysical,
        )
        laws = (
            law if forces is None else law_with_forces_by_name(law, forces, mechanism)
            for law, forces in self._laws
        )
        mechanism = replace(
            mechanism,
            laws=tuple(law_by_name(law, mechanism) for law in laws),
            constraints=tuple(constraint_by_name(item, mechanism) for item in self._constraints),
            speeds=tuple(
                on_equation(speed, lambda item: constraint_by_name(item, mechanism)) for speed in self._speeds
            ),
            prescribed=tuple(motion_by_name(item, mechanism) for item in self._prescribed),
        )
        if self._coordinates is None:
            declared = self._coordinates_of(self._joints)
            check_order_is_stated(
                mechanism, declared, home_is_list=isinstance(self._home, tuple) and self._home != ()
            )
        if opened is not None:
            mechanism = _with_opened(mechanism, opened)
        if mechanism.constrained and mechanism.mimics:
            mechanism = with_mimics_as_constraints(mechanism)
        built = validated(mechanism, allow_unphysical)
        return with_laws(built, self._laws_of_library) if self._laws_of_library else built

    def _coordinates_of(self, joints: Iterable[Joint]) -> tuple[str, ...]:
        given = {p.joint for p in self._prescribed} | {mimic.joint for mimic in self._mimics}
        first = {ball.joints[0]: ball for ball in self._balls}
        inner = {name for ball in self._balls for name in ball.joints}
        modes = {link.body: link.modes for link in self._flexible}
        names: list[str] = []
        for joint in joints:
            if joint.name in first:
                names += first[joint.name].coordinates
            elif joint.kind is not JointKind.FIXED and joint.name not in given | inner:
                names.append(joint.name)
            names += modes.get(joint.child, ())
        return tuple(names)


def _with_opened(mechanism: Mechanism, opened: Mechanism) -> Mechanism:
    """The mechanism with the equations and laws of the one that was opened on its coordinates, and frames in that order."""
    equations = {item.name for item in opened.constraints}
    laws = (refitted_law(law, opened, mechanism) for law in opened.laws)
    order = {frame.name: k for k, frame in enumerate(opened.frames)}
    return replace(
        mechanism,
        constraints=tuple(
            refitted_constraint(item, mechanism.coordinates) if item.name in equations else item
            for item in mechanism.constraints
        ),
        speeds=tuple(
            on_equation(speed, lambda item: refitted_constraint(item, mechanism.coordinates))
            if speed in opened.speeds
            else speed
            for speed in mechanism.speeds
        ),
        laws=(*laws, *mechanism.laws),
        frames=tuple(sorted(mechanism.frames, key=lambda frame: order.get(frame.name, len(order)))),
    )
