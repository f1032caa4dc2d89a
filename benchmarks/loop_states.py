"""Random states of closed linkages that satisfy their loops, and the check of results by multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.peers.engines import Array
from benchmarks.states import SEED, States
from kanegen.codegen.mechanism import JointRate
from kanegen.codegen.mechanism.catalogue import mechanism

if TYPE_CHECKING:
    from kanegen import Robot


@dataclass(frozen=True)
class LoopStates:
    """States of a closed linkage, SI units.

    Attributes:
        free: q (count, nq), and v, a, tau (count, nv) on the independent speeds; tau has nothing to do with a.
        qdot: (count, nq), the rates of all joints.
        qddot: (count, nq), the accelerations of all joints that belong to ``free.a``.
    """

    free: States
    qdot: Array
    qddot: Array


def closed_states(robot: Robot, count: int, spread: float, force: float) -> LoopStates:
    """The same states in every run.

    The coordinates are disturbed from home by up to ``spread`` [rad, m] and assembled; v and a are up to 2 rad/s or m/s
    (and per second), tau up to ``force`` [N m, N].
    """
    random = np.random.default_rng(SEED)
    q = np.array(
        [robot.assemble(robot.home + random.uniform(-spread, spread, robot.nq)) for _ in range(count)]
    )
    v, a = random.uniform(-2.0, 2.0, (2, count, robot.nv))
    tau = random.uniform(-force, force, (count, robot.nv))
    qdot = robot.coordinate_rates(q, v)
    qddot, _ = robot.call("multiplier_dynamics", q, qdot, robot.inverse_dynamics(q, v, a))
    return LoopStates(States(q=q, v=v.copy(), a=a.copy(), tau=tau), qdot, np.array(qddot))


def by_multipliers(robot: Robot, states: LoopStates, tau: Array) -> Array:
    """The accelerations (count, nq) of all joints under ``tau`` (count, nv), with the loops' multipliers unknown, too."""
    qddot, _ = robot.call("multiplier_dynamics", states.free.q, states.qdot, tau)
    return np.array(qddot)


def partial_velocities(robot: Robot, q: Array) -> Array:
    """(nq, nv): how the joints move with a unit rate of each independent speed."""
    rates = [robot.coordinate_rates(q, unit) for unit in np.eye(robot.nv)]
    return np.array(rates).T


def on_joints(robot: Robot, values: Array) -> Array:
    """Forces (count, nv) on speeds that are joint rates, as forces on all joints (count, nq)."""
    everywhere = np.zeros((len(values), robot.nq))
    everywhere[:, speed_places(robot)] = values
    return everywhere


def speed_places(robot: Robot) -> list[int]:
    """Where the joints stand whose rates are the speeds."""
    rates = [speed for speed in mechanism(robot.name).speeds if isinstance(speed, JointRate)]
    return [robot.coordinate_names.index(rate.joint) for rate in rates]


def write_blocks(path: Path, blocks: Sequence[Array]) -> None:
    """Write blocks one after another as native doubles, row after row."""
    np.concatenate([block.ravel() for block in blocks]).tofile(path)
