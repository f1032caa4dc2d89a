"""Derivatives of the dynamics of constrained mechanisms: complex steps, an independent witness, and laws."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kanegen.codegen.graph import count, evaluate
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.complex_steps import along_speeds, entries_of, jacobian, outputs, relative, units
from tests.witnesses.constrained_witness import ConstrainedWitness, State
from tests.witnesses.jets import Array

from .cases import CONDITION, ROUNDING, SPREADS
from .derivatives import STENCIL, derived

NAMES = (
    "two_link_space_arm",
    "plate_disk",
    "rolling_disc",
    "four_bar",
    "four_bar_tilted",
    "five_bar",
    "whipple_bicycle",
)
every_mechanism = pytest.mark.parametrize("name", NAMES)

DOUBLE = 1e-14
"""Both sides are exact to 40 digits, or to 40 less those that divisions by 1e-10 would cost, and are rounded to doubles."""


@cache
def states(name: str, number: int = 2) -> tuple[State, ...]:
    """Random motions near home, away from singular configurations."""
    witness = ConstrainedWitness(mechanism(name))
    random = np.random.default_rng(2018)
    found: list[State] = []
    while len(found) < number:
        state = witness.state(random, SPREADS[name])
        if witness.condition(state.q) < CONDITION:
            found.append(state)
    return tuple(found)


@every_mechanism
def test_inverse_dynamics_by_complex_steps(name: str) -> None:
    programs, n = derived(name).programs, mechanism(name).dof
    program = programs["inverse_dynamics"]
    state = states(name)[0]
    entries = entries_of({"q": state.q, "v": state.v, "a": state.a})
    found = outputs(programs["inverse_dynamics_derivatives"], entries)
    steps = along_speeds(programs["coordinate_rates"], entries, n)
    assert relative(found["dq"], jacobian(program, entries, steps)) < DOUBLE
    assert relative(found["dv"], jacobian(program, entries, units("v", n))) < DOUBLE
    assert relative(found["da"], jacobian(program, entries, units("a", n))) < DOUBLE


@every_mechanism
def test_forward_dynamics_by_complex_steps(name: str) -> None:
    programs, n = derived(name).programs, mechanism(name).dof
    program = programs["forward_dynamics"]
    state = states(name)[0]
    tau = np.linspace(-1.0, 1.5, n)
    entries = entries_of({"q": state.q, "v": state.v, "tau": tau})
    found = outputs(programs["forward_dynamics_derivatives"], entries)
    steps = along_speeds(programs["coordinate_rates"], entries, n)
    # off by what the loops, closed to 1e-15 in doubles, let the two ways to write M differ
    error = 1e-12
    assert relative(found["dq"], jacobian(program, entries, steps)) < error
    assert relative(found["dv"], jacobian(program, entries, units("v", n))) < error
    assert relative(found["dtau"], jacobian(program, entries, units("tau", n))) < error


@pytest.mark.parametrize("name", ["rolling_disc", "four_bar", "five_bar", "plate_disk"])
def test_along_the_motions_that_the_constraints_allow(name: str) -> None:
    """Differences of the witness, its loops closed again after every step.

    Order six at 0.001: truncation 1e-18/140 times a seventh derivative, which near dead centres may be 1e9 of the forces'
    size; and rounding of 1e-14 of that size, times a condition of up to 60, over the step.
    """
    witness = ConstrainedWitness(mechanism(name))
    program = derived(name).programs["inverse_dynamics_derivatives"]
    for state in states(name):
        N = witness.directions(state.q)
        found = evaluate(program, {"q": state.q, "v": state.v, "a": state.a})
        size = max(1.0, *(float(np.abs(value).max()) for value in found.values()))

        def forces(moved: Array, state: State = state, N: Array = N) -> Array:
            q = witness.assembled(state.q + N @ moved)
            qdot = witness.rates(q, state.v)
            return witness.inverse_dynamics(
                State(q, qdot, witness.accelerations(q, qdot, state.a), state.v, state.a)
            )

        h = 0.001
        columns = [
            sum(w * (forces(k * h * e) - forces(-k * h * e)) / h for k, w in STENCIL.items())
            for e in np.eye(witness.nv)
        ]
        assert np.abs(found["dq"] - np.array(columns).T).max() < 1e-9 * size


@every_mechanism
def test_forward_derivatives_are_those_of_inverse_dynamics_through_the_mass_matrix(name: str) -> None:
    programs = derived(name).programs
    witness = ConstrainedWitness(mechanism(name))
    for state in states(name):
        at = {"q": state.q, "v": state.v, "a": state.a}
        inverse = evaluate(programs["inverse_dynamics_derivatives"], at)
        tau = evaluate(programs["inverse_dynamics"], at)["tau"]
        forward = evaluate(programs["forward_dynamics_derivatives"], {"q": state.q, "v": state.v, "tau": tau})
        mass = inverse["da"]
        condition = float(np.linalg.cond(mass)) * witness.condition(state.q)
        assert np.abs(mass @ forward["dtau"] - np.eye(len(mass))).max() < ROUNDING * condition
        for by in ("dq", "dv"):
            size = max(1.0, float(np.abs(inverse[by]).max()), float(np.abs(tau).max()))
            # dv and dq are taken at accelerations with an error of condition roundings
            assert np.abs(mass @ forward[by] + inverse[by]).max() < 10 * ROUNDING * condition**2 * size


def test_counts() -> None:
    """The better of carrying the tree's derivatives and of differentiating everything; before the passes."""
    limits = {"four_bar": 360, "five_bar": 790, "rolling_disc": 630, "whipple_bicycle": 8470}
    for name, limit in limits.items():
        assert count(derived(name).programs["inverse_dynamics_derivatives"]).total <= limit
