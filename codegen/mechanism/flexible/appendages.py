"""What a flexible link carries along: rigid bodies held at stations of it count with its modal integrals, exactly.

A point at y of the axes of a station, which is at x, moves to x + y + sum_k delta_k (d_k + theta_k x y): linear in the
deflections like every other point of the link.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.flexible_records import ModalIntegrals, Station
from kanegen.codegen.mechanism.records import IDENTITY3, Inertia, Matrix3, Value, Vector3
from kanegen.codegen.mechanism.values import Scalar, plain
from kanegen.codegen.mechanism.vectors import matrix, scale, vector


@dataclass(frozen=True)
class Appendage:
    """A rigid body held at ``at`` [m] from the near end of a beam: tip mass, hub, payload.

    ``center`` [m] is its mass centre from that point, along the link's axes; ``inertia`` [kg m^2] its central tensor along
    these: three principal moments, six entries or nine, as in MechanismBuilder.body.
    """

    at: Scalar
    mass: Scalar
    center: Iterable[Scalar] = (0, 0, 0)
    inertia: Iterable[Scalar] | Iterable[Iterable[Scalar]] = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class MassMoments:
    """dm, y dm and y y^T dm of a rigid body, from any origin."""

    mass: Value
    first: Vector3
    second: Matrix3

    @classmethod
    def of(cls, inertia: Inertia | None) -> MassMoments:
        """From mass, mass centre and central tensor: y y^T dm is half the trace of a tensor, less the tensor."""
        if inertia is None:
            zero = Fraction(0)
            return cls(zero, (zero,) * 3, ((zero,) * 3,) * 3)
        m, c, tensor = inertia.mass, inertia.center, inertia.tensor
        half = (tensor[0][0] + tensor[1][1] + tensor[2][2]) / 2
        second = [
            [plain((half if i == j else 0) - tensor[i][j] + m * c[i] * c[j]) for j in range(3)]
            for i in range(3)
        ]
        return cls(m, vector(vec.scale(m, c)), symmetric(second))

    def placed(self, rotation: Matrix3, position: Vector3) -> MassMoments:
        """The same body seen from axes in which it is placed: r = rotation @ y + position."""
        first, second = vec.apply(rotation, self.first), vec.congruence(rotation, self.second)
        moved = vec.add(first, vec.scale(self.mass, position))
        # R P R^T + (R s) p^T + p (R s)^T + m p p^T
        mixed = vec.outer(first, position)
        terms = (
            second,
            mixed,
            vec.transpose(mixed),
            vec.matrix_scale(self.mass, vec.outer(position, position)),
        )
        return MassMoments(self.mass, vector(moved), symmetric(vec.matrix_add(*terms)))

    def plus(self, other: MassMoments) -> MassMoments:
        """Of two bodies together."""
        return MassMoments(
            plain(self.mass + other.mass),
            vector(vec.add(self.first, other.first)),
            matrix(vec.matrix_add(self.second, other.second)),
        )

    def less(self, other: MassMoments) -> MassMoments:
        """Of what is left of a body."""
        return MassMoments(
            plain(self.mass - other.mass),
            vector(vec.subtract(self.first, other.first)),
            matrix(vec.matrix_add(self.second, vec.matrix_scale(-1, other.second))),
        )


def carrying(link: ModalIntegrals, station: Station, body: MassMoments) -> ModalIntegrals:
    """The modal integrals of a link with a rigid body that is held at a station, given from it and along its axes."""
    rigid = body.placed(IDENTITY3, station.position).plus(MassMoments(link.mass, link.first, link.second))
    turned = [vec.cross(theta, body.first) for theta in station.rotations]
    spread = [vec.multiply(vec.skew(theta), body.second) for theta in station.rotations]  # (theta x y) y^T dm
    shifts = station.displacements
    mode_first, mode_mixed = [], []
    products: list[tuple[Matrix3, ...]] = []
    for k, d in enumerate(shifts):
        moment = vec.add(vec.scale(body.mass, d), turned[k])
        mode_first.append(vector(vec.add(link.mode_first[k], moment)))
        mixed = (
            link.mode_mixed[k],
            vec.outer(station.position, moment),
            vec.outer(body.first, d),
            vec.transpose(spread[k]),
        )
        mode_mixed.append(matrix(vec.matrix_add(*mixed)))
        row = []
        for n, other in enumerate(shifts):
            if n < k:
                row.append(matrix(vec.transpose(products[n][k])))
                continue
            terms = (
                link.mode_products[k][n],
                vec.matrix_scale(body.mass, vec.outer(d, other)),
                vec.outer(d, turned[n]),
                vec.outer(turned[k], other),
                vec.multiply(spread[k], vec.transpose(vec.skew(station.rotations[n]))),
            )
            row.append(symmetric(vec.matrix_add(*terms)) if n == k else matrix(vec.matrix_add(*terms)))
        products.append(tuple(row))
    return ModalIntegrals(
        rigid.mass, rigid.first, rigid.second, tuple(mode_first), tuple(mode_mixed), tuple(products)
    )


def symmetric(rows: Iterable[Iterable[Value]]) -> Matrix3:
    """The same of a symmetric matrix: mirrored entries are one expression, however their terms were added."""
    (a, b, c), (_, d, e), (_, _, f) = rows
    return matrix(((a, b, c), (b, d, e), (c, e, f)))


def rigid_inertia(link: ModalIntegrals) -> Inertia:
    """Mass, mass centre and central tensor: trace(P) 1 - P of the second moments P about the mass centre."""
    center = scale(1 / link.mass, link.first)
    second = [
        [plain(link.second[i][j] - link.mass * center[i] * center[j]) for j in range(3)] for i in range(3)
    ]
    trace = second[0][0] + second[1][1] + second[2][2]
    zero = Fraction(0)
    tensor = symmetric([[(trace if i == j else zero) - second[i][j] for j in range(3)] for i in range(3)])
    return Inertia(link.mass, center, tensor)
