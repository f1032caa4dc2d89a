"""Cases 66, 75, 82 and 83: what counts as xacro, how its errors read, encodings, and arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

import kanegen
from kanegen.codegen.cli import main
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.model_file import format_of
from kanegen.codegen.mechanism.importers.xacro import from_xacro

pytestmark = pytest.mark.needs("xacro")

MESH = '<geometry><mesh filename="$(find nothing)/a.stl"/></geometry>'
FIXED = '<joint name="f" type="fixed"><parent link="w"/><child link="v"/></joint>'
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def swing(
    name: str = "rod", mass: str = "2", offset: str = "0.1", before: str = "", head: str = "<robot name='x'"
) -> str:
    """A rod on a hinge about y; ``before`` is on the second line."""
    return f"""{head} xmlns:xacro="http://www.ros.org/wiki/xacro">
{before}
<link name="w"/>
<link name="{name}"><inertial><origin xyz="{offset} 0 0"/><mass value="{mass}"/>{INERTIA}</inertial></link>
<joint name="j" type="continuous"><parent link="w"/><child link="{name}"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.parametrize("suffix", [".urdf.xacro", ".xacro", ".urdf", ".xml"])
def test_arguments_alone_are_xacro(tmp_path: Path, suffix: str) -> None:
    """Case 66: no link is called '$(arg side)_rod'."""
    path = tmp_path / f"arm{suffix}"
    path.write_text(swing("$(arg side)_rod"))
    assert format_of(path) == "xacro"
    with pytest.raises(
        kanegen.ModelError, match=r"arm\S*:4: xacro cannot expand it: Undefined .* argument side"
    ):
        kanegen.load(path)
    robot = kanegen.load(path, kernels=["mass_matrix"], arguments={"side": "left"}, interpreted=True)
    assert "left_rod" in robot.frame_names


RELATIVES = {
    "$(optenv KANEGEN_NO_SUCH 2.5)": 2.5,
    "$(env KANEGEN_MASS)": 3.5,
    "$(eval 1.5 + 3)": 4.5,
    "$(optenv KANEGEN_MASS 7)": 3.5,
    "$(arg mass)": 6.5,
    "$(eval mass * 2)": 13.0,
    "${2 * 3.5}": 7.0,
    "${xacro.arg('mass')}": 6.5,
}


@pytest.mark.parametrize("mass", RELATIVES)
def test_substitutions_in_attributes(tmp_path: Path, mass: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 66, in its kinds: the value is the one that the expression has by hand."""
    monkeypatch.setenv("KANEGEN_MASS", "3.5")
    path = tmp_path / "arm.urdf"
    declared = '<xacro:arg name="mass" default="6.5"/>' if "mass" in mass or "arg" in mass else ""
    path.write_text(swing(mass=mass, before=declared))
    inertia = read_file(path).mechanism.body("rod").inertia
    assert inertia is not None
    assert float(inertia.mass) == RELATIVES[mass]


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("<!-- $(arg side) and ${side} -->", "rod"),  # a comment is no text
        (f'<link name="v"><visual>{MESH}</visual></link>{FIXED}', "rod"),  # never looked at
        ("", "$$(arg rod)"),  # escaped
    ],
)  # fmt: skip
def test_what_is_no_substitution(tmp_path: Path, before: str, name: str) -> None:
    """Case 66: signs that xacro would not act upon, or that no reading of dynamics looks at."""
    path = tmp_path / "arm.urdf"
    path.write_text(swing(name, before=before))
    mechanism = read_file(path).mechanism
    assert mechanism.joints[-1].child == name.replace("$$", "$")


def test_a_substitution_in_a_text(tmp_path: Path) -> None:
    """Case 66: in the text of an element as in an attribute."""
    path = tmp_path / "arm.xacro"  # in a plain URDF, what Gazebo reads may keep its expressions
    path.write_text(swing(before="<gazebo><note>$(arg nowhere)</note></gazebo>"))
    with pytest.raises(kanegen.ModelError, match=r"arm\.xacro:2: xacro cannot expand it: Undefined"):
        kanegen.load(path)


@pytest.mark.parametrize(
    ("before", "line", "what"),
    [
        ('<xacro:arg name="side"/>', 2, "xacro cannot expand it"),
        ('<xacro:arg default="1"/>', 2, "xacro cannot expand it"),
        ("<xacro:arm/>", 2, "unknown macro name: xacro:arm"),
        ('<link name="${nothing}"/>', 2, "name 'nothing' is not defined"),
        ('<link name="${1/0}"/>', 2, "division by zero"),
        ('<link name="${[}"/>', 2, "xacro cannot expand it"),
        ('<link name="${int([])}"/>', 2, "xacro cannot expand it"),
        ('<link name="$(eval 1 +)"/>', 2, "xacro cannot expand it"),
        ('<link name="$(env KANEGEN_NO_SUCH)"/>', 2, "environment variable 'KANEGEN_NO_SUCH' is not set"),
        ('<link name="$(unknown x)"/>', 2, "Unknown substitution command"),
        ('<xacro:if value="maybe"><link name="l"/></xacro:if>', 2, "xacro cannot expand it"),
        ('<xacro:if><link name="l"/></xacro:if>', 2, "xacro cannot expand it"),
        ('<xacro:include filename="missing.xacro"/>', 2, "does not exist"),
        ("<xacro:include/>", 2, "xacro cannot expand it"),
        ('<xacro:insert_block name="b"/>', 2, "xacro cannot expand it"),
        ('<xacro:macro name="m" params="x y"/><xacro:m x="1"/>', 2, "Undefined parameters"),
        ('<xacro:call macro="m"/>', 2, "xacro cannot expand it"),
        ('<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><link name="${a}"/>', 2, "xacro"),
    ],
)  # fmt: skip
def test_what_xacro_cannot_expand(tmp_path: Path, before: str, line: int, what: str) -> None:
    """Case 75: each of these is a ModelError with file and line, for load and for the command line alike."""
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(swing(before=before))
    with pytest.raises(kanegen.ModelError) as caught:
        from_xacro(path)
    assert caught.value.where.startswith(f"{path}:{line}"), caught.value
    assert what in caught.value.what
    assert main(["doctor", str(path)]) == 1


def test_files_that_include_themselves(tmp_path: Path) -> None:
    """Case 75: an include without end is the file's fault, and no traceback."""
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(swing(before='<xacro:include filename="arm.urdf.xacro"/>'))
    with pytest.raises(kanegen.ModelError, match="call themselves without end"):
        from_xacro(path)


@pytest.mark.parametrize("name", ["utf8", "Utf-8", "cp65001"])
def test_spellings_of_utf_8(tmp_path: Path, name: str) -> None:
    """Case 82: Python's table of aliases is the independent source of what they mean."""
    path = tmp_path / "arm.urdf"
    path.write_text(f"<?xml version='1.0' encoding='{name}'?>\n" + swing("Träger"), encoding="utf-8")
    assert read_file(path).mechanism.joints[-1].child == "Träger"


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("latin1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("gb2312", "gb2312"),
        ("UTF-16", "utf-16"),
        ("UTF-32", "utf-32"),
        ("utf-8", "utf-8-sig"),
        ("latin-1", "utf-8-sig"),
        ("gb2312", "utf-16-be"),
        ("utf-8", "utf-16"),
    ],
)
def test_other_encodings(tmp_path: Path, declared: str, written: str) -> None:
    """Case 82: whatever Python can decode is read, marks at the beginning included."""
    name = "手臂" if written == "gb2312" else "Träger"
    path = tmp_path / "arm.urdf"
    text = f"<?xml version='1.0' encoding='{declared}'?>\n" + swing(name)
    path.write_bytes(text.encode(written))
    assert read_file(path).mechanism.joints[-1].child == name


@pytest.mark.parametrize(
    ("declared", "written", "what"),
    [
        ("klingon", "utf-8", "declares the encoding 'klingon', which is unknown"),
        ("rot13", "utf-8", "declares the encoding 'rot13', which is unknown"),
        ("utf-16", "utf-8", "declares the encoding 'utf-16', and has one byte for a character"),
        ("gb2312", "latin-1", "declares the encoding 'gb2312', and has bytes that are none of it"),
        ("utf8", "latin-1", "not well-formed XML, column 15: not well-formed"),
    ],
)
def test_encodings_that_cannot_be(tmp_path: Path, declared: str, written: str, what: str) -> None:
    """Case 82: what is said says what is wrong with the bytes."""
    path = tmp_path / "arm.urdf"
    text = f"<?xml version='1.0' encoding='{declared}'?>\n" + swing("Träger")
    path.write_bytes(text.encode(written))
    with pytest.raises(kanegen.ModelError, match=what):
        read_file(path)


DECLARED = '<xacro:arg name="side" default="left"/><xacro:arg name="mass" default="2"/>'
ARM = swing("$(arg side)_rod", "$(arg mass)", before=DECLARED)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(ARM)
    return path


def test_arguments_reach_the_mechanism_and_the_cache(arm: Path) -> None:
    """Case 83: the mass matrix is 1 + m 0.1^2 by hand, for each value of the argument its own kernels."""
    for mass in ("2", "5", "2"):
        robot = kanegen.load(arm, kernels=["mass_matrix"], arguments={"mass": mass})
        assert robot.mass_matrix([0.3]) == pytest.approx(1 + 0.01 * float(mass), rel=1e-15)


def test_arguments_on_the_command_line(arm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 83: generate, doctor and compare take --arg name:=value."""
    given = ["--arg", "side:=right", "--arg", "mass:=5"]
    kernels = ["--kernels", "mass_matrix", "--search", "1"]
    assert main(["generate", str(arm), "-o", str(tmp_path / "c"), *kernels, *given]) == 0
    robot = kanegen.load(tmp_path / "c")
    assert "right_rod" in robot.frame_names
    assert robot.mass_matrix([0.3]) == pytest.approx(1.05, rel=1e-15)
    assert main(["doctor", str(arm), *given]) == 0
    assert main(["doctor", str(arm), "--arg", "mass:=-5"]) == 1
    assert "is negative, -5 kg" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["doctor", str(arm), "--arg", "mass=5"])


@pytest.mark.parametrize(
    ("name", "cure"), [("sid", "Did you mean 'side'"), ("colour", "one of 'mass', 'side'")]
)
def test_unknown_arguments_are_refused(arm: Path, name: str, cure: str) -> None:
    """Case 83: with those that exist."""
    with pytest.raises(kanegen.ModelError, match=f"has no argument '{name}'.*{cure}"):
        kanegen.load(arm, arguments={name: "1"})
    assert main(["doctor", str(arm), "--arg", f"{name}:=1"]) == 1
    assert main(["compare", str(arm), "--formulations", "--arg", f"{name}:=1"]) == 1


def test_arguments_of_what_is_no_xacro_are_refused(tmp_path: Path) -> None:
    """Case 83: a URDF, a built-in and a mechanism take none."""
    path = tmp_path / "plain.urdf"
    path.write_text(swing())
    for model in (path, "stanford_arm", read_file(path).mechanism):
        with pytest.raises(kanegen.ModelError, match="takes no arguments, and was given 'side'"):
            kanegen.load(model, arguments={"side": "left"})
    with pytest.raises(TypeError, match="that are text"):
        kanegen.load(path, arguments={"side": 1})  # type: ignore[dict-item]
    assert main(["doctor", "stanford_arm", "--arg", "side:=left"]) == 1
    plain = tmp_path / "plain.urdf.xacro"
    plain.write_text(swing())
    with pytest.raises(kanegen.ModelError, match="has no argument 'side'"):
        kanegen.load(plain, arguments={"side": "left"})
