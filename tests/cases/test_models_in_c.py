"""Models (CASES 8, 13 and 28), as they come out in generated files."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen import pipeline
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder, ModelError
from kanegen.codegen.pipeline import Options

QUICK = Options(search=5)

HOSTILE = '"; system("touch owned"); /* */ */\n#include </etc/passwd>\n??/'


def marker_hand() -> Mechanism:
    """A wrist with nothing but a marker beyond it."""
    builder = MechanismBuilder("hand")
    builder.body("arm", mass=1, center=(1, 0, 0))
    builder.body("marker")
    builder.revolute("shoulder", BASE, "arm", axis=(0, 1, 0))
    builder.revolute("wrist", "arm", "marker", axis=(0, 1, 0), position=(2, 0, 0))
    return builder.build()


def test_a_kernel_that_cannot_be_leaves_nothing_behind(tmp_path: Path) -> None:
    """Case 8."""
    with pytest.raises(ModelError, match="joint 'wrist': has no inertia behind it"):
        pipeline.generate(marker_hand(), tmp_path, Options(kernels=("forward_dynamics",)))
    assert not list(tmp_path.iterdir())


def test_all_other_kernels_are_generated_and_the_manifest_gives_the_reason(tmp_path: Path) -> None:
    """Case 8."""
    generated = pipeline.generate(marker_hand(), tmp_path, QUICK)
    assert "forward_dynamics" not in generated.kernels
    assert {"inverse_dynamics", "mass_matrix", "momentum", "frame_pose_marker"} <= set(generated.kernels)
    assert "wrist" in generated.model.unavailable["forward_dynamics"]
    assert "wrist" in (tmp_path / "manifest.json").read_text(encoding="utf-8")


def test_a_base_link_without_inertia_is_fine() -> None:
    """Case 8."""
    builder = MechanismBuilder("based")
    builder.body("foot")
    builder.body("arm", mass=1, center=(1, 0, 0))
    builder.fixed("weld", BASE, "foot", position=(0, 0, 1))
    builder.revolute("joint", "foot", "arm", (0, 1, 0))
    zero = np.zeros(1)
    found = pipeline.interpret(builder.build()).evaluate(
        "forward_dynamics", {"q": zero, "v": zero, "tau": zero}, {}
    )
    assert found["a"].tolist() == pytest.approx([9.81])


def test_hostile_names_come_through_generation(tmp_path: Path) -> None:
    """Case 13."""
    builder = MechanismBuilder("math")
    for link in ("I", HOSTILE):
        builder.body(link, mass=2, center=(0.5, 0, 0))
    builder.revolute("int", BASE, "I", (0, 0, 1))
    builder.revolute("lambda", "I", HOSTILE, (0, 0, 1), position=(1, 0, 0))
    generated = pipeline.generate(builder.build(), tmp_path, QUICK)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["model"]["name"] == "math"
    assert manifest["model"]["prefix"] == "math_1"
    assert manifest["body_names"] == ["I", HOSTILE]
    assert manifest["joint_names"] == ["int", "lambda"]
    assert HOSTILE in manifest["frames"]
    for path in generated.files:
        assert re.fullmatch(r"\w+\.\w+", path.name)
        if path.suffix in (".c", ".h", ".cdef"):
            text = path.read_text(encoding="utf-8")
            assert "system(" not in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            assert not re.search(r"#\s*include\s*</", text)
            assert "??/" not in text
            assert text.count("/*") == text.count("*/")
    for kernel in manifest["kernels"].values():
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", kernel["function"])


def test_ratios_and_huge_rationals_reach_the_c_as_doubles(tmp_path: Path) -> None:
    """Case 28: 1/3 is no integer division, and (10^40 + 1) / 10^40 overflows nothing."""
    builder = MechanismBuilder("ratios", gravity=(0, -9.81, 0))
    builder.body("a", mass=Fraction(1, 3), center=(Fraction(10**40 + 1, 10**40), 0, 0))
    builder.revolute("j", BASE, "a", (0, 0, 1))
    generated = pipeline.generate(builder.build(), tmp_path, QUICK)
    text = (tmp_path / "ratios.c").read_text(encoding="utf-8").partition("/* ---- kernels ---- */")[2]
    text = text.partition("/* ---- many states")[0]
    body = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert "/" not in body
    assert max(len(digits) for digits in re.findall(r"\d+", body)) <= 17
    assert generated.kernels["mass_matrix"].residual < 1e-15
