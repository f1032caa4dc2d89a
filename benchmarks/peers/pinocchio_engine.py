"""A robot in Pinocchio: recursive Newton-Euler (``rnea``) and articulated body (``aba``) from Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.peers.engines import Array, Kernel, library, order_of, ordered_rows, scattered

NAME = "Pinocchio, Python"
"""How the tables call it; its version stands with the environment of a measurement."""


class PinocchioEngine:
    """Pinocchio's Python bindings; raises :class:`PeerUnavailable` where they are not installed."""

    def __init__(self, urdf: str, joints: Sequence[str]) -> None:
        self.pinocchio = library("pinocchio", "Pinocchio", "pin")
        self.model = self.pinocchio.buildModelFromXML(urdf)
        self.data = self.model.createData()
        self._order = order_of([str(name) for name in self.model.names][1:], joints)

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
