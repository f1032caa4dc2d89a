"""``kanegen sweep``: a study in a file, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.cli import main

pytestmark = pytest.mark.needs("pyarrow")

MODEL = """
name = "swing"
[parameters]
k = { value = 30, unit = "N m/rad" }
m = { value = 2, unit = "kg" }
[[body]]
name = "rod"
mass = "m"
center = [0, 0, -0.5]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "hinge"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
[[law]]
name = "hold"
references = ["wanted"]
forces = { hinge = "k*(wanted - hinge) - 2*rate(hinge)" }
"""
HEAD = """
model = "swing.toml"
duration = 0.1
controller = "hold"
reference = "wanted.csv"
method = "rk4"
step = 0.005
chunk = 8
outputs = ["kinetic_energy"]
rows = 3
"""
REST = """
[draws]
samples = 5
seed = 3
[parameters]
m = { latin = [1, 3] }
[gains]
k = { random = [1, 100], scale = "log" }
[initial]
q.hinge = { grid = [0, 1], count = 3 }
v.hinge = 0.1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "swing.toml").write_text(MODEL)
    (tmp_path / "wanted.csv").write_text("t,wanted\n0,0\n0.1,0.5\n")
    (tmp_path / "study.toml").write_text(HEAD + REST)
    return tmp_path


def test_a_study_in_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", str(folder / "study.toml")]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "15 runs of swing" in told.out
    assert "15 DONE" in told.out
    assert told.err == ""
    found = kanegen.Sweep(folder / "study_results")
    assert found["q0.hinge"].tolist() == [0] * 5 + [0.5] * 5 + [1] * 5
    swing = kanegen.load(folder / "swing.toml", live=["m", "k"])
    motions = kanegen.simulate_many(
        swing,
        found["q0.hinge"][:, None],
        [0.1],
        0.1,
        "hold",
        "rk4",
        step=0.005,
        times=[0, 0.05, 0.1],
        parameters={"m": found["p.m"], "k": found["p.k"]},
        references={"wanted": ([0, 0.1], [0, 0.5], "cubic")},
    )
    assert np.array_equal(found["rows.q.hinge"], motions.q[:, :, 0])
    assert main([*words, "--threads", "2"]) == 0
    assert main([*words, "--output", str(folder / "other"), "--threads", "2"]) == 0
    assert kanegen.Sweep(folder / "other").to_arrow().equals(found.to_arrow())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("duration = 0.1", "", "duration is missing"),
        ("duration = 0.1", "duration = true", "duration: expected a finite number"),
        ("chunk = 8", "chunks = 8", "no word 'chunks' of a study. Did you mean 'chunk'?"),
        ("seed = 3", "seeds = 3", "draws: there is no word 'seeds'. Did you mean 'seed'?"),
        ("q.hinge = { grid = [0, 1], count = 3 }", "x.hinge = 1", "initial: there is no word 'x'"),
        (
            "q.hinge",
            "q.hing",
            "initial.q.hing: is not there in swing; expected one of hinge. Did you mean 'hinge'?",
        ),
        ("m = { latin = [1, 3] }", "mass = 1", "mass"),
        (
            "[draws]",
            '[options]\nlive = ["m", "k"]\n[parameters."rod.x"]\ngrid = [1]\n[draws]',
            "parameters.rod.x: is not there in swing; expected one of k, m. Mend it, or have options.live name it",
        ),
        (
            "latin = [1, 3]",
            "latin = [3, 3]",
            "study.toml, parameters.m, latin: is [3, 3]; expected [LOW, HIGH]",
        ),
        ("[gains]", "[gains]\nm = 1", "'m' is among parameters and gains"),
        ("controller", "#", "there are gains and no controller"),
        ("rows = 3", "rows = 3\ntimes = [0.1]", "times and rows"),
        ("step = 0.005", "", "step"),
        ("step = 0.005", "step = [1]", "step: expected a finite number"),
        ('"hold"', '"hol"', "hold"),
        ("[draws]", "[draws]\nsamples = 3", "is no TOML"),
        ("[draws]", "[options]\ngravit = 3\n[draws]", "no option 'gravit'; did you mean 'gravity'?"),
        ("samples = 5", "", "samples: is missing"),
    ],
)
def test_what_is_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    study = folder / "study.toml"
    study.write_text((HEAD + REST).replace(old, new, 1))
    assert main(["sweep", str(study)]) == 1
    assert said in capsys.readouterr().err
    assert not (folder / "study_results").exists()
