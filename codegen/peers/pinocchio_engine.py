"""Pinocchio: a URDF parsed by itself, or the records of a mechanism one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.records import BASE, JointKind, Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.peers.coordinates import Ball, Block, CoordinateMap, ball, scalar
from kanegen.codegen.peers.engine import Motion, Side, Table
from kanegen.codegen.peers.links import Link, links_of, matrix, number, vector
from kanegen.errors import ModelError
from kanegen.extras import install_command

Array = NDArray[np.float64]

_TEN = np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])
"""Pinocchio's places of m, m c, Ixx, Ixy, Ixz, Iyy, Iyz, Izz: it has Iyy before Ixz."""


def pinocchio_module() -> ModuleType:
    """Pinocchio's Python package.  Raises ModelError where it is not installed."""
    try:
        import pinocchio
    except ImportError:
        raise ModelError(
            "--against pinocchio",
            "Pinocchio is not installed",
            "the Python package 'pin'",
            f"Install it: {install_command('peers', 'pin')}.",
        ) from None
    module: ModuleType = pinocchio
    return module


class PinocchioEngine:
    """Pinocchio's answers about one of its models."""

    springs_included = False

    def __init__(
        self,
        pinocchio: ModuleType,
        model: Any,
        coordinates: CoordinateMap,
        frames: Mapping[str, int],
        bodies: Sequence[int],
    ) -> None:
        """``bodies`` are Pinocchio's joints that carry the mechanism's moving bodies, in the mechanism's order."""
        self.title = f"Pinocchio {pinocchio.__version__}"
        self.coordinates, self.frames = coordinates, frames
        self._pin, self._model, self._data = pinocchio, model, model.createData()
        self._bodies = tuple(bodies)
        self._bare = model.copy()
        self._bare.armature = np.zeros(model.nv)

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        """By the recursive Newton-Euler algorithm."""
        return np.array(self._pin.rnea(self._model, self._data, q, v, a))

    def mass_matrix(self, q: Array) -> Array:
        """By the composite-rigid-body algorithm."""
        upper = np.triu(self._pin.crba(self._model, self._data, q))
        return np.array(upper + np.triu(upper, 1).T)

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        """By the articulated-body algorithm."""
        return np.array(self._pin.aba(self._model, self._data, q, v, tau))

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """[J], of the bodies and the drives' rotors.

        Pinocchio counts rotors in the energy for some kinds of joints and not for others, so they are added here.
        """
        bodies = float(self._pin.computeKineticEnergy(self._bare, self._data, q, v))
        return bodies + float(np.dot(self._model.armature, v * v)) / 2

    def momentum(self, q: Array, v: Array) -> Array:
        """(6,), from the momenta of the bodies."""
        self._pin.forwardKinematics(self._model, self._data, q, v)
        total = self._pin.Force.Zero()
        for joint in range(1, self._model.njoints):
            total += self._data.oMi[joint].act(self._model.inertias[joint] * self._data.v[joint])
        return np.concatenate([total.linear, total.angular])

    def center_of_mass(self, q: Array) -> Array:
        """(3,)."""
        return np.array(self._pin.centerOfMass(self._model, self._data, q))

    def frame_pose(self, q: Array, frame: str) -> Array:
        """(4, 4)."""
        self._pin.framesForwardKinematics(self._model, self._data, q)
        return np.array(self._data.oMf[self.frames[frame]].homogeneous)

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """(6, nv); NumPy gets vectors from Pinocchio where a matrix has a single row or column."""
        found = self._pin.computeFrameJacobian(self._model, self._data, q, self.frames[frame], self._axes)
        return np.reshape(found, (6, -1))

    def tables(self) -> Mapping[str, Table]:
        """Matrices that Pinocchio has of its own."""
        forces, speeds, plain = Side.FORCES, Side.SPEEDS, Side.PLAIN
        backward, forward = self._inverse_derivative, self._forward_derivative
        return {
            "regressor": Table(self._forces_of_bodies, forces, plain),
            "full_regressor": Table(self._regressor, forces, plain),
            "coriolis_matrix": Table(self._coriolis, forces, speeds),
            "inverse_mass_matrix": Table(self._inverse_mass, speeds, forces),
            "centroidal_momentum_matrix": Table(self._centroidal, plain, speeds),
            "frame_jacobian_rate_": Table(self._jacobian_rate, plain, speeds, of_frame=True),
            "inverse_dynamics_derivatives.dq": Table(backward(0), forces, speeds, springs_matter=True),
            "inverse_dynamics_derivatives.dv": Table(backward(1), forces, speeds, springs_matter=True),
            "inverse_dynamics_derivatives.da": Table(backward(2), forces, speeds),
            "forward_dynamics_derivatives.dq": Table(forward(0), speeds, speeds, springs_matter=True),
            "forward_dynamics_derivatives.dv": Table(forward(1), speeds, speeds, springs_matter=True),
            "forward_dynamics_derivatives.dtau": Table(forward(2), speeds, forces, springs_matter=True),
        }

    def _forces_of_bodies(self, m: Motion, _: str) -> Array:
        """Inverse dynamics without the drives' rotors."""
        return np.array(self.forces(m.q, m.v, m.a) - self._model.armature * m.a)

    def _regressor(self, m: Motion, _: str) -> Array:
        """(nv, 10 bodies) in kanegen's order of bodies and of the ten parameters of each."""
        found = self._pin.computeJointTorqueRegressor(self._model, self._data, m.q, m.v, m.a)
        found = np.reshape(found, (self._model.nv, -1))
        return np.hstack([found[:, 10 * (j - 1) + _TEN] for j in self._bodies])

    @property
    def _axes(self) -> Any:
        return self._pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def _coriolis(self, m: Motion, _: str) -> Array:
        return np.array(self._pin.computeCoriolisMatrix(self._model, self._data, m.q, m.v))

    def _inverse_mass(self, m: Motion, _: str) -> Array:
        upper = np.triu(self._pin.computeMinverse(self._model, self._data, m.q))
        return np.array(upper + np.triu(upper, 1).T)

    def _centroidal(self, m: Motion, _: str) -> Array:
        return np.reshape(self._pin.computeCentroidalMap(self._model, self._data, m.q), (6, -1))

    def _jacobian_rate(self, m: Motion, frame: str) -> Array:
        self._pin.computeJointJacobiansTimeVariation(self._model, self._data, m.q, m.v)
        self._pin.updateFramePlacements(self._model, self._data)
        found = self._pin.getFrameJacobianTimeVariation(
            self._model, self._data, self.frames[frame], self._axes
        )
        return np.reshape(found, (6, -1))

    def _inverse_derivative(self, which: int) -> Callable[[Motion, str], Array]:
        def derivative(m: Motion, _: str) -> Array:
            found = self._pin.computeRNEADerivatives(self._model, self._data, m.q, m.v, m.a)[which]
            if which < 2:
                return np.array(found)
            upper = np.triu(found)
            return np.array(upper + np.triu(upper, 1).T)

        return derivative

    def _forward_derivative(self, which: int) -> Callable[[Motion, str], Array]:
        def derivative(m: Motion, _: str) -> Array:
            found = self._pin.computeABADerivatives(self._model, self._data, m.q, m.v, m.tau)[which]
            if which < 2:
                return np.array(found)
            upper = np.triu(found)
            return np.array(upper + np.triu(upper, 1).T)

        return derivative


def of_mechanism(mechanism: Mechanism) -> PinocchioEngine:
    """Pinocchio on a model made from a mechanism's records.

    Fixed joints become rigid attachments to the body that carries them, as Pinocchio has none; placements, axes and inertias
    are taken as they stand.
    """
    pin = pinocchio_module()
    model = pin.Model()
    model.name = mechanism.name
    model.gravity.linear = vector(mechanism.gravity, mechanism)
    places = {BASE: _Attachment(0, pin.SE3.Identity())}
    for link in links_of(mechanism):
        places[link.child] = _attach(pin, model, link, places[link.parent])
    for body in mechanism.bodies:
        if body.inertia is not None:
            at = places[body.name]
            inertia = pin.Inertia.Zero()  # part by part, as the constructor refuses what no body can have
            inertia.mass = number(body.inertia.mass, mechanism)
            inertia.lever = vector(body.inertia.center, mechanism)
            inertia.inertia = matrix(body.inertia.tensor, mechanism)
            model.appendBodyToJoint(at.joint, inertia, at.placement)
    frames = {}
    for frame in mechanism.frames:
        at = places[frame.body]
        in_body = pin.SE3(matrix(frame.rotation, mechanism), vector(frame.position, mechanism))
        kind = pin.FrameType.OP_FRAME
        frames[frame.name] = model.addFrame(pin.Frame(frame.name, at.joint, at.placement * in_body, kind))
    bodies = [int(model.getJointId(name)) for name in _moving(mechanism)]
    return PinocchioEngine(pin, model, _coordinates(mechanism, model), frames, bodies)


@dataclass(frozen=True)
class _Attachment:
    """Where a body is: its frame in the frame of the joint that carries it (0: the world)."""

    joint: int
    placement: Any


def _attach(pin: ModuleType, model: Any, link: Link, parent: _Attachment) -> _Attachment:
    placement = parent.placement * pin.SE3(link.rotation, link.position)
    if link.kind is JointKind.FIXED:
        return _Attachment(parent.joint, placement)
    if link.ball is not None and link.ball.free and link.rotor_inertia.any():
        raise ModelError(
            f"joint {link.name!r}",
            "is a free joint with rotor inertia, which Pinocchio lets resist dv/dt alone, without w x v",
            "a free joint without one",
            "Compare with MuJoCo: --against mujoco.",
        )
    if link.ball is not None:
        kind = pin.JointModelFreeFlyer() if link.ball.free else pin.JointModelSpherical()
    elif link.kind is JointKind.REVOLUTE:
        kind = pin.JointModelRevoluteUnaligned(link.axis)
    else:
        kind = pin.JointModelPrismaticUnaligned(link.axis)
    joint = model.addJoint(parent.joint, kind, placement, link.name)
    first = model.joints[joint].idx_v
    armature = np.array(model.armature)
    armature[first : first + len(link.rotor_inertia)] = link.rotor_inertia
    model.armature = armature
    return _Attachment(joint, pin.SE3.Identity())


def of_urdf(mechanism: Mechanism, file: str) -> PinocchioEngine | None:
    """Pinocchio on a URDF that it parses itself; ``mechanism`` only says how kanegen calls and orders its coordinates.

    None where it has joints that the two write in different coordinates (planar ones): then records are converted.
    """
    pin = pinocchio_module()
    floats = [b for b in mechanism.balls if b.free and _on_base(mechanism, b.joints[0])]
    try:
        model = pin.buildModelFromUrdf(file)
        floats = [b for b in floats if not model.existJointName(b.name)]  # the file may have it itself
        if floats:
            model = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer())
    except ValueError as error:
        raise ModelError(
            file,
            f"Pinocchio refuses it: {error}",
            "a URDF that both read",
            "Mend it, or compare with MuJoCo.",
        ) from None
    model.gravity.linear = vector(mechanism.gravity, mechanism)
    if any(not _known(model.joints[i]) for i in range(1, model.njoints)):
        return None
    renamed = {"root_joint": floats[0].name} if floats else {}
    frames = {}
    for frame in mechanism.frames:
        if model.existFrame(frame.name, pin.FrameType.BODY):
            frames[frame.name] = int(model.getFrameId(frame.name, pin.FrameType.BODY))
    theirs = {ours: name for name, ours in renamed.items()}
    bodies = [int(model.getJointId(theirs.get(name, name))) for name in _moving(mechanism)]
    return PinocchioEngine(pin, model, _coordinates(mechanism, model, renamed), frames, bodies)


def _moving(mechanism: Mechanism) -> list[str]:
    """The joints, by the names that other engines know, on which bodies move: carriers between joints are none."""
    reduced = without_fixed_joints(mechanism)
    bare = {body.name for body in reduced.bodies if body.carrier and body.inertia is None}
    return [link.name for link in links_of(reduced) if link.child not in bare]


def _on_base(mechanism: Mechanism, joint: str) -> bool:
    return mechanism.joint(joint).parent == BASE


def _known(joint: Any) -> bool:
    sizes = int(joint.nq), int(joint.nv)  # a planar joint has those of a ball: x, y, cosine and sine
    return sizes in ((1, 1), (2, 1), (7, 6), (4, 3)) and "Planar" not in joint.shortname()


def _coordinates(mechanism: Mechanism, model: Any, renamed: Mapping[str, str] | None = None) -> CoordinateMap:
    blocks: dict[str, Block] = {}
    for index in range(1, model.njoints):
        joint = model.joints[index]
        name = (renamed or {}).get(model.names[index], model.names[index])
        if joint.nv == 1:
            blocks[name] = scalar(mechanism, name, joint.idx_q, joint.idx_v, circle=joint.nq == 2)
        else:
            blocks[name] = _ball(mechanism, name, joint)
    return CoordinateMap(mechanism, blocks, model.nq, model.nv)


def _ball(mechanism: Mechanism, name: str, joint: Any) -> Ball:
    return ball(mechanism, name, joint.idx_q, joint.idx_v, scalar_first=False, outer=False)
