"""Closed linkages in other engines, called from Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.loop_states import LoopStates, on_joints, partial_velocities, speed_places
from benchmarks.mujoco_c.stewart_model import stewart_mjcf
from benchmarks.own import Entry
from benchmarks.peers.engines import Array, library, ordered_rows
from benchmarks.protocol import python_contestant

PINOCCHIO = "Pinocchio, Python"
MUJOCO = "MuJoCo, Python, open tree only"


def pinocchio_five_bar(robot: Any, states: LoopStates, passes: int) -> Entry:
    """The five-bar by ``constraintDynamics`` with one CONTACT_3D constraint.

    Raises:
        PeerUnavailable: where Pinocchio is not installed.
    """
    pinocchio = library("pinocchio", "Pinocchio", "pin")
    ground, length = 0.6, 0.5
    moment = length**3 / 12
    rod = pinocchio.Inertia(length, np.array([length / 2, 0, 0]), np.diag([0, moment, moment]))
    model = pinocchio.Model()
    model.gravity.linear = np.array([0, -9.81, 0])
    tip = pinocchio.SE3(np.eye(3), np.array([length, 0, 0]))
    outer = []
    for root in (0.0, ground):
        at = pinocchio.SE3(np.eye(3), np.array([root, 0, 0]))
        inner = model.addJoint(0, pinocchio.JointModelRZ(), at, f"inner {root}")
        model.appendBodyToJoint(inner, rod, pinocchio.SE3.Identity())
        outer.append(model.addJoint(inner, pinocchio.JointModelRZ(), tip, f"outer {root}"))
        model.appendBodyToJoint(outer[-1], rod, pinocchio.SE3.Identity())
    constraints = pinocchio.StdVec_RigidConstraintModel()
    constraints.append(
        pinocchio.RigidConstraintModel(
            pinocchio.ContactType.CONTACT_3D,
            model,
            outer[0],
            tip,
            outer[1],
            tip,
            pinocchio.ReferenceFrame.LOCAL,
        )
    )
    workspace = pinocchio.StdVec_RigidConstraintData()
    workspace.append(constraints[0].createData())
    data = model.createData()
    pinocchio.initConstraintDynamics(model, data, constraints, workspace)
    settings = pinocchio.ProximalSettings(1e-14, 1e-12, 30)
    forces = on_joints(robot, states.free.tau)
    rows = ordered_rows(list(range(robot.nq)), states.free.q, states.qdot, forces)
    places = speed_places(robot)

    def one_pass() -> None:
        for q, v, tau in rows:
            pinocchio.constraintDynamics(model, data, q, v, tau, constraints, workspace, settings)

    def results() -> Array:
        found = [
            np.array(pinocchio.constraintDynamics(model, data, *row, constraints, workspace, settings))
            for row in rows
        ]
        return np.array(found)[:, places]

    return Entry(python_contestant(PINOCCHIO, one_pass, states.free.count, passes), results)


def mujoco_stewart(robot: Any, states: LoopStates, passes: int) -> Entry:
    """The platform's open tree by ``mj_inverse``; the projection on the legs belongs to the results, not to the time.

    Raises:
        PeerUnavailable: where MuJoCo is not installed.
    """
    mujoco = library("mujoco", "MuJoCo", "mujoco")
    model = mujoco.MjModel.from_xml_string(stewart_mjcf())
    data = mujoco.MjData(model)
    rows = ordered_rows(list(range(robot.nq)), states.free.q, states.qdot, states.qddot)
    position, velocity, acceleration = data.qpos, data.qvel, data.qacc

    def one_pass() -> None:
        for q, v, a in rows:
            position[:] = q
            velocity[:] = v
            acceleration[:] = a
            mujoco.mj_inverse(model, data)

    def results() -> Array:
        found = []
        for q, v, a in rows:
            position[:], velocity[:], acceleration[:] = q, v, a
            mujoco.mj_inverse(model, data)
            found.append(partial_velocities(robot, q).T @ data.qfrc_inverse)
        return np.array(found)

    return Entry(python_contestant(MUJOCO, one_pass, states.free.count, passes), results)
