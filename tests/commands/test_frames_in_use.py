"""What doctor and --explain tell of the frames that bodies work in."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanegen.codegen.cli import main
from kanegen.codegen.commands.frames_in_use import in_frames_of_the_file
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.reading import read
from kanegen.options import Options
from tests.laws.rewriting import printed, rewritten

pytestmark = pytest.mark.all_passes

TOLD = "of its links lie off joint axes and common normals"


@pytest.mark.parametrize("way", [None, "placed at random"])
def test_frames_off_the_axes_are_told(
    way: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what they would cost: RX-90 needs 226 / 205 operations without a search, in any frames."""
    described = with_numbers(mechanism("rx90_general"))
    file = tmp_path / "arm.toml"
    file.write_text(printed(rewritten(described, way)[0] if way else described, 17))
    assert main(["doctor", str(file)]) == 0
    found = capsys.readouterr().out
    assert (TOLD in found) == (way is not None)
    assert ("takes 226 / 205 in frames of its own" in found) == (way is not None)
    arguments = ["generate", str(file), "--kernels", "inverse_dynamics", "--search", "1", "--explain"]
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert ("frame of link3: turned by" in told) == (way is not None)
    assert "frame of link6: turned by" in told  # until its mass centre is on an axis
    assert ("without a search in frames of the file" in told) == (way is not None)


def test_friction_that_was_not_asked_for_costs_nothing(tmp_path: Path) -> None:
    """In the files' frames joints are turned by 1.57079632679, as they say, but have no damping either."""
    text = printed(with_numbers(mechanism("rx90_general")), 12)
    counts = []
    for damping in ("0.0", "1.5"):
        file = tmp_path / f"arm{damping}.toml"
        file.write_text(text.replace("damping = 0.0", f"damping = {damping}"))
        options = Options(search=1)
        counts.append(in_frames_of_the_file(KernelSources(read(file, options), options), "inverse_dynamics"))
    assert "1.57079632679" in text
    assert counts[0] == counts[1]


def test_frames_off_the_chains_of_a_loop_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The four-bar's inverse dynamics takes 92 operations without a search, in any frames."""
    file = tmp_path / "bar.toml"
    file.write_text(printed(rewritten(with_numbers(mechanism("four_bar")), "placed at random")[0], 17))
    assert main(["doctor", str(file)]) == 0
    found = capsys.readouterr().out
    assert TOLD in found
    assert "takes 61 / 31 in frames of its own" in found
    arguments = ["generate", str(file), "--kernels", "inverse_dynamics", "--explain"]
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "frame of coupler: turned by" in told
    assert "without a search in frames of the file" in told
