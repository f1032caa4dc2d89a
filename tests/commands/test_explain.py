"""The table of passes that ``kanegen generate --explain`` prints; what it tells of frames is asked in test_frames_in_use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kanegen.codegen.cli import main


def test_stages_and_certificate_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["generate", "stanford_arm", "--kernels", "mass_matrix", "--explain", "-o", str(tmp_path)]) == 0
    )
    text = capsys.readouterr().out
    assert re.search(r"^certificate: \d+ checks over 102 states, the largest residual ", text, re.MULTILINE)
    for stage in ("plain", "search", "flatten", "factor"):
        assert stage in text


@pytest.mark.parametrize(
    "model", ["flexible_one_link", "whipple_bicycle", "stanford_arm --formulation kane", "stewart_platform"]
)
def test_every_kind_of_mechanism_can_be_explained(model: str, tmp_path: Path) -> None:
    chosen = ["--kernels", "mass_matrix", "--search", "1", "--explain", "-o", str(tmp_path)]
    assert main(["generate", *model.split(), *chosen]) == 0
