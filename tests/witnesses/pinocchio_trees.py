"""Any tree mechanism in Pinocchio: the independent witness of the property tests.

Only the records of a mechanism are read, never what kanegen derives from them.  Fixed joints become rigid attachments
to the body that carries them, as Pinocchio has none; every record's placement, axis and inertia is taken as it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kanegen.codegen.mechanism import BASE, Joint, JointKind, Matrix3, Mechanism, Value, Vector3, numeric

Array = NDArray[np.float64]


@cache
def pinocchio() -> Any:
    """The engine, imported when a test asks: collecting tests does not need it, and tests that do are skipped without."""
    return pytest.importorskip("pinocchio", reason="Pinocchio is the witness")


@dataclass(frozen=True)
class Attachment:
    """Where a body is: its frame in the frame of the Pinocchio joint that carries it (0: the world)."""

    joint: int
    placement: Any


def pinocchio_model(mechanism: Mechanism) -> Any:
    """The mechanism as a ``pinocchio.Model``, with a frame for each of the mechanism's frames.

    Joints keep their names and come in the order of ``mechanism.joints``, which need not be that of the coordinates:
    :class:`PinocchioTree` translates.
    """
    model = pinocchio().Model()
    model.name = mechanism.name
    model.gravity.linear = _vector(mechanism.gravity, mechanism)
    attachments = {BASE: Attachment(0, pinocchio().SE3.Identity())}
    for joint in mechanism.joints:
        attachments[joint.child] = _attach(model, joint, attachments[joint.parent], mechanism)
    for body in mechanism.bodies:
        if body.inertia is not None:
            at = attachments[body.name]
            inertia = pinocchio().Inertia(
                _number(body.inertia.mass, mechanism),
                _vector(body.inertia.center, mechanism),
                _matrix(body.inertia.tensor, mechanism),
            )
            model.appendBodyToJoint(at.joint, inertia, at.placement)
    _add_frames(model, mechanism, attachments)
    return model


def _attach(model: Any, joint: Joint, parent: Attachment, mechanism: Mechanism) -> Attachment:
    """Add a joint, or for a fixed one only compose the placements."""
    in_parent = pinocchio().SE3(_matrix(joint.rotation, mechanism), _vector(joint.position, mechanism))
    placement = parent.placement * in_parent
    if joint.kind is JointKind.FIXED:
        return Attachment(parent.joint, placement)
    axis = _vector(joint.axis, mechanism)
    if joint.kind is JointKind.REVOLUTE:
        kind = pinocchio().JointModelRevoluteUnaligned(axis)
    else:
        kind = pinocchio().JointModelPrismaticUnaligned(axis)
    return Attachment(model.addJoint(parent.joint, kind, placement, joint.name), pinocchio().SE3.Identity())


def _add_frames(model: Any, mechanism: Mechanism, attachments: Mapping[str, Attachment]) -> None:
    for frame in mechanism.frames:
        at = attachments[frame.body]
        in_body = pinocchio().SE3(_matrix(frame.rotation, mechanism), _vector(frame.position, mechanism))
        placement = at.placement * in_body
        model.addFrame(pinocchio().Frame(frame.name, at.joint, placement, pinocchio().FrameType.OP_FRAME))


class PinocchioTree:
    """Pinocchio's answers about a mechanism, with kanegen's conventions and in the mechanism's own order.

    Arguments and results are arrays of one state, (n,) or as stated, in the order of ``mechanism.coordinates``.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.model = pinocchio_model(mechanism)
        self.data = self.model.createData()
        # Pinocchio numbers its speeds in the order in which joints were added; joint 0 is the world.
        names = list(self.model.names)[1:]
        self._order = [mechanism.coordinates.index(name) for name in names]
        self._place = [names.index(name) for name in mechanism.coordinates]

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Generalized forces by the recursive Newton-Euler algorithm."""
        o = self._order
        return np.array(pinocchio().rnea(self.model, self.data, q[o], v[o], a[o]))[self._place]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations by the articulated-body algorithm."""
        o = self._order
        return np.array(pinocchio().aba(self.model, self.data, q[o], v[o], tau[o]))[self._place]

    def mass_matrix(self, q: Array) -> Array:
        """The mass matrix (n, n), full, by the composite-rigid-body algorithm."""
        upper = np.triu(pinocchio().crba(self.model, self.data, q[self._order]))
        full = upper + np.triu(upper, 1).T
        return np.array(full[np.ix_(self._place, self._place)])

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Coriolis, centrifugal and gravity forces."""
        o = self._order
        return np.array(pinocchio().nonLinearEffects(self.model, self.data, q[o], v[o]))[self._place]

    def gravity_forces(self, q: Array) -> Array:
        """Gravity forces: those that hold the mechanism at rest."""
        gravity = pinocchio().computeGeneralizedGravity(self.model, self.data, q[self._order])
        return np.array(gravity)[self._place]

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """J."""
        return float(pinocchio().computeKineticEnergy(self.model, self.data, q[self._order], v[self._order]))

    def potential_energy(self, q: Array) -> float:
        """J, zero with all mass at the base origin."""
        return float(pinocchio().computePotentialEnergy(self.model, self.data, q[self._order]))

    def momentum(self, q: Array, v: Array) -> Array:
        """(6,): linear momentum, then angular momentum about the base origin, both along the base axes."""
        pinocchio().forwardKinematics(self.model, self.data, q[self._order], v[self._order])
        total = pinocchio().Force.Zero()
        for joint in range(1, self.model.njoints):
            total += self.data.oMi[joint].act(self.model.inertias[joint] * self.data.v[joint])
        return np.concatenate([total.linear, total.angular])

    def frame_pose(self, q: Array, frame: str) -> Array:
        """(4, 4): the frame's pose in the base frame."""
        pinocchio().framesForwardKinematics(self.model, self.data, q[self._order])
        return np.array(self.data.oMf[self._frame(frame)].homogeneous)

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """(6, n): linear rows first, along the base axes, at the frame's origin."""
        columns = pinocchio().computeFrameJacobian(
            self.model,
            self.data,
            q[self._order],
            self._frame(frame),
            pinocchio().ReferenceFrame.LOCAL_WORLD_ALIGNED,
        )
        return np.reshape(columns, (6, -1))[:, self._place]  # Pinocchio drops the axis of a single joint

    def _frame(self, name: str) -> int:
        return int(self.model.getFrameId(name, pinocchio().FrameType.OP_FRAME))


def _number(value: Value, mechanism: Mechanism) -> float:
    return float(numeric(value, mechanism))


def _vector(vector: Vector3, mechanism: Mechanism) -> Array:
    return np.array([_number(component, mechanism) for component in vector])


def _matrix(matrix: Matrix3, mechanism: Mechanism) -> Array:
    return np.array([[_number(entry, mechanism) for entry in row] for row in matrix])
