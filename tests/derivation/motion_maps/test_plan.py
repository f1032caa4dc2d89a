"""What the plan finds: degrees of freedom, redundant equations, reactions that are not unique, and what it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.derivation.motion_maps.report import constraint_report
from kanegen.codegen.mechanism import LoopKind, MechanismBuilder, ModelError, catalogue
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import JointRate


def names(mechanism: Mechanism, columns: tuple[int, ...]) -> set[str]:
    return {mechanism.coordinates[j] for j in columns}


def test_a_planar_loop_with_a_revolute_closure_repeats_three_equations() -> None:
    mechanism = catalogue.mechanism("four_bar")
    report = constraint_report(mechanism).constraints
    assert report.rank == 2
    assert report.redundant == ("closure z", "closure axis x", "closure axis y")
    assert report.indeterminate == ("closure", "q1", "q2", "q3")


def test_a_tilted_axis_needs_all_three_equations() -> None:
    report = constraint_report(catalogue.mechanism("four_bar_tilted")).constraints
    assert (report.rank, report.redundant, report.indeterminate) == (3, (), ())


def test_loops_that_share_coordinates_are_solved_one_by_one() -> None:
    """Each leg of the platform follows from the platform alone, in a block of its own."""
    mechanism = catalogue.mechanism("stewart_platform")
    plan = make_plan(mechanism)
    assert names(mechanism, plan.free) == {"x", "y", "z", "yaw", "pitch", "roll"}
    assert [names(mechanism, block.columns) for block in plan.blocks] == [
        {f"a{i}", f"b{i}", f"l{i}"} for i in range(1, 7)
    ]


def test_rolling_is_solved_for_the_point_of_contact_without_division() -> None:
    mechanism = catalogue.mechanism("rolling_disc")
    plan = make_plan(mechanism)
    assert [(names(mechanism, block.columns), block.unit) for block in plan.blocks] == [({"x", "y"}, 1)]


def test_a_wrong_number_of_speeds() -> None:
    mechanism = replace(catalogue.mechanism("four_bar"), speeds=(JointRate("q1"), JointRate("q3")))
    with pytest.raises(
        ModelError, match=r"1 degree of freedom \(3 coordinates, 2 independent equations\), but 2"
    ):
        make_plan(mechanism)


def test_a_loop_that_cannot_be_closed() -> None:
    short = MechanismBuilder("short", gravity=(0, -9.81, 0))
    for body in ("a", "b"):
        short.body(body, 1, inertia=(1, 1, 1))
    short.revolute("q1", "base", "a", (0, 0, 1))
    short.revolute("q2", "base", "b", (0, 0, 1), position=(3, 0, 0))
    short.frame("tip a", "a", (1, 0, 0))
    short.frame("tip b", "b", (1, 0, 0))
    short.loop("gap", LoopKind.SPHERICAL, "tip a", "tip b")
    short.speeds([JointRate("q1")])
    with pytest.raises(ModelError, match=r"'gap x': cannot be closed near home"):
        make_plan(short.build())


def test_speeds_that_do_not_determine_the_motion() -> None:
    """Two sliders on one bar: driving both leaves the third joint of the loop free."""
    b = MechanismBuilder("parallel", gravity=(0, 0, -9.81))
    for body in ("a", "b", "c"):
        b.body(body, 1, inertia=(1, 1, 1))
    b.prismatic("s1", "base", "a", (1, 0, 0))
    b.prismatic("s2", "base", "b", (1, 0, 0))
    b.prismatic("s3", "base", "c", (0, 1, 0))
    b.frame("a pin", "a")
    b.frame("b pin", "b")
    b.loop("together", LoopKind.FIXED, "a pin", "b pin")
    b.speeds([JointRate("s1"), JointRate("s2")])
    with pytest.raises(ModelError, match="do not determine its motion"):
        make_plan(b.build())


def test_configurations_for_checking_are_the_same_every_time() -> None:
    mechanism = catalogue.mechanism("five_bar")
    first = np.array(make_plan(mechanism).states)
    make_plan.cache_clear()
    np.testing.assert_array_equal(make_plan(mechanism).states, first)
