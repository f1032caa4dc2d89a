"""Derivatives of a seven-axis arm (CASE 32): code that a compiler takes in its stride, and only what was asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen import cli
from tests.mechanism.importers.documents import joint, link, robot

from .files import inertial

pytestmark = pytest.mark.all_passes

KERNELS = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")
BODY = "0.5 0.4 0.3 0.01 -0.02 0.03"
MEMORY, SECONDS = 1 << 20, 60
"""What a compiler may have: KiB, and seconds of its own time; it needs about a tenth of that."""


def seven_axes() -> str:
    """Axes at right angles in turn, offsets between them, and full inertias."""
    turns = ("1.5707963267948966", "-1.5707963267948966")
    links = [
        link(f"l{i}", inertial(BODY, f'<origin xyz="0.0{i} -0.02 0.1{i}"/>', f"{8 - i}.5"))
        for i in range(1, 8)
    ]
    joints = [
        joint(
            f"j{i}",
            f"l{i - 1}",
            f"l{i}",
            f'<origin xyz="0.0{i} 0 0.3" rpy="{turns[i % 2]} 0 0"/><axis xyz="0 0 1"/>',
        )
        for i in range(1, 8)
    ]
    return robot(link("l0", ""), *links, *joints, name="seven")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C of the derivatives, and of nothing else; the plain derivation, which is the longest code."""
    folder = tmp_path_factory.mktemp("seven")
    (folder / "seven.urdf").write_text(seven_axes())
    arguments = ["generate", str(folder / "seven.urdf"), "-o", str(folder / "out"), "--search", "0"]
    assert cli.main([*arguments, "--kernels", *KERNELS]) == 0
    return folder / "out"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a shell")
def test_a_compiler_with_little_memory_and_time_is_enough(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 32: within 1 GB and a minute; the values are the differences of the dynamics."""
    script = tmp_path / "cc"
    script.write_text(f'#!/bin/sh\nulimit -v {MEMORY} -t {SECONDS}\nexec gcc "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))
    arm = kanegen.load(written)
    assert arm.target is not None
    assert arm.kernels == KERNELS
    plain = kanegen.load(
        written.parent / "seven.urdf", kernels=["inverse_dynamics", "forward_dynamics"], interpreted=True
    )
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 7))
    tau = plain.inverse_dynamics(q, v, a)
    steps = 1e-6 * np.vstack([np.eye(7), -np.eye(7)])
    for name, kernel, last in (
        (KERNELS[0], plain.inverse_dynamics, a),
        (KERNELS[1], plain.forward_dynamics, tau),
    ):
        found = arm.call(name, q, v, last)
        for i, matrix in enumerate(found):
            states = [
                np.broadcast_to(x, (14, 7)) + (steps if i == place else 0.0)
                for place, x in enumerate((q, v, last))
            ]
            values = kernel(*states)
            differences = ((values[:7] - values[7:]) / 2e-6).T
            # Rounding of 1e-15 of the largest value over the step of 1e-6, times a few hundred roundings.
            assert_allclose(matrix, differences, atol=1e-7 * max(1.0, np.abs(values).max()))


def test_what_was_not_asked_for_is_not_written(written: Path) -> None:
    """Case 32: neither in the C, nor declared, nor in the manifest."""
    for path in written.iterdir():
        text = path.read_text(encoding="utf-8")
        for kernel in (
            "mass_matrix",
            "gravity_forces",
            "frame_pose",
            "kinetic_energy",
            "regressor",
            "coriolis",
        ):
            assert f"seven_{kernel}" not in text
            assert f'"{kernel}' not in text or path.name == "manifest.json"
    header = (written / "seven.h").read_text(encoding="utf-8")
    for kernel in KERNELS:
        assert f"void seven_{kernel}(" in header
    assert "seven_inverse_dynamics(" not in header
    assert "seven_forward_dynamics(" not in header
