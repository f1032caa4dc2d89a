"""Serial arms from modified Denavit-Hartenberg parameters (Khalil & Kleinfinger 1986).

Frame j is placed in frame j - 1 by T = Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r); the joint turns
about, or slides along, z of its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.readers import Vector, inertia_tensor, read_value, read_vector
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.rotations import about_axis
from kanegen.codegen.mechanism.values import Scalar, plain
from kanegen.codegen.mechanism.vectors import matrix_add, matrix_multiply, matrix_vector, parallel_axes, scale


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
    """One row: ``alpha``, ``theta`` [rad], ``d``, ``r`` [m]; ``sliding`` (sigma = 1) adds the coordinate to
    r, not theta.
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
    if len(rows) != len(links):
        raise ModelError(
            f"arm {name!r}",
            f"has {len(rows)} rows and {len(links)} links",
            "as many of each",
            "Give one link for each row.",
        )
    arm = MechanismBuilder(name, gravity)
    for j, (row, link) in enumerate(zip(rows, links, strict=True), start=1):
        where = f"link {j}"
        mass = read_value(f"{where}, mass", link.mass)
        if mass == 0:
            raise ModelError(
                f"{where}, mass",
                "is zero",
                "a mass other than 0",
                "First moments about the origin need a mass.",
            )
        center = scale(1 / mass, read_vector(f"{where}, first moment", link.first_moment))
        about_origin = inertia_tensor(f"{where}, inertia", link.tensor)
        central = matrix_add(about_origin, parallel_axes(plain(-mass), center))
        body, parent = f"link{j}", f"link{j - 1}" if j > 1 else BASE
        arm.body(body, mass, center, central)

        alpha, d, theta, r = (
            read_value(f"{where}, {label}", value)
            for label, value in (("alpha", row.alpha), ("d", row.d), ("theta", row.theta), ("r", row.r))
        )
        twist = about_axis(0, alpha)
        joint = arm.prismatic if row.sliding else arm.revolute
        joint(
            f"q{j}",
            parent,
            body,
            axis=(0, 0, 1),
            position=matrix_vector(twist, (d, read_value(where, 0), r)),
            rotation=matrix_multiply(twist, about_axis(2, theta)),
        )
    return arm.build()
