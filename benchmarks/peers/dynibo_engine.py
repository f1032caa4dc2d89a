"""A robot in dynibo: ``inverse_dynamics`` and ``forward_dynamics`` from Python.

dynibo's gravity is the standard 9.80665 m/s^2 along -z and cannot be set; that of a URDF is taken to be 9.81 m/s^2 here, as
other engines take it.  The comparing calls correct the magnitude with dynibo's own gravity forces, in
which inverse dynamics is linear: tau(g) = tau(g0) + (g/g0 - 1) gravity(q).  The timed loops do not correct.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.peers.engines import Array, Kernel, library, moving_joints, order_of, ordered_rows, scattered

GRAVITY, STANDARD_GRAVITY = 9.81, 9.80665


class DyniboEngine:
    """dynibo's Python bindings; raises :class:`PeerUnavailable` where they are not installed."""

    def __init__(self, urdf: str, joints: Sequence[str]) -> None:
        dynibo = library("dynibo", "dynibo", "dynibo")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(urdf, encoding="utf-8")
            self.robot = dynibo.Robot.from_urdf(path)
        self._order = order_of(moving_joints(urdf), joints)
        self._excess = GRAVITY / STANDARD_GRAVITY - 1.0

    @property
    def name(self) -> str:
        return "dynibo, Python"

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        order = self._order
        tau = self.robot.inverse_dynamics(q[order], v[order], a[order])
        return scattered(order, tau + self._excess * self.robot.gravity(q[order]))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        order = self._order
        given = tau[order] - self._excess * self.robot.gravity(q[order])
        return scattered(order, self.robot.forward_dynamics(q[order], v[order], given))

    def loop(self, kernel: Kernel, q: Array, v: Array, third: Array) -> Callable[[], object]:
        """With a kept output array, dynibo's fastest way of calling."""
        rows = ordered_rows(self._order, q, v, third)
        robot = self.robot
        function = robot.inverse_dynamics if kernel == "inverse_dynamics" else robot.forward_dynamics
        out = np.empty(len(self._order))

        def run() -> None:
            for row_q, row_v, row_third in rows:
                function(row_q, row_v, row_third, out=out)

        return run
