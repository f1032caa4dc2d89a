"""Serial arms from Denavit-Hartenberg tables, standard and modified, with everything that a joint and a link may have.

Standard (Denavit & Hartenberg 1955, as in Paul 1981 and Corke's Robotics Toolbox): frame j is placed in frame j - 1 by

    Rot(z, theta) Trans(z, d) Trans(x, a) Rot(x, alpha),

the joint turns about, or slides along, z of frame j - 1, and frame j stands at the far end of its link.

Modified (Craig 1986; Khalil & Kleinfinger 1986 with d for a and r for d): frame j is placed in frame j - 1 by

    Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d),

the joint turns about, or slides along, z of frame j itself; a and alpha of a row are those of the link before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kanegen.codegen.mechanism.builder import MechanismBuilder
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
    BASE,
    IDENTITY3,
    ZERO3,
    JointLimits,
    Matrix3,
    Mechanism,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import about_axis
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule
from kanegen.codegen.mechanism.values import Scalar, plain
from kanegen.codegen.mechanism.vectors import (
    add,
    matrix_add,
    matrix_multiply,
    matrix_vector,
    parallel_axes,
    scale,
)
from kanegen.errors import ModelError, counted

CONVENTIONS = ("standard", "modified")


@dataclass(frozen=True, slots=True)
class DHRow:
    """One row of a table with its joint and its link.

    ``theta``, ``alpha`` [rad], ``d``, ``a`` [m]; the joint's coordinate is added to theta, or where it is ``prismatic`` to
    d, so that these hold its offset.  ``mass`` [kg], ``center`` [m] and ``inertia`` [kg m^2] are given in the link's own
    frame j, the inertia about the mass centre or, ``about`` = "origin", about the origin of that frame; without a mass the
    link has no inertia.  Names are q1, q2, … and link1, link2, … unless given.  The rest is as in ``MechanismBuilder``.
    """

    theta: Scalar = 0
    d: Scalar = 0
    a: Scalar = 0
    alpha: Scalar = 0
    prismatic: bool = False
    mass: Scalar | None = None
    center: Vector = (0, 0, 0)
    inertia: Vector | Matrix = (0, 0, 0)
    about: str = "center"
    joint: str | None = None
    link: str | None = None
    limits: JointLimits | None = None
    damping: Scalar = 0
    friction: Scalar = 0
    rotor_inertia: Scalar = 0
    gear_ratio: Scalar = 1


@dataclass(frozen=True, slots=True)
class Placed:
    """A frame in another one: r_outer = rotation @ r + position [m]; ``name`` where it is a tool's frame."""

    position: Vector = (0, 0, 0)
    rotation: Rotation | None = None
    name: str = "tool"


def from_dh(
    rows: Sequence[DHRow],
    convention: str = "standard",
    *,
    name: str = "arm",
    gravity: Vector = (0, 0, -9.81),
    base: Placed | None = None,
    tool: Placed | None = None,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Mechanism:
    """The serial arm of a table, "standard" or "modified".  Raises ModelError.

    ``base`` places frame 0 of the table in the base frame, in which ``gravity`` [m/s^2] is given; ``tool`` is a further
    frame in the last link.  Decimals of theta and alpha stand for the fractions of pi that they are rounded from (see
    ``rounded_angles``).
    """
    rows = read_list("table of Denavit and Hartenberg", rows, DHRow)

    def built(rows: Sequence[DHRow]) -> Mechanism:
        builder = MechanismBuilder(name, gravity)
        add_dh(builder, rows, convention, base=base, tool=tool)
        return builder.build(allow_unphysical)

    angles = AngleRule(angle_tolerance)
    meant = [_with_angles(row, angles, j) for j, row in enumerate(rows, start=1)]
    mechanism = built(meant)
    return angles.recorded(mechanism, built(rows)) if angles.distances else mechanism


def _with_angles(row: DHRow, angles: AngleRule, j: int) -> DHRow:
    """A row with the angles that are meant."""
    found: dict[str, Any] = {}
    for label in ("theta", "alpha"):
        given = getattr(row, label)
        found[label] = angles.meant_by(read_value(f"link {j}, {label}", given), given)
    return replace(row, **found)


def add_dh(
    builder: MechanismBuilder,
    rows: Sequence[DHRow],
    convention: str = "standard",
    *,
    parent: str = BASE,
    base: Placed | None = None,
    tool: Placed | None = None,
) -> None:
    """Add the arm of a table to a mechanism; ``base`` places its frame 0 in the body ``parent``.  Raises ModelError."""
    if convention not in CONVENTIONS:
        raise ModelError(
            "table of Denavit and Hartenberg",
            f"its convention is {convention!r}",
            "'standard' (the joint of row j about z of frame j - 1) or 'modified' (about z of frame j)",
            "Say which of the two it follows.",
        )
    if not rows:
        raise ModelError("table of Denavit and Hartenberg", "has no rows", "one row a joint", "Give them.")
    base = Placed() if base is None else base
    for label, placed in (("base", base), ("tool", tool)):
        if placed is not None:
            read_list(label, (placed,), Placed)
    at = _Place(read_rotation("base, rotation", base.rotation), read_vector("base, position", base.position))
    for j, row in enumerate(rows, start=1):
        link = row.link or f"link{j}"
        _add_link(builder, link, row, j)
        joint = _Joint(builder, row, row.joint or f"q{j}", parent, link, at)
        if convention == "modified":
            joint.modified(f"link {j}")
        else:
            joint.standard(f"link {j}")
        parent, at = link, _Place()
    if tool is not None:
        builder.frame(tool.name, parent, tool.position, tool.rotation)


@dataclass(frozen=True, slots=True)
class _Place:
    rotation: Matrix3 = IDENTITY3
    position: Vector3 = ZERO3

    def then(self, rotation: Matrix3, position: Vector3) -> _Place:
        """A frame placed in this one."""
        at = add(self.position, matrix_vector(self.rotation, position))
        return _Place(matrix_multiply(self.rotation, rotation), at)


@dataclass(frozen=True, slots=True)
class _Joint:
    """The joint of a row, whose frame j - 1 is placed ``at`` in ``parent``."""

    builder: MechanismBuilder
    row: DHRow
    name: str
    parent: str
    link: str
    at: _Place

    def modified(self, where: str) -> None:
        """About or along z of frame j."""
        theta, d, a, alpha = self._numbers(where)
        twist = about_axis(0, alpha)
        turned = matrix_multiply(twist, about_axis(2, theta))
        at = self.at.then(turned, matrix_vector(twist, (a, ZERO3[0], d)))
        self._add(at, self.link, (0, 0, 1))

    def standard(self, where: str) -> None:
        """About or along z of frame j - 1, seen from frame j; on a carrier where that axis misses the origin of j."""
        theta, d, a, alpha = self._numbers(where)
        zero = ZERO3[0]
        turn, twist = about_axis(2, theta), about_axis(0, alpha)
        if a == 0 or self.row.prismatic:
            at = self.at.then(matrix_multiply(turn, twist), matrix_vector(turn, (a, zero, d)))
            self._add(at, self.link, twist[2])  # z of frame j - 1 is the third row of the twist
            return
        carrier = self.builder.carrier(f"carrier of {self.name}")
        self._add(self.at.then(turn, (zero, zero, d)), carrier, (0, 0, 1))
        self.builder.fixed(f"{self.name}_link", carrier, self.link, (a, zero, zero), twist)

    def _numbers(self, where: str) -> tuple[Value, Value, Value, Value]:
        row = self.row
        theta, d, a, alpha = (
            read_value(f"{where}, {label}", value)
            for label, value in (("theta", row.theta), ("d", row.d), ("a", row.a), ("alpha", row.alpha))
        )
        return theta, d, a, alpha

    def _add(self, at: _Place, child: str, axis: Vector) -> None:
        row = self.row
        add_joint = self.builder.prismatic if row.prismatic else self.builder.revolute
        add_joint(
            self.name,
            self.parent,
            child,
            axis,
            at.position,
            at.rotation,
            limits=row.limits,
            damping=row.damping,
            friction=row.friction,
            rotor_inertia=row.rotor_inertia,
            gear_ratio=row.gear_ratio,
        )


def _add_link(builder: MechanismBuilder, name: str, row: DHRow, j: int) -> None:
    where = f"link {j}"
    if row.about not in ("center", "origin"):
        raise ModelError(
            where,
            f"its inertia is about {row.about!r}",
            "'center' (the mass centre) or 'origin' (of the link's frame)",
            "Say about which point it is given.",
        )
    if row.about == "center" or row.mass is None:
        builder.body(name, row.mass, row.center, row.inertia)
        return
    mass, center = read_value(f"{where}, mass", row.mass), read_vector(f"{where}, center", row.center)
    about_origin = inertia_tensor(f"{where}, inertia", row.inertia)
    builder.body(name, mass, center, matrix_add(about_origin, parallel_axes(plain(-mass), center)))


@dataclass(frozen=True, slots=True)
class LinkParameters:
    """The ten inertial parameters of a link about the origin of its own frame.

    ``tensor`` [kg m^2] is (XX, YY, ZZ, XY, XZ, YZ) about that origin, XY = -integral of x y dm;
    ``first_moment`` [kg m] is (MX, MY, MZ) = mass * centre; ``mass`` [kg] is not zero.
    """

    tensor: Vector
    first_moment: Vector
    mass: Scalar


@dataclass(frozen=True, slots=True)
class ModifiedDH:
    """One row in Khalil's letters: ``alpha``, ``theta`` [rad], ``d`` (``DHRow`` calls it a), ``r`` (there d) [m].

    ``sliding`` (sigma = 1) adds the coordinate to r, not theta.
    """

    alpha: Scalar = 0
    d: Scalar = 0
    theta: Scalar = 0
    r: Scalar = 0
    sliding: bool = False


def from_modified_dh(
    name: str,
    rows: Sequence[ModifiedDH],
    links: Sequence[LinkParameters],
    gravity: Vector = (0, 0, -9.81),
) -> Mechanism:
    """The serial arm with joints q1, q2, ... and bodies link1, link2, ... on the base.  Raises ModelError.

    Inertias about the link origins become central ones exactly (parallel axes).
    """
    rows = read_list(f"arm {name!r}, rows", rows, ModifiedDH)
    links = read_list(f"arm {name!r}, links", links, LinkParameters)
    if len(rows) != len(links):
        raise ModelError(
            f"arm {name!r}",
            f"has {counted(len(rows), 'row')} and {counted(len(links), 'link')}",
            "as many of each",
            "Give one link for each row.",
        )
    table = []
    for j, (row, link) in enumerate(zip(rows, links, strict=True), start=1):
        mass = read_value(f"link {j}, mass", link.mass)
        if mass == 0:
            raise ModelError(
                f"link {j}, mass",
                "is zero",
                "a mass other than 0",
                "First moments about the origin need a mass.",
            )
        center = scale(1 / mass, read_vector(f"link {j}, first moment", link.first_moment))
        table.append(
            DHRow(row.theta, row.r, row.d, row.alpha, row.sliding, mass, center, link.tensor, about="origin")
        )
    return from_dh(table, "modified", name=name, gravity=gravity)
