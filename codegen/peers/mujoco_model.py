"""A mechanism's records as a model of MuJoCo.

The text of MJCF holds places, joints and names; inertias are written into the compiled model, so that MuJoCo takes bodies
without mass between joints, rods and points as they are.  Placeholders are turned and off centre: MuJoCo then takes no
shortcut that would hold for them and not for the inertias that follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.importers.mjcf.source import warnings_of
from kanegen.codegen.mechanism.records import BASE, Frame, Inertia, JointKind, Mechanism
from kanegen.codegen.peers.links import Link, links_of, matrix, number, vector

Array = NDArray[np.float64]

_PLACEHOLDER = '<inertial pos="0.1 0.2 0.3" euler="0.3 0.4 0.5" mass="1" diaginertia="1 1.1 1.2"/>'


class MujocoModel:
    """The compiled model and names in it: ``joints`` by the mechanism's, the first part of each; ``sites`` of frames."""

    def __init__(self, mujoco: ModuleType, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._links = links_of(mechanism)
        self._bodies = {BASE: "world"} | {link.child: f"b{i}" for i, link in enumerate(self._links)}
        self._below: dict[str, list[int]] = {name: [] for name in self._bodies}
        for i, link in enumerate(self._links):
            self._below[link.parent].append(i)
        self.sites = {frame.name: f"s{i}" for i, frame in enumerate(mechanism.frames)}
        self.joints = {
            link.name: (f"j{i}_x" if link.ball and link.ball.free else f"j{i}")
            for i, link in enumerate(self._links)
            if link.kind is not JointKind.FIXED
        }
        self.model = mujoco.MjModel.from_xml_string(self._text())
        self._write_inertias(mujoco)

    def _text(self) -> str:
        gravity = _text(vector(self._mechanism.gravity, self._mechanism))
        return (
            '<mujoco><compiler angle="radian" autolimits="false" inertiafromgeom="false"/>'
            f'<option gravity="{gravity}"/><worldbody>{self._inside(BASE)}</worldbody></mujoco>'
        )

    def _inside(self, root: str) -> str:
        """The sites and bodies in a body; iterative, as chains may be longer than Python's stack is deep."""
        done: list[str] = []
        todo: list[str | int] = [f"{self._sites(root)}", *self._below[root]]
        todo.reverse()
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                done.append(item)
                continue
            link = self._links[item]
            done.append(self._opening(item, link))
            todo.append("</body>")
            todo.extend(reversed(self._below[link.child]))
        return "".join(done)

    def _opening(self, i: int, link: Link) -> str:
        at = f'pos="{_text(link.position)}" {_turned(link.rotation)}'
        return f'<body name="b{i}" {at}>{_PLACEHOLDER}{_joints(f"j{i}", link)}{self._sites(link.child)}'

    def _sites(self, body: str) -> str:
        return "".join(self._site(f) for f in self._mechanism.frames if f.body == body)

    def _site(self, frame: Frame) -> str:
        position = vector(frame.position, self._mechanism)
        turned = _turned(matrix(frame.rotation, self._mechanism))
        return f'<site name="{self.sites[frame.name]}" pos="{_text(position)}" {turned}/>'

    def _write_inertias(self, mujoco: ModuleType) -> None:
        model = self.model
        for body in self._mechanism.bodies:
            if body.name in self._bodies:
                index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, self._bodies[body.name])
                self._write_inertia(mujoco, index, body.inertia)
        for link in self._links:
            if link.rotor_inertia.any():
                joint = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, self.joints[link.name])
                first = int(model.jnt_dofadr[joint])
                model.dof_armature[first : first + len(link.rotor_inertia)] = link.rotor_inertia
        with warnings_of(mujoco):
            mujoco.mj_setConst(model, mujoco.MjData(model))

    def _write_inertia(self, mujoco: ModuleType, index: int, inertia: Inertia | None) -> None:
        model: Any = self.model
        if inertia is None:
            model.body_mass[index], model.body_inertia[index] = 0.0, 0.0
            return
        model.body_mass[index] = number(inertia.mass, self._mechanism)
        model.body_ipos[index] = vector(inertia.center, self._mechanism)
        moments, axes = np.linalg.eigh(matrix(inertia.tensor, self._mechanism))
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, axes.ravel())
        model.body_inertia[index], model.body_iquat[index] = moments, quaternion


def _joints(name: str, link: Link) -> str:
    if link.kind is JointKind.FIXED:
        return ""
    if link.ball is None:
        kind = "hinge" if link.kind is JointKind.REVOLUTE else "slide"
        return f'<joint name="{name}" type="{kind}" axis="{_text(link.axis)}"/>'
    slides = "".join(
        f'<joint name="{name}_{letter}" type="slide" axis="{axis}"/>'
        for letter, axis in (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1"))
    )
    return f'{slides if link.ball.free else ""}<joint name="{name}" type="ball"/>'


def _turned(rotation: Array) -> str:
    return f'xyaxes="{_text(rotation[:, 0])} {_text(rotation[:, 1])}"'


def _text(values: Sequence[float] | Array) -> str:
    return " ".join(repr(float(x)) for x in values)
