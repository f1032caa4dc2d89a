"""Any engine for trees, behind kanegen's kernels: coordinates carried over, followers reduced, springs added."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.peers.engine import Engine, Motion, Side, Table
from kanegen.codegen.peers.springs import Springs

Array = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """One state in kanegen's coordinates, with a wrench [N, N m] on a frame: force, then moment."""

    q: Array
    v: Array
    a: Array
    tau: Array
    wrench: Array


Kernel = Callable[[State], Array]


class TreePeer:
    """An engine's answers in kanegen's coordinates, one state at a time.  Arrays are (nv,) or as stated."""

    def __init__(self, mechanism: Mechanism, engine: Engine) -> None:
        self.engine = engine
        self.title = engine.title
        self._map = engine.coordinates
        self._springs = None
        if mechanism.springs and not engine.springs_included:
            self._springs = Springs(mechanism, engine, self._map.slots)

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that the engine has too."""
        return tuple(self.engine.frames)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Generalized forces."""
        B = self._map.rates(q)
        at, moving = self._map.position(q), B @ v
        tau = self.engine.forces(at, moving, B @ a + self._map.drift(q, v))
        if self._springs is not None:
            tau = tau + self._springs.forces(at, moving)
        return np.array(B.T @ tau)

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Generalized forces where the speeds do not change."""
        return self.inverse_dynamics(q, v, np.zeros_like(v))

    def gravity_forces(self, q: Array) -> Array:
        """Generalized forces at rest."""
        still = np.zeros(self._map.own_nv)
        return self.inverse_dynamics(q, still, still)

    def mass_matrix(self, q: Array) -> Array:
        """(nv, nv)."""
        B = self._map.rates(q)
        return np.array(B.T @ self.engine.mass_matrix(self._map.position(q)) @ B)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Accelerations: by the engine's own algorithm, or with the reduced matrix where joints follow others."""
        if not self._map.square:
            return solved(self.mass_matrix(q), tau - self.bias_forces(q, v))
        B = self._map.rates(q)
        at, moving = self._map.position(q), B @ v
        applied = solved(B.T, tau)
        if self._springs is not None:
            applied = applied - self._springs.forces(at, moving)
        return solved(B, self.engine.accelerations(at, moving, applied) - self._map.drift(q, v))

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        """()."""
        return np.array(self.engine.kinetic_energy(self._map.position(q), self._map.rates(q) @ v))

    def momentum(self, q: Array, v: Array) -> Array:
        """(6,)."""
        return self.engine.momentum(self._map.position(q), self._map.rates(q) @ v)

    def center_of_mass(self, q: Array) -> Array:
        """(3,)."""
        return self.engine.center_of_mass(self._map.position(q))

    def frame_pose(self, q: Array, frame: str) -> Array:
        """(4, 4)."""
        return self.engine.frame_pose(self._map.position(q), frame)

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """(6, nv)."""
        return self.engine.frame_jacobian(self._map.position(q), frame) @ self._map.rates(q)

    def kernels(self, identifiers: Mapping[str, str]) -> dict[str, Kernel]:
        """The kernels that both have, by kanegen's names, several outputs as ``kernel.output``.

        ``identifiers`` are the frames' names in the names of kernels.
        """
        found: dict[str, Kernel] = {
            "inverse_dynamics": lambda s: self.inverse_dynamics(s.q, s.v, s.a),
            "mass_matrix": lambda s: self.mass_matrix(s.q),
            "forward_dynamics": lambda s: self.forward_dynamics(s.q, s.v, s.tau),
            "bias_forces": lambda s: self.bias_forces(s.q, s.v),
            "gravity_forces": lambda s: self.gravity_forces(s.q),
            "kinetic_energy": lambda s: self.kinetic_energy(s.q, s.v),
            "momentum": lambda s: self.momentum(s.q, s.v),
            "center_of_mass": lambda s: self.center_of_mass(s.q),
            "inverse_mass_matrix": lambda s: solved(self.mass_matrix(s.q), np.eye(self._map.own_nv)),
        }
        for frame in self.frames:
            found |= self._of_frame(frame, identifiers[frame])
        if self._map.constant:
            for name, table in self.engine.tables().items():
                if self._applies(table):
                    found |= self._of_table(name, table, identifiers)
        return found

    def _of_frame(self, frame: str, name: str) -> dict[str, Kernel]:
        return {
            f"frame_pose_{name}": lambda s: self.frame_pose(s.q, frame),
            f"frame_jacobian_{name}": lambda s: self.frame_jacobian(s.q, frame),
            f"frame_forces_{name}": lambda s: self.frame_jacobian(s.q, frame).T @ s.wrench,
        }

    def _applies(self, table: Table) -> bool:
        if table.springs_matter and self._springs is not None:
            return False
        return self._map.square or not table.needs_inverse

    def _of_table(self, name: str, table: Table, identifiers: Mapping[str, str]) -> dict[str, Kernel]:
        if not table.of_frame:
            return {name: lambda s: self._carried(table, s, "")}
        found: dict[str, Kernel] = {}
        for frame in self.frames:
            found[name + identifiers[frame]] = _bound(self._carried, table, frame)
        return found

    def _carried(self, table: Table, s: State, frame: str) -> Array:
        B = self._map.rates(s.q)
        tau = solved(B.T, s.tau) if self._map.square else np.zeros(len(B))
        motion = Motion(self._map.position(s.q), B @ s.v, B @ s.a + self._map.drift(s.q, s.v), tau)
        X = table.compute(motion, frame)
        if table.rows is Side.FORCES:
            X = B.T @ X
        elif table.rows is Side.SPEEDS:
            X = solved(B, X)
        if table.columns is Side.SPEEDS:
            X = X @ B
        elif table.columns is Side.FORCES:
            X = solved(B, X.T).T
        return X


def solved(matrix: Array, right: Array) -> Array:
    """matrix^-1 right."""
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def _bound(carried: Callable[[Table, State, str], Array], table: Table, frame: str) -> Kernel:
    return lambda s: carried(table, s, frame)
