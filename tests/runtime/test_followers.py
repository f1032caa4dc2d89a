"""Joints that follow others: where they stand, as live parameters are, and their limits wherever those of joints count."""

from __future__ import annotations

import functools
import math
import re
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import JointLimits, JointRate, MechanismBuilder
from kanegen.errors import ModelError, ModelWarning
from kanegen.manifest import Follower

MODEL = """
name = "gripper"
[parameters]
ratio = {{ value = 2, unit = "1" }}
shift = {{ value = 0.25, unit = "rad" }}
[[body]]
name = "palm"
mass = 1
center = [0, 0, 0.1]
inertia = [1, 1, 1]
[[body]]
name = "near"
mass = 1
center = [0, 0, 0.1]
inertia = [1, 1, 1]
[[body]]
name = "far"
mass = 1
center = [0, 0, 0.1]
inertia = [1, 1, 1]
[[joint]]
name = "turn"
type = "revolute"
parent = "base"
child = "palm"
axis = [0, 0, 1]
[[joint]]
name = "lead"
type = "revolute"
parent = "palm"
child = "near"
axis = [0, 1, 0]
limits = {{ lower = -2, upper = 2 }}
[[joint]]
name = "middle"
type = "revolute"
parent = "palm"
child = "far"
axis = [0, 1, 0]
limits = {{ lower = -0.5, upper = 0.5, velocity = 3 }}
mimic = {{ joint = "lead", multiplier = {multiplier}, offset = {offset} }}
"""


@pytest.fixture(scope="module")
def gripper(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Makes robots with a joint that leads another one, which stands at multiplier * lead + offset."""

    @functools.cache
    def made(multiplier: str, offset: str, *live: str) -> Any:
        path = tmp_path_factory.mktemp("gripper") / "gripper.toml"
        path.write_text(MODEL.format(multiplier=multiplier, offset=offset))
        return kanegen.load(path, live=live, interpreted=True)

    return made


def angle(arm: Any, lead: float) -> float:
    """By which the body of the joint that follows is turned about y, as its pose says."""
    turn = arm.frame_pose({"lead": lead}, "far")
    return math.atan2(turn[0, 2], turn[0, 0])


@pytest.mark.parametrize(
    ("multiplier", "offset"),
    [
        ("-2", "0.1"),
        ('"ratio"', '"shift"'),
        ('"-ratio/3"', '"shift*shift - 0.2"'),
        ('"1/(ratio + 1)"', '"pi/7 - 2*shift"'),
        ('"sqrt(ratio)/2"', '"sin(shift) - cos(ratio)"'),
        ('"max(ratio, 1.5) - abs(shift)"', '"0"'),
        ('"1"', '"piecewise(ratio < 1, shift, ratio <= 2.5, -shift, 2*shift)"'),
        ('"tanh(ratio)"', '"exp(-ratio)*atan2(shift, ratio) - log(ratio) + sign(shift)/3"'),
    ],
)
def test_where_they_stand_at_live_parameters(gripper: Any, multiplier: str, offset: str) -> None:
    """The pose comes from the kernel."""
    for live in ((), ("all declared",)):
        arm = gripper(multiplier, offset, *live)
        for values in ({}, {"ratio": 0.75}, {"ratio": 3.0, "shift": -0.4}):
            now = arm.with_parameters({name: x for name, x in values.items() if name in arm.parameters})
            ((name, one),) = now.followers.items()
            assert (name, one.leader) == ("middle", "lead")
            for lead in (-0.3, 0.2):
                # some ten operations of numbers up to 4, and the sines and the arctangent of the pose
                assert abs(one.multiplier * lead + one.offset - angle(now, lead)) < 40 * np.finfo(float).eps


def test_leaders_that_follow() -> None:
    b = MechanismBuilder("chain")
    for k, parent in enumerate(("base", "b0", "b1")):
        b.body(f"b{k}", mass=1, center=(0, 0, "0.1"), inertia=(1, 1, 1))
        b.revolute(f"j{k}", parent, f"b{k}", axis=(0, 1, 0))
    b.mimic("j2", "j1", multiplier=3, offset="0.25")
    b.mimic("j1", "j0", multiplier=-2, offset="0.5")
    arm = kanegen.load(b.build(), interpreted=True)
    assert arm._manifest.followers == {
        "j2": Follower("j0", "-6", "1.75"),
        "j1": Follower("j0", "-2", "0.5"),
    }
    assert [str(x) for x in arm._manifest.followers.values()] == ["-6*j0 + 1.75", "-2*j0 + 0.5"]


@pytest.mark.parametrize(
    ("follower", "text"),
    [
        (Follower("a", "1", "0"), "a"),
        (Follower("a", "-1", "-0.5"), "-1*a - 0.5"),
        (Follower("a", "2*r - 1", "r"), "(2*r - 1)*a + r"),
    ],
)
def test_relations_as_text(follower: Follower, text: str) -> None:
    assert str(follower) == text


def test_what_has_no_value_has_no_limits(gripper: Any) -> None:
    arm = gripper('"1/ratio"', '"0.1"', "all declared").with_parameters({"ratio": 0.0}, allow_unphysical=True)
    assert math.isnan(arm.followers["middle"].multiplier)
    assert [x.tolist() for x in arm.coordinate_limits] == [[-math.inf, -2], [math.inf, 2]]


# ---- limits ----


def told(call: Any, *given: Any, **more: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call(*given, **more)
    return [str(one.message) for one in heard if issubclass(one.category, ModelWarning)]


def test_motions_that_pass_them(gripper: Any) -> None:
    arm = gripper("-2", "0.1")
    (said,) = told(kanegen.simulate, arm, {"lead": 0.1}, {"lead": 1}, 0.5, times=np.linspace(0, 0.5, 51))
    assert "joint middle, which follows lead, is at -0.5" in said
    assert "at t = 0.2 s, and its range is -0.5 to 0.5." in said
    assert not told(kanegen.simulate, arm, {"lead": 0.1}, {"lead": 1}, 0.15)
    live = gripper('"-ratio"', "0.1", "ratio")
    assert told(kanegen.simulate, live, {"lead": 0.1}, {"lead": 1}, 0.25)
    assert not told(kanegen.simulate, live.with_parameters({"ratio": 1.0}), {"lead": 0.1}, {"lead": 1}, 0.25)


def test_paths_that_pass_them(gripper: Any) -> None:
    path = {"lead": ([0.0, 0.25, 0.5], [0.0, 0.25, 0.5])}
    with pytest.warns(ModelWarning, match="middle"):
        found = kanegen.trajectory(gripper("-4", "0.1"), path)
    kinds = {(one.joint, one.kind): one.limit for one in found.passed}
    assert kinds == {("middle", "position"): -0.5, ("middle", "speed"): -3.0}
    assert not kanegen.trajectory(gripper("-0.5", "0.1"), path).passed


@pytest.mark.parametrize("multiplier", ["-2", "0.7", '"1/3"', "1e-3"])
def test_configurations_keep_within_them(gripper: Any, multiplier: str) -> None:
    arm = gripper(multiplier, "0.1")
    one, (low, high) = arm.followers["middle"], arm.coordinate_limits
    for ends in (low, high):
        assert -0.5 <= one.multiplier * ends[1] + one.offset <= 0.5  # without any tolerance
    expected = sorted((x - 0.1) / one.multiplier for x in (-0.5, 0.5))
    np.testing.assert_allclose([low[1], high[1]], np.clip(expected, -2, 2), rtol=8 * np.finfo(float).eps)
    drawn = np.array([arm.random_configuration(k)[1] for k in range(300)])
    assert (np.abs(one.multiplier * drawn + one.offset) <= 0.5).all()
    # 300 draws leave a tenth at an end empty with a probability of 2e-14
    assert (drawn.min() - low[1], high[1] - drawn.max()) < ((high[1] - low[1]) / 10,) * 2


def test_limits_that_leave_nothing_do_not_count(gripper: Any) -> None:
    arm = gripper("1", "7")
    assert [x[1] for x in arm.coordinate_limits] == [-2, 2]
    assert np.abs(arm.random_configuration(0)[1]) <= 2


def test_inverse_kinematics_keeps_within_them(gripper: Any) -> None:
    arm = gripper("-2", "0.1")
    reached = arm.frame_pose({"lead": 0.25}, "near")
    assert arm.inverse_kinematics("near", reached, rows=["rx", "ry", "rz"]).converged
    beyond = arm.frame_pose(
        {"lead": 0.4}, "near"
    )  # the joint itself goes to 2, what follows it ends it at 0.3
    with pytest.warns(ModelWarning, match="beyond limits"):
        found = arm.inverse_kinematics("near", beyond, rows=["rx", "ry", "rz"])
    assert found.q[1] <= arm.coordinate_limits[1][1] < 0.31


def test_beside_equations_they_are_coordinates() -> None:
    """There an equation ties them to their leaders, and limits count as those of any coordinate."""
    b = builder()
    b.prescribe("turn", rate=1)
    b.speeds([JointRate("lead")])
    arm = kanegen.load(b.build(), interpreted=True)
    assert not arm.followers
    assert "middle" in arm.coordinate_names
    q = arm.assemble({"lead": 0.1})
    (said,) = told(kanegen.simulate, arm, q, {"lead": 1}, 0.3)
    assert "joint middle is at -0.5" in said


def test_held_ones_do_not_follow() -> None:
    with pytest.warns(ModelWarning, match="'middle': is held at -1.9, beyond its limits"):
        arm = kanegen.load(builder().build(), lock={"lead": 1}, interpreted=True)
    assert not arm.followers


# ---- named where a coordinate or a speed is wanted ----

CURE = "It follows 'lead': middle = -2*lead + 0.1. Give 'lead' alone."
USES: dict[str, tuple[Any, str]] = {
    "configuration": (lambda arm: arm.configuration({"middle": 0.3}), CURE),
    "speeds": (lambda arm: arm.speeds({"lead": 1, "middle": -2}), CURE),
    "q": (lambda arm: arm.mass_matrix({"middle": 0.3}), CURE),
    "a": (lambda arm: arm.inverse_dynamics({}, {}, {"middle": 1}), CURE),
    "assemble": (lambda arm: arm.assemble({"middle": 0.3}), CURE),
    "simulate": (lambda arm: kanegen.simulate(arm, {"middle": 0.3}, {}, 0.1), CURE),
    "path": (lambda arm: kanegen.trajectory(arm, {"middle": ([0, 1], [0, 1])}), CURE),
    "event": (
        lambda arm: kanegen.simulate(arm, {}, {}, 0.1, events=[kanegen.Event("q.middle")]),
        "middle = -2*lead + 0.1. Write that",
    ),
    "target": (
        lambda arm: kanegen.simulate(arm, {}, {}, 0.1, "pd(kp=1, kd=1, target={'middle': 1})"),
        "'middle', which follows 'lead'; expected names among turn, lead. Give 'lead' alone.",
    ),
}


@pytest.mark.parametrize("use", USES)
def test_errors_name_the_leader(gripper: Any, use: str) -> None:
    call, said = USES[use]
    with pytest.raises(ValueError, match=re.escape(said)):
        call(gripper("-2", "0.1"))


def test_errors_of_live_ones_say_what_follows(gripper: Any) -> None:
    arm = gripper('"-ratio"', '"shift/2"', "all declared")
    with pytest.raises(ValueError, match=re.escape("middle = -ratio*lead + 0.5*shift.")):
        arm.mass_matrix({"middle": 0.3})


def with_home(b: MechanismBuilder) -> None:
    b.home({"lead": "0.1", "middle": "-0.1"})


def with_law(b: MechanismBuilder) -> None:
    b.law("push", {"middle": 1})


def with_library_law(b: MechanismBuilder) -> None:
    b.law("hold", kanegen.laws.pd(kp={"middle": 1}, kd=1))


def with_symbol(b: MechanismBuilder) -> None:
    b.law("pull", {"lead": -sympy.Symbol("middle")})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (with_home, "'middle', which follows 'lead'.* Leave it out: it stands where 'lead' puts it"),
        (
            with_law,
            "'middle', which follows 'lead'.* Give one on 'lead': a force on 'middle' acts there times",
        ),
        (with_library_law, "'middle', which follows 'lead'.* Give 'lead' alone"),
        (with_symbol, "'middle' .a joint that follows another, which is no coordinate: write its leader"),
    ],
)
def test_descriptions_that_name_them(declared: Any, said: str) -> None:
    b = builder()
    declared(b)
    with pytest.raises(ModelError, match=said):
        b.build()


def builder() -> MechanismBuilder:
    b = MechanismBuilder("gripper")
    for name in ("palm", "near", "far"):
        b.body(name, mass=1, center=(0, 0, "0.1"), inertia=(1, 1, 1))
    half = JointLimits(lower=Fraction(-1, 2), upper=Fraction(1, 2))
    b.revolute("turn", "base", "palm", axis=(0, 0, 1))
    b.revolute("lead", "palm", "near", axis=(0, 1, 0))
    b.revolute("middle", "palm", "far", axis=(0, 1, 0), limits=half)
    b.mimic("middle", "lead", multiplier=-2, offset="0.1")
    return b
