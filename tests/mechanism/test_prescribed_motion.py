"""Which motions may be prescribed: those that look the same however far they have gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kanegen.codegen.mechanism import (
    BASE,
    DistanceRate,
    JointRate,
    LoopKind,
    MechanismBuilder,
    ModelError,
    PointVelocityComponent,
    PrescribedRate,
    validated,
)

from .constrained_models import X, Z, chain

Step = Callable[[MechanismBuilder], object]
S = LoopKind.SPHERICAL


def table(
    axis: tuple[float, ...], gravity: tuple[float, ...], rate: float, slide: bool = False
) -> MechanismBuilder:
    """A body on a joint that moves at a given rate, and a pendulum in it."""
    builder = MechanismBuilder("table", gravity=gravity)
    builder.body("top")
    builder.body("bob", mass=1, center=(1, 0, 0), inertia=(1, 1, 1))
    (builder.prismatic if slide else builder.revolute)("moves", BASE, "top", axis)
    builder.revolute("swing", "top", "bob", (1, 0, 0))
    builder.prescribe("moves", rate)
    return builder


@pytest.mark.parametrize(
    ("axis", "gravity", "rate", "slide"),
    [
        (Z, (0, 0, -9.81), 2, False),
        ((0, 0, -1), (0, 0, -9.81), 2, False),
        ((0.6, 0, 0.8), (-6, 0, -8), 2, False),
        (X, (0, 0, 0), 2, False),
        (X, (0, 0, -9.81), 0, False),  # at rest: an auxiliary speed
        (X, (0, 0, -9.81), 2, True),
        (Z, (0, 0, -9.81), 0, True),
    ],
)
def test_gravity_may_not_change_with_the_way_that_a_prescribed_joint_has_gone(
    axis: tuple[float, ...], gravity: tuple[float, ...], rate: float, slide: bool
) -> None:
    assert table(axis, gravity, rate, slide).build().coordinates == ("swing",)


@pytest.mark.parametrize(
    ("axis", "slide"), [(X, False), ((0, 0.6, 0.8), False), (Z, True), ((0.6, 0, 0.8), True)]
)
def test_rates_that_change_what_gravity_does_are_refused(axis: tuple[float, ...], slide: bool) -> None:
    needed = "perpendicular to" if slide else "along"
    with pytest.raises(
        ModelError,
        match=f"prescribed joint 'moves': moves at a rate, .*; expected an axis {needed} gravity, no",
    ):
        table(axis, (0, 0, -9.81), 2, slide).build()


def test_a_rate_that_depends_on_parameters_counts_as_one() -> None:
    builder = table(X, (0, 0, -9.81), 0)
    rate = builder.parameter("w", 0, "rad/s")
    model = replace(builder.build(), prescribed=(PrescribedRate("moves", rate),))
    with pytest.raises(ModelError, match="expected an axis along gravity"):
        validated(model)


def test_what_carries_a_joint_with_a_rate_may_not_move_by_itself() -> None:
    builder = chain()
    builder.prescribe("d", 1)
    builder.speeds(JointRate(name) for name in "abce")
    with pytest.raises(
        ModelError, match="prescribed joint 'd': moves at a rate and hangs on the joint 'c', which moves what"
    ):
        builder.build()


@pytest.mark.parametrize(("second", "fits"), [(0, True), (1, False)])
def test_joints_with_rates_may_not_turn_each_other(second: float, fits: bool) -> None:
    builder = table(Z, (0, 0, 0), second)
    builder.body("rider", mass=1)
    builder.body("hand", mass=1)
    builder.revolute("rides", "top", "rider", X)
    builder.revolute("waves", "rider", "hand", Z)
    builder.prescribe("rides", 1)
    if fits:
        builder.build()
        return
    with pytest.raises(
        ModelError, match="prescribed joint 'rides': moves at a rate and hangs on the joint 'moves'"
    ):
        builder.build()


@pytest.mark.parametrize(
    ("tie", "what"),
    [
        (lambda m: m.loop("hook", S, "tip", BASE), "loop 'hook'"),
        (lambda m: m.rolling("roll", "tip", 1), "rolling contact 'roll'"),
        (lambda m: m.rolling("roll", "tip", 1, "table", contact=BASE), "rolling contact 'roll'"),
        (lambda m: m.translational_spring("coil", "tip", BASE, 1), "spring 'coil'"),
        (lambda m: m.knife_edge("cut", BASE, ground="tip"), "knife edge 'cut'"),
    ],
)
def test_nothing_ties_what_a_joint_with_a_rate_carries_to_the_rest(tie: Step, what: str) -> None:
    builder = chain()
    tie(builder)
    with pytest.raises(
        ModelError, match=f"prescribed joint 'turn': moves at a rate, and {what} ties '.*' across it"
    ):
        builder.build()


def test_no_distance_across_a_joint_with_a_rate_is_a_speed() -> None:
    builder = chain()
    builder.frame("far", BASE, position=(3, 0, 0))
    builder.speeds([*(JointRate(name) for name in "abcd"), DistanceRate("tip", "far")])
    with pytest.raises(
        ModelError, match="'turn': moves at a rate, and a generalized speed ties 'tip' to 'far' across it"
    ):
        builder.build()
    builder.speeds([*(JointRate(name) for name in "abcd"), DistanceRate("tip", "post")])
    assert builder.build().dof == 5


def test_velocities_relative_to_what_carries_the_joint_stay_the_same() -> None:
    builder = chain()
    builder.knife_edge("cut", "tip")
    builder.speeds([*(JointRate(name) for name in "abc"), PointVelocityComponent("tip", X)])
    assert builder.build().dof == 4
