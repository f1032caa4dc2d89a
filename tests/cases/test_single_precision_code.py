"""Generated C in single precision: how it is asked for."""

from __future__ import annotations

import pytest

import kanegen
from kanegen.codegen import cli

KERNELS = ["inverse_dynamics", "mass_matrix"]


def test_single_precision_is_asked_for_in_python_as_on_the_command_line(tmp_path, capsys):
    """Case 88: ``kanegen.generate`` has ``float32`` and ``sincos``, and writes the same bytes as the command."""
    words = ["generate", "stanford_arm", "--kernels", *KERNELS, "--float32", "--sincos", "libm"]
    assert cli.main([*words, "-o", str(tmp_path / "command")]) == 0
    capsys.readouterr()
    kanegen.generate("stanford_arm", tmp_path / "python", kernels=KERNELS, float32=True, sincos="libm")
    by_command, in_python = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}
        for folder in ("command", "python")
    )
    assert in_python == by_command
    assert b"void stanford_arm_inverse_dynamics_batch_f32(" in in_python["stanford_arm.h"]
    assert b"sinf(" in in_python["stanford_arm.c"]


def test_the_library_of_sines_is_one_of_two(tmp_path):
    """Case 88: another word is refused before anything is written."""
    with pytest.raises(ValueError, match="sincos: expected 'vector' or 'libm', got 'library'"):
        kanegen.generate("stanford_arm", tmp_path / "out", sincos="library")
    assert not (tmp_path / "out").exists()
