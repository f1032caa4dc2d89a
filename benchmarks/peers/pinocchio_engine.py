"""A chain in Pinocchio: recursive Newton-Euler (``rnea``) and articulated body (``aba``) from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers.chain import Chain
from benchmarks.peers.engines import Array, Kernel, library, ordered_rows, scattered

NAME = "Pinocchio, Python"
"""How the tables call it; its version stands with the environment of a measurement."""


def pinocchio_chain(pinocchio: Any, chain: Chain) -> Any:
    """The chain as a ``pinocchio.Model``, its joints in the order of the chain.

    The joint types that are specialised for one coordinate axis are used: they are the fastest.
    """
    joint_types = {
        ("revolute", "x"): pinocchio.JointModelRX,
        ("revolute", "y"): pinocchio.JointModelRY,
        ("revolute", "z"): pinocchio.JointModelRZ,
        ("prismatic", "x"): pinocchio.JointModelPX,
        ("prismatic", "y"): pinocchio.JointModelPY,
        ("prismatic", "z"): pinocchio.JointModelPZ,
    }
    model = pinocchio.Model()
    model.gravity.linear = np.array(chain.gravity)
    parent = 0
    for body in chain.bodies:
        placement = pinocchio.SE3(np.eye(3), np.array(body.offset))
        parent = model.addJoint(parent, joint_types[body.kind, body.axis](), placement, body.name)
        inertia = pinocchio.Inertia(body.mass, np.array(body.centre), np.diag(body.moments))
        model.appendBodyToJoint(parent, inertia, pinocchio.SE3.Identity())
    return model


class PinocchioEngine:
    """Pinocchio's Python bindings; raises :class:`PeerUnavailable` where they are not installed."""

    def __init__(self, chain: Chain) -> None:
        self.pinocchio = library("pinocchio", "Pinocchio", "pin")
        self.model = pinocchio_chain(self.pinocchio, chain)
        self.data = self.model.createData()
        self._order = list(chain.order)

    @property
    def name(self) -> str:
        return NAME

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        order = self._order
        return scattered(order, self.pinocchio.rnea(self.model, self.data, q[order], v[order], a[order]))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        order = self._order
        return scattered(order, self.pinocchio.aba(self.model, self.data, q[order], v[order], tau[order]))

    def loop(self, kernel: Kernel, q: Array, v: Array, third: Array) -> Callable[[], object]:
        rows = ordered_rows(self._order, q, v, third)
        function = self.pinocchio.rnea if kernel == "inverse_dynamics" else self.pinocchio.aba
        model, data = self.model, self.data

        def run() -> None:
            for row_q, row_v, row_third in rows:
                function(model, data, row_q, row_v, row_third)

        return run
