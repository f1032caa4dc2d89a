"""``kanegen doctor``: output, JSON and exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kanegen.codegen.cli import main
from tests.mechanism.doctor.test_doctor import LIMIT, SOUND
from tests.mechanism.importers.documents import pendulum


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum(LIMIT, kind="revolute", body=SOUND))
    return path


def test_a_sound_model(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(sound)]) == 0
    assert capsys.readouterr().out == f"{sound}: 0 errors, 0 warnings, 0 doubts, 0 notes\n"


def test_findings_are_lines_with_file_and_line_errors_first(
    sound: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = sound.read_text().replace(
        '<parent link="a"/>', '<parent link="a"/><axis xyz="0 0 3"/><origin xyz="0,1 0 0"/>'
    )
    sound.write_text(text)
    assert main(["doctor", str(sound)]) == 1
    first, second, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{sound}:4: error: joint 'j', <origin> xyz: is '0,1 0 0', with a decimal comma")
    assert second.startswith(f"{sound}:4: note: joint 'j', <axis> xyz: has the length 3")
    assert last == f"{sound}: 1 error, 0 warnings, 0 doubts, 1 note"


def test_every_error_of_toml_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.toml"
    joint = '[[joint]]\nname = "{0}"\ntype = "revolute"\nparent = "base"\nchild = "{1}"\naxis = [0, 0, 1]\n'
    bodies = '[[body]]\nname = "a"\nmass = -1\n[[body]]\nname = "b"\nmass = 1\ninertia = [1, 1, 3]\n'
    path.write_text(bodies + joint.format("p", "a") + joint.format("q", "b"))
    assert main(["doctor", str(path)]) == 1
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}:1: error: body 'a', mass: is negative")
    assert second.startswith(f"{path}:4: error: body 'b', inertia: principal moments")


def test_json(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound.write_text(sound.read_text().replace("</robot>", "<robot>"))
    assert main(["doctor", str(sound), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["model"], report["errors"], report["warnings"], report["notes"]) == (str(sound), 1, 0, 0)
    (finding,) = report["findings"]
    assert set(finding) == {"severity", "where", "what", "expected", "cure", "file", "line"}
    assert (finding["severity"], finding["file"]) == ("error", str(sound))
    assert finding["line"] >= 4


def test_warnings_alone_pass(sound: Path) -> None:
    sound.write_text(sound.read_text().replace(LIMIT, LIMIT + '<axis xyz="0 0 1"/>' * 2))
    assert main(["doctor", str(sound)]) == 0


def test_a_built_in(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "stanford_arm"]) == 0
    assert "stanford_arm: 0 errors" in capsys.readouterr().out


def test_a_changed_model(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What changes warn of and what they refuse are findings."""
    assert main(["doctor", str(sound), "--payload", "b=0", "--gravity", "0", "0", "0"]) == 0
    assert main(["doctor", str(sound), "--payload", "b=-1"]) == 1
    assert main(["doctor", str(sound), "--lock", "j=99"]) == 1
    output = capsys.readouterr().out
    assert all(x in output for x in ("payload_b", "is negative", "nothing in it can move"))


def test_a_floating_base(tmp_path: Path) -> None:
    path = tmp_path / "body.urdf"
    path.write_text(f'<robot name="r"><link name="a">{SOUND}</link></robot>')
    assert main(["doctor", str(path)]) == 1
    assert main(["doctor", str(path), "--floating-base"]) == 0


def test_the_tolerance_of_angles(sound: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sound.write_text(sound.read_text().replace(LIMIT, LIMIT + '<origin rpy="1.5708 0 0"/>'))
    assert main(["doctor", str(sound)]) == 0
    assert "from pi/2 (1.5708)" in capsys.readouterr().out
    assert main(["doctor", str(sound), "--angle-tolerance", "1e-5"]) == 0
    assert "was taken for pi/2" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["no.urdf", "no_such_model", "."])
def test_what_is_no_model(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", name]) == 1
    assert "error" in capsys.readouterr().out


def test_xacro(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "arm.xacro"
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="x" value="1"/>'
    path.write_text(pendulum(LIMIT, kind="revolute", body=SOUND).replace('<robot name="r">', head))
    assert main(["doctor", str(path)]) == 0
    path.write_text(f'{head}<xacro:macro name="m"/></robot>')
    assert main(["doctor", str(path)]) == 1
    assert "xacro fragment without a robot, macros only: m" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("force", "told"),
    [
        ("gravity_forces[9]", "entries 0 to 0"),
        ("gravty_forces[0]", "Did you mean 'gravity_forces'"),
        ("gravity_forces[0]", ""),
    ],
)
def test_laws_refer_to_what_kernels_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], force: str, told: str
) -> None:
    path = tmp_path / "lift.toml"
    path.write_text(
        '[[body]]\nname = "a"\nmass = 1\n[[joint]]\nname = "z"\ntype = "prismatic"\nparent = "base"\nchild = "a"\n'
        f'axis = [0, 0, 1]\n[[law]]\nname = "hold"\nforces = ["{force}"]\n'
    )
    assert main(["doctor", str(path)]) == (1 if told else 0)
    assert told in capsys.readouterr().out
    if told.startswith("entries"):
        assert main(["simulate", str(path), "--time", "1", "--law", "hold"]) == 1
        assert told in capsys.readouterr().err
