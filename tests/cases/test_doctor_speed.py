"""How the work of reading and of doctor grows with a model (Case 104): operations are counted, never seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.commands.price_of_angles import LARGEST
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.mechanism.doctor import resistance
from kanegen.codegen.mechanism.importers import from_urdf, read_file
from kanegen.codegen.mechanism.poses import BodyMotions


def chain(count: int, inertia: str = "1e-2") -> str:
    """Hinges one on another, turned by a right angle of twelve digits; ``inertia`` is that of the last link."""
    parts = ['<robot name="chain"><link name="l0"/>']
    for k in range(1, count + 1):
        moment = inertia if k == count else "1e-2"
        inertial = (
            f'<inertial><origin xyz="0 0 .05"/><mass value="{0 if moment == "0" else 1}"/><inertia ixx="{moment}" '
            f'iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial>'
        )
        parts.append(
            f'<link name="l{k}">{inertial}</link><joint name="j{k}" type="revolute"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/><origin xyz="0 0 .1" rpy="1.57079632679 0 0"/><axis xyz="0 0 1"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    return "\n".join([*parts, "</robot>"])


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of Python are called, those of the interpreter's own in C included."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def test_the_work_of_doctor_grows_with_the_links(tmp_path: Path) -> None:
    """Case 104: twice the links are twice the calls, not four times; where n^2 prevailed they would be 3 at least.

    Calls for the whole and for each link grow as a + b n, so that the ratio stays below 2.
    """
    found = []
    for count in (60, 120):
        path = tmp_path / f"{count}.urdf"
        path.write_text(chain(count))
        assert diagnose(str(path)) is not None  # what is imported and remembered once
        found.append(calls_of(lambda path=path: diagnose(str(path))))  # type: ignore[misc]
    assert found[1] < 2.2 * found[0]


def test_no_array_of_doctor_grows_with_the_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 104: calls count nothing inside NumPy; without joints that follow others there is no matrix of all joints."""

    def refused(*_: object) -> None:
        raise AssertionError("a matrix of all joints was made")

    monkeypatch.setattr(BodyMotions, "columns", property(refused))
    path = tmp_path / "chain.urdf"
    path.write_text(chain(200))
    assert all(finding.where != "file" for finding in diagnose(str(path)))


def test_reading_rounded_angles_derives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 104: the effect of angles is measured on the records, when C is written, and not by two derivations."""

    def refused(*_: object) -> None:
        raise AssertionError("reading derived a kernel")

    monkeypatch.setattr(Deriver, "__call__", refused)
    path = tmp_path / "chain.urdf"
    path.write_text(chain(74))
    mechanism = read_file(path).mechanism
    assert mechanism.rounded is not None and mechanism.rounded.count == 74


def test_odd_angles_of_a_long_chain_are_not_priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 104: two derivations of a long chain would take most of the time; a robot of usual size has its price."""
    path = tmp_path / "chain.urdf"
    path.write_text(chain(3).replace("1.57079632679", "1.5708"))
    assert any("inverse_dynamics takes" in finding.what for finding in diagnose(str(path)))

    def refused(*_: object) -> None:
        raise AssertionError("doctor derived a kernel of a long chain")

    monkeypatch.setattr(Deriver, "__call__", refused)
    path.write_text(chain(LARGEST + 1).replace("1.57079632679", "1.5708"))
    found = diagnose(str(path))
    # what each angle costs is said without a derivation
    assert any("sine and cosine stay in every kernel" in finding.what for finding in found)


@pytest.mark.parametrize("inertia", ["1e-2", "0", "1e-30"])
def test_articulated_inertias_are_what_elimination_leaves(inertia: str) -> None:
    """Case 104: the linear recursion against elimination in the mass matrix, whose pivots are the same numbers.

    Both sum positive terms but for one subtraction of the size of what stays: 1e-12 is far above ten joints' roundings.
    """
    mechanism = from_urdf(chain(8, inertia), allow_unphysical=True)
    motions = resistance._arbitrary_motions(mechanism)
    linear, dense = (list(way(motions)) for way in (resistance._by_articulation, resistance._by_elimination))
    assert [name for name, _, _ in linear] == [name for name, _, _ in dense]
    for one, other in zip(linear, dense, strict=True):
        size = max(other[2], 1e-2 if inertia != "1e-2" else 0.0)
        assert np.abs(np.array(one[1:]) - other[1:]).max() <= 1e-12 * size
