"""How far an engine is from the published-by-derivation states of the Stanford Arm (``tests/oracles``)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.peers.engines import Array, Engine
from benchmarks.peers.stanford_arm_models import ACTUATOR_SIGNS

ORACLES = Path(__file__).resolve().parents[2] / "tests" / "oracles"


@dataclass(frozen=True)
class OracleStates:
    """States of the arm and what belongs to them, every array (count, 6), coordinates q1...q6, SI units.

    ``tau`` are the generalized forces of the motion (q, v, a); ``applied`` are other generalized forces, which
    give the accelerations ``resulting`` at (q, v).
    """

    q: Array
    v: Array
    a: Array
    tau: Array
    applied: Array
    resulting: Array


def oracle_states() -> OracleStates:
    """The states of ``tests/oracles/stanford_arm_states.json``."""
    document = json.loads((ORACLES / "stanford_arm_states.json").read_text(encoding="utf-8"))
    columns = {
        field: np.array([state[field] for state in document["vectors"]])
        for field in ("q", "qd", "qdd", "Q_gen", "fd_tau_paper", "fd_qdd")
    }
    return OracleStates(
        q=columns["q"],
        v=columns["qd"],
        a=columns["qdd"],
        tau=columns["Q_gen"],
        applied=columns["fd_tau_paper"] * np.array(ACTUATOR_SIGNS),
        resulting=columns["fd_qdd"],
    )


def largest_relative_error(values: Array, expected: Array) -> float:
    """Over rows (count, n): the largest error of a row over the row's own largest component."""
    errors = np.abs(values - expected).max(axis=1) / np.abs(expected).max(axis=1)
    return float(errors.max())


def oracle_errors(engine: Engine, states: OracleStates) -> tuple[float, float]:
    """The engine's largest relative errors in inverse and in forward dynamics over the oracle's states."""
    tau = [engine.inverse_dynamics(*row) for row in zip(states.q, states.v, states.a, strict=True)]
    a = [engine.forward_dynamics(*row) for row in zip(states.q, states.v, states.applied, strict=True)]
    return (
        largest_relative_error(np.array(tau), states.tau),
        largest_relative_error(np.array(a), states.resulting),
    )
