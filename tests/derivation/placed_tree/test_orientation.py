"""Turned frames: no result depends on them, and odd angles in a description cost an addition at most."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.placed_tree.orientation import POINT, WAY, turn_frames
from kanegen.codegen.derivation.placed_tree.placement import PlacedBody, place
from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.vectors import matrix_multiply
from kanegen.options import Options
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, frame_kernels

KERNELS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "potential_energy", "momentum")
ODD = (Fraction(5, 13), Fraction(12, 13))
"""Cosine and sine of an odd angle."""


def oddly_described(plain: Mechanism) -> Mechanism:
    """Joint frames turned about their own axes by an odd angle, bodies left alone: other zeros of the coordinates."""
    c, s = ODD
    turns = (
        ((1, 0, 0), (0, c, -s), (0, s, c)),
        ((c, 0, s), (0, 1, 0), (-s, 0, c)),
        ((c, -s, 0), (s, c, 0), (0, 0, 1)),
    )
    joints = []
    for joint in plain.joints:
        (k,) = (i for i in range(3) if joint.axis[i] != 0)
        turn = tuple(tuple(Fraction(x) for x in row) for row in turns[k])
        joints.append(replace(joint, rotation=matrix_multiply(joint.rotation, turn)))  # type: ignore[arg-type]
    return replace(plain, joints=tuple(joints))


def values(described: Mechanism, kernel: str, answers: dict[str, int], gauge: bool) -> list[mpmath.mpf]:
    program = Deriver(described, DYNAMICS[kernel], gauge=gauge)(answers)[0]
    at = {name: value[0] for name, value in states(9, 1, described.dof).items()}
    with mpmath.workdps(DIGITS):
        return exactly(program, **{argument.name: at[argument.name] for argument in program.inputs})


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", [100, 101, 102, 104])
def test_no_result_depends_on_a_turn(seed: int, kernel: str) -> None:
    """The best guess, and for every body the last pair that is worth trying; against the frames as described."""
    described = structured_tree(seed, 4)
    wanted = values(described, kernel, {}, gauge=False)
    points = Deriver(described, DYNAMICS[kernel])({})[1]
    last = {p: max(d.alternatives - 2, 0) for p, d in points.items() if p.startswith(POINT)}
    for answers in ({}, last):
        found = values(described, kernel, answers, gauge=True)
        if any(x != 0 for x in wanted):
            assert difference(found, wanted) < EXACT


def test_poses_are_those_of_the_described_frames() -> None:
    described = oddly_described(mechanism("rx90_simplified"))
    frames = frame_kernels(place(described, Choices()), {f"link{i}": f"link{i}" for i in range(1, 7)})
    at = {"q": states(9, 1, described.dof)["q"][0]}
    for name in ("frame_pose_link3", "frame_jacobian_link6"):
        turned, plain = (Deriver(described, frames[name], gauge=g)({})[0] for g in (True, False))
        with mpmath.workdps(DIGITS):
            assert difference(exactly(turned, **at), exactly(plain, **at)) < EXACT


@pytest.mark.parametrize("arm", ["rx90_simplified", "puma560_general", "stanford_general"])
def test_an_odd_zero_of_a_joint_costs_one_addition(arm: str) -> None:
    """At each revolute joint but the first, where a turn of everything else about a vertical axis is for nothing."""
    plain, odd = mechanism(arm), oddly_described(mechanism(arm))
    build = DYNAMICS["inverse_dynamics"]
    straight, left, turned = (
        count(program)
        for program in (
            Deriver(plain, build)({})[0],
            Deriver(odd, build, gauge=False)({})[0],
            Deriver(odd, build)({})[0],
        )
    )
    assert turned.multiplications <= straight.multiplications
    assert turned.additions <= straight.additions + 6
    assert turned.total < left.total


@pytest.mark.parametrize(
    ("arm", "turned"), [("stanford_arm", []), ("rx90_general", ["link6"]), ("general_6r", ["link6"])]
)
def test_nothing_is_offered_where_frames_are_straight(arm: str, turned: list[str]) -> None:
    """But for a last body with its mass centre beside the axis."""
    choices = Choices()
    tree = place(mechanism(arm), choices)
    found = turn_frames(tree, choices).bodies
    assert [new.name for old, new in zip(tree.bodies, found, strict=True) if new != old] == turned
    points = [f"{POINT} {name}" for name in turned]
    assert [point for point in choices.points if point.startswith(POINT)] == [WAY][: len(turned)] + points


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("what", ["centre", "products with the axis", "product across it"])
def test_a_last_body_is_turned_until_something_vanishes(what: str, axis: int) -> None:
    """A component of its first moment, or one of its products of inertia, for one addition to the angle."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    center = [Fraction(0)] * 3
    tensor = [[Fraction(3) if i == j else Fraction(0) for j in range(3)] for i in range(3)]
    if what == "centre":
        center[a], center[b] = Fraction(3, 10), Fraction(-1, 7)
    elif what == "products with the axis":
        tensor[axis][a] = tensor[a][axis] = Fraction(3, 10)
        tensor[axis][b] = tensor[b][axis] = Fraction(-1, 7)
    else:
        tensor[a][b] = tensor[b][a] = Fraction(1, 7)
    builder = MechanismBuilder("arm")
    builder.body("upper", 1, ("0.1", "0.2", "0.3"), ((2, 0, 0), (0, 3, 0), (0, 0, 4)))
    builder.body("lower", 2, tuple(center), tuple(map(tuple, tensor)))  # type: ignore[arg-type]
    builder.revolute("shoulder", BASE, "upper", (0, 1, 0))
    e = tuple(int(i == axis) for i in range(3))
    builder.revolute("elbow", "upper", "lower", e, position=(1, 2, 3))
    choices = Choices()
    tree = place(builder.build(), choices)
    before, after = tree.bodies[1], turn_frames(tree, choices).bodies[1]

    def looked_at(body: PlacedBody) -> list[Fraction]:
        first, second = body.first_moment, body.second_moment
        pairs = {"centre": (first[a], first[b]), "products with the axis": (second[axis][a], second[axis][b])}
        return list(pairs.get(what, (second[a][b],)))

    assert looked_at(before).count(Fraction(0)) == 0
    assert looked_at(after).count(Fraction(0)) == 1
    assert after.offset != 0
    straight, turned = (
        count(Deriver(builder.build(), DYNAMICS["inverse_dynamics"])(x)[0]) for x in ({WAY: 1}, {})
    )
    assert turned.total < straight.total


@pytest.mark.parametrize("mimics", [False, True])
def test_joints_that_share_an_angle_get_no_offset(mimics: bool) -> None:
    """Their sines are the same, and opposite angles of parallel ones cancel; alone, the first is worth turning."""
    builder = MechanismBuilder("gripper")
    tensor = ((2, "0.1", "0.2"), ("0.1", 3, "0.3"), ("0.2", "0.3", 4))
    for name in ("hand", "finger", "tip"):
        builder.body(name, 1, ("0.01", "0.02", "0.03"), tensor)
    builder.revolute("wrist", BASE, "hand", (0, 1, 0))
    builder.revolute("open", "hand", "finger", (1, 0, 0), position=(0, "0.01", "0.1"))
    builder.revolute("follow", "finger", "tip", (1, 0, 0), position=("0.03", "0.04", "-0.06"))
    if mimics:
        builder.mimic("follow", "open", multiplier=-1)
    tree, _ = KernelSources(builder.build(), Options()).trees.turned({})
    offsets = {body.joint for body in tree.bodies if body.offset}
    assert offsets == (set() if mimics else {"open"})
