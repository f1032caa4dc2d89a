"""Three other engines, built from the paper's numbers without kanegen, agree with the oracles of the Stanford Arm."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.peers.dynibo_engine import DyniboEngine
from benchmarks.peers.engines import Engine, PeerUnavailable
from benchmarks.peers.feedback_law import DURATION, START, TARGET, paper_forces
from benchmarks.peers.mujoco_engine import MujocoEngine
from benchmarks.peers.pinocchio_engine import PinocchioEngine
from benchmarks.peers.scipy_simulation import feedback_motion
from benchmarks.peers.stanford_arm_models import ACTUATOR_SIGNS, JOINTS, STANFORD_ARM_URDF
from benchmarks.peers.verification import ORACLES, oracle_errors, oracle_states

MOTIONS = json.loads((ORACLES / "stanford_arm_motions.json").read_text(encoding="utf-8"))


@pytest.fixture(params=[PinocchioEngine, MujocoEngine, DyniboEngine], ids=lambda make: make.__name__)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Every engine that is installed."""
    make: Callable[[str, tuple[str, ...]], Engine] = request.param
    try:
        return make(STANFORD_ARM_URDF, JOINTS)
    except PeerUnavailable as reason:
        pytest.skip(str(reason))


def test_states(engine: Engine) -> None:
    inverse, forward = oracle_errors(engine, oracle_states())
    # Some 500 operations of 1.1e-16 each: 6e-14 of the largest force were all roundings to add up.
    assert inverse < 1e-13
    # The condition of the mass matrix, at most 12,000 in these states, times a rounding of 1.1e-16.
    assert forward < 12_000 * 1.1e-16


def test_prescribed_motion(engine: Engine) -> None:
    """Fig. 1: eq 127 from q(0) to the targets of Fig. 3 in 10 s."""
    start, reach = np.array(START), np.array(TARGET) - np.array(START)
    for row in MOTIONS["fig1"]["table"]:
        angle = 2 * np.pi * row["t"] / DURATION
        q = start + reach * (angle - np.sin(angle)) / (2 * np.pi)
        v = reach * (1 - np.cos(angle)) / DURATION
        a = reach * 2 * np.pi * np.sin(angle) / DURATION**2
        forces = np.array(ACTUATOR_SIGNS) * engine.inverse_dynamics(q, v, a)
        assert np.abs(q - row["q"]).max() < 1e-15 * 4  # 4 operations on numbers of order 1
        assert np.abs(forces - row["tau"]).max() < 1e-13 * np.abs(row["tau"]).max()


def test_feedback_law() -> None:
    """Eqs 128-133 at the states of Fig. 3."""
    for row in MOTIONS["fig3"]["table"]:
        assert paper_forces(row["q"], row["qd"]) == pytest.approx(row["tau"], rel=1e-14, abs=1e-14)


def test_feedback_motion() -> None:
    """Fig. 3 integrated by SciPy's DOP853 over Pinocchio ends where the oracle says."""
    try:
        motion = feedback_motion("DOP853", rtol=1e-12, atol=1e-14)
    except PeerUnavailable as reason:
        pytest.skip(str(reason))
    end, last = motion(), MOTIONS["fig3"]["table"][-1]
    # Two integrations at 1e-12 of a motion whose errors die out: a few 1e-12 at most each.
    assert np.abs(end.q - last["q"]).max() < 1e-11
    assert np.abs(end.v - last["qd"]).max() < 1e-11
