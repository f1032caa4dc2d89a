"""A model file with a free joint, a ball and a loop, against MuJoCo's mass matrix, bias forces and constraint Jacobian."""

from __future__ import annotations

import numpy as np
import pytest

import kanegen
from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.mechanism.importers.mjcf import from_mjcf

pytestmark = pytest.mark.needs("mujoco")

KERNELS = ["forward_dynamics", "constraint_residual", "constraint_jacobian"]

LEG = """
<mujoco model="five_bar_leg">
  <compiler angle="radian"/>
  <worldbody><body name="trunk" pos="0 0 1">
    <freejoint name="root"/><inertial pos="0.01 0 0.02" mass="5" diaginertia="0.1 0.12 0.08"/>
    <body name="thigh" pos="0.1 0 0">
      <joint name="hip" axis="0 1 0"/><inertial pos="0 0 -0.15" mass="1" diaginertia="0.01 0.011 0.002"/>
      <body name="shin" pos="0.1 0 -0.28" euler="0 0.2 0">
        <joint name="knee" axis="0 1 0"/><inertial pos="-0.05 0 -0.15" mass="0.6" diaginertia="0.006 0.0061 0.001"/>
      </body>
    </body>
    <body name="rod" pos="-0.1 0 0">
      <joint name="lever" axis="0 1 0"/><inertial pos="0 0 -0.15" mass="0.8" diaginertia="0.01 0.011 0.002"/>
      <body name="link" pos="-0.1 0 -0.28" euler="0.1 0 0.3">
        <joint name="ball" type="ball"/><inertial pos="0.05 0 -0.15" mass="0.4" diaginertia="0.006 0.0061 0.001"/>
      </body>
    </body>
  </body></worldbody>
  <equality><connect name="ankle" body1="shin" body2="link" anchor="-0.2 0 -0.3"/></equality>
  <actuator><motor joint="hip"/><motor joint="lever"/></actuator>
</mujoco>
"""


def on_mujoco(q: Array) -> Array:
    """q with MuJoCo's order of quaternions, (w, x, y, z); the joints come in the same order."""
    return np.concatenate([q[:3], q[[6, 3, 4, 5]], q[7:10], q[[13, 10, 11, 12]]])


def test_accelerations_are_those_of_mujocos_matrices() -> None:
    """At rest A d2x/dt2 = 0, so that M, h and A give the accelerations exactly."""
    import mujoco

    robot = kanegen.load(from_mjcf(LEG), kernels=KERNELS, interpreted=True)
    assert robot.speed_names[:6] == tuple(f"root_{kind}{axis}" for kind in "vw" for axis in "xyz")
    model = mujoco.MjModel.from_xml_string(LEG)
    data = mujoco.MjData(model)
    random = np.random.default_rng(1)
    for _ in range(5):
        q = robot.assemble(robot.home + 0.2 * random.normal(size=robot.nq))
        data.qpos[:], data.qvel[:] = on_mujoco(q), 0
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        A = np.zeros((data.nefc, model.nv))
        if mujoco.mj_isSparse(model):
            mujoco.mju_sparse2dense(A, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
        else:
            A[:] = data.efc_J.reshape(-1, model.nv)[: data.nefc]
        assert np.abs(data.efc_pos[: len(A)]).max() < 1e-12
        R = data.xmat[model.body("trunk").id].reshape(3, 3)
        Y = np.zeros((robot.nv, model.nv))
        place = {"hip": 6, "knee": 7, "lever": 8, "ball_wx": 9, "ball_wy": 10, "ball_wz": 11}
        for r, name in enumerate(robot.speed_names):
            if name.startswith("root_v"):
                Y[r, :3] = R[:, "xyz".index(name[-1])]
            else:
                Y[r, 3 + "xyz".index(name[-1]) if name.startswith("root_") else place[name]] = 1
        tau = random.normal(size=robot.nv)
        whole = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
        right = np.concatenate([Y.T @ tau - data.qfrc_bias, np.zeros(len(A))])
        expected = Y @ np.linalg.solve(whole, right)[: model.nv]
        a = robot.forward_dynamics(q, np.zeros(robot.nv), tau)
        assert np.abs(a - expected).max() < 1e-13 * np.linalg.cond(whole) * np.abs(expected).max()
