"""Decimals that stand for fractions of pi (Case 70): how they are read, what that changes, and what the others cost."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, from_dh
from kanegen.codegen.mechanism.importers import from_toml, from_urdf, read_file
from kanegen.codegen.mechanism.records import Matrix3, Mechanism
from kanegen.codegen.mechanism.rounded_angles import AS_WRITTEN, fraction_of_pi
from kanegen.options import Options

pytestmark = pytest.mark.all_passes

FULL = "1.5707963267948966"


def arm(right_angle: str) -> str:
    """Seven hinges whose axes are turned by right angles, as a well-known arm of seven axes is described."""
    turns = ("0", "-", "", "", "-", "", "")
    offsets = ("0 0 .33", "0 0 0", "0 -.31 0", ".08 0 0", "-.08 .38 0", "0 0 0", ".09 0 0")
    parts = ['<robot name="arm"><link name="l0"/>']
    for k, (turn, place) in enumerate(zip(turns, offsets, strict=True), start=1):
        rpy = "0 0 0" if turn == "0" else f"{turn}{right_angle} 0 0"
        parts.append(
            f'<link name="l{k}"><inertial><origin xyz=".0{k} .0{8 - k} -.03"/><mass value="{k}.5"/>'
            f'<inertia ixx=".02{k}" iyy=".03" izz=".01{k}" ixy=".001" ixz="-.0007" iyz=".0003"/></inertial></link>'
            f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/>'
            f'<origin xyz="{place}" rpy="{rpy}"/><axis xyz="0 0 1"/>'
            '<limit lower="-3" upper="3" effort="80" velocity="2"/></joint>'
        )
    return "\n".join([*parts, "</robot>"])


def fractions_of_pi() -> list[tuple[int, int]]:
    return [(k, n) for n in (1, 2, 3, 4, 6, 8, 12) for k in range(-2 * n, 2 * n + 1) if k]


def decimal(value: object, decimals: int, cut: bool) -> str:
    """A number of mpmath with so many decimals, rounded or cut off."""
    scaled = abs(value) * mp.mpf(10) ** decimals  # type: ignore[operator]
    digits = int(mp.floor(scaled) if cut else mp.nint(scaled))
    sign = "-" if value < 0 else ""  # type: ignore[operator]
    return f"{sign}{digits // 10**decimals}.{digits % 10**decimals:0{decimals}d}"


@pytest.mark.parametrize("decimals", [10, 11, 12, 14])
@pytest.mark.parametrize("cut", [False, True])
def test_decimals_of_fractions_of_pi_are_these(decimals: int, cut: bool) -> None:
    """Case 70: k pi/n with n in 1, 2, 3, 4, 6, 8, 12, rounded or cut off, against 60 digits of mpmath."""
    with mp.workdps(60):
        for k, n in fractions_of_pi():
            exact = mp.pi * k / n
            found = fraction_of_pi(Fraction(decimal(exact, decimals, cut)))
            assert found is not None, (k, n)
            assert abs(mp.mpf(found.numerator) / found.denominator - exact) < mp.mpf(10) ** -55


def test_doubles_of_fractions_of_pi_are_these() -> None:
    """Case 70: what programs print of k*pi/n and of the same computed in another order, to 16 or 17 digits."""
    for k, n in fractions_of_pi():
        for angle in (k * math.pi / n, k * (math.pi / n), k / n * math.pi):
            for text in (repr(angle), f"{angle:.17g}"):
                found = fraction_of_pi(Fraction(text))
                assert found is not None and float(found) == pytest.approx(angle, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["1.5708", "1.57079632", "1.5707963", "0.7854", "3.14159265", "1.57079637050628662"]
)
def test_fewer_digits_stay_as_written(text: str) -> None:
    """Case 70: nine digits, or those of a single-precision number, say another angle."""
    assert fraction_of_pi(Fraction(text)) is None


@pytest.mark.parametrize(
    "text", ["1.5707963268123", "1.57079632678", "0.7853981634974", "1.0471975513", "0.3926990818"]
)
def test_other_decimals_of_many_digits_stay_as_written(text: str) -> None:
    """Case 70: the last digits are neither those of a rounding nor of a cutting-off (pi/8 is 0.39269908169872...)."""
    assert fraction_of_pi(Fraction(text)) is None


def operations(mechanism: Mechanism, kernel: str, folder: Path) -> tuple[int, int]:
    made = pipeline.generate(mechanism, folder, Options(kernels=(kernel,), search=1))
    manifest = json.loads((folder / "manifest.json").read_text())
    counts = manifest["kernels"][kernel]["operation_counts"]
    assert made.model.name == mechanism.name
    return counts["multiplications"], counts["additions"]


@pytest.mark.parametrize(
    ("written", "kernel"),
    [
        *(
            (text, "inverse_dynamics")
            for text in ("1.57079632679", "1.570796326795", "1.570796327", "1.570796326")
        ),
        ("1.57079632679", "forward_dynamics"),
    ],
)
def test_rounded_right_angles_cost_nothing(written: str, kernel: str, tmp_path: Path) -> None:
    """Case 70: the counts are those of the file with all digits of a double, and the mechanism is the same."""
    rounded, full = from_urdf(arm(written)), from_urdf(arm(FULL))
    assert rounded == full
    assert full.rounded is None
    assert rounded.rounded is not None and rounded.rounded.count == 6
    assert operations(rounded, kernel, tmp_path) == operations(full, kernel, tmp_path)
    assert rounded.rounded.largest == pytest.approx(abs(float(written) - math.pi / 2), rel=1e-3)


def test_what_it_changes_is_stated(tmp_path: Path) -> None:
    """Case 70: header and manifest say how much forces change; here against both mechanisms as compiled kernels.

    Their states are others than those of the certificate: the measure is the same within a factor of ten.  Differences of
    1e-9 leave seven digits of what doubles have.
    """
    rounded = from_urdf(arm("1.570796327"))
    assert rounded.rounded is not None
    pipeline.generate(rounded, tmp_path, Options(kernels=("inverse_dynamics",), search=1))
    stated = json.loads((tmp_path / "manifest.json").read_text())["rounded_angles"]
    assert (stated["count"], stated["largest"]) == (6, 2e-10)
    assert "6 angles of the model's file are taken for the fractions of pi" in (
        tmp_path / "arm.h"
    ).read_text().replace("\n * ", " ")
    random = np.random.default_rng(70)
    q, v, a = random.standard_normal((3, 100, 7))
    one, other = (
        kanegen.load(m, kernels=["inverse_dynamics"], interpreted=True).inverse_dynamics(q, v, a)
        for m in (rounded, rounded.rounded.written)
    )
    change = (np.abs(one - other).max(axis=1) / np.abs(other).max(axis=1)).max()
    assert stated["change"] / 10 < change < stated["change"] * 10


def test_nothing_is_stated_where_nothing_was_changed(tmp_path: Path) -> None:
    """Case 70: with all digits written neither manifest nor header mentions angles."""
    pipeline.generate(from_urdf(arm(FULL)), tmp_path, Options(kernels=("mass_matrix",), search=1))
    assert "rounded_angles" not in json.loads((tmp_path / "manifest.json").read_text())
    assert "fractions of pi" not in (tmp_path / "arm.h").read_text()


def test_the_file_can_be_taken_as_written() -> None:
    """Case 70: angle_tolerance=0 keeps every digit."""
    assert from_urdf(arm("1.57079632679"), angle_tolerance=0) != from_urdf(arm(FULL))


def test_doctor_prices_fewer_digits(tmp_path: Path) -> None:
    """Case 70: the note has the counts of both readings, found anew here, and an option that works."""
    path = tmp_path / "arm.urdf"
    path.write_text(arm("1.5708"))
    note = next(f for f in diagnose(str(path)) if f.where == "angles")
    assert "angle_tolerance=4e-6" in note.cure
    plain = operations(from_urdf(arm("1.5708")), "inverse_dynamics", tmp_path / "a")
    better = operations(from_urdf(arm("1.5708"), angle_tolerance=4e-6), "inverse_dynamics", tmp_path / "b")
    assert better < plain
    assert f"takes {plain[0]} / {plain[1]} operations" in note.what
    assert f"{better[0]} / {better[1]} with quarter turns" in note.what


def rotation(mechanism: Mechanism, joint: str) -> Matrix3:
    return mechanism.joint(joint).rotation


HALF_ROOT_3 = math.sqrt(3) / 2


def test_toml_and_tables_of_denavit_and_hartenberg() -> None:
    """Case 70: the same rule for rotations and for rows in TOML, and for rows in Python; cos(pi/6) by hand."""
    body = '[[body]]\nname = "b"\nmass = 1\ninertia = [1, 1, 1]\n'
    text = f"""{body}
[[joint]]
name = "j"
type = "revolute"
parent = "base"
child = "b"
axis = [0, 0, 1]
rotation = [1.57079632679, 0, 0.5235987756]
"""
    mechanism = from_toml(text)
    turned = rotation(mechanism, "j")
    assert turned[1][0] == Fraction(1, 2)  # sin(pi/6)
    assert float(turned[0][0]) == HALF_ROOT_3
    assert mechanism.rounded is not None and mechanism.rounded.count == 2
    assert rotation(from_toml(text, angle_tolerance=AS_WRITTEN), "j")[1][0] != Fraction(1, 2)
    rows = [DHRow(alpha=1.57079632679, a=0.3, mass=1, inertia=(1, 1, 1)), DHRow(theta=-0.7853981634, mass=1)]
    full = [DHRow(alpha=math.pi / 2, a=0.3, mass=1, inertia=(1, 1, 1)), DHRow(theta=-math.pi / 4, mass=1)]
    for convention in ("standard", "modified"):
        rounded = from_dh(rows, convention)
        assert rounded.rounded is not None and rounded.rounded.count == 2
        for one, other in zip(rounded.joints, from_dh(full, convention).joints, strict=True):
            assert np.array(one.rotation, dtype=float) == pytest.approx(
                np.array(other.rotation, dtype=float), abs=1e-15
            )
    table = (
        '[[dh]]\nconvention = "modified"\n[[dh.row]]\nalpha = 1.57079632679\nmass = 1\ninertia = [1, 1, 1]\n'
    )
    assert (
        from_toml(table).joint("q1").rotation
        == from_dh([DHRow(alpha=math.pi / 2, mass=1)], "modified").joint("q1").rotation
    )


_TURNED = '<mujoco><compiler angle="radian"/><worldbody><body name="b" euler="{} 0 0"><joint/><geom size=".1"/></body>'
_JOINT = (
    '[[body]]\nname = "b"\nmass = 1\n[[joint]]\nname = "j"\ntype = "revolute"\nparent = "base"\nchild = "b"\n'
)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (".urdf", arm("{}")),
        (".xml", _TURNED + "</worldbody></mujoco>"),
        (".toml", _JOINT + "axis = [1, 0, 0]\nrotation = [{}, 0, 0]\n"),
        (".toml", _JOINT + 'axis = [1, 0, 0]\nrotation = ["{}", 0, 0]\n'),
        (".toml", '[[dh]]\nconvention = "standard"\n[[dh.row]]\nalpha = {}\nmass = 1\n'),
        ("DHRow", "{}"),
    ],
)
def test_written_zeros_are_digits_in_every_format(form: str, text: str, tmp_path: Path) -> None:
    """Case 70: 2.356194490 are ten digits of 3 pi/4, 2.35619449 are nine of something."""
    if form == ".xml":
        pytest.importorskip("mujoco", reason="MuJoCo's parser reads MJCF")
    for written, meant in (("2.356194490", True), ("2.35619449", False)):
        path = tmp_path / f"model{form}"
        path.write_text(text.replace("{}", written))
        made = from_dh([DHRow(alpha=written, mass=1)]) if form == "DHRow" else read_file(path).mechanism
        assert (made.rounded is not None) == meant


@pytest.mark.parametrize(
    "orientation",
    ['euler="1.57079632679 0 3.14159265359"', 'axisangle="1 0 0 1.570796327"', 'euler="0 0.7853981634 0"'],
)
def test_mjcf_in_radians(orientation: str) -> None:
    """Case 70: angles of a file in radians, against the same file in degrees, which are exact."""
    pytest.importorskip("mujoco", reason="MuJoCo's parser reads MJCF")
    from kanegen.codegen.mechanism.importers import from_mjcf

    def text(compiler: str, turned: str) -> str:
        return (
            f'<mujoco><compiler angle="{compiler}"/><worldbody><body name="b" {turned}><joint name="j" axis="0 0 1"/>'
            '<geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/></body></worldbody></mujoco>'
        )

    degrees = orientation
    for radians, exact in (("3.14159265359", "180"), ("1.57079632679", "90"), ("1.570796327", "90")):
        degrees = degrees.replace(radians, exact)
    degrees = degrees.replace("0.7853981634", "45")
    mechanism = from_mjcf(text("radian", orientation))
    assert mechanism.rounded is not None
    found, expected = (
        np.array(rotation(m, "j"), dtype=float) for m in (mechanism, from_mjcf(text("degree", degrees)))
    )
    assert found == pytest.approx(expected, abs=1e-15)  # quaternions of doubles
    as_written = from_mjcf(text("radian", orientation), angle_tolerance=0)
    assert np.abs(np.array(rotation(as_written, "j"), dtype=float) - expected).max() > 1e-13


def test_compare_hands_both_engines_the_same_angles(tmp_path: Path) -> None:
    """Case 70: MuJoCo reads the file itself, with the angles that kanegen takes, or as written where kanegen does.

    Other angles would differ by 2e-10 rad.  Rounding leaves some 1e-16 of what cancels in the one force, here a thousand
    times the force at most.
    """
    pytest.importorskip("mujoco", reason="MuJoCo is the peer")
    from kanegen.codegen.commands.against import compare_against

    path = tmp_path / "tilted.xml"
    path.write_text(
        '<mujoco><compiler angle="radian"/><worldbody><body euler="1.570796327 0 0"><joint axis="0 1 0"/>'
        '<geom type="box" size=".1 .2 .3" pos=".1 .2 .3"/></body></worldbody></mujoco>'
    )
    for tolerance in (None, 0.0):
        report = compare_against(
            path,
            "mujoco",
            states=5,
            kernels=["inverse_dynamics"],
            options=Options(angle_tolerance=tolerance),
            interpreted=True,
        )
        assert max(found.difference for found in report.differences) < 1e-12
    assert read_file(path).mechanism.rounded is not None


def test_urdf_for_another_program_has_the_same_angles(tmp_path: Path) -> None:
    """Case 70: the file that Pinocchio gets has pi/2 to the digits of doubles, and reads as the same mechanism."""
    from kanegen.codegen.mechanism.importers.urdf import text_as_meant

    path = tmp_path / "arm.urdf"
    path.write_text(arm("1.57079632679"))
    text = text_as_meant(path, 1e-11)
    assert text.count(FULL) == 6
    assert from_urdf(text, angle_tolerance=AS_WRITTEN) == from_urdf(arm(FULL))
