"""Describe a mechanism in Python, step by step; everything wrong with it is found here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy

from kanegen.codegen.graph import Expression, Graph
from kanegen.codegen.mechanism.constraints import (
    Constraint,
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    PrescribedRate,
    RollingContact,
    SpringDamper,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import ControlLaw
from kanegen.codegen.mechanism.flexible import Beam, LinkTable
from kanegen.codegen.mechanism.flexible.rigid import rigid_inertia
from kanegen.codegen.mechanism.flexible_records import FlexibleLink
from kanegen.codegen.mechanism.joint_builder import JointBuilder
from kanegen.codegen.mechanism.mimics import with_mimics_as_constraints
from kanegen.codegen.mechanism.readers import (
    Matrix,
    Rotation,
    Vector,
    inertia_tensor,
    read_rotation,
    read_value,
    read_vector,
)
from kanegen.codegen.mechanism.records import (
    BASE,
    Actuator,
    Body,
    Frame,
    Inertia,
    Joint,
    JointKind,
    Mechanism,
    Parameter,
    Value,
)
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.codegen.mechanism.tree import depth_first
from kanegen.codegen.mechanism.validation import check_new_name, validated
from kanegen.codegen.mechanism.values import Scalar
from kanegen.codegen.mechanism.vectors import rotated_tensor
from kanegen.errors import ModelError


class MechanismBuilder(JointBuilder):
    """Collects parameters, bodies, joints, frames, actuators and control laws, and builds a validated ``Mechanism``.

    Units are SI, angles radians.  Every number may be an int, a float (0.1 means one tenth), decimal text, a
    Fraction, a SymPy or NumPy number, or an Expression in the builder's own parameters.  Bodies and joints
    may come in any order. Every method raises ModelError for a value that is wrong by itself; ``build``
    checks the whole.
    """

    def __init__(self, name: str, gravity: Vector = (0, 0, -9.81)) -> None:
        """``gravity`` is the acceleration of free fall [m/s^2] in the base frame."""
        super().__init__()
        self._name = name
        self._graph = Graph()
        self._gravity = read_vector("gravity", gravity)
        self._parameters: list[Parameter] = []
        self._frames: list[Frame] = []
        self._actuators: list[Actuator] = []
        self._laws: list[ControlLaw] = []
        self._flexible: list[FlexibleLink] = []
        self._loops: list[Loop] = []
        self._constraints: list[Constraint] = []
        self._prescribed: list[PrescribedRate] = []
        self._springs: list[SpringDamper] = []
        self._speeds: tuple[GeneralizedSpeed, ...] = ()
        self._home: tuple[Value, ...] = ()
        self._coordinates: tuple[str, ...] | None = None

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
    ) -> None:
        """A rigid body; one without ``mass`` has no inertia at all.

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
            self._bodies.append(Body(name, Inertia(read_value(f"{where}, mass", mass), at, tensor)))
            return
        if any(entry != 0 for entry in (*at, *(entry for row in tensor for entry in row))):
            raise ModelError(
                where, "has a mass centre or an inertia but no mass", "all of them, or none", "Give its mass."
            )
        self._bodies.append(Body(name, None))

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
        for link in self._flexible:
            if frame == link.body or frame in dict(link.stations):
                raise ModelError(
                    f"payload {name!r}",
                    f"the frame {frame!r} is not at the end of the flexible link {link.body!r}",
                    "a frame at its end, where all that a flexible link carries is attached",
                    "Give the link an appendage there, or add a frame at its end.",
                )
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

    def loop(self, name: str, kind: LoopKind, first: str, second: str) -> None:
        """Close a loop with a joint between two frames; its axis is the z axis of both.  See ``Loop``."""
        check_new_name("loop", name, [loop.name for loop in self._loops])
        self._loops.append(Loop(name, kind, first, second))

    def rolling(
        self, name: str, wheel: str, radius: Scalar, ground: str = BASE, contact: str | None = None
    ) -> None:
        """A thin wheel that rolls without slip on the xy plane of the frame ``ground``.  See ``RollingContact``."""
        self._new_constraint(name)
        r = read_value(f"rolling contact {name!r}, radius", radius)
        self._constraints.append(RollingContact(name, wheel, r, ground, contact))

    def knife_edge(self, name: str, edge: str, ground: str = BASE) -> None:
        """A sharp edge along x of the frame ``edge``: its origin does not move along y of it.  See ``KnifeEdge``."""
        self._new_constraint(name)
        self._constraints.append(KnifeEdge(name, edge, ground))

    def position_constraint(self, name: str, expression: sympy.Expr, q: Sequence[sympy.Symbol]) -> None:
        """An equation of position: ``expression`` = 0 in the coordinates ``q``, all of them, in order."""
        self._new_constraint(name)
        self._constraints.append(PositionConstraint(name, tuple(q), expression))

    def velocity_constraint(
        self, name: str, expression: sympy.Expr, q: Sequence[sympy.Symbol], qdot: Sequence[sympy.Symbol]
    ) -> None:
        """An equation of velocity: ``expression`` = 0, linear in the rates ``qdot`` of the coordinates ``q``."""
        self._new_constraint(name)
        self._constraints.append(VelocityConstraint(name, tuple(q), tuple(qdot), expression))

    def _new_constraint(self, name: str) -> None:
        known = [constraint.name for constraint in self._constraints]
        check_new_name("constraint", name, [*known, *(loop.name for loop in self._loops)])

    def prescribe(self, joint: str, rate: Scalar = 0) -> None:
        """A joint that is no coordinate but moves at a constant rate [rad/s, m/s].  See ``PrescribedRate``."""
        self._prescribed.append(PrescribedRate(joint, read_value(f"prescribed joint {joint!r}, rate", rate)))

    def torsional_spring(
        self, name: str, joint: str, stiffness: Scalar = 0, damping: Scalar = 0, rest: Scalar = 0
    ) -> None:
        """A spring [N m/rad, N/m] and damper on a joint.  See ``TorsionalSpringDamper``."""
        k, c, at = (read_value(f"spring {name!r}", x) for x in (stiffness, damping, rest))
        check_new_name("spring", name, [spring.name for spring in self._springs])
        self._springs.append(TorsionalSpringDamper(name, joint, k, c, at))

    def translational_spring(
        self, name: str, first: str, second: str, stiffness: Scalar = 0, damping: Scalar = 0, rest: Scalar = 0
    ) -> None:
        """A spring [N/m] and damper [N s/m] between two frames.  See ``TranslationalSpringDamper``."""
        k, c, at = (read_value(f"spring {name!r}", x) for x in (stiffness, damping, rest))
        check_new_name("spring", name, [spring.name for spring in self._springs])
        self._springs.append(TranslationalSpringDamper(name, first, second, k, c, at))

    def speeds(self, speeds: Iterable[GeneralizedSpeed]) -> None:
        """The independent generalized speeds v of a constrained mechanism, as many as it has degrees of freedom."""
        self._speeds = tuple(speeds)

    def home(self, q: Sequence[Scalar]) -> None:
        """A configuration [rad, m], in the order of the coordinates, in which or near which loops are closed."""
        self._home = tuple(read_value("home", x) for x in q)

    def coordinates(self, order: Iterable[str]) -> None:
        """The order of the coordinates in q, v, a and tau; by default that of the tree, depth first.

        The names of movable joints; a ball or floating joint may be named as one.
        """
        whole = {ball.name: ball.coordinates for ball in self._balls}
        self._coordinates = tuple(part for name in order for part in whole.get(name, (name,)))

    def actuator(self, joint: str, sign: int = 1, name: str | None = None) -> None:
        """An actuator whose force enters the generalized force of ``joint`` with ``sign`` +1 or -1."""
        self._actuators.append(Actuator(joint, joint if name is None else name, sign))

    def law(
        self,
        name: str,
        forces: Sequence[sympy.Expr | float],
        time: sympy.Symbol,
        q: Sequence[sympy.Symbol],
        v: Sequence[sympy.Symbol],
        title: str = "control law",
        source: str = "",
    ) -> None:
        """A control law, compiled as the kernel ``name`` (t, q, v -> tau) together with the dynamics.

        ``forces`` are the generalized forces [N m, N] on the coordinates, in the order of ``coordinates``: SymPy
        expressions in ``time`` [s], ``q``, ``v``, and symbols named like parameters.  See ``ControlLaw``.
        """
        exact = tuple(sympy.sympify(force) if isinstance(force, int | float) else force for force in forces)
        self._laws.append(ControlLaw(name, title, source, time, tuple(q), tuple(v), exact))

    def build(self, allow_unphysical: bool = False) -> Mechanism:
        """The validated mechanism.  Raises ModelError.

        Refuses masses and inertia tensors that no real body has, unless ``allow_unphysical``.
        """
        joints = depth_first(self._joints, [body.name for body in self._bodies])
        carriers = {body.name for body in self._bodies if body.carrier}
        coordinates = self._coordinates
        if coordinates is None:
            coordinates = self._depth_first_coordinates(joints)
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
            laws=tuple(self._laws),
            loops=tuple(self._loops),
            constraints=tuple(self._constraints),
            prescribed=tuple(self._prescribed),
            speeds=self._speeds,
            springs=tuple(self._springs),
            home=self._home,
            balls=tuple(self._balls),
            mimics=tuple(self._mimics),
            flexible=tuple(self._flexible),
        )
        if mechanism.constrained and mechanism.mimics:
            mechanism = with_mimics_as_constraints(mechanism)
        return validated(mechanism, allow_unphysical)

    def _depth_first_coordinates(self, joints: Iterable[Joint]) -> tuple[str, ...]:
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
