"""kanegen compare MODEL --against another engine: files that both parse, records that are converted, and refusals."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kanegen.codegen.cli import main
from kanegen.codegen.commands import against
from kanegen.codegen.commands.against import compare_against
from kanegen.codegen.commands.against_report import BOUND
from kanegen.codegen.mechanism import (
    JointSum,
    Mechanism,
    MechanismBuilder,
    ModelError,
    PathLength,
    force_laws,
)
from kanegen.codegen.peers import State, TreePeer, open_peer, pinocchio_engine
from kanegen.codegen.pipeline import Options, read
from tests.mechanism.importers.documents import INERTIAL, joint, link, pendulum, robot

pytestmark = pytest.mark.needs("pinocchio", "mujoco")

URDF = """<robot name="hand"><link name="wall"><inertial><mass value="3"/>
  <inertia ixx="0.2" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="palm"><inertial><origin xyz="0.1 0.02 0.03" rpy="0.1 0.2 0.3"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0" iyz="-0.02"/></inertial></link>
<link name="ring"><inertial><origin xyz="0 0.1 0"/><mass value="0.4"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="left"><inertial><origin xyz="0.05 0 0"/><mass value="0.5"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
<link name="right"><inertial><mass value="0.5"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="wrist" type="continuous"><parent link="wall"/><child link="palm"/><origin xyz="0 0 1" rpy="0.3 0 0.1"/>
  <axis xyz="0 0 1"/><dynamics damping="3" friction="2"/></joint>
<joint name="glue" type="fixed"><parent link="palm"/><child link="ring"/><origin xyz="0.1 0 0" rpy="0 0.5 0"/></joint>
<joint name="b_left" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0.2 0"/><axis xyz="0 0.6 0.8"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="a_right" type="revolute"><parent link="ring"/><child link="right"/><origin xyz="0 -0.2 0" rpy="0 0 0.2"/>
  <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint></robot>"""
MIMIC = '<mimic joint="b_left" multiplier="-2" offset="0.1"/>'
KERNELS = [
    "mass_matrix",
    "forward_dynamics",
    "kinetic_energy",
    "gravity_forces",
    "frame_pose_ring",
    "frame_jacobian_left",
]
ROUNDING = 1e-13
"""Small mechanisms take some hundred roundings of 1.1e-16 on either side, and mass matrices of condition below 100."""


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
@pytest.mark.parametrize("model", ["hand.urdf", "stanford_arm"])
def test_a_changed_model(model: str, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The engine gets what is asked for, not the file or the built-in mechanism."""
    if model == "hand.urdf":
        model = str(tmp_path / model)
        Path(model).write_text(URDF.format(mimic=MIMIC))
        words = [
            "--lock",
            "b_left=0.2",
            "--payload",
            "ring=0.3,0.1,0,0,0.01,0.01,0.01,0,0,0",
            "--rename",
            "wrist=w",
        ]
    else:
        words = ["--payload", "F=0.3", "--base", "0", "0", "1", "0.5", "0", "0"]
    words += ["--kernels", "inverse_dynamics", "--gravity", "1", "2", "-9", "--states", "5", "--json"]
    assert main(["compare", model, "--against", engine, *words]) == 0
    assert json.loads(capsys.readouterr().out)["kernels"]


def ball_and_springs() -> Mechanism:
    """A ball joint, a floating body, rotors, a chain that MuJoCo would not take as it is, springs of all kinds."""
    builder = MechanismBuilder("ball and springs", (1, 2, -9))
    builder.body("upper", 2, (0.1, 0, -0.2), (0.1, 0.12, 0.05, 0.01, 0, 0))
    builder.body("rod", 1, (0, 0.1, 0), (0, 0.1, 0.1))
    builder.body("lump", 3, (0.1, 0.2, 0.3), (0.1, 0.1, 0.1))
    builder.spherical("shoulder", "base", "upper", (0, 0, 1), (0.1, 0.2, 0.3))
    builder.cylindrical("elbow", "upper", "rod", (1, 1, 0), (0, 0, -0.4))
    builder.floating("free", "base", "lump", (0.5, 0, 0), (0.3, 0, 0))
    builder.frame("eye", "upper", (0, 0.1, -0.3), (0, 0, 0.4))
    builder.torsional_spring("hinge", "elbow_angle", 5, 0.1, 0.3)
    builder.translational_spring("rubber", "eye", "lump", 30, 2, 0.5)
    rope = force_laws.dead_band(9, 0.2, 0.4) + force_laws.damper(quadratic=0.5)
    builder.force_element("rope", PathLength(("eye", "rod", "lump")), rope)
    builder.force_element("screw", JointSum(("elbow_angle", "elbow_slide"), (1, -3)), force_laws.spring(4))
    builder.bushing("mount", "eye", "lump", (3, 4, 5, 6, 7, 8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8))
    return builder.build()


@pytest.fixture(scope="module")
def urdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("urdf") / "hand.urdf"
    path.write_text(URDF.replace("{mimic}", MIMIC))
    return path


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_a_urdf_with_followers(engine: str, urdf: Path) -> None:
    report = compare_against(urdf, engine, states=20, kernels=KERNELS, interpreted=True)
    assert [d.kernel for d in report.differences if d.difference > ROUNDING] == []
    assert {d.kernel for d in report.differences} == set(KERNELS)
    assert report.skipped == {}


def test_a_urdf_on_a_floating_base(urdf: Path) -> None:
    options = Options(floating_base=True)
    for engine in ("pinocchio", "mujoco"):
        wanted = ["mass_matrix", "frame_jacobian_left"]
        report = compare_against(urdf, engine, states=10, kernels=wanted, options=options, interpreted=True)
        assert max(d.difference for d in report.differences) < ROUNDING


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_a_mechanism_by_its_records(engine: str) -> None:
    wanted = ["bias_forces", "momentum", "forward_dynamics", "gravity_forces", "frame_pose_eye"]
    report = compare_against(ball_and_springs(), engine, states=10, kernels=wanted, interpreted=True)
    assert max(d.difference for d in report.differences) < ROUNDING
    assert [d.kernel for d in report.differences] == sorted(
        wanted, key=lambda k: [d.kernel for d in report.differences].index(k)
    )


def test_a_single_joint_has_everything_that_pinocchio_has(tmp_path: Path) -> None:
    """Pinocchio gives vectors in place of matrices of one row or one column."""
    path = tmp_path / "rod.urdf"
    path.write_text(pendulum('<axis xyz="0 1 0"/>', body=INERTIAL))
    report = compare_against(path, "pinocchio", states=3, interpreted=True)
    assert [d.kernel for d in report.differences if not d.difference < 1e-12] == []
    assert {"full_regressor", "centroidal_momentum_matrix", "forward_dynamics_derivatives.dq"} <= {
        d.kernel for d in report.differences
    }


def test_a_planar_joint_is_no_ball(tmp_path: Path) -> None:
    """Both have four coordinates and three speeds in Pinocchio."""
    path = tmp_path / "cart.urdf"
    path.write_text(
        robot(
            link("odom", ""),
            link("cart", INERTIAL),
            joint(
                "drive",
                "odom",
                "cart",
                '<origin xyz="1 0 0" rpy="0 0.1 0"/><axis xyz="0 0 1"/>',
                kind="planar",
            ),
        )
    )
    wanted = ["mass_matrix", "bias_forces", "frame_jacobian_rate_cart", "full_regressor"]
    report = compare_against(path, "pinocchio", states=5, kernels=wanted, interpreted=True)
    assert max(d.difference for d in report.differences) < 1e-12


def test_an_mjcf_that_mujoco_reads_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pendulum.xml"
    path.write_text(
        """<mujoco model="pendulum"><worldbody><body name="rod" pos="0 0 1" euler="0 0 30"><joint name="swing" axis="0 1 0"
        damping="1" armature="0.1" ref="20"/><geom type="capsule" size="0.02 0.3" pos="0.1 0 -0.3" euler="0 20 0"/>
        <site name="tip" pos="0 0 -0.6"/></body></worldbody></mujoco>"""
    )
    wanted = ["forward_dynamics", "frame_pose_tip"]
    assert (
        main(["compare", str(path), "--against", "mujoco", "--states", "5", "--json", "--kernels", *wanted])
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert (document["model"], document["states"], document["passes"], document["bound"]) == (
        "pendulum",
        5,
        True,
        BOUND,
    )
    assert [kernel["kernel"] for kernel in document["kernels"]] == wanted
    # with one joint, forces that nearly cancel are the largest component: to a hundredth in one of the five states
    assert max(kernel["difference"] for kernel in document["kernels"]) < 100 * ROUNDING


def test_a_built_in(capsys: pytest.CaptureFixture[str]) -> None:
    """The committed C itself."""
    wanted = ["inverse_dynamics", "mass_matrix", "frame_pose_F"]
    assert (
        main(["compare", "stanford_arm", "--against", "pinocchio", "--states", "20", "--kernels", *wanted])
        == 0
    )
    text = capsys.readouterr().out
    assert text.startswith("stanford_arm against Pinocchio ")
    assert all(kernel in text for kernel in wanted)


def test_what_differs_is_found_where_it_is(
    urdf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A peer in which one link is heavier by a part in a million."""

    def heavier(name: str, mechanism: Mechanism, model: object) -> TreePeer:
        bodies = []
        for body in mechanism.bodies:
            inertia = body.inertia
            if body.name == "left" and inertia is not None:
                inertia = replace(inertia, mass=inertia.mass * 1000001 / 1000000)
            bodies.append(replace(body, inertia=inertia))
        return TreePeer(mechanism, pinocchio_engine.of_mechanism(replace(mechanism, bodies=tuple(bodies))))

    monkeypatch.setattr(against, "open_peer", heavier)
    wanted = ["mass_matrix", "frame_pose_left"]
    assert main(["compare", str(urdf), "--against", "pinocchio", "--states", "10", "--kernels", *wanted]) == 1
    lines = capsys.readouterr().out.splitlines()
    (mass,) = [line for line in lines if line.startswith("mass_matrix")]
    (pose,) = [line for line in lines if line.startswith("frame_pose_left")]
    assert "> 1e-10" in mass
    assert "> 1e-10" not in pose
    report = compare_against(urdf, "pinocchio", states=10, kernels=wanted, interpreted=True)
    difference = next(d for d in report.differences if d.kernel == "mass_matrix")
    assert 1e-8 < difference.difference < 1e-6
    assert set(difference.names) <= {"wrist", "b_left"}
    assert difference.value != difference.expected


def test_kernels_that_cannot_be_had_say_why() -> None:
    builder = MechanismBuilder("light tip")
    builder.body("arm", 1, (0, 0, 1))
    builder.body("tip")
    builder.revolute("q1", "base", "arm", (0, 1, 0))
    builder.revolute("q2", "arm", "tip", (0, 1, 0), (0, 0, 1))
    mechanism = builder.build()
    report = compare_against(
        mechanism, "mujoco", states=5, kernels=["mass_matrix", "potential_energy"], interpreted=True
    )
    assert [d.kernel for d in report.differences] == ["mass_matrix"]
    assert report.passes
    assert "MuJoCo" in report.skipped["potential_energy"]


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_a_missing_engine_is_one_sentence(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, engine, None)
    assert main(["compare", "stanford_arm", "--against", engine]) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"kanegen: --against {engine}: ")
    package = {"pinocchio": "pin>=3.0", "mujoco": "mujoco>=3.2"}[engine]
    assert f"Install it: pip install '{package}'." in message
    assert message.count("\n") == 1


def test_loops_are_refused() -> None:
    with pytest.raises(ModelError, match=r"has loops.*pinocchio has no equations"):
        compare_against("five_bar", "pinocchio")


def test_states_are_at_least_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "stanford_arm", "--against", "pinocchio", "--states", "0"]) == 1
    assert "states: expected at least 1, got 0" in capsys.readouterr().err


def test_tables_of_pinocchio_agree_with_its_algorithms(urdf: Path) -> None:
    """Derivatives by central differences, C v + g = h, Minv M = 1, regressor times parameters, A v = momentum."""
    import numpy as np

    text = urdf.with_name("free.urdf")
    text.write_text(URDF.replace("{mimic}", ""))
    mechanism = read(text, Options())
    peer = open_peer("pinocchio", mechanism, text)
    kernels = peer.kernels({frame: frame for frame in peer.frames})
    random = np.random.default_rng(5)
    q, v, a, tau = random.uniform(-1, 1, (4, mechanism.dof))
    state = State(q, v, a, tau, np.zeros(6))
    M, h, g = peer.mass_matrix(q), peer.bias_forces(q, v), peer.gravity_forces(q)
    assert kernels["coriolis_matrix"](state) @ v + g == pytest.approx(h, abs=ROUNDING)
    assert kernels["inverse_mass_matrix"](state) @ M == pytest.approx(np.eye(3), abs=ROUNDING)
    assert kernels["regressor"](state) == pytest.approx(peer.inverse_dynamics(q, v, a), abs=ROUNDING)
    assert (kernels["centroidal_momentum_matrix"](state) @ v)[:3] == pytest.approx(
        peer.momentum(q, v)[:3], abs=ROUNDING
    )
    step = 1e-6
    for j in range(mechanism.dof):
        unit = step * np.eye(mechanism.dof)[j]
        # truncation step^2 and rounding 1e-16/step times forces of order 100: both below 1e-7
        for kernel, ahead, behind in (
            ("inverse_dynamics_derivatives.dq", (q + unit, v, a), (q - unit, v, a)),
            ("inverse_dynamics_derivatives.dv", (q, v + unit, a), (q, v - unit, a)),
            ("inverse_dynamics_derivatives.da", (q, v, a + unit), (q, v, a - unit)),
        ):
            slope = (peer.inverse_dynamics(*ahead) - peer.inverse_dynamics(*behind)) / (2 * step)
            assert kernels[kernel](state)[:, j] == pytest.approx(slope, abs=1e-7)
        for kernel, ahead, behind in (
            ("forward_dynamics_derivatives.dq", (q + unit, v, tau), (q - unit, v, tau)),
            ("forward_dynamics_derivatives.dv", (q, v + unit, tau), (q, v - unit, tau)),
            ("forward_dynamics_derivatives.dtau", (q, v, tau + unit), (q, v, tau - unit)),
        ):
            slope = (peer.forward_dynamics(*ahead) - peer.forward_dynamics(*behind)) / (2 * step)
            assert kernels[kernel](state)[:, j] == pytest.approx(slope, abs=1e-6)
    moved = step * v
    rate = (peer.frame_jacobian(q + moved, "right") - peer.frame_jacobian(q - moved, "right")) / (2 * step)
    assert kernels["frame_jacobian_rate_right"](state) == pytest.approx(rate, abs=1e-8)
