"""Laws of mechanics that no kernel was made to obey one by one, at 40 digits where rounding could hide a fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from tests.derivation.comparison import DIGITS, EXACT, difference, exactly
from tests.derivation.structured_trees import derive_by_chance, states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS

MACHINES = [mechanism("stanford_arm"), *(structured_tree(seed, 4) for seed in (90, 92, 95, 97))]

STEP = mpmath.mpf(10) ** -DIGITS
"""Central differences at 80 digits: truncation 1e-80 and rounding 1e-80 / 1e-40 leave 40 digits."""

each_machine = pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)


def kernel(machine: Mechanism, name: str) -> Program:
    """The kernel with random decisions, so that the laws are those of what is generated."""
    return derive_by_chance(Deriver(machine, DYNAMICS[name]), np.random.default_rng(1))[0]


def at(machine: Mechanism, *names: str) -> list[list[Any]]:
    values = states(8, 1, machine.dof)
    return [[mpmath.mpf(float(x)) for x in values[name][0]] for name in names]


def along(x: Sequence[Any], direction: Sequence[Any], step: Any) -> list[Any]:
    return [p + step * d for p, d in zip(x, direction, strict=True)]


def rate(function: Any) -> Any:
    """Derivative at 0 of a function of one number."""
    return (function(STEP) - function(-STEP)) / (2 * STEP)


@each_machine
def test_mass_matrix_is_symmetric_and_positive_definite(machine: Mechanism) -> None:
    program = kernel(machine, "mass_matrix")
    n = machine.dof
    assert all(
        program.results[0][n * i + j] == program.results[0][n * j + i] for i in range(n) for j in range(n)
    )
    M = evaluate(program, {"q": np.random.default_rng(1).uniform(-3, 3, (200, n))})["M"]
    assert np.linalg.eigvalsh(M).min() > 0


@each_machine
def test_forward_dynamics_inverts_inverse_dynamics(machine: Mechanism) -> None:
    with mpmath.workdps(DIGITS):
        q, v, a = at(machine, "q", "v", "a")
        tau = exactly(kernel(machine, "inverse_dynamics"), q=q, v=v, a=a)
        assert difference(exactly(kernel(machine, "forward_dynamics"), q=q, v=v, tau=tau), a) < EXACT


@each_machine
def test_forces_are_inertia_bias_and_gravity(machine: Mechanism) -> None:
    n = machine.dof
    with mpmath.workdps(DIGITS):
        q, v, a = at(machine, "q", "v", "a")
        tau = exactly(kernel(machine, "inverse_dynamics"), q=q, v=v, a=a)
        h = exactly(kernel(machine, "bias_forces"), q=q, v=v)
        M = exactly(kernel(machine, "mass_matrix"), q=q)
        assert difference([sum(M[n * i + j] * a[j] for j in range(n)) + h[i] for i in range(n)], tau) < EXACT
        g = exactly(kernel(machine, "gravity_forces"), q=q)
        at_rest = exactly(kernel(machine, "bias_forces"), q=q, v=[0] * n)
        assert max(abs(x - y) for x, y in zip(g, at_rest, strict=True)) < EXACT * max(map(abs, tau))


@each_machine
def test_kinetic_energy_is_the_form_of_the_mass_matrix(machine: Mechanism) -> None:
    n = machine.dof
    with mpmath.workdps(DIGITS):
        q, v = at(machine, "q", "v")
        M = exactly(kernel(machine, "mass_matrix"), q=q)
        T = sum(v[i] * M[n * i + j] * v[j] for i in range(n) for j in range(n)) / 2
        assert difference(exactly(kernel(machine, "kinetic_energy"), q=q, v=v), [T]) < EXACT


@each_machine
def test_gravity_forces_are_the_slope_of_the_potential_energy(machine: Mechanism) -> None:
    n = machine.dof
    energy, forces = kernel(machine, "potential_energy"), kernel(machine, "gravity_forces")
    with mpmath.workdps(2 * DIGITS):
        (q,) = at(machine, "q")
        g = exactly(forces, q=q)
        for j in range(n):
            unit = [int(i == j) for i in range(n)]
            slope = rate(lambda step, unit=unit: exactly(energy, q=along(q, unit, step))[0])
            assert abs(slope - g[j]) <= EXACT * (1 + max(map(abs, g)))


@each_machine
def test_power_is_the_rate_of_energy(machine: Mechanism) -> None:
    """dE/dt = tau . v along q' = v, v' = a."""
    kinetic, potential = kernel(machine, "kinetic_energy"), kernel(machine, "potential_energy")
    with mpmath.workdps(2 * DIGITS):
        q, v, a = at(machine, "q", "v", "a")
        tau = exactly(kernel(machine, "inverse_dynamics"), q=q, v=v, a=a)

        def energy(t: Any) -> Any:
            there = along(along(q, v, t), a, t * t / 2)
            return exactly(kinetic, q=there, v=along(v, a, t))[0] + exactly(potential, q=there)[0]

        power = sum(x * y for x, y in zip(tau, v, strict=True))
        assert abs(rate(energy) - power) < EXACT * sum(abs(x * y) for x, y in zip(tau, v, strict=True))


@each_machine
def test_bias_is_what_the_mass_matrix_implies(machine: Mechanism) -> None:
    """h - g = M' v - 1/2 d(v M v)/dq (Lagrange): Christoffel's symbols, from M alone."""
    n = machine.dof
    mass = kernel(machine, "mass_matrix")
    with mpmath.workdps(2 * DIGITS):
        q, v = at(machine, "q", "v")
        h = exactly(kernel(machine, "bias_forces"), q=q, v=v)
        g = exactly(kernel(machine, "gravity_forces"), q=q)

        def times_v(where: Sequence[Any]) -> list[Any]:
            M = exactly(mass, q=where)
            return [sum(M[n * i + j] * v[j] for j in range(n)) for i in range(n)]

        ahead, behind = times_v(along(q, v, STEP)), times_v(along(q, v, -STEP))
        scale = max(map(abs, h))
        for i in range(n):
            unit = [int(i == j) for j in range(n)]
            slope = rate(
                lambda step, unit=unit: sum(
                    x * y for x, y in zip(v, times_v(along(q, unit, step)), strict=True)
                )
            )
            assert abs((ahead[i] - behind[i]) / (2 * STEP) - slope / 2 + g[i] - h[i]) < EXACT * (1 + scale)


@each_machine
def test_momentum_about_a_first_joint_is_the_force_on_it(machine: Mechanism) -> None:
    """For a joint on the base, M q' in its row is the momentum along its axis; with others driven freely."""
    n = machine.dof
    first = next(joint for joint in machine.joints if joint.name in machine.coordinates)
    if sum(joint.parent == first.parent for joint in machine.joints) > 1:
        pytest.skip("several joints on the base share the momentum")
    row = machine.coordinates.index(first.name)
    with mpmath.workdps(DIGITS):
        q, v = at(machine, "q", "v")
        p = exactly(kernel(machine, "momentum"), q=q, v=v)
        M = exactly(kernel(machine, "mass_matrix"), q=q)
        turn = [[_number(x) for x in r] for r in first.rotation]
        axis = [sum(turn[m][c] * _number(first.axis[c]) for c in range(3)) for m in range(3)]
        if first.kind.value == "prismatic":
            along_axis = sum(x * y for x, y in zip(axis, p[:3], strict=True))
        else:
            o = [_number(x) for x in first.position]
            arm = [o[1] * p[2] - o[2] * p[1], o[2] * p[0] - o[0] * p[2], o[0] * p[1] - o[1] * p[0]]
            along_axis = sum(axis[m] * (p[3 + m] - arm[m]) for m in range(3))
        assert difference([along_axis], [sum(M[n * row + j] * v[j] for j in range(n))]) < EXACT


def _number(value: Any) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator
