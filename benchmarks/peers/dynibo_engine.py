"""A chain in dynibo: ``inverse_dynamics`` and ``forward_dynamics`` from Python, by way of a URDF file.

dynibo's gravity is the standard 9.80665 m/s^2 along -z of its base and cannot be set.  The chain is turned so that
its gravity points there, and the comparing calls correct the magnitude with dynibo's own gravity forces, in
which inverse dynamics is linear: tau(g) = tau(g0) + (g/g0 - 1) gravity(q).  The timed loops do not correct.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.peers.chain import Chain, Vector
from benchmarks.peers.engines import Array, Kernel, PeerUnavailable, ordered_rows, scattered
from kanegen.extras import install_command

try:
    import dynibo
except ImportError:  # the peer is optional; DyniboEngine says so when it is asked for
    dynibo = None

STANDARD_GRAVITY = 9.80665
_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def _text(vector: Vector) -> str:
    return " ".join(repr(component) for component in vector)


def urdf_of(chain: Chain) -> str:
    """The chain as a URDF document whose root link has z up.

    Raises:
        ValueError: when gravity does not point along -y of the chain's base frame (all that is needed here).
    """
    if chain.gravity[0] or chain.gravity[2] or chain.gravity[1] >= 0.0:
        raise ValueError(f"gravity must point along -y of the base frame, not {chain.gravity}")
    parts = [
        f'<robot name="{chain.name}"><link name="ground"/><link name="base"/><joint name="upright" type="fixed">',
        f'<parent link="ground"/><child link="base"/><origin rpy="{math.pi / 2!r} 0 0"/></joint>',
    ]
    parent = "base"
    for body in chain.bodies:
        xx, yy, zz = (repr(moment) for moment in body.moments)
        parts += [
            f'<link name="{body.name}"><inertial><origin xyz="{_text(body.centre)}"/><mass value="{body.mass!r}"/>',
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>',
            f'<joint name="{body.name}_joint" type="{body.kind}"><parent link="{parent}"/><child link="{body.name}"/>',
            f'<origin xyz="{_text(body.offset)}"/><axis xyz="{_AXES[body.axis]}"/>',
            '<limit lower="-100" upper="100" effort="1e9" velocity="1e9"/></joint>',
        ]
        parent = body.name
    return "".join([*parts, "</robot>"])


class DyniboEngine:
    """dynibo's Python bindings; raises :class:`PeerUnavailable` where they are not installed."""

    def __init__(self, chain: Chain) -> None:
        if dynibo is None:
            raise PeerUnavailable(f"dynibo is not installed ({install_command('peers', 'dynibo')})")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{chain.name}.urdf"
            path.write_text(urdf_of(chain), encoding="utf-8")
            self.robot = dynibo.Robot.from_urdf(path)
        self._order = list(chain.order)
        self._excess = -chain.gravity[1] / STANDARD_GRAVITY - 1.0

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
