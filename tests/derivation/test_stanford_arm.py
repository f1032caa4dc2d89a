"""The general path on the arm of the paper: the oracle's states, and 50-digit arithmetic as judge of double precision."""

from __future__ import annotations

from functools import cache

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, evaluate, evaluate_entries, multiprecision
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.passes.optimize import optimize
from kanegen.codegen.passes.search import search
from tests.derivation.tree_kernels import DYNAMICS

from .comparison import ROUNDING, Array, worst

ARM = mechanism("stanford_arm")
SIGNS = np.array([actuator.sign for actuator in ARM.actuators])

BUDGET = 60
"""Derivations tried: enough for most of what the full search finds."""


@cache
def optimized(kernel: str) -> Program:
    """The kernel after a short search, regrouped and optimized."""
    return optimize(search(Deriver(ARM, DYNAMICS[kernel]), budget=BUDGET).program)[0]


@cache
def textbook(kernel: str) -> Program:
    """The kernel with the inertias as described and no decision made."""
    return Deriver(ARM, DYNAMICS[kernel], gauge=False)({})[0]


def value(kernel: str, **arguments: Array) -> Array:
    program = optimized(kernel)
    return evaluate(program, arguments)[program.outputs[0].name]


def test_forces_of_the_oracle(states: dict[str, Array]) -> None:
    tau = value("inverse_dynamics", q=states["q"], v=states["qd"], a=states["qdd"])
    assert worst(tau, states["Q_gen"]) <= 1e-13
    assert worst(SIGNS * tau, states["tau_paper"]) <= 1e-13


def test_accelerations_of_the_oracle(states: dict[str, Array]) -> None:
    tau = SIGNS * states["fd_tau_paper"]
    assert worst(value("forward_dynamics", q=states["q"], v=states["qd"], tau=tau), states["fd_qdd"]) <= 1e-12


def test_energy_and_momentum_of_the_oracle(states: dict[str, Array]) -> None:
    energy = value("kinetic_energy", q=states["q"], v=states["qd"]) + value("potential_energy", q=states["q"])
    # the two energies are up to 100 J and may cancel
    assert np.abs(energy - states["energy"]).max() < 100 * ROUNDING
    momentum = value("momentum", q=states["q"], v=states["qd"])
    assert np.abs(momentum[:, 4] - states["H_n2_W31"]).max() < 100 * ROUNDING


def exact_forces(at: dict[str, Array]) -> Array:
    """The textbook's inverse dynamics at 50 digits, rounded once to double."""
    program = textbook("inverse_dynamics")
    rows = []
    with mpmath.workdps(50):
        for state in range(len(at["q"])):
            entries = {
                (name, i): mpmath.mpf(float(x)) for name in "qva" for i, x in enumerate(at[name][state])
            }
            rows.append([float(x) for x in evaluate_entries(program, entries, multiprecision())[0]])
    return np.array(rows)


def states_of_the_arm(count: int, seed: int = 5) -> dict[str, Array]:
    """q up to pi (q6 to 1 m), v and a up to 2."""
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-2, 2, (3, count, 6))
    q = q * np.pi / 2
    q[:, 5] /= np.pi
    return {"q": q, "v": v, "a": a}


@pytest.mark.parametrize("kernel", [optimized, textbook], ids=["optimized", "textbook"])
def test_against_fifty_digits(kernel: object) -> None:
    """Error of the largest component over the largest force, 1,000 states: at most 1e-14.

    Some 200 operations in a depth of 20 and numbers of the regrouped inertias close to those described: 20 to 50
    roundings of 1.1e-16.
    """
    program: Program = kernel("inverse_dynamics")  # type: ignore[operator]
    at = states_of_the_arm(1000)
    assert worst(evaluate(program, at)["tau"], exact_forces_of_the_arm()) <= 1e-14


@cache
def exact_forces_of_the_arm() -> Array:
    return exact_forces(states_of_the_arm(1000))
