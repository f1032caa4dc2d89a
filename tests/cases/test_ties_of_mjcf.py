"""Equalities of MJCF as people write them: without names, twice between the same bodies, and at dead centres."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism.importers import read_file
from kanegen.codegen.mechanism.importers.model_file import format_of

pytestmark = pytest.mark.needs("mujoco")

INERTIAL = '<inertial pos=".1 .2 .3" mass="1.5" fullinertia=".02 .03 .04 .001 .002 .003"/>'
DOOR = (
    f'<mujoco><worldbody><body name="a"><freejoint/>{INERTIAL}</body></worldbody>'
    "<equality>{}</equality></mujoco>"
)
CONNECT = '<connect body1="a" anchor="0 {} 0"/>'


def written(folder: Path, text: str) -> Path:
    path = folder / "m.xml"
    path.write_text(text)
    assert format_of(path) == "mjcf"
    return path


def test_two_unnamed_connects_make_a_hinge(tmp_path: Path) -> None:
    """Case 80: a free body held at two points turns about the line between them: its inertia about that line, by hand."""
    path = written(tmp_path, DOOR.format(CONNECT.format("0") + CONNECT.format("0.3")))
    robot = kanegen.load(path, kernels=["mass_matrix"], interpreted=True)
    assert robot.nv == 1
    matrix = robot.mass_matrix(robot.home)
    # about the y axis through the origin: I_yy + m (x^2 + z^2), whatever the unit of the speed: it is an angular velocity
    assert matrix[0, 0] == pytest.approx(0.03 + 1.5 * (0.1**2 + 0.3**2), rel=1e-12)


def test_names_that_the_file_gives_stay(tmp_path: Path) -> None:
    """Case 80: a made name does not take one that the file gives to a later equality."""
    text = DOOR.format(
        CONNECT.format("0")
        + CONNECT.format("0.3").replace("<connect", '<connect name="connect of a and base"')
    )
    loops = read_file(written(tmp_path, text)).mechanism.loops
    assert [loop.name for loop in loops] == ["connect of a and base_2", "connect of a and base"]


def test_the_same_connect_twice_is_idle(tmp_path: Path) -> None:
    """Case 80: without names as with them."""
    path = written(tmp_path, DOOR.format(CONNECT.format("0") * 2))
    with pytest.warns(kanegen.ModelWarning, match="equality number 1: is idle"):
        robot = kanegen.load(path, kernels=["constraint_residual"], interpreted=True)
    assert robot.nv == 3


def chain(end: str, bend: str = "0") -> str:
    joint = f'<joint type="hinge" axis="0 1 0"/>{INERTIAL.replace(".1 .2 .3", ".15 0 0")}'
    inner = f'<body name="c" pos=".3 0 0">{joint}</body>'
    middle = f'<body name="b" pos=".3 0 0" euler="0 {bend} 0">{joint}{inner}</body>'
    return (
        f'<mujoco><worldbody><body name="a">{joint}{middle}</body></worldbody>'
        f'<equality><connect body1="c" anchor="{end} 0 0"/></equality></mujoco>'
    )


def test_a_straight_chain_tied_at_its_end_is_singular(tmp_path: Path) -> None:
    """Case 80: in line, the ends can only approach one another to second order; bent, the linkage of four bars moves."""
    with pytest.raises(
        kanegen.ModelError, match=r"its home is singular: 1 of 2 equations .*in MJCF"
    ) as caught:
        kanegen.load(written(tmp_path, chain(".2")), kernels=["mass_matrix"], interpreted=True)
    assert "Choose as many" not in str(caught.value)
    bent = kanegen.load(written(tmp_path, chain(".2", "40")), kernels=["mass_matrix"], interpreted=True)
    assert bent.nv == 1


def test_the_advice_of_an_open_loop_works() -> None:
    """Case 69: what the warning says to do can be done, also where few kernels were asked for."""
    for kernels, told in (
        (["inverse_dynamics"], "of a robot loaded with 'constraint_jacobian' among its kernels"),
        (["inverse_dynamics", "constraint_jacobian"], r"q = robot.assemble\(q\)\. robot"),
    ):
        robot = kanegen.load("four_bar", kernels=kernels, interpreted=True)
        q = np.array(robot.home) + 0.01
        with pytest.warns(kanegen.ModelWarning, match=told):
            robot.inverse_dynamics(q, np.zeros(robot.nv), np.zeros(robot.nv))
    closed = robot.assemble(q)  # of the one that was loaded so
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.inverse_dynamics(closed, np.zeros(robot.nv), np.zeros(robot.nv))
