"""What files bring along (CASES 11, 13, 16 and 17): odd names, foreign numbers, programs in disguise."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen import cli
from kanegen.codegen.mechanism import ModelError
from tests.mechanism.importers.documents import joint, link, pendulum, robot

from .files import LoadText, inertial

LINKS = ("I", "a b.c-d/e", '"; system("touch owned', "f\ng", "'", "*/ #include </etc/passwd> ??/")
JOINTS = ("int", "lambda", "q", "double ", "j\\", "%s`id`")


def escaped(name: str) -> str:
    """A name as an XML attribute spells it."""
    for letter, entity in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), ("\n", "&#10;")):
        name = name.replace(letter, entity)
    return name


HOSTILE = robot(
    link("root", ""),
    *(link(escaped(name), inertial()) for name in LINKS),
    *(
        joint(escaped(name), escaped(parent), escaped(child), '<axis xyz="0 0 1"/>', kind="prismatic")
        for name, parent, child in zip(JOINTS, ("root", *LINKS[:-1]), LINKS, strict=True)
    ),
    name="double",
)
WEIGHTS = 9.81 * np.arange(6, 0, -1)
"""What each slide carries: all links beyond it, 1 kg each."""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    path = tmp_path / "double.urdf"
    path.write_text(HOSTILE, encoding="utf-8")
    return path


@pytest.mark.parametrize("interpreted", [False, True])
def test_hostile_names_lead_to_their_own_bodies(hostile: Path, interpreted: bool) -> None:
    """Case 13: from the file to compiled C, which has the right values under the original names."""
    arm = kanegen.load(hostile, interpreted=interpreted)
    assert arm.name == "double"
    assert arm.joint_names == JOINTS
    assert arm.frame_names == ("root", *LINKS)
    q = np.arange(1.0, 7.0)
    assert_allclose(arm.gravity_forces(q), WEIGHTS, rtol=1e-15)
    for i, name in enumerate(LINKS):
        assert arm.frame_pose(q, name)[2, 3] == q[: i + 1].sum()
    assert not list(hostile.parent.glob("**/owned"))


def test_hostile_names_in_written_files(hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 13: through the command; originals are in the manifest, and nothing of them in C or Python code."""
    out = hostile.parent / "out"
    arguments = ["generate", str(hostile), "-o", str(out), "--search", "0", "--kernels", "gravity_forces"]
    assert cli.main(arguments) == 0
    assert re.search(r"wrote \d files", capsys.readouterr().out)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["model"]["name"] == "double"
    assert manifest["joint_names"] == list(JOINTS)
    assert set(LINKS) <= set(manifest["body_names"])
    for path in out.iterdir():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".pyi":
            ast.parse(text)
        elif path.suffix in (".c", ".h", ".cdef"):
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            assert "??/" not in text
            for word in ("system(", "passwd", "`", "touch"):
                assert word not in code
    assert_allclose(kanegen.load(out).gravity_forces(np.zeros(6)), WEIGHTS, rtol=1e-15)


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".urdf", pendulum('<origin xyz="0,3 0 0"/>'), r":4: joint 'j', <origin> xyz: is '0,3 0 0', with a decimal comma"),
        (".urdf", pendulum(body=inertial(mass="1,5")), r":3: link 'b', <mass> value: is '1,5', with a decimal"),
        (".toml", '[[body]]\nname = "b"\nmass = "1,5"\n', r":3: body 'b', mass: .*1,5"),
    ],
)  # fmt: skip
def test_a_decimal_comma_is_an_error_of_the_command(
    suffix: str, text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 11: file, line, element and the text found; exit code 1, and nothing is written."""
    path = tmp_path / f"arm{suffix}"
    path.write_text(text, encoding="utf-8")
    assert cli.main(["generate", str(path), "-o", str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(re.escape(str(path)) + message, line)
    assert cli.main(["doctor", str(path)]) == 1
    assert "1,5" in (report := capsys.readouterr().out) or "0,3 0 0" in report
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


XACRO = """\
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="half" value="${0.25 * 2}"/>
  <link name="a"/>
  <xacro:macro name="arm" params="name">
    <link name="${name}"><inertial><origin xyz="${half} 0 0"/><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="${name}_joint" type="continuous"><parent link="a"/><child link="${name}"/><axis xyz="0 1 0"/></joint>
  </xacro:macro>
  <xacro:arm name="b"/>
</robot>
"""


@pytest.mark.parametrize("suffix", [".xacro", ".urdf.xacro", ".urdf"])
def test_xacro_is_expanded(load_text: LoadText, suffix: str) -> None:
    """Case 16: where the extra is there, with the right values."""
    pytest.importorskip("xacro")
    arm = load_text(XACRO, "mass_matrix", suffix=suffix)
    assert arm.joint_names == ("b_joint",)
    assert arm.mass_matrix([0.3])[0, 0] == 1.5


def test_xacro_without_its_package(
    load_text: LoadText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 16: what it looks like, and what to install."""
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(ModelError, match=r"this looks like xacro.*pip install 'xacro"):
        load_text(XACRO, suffix=".urdf.xacro")
    path = tmp_path / "arm.xacro"
    path.write_text(XACRO)
    assert cli.main(["generate", str(path), "-o", str(tmp_path / "out")]) == 1
    assert "pip install 'xacro" in capsys.readouterr().err


COMMA = """\
import ctypes, hashlib, locale, pathlib, sys
locale.setlocale(locale.LC_ALL, "")
strtod = ctypes.CDLL(None).strtod
strtod.restype = ctypes.c_double
import kanegen
paths = sys.argv[1:]
found = [kanegen.load(p, interpreted=True, kernels=["mass_matrix"]).mass_matrix([0.3]).item() for p in paths]
out = kanegen.generate(paths[0], "out", kernels=["mass_matrix"])
files = b"".join(p.read_bytes() for p in sorted(pathlib.Path(out).iterdir()))
print(strtod(b"0.5", None), kanegen.load(out).mass_matrix([0.3]).item(), *found)
print(hashlib.sha256(files).hexdigest())
"""
PENDULUMS = {
    ".urdf": pendulum('<axis xyz="0 1 0"/>', body=inertial(origin='<origin xyz="0.25 0 0"/>', mass="1.5")),
    ".toml": '[[body]]\nname = "b"\nmass = 1.5\ncenter = [0.25, 0, 0]\ninertia = [1, "2.0", 2.5]\n'
    '[[joint]]\nname = "j"\ntype = "revolute"\nparent = "base"\nchild = "b"\naxis = [0, 1, 0]\n',
    ".xml": '<mujoco><worldbody><body name="b"><inertial pos="0.25 0 0" mass="1.5" diaginertia="1 2 2.5"/>'
    '<joint name="j" axis="0 1 0"/></body></worldbody></mujoco>',
}


def comma_locale(folder: Path) -> dict[str, str]:
    """The environment of a locale with a decimal comma, made in a folder if localedef can; else skip."""
    localedef = shutil.which("localedef")
    if (
        localedef is None
        or subprocess.run(
            [localedef, "-i", "de_DE", "-f", "UTF-8", str(folder / "de_DE.UTF-8")],
            capture_output=True,
            check=False,
        ).returncode
    ):
        pytest.skip("no locale with a decimal comma can be made here")
    return {"LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"}


def test_a_locale_with_a_decimal_comma(tmp_path: Path) -> None:
    """Case 17: the process reads, writes and compiles the same bytes, while the C library reads "0.5" as 0."""
    paths = [str(tmp_path / f"arm{suffix}") for suffix in PENDULUMS if suffix != ".xml" or _has_mujoco()]
    for path in paths:
        Path(path).write_text(PENDULUMS[Path(path).suffix])
    comma = comma_locale(tmp_path)

    def run(environment: dict[str, str]) -> list[str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
        cwd = tmp_path / environment["LC_ALL"][:1]
        cwd.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", COMMA, *paths],
            cwd=cwd,
            env=inherited | environment | {"KANEGEN_CACHE_DIR": str(cwd / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    half, with_comma = run(comma)
    point, without = run({"LC_ALL": "C"})
    # 2 + 1.5 * 0.25^2 kg m^2, exactly.
    values = ["2.09375"] * (1 + len(paths))
    assert half.split() == ["0.0", *values]
    assert point.split() == ["0.5", *values]
    assert with_comma == without


def _has_mujoco() -> bool:
    import importlib.util

    return importlib.util.find_spec("mujoco") is not None
