"""Rates of distances as speeds: every stage keeps them, and what cannot be derived from them is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kanegen.codegen.derivation.kernels.catalogue import TAU, A, V
from kanegen.codegen.derivation.kernels.contract import Arguments
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.mechanism import (
    BASE,
    DistanceRate,
    JointRate,
    Mechanism,
    MechanismBuilder,
    ModelError,
    validated,
    without_fixed_joints,
)
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.speeds import described_speed
from kanegen.codegen.mechanism.validation.constraints import driven_joints


def lifted(first: str = "foot", second: str = "eye") -> Mechanism:
    """A turning post, a boom on it, and a hook welded to the boom."""
    builder = MechanismBuilder("lifted")
    high = builder.parameter("h", "0.4", "m")
    builder.body("post", mass=3, inertia=(1, 1, 1))
    builder.body("boom", mass=2, center=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.body("hook", mass=1, inertia=(0.1, 0.1, 0.1))
    builder.revolute("swing", BASE, "post", (0, 0, 1))
    builder.revolute("lift", "post", "boom", (0, -1, 0), position=(0.1, 0, high))
    builder.fixed("weld", "boom", "hook", position=(1, 0, 0.1))
    builder.frame("foot", "post", (0.3, 0, 0.1))
    builder.frame("top", "post", (0, 0, 1))
    builder.frame("eye", "hook", (-0.4, 0, 0))
    builder.frame("pin", "boom")
    builder.frame("bolt", "post", (0.1, 0, high))
    builder.speeds([JointRate("swing"), DistanceRate(first, second)])
    builder.home((0, "0.3"))
    return builder.build()


def test_every_stage_keeps_them() -> None:
    model = lifted()
    assert model.dof == 2
    assert not model.plain_tree
    assert driven_joints(model) == ("swing",)
    for stage in (validated, with_numbers, without_fixed_joints):
        assert stage(model).speeds == (JointRate("swing"), DistanceRate("foot", "eye"))


def test_they_show_in_the_fingerprint() -> None:
    model = lifted()
    others = [
        replace(model, speeds=(JointRate("swing"), speed))
        for speed in (DistanceRate("eye", "foot"), DistanceRate("top", "eye"), JointRate("lift"))
    ]
    assert len({fingerprint(each) for each in (model, *others)}) == 4
    assert fingerprint(lifted()) == fingerprint(model)


def test_their_units_and_words() -> None:
    assert described_speed(DistanceRate("foot", "eye")) == "rate of the distance from foot to eye"
    arguments = Arguments.of(lifted())
    units = [arguments(slot).unit for slot in (V, A, TAU)]
    assert units == ["rad/s, m/s", "rad/s^2, m/s^2", "N m, N"]


def test_a_distance_that_does_not_change_is_no_speed() -> None:
    """Two points that coincide, two on the swing's axis, and one on the lift's axis seen from the post."""
    for ends in (("bolt", "pin"), ("base", "top"), ("foot", "pin")):
        with pytest.raises(
            ModelError, match=r"no coordinate changes this distance|do not determine its motion"
        ):
            make_plan(lifted(*ends))
