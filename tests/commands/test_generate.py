"""kanegen generate, as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kanegen
from kanegen.builds.compiler import find_compiler
from kanegen.codegen.cli import main

pytestmark = pytest.mark.all_passes


def test_verify_leaves_a_certificate_beside_the_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if find_compiler() is None:
        pytest.skip("needs a C compiler")
    wanted = [
        "--kernels",
        "gravity_forces",
        "--search",
        "1",
        "--verify",
        "--json",
        "-o",
        str(tmp_path / "arm"),
    ]
    assert main(["generate", "stanford_arm", *wanted]) == 0
    certificate = json.loads((tmp_path / "arm" / "certificate.json").read_text())
    assert certificate["states"] == 102
    # rounding of some sixty operations, relative to the largest component
    assert 0 < certificate["compiled"]["gravity_forces"] < 60 * 2**-53
    report = json.loads(capsys.readouterr().out)
    folder = kanegen.generate(
        "stanford_arm", tmp_path / "b", kernels=["gravity_forces"], search=1, verify=True
    )
    assert json.loads((folder / "certificate.json").read_text()) == certificate
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["asked"] == {"search": 1, "verify": True}
    told = report["kernels"]["gravity_forces"]["operations"]
    assert told.items() >= manifest["kernels"]["gravity_forces"]["operation_counts"].items()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--lock", "q1=1", "--lock", "q1=2"), "twice"),
        (("--lock", "q1=1,2"), "a number"),
        (("--payload", "F=1,2"), "mass"),
        (("--base", "1", "2"), "roll"),
        (("--live", "masses,,"), "list of names"),
        (("--live", "mases"), "'masses'"),
    ],
)
def test_changes_that_cannot_be(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are wrong requests, and no faults of kanegen."""
    assert main(["generate", "stanford_arm", *words]) == 1
    output = capsys.readouterr().err
    assert said in output
    assert "fault of kanegen" not in output
