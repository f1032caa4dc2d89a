"""Masses and inertias of links in files (CASES 8, 9 and 12): none invented, none lost, none that no body has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen import cli
from kanegen.codegen.mechanism import ModelError
from tests.mechanism.importers.documents import joint, link, pendulum, robot

from .files import LoadText, inertial


def test_a_link_without_inertial(
    load_text: LoadText, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 8: everything but forward dynamics works, and the doctor says so beforehand."""
    text = robot(
        link("a", ""),
        link("b", inertial()),
        link("tip", ""),
        joint("j", "a", "b"),
        joint("wrist", "b", "tip"),
    )
    arm = load_text(text)
    assert arm.inverse_dynamics([0.1, 0.2], [1, 2], [3, 4]).tolist() == [3.0, 0.0]
    assert arm.mass_matrix([0.1, 0.2]).tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert_allclose(arm.frame_pose([0.1, 0.2], "tip")[1, :2], [0, np.cos(0.1 + 0.2)], atol=1e-15)
    with pytest.raises(kanegen.MissingInertiaError, match="joint 'wrist': has no inertia behind it"):
        arm.forward_dynamics([0.1, 0.2], [1, 2], [3, 4])
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    cli.main(["doctor", str(path)])
    assert "joint 'wrist'" in capsys.readouterr().out


def test_a_base_link_without_inertial(load_text: LoadText) -> None:
    """Case 8: fine, with and without a further one fixed to it."""
    body = inertial(origin='<origin xyz="0 1 0"/>')
    text = robot(
        link("floor", ""),
        link("a", ""),
        link("b", body),
        joint("weld", "floor", "a", kind="fixed"),
        joint("j", "a", "b"),
    )
    for model in (pendulum(body=body), text):
        # Gravity about x at an arm of 1 m, on 1 kg m^2 about the mass centre and 1 kg m^2 for the arm.
        assert load_text(model).forward_dynamics([0.0], [0.0], [0.0]).tolist() == [-9.81 / 2]


def test_what_is_welded_adds_its_mass(load_text: LoadText) -> None:
    """Case 9: a tool behind two fixed joints, turned and offset, is part of the link that carries it."""
    weld = '<origin xyz="0.1 0.2 0.3" rpy="0.5 0 0"/>'
    slide = joint("j", "a", "b", '<axis xyz="0 0 1"/>', kind="prismatic")
    links = [
        link("a", ""),
        *(link(name, inertial(mass=mass)) for name, mass in zip("bcd", "124", strict=True)),
    ]
    arm = load_text(
        robot(
            *links, slide, joint("k", "b", "c", weld, kind="fixed"), joint("l", "c", "d", weld, kind="fixed")
        )
    )
    assert arm.dof == 1
    assert arm.mass_matrix([0.3]).tolist() == [[7.0]]
    assert arm.gravity_forces([0.3]).tolist() == [pytest.approx(7 * 9.81, rel=1e-15)]
    assert arm.inertial_parameters[0] == 7.0
    s, c = np.sin(0.5), np.cos(0.5)
    assert_allclose(
        arm.frame_pose([1.0], "d")[:3, 3],
        [0.2, 0.2 + 0.2 * c - 0.3 * s, 1.3 + 0.2 * s + 0.3 * c],
        atol=1e-15,
    )


def test_an_impossible_inertia(
    load_text: LoadText, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 12: the doctor reports the eigenvalues; generation needs a flag, and then uses what is written."""
    path, listed = tmp_path / "arm.urdf", "-1, 1, 3"
    path.write_text(text := pendulum(body=inertial("1 1 1 2 0 0")))
    assert cli.main(["doctor", str(path), "--json"]) == 1
    assert f"principal moments {listed} kg m^2" in capsys.readouterr().out
    assert cli.main(["generate", str(path), "-o", str(tmp_path / "out")]) == 1
    assert f"arm.urdf:3: link 'b', inertia: principal moments {listed}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    allowed = ["--allow-unphysical", "--search", "0", "--kernels", "mass_matrix"]
    assert cli.main(["generate", str(path), "-o", str(tmp_path / "out"), *allowed]) == 0
    assert kanegen.load(tmp_path / "out").mass_matrix([0.2])[0, 0] == 1.0
    with pytest.raises(ModelError, match=f"principal moments {listed}"):
        load_text(text)
    assert load_text(text, "mass_matrix", allow_unphysical=True).mass_matrix([0.2])[0, 0] == 1.0
