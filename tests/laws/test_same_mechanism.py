"""One mechanism described in other frames: the same forces, and the same operations.

A description with 12 digits and more tells which axes are parallel, perpendicular or meet, so that nothing is lost; with
six it tells a neighbour, whose axes are oblique, and a general arm is what that costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import mpmath
import numpy as np
import pytest
import sympy

from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import Program, count, evaluate
from kanegen.codegen.kernel_sources import KernelSources, configurations
from kanegen.codegen.mechanism import BASE, JointRate, LoopKind, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.axis_relations import ROUNDINGS
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.control_law import ControlLaw, quantity
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.importers import from_toml
from kanegen.codegen.mechanism.natural_frames import meant_rotation
from kanegen.codegen.mechanism.rotations import about_axis
from kanegen.codegen.mechanism.values import degrees
from kanegen.codegen.mechanism.vectors import matrix_multiply
from kanegen.codegen.passes.optimize import optimize
from kanegen.options import Options
from tests.constrained.ball_models import spatial_linkage
from tests.derivation.comparison import exactly
from tests.derivation.compound_mechanisms import compound_tree
from tests.derivation.structured_trees import structured_tree

from .rewriting import WAYS, printed, rewritten

ARMS = [
    "stanford_arm",
    "stanford_general",
    "stanford_simplified",
    "rx90_general",
    "rx90_simplified",
    "puma560_general",
    "general_6r",
    "cylindrical_arm",
    "stanford_arm_rrp",
    "sim_yoo_lee_robot",
]
TREES = ["tree 90", "tree 92", "tree 95"]
KERNELS = ("inverse_dynamics", "mass_matrix")


def humanoid() -> Mechanism:
    """A pelvis on three sliding and three turning joints, two legs, a trunk, two arms and a head: 26 joints."""
    builder = MechanismBuilder("humanoid")
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}

    def chain(
        parent: str, name: str, joints: str, first: tuple[str, str, str], lengths: tuple[str, ...]
    ) -> str:
        for number, axis in enumerate(joints):
            body = f"{name}{number}"
            size = Fraction(number + 2, 50)
            tensor = (
                (size, "0.001", "-0.002"),
                ("0.001", size + Fraction(1, 300), "0.0015"),
                ("-0.002", "0.0015", size),
            )
            builder.body(body, Fraction(number + 3, 2), ("0.01", "-0.02", "-0.11"), tensor)
            position = first if number == 0 else ("0", "0", lengths[number - 1])
            builder.revolute(f"{name}_{number}", parent, body, axes[axis], position)
            parent = body
        return parent

    parent = BASE
    for axis, direction in axes.items():
        body = "pelvis" if axis == "z" else f"slide_{axis}"
        if axis == "z":
            builder.body(body, "8", ("0.01", "0", "0.03"), (("0.2", 0, 0), (0, "0.15", 0), (0, 0, "0.1")))
        else:
            builder.body(body, "0.1", (0, 0, 0), (("0.01", 0, 0), (0, "0.01", 0), (0, 0, "0.01")))
        builder.prismatic(f"move_{axis}", parent, body, direction)
        parent = body
    for side, sign in (("left", ""), ("right", "-")):
        chain(
            "pelvis", f"{side}_leg", "zxyyyx", ("0", f"{sign}0.09", "-0.08"), ("0", "0", "-0.4", "-0.4", "0")
        )
    trunk = chain("pelvis", "trunk", "zx", ("0", "0", "0.12"), ("0.05",))
    for side, sign in (("left", ""), ("right", "-")):
        chain(trunk, f"{side}_arm", "yxzy", ("0", f"{sign}0.2", "0.4"), ("0", "0", "-0.28"))
    chain(trunk, "head", "zy", ("0", "0", "0.5"), ("0.06",))
    return builder.build()


def elbow_arm() -> Mechanism:
    """Three parallel axes whose common normals are along no axis of a frame, between two across; some tensors full."""
    builder = MechanismBuilder("elbow")
    parent = BASE
    places = ((0, 0, "0.1"), (0, 0, 0), ("0.05", 0, "0.25"), ("0.25", 0, "0.01"), ("0.07", 0, 0))
    for number, (axis, place) in enumerate(zip("zyyyx", places, strict=True)):
        body, size = f"link{number}", Fraction(number + 2, 50)
        product = Fraction(number % 2, 500)
        tensor = ((size, 0, product), (0, size + Fraction(1, 100), 0), (product, 0, size))
        builder.body(body, Fraction(number + 3, 2), ("0.1", 0, "0.03"), tensor)
        builder.revolute(f"q{number}", parent, body, tuple(int(a == axis) for a in "xyz"), place)
        parent = body
    return builder.build()


def twisted_arm(twist: int | str) -> Mechanism:
    """Six axes, each turned against the one before about the common normal, by degrees, or by radians in text."""
    angle = Fraction(twist) if isinstance(twist, str) else degrees(twist)
    builder = MechanismBuilder("twisted")
    parent = BASE
    for number in range(6):
        body, size = f"link{number}", Fraction(number + 2, 50)
        builder.body(
            body, number + 2, ("0.01", "-0.02", "-0.11"), ((size, 0, 0), (0, 2 * size, 0), (0, 0, size))
        )
        place = ("0.1", 0, "0.2") if number else (0, 0, 0)
        builder.revolute(
            f"q{number}", parent, body, (0, 0, 1), place, rotation=(angle if number else 0, 0, 0)
        )
        parent = body
    return builder.build()


@cache
def machine(name: str) -> Mechanism:
    if name in ("humanoid", "elbow arm"):
        return humanoid() if name == "humanoid" else elbow_arm()
    if name in TIED:
        return with_numbers(TIED[name]())
    tree = re.fullmatch(r"tree (\d+)", name)
    return with_numbers(structured_tree(int(tree[1]), 6) if tree else mechanism(name))


@cache
def kernel(described: Mechanism, name: str) -> Program:
    """What is generated where no search is allowed."""
    derived, _ = KernelSources(described, Options(search=1)).deriver(name, searched=False)({})
    return optimize(derived)[0]


def operations(described: Mechanism, name: str = "inverse_dynamics") -> int:
    counts = count(kernel(described, name))
    return counts.multiplications + counts.additions


def same_forces(
    described: Mechanism, as_described: Mechanism, shifts: dict[str, Fraction], error: float
) -> bool:
    """Whether forces are equal to the rounding written, at random states.

    Each joint has six numbers for its place and each body ten for its inertia, an error in each of which changes the
    largest force by no more than ten times its share: lengths, masses and angles are of the order of one.  At the states of
    constrained mechanisms equations and speeds have singular values of at least a hundredth, by which errors may grow.
    """
    chance = np.random.default_rng(3)
    n = len(described.joints)
    v, a = chance.uniform(-1, 1, (2, 4, described.dof))
    closed = configurations(as_described)
    q = chance.uniform(-1, 1, (4, len(described.coordinates))) if closed is None else closed[:4]
    less = np.array([float(shifts.get(name, 0)) for name in described.coordinates])
    found = [
        evaluate(kernel(m, "inverse_dynamics"), {"q": angles, "v": v, "a": a})["tau"]
        for m, angles in ((as_described, q), (described, q - less))
    ]
    bound = (160 * n * error + 200 * 2.0**-53) * (1 if closed is None else 100)
    return float(np.max(np.abs(found[0] - found[1]))) <= bound * float(np.max(np.abs(found[0])))


def all_operations(described: Mechanism) -> int:
    return sum(operations(described, name) for name in KERNELS)


@cache
def as_printed(name: str) -> Mechanism:
    """The machine in its own frames, with 17 digits: some tensors have more."""
    return from_toml(printed(machine(name), 17))


def slider_crank() -> Mechanism:
    """A crank, a rod and a slide along x in the plane xy."""
    builder = MechanismBuilder("slider_crank", gravity=(0, "-9.81", 0))
    builder.body("crank", 1, ("0.1", 0, 0), ("0.001", "0.01", "0.01"))
    builder.body("rod", 2, ("0.25", 0, 0), ("0.001", "0.02", "0.02"))
    builder.body("slider", 3, (0, 0, 0), ("0.01", "0.01", "0.01"))
    builder.revolute("a", BASE, "crank", (0, 0, 1))
    builder.revolute("b", "crank", "rod", (0, 0, 1), ("0.2", 0, 0))
    builder.prismatic("x", BASE, "slider", (1, 0, 0))
    builder.frame("pin", "rod", ("0.5", 0, 0))
    builder.loop("close", LoopKind.REVOLUTE, "pin", "slider")
    builder.speeds([JointRate("a")])
    builder.home((1, "-1.35", "0.58"))
    return builder.build()


def satellite() -> Mechanism:
    """A floating hull with two arms, one with a wrist that is a ball, and a spring between their hands."""
    builder = MechanismBuilder("satellite")
    builder.body("hull", 20, ("0.1", "0.02", "0.05"), (2, 3, "2.5"))
    builder.floating("root", BASE, "hull")
    for side, y in (("left", "0.4"), ("right", "-0.4")):
        parent, position = "hull", ("0.2", y, "0")
        for number, axis in enumerate(((0, 0, 1), (0, 1, 0), (1, 0, 0))):
            body = f"{side}{number}"
            builder.body(body, 2, ("0.1", "0.02", 0), ("0.02", "0.03", "0.04", "0.001", 0, 0))
            if body == "right2":
                builder.spherical("wrist", parent, body, position)
            else:
                builder.revolute(body, parent, body, axis, position)
            parent, position = body, ("0.3", "0", "0")
        builder.frame(f"{side}_hand", parent, ("0.2", 0, 0))
    builder.translational_spring("pull", "left_hand", "right_hand", 5, "0.1", "0.2")
    return builder.build()


TIED: dict[str, Callable[[], Mechanism]] = {
    "four_bar": partial(mechanism, "four_bar"),
    "five_bar": partial(mechanism, "five_bar"),
    "four_bar_tilted": partial(mechanism, "four_bar_tilted"),
    "slider_crank": slider_crank,
    "plate_disk": partial(mechanism, "plate_disk"),
    "two_link_space_arm": partial(mechanism, "two_link_space_arm"),
    "rolling_disc": partial(mechanism, "rolling_disc"),
    "spatial_linkage": partial(spatial_linkage, ball=True),
    "satellite": satellite,
}
"""Mechanisms with loops, contacts, prescribed joints, balls and springs."""


@pytest.mark.parametrize("way", [way for way in WAYS if way != "zeros shifted"])
@pytest.mark.parametrize("name", TIED)
def test_frames_make_no_difference_to_equations(name: str, way: str) -> None:
    """Two operations a kernel are the luck of common factors in small programs."""
    described = from_toml(printed(rewritten(machine(name), way)[0], 17))
    assert same_forces(described, machine(name), {}, 2 * ROUNDINGS * 2.0**-52)
    before = all_operations(as_printed(name))
    assert all_operations(described) <= 1.02 * before + 2 * len(KERNELS)


@pytest.mark.parametrize("way", ["placed at random", "root turned"])
@pytest.mark.parametrize("seed", [0, 4])
def test_frames_make_no_difference_to_trees_with_balls(seed: int, way: str) -> None:
    """Joints of all kinds in any places: floating, spherical, planar, helical, and mimics."""
    original = with_numbers(compound_tree(seed, 3))
    described, shifts = rewritten(original, way)
    assert same_forces(described, original, shifts, 2.0**-53)
    assert all_operations(described) <= 1.02 * all_operations(original)


def test_frames_make_no_difference_to_a_platform() -> None:
    """Rounded numbers lose what makes its lengths equal; with 60 digits nothing is lost."""
    original = machine("stewart_platform")
    described, _ = rewritten(original, "placed at random")
    assert all_operations(described) <= 1.02 * all_operations(original)


def test_a_law_sees_poses_along_the_described_base() -> None:
    """Derived with forward dynamics, it is compared with its plain derivation, whose base is not moved."""
    described, _ = rewritten(machine("four_bar"), "root turned")
    q, v = sympy.symbols("q1 q2 q3"), sympy.symbols("v:1")
    height = quantity("frame_pose_coupler_tip")[7]
    law = ControlLaw("hold", "", "", sympy.Symbol("t"), q, v, (10 * height,))
    sources = KernelSources(replace(described, laws=(law,)), Options(search=1))
    assert sources.suited("forward_dynamics") is not sources
    derive(sources, "closed_loop_hold")


EVERY_WAY = ["stanford_arm", "puma560_general", "tree 92", "elbow arm"]


@pytest.mark.parametrize(
    ("name", "way"),
    [
        *((name, way) for name in EVERY_WAY for way in WAYS),
        *((name, "placed at random") for name in [*ARMS, "humanoid", *TREES] if name not in EVERY_WAY),
    ],
)
def test_frames_make_no_difference(name: str, way: str) -> None:
    """Joints whose zeros were shifted cost one addition each: their angles have an offset.

    Which of two equal formulas comes first is a matter of the axes' letters; in trees of odd angles it shows.
    """
    other, shifts = rewritten(machine(name), way)
    described = from_toml(printed(other, 17))
    assert same_forces(described, machine(name), shifts, 2 * ROUNDINGS * 2.0**-52)
    before = all_operations(as_printed(name))
    odd = 0.03 if name in TREES else 0.02
    assert abs(all_operations(described) - before) <= odd * before + len(KERNELS) * len(shifts) + 1


@pytest.mark.parametrize("name", [*ARMS, "humanoid"])
def test_twelve_digits_suffice(name: str) -> None:
    original = machine(name)
    described = from_toml(printed(rewritten(original, "placed at random")[0], 12))
    assert same_forces(described, original, {}, 2 * ROUNDINGS * 1e-11)
    assert operations(described) <= 1.02 * operations(as_printed(name)) + 1


@pytest.mark.parametrize("twist", [30, 45, 120])
def test_oblique_axes_are_recognised(twist: int) -> None:
    """Sine and cosine of 45 degrees are equal, which saves a product in two; a half saves one here and there.

    As in trees of odd angles, it shows which of two equal formulas comes first.
    """
    exact, general = twisted_arm(twist), twisted_arm("0.7")
    described = from_toml(printed(rewritten(exact, "placed at random")[0], 17))
    assert same_forces(described, exact, {}, 2 * ROUNDINGS * 2.0**-52)
    assert operations(described) <= 1.03 * operations(exact)
    assert operations(described) < (0.92 if twist == 45 else 1) * operations(general)


def test_a_tilted_base_costs_a_slide_nothing() -> None:
    """Weight along the axes of slides is numbers, whatever these are."""
    described = from_toml(printed(rewritten(machine("humanoid"), "root turned")[0], 17))
    assert operations(described) == operations(machine("humanoid"))


@pytest.mark.parametrize("name", ["stanford_arm", "rx90_general", "puma560_general", "sim_yoo_lee_robot"])
def test_six_digits_cost_what_a_general_arm_costs(name: str) -> None:
    """General in all: axes, lengths, zeros of its joints, and a base that does not stand upright."""
    original = machine(name)
    described = from_toml(printed(rewritten(original, "placed at random")[0], 6))
    assert same_forces(described, original, {}, 1e-5)
    general = from_toml(printed(rewritten(machine("general_6r"), "zeros shifted")[0], 6))
    assert operations(described) <= 1.03 * operations(general)


def test_only_a_mass_centre_has_many_digits() -> None:
    """Then no axis may move, and no rounding ends the search for short decimals."""
    text = printed(machine("rx90_general"), 17)
    changed = re.sub(r"(center = \[)[^,]*", r"\g<1>0.1234567890123456", text, count=1)
    assert changed != text
    assert operations(from_toml(changed)) == operations(from_toml(text))


def test_a_joint_with_a_live_length_stays_as_described() -> None:
    """Where its axis lies to the next one no number tells; the others are recognised from there on."""
    text = printed(rewritten(machine("rx90_general"), "placed at random")[0], 17)
    before, after = text.split('name = "q3"')
    position = re.search(r"position = \[([^,]*)", after)
    assert position is not None
    after = after.replace(position[0], 'position = ["L"', 1)
    live = f'{before}name = "q3"{after}\n[parameters]\nL = {{ value = {position[1]}, unit = "m" }}'
    meant, written = from_toml(live), from_toml(live, angle_tolerance=0)
    pairs = zip(meant.joints, written.joints, strict=True)
    kept = [joint.name for joint, as_written in pairs if joint.rotation == as_written.rotation]
    assert "q3" in kept
    assert "q2" not in kept
    assert operations(with_numbers(meant)) < operations(with_numbers(written))


def test_ten_digits_are_what_they_say() -> None:
    """1.570796325 is 1.8e-9 less than a quarter turn: a neighbour's numbers must not turn it into one."""
    text = printed(nearly("1.570796325", "0.3"), 10)
    assert from_toml(text).joints == from_toml(text, angle_tolerance=0).joints


@pytest.mark.parametrize("tolerance", [0, 1e-15, 1e-5, 1e-2])
def test_a_calibrated_arm_is_read_with_any_tolerance(tolerance: float) -> None:
    text = printed(nearly("1.5721", "0.0007"), 17)
    arm = from_toml(text, angle_tolerance=tolerance)
    assert exact_to_rounding(arm)


@pytest.mark.parametrize("gap", ["1e-12", "1e-9", "1e-6", "1e-3"])
def test_axes_that_are_nearly_parallel_keep_their_digits(gap: str) -> None:
    """Their common normal may be a thousand kilometres away; forces are still those of the description, to rounding."""
    arm = from_toml(printed(nearly(gap, "0.3"), 17))
    assert arm.joints[1].rotation != arm.joints[0].rotation
    assert exact_to_rounding(arm)


@pytest.mark.parametrize("gap", ["1e-12", "1e-9", "1e-3"])
def test_axes_that_nearly_meet_keep_their_digits(gap: str) -> None:
    arm = from_toml(printed(nearly("1.2", gap), 17))
    assert exact_to_rounding(arm)


def test_no_zero_is_lost_to_another() -> None:
    """The first row's entries are -9e-11, -1 and 9e-10: without the first the last row would lose its zero."""
    small, pitch = Fraction(9, 10**10), Fraction(3, 2) + Fraction(1, 6)
    near = matrix_multiply(about_axis(2, degrees(Fraction(90)) - small), about_axis(1, pitch))
    assert near[2][1] == 0 != near[0][0]
    assert meant_rotation(near, small / 5) == near
    assert meant_rotation(near, 2 * small)[0] == (0, -1, 0)


def nearly(angle: str, length: str) -> Mechanism:
    builder = MechanismBuilder("nearly")
    parent = BASE
    for number in range(4):
        body = f"link{number}"
        builder.body(
            body, "2.5", ("0.1", "-0.05", "0.2"), (("0.03", "0.001", 0), ("0.001", "0.04", 0), (0, 0, "0.02"))
        )
        position = (0, 0, "0.1") if number == 0 else (length, "0.002", "0.25")
        builder.revolute(
            f"q{number}", parent, body, (0, 0, 1), position, rotation=(angle if number else "0.4", 0, "0.2")
        )
        parent = body
    return builder.build()


def exact_to_rounding(arm: Mechanism) -> bool:
    """Whether what is generated gives in doubles what the textbook's derivation gives to 40 digits."""
    chance = np.random.default_rng(4)
    states = dict(zip("qva", chance.uniform(-1, 1, (3, 4, arm.dof)), strict=True))
    found = evaluate(kernel(arm, "inverse_dynamics"), states)["tau"]
    plain = KernelSources(arm, Options()).plain("inverse_dynamics")
    with mpmath.workdps(40):
        exact = [exactly(plain, **{name: rows[row] for name, rows in states.items()}) for row in range(4)]
    expected = np.array([[float(x) for x in row] for row in exact])
    return float(np.max(np.abs(found - expected))) <= 200 * 2.0**-53 * float(np.max(np.abs(expected)))
