"""Kernels of MJCF files against MuJoCo itself: what a mechanism of records alone would not show."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.mjcf import from_mjcf
from kanegen.codegen.pipeline import Options

from .mjcf_models import BALL, BOX, SPRUNG, mujoco

pytestmark = pytest.mark.needs("mujoco")

AGREEMENT = 1e-13

TURNING = mujoco(
    f"""<body name="a"><joint name="h" axis="0 1 0" damping="0.2"/>{BOX}<body name="b" pos="0.3 0 0">
    <joint name="s" type="ball" armature="0.03" damping="0.1"/>{BALL}</body></body>"""
)
"""A ball joint with a drive, on a body that moves."""


def engine() -> Any:
    return importlib.import_module("mujoco")


def states(model: Any, count: int, seed: int) -> list[tuple[Array, Array]]:
    """Configurations and velocities of MuJoCo, whose quaternions are (w, x, y, z)."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        q = random.uniform(-1, 1, model.nq)
        for j in range(model.njnt):
            if model.jnt_type[j] == engine().mjtJoint.mjJNT_BALL:
                at = int(model.jnt_qposadr[j])
                q[at : at + 4] = random.normal(size=4)
                q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        found.append((q, random.normal(size=model.nv)))
    return found


def test_drives_and_dampers_of_ball_joints(tmp_path: Path) -> None:
    """The armature resists derivatives of the speeds and nothing else: no gyroscopic forces, as in MuJoCo."""
    kernels = ["mass_matrix", "bias_forces", "forward_dynamics"]
    robot = kanegen.load(from_mjcf(TURNING), friction=True, kernels=kernels, interpreted=True)
    bare = kanegen.load(from_mjcf(TURNING), kernels=kernels, interpreted=True)
    model = engine().MjModel.from_xml_string(TURNING)
    data = engine().MjData(model)
    for q, v in states(model, 5, 3):
        data.qpos[:], data.qvel[:] = q, v
        engine().mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        engine().mj_fullM(model, data, M)
        ours = np.concatenate([q[:1], q[[2, 3, 4, 1]]])
        assert np.abs(robot.mass_matrix(ours) - M).max() < AGREEMENT
        assert np.abs(bare.bias_forces(ours, v) - data.qfrc_bias).max() < AGREEMENT * 10
        assert np.abs(robot.bias_forces(ours, v) - data.qfrc_bias + data.qfrc_damper).max() < AGREEMENT * 10
        a = robot.forward_dynamics(ours, v, np.zeros(4))
        expected = np.linalg.solve(M, data.qfrc_damper - data.qfrc_bias)
        assert np.abs(a - expected).max() < 1e-11 * np.abs(expected).max()
    kernels = (
        "coriolis_matrix",
        "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives",
        "bias_forces",
    )
    pipeline.generate(from_mjcf(TURNING), tmp_path, Options(kernels=kernels, friction=True))  # certified


WELD = """<mujoco><compiler angle="degree"/><worldbody>
  <body name="a"><joint name="a1" axis="0 0 1"/><geom size=".02" pos=".1 0 0"/>
    <body name="b" pos=".3 0 0"><joint name="b1" axis="0 0 1"/><geom size=".02" pos=".1 0 0"/></body></body>
  <body name="s" pos=".6 0 0" euler="0 0 30"><joint name="x" type="slide" axis="1 0 0"/>
    <joint name="y" type="slide" axis="0 1 0"/><joint name="r" axis="0 0 1"/><geom size=".02" pos=".02 .1 0"/></body>
  </worldbody><equality><weld name="w" body1="b" body2="s" {}/></equality></mujoco>"""


@pytest.mark.parametrize(
    "given",
    [
        "",
        'anchor="0.1 0.2 0"',
        'relpose="0.3 0.05 0 0.9 0 0 0.2"',
        'anchor="0.1 0.2 0" relpose="0.3 0.05 0 0.9 0 0 0.2"',
    ],
)
def test_welds_close_where_mujoco_closes_them(given: str) -> None:
    text = WELD.format(given)
    robot = kanegen.load(
        from_mjcf(text), kernels=["constraint_residual", "constraint_jacobian"], interpreted=True
    )
    model = engine().MjModel.from_xml_string(text)
    data = engine().MjData(model)
    q = robot.assemble()
    data.qpos[:] = [q[robot.coordinate_names.index(model.joint(j).name)] for j in range(model.njnt)]
    engine().mj_forward(model, data)
    assert np.abs(data.efc_pos[:6]).max() < 1e-14


def test_springs_of_joints_that_follow_others() -> None:
    text = mujoco(
        f"""<body pos="0 .1 0"><joint name="l" type="slide" axis="0 1 0" stiffness="20" springref="0.02"/>{BALL}</body>
        <body><joint name="r" type="slide" axis="0 1 0" stiffness="30" springref="0.01" ref="0.005"/>{BALL}</body>""",
        '<equality><joint joint1="r" joint2="l" polycoef="0.003 -1.5 0 0 0"/></equality>',
    )
    robot = kanegen.load(from_mjcf(text), interpreted=True)
    assert robot.coordinate_names == ("l",)
    # (d/dq) of 20 (q - 0.02)^2 / 2 + 30 (q_r - 0.01)^2 / 2 with q_r = 0.005 + 0.003 - 1.5 q; the motion is level
    q = 0.07
    follows = 0.008 - 1.5 * q
    assert robot.gravity_forces([q])[0] == pytest.approx(
        20 * (q - 0.02) - 1.5 * 30 * (follows - 0.01), rel=1e-14
    )
    energy = 10 * (q - 0.02) ** 2 + 15 * (follows - 0.01) ** 2
    rest = robot.potential_energy([0.0]) - 10 * 0.02**2 - 15 * 0.002**2
    assert robot.potential_energy([q]) - rest == pytest.approx(energy, rel=1e-12)


def test_regressors_know_bodies_beside_their_hinge(tmp_path: Path) -> None:
    """A hinge with ``pos``: the body is fixed beside it, and its inertia counts all the same."""
    text = mujoco(
        f"""<body name="a"><joint name="j" axis="0 1 0" pos="0.1 0 0.05"/>{BOX}
        <body name="b" pos="0.3 0 0"><joint name="k" axis="1 0 0" pos="0 0.1 0"/>{BALL}</body></body>"""
    )
    kernels = ("regressor", "full_regressor", "inverse_dynamics")
    pipeline.generate(from_mjcf(text), tmp_path, Options(kernels=kernels))
    robot = kanegen.load(from_mjcf(text), kernels=list(kernels))
    q, v, a = np.random.default_rng(1).normal(size=(3, 2))
    tau = robot.inverse_dynamics(q, v, a)
    for name, regressor in (("base", robot.regressor), ("full", robot.full_regressor)):
        values = robot.base_parameters if name == "base" else robot.inertial_parameters
        assert len(values) == {"base": regressor(q, v, a).shape[1], "full": 20}[name]
        assert np.abs(regressor(q, v, a) @ values - tau).max() < 1e-13


LOOP = """<mujoco><default><joint axis="0 1 0"/><geom size=".02"/></default><worldbody>
  <body><joint name="c"/><geom pos=".1 0 0"/><body name="b" pos=".1 0 0"><joint/><geom pos=".1 0 0"/></body></body>
  <body name="d" pos=".35 0 -.1"><joint/><geom pos="0 0 .1"/></body>
  <body name="m" pos="0 .3 0"><joint name="m"/><geom pos=".1 0 0"/></body></worldbody>
  <equality><connect body1="b" body2="d" anchor=".25 0 .1"/><joint joint1="m" joint2="c" polycoef="0.1 2 0 0 0"/></equality>
</mujoco>"""


def test_loops_and_followers_in_one_file() -> None:
    robot = kanegen.load(from_mjcf(LOOP), interpreted=True)
    q = robot.assemble()
    place = robot.coordinate_names.index
    assert q[place("m")] == pytest.approx(0.1 + 2 * q[place("c")], abs=1e-12)
    assert robot.nv == 1


@pytest.mark.parametrize(
    ("equalities", "message"),
    [
        (
            '<joint joint1="j" polycoef=".3"/><joint joint1="j" polycoef=".4"/>',
            "equality number 1: contradicts other equalities of its joints: they differ by 0.1",
        ),
        (
            '<joint joint1="j" joint2="k"/><joint joint1="k" joint2="j" polycoef=".2 1 0 0 0"/>',
            "equality number 1: contradicts other equalities of its joints: they differ by 0.2",
        ),
    ],
)
def test_equalities_that_contradict_one_another(equalities: str, message: str) -> None:
    text = mujoco(
        f'<body><joint name="j"/>{BOX}<body pos="0.3 0 0"><joint name="k" axis="0 1 0"/>{BALL}</body></body>',
        f"<equality>{equalities}</equality>",
    )
    with pytest.raises(ModelError, match=message):
        from_mjcf(text)


def test_home_is_the_configuration_of_the_file() -> None:
    text = mujoco(f'<body><joint name="j" ref="0.2" axis="0 1 0"/>{BOX}</body>', compiler='angle="radian"')
    robot = kanegen.load(from_mjcf(text), kernels=["mass_matrix"], interpreted=True)
    assert robot.home == pytest.approx([0.2])
    assert robot.neutral == pytest.approx([0.0])


BANDS = (
    SPRUNG.replace('name="j1"', 'name="j1" damping="0.3"')
    .replace('springlength="0.7"', 'springlength="0.3 1.4"')
    .replace('<spatial name="t3">', '<spatial name="t3" stiffness="4" damping="2" springlength="0 2.4">')
    .replace(
        "</tendon>",
        """<fixed name="f" stiffness="2" damping="1" springlength="-0.1 0.1">
        <joint joint="j1" coef="1"/><joint joint="j2" coef="-0.4"/></fixed></tendon>""",
    )
)
"""Tendons that are slack over a range: straight, along three sites, and across joints."""


@pytest.mark.parametrize("nonlinear", [False, True])
def test_slack_tendons_along_sites_and_joints(nonlinear: bool) -> None:
    text = BANDS
    if nonlinear:
        if not hasattr(engine().MjModel, "tendon_stiffnesspoly"):
            pytest.skip("this release of MuJoCo has linear springs alone")
        text = text.replace('stiffness="4" damping="2"', 'stiffness="4 3 2" damping="2 0.5"')
        text = text.replace('damping="0.3"', 'damping="0.3" stiffness="3 2 1"')
    kernels = ["inverse_dynamics", "potential_energy", "gravity_forces"]
    robot = kanegen.load(from_mjcf(text), friction=True, kernels=kernels, interpreted=True)
    model = engine().MjModel.from_xml_string(text)
    data = engine().MjData(model)
    taut = np.zeros(model.ntendon, dtype=bool)
    for q, v in states(model, 50, 5):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, 0
        engine().mj_inverse(model, data)
        scale = 1 + np.abs(data.qfrc_inverse).max()
        np.testing.assert_allclose(
            robot.inverse_dynamics(q, v, 0 * v), data.qfrc_inverse, rtol=0, atol=1e-13 * scale
        )
        taut |= data.ten_length > model.tendon_lengthspring[:, 1]
    assert taut.all()
