"""Armature of free joints (Case 81): what resists the speeds of a free body, whichever class of defaults gives it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

import kanegen

Array = NDArray[np.float64]

ARMATURE = 0.7  # kg, kg m^2

TEXT = f"""<mujoco><option gravity="1 2 -9"/><default><joint armature="{ARMATURE}"/></default><worldbody>
  <body name="a" pos="0 0 1"><joint name="f" type="free"/><geom type="box" size=".1 .2 .05" pos=".1 .05 .02"/>
    <body name="b" pos=".3 0 0"><joint name="j" axis="1 1 0"/><geom type="box" size=".1 .2 .05" pos=".1 0 0"/></body>
  </body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def robot() -> kanegen.Robot:
    pytest.importorskip("mujoco", reason="MuJoCo's parser reads MJCF")
    from kanegen.codegen.mechanism.importers import from_mjcf

    return kanegen.load(from_mjcf(TEXT), interpreted=True)


def in_both(random: np.random.Generator) -> tuple[tuple[Array, ...], tuple[Array, ...], Array]:
    """A random state (q, v, a) as MuJoCo writes it and as kanegen does, and the turn from the body to the world.

    MuJoCo's linear speeds are along the axes of the world: v_world = R v, a_world = R (dv/dt + w x v).
    """
    from scipy.spatial.transform import Rotation

    turn = Rotation.random(random_state=int(random.integers(1000)))
    R, (x, y, z, w) = turn.as_matrix(), turn.as_quat()
    place, angle = random.standard_normal(3), random.standard_normal(1)
    v, a = random.standard_normal((2, 7))
    u, du = v.copy(), a.copy()
    u[:3] = R.T @ v[:3]
    du[:3] = R.T @ a[:3] - np.cross(u[3:6], u[:3])
    theirs = np.concatenate([place, [w, x, y, z], angle]), v, a
    return theirs, (np.concatenate([place, [x, y, z, w], angle]), u, du), R


def test_forces_and_masses_are_those_of_mujoco(robot: kanegen.Robot) -> None:
    """Case 81: mass matrix, bias and inverse dynamics against MuJoCo, whose linear speeds are along the world's axes.

    There the armature adds a to the diagonal of M and nothing to the bias.  Along the body's axes the same force is
    a (dv/dt + w x v).  Both sides sum some hundred products of terms up to 150 N: 1e-12 is a hundred roundings of these.
    """
    engine = pytest.importorskip("mujoco")
    model = engine.MjModel.from_xml_string(TEXT)
    data = engine.MjData(model)
    random = np.random.default_rng(81)
    for _ in range(5):
        (q, v, a), ours, R = in_both(random)
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        engine.mj_inverse(model, data)
        forces, whole = np.array(data.qfrc_inverse), np.zeros((7, 7))
        forces[:3] = R.T @ forces[:3]
        for k in range(7):
            engine.mj_mulM(model, data, whole[k], np.eye(7)[k])
        to_world = np.eye(7)
        to_world[:3, :3] = R
        assert np.abs(robot.inverse_dynamics(*ours) - forces).max() < 1e-12
        assert np.abs(robot.mass_matrix(ours[0]) - to_world.T @ whole @ to_world).max() < 1e-12
        assert robot.forward_dynamics(*ours[:2], forces) == pytest.approx(ours[2], abs=1e-10)


def test_the_armature_adds_a_to_the_masses_and_its_momentum_to_the_balance(robot: kanegen.Robot) -> None:
    """Case 81, by hand: M grows by a on the diagonal, the forces by a (dv/dt + w x v) and a dw/dt.

    The first is the rate of change of the momentum a v, along axes that turn with the body.
    """
    from kanegen.codegen.mechanism.importers import from_mjcf

    bare = kanegen.load(from_mjcf(TEXT.replace(f'armature="{ARMATURE}"', "")), interpreted=True)
    random = np.random.default_rng(8)
    _, (q, v, a), _ = in_both(random)
    grown = robot.mass_matrix(q) - bare.mass_matrix(q)
    assert grown == pytest.approx(ARMATURE * np.eye(7), abs=1e-12)
    more = robot.inverse_dynamics(q, v, a) - bare.inverse_dynamics(q, v, a)
    linear = ARMATURE * (a[:3] + np.cross(v[3:6], v[:3]))
    assert more == pytest.approx(np.concatenate([linear, ARMATURE * a[3:]]), abs=1e-12)
    energy = robot.kinetic_energy(q, v) - bare.kinetic_energy(q, v)
    assert energy == pytest.approx(ARMATURE * v @ v / 2, abs=1e-12)


def test_what_shifts_a_free_body_has_no_axes() -> None:
    """Case 81: unequal values along the axes of a body would not balance energy, and are refused with their cure."""
    pytest.importorskip("mujoco", reason="MuJoCo's parser reads MJCF")
    from kanegen.codegen.mechanism.importers import from_mjcf
    from kanegen.codegen.mechanism.validation import validated

    mechanism = from_mjcf(TEXT)
    first = mechanism.balls[0].joints[0]
    joints = tuple(replace(j, rotor_inertia=Fraction(1)) if j.name == first else j for j in mechanism.joints)
    with pytest.raises(kanegen.ModelError, match=r"ball joint 'f', rotor inertia: is 1, 0\.7, 0\.7 kg"):
        validated(replace(mechanism, joints=joints))
