"""A robot in MuJoCo: ``mj_inverse`` and ``mj_forward`` from Python."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.peers.engines import Array, Kernel, library, order_of, ordered_rows, scattered

_UNSEEN = ("visual", "collision")


def mujoco_model(urdf: str, joints: Sequence[str]) -> tuple[Any, list[int]]:
    """A ``mujoco.MjModel`` with everything but rigid-body dynamics off, and which of ``joints`` each of its joints is.

    Raises:
        PeerUnavailable: where MuJoCo is not installed.
    """
    mujoco = library("mujoco", "MuJoCo", "mujoco")
    root = ET.fromstring(urdf)
    for link in root.iter("link"):
        for name in _UNSEEN:
            for element in link.findall(name):
                link.remove(element)
    model = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    off = mujoco.mjtDisableBit
    for bit in (off.mjDSBL_CONSTRAINT, off.mjDSBL_CONTACT, off.mjDSBL_ACTUATION, off.mjDSBL_SENSOR):
        model.opt.disableflags |= int(bit)
    for resisting in (model.dof_damping, model.dof_frictionloss, model.dof_armature):
        resisting[:] = 0.0
    return model, order_of([model.joint(j).name for j in range(model.njnt)], joints)


class MujocoEngine:
    """MuJoCo's Python bindings; raises :class:`PeerUnavailable` where they are not installed."""

    def __init__(self, urdf: str, joints: Sequence[str]) -> None:
        self._mujoco = library("mujoco", "MuJoCo", "mujoco")
        self.model, self._order = mujoco_model(urdf, joints)
        self.data = self._mujoco.MjData(self.model)

    @property
    def name(self) -> str:
        return "MuJoCo, Python"

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        order, data = self._order, self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q[order], v[order], a[order]
        self._mujoco.mj_inverse(self.model, data)
        return scattered(order, data.qfrc_inverse)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        order, data = self._order, self.data
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q[order], v[order], tau[order]
        self._mujoco.mj_forward(self.model, data)
        return scattered(order, data.qacc)

    def loop(self, kernel: Kernel, q: Array, v: Array, third: Array) -> Callable[[], object]:
        """The state is written through views kept from before: MuJoCo has no call that takes it as arguments."""
        rows = ordered_rows(self._order, q, v, third)
        model, data = self.model, self.data
        if kernel == "inverse_dynamics":
            function, given = self._mujoco.mj_inverse, data.qacc
        else:
            function, given = self._mujoco.mj_forward, data.qfrc_applied
        position, velocity = data.qpos, data.qvel

        def run() -> None:
            for row_q, row_v, row_third in rows:
                position[:] = row_q
                velocity[:] = row_v
                given[:] = row_third
                function(model, data)

        return run
