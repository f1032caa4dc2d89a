"""The witness of constrained mechanisms reproduces the numbers published for them, or derived for their papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kanegen.codegen.mechanism.catalogue import mechanism

from .constrained_witness import ConstrainedWitness, State
from .jets import Array

ORACLES = Path(__file__).resolve().parents[1] / "oracles"
ERROR = 1e-12
"""Some 1,000 roundings of 1.1e-16 and as many in the oracles' own sources, of the largest component or of 100 N."""


def oracle(name: str) -> Any:
    return json.loads((ORACLES / name).read_text(encoding="utf-8"))


def state_of(witness: ConstrainedWitness, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> State:
    place, speeds, accelerations = (np.array(x, dtype=np.float64) for x in (q, v, a))
    qdot = witness.rates(place, speeds)
    qddot = witness.accelerations(place, qdot, accelerations)
    return State(place, qdot, qddot, speeds, accelerations)


def assert_close(found: Array, expected: ArrayLike) -> None:
    assert np.abs(found - np.array(expected)).max() < ERROR * max(100.0, np.abs(np.array(expected)).max())


def test_two_link_space_arm() -> None:
    witness = ConstrainedWitness(mechanism("two_link_space_arm"))
    for vector in oracle("two_link_space_arm.json")["vectors"]:
        state = state_of(witness, vector["q"], vector["u"], vector["ud"])
        tau, _, held = witness.solution(state)
        assert_close(np.concatenate([tau, held]), vector["tau1_tau2_Tc"])
        free = witness.forward_dynamics(state.q, state.v, np.zeros(2))
        assert_close(free, vector["free_udot"])
        held = witness.solution(state_of(witness, vector["q"], vector["u"], free))[2]
        assert_close(held, [vector["free_Tc"]])


def test_disk_between_plates() -> None:
    witness = ConstrainedWitness(mechanism("plate_disk"))
    for vector in oracle("agrawal_1988.json")["disk"]["vectors"]:
        q, u = np.array(vector["q"]), np.array(vector["u1u2"])
        udot = witness.forward_dynamics(q, u, np.zeros(2))
        assert_close(udot, vector["u1dot_u2dot"])
        state = state_of(witness, q, u, udot)
        carried = witness.solution(state)[1]
        edge = witness.constraints(q, state.qdot).rows[0]
        assert_close(np.array([carried @ edge / (edge @ edge)]), [vector["constraint_multiplier"]])


def test_bicycle() -> None:
    """The mass matrix, and derivatives of the forces by central differences."""
    bicycle, published = ConstrainedWitness(mechanism("whipple_bicycle")), oracle("whipple_bicycle.json")
    coordinates, speed, step = list(bicycle.mechanism.coordinates), 5.0, 1e-3
    upright = np.zeros(bicycle.nq)

    def slope(place: str, rate: int, forwards: float) -> Array:
        """The derivative of h with respect to a coordinate, or to a speed."""
        found = []
        for side in (step, -step, 2 * step, -2 * step):
            q, v = upright.copy(), np.array([0.0, 0.0, -forwards / published["parameters"]["rR"]])
            if place:
                q[coordinates.index(place)] = side
            else:
                v[rate] = side
            found.append(bicycle.inverse_dynamics(state_of(bicycle, q, v, np.zeros(3)))[:2])
        return np.array((8 * (found[0] - found[1]) - (found[2] - found[3])) / (12 * step))

    # Truncation h^4/30 = 3e-14 of a fifth derivative of at most 1e4, rounding 1e-13 of forces of 1e3 over h.
    error = 1e-8
    M = bicycle.mass_matrix(upright)[:2, :2]
    assert np.abs(M - np.array(published["M"])).max() < ERROR * 100
    at_rest = np.array([slope(name, 0, 0.0) for name in ("lean", "steer")]).T
    assert np.abs(at_rest / published["parameters"]["g"] - np.array(published["K0"])).max() < error
    moving = np.array([slope(name, 0, speed) for name in ("lean", "steer")]).T
    assert np.abs((moving - at_rest) / speed**2 - np.array(published["K2"])).max() < error
    damping = np.array([slope("", rate, speed) for rate in (0, 1)]).T
    assert np.abs(damping / speed - np.array(published["C1"])).max() < error
