"""The ten inertial parameters of each moving body, in which generalized forces are linear.

    m,   m cx, m cy, m cz,   Ixx, Ixy, Ixz, Iyy, Iyz, Izz

with c the mass centre and I the inertia tensor about the origin of the body's frame, along its axes; off the diagonal
Ixy = - sum x y dm, the entry of the tensor.  Bodies behind fixed joints belong to the body that carries them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kanegen.codegen.derivation.placed_tree.placement import PlacedBody
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism.records import Matrix3, Mechanism, Vector3
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.values import numeric, settle

PARTS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""Names of the ten parameters of a body, in their order."""

COUNT = len(PARTS)
TENSOR_PLACES = ((4, 5, 6), (5, 7, 8), (6, 8, 9))
"""Places of the entries of the inertia tensor among the ten."""

Coefficients = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class InertialParameters:
    """Names ("Ixy_link2") and numbers of the parameters of a mechanism, ten for each moving body, in SI units."""

    names: tuple[str, ...]
    values: tuple[Fraction, ...]


def inertial_parameters(mechanism: Mechanism) -> InertialParameters:
    """The parameters of the moving bodies in the order of the joints that move them; zero where there is no inertia.

    Carriers count where a body is fixed to them (a hinge beside the origin of its body has one): its inertia is theirs.
    """
    reduced = without_fixed_joints(mechanism)
    names: list[str] = []
    values: list[Fraction] = []
    for joint in reduced.joints:
        body = reduced.body(joint.child)
        if body.carrier and body.inertia is None:
            continue
        names += [f"{part}_{body.name}" for part in PARTS]
        if body.inertia is None:
            values += [Fraction(0)] * COUNT
            continue
        mass = numeric(body.inertia.mass, reduced)
        center = tuple(numeric(x, reduced) for x in body.inertia.center)
        tensor = [[numeric(x, reduced) for x in row] for row in body.inertia.tensor]
        square = sum((x * x for x in center), Fraction(0))
        entries: dict[int, Fraction] = {}
        for r in range(3):
            for c in range(3):
                shifted = mass * ((square if r == c else 0) - center[r] * center[c])
                entries[TENSOR_PLACES[r][c]] = settle(tensor[r][c] + shifted)
        values += [mass, *(settle(mass * x) for x in center), *(entries[k] for k in range(4, COUNT))]
    return InertialParameters(tuple(names), tuple(values))


def moved(rotation: Matrix3, position: Vector3) -> Coefficients:
    """The 10 x 10 matrix that takes parameters of a body to another frame: r_new = rotation @ r + position."""
    columns = [_moved(rotation, position, k) for k in range(COUNT)]
    return tuple(tuple(settle(column[k]) for column in columns) for k in range(COUNT))


def to_placed_frame(body: PlacedBody, numbers: Mechanism) -> Coefficients:
    """Parameters about a body's placed frame from those about its described frame, at the numbers of its mechanism."""
    turn = _numbers(body.frame_rotation, numbers)
    back = vec.transpose(turn)
    position = tuple(numeric(x, numbers) for x in body.frame_position)
    x, y, z = vec.scale(Fraction(-1), vec.apply(back, position))
    return moved(_matrix(back), (x, y, z))


def to_parent_frame(body: PlacedBody, numbers: Mechanism) -> Coefficients:
    """Parameters about the parent's frame from those about the body's, with its joint at zero."""
    x, y, z = (numeric(entry, numbers) for entry in body.position)
    return moved(_matrix(_numbers(body.rotation, numbers)), (x, y, z))


def _moved(rotation: vec.Matrix, position: vec.Vector, k: int) -> list[Fraction]:
    """The unit parameter k in the new frame."""
    unit = [Fraction(int(l == k)) for l in range(COUNT)]
    mass, first = unit[0], tuple(unit[1:4])
    tensor = [[unit[TENSOR_PLACES[r][c]] for c in range(3)] for r in range(3)]
    half = (tensor[0][0] + tensor[1][1] + tensor[2][2]) / 2
    second = tuple(tuple((half if r == c else 0) - tensor[r][c] for c in range(3)) for r in range(3))
    turned = vec.apply(rotation, first)
    there = [
        [
            turned_second
            + position[r] * turned[c]
            + turned[r] * position[c]
            + mass * position[r] * position[c]
            for c, turned_second in enumerate(row)
        ]
        for r, row in enumerate(vec.congruence(rotation, second))
    ]
    trace = there[0][0] + there[1][1] + there[2][2]
    entries: Mapping[int, Fraction] = {
        TENSOR_PLACES[r][c]: (trace if r == c else 0) - there[r][c] for r in range(3) for c in range(3)
    }
    shifted = vec.add(turned, vec.scale(mass, position))
    return [mass, *shifted, *(entries[l] for l in range(4, COUNT))]


def _numbers(m: Matrix3, numbers: Mechanism) -> vec.Matrix:
    return tuple(tuple(numeric(x, numbers) for x in row) for row in m)


def _matrix(rows: Sequence[Sequence[Fraction]]) -> Matrix3:
    first, second, third = ((x, y, z) for x, y, z in rows)
    return first, second, third
