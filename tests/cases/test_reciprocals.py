"""Values and their own reciprocals (case 86)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kanegen
from kanegen.codegen.mechanism import LoopKind, MechanismBuilder
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.speeds import JointRate

pytestmark = pytest.mark.all_passes


def slider_crank() -> Mechanism:
    """Crank, rod and slider, with lengths that stay live."""
    b = MechanismBuilder("slider crank", gravity=(0, -9.81, 0))
    crank, rod = b.parameter("crank", 0.1, "m"), b.parameter("rod", 0.3, "m")
    b.body("arm", 1, (0.05, 0, 0), (0.001, 0.001, 0.001))
    b.body("link", 1, (0.15, 0, 0), (0.001, 0.002, 0.002))
    b.body("block", 1)
    b.revolute("q1", "base", "arm", (0, 0, 1))
    b.revolute("q2", "arm", "link", (0, 0, 1), position=(crank, 0, 0))
    b.prismatic("x", "base", "block", (1, 0, 0))
    b.frame("end", "link", (rod, 0, 0))
    b.loop("pin", LoopKind.REVOLUTE, "end", "block")
    b.speeds([JointRate("q1")])
    b.home([0, 0, 0.4])
    return b.build()


def test_no_product_of_a_value_and_its_reciprocal(tmp_path: Path) -> None:
    """Case 86: none in the C of a slider-crank with live lengths, where 4 of 39 products were such or followed from it."""
    kernels = ["inverse_dynamics", "forward_dynamics"]
    kanegen.generate(slider_crank(), tmp_path, live_parameters=True, kernels=kernels)
    text = (tmp_path / "slider_crank.c").read_text(encoding="ascii")
    reciprocals = re.findall(r"const double (t\d+) = 1\.0 / (t\d+);", text)
    assert reciprocals
    for share, value in reciprocals:
        assert not re.search(rf"\b{value} \* {share}\b|\b{share} \* {value}\b", text)
    arm = kanegen.load(slider_crank(), interpreted=True, live_parameters=True, kernels=["inverse_dynamics"])
    assert arm.operation_counts["inverse_dynamics"].multiplications <= 35  # 38 before
