"""Configurations that do not close a linkage (CASES2 69): every checked call tells of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.errors import InconsistentStateError, ModelWarning

OPEN = 1e-6


def parallelogram(scale: float = 1.0) -> Mechanism:
    """Two cranks of ``scale`` m side by side, and a coupler of twice that; closed for q = (c, -c, c) with cranks at c."""
    builder = MechanismBuilder("parallelogram")
    for name in ("left", "coupler", "right"):
        builder.body(name, mass=1, center=(scale / 2, 0, 0), inertia=(scale**2 / 9,) * 3)
    builder.revolute("l", "base", "left", axis=(0, 1, 0))
    builder.revolute("c", "left", "coupler", axis=(0, 1, 0), position=(scale, 0, 0))
    builder.revolute("r", "base", "right", axis=(0, 1, 0), position=(2 * scale, 0, 0))
    builder.frame("end", "coupler", position=(2 * scale, 0, 0))
    builder.frame("tip", "right", position=(scale, 0, 0))
    builder.loop("closure", LoopKind.SPHERICAL, "end", "tip")
    builder.speeds([JointRate("l")])
    return builder.build()


def closed(angle: Any) -> np.ndarray:
    return np.stack([angle, -angle, angle], axis=-1)


@pytest.fixture(scope="module", params=[1.0, 1e-3], ids=["metres", "millimetres"])
def linkage(request: pytest.FixtureRequest) -> tuple[kanegen.Robot, float]:
    kernels = [
        "inverse_dynamics",
        "mass_matrix",
        "frame_pose_tip",
        "constraint_jacobian",
        "inverse_dynamics_derivatives",
    ]
    return kanegen.load(parallelogram(request.param), kernels=kernels, interpreted=True), request.param


def test_an_open_linkage_is_told(linkage: tuple[kanegen.Robot, float]) -> None:
    """Case 69: by hand, a coupler turned by e opens the loop by 2 e times its crank; the linkage is 6 cranks around."""
    arm, crank = linkage
    assert arm.constraints is not None
    # Around the loop: crank 1, coupler 2, crank 1, and 2 on the base between the hinges.
    assert arm.constraints.sizes == pytest.approx([6 * crank] * 3)
    for factor, told in ((0.9, False), (1.1, True)):
        q = closed(np.array(0.4))
        q[1] += factor * OPEN * 6 / 2 / np.cos(0.0)  # the coupler lies along x, so that its end moves along z
        for call in (
            lambda q=q: arm.inverse_dynamics(q, [0.1], [0.2]),
            lambda q=q: arm.mass_matrix(q),
            lambda q=q: arm.call("mass_matrix", q),
            lambda q=q: arm.frame_pose(q, "tip"),
            lambda q=q: arm.inverse_dynamics_derivatives(q, [0.1], [0.2]),
        ):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                call()
            assert [warning.category for warning in found] == [ModelWarning] * told
            if told:
                assert "leaves closure z open by" in str(found[0].message)
                assert found[0].filename == __file__


def test_the_worst_row_of_a_batch(linkage: tuple[kanegen.Robot, float]) -> None:
    """Case 69: one warning for a batch; it names the worst row.  Closed batches are quiet."""
    arm, _ = linkage
    q = closed(np.linspace(0.2, 1.2, 12)).reshape(3, 4, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.mass_matrix(q)
        arm.mass_matrix(np.empty((0, 3)))
    q[0, 1, 1] += 1e-3
    q[2, 3, 1] += 1e-2
    with pytest.warns(ModelWarning, match=r"q in row 2, 3 of the batch, the worst, leaves closure") as told:
        arm.mass_matrix(q)
    assert len(told) == 1


def test_an_error_by_option_and_none_where_nothing_is_to_be_looked_at(
    linkage: tuple[kanegen.Robot, float],
) -> None:
    """Case 69: the option is the robot's; bound kernels, and the kernels that close loops, never look."""
    arm, _ = linkage
    wrong = closed(np.array(0.4)) + np.array([0.0, 0.1, 0.0])
    strict, quiet = arm.with_open_loops("error"), arm.with_open_loops("ignore")
    with pytest.raises(InconsistentStateError, match=r"robot\.assemble\(q\)"):
        strict.mass_matrix(wrong)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        strict.mass_matrix(strict.assemble(wrong))
        quiet.mass_matrix(wrong)
        arm.constraint_residual(wrong)
        arm.constraint_jacobian(wrong)
        bound = arm.bind("mass_matrix")
        bound.q[:] = wrong
        bound()
    np.testing.assert_array_equal(bound.M, quiet.mass_matrix(wrong))
    with pytest.warns(ModelWarning, match="open"):
        arm.mass_matrix(wrong)  # it is as it was
    with pytest.raises(ValueError, match="with_open_loops:"):
        arm.with_open_loops("loud")  # type: ignore[arg-type]


def test_what_is_not_finite_is_not_open(linkage: tuple[kanegen.Robot, float]) -> None:
    """Case 69: NaN goes in and comes out, as from every call; and wrong shapes are told as such."""
    arm, _ = linkage
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(arm.mass_matrix([np.nan, 0.0, 0.0])).any()
        with pytest.raises(ValueError, match="mass_matrix, q"):
            arm.mass_matrix([0.0, 0.0])


def test_an_equation_of_ones_own_and_live_parameters() -> None:
    """Case 69: angles coupled by an equation are open by radians; live parameters go with the robot, as does the option."""
    builder = MechanismBuilder("geared")
    heavy = builder.parameter("heavy", 1, "kg", "mass of a body")
    for name in ("one", "two"):
        builder.body(name, mass=heavy, center=("0.1", 0, 0), inertia=("0.01", "0.02", "0.03"))
    builder.revolute("a", "base", "one", axis=(0, 1, 0))
    builder.revolute("b", "base", "two", axis=(0, 1, 0), position=(1, 0, 0))
    a, b = sympy.symbols("a b")
    builder.position_constraint("gear", a + 2 * b, [a, b])
    builder.speeds([JointRate("a")])
    arm = kanegen.load(builder.build(), kernels=["mass_matrix"], interpreted=True, live_parameters=True)
    other = arm.with_open_loops("error").with_parameters({"heavy": 2.0})
    assert arm.constraints is not None
    assert arm.constraints.sizes == (2.0,)  # by how much it changes for a radian
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other.mass_matrix([0.2, -0.1 + 0.9e-6])
    with pytest.raises(InconsistentStateError, match=r"leaves gear open by 2\.\de-06"):
        other.mass_matrix([0.2, -0.1 + 1.1e-6])


def test_trees_have_nothing_to_look_at() -> None:
    """Case 69: a tree's calls are those of its kernels, without anything in between."""
    builder = MechanismBuilder("tree")
    builder.body("rod", mass=1, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
    builder.revolute("phi", "base", "rod", axis=(0, 1, 0))
    arm = kanegen.load(builder.build(), kernels=["mass_matrix"], interpreted=True)
    assert arm.kernels == ("mass_matrix",)
    assert "watching" not in arm._kernels["mass_matrix"].call.__qualname__
