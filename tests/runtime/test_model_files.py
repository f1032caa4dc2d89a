"""Model files: what the cache knows them by, and the options that belong to them."""

from __future__ import annotations

from pathlib import Path

import described_pendulum
import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen import generator, kernel_sets
from kanegen.builds import extensions
from kanegen.identity import stands_for_itself
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.options import Options

URDF = """<?xml version="1.0"?>
<robot name="swing">
  <link name="base"/>
  <link name="bob">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial>
    <visual><geometry><mesh filename="package://nowhere/bob.stl"/></geometry></visual>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" velocity="3" effort="10"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
</robot>
"""


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / "swing.urdf"
    path.write_text(URDF)
    return path


class Asked:
    """What was asked of the generator: requests to generate, and files that were read to know what they describe.

    What is generated is kept in the cache as ever, but not compiled: NumPy evaluates it.
    """

    def __init__(self, monkeypatch):
        self.generated = []
        self.read = []
        self.described = "mechanism 1"
        monkeypatch.setattr(generator, "generate", self.generate)
        monkeypatch.setattr(generator, "imported_fingerprint", self.fingerprint)
        monkeypatch.setattr(generator, "generator_digest", lambda: "one version of it")
        monkeypatch.setattr(extensions, "_compile", lambda compiler, directory, variants: None)
        monkeypatch.setattr(extensions, "_tried", lambda directory, name, compiler: None)
        monkeypatch.setattr(extensions, "_library", lambda files: "none")
        monkeypatch.setattr(extensions, "_load", lambda library, name: None)
        monkeypatch.setattr(kernel_sets, "use_target", lambda module: None)
        monkeypatch.setattr(kernel_sets, "CompiledBackend", self.evaluated)

    def generate(self, model, options, directory, *how):
        self.generated.append(options)
        described_pendulum.generate(model, options, directory)

    def evaluated(self, manifest, module):
        options = Options(tuple(manifest.kernels))
        return InterpretedBackend(manifest, described_pendulum.Interpretation("swing", options))

    def fingerprint(self, model, options):
        self.read.append(Path(model).name)
        return self.described


@pytest.fixture
def asked(cache, monkeypatch):
    return Asked(monkeypatch)


def test_a_file_is_generated_once_and_not_even_read_as_a_model_again(asked, urdf, tmp_path):
    kanegen.load(urdf, eager=True)
    kanegen.load(str(urdf), eager=True)
    moved = tmp_path / "elsewhere" / "swing.urdf"
    moved.parent.mkdir()
    moved.write_text(URDF)
    kanegen.load(moved, eager=True)
    assert len(asked.generated) == 1
    assert asked.read == []


def test_another_content_is_another_model(asked, urdf):
    kanegen.load(urdf, eager=True)
    urdf.write_text(URDF.replace('mass value="2"', 'mass value="3"'))
    kanegen.load(urdf, eager=True)
    assert len(asked.generated) == 2


def test_every_option_counts(asked, urdf):
    options = (
        {"friction": True},
        {"floating_base": True},
        {"allow_unphysical": True},
        {"angle_tolerance": 1e-3},
        {"gravity": (0, 0, 0)},
        {"live_parameters": True},
    )
    kanegen.load(urdf, eager=True)
    for given in options:
        kanegen.load(urdf, **given, eager=True)
        kanegen.load(urdf, **given, eager=True)
    assert len(asked.generated) == 1 + len(options)
    for request, given in zip(asked.generated[1:], options, strict=True):
        for name, value in given.items():
            assert getattr(request, name) == value


def test_options_carry_over_to_further_kernels(asked, urdf):
    kanegen.load(urdf, friction=True, eager=True).inverse_mass_matrix([0.0])
    assert asked.generated[-1].kernels == ("inverse_mass_matrix",)
    assert asked.generated[-1].friction


def test_a_file_that_takes_in_others_is_known_by_what_it_describes(asked, tmp_path):
    path = tmp_path / "swing.xacro"
    path.write_text(
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="a.xacro"/></robot>'
    )
    kanegen.load(path, eager=True)
    kanegen.load(path, eager=True)
    assert len(asked.generated) == 1
    assert asked.read == ["swing.xacro"] * 2
    asked.described = "mechanism 2"  # something in an included file is different
    kanegen.load(path, eager=True)
    assert len(asked.generated) == 2


@pytest.mark.parametrize(
    ("name", "text", "alone"),
    [
        ("a.urdf", URDF, True),
        ("a.urdf", '<robot xmlns:xacro="x"/>', True),
        ("a.urdf", '<robot xmlns:xacro="x"><xacro:property name="y" value="$(env Y)"/></robot>', False),
        ("a.xacro", "<robot/>", False),
        ("a.xml", "<mujoco><worldbody/></mujoco>", True),
        ("a.xml", '<mujoco><include file="b.xml"/></mujoco>', False),
        ("a.xml", '<mujoco><asset><mesh file="b.stl"/></asset></mujoco>', False),
        ("a.toml", "name = 'a'", True),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_which_files_stand_for_themselves(name, text, alone, encoding):
    assert stands_for_itself(Path(name).suffix, text.encode(encoding)) is alone


@pytest.mark.parametrize("tolerance", [-1e-3, float("nan"), "a"])
def test_a_tolerance_that_is_none(urdf, tolerance):
    with pytest.raises(ValueError, match="angle_tolerance must"):
        kanegen.load(urdf, angle_tolerance=tolerance)


# ---- with the generator itself ----

BOTH = ["inverse_dynamics", "forward_dynamics"]


def test_friction_is_one_switch_for_both_directions(cache, urdf):
    free, resisted = (kanegen.load(urdf, kernels=BOTH, friction=it, interpreted=True) for it in (False, True))
    q, v, a = [0.3], [2.0], [1.0]
    difference = resisted.inverse_dynamics(q, v, a) - free.inverse_dynamics(q, v, a)
    # damping * v, and Coulomb's friction times v / sqrt(v^2 + v_0^2), v_0 = 0.01 rad/s: 1 - 1.25e-5 at 2 rad/s
    assert_allclose(difference, [0.5 * 2.0 + 0.25 * (1 - 1.25e-5)], rtol=1e-9)
    assert_allclose(resisted.forward_dynamics(q, v, resisted.inverse_dynamics(q, v, a)), a, rtol=1e-12)
    assert resisted.joint_limits["hinge"] == kanegen.JointLimits(-1.0, 2.0, 3.0, 10.0)


def test_a_floating_base(cache, urdf):
    arm = kanegen.load(urdf, kernels=["mass_matrix"], floating_base=True, interpreted=True)
    assert (arm.nq, arm.nv, len(arm.quaternions)) == (8, 7, 1)
    M = arm.mass_matrix(arm.random_configuration(1))
    assert_allclose(M[:3, :3], 2.0 * np.eye(3), atol=1e-14)


def test_what_no_body_has(cache, urdf):
    urdf.write_text(URDF.replace('izz="0.05"', 'izz="0.5"'))  # more than ixx + iyy
    with pytest.raises(kanegen.ModelError):
        kanegen.load(urdf, kernels=["mass_matrix"], interpreted=True)
    arm = kanegen.load(urdf, kernels=["mass_matrix"], allow_unphysical=True, interpreted=True)
    assert_allclose(arm.mass_matrix([0.0]), [[0.1 + 2.0 * 0.25]], rtol=1e-14)
