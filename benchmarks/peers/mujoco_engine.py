"""A chain in MuJoCo: ``mj_inverse`` and ``mj_forward`` from Python."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.peers.chain import Chain, Vector
from benchmarks.peers.engines import Array, Kernel, library, ordered_rows, scattered

_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
_JOINTS = {"revolute": "hinge", "prismatic": "slide"}


def _text(vector: Vector) -> str:
    return " ".join(repr(component) for component in vector)


def mjcf_of(chain: Chain) -> str:
    """The chain as an MJCF document, everything but rigid-body dynamics (contacts, actuators, sensors) off."""
    bodies = ""
    for body in chain.bodies:
        bodies += (
            f'<body name="{body.name}" pos="{_text(body.offset)}">'
            f'<inertial pos="{_text(body.centre)}" mass="{body.mass!r}" diaginertia="{_text(body.moments)}"/>'
            f'<joint name="{body.name}" type="{_JOINTS[body.kind]}" axis="{_AXES[body.axis]}"/>'
        )
    return (
        f'<mujoco model="{chain.name}"><compiler angle="radian" autolimits="false"/>'
        f'<option gravity="{_text(chain.gravity)}">'
        '<flag constraint="disable" contact="disable" actuation="disable" sensor="disable"/></option>'
        f"<worldbody>{bodies}{'</body>' * len(chain.bodies)}</worldbody></mujoco>"
    )


class MujocoEngine:
    """MuJoCo's Python bindings; raises :class:`PeerUnavailable` where they are not installed."""

    def __init__(self, chain: Chain) -> None:
        self._mujoco = library("mujoco", "MuJoCo", "mujoco")
        self.model = self._mujoco.MjModel.from_xml_string(mjcf_of(chain))
        self.data = self._mujoco.MjData(self.model)
        self._order = list(chain.order)

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

    def bare_loop(
        self, kernel: Kernel, state: tuple[Array, Array, Array], calls: int
    ) -> Callable[[], object]:
        """``calls`` calls at one state, written once: the engine without the assignments."""
        model, data = self.model, self.data
        if kernel == "inverse_dynamics":
            self.inverse_dynamics(*state)
            function = self._mujoco.mj_inverse
        else:
            self.forward_dynamics(*state)
            function = self._mujoco.mj_forward

        def run() -> None:
            for _ in range(calls):
                function(model, data)

        return run
