"""Equalities of MJCF files that take less, or more, than they seem to (Case 80)."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import kanegen
from kanegen.codegen.commands.doctor import diagnose, passes
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.importers import from_mjcf
from kanegen.codegen.mechanism.records import Mechanism

pytestmark = pytest.mark.needs("mujoco")

Array = NDArray[np.float64]

BOX = '<geom type="box" size=".1 .2 .05"/>'

GLUED = f"""<mujoco><worldbody><body name="a" pos="0 0 1"><freejoint/>{BOX}
  <body name="b" pos=".3 0 0"><joint name="j2" axis="1 1 0"/><joint name="j3" axis="0 0 1"/>{BOX}</body></body></worldbody>
  <equality><weld name="glue" body1="b" torquescale="0" anchor=".1 .05 0"/></equality></mujoco>"""


def chain(equalities: str) -> str:
    """Three hinges, and two bodies that stand on the world."""
    moving = "".join(
        f'<body name="b{k}" pos="0 0 .3"><joint name="j{k}" axis="0 1 0"/>{BOX}' for k in (1, 2, 3)
    )
    still = f'<body name="still">{BOX}</body><body name="bench" pos="1 0 0">{BOX}<site name="s"/></body>'
    return f"<mujoco><worldbody>{moving}{'</body>' * 3}{still}</worldbody>{equalities}</mujoco>"


def equalities(*elements: str) -> str:
    return chain(f"<equality>{''.join(elements)}</equality>")


def told(text: str) -> tuple[Mechanism, list[str]]:
    """What a text stands for, and the warnings that its reading gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mechanism = from_mjcf(text)
    assert all(warning.category is kanegen.ModelWarning for warning in caught)
    return mechanism, [str(warning.message) for warning in caught]


def test_a_weld_without_torque_holds_a_point() -> None:
    """Case 80: against the rows of MuJoCo's own Jacobian of the constraint, mapped to speeds along the body's axes.

    Rows that are multiples of the rotational part vanish with torquescale 0, which leaves three.  Both sides span the same
    space: the motions that kanegen's equations allow are those that MuJoCo's rows allow.
    """
    import mujoco

    mechanism = from_mjcf(GLUED)
    assert [(loop.name, loop.kind) for loop in mechanism.loops] == [("glue", LoopKind.SPHERICAL)]
    robot = kanegen.load(mechanism, kernels=["constraint_jacobian", "inverse_dynamics"], interpreted=True)
    assert robot.dof == 8 - 3
    model = mujoco.MjModel.from_xml_string(GLUED)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rows = data.efc_J.reshape(-1, model.nv)[: data.nefc]
    rows = rows[np.abs(rows).max(axis=1) > 1e-12]
    q = robot.home
    q[3:7] /= np.linalg.norm(q[3:7])
    ours = robot.constraint_jacobian(q)  # on dq/dt, quaternions included
    # at the file's own configuration the body's axes are the world's, and dq/dt of the quaternion is w/2
    to_rates = np.zeros((9, 8))
    to_rates[:3, :3] = np.eye(3)
    to_rates[3:6, 3:6] = np.eye(3) / 2
    to_rates[7:, 6:] = np.eye(2)
    carried = (ours @ to_rates) if ours.shape[1] == 9 else ours
    rank = np.linalg.matrix_rank
    assert rank(rows, 1e-9) == rank(carried, 1e-9) == rank(np.vstack([rows, carried]), 1e-9) == 3


def test_equalities_that_say_the_same_are_idle() -> None:
    """Case 80: j1 = j2 and j2 = j1 leave two freedoms, as the rank of MuJoCo's rows says, with a warning."""
    text = equalities('<joint joint1="j1" joint2="j2"/>', '<joint name="again" joint1="j2" joint2="j1"/>')
    mechanism, (warning,) = told(text)
    assert mechanism.coordinates == ("j2", "j3")
    assert warning.startswith("equality 'again': repeats what other equalities say already")


def test_two_leaders_are_followed_both() -> None:
    """Case 80: j3 = 2 j2 + 0.1 and j3 = 3 j1 + 0.2 leave one freedom, on the line that solves both by hand."""
    text = equalities(
        '<joint joint1="j3" joint2="j2" polycoef=".1 2 0 0 0"/>',
        '<joint joint1="j3" joint2="j1" polycoef=".2 3 0 0 0"/>',
    )
    mechanism, (warning,) = told(text)
    assert mechanism.coordinates == ("j2",)
    factor, shift = {}, {}
    for mimic in reversed(mechanism.mimics):
        inner = factor.get(mimic.leader, 1), shift.get(mimic.leader, 0)
        factor[mimic.joint] = mimic.multiplier * inner[0]
        shift[mimic.joint] = mimic.multiplier * inner[1] + mimic.offset
    for angle in (-0.3, 0.7):
        j3, j1 = (float(factor[j]) * angle + float(shift[j]) for j in ("j3", "j1"))
        assert j3 == pytest.approx(2 * angle + 0.1, abs=1e-15)
        assert j3 == pytest.approx(3 * j1 + 0.2, abs=1e-15)
    assert "a second leader" in warning


def test_equalities_that_fix_their_joints_hold_them() -> None:
    """Case 80: j1 = j2 and j2 = 2 j1 + 0.1 have one solution, -0.1: both joints are held there."""
    text = equalities(
        '<joint joint1="j1" joint2="j2"/>', '<joint joint1="j2" joint2="j1" polycoef=".1 2 0 0 0"/>'
    )
    mechanism = from_mjcf(text)
    assert mechanism.coordinates == ("j3",)
    turn = next(joint for joint in mechanism.joints if joint.child == "b2").rotation
    assert float(turn[0][2]) == pytest.approx(np.sin(-0.1), abs=1e-15)


def test_equalities_that_contradict_each_other_are_refused() -> None:
    """Case 80: j1 = j2 and j2 = j1 + 0.1 cannot both hold."""
    text = equalities(
        '<joint joint1="j1" joint2="j2"/>', '<joint joint1="j2" joint2="j1" polycoef=".1 1 0 0 0"/>'
    )
    with pytest.raises(kanegen.ModelError, match="equality number 1: contradicts other equalities"):
        from_mjcf(text)


@pytest.mark.parametrize(
    "element",
    [
        '<weld name="w" body1="still" body2="bench"/>',
        '<weld name="w" body1="still"/>',
        '<connect name="w" body1="bench" body2="still" anchor="0 0 .1"/>',
    ],
)
def test_ties_of_fixed_bodies_are_idle(element: str) -> None:
    """Case 80: nothing moves two bodies on the world against each other: three freedoms as without it, and a warning."""
    mechanism, (warning,) = told(equalities(element))
    assert (mechanism.coordinates, mechanism.loops) == (("j1", "j2", "j3"), ())
    assert "nothing moves against each other" in warning


def test_ties_of_fixed_bodies_that_are_open_are_refused() -> None:
    """Case 80: a weld that wants the bench 0.5 m away from where it stands can never hold."""
    with pytest.raises(kanegen.ModelError, match=r"equality 'w': .* is open by 0.5"):
        from_mjcf(equalities('<weld name="w" body1="still" body2="bench" relpose="1.5 0 0 1 0 0 0"/>'))


def test_a_spring_inside_one_body_is_idle() -> None:
    """Case 80: the ends of the tendon do not move against each other: no force, no spring, a warning."""
    tendon = '<tendon><spatial name="t" stiffness="5" springlength=".1"><site site="s"/><site site="u"/></spatial></tendon>'
    text = chain(tendon).replace('<site name="s"/>', '<site name="s"/><site name="u" pos="0 0 .4"/>')
    mechanism, (warning,) = told(text)
    assert mechanism.springs == ()
    assert warning.startswith("tendon 't'") and "it is idle" in warning


def test_a_loop_that_repeats_another_is_told() -> None:
    """Case 80: a second weld of the same bodies takes nothing: 3 - 1 freedoms with one as with two."""
    once = equalities('<weld body1="b2" body2="b3"/>')
    twice = equalities('<weld body1="b2" body2="b3"/>', '<weld name="again" body1="b3" body2="b2"/>')
    assert from_mjcf(once).dof == 2
    mechanism, (warning,) = told(twice)
    assert mechanism.dof == 2
    assert warning.startswith("equality 'again': is idle")


ALL_HELD = equalities('<weld body1="b1"/>', '<weld body1="b2"/>', '<weld body1="b3"/>')
DEAD_CENTRE = equalities('<weld body1="b3"/>')
"""Three hinges in a line: in the reference configuration one of them seems to be free to first order."""


@pytest.mark.parametrize("text", [ALL_HELD, DEAD_CENTRE])
def test_equalities_that_leave_no_freedom_say_so(text: str, tmp_path: Path) -> None:
    """Case 80: three planar freedoms less three equations, by hand, are none; doctor refuses what load refuses."""
    path = tmp_path / "model.xml"
    path.write_text(text)
    with pytest.raises(kanegen.ModelError, match="leave no freedom"):
        kanegen.load(path, interpreted=True)
    found = diagnose(str(path))
    assert not passes(found)
    assert "leave no freedom" in found[0].what


def test_what_is_not_as_in_mujoco_is_told() -> None:
    """Case 80, relatives: limits of tendons and friction of free joints act in MuJoCo, and not or otherwise here."""
    tendon = '<tendon><spatial name="t" range="0 1" limited="true"><site site="s"/><site site="u"/></spatial></tendon>'
    text = chain(tendon).replace('<site name="s"/>', '<site name="s"/><site name="u" pos="0 0 .4"/>')
    text = text.replace(
        "</worldbody>", f'<body><joint name="f" type="free" frictionloss="1"/>{BOX}</body></worldbody>'
    )
    _, (tendons, joints) = told(text)
    assert tendons.startswith("tendon 't': its range is not kept")
    assert joints.startswith("joint 'f': its Coulomb friction acts along the axes of the body here")
