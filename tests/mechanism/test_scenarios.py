"""The scenarios of the catalogue: the paper's motions and numbers."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import sympy

from kanegen.codegen.derivation.kernels.prescribed_motion import prescribed_motion
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import evaluate
from kanegen.codegen.graph.sympy_bridge import UnsupportedExpressionError
from kanegen.codegen.mechanism import ModelError, catalogue
from kanegen.codegen.mechanism.scenarios import ControlledMotion, PrescribedMotion
from tests.derivation.tree_kernels import DYNAMICS

MOTIONS = json.loads((Path(__file__).parent.parent / "oracles" / "stanford_arm_motions.json").read_text())
ARM = catalogue.mechanism("stanford_arm")
PRESCRIBED, FEEDBACK, SWIVEL = catalogue.scenarios("stanford_arm")
START, TARGET = np.array([0, math.pi / 2, 0, 0, 0, 0]), np.array([*[math.pi / 3] * 5, 0.1])


def test_names() -> None:
    assert [s.name for s in catalogue.scenarios("stanford_arm")] == [
        "prescribed-motion",
        "feedback",
        "free-swivel",
    ]
    assert catalogue.scenario("stanford_arm", "feedback") == FEEDBACK
    assert catalogue.scenarios("rx90_general") == ()
    assert catalogue.scenarios("arm.urdf") == ()


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(ModelError, match="expected one of prescribed-motion, feedback, free-swivel"):
        catalogue.scenario("stanford_arm", "fig1")
    with pytest.raises(ModelError, match="expected a mechanism with scenarios: stanford_arm"):
        catalogue.scenario("rx90_general", "feedback")


def test_prescribed_motion_is_equation_127() -> None:
    assert isinstance(PRESCRIBED, PrescribedMotion)
    t = np.linspace(0, 10, 41)
    motion = evaluate(prescribed_motion(PRESCRIBED.q, PRESCRIBED.time, ARM), {"t": t})
    angle = (2 * np.pi * t / 10)[:, None]
    reach = TARGET - START
    # The angle is rounded thrice on the way to 2 pi, which the sine passes on, and some five operations follow.
    tolerance = 2**-53 * 2 * np.pi * 8
    expected = {
        "q": START + reach * (angle - np.sin(angle)) / (2 * np.pi),
        "v": reach * (1 - np.cos(angle)) / 10,
        "a": reach * 2 * np.pi * np.sin(angle) / 100,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(motion[name], values, rtol=0, atol=tolerance)


def test_forces_of_fig_1() -> None:
    table = MOTIONS["fig1"]["table"]
    assert isinstance(PRESCRIBED, PrescribedMotion)
    motion = evaluate(
        prescribed_motion(PRESCRIBED.q, PRESCRIBED.time, ARM),
        {"t": np.array([float(row["t"]) for row in table])},
    )
    program = DYNAMICS["inverse_dynamics"](place(ARM, Choices()), ARM, Choices())
    forces = evaluate(program, motion)["tau"] * [actuator.sign for actuator in ARM.actuators]
    for row, found in zip(table, forces, strict=True):
        assert np.abs(found - row["tau"]).max() <= 1e-12 * np.abs(row["tau"]).max()


@pytest.mark.parametrize(("scenario", "law"), [(FEEDBACK, "feedback_law"), (SWIVEL, "free_swivel_law")])
def test_controlled_motions(scenario: ControlledMotion, law: str) -> None:
    assert scenario.law == law
    assert law in [known.name for known in ARM.laws]
    assert scenario.duration == 10
    assert scenario.start == tuple(MOTIONS["fig3"]["table"][0]["q"])
    assert scenario.rtol == 1e-12
    stated = [target for target in scenario.targets if target is not None]
    assert stated == MOTIONS["fig3"]["q_star"][6 - len(stated) :]
    assert set(scenario.watched) <= set(ARM.coordinates)


def test_only_the_free_motion_conserves_momentum() -> None:
    assert isinstance(FEEDBACK, ControlledMotion)
    assert isinstance(SWIVEL, ControlledMotion)
    assert FEEDBACK.conserved is None
    assert SWIVEL.conserved is not None
    assert (SWIVEL.conserved.name, SWIVEL.conserved.component, SWIVEL.conserved.bound) == ("W31", 4, 1e-12)
    assert SWIVEL.targets[0] is None


def test_a_motion_that_the_graph_cannot_represent() -> None:
    t = sympy.Symbol("t")
    with pytest.raises(UnsupportedExpressionError, match="sinh in"):
        prescribed_motion([sympy.sinh(t)] * 6, t, ARM)
