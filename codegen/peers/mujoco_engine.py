"""MuJoCo: an MJCF file compiled by itself, or a text of MJCF made from the records of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.importers.mjcf.names import Names
from kanegen.codegen.mechanism.importers.mjcf.source import compiled, warnings_of
from kanegen.codegen.mechanism.importers.mjcf.ties import joint_ties
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import AS_WRITTEN
from kanegen.codegen.peers.coordinates import Block, CoordinateMap, Scalar, ball, scalar
from kanegen.codegen.peers.engine import Table
from kanegen.codegen.peers.links import vector
from kanegen.codegen.peers.mujoco_model import MujocoModel
from kanegen.errors import ModelError
from kanegen.extras import install_command

Array = NDArray[np.float64]


def mujoco_module() -> ModuleType:
    """MuJoCo's Python package.  Raises ModelError where it is not installed."""
    try:
        import mujoco
    except ImportError:
        raise ModelError(
            "--against mujoco",
            "MuJoCo is not installed",
            "the Python package 'mujoco'",
            f"Install it: {install_command('peers', 'mujoco')}.",
        ) from None
    module: ModuleType = mujoco
    return module


class MujocoEngine:
    """MuJoCo's answers about one of its models, with contacts, limits, friction, damping of joints and actuators off."""

    def __init__(
        self,
        mujoco: ModuleType,
        model: Any,
        coordinates: CoordinateMap,
        frames: Mapping[str, tuple[str, int]],
        springs_included: bool,
    ) -> None:
        self.title = f"MuJoCo {mujoco.__version__}"
        self.springs_included = springs_included
        self.coordinates = coordinates
        self.frames = {name: index for name, (_, index) in frames.items()}
        self._mujoco, self._model, self._kinds = (
            mujoco,
            model,
            {name: kind for name, (kind, _) in frames.items()},
        )
        off = ("CONSTRAINT", "EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT", "ACTUATION")
        for flag in off:
            model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        model.dof_damping[:] = 0
        for field in ("dof_frictionloss", "actuator_damping"):
            if hasattr(model, field):
                getattr(model, field)[:] = 0
        self._data = mujoco.MjData(model)

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        """mj_inverse."""
        self._set(q, v)
        self._data.qacc[:] = a
        with warnings_of(self._mujoco):  # of singular mass matrices, which inverse dynamics does not need
            self._mujoco.mj_inverse(self._model, self._data)
        return np.array(self._data.qfrc_inverse)

    def mass_matrix(self, q: Array) -> Array:
        """mj_fullM, column by column from mj_mulM so that every release has it."""
        self._forward(q, None, None)
        n = self._model.nv
        found, column = np.empty((n, n)), np.empty(n)
        for j in range(n):
            self._mujoco.mj_mulM(self._model, self._data, column, np.eye(n)[j])
            found[:, j] = column
        return found

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """mj_forward."""
        self._forward(q, v, tau)
        return np.array(self._data.qacc)

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """[J], armature included."""
        self._forward(q, v, None)
        return float(self._data.energy[1])

    def momentum(self, q: Array, v: Array) -> Array:
        """(6,), from MuJoCo's linear and angular velocities of the whole tree."""
        self._forward(q, v, None)
        self._mujoco.mj_subtreeVel(self._model, self._data)
        linear = self._data.subtree_linvel
        total, about_origin = np.zeros(3), np.zeros(3)
        for root in self._roots():
            p = self._model.body_subtreemass[root] * linear[root]
            total += p
            about_origin += self._data.subtree_angmom[root] + np.cross(self._data.subtree_com[root], p)
        return np.concatenate([total, about_origin])

    def center_of_mass(self, q: Array) -> Array:
        """(3,), of the bodies that can move; NaN where they have no mass."""
        self._forward(q, None, None)
        moving = self._moving()
        masses = self._model.body_mass[moving]
        if not masses.any():
            return np.full(3, np.nan)
        return np.array(masses @ self._data.xipos[moving] / masses.sum())

    def frame_pose(self, q: Array, frame: str) -> Array:
        """(4, 4)."""
        self._forward(q, None, None)
        index, data = self.frames[frame], self._data
        body = self._kinds[frame] == "body"
        pose = np.eye(4)
        pose[:3, :3] = (data.xmat if body else data.site_xmat)[index].reshape(3, 3)
        pose[:3, 3] = (data.xpos if body else data.site_xpos)[index]
        return pose

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """(6, nv)."""
        self._forward(q, None, None)
        linear, angular = np.zeros((2, 3, self._model.nv))
        jacobian = self._mujoco.mj_jacBody if self._kinds[frame] == "body" else self._mujoco.mj_jacSite
        jacobian(self._model, self._data, linear, angular, self.frames[frame])
        return np.vstack([linear, angular])

    def tables(self) -> Mapping[str, Table]:
        """None: MuJoCo's further matrices have no counterpart."""
        return {}

    def _set(self, q: Array, v: Array | None) -> None:
        self._data.qpos[:] = q
        self._data.qvel[:] = 0.0 if v is None else v

    def _forward(self, q: Array, v: Array | None, tau: Array | None) -> None:
        self._set(q, v)
        self._data.qfrc_applied[:] = 0.0 if tau is None else tau
        with warnings_of(self._mujoco):
            self._mujoco.mj_forward(self._model, self._data)

    def _moving(self) -> Array:
        """Numbers of the bodies that some joint moves."""
        return np.array([i for i in range(1, self._model.nbody) if self._model.body_weldid[i] != 0])

    def _roots(self) -> list[int]:
        """The moving bodies that hang on what stands still."""
        model = self._model
        moving = set(self._moving().tolist())
        return [i for i in sorted(moving) if int(model.body_parentid[i]) not in moving]


def of_mechanism(mechanism: Mechanism) -> MujocoEngine:
    """MuJoCo on a model made from a mechanism's records."""
    mujoco = mujoco_module()
    made = MujocoModel(mujoco, mechanism)
    model = made.model
    blocks: dict[str, Block] = {}
    for name, first in made.joints.items():
        joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, first)
        slots = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        blocks[name] = _block(mechanism, name, slots)
    frames = {
        name: ("site", int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, site)))
        for name, site in made.sites.items()
    }
    coordinates = CoordinateMap(mechanism, blocks, model.nq, model.nv)
    return MujocoEngine(mujoco, model, coordinates, frames, springs_included=False)


def of_mjcf(mechanism: Mechanism, file_or_text: Path | str) -> MujocoEngine:
    """MuJoCo on an MJCF file or text; ``mechanism`` only says how kanegen calls and orders its coordinates."""
    mujoco = mujoco_module()
    tolerance = AS_WRITTEN if mechanism.rounded is None else mechanism.rounded.tolerance
    model = compiled(file_or_text, tolerance).model  # the same angles as the mechanism's
    names = Names(mujoco, model)
    blocks: dict[str, Block] = {}
    held = joint_ties(mujoco, model, names).held
    for j, name in enumerate(names.joints):
        slots = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        blocks[name] = (
            Scalar(*slots, None, None, offset=float(held[j])) if j in held else _block(mechanism, name, slots)
        )
    frames = {name: ("body", i) for i, name in enumerate(names.bodies) if i}
    frames |= {name: ("site", i) for i, name in names.sites.items()}
    model.opt.gravity[:] = vector(mechanism.gravity, mechanism)
    coordinates = CoordinateMap(mechanism, blocks, model.nq, model.nv)
    return MujocoEngine(mujoco, model, coordinates, frames, springs_included=True)


def _block(mechanism: Mechanism, name: str, slots: tuple[int, int]) -> Block:
    """A joint by its first slots; MuJoCo has quaternions with the scalar first, and linear velocities along outer axes."""
    if mechanism.ball(name) is not None:
        return ball(mechanism, name, *slots, scalar_first=True, outer=True)
    return scalar(mechanism, name, *slots)
