"""Friction (CASES 19 and 20): one switch for inverse and forward dynamics, and integrators that do not stall."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import kanegen
from kanegen.codegen import cli
from kanegen.codegen.derivation.resistance.friction import SLIP_SPEED
from kanegen.simulation.motion import Status
from tests.mechanism.importers.documents import joint, link, pendulum, robot

from .files import LoadText, inertial

Array = NDArray[np.float64]
SLIP = float(SLIP_SPEED)
DAMPING, FRICTION = np.array([0.3, 5.0]), np.array([0.2, 0.7])

URDF = robot(
    link("a", ""),
    link("b", inertial(origin='<origin xyz="0.3 0 0.1"/>', mass="2")),
    link("c", inertial("0.1 0.2 0.2 0 0 0", '<origin xyz="0 0.2 0"/>')),
    joint("j", "a", "b", '<axis xyz="0 1 0"/><dynamics damping="0.3" friction="0.2"/>'),
    joint("k", "b", "c", '<axis xyz="1 0 0"/><dynamics damping="5" friction="0.7"/>', kind="prismatic"),
)
TOML = """\
[[body]]
name = "b"
mass = 2
center = [0.3, 0, 0.1]
inertia = [1, 2, 2.5]
[[body]]
name = "c"
mass = 1
center = [0, 0.2, 0]
inertia = [0.1, 0.2, 0.2]
[[joint]]
name = "j"
type = "revolute"
parent = "base"
child = "b"
axis = [0, 1, 0]
damping = 0.3
friction = 0.2
[[joint]]
name = "k"
type = "prismatic"
parent = "b"
child = "c"
axis = [1, 0, 0]
damping = 5
friction = 0.7
"""
MJCF = """\
<mujoco><compiler angle="radian"/><worldbody><body name="b">
<inertial pos="0.3 0 0.1" mass="2" diaginertia="1 2 2.5"/>
<joint name="j" axis="0 1 0" damping="0.3" frictionloss="0.2"/>
<body name="c"><inertial pos="0 0.2 0" mass="1" diaginertia="0.1 0.2 0.2"/>
<joint name="k" type="slide" axis="1 0 0" damping="5" frictionloss="0.7"/></body></body></worldbody></mujoco>
"""
FORMATS = {".urdf": URDF, ".toml": TOML, ".xml": MJCF}


@pytest.mark.parametrize("suffix", FORMATS)
def test_one_switch_for_inverse_and_forward_dynamics(load_text: LoadText, suffix: str) -> None:
    """Case 19: off, nothing of it acts; on, both have the same damping and smooth Coulomb friction."""
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    kernels = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
    off, on = (load_text(FORMATS[suffix], *kernels, suffix=suffix, friction=it) for it in (False, True))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 50, 2))
    expected = DAMPING * v + FRICTION * v / np.sqrt(v**2 + SLIP**2)
    tau = on.inverse_dynamics(q, v, a)
    # Forces of order ten from some dozens of roundings; the friction cancels to within them.
    assert_allclose(tau - off.inverse_dynamics(q, v, a), expected, atol=1e-13)
    # A solution of two equations: a few times the condition of M times the rounding of the forces.
    bound = 100 * np.finfo(float).eps * np.linalg.cond(off.mass_matrix(q)).max() * np.abs(tau).max()
    assert_allclose(on.forward_dynamics(q, v, tau), a, atol=bound)
    assert_allclose(off.forward_dynamics(q, v, off.inverse_dynamics(q, v, a)), a, atol=bound)
    assert_allclose(
        on.forward_dynamics(q, v, tau - expected), off.forward_dynamics(q, v, tau - 2 * expected), atol=bound
    )


def test_without_the_switch_it_is_the_model_without_friction(load_text: LoadText) -> None:
    """Case 19: to the last bit."""
    inside = '<axis xyz="0 1 0"/>{}'
    rough, smooth = (
        load_text(pendulum(inside.format(dynamics)), "inverse_dynamics", "forward_dynamics")
        for dynamics in ('<dynamics damping="1" friction="2"/>', "")
    )
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 20, 1))
    assert (rough.inverse_dynamics(q, v, a) == smooth.inverse_dynamics(q, v, a)).all()
    assert (rough.forward_dynamics(q, v, a) == smooth.forward_dynamics(q, v, a)).all()


def test_the_switch_of_the_command(tmp_path: Path) -> None:
    """Case 19: the C that it writes has the friction, in both kernels."""
    path = tmp_path / "arm.urdf"
    path.write_text(pendulum('<axis xyz="0 0 1"/><dynamics damping="1" friction="2"/>', body=inertial()))
    kernels = ["--kernels", "inverse_dynamics", "forward_dynamics"]
    for out, switch, expected in (
        ("off", [], 0.0),
        ("on", ["--friction"], 3.0 + 2.0 * 3.0 / math.hypot(3.0, SLIP)),
    ):
        assert (
            cli.main(["generate", str(path), "-o", str(tmp_path / out), "--search", "0", *kernels, *switch])
            == 0
        )
        arm = kanegen.load(tmp_path / out)
        assert arm.inverse_dynamics([0.1], [3.0], [0.0])[0] == pytest.approx(expected, rel=1e-15)
        assert arm.forward_dynamics([0.1], [3.0], [0.0])[0] == pytest.approx(-expected / 2.5, rel=1e-15)


BLOCK = pendulum('<axis xyz="1 0 0"/><dynamics friction="4"/>', kind="prismatic", body=inertial(mass="2"))
MASS, GRIP = 2.0, 4.0


@pytest.fixture(scope="module")
def block(load_text: LoadText) -> kanegen.Robot:
    """A block of 2 kg on a level floor that holds it with 4 N."""
    return load_text(BLOCK, "forward_dynamics", "kinetic_energy", "potential_energy", friction=True)


def test_a_block_comes_to_rest_and_the_integrator_goes_on(block: kanegen.Robot) -> None:
    """Case 20: dq/dv = -m sqrt(v^2 + s^2) / f, so that the way to rest has a closed form, 2.25 m but for the smoothing."""
    motion = kanegen.simulate(block, [0.0], [3.0], 10.0, times=[0.0, 10.0])
    way = MASS / GRIP * (3.0 * math.hypot(3.0, SLIP) + SLIP**2 * math.asinh(3.0 / SLIP)) / 2
    assert way == pytest.approx(2.25, abs=2e-4)
    # Each step errs by about rtol = 1e-9 of the state, and there are some hundreds.
    assert motion.q[-1, 0] == pytest.approx(way, abs=1e-6)
    assert abs(motion.v[-1, 0]) < 1e-9
    # The rate of decay at rest is f / (m s) = 200 / s; of 8.5 s, steps of 3.3 times its inverse can be made: 515.
    assert motion.statistics.status is Status.DONE
    assert motion.statistics.accepted + motion.statistics.rejected < 2000


@pytest.mark.parametrize("force", [0.0, 1.0, -2.0])
def test_a_block_that_rests_under_a_load_creeps(block: kanegen.Robot, force: float) -> None:
    """Case 20: from v = 0, with less than the friction: at a rate below s, where the smooth friction balances it."""
    motion = kanegen.simulate(block, [0.0], [0.0], 5.0, lambda t, q, v: np.array([force]), times=[0.0, 5.0])
    expected = SLIP * force / math.sqrt(GRIP**2 - force**2)
    assert motion.v[-1, 0] == pytest.approx(expected, abs=1e-8)
    assert motion.statistics.status is Status.DONE


def test_at_rest_it_is_no_force(load_text: LoadText) -> None:
    """Case 20: finite, zero, and its slope f / s."""
    arm = load_text(BLOCK, "inverse_dynamics", friction=True)
    assert arm.inverse_dynamics([0.0], [0.0], [0.0])[0] == 0.0
    tiny = 1e-9
    assert arm.inverse_dynamics([0.0], [tiny], [0.0])[0] == pytest.approx(GRIP / SLIP * tiny, rel=1e-12)
