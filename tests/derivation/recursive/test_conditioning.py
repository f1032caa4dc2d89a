"""Accelerations of mechanisms whose mass matrix is nearly singular, against 40 digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.derivation.recursive.forward_dynamics import METHOD
from kanegen.codegen.derivation.recursive.regularity import is_well_conditioned
from kanegen.codegen.graph import Program, evaluate, evaluate_entries, multiprecision
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.tree_kernels import bias_forces, forward_dynamics, mass_matrix

ROUNDING = 2.0**-53
STATES = 20

AXES = {"z, y, z": "zyz", "z, x, z": "zxz", "z, y, x": "zyx", "y, x, y": "yxy", "x, z, y": "xzy"}


def shoulder(axes: str) -> Mechanism:
    """A heavy body on three axes that meet, with nothing (or next to it) between them, and a hand on a fourth axis."""
    builder = MechanismBuilder("shoulder")
    parent = BASE
    for number, axis in enumerate(axes, start=1):
        name = f"link{number}"
        if number < 3:
            builder.body(name)
        else:
            builder.body(
                name, mass=2, center=(0.1, 0.2, -0.3), inertia=(0.05, 0.06, 0.04, 0.002, 0.003, -0.001)
            )
        builder.revolute(f"joint{number}", parent, name, [float(axis == e) for e in "xyz"])
        parent = name
    builder.body("hand", mass=0.5, center=(0, 0.05, 0.1), inertia=(0.002, 0.001, 0.0015))
    builder.revolute("joint4", parent, "hand", (0, 1, 0), position=(0, 0.1, -0.5))
    return builder.build()


def nearly_singular(axes: str, n: int) -> np.ndarray:
    """Postures (STATES, n) in which the first and the third axis are within 1e-6 to 1e-4 rad of one line."""
    random = np.random.default_rng(5)
    q = random.uniform(-np.pi, np.pi, (STATES, n))
    aligned = 0.0 if axes[0] == axes[2] else np.pi / 2
    q[:, 1] = aligned + 10.0 ** random.uniform(-6, -4, STATES)
    return q


def exact(program: Program, entries: dict[tuple[str, int], mpmath.mpf]) -> list[mpmath.mpf]:
    values: list[mpmath.mpf] = evaluate_entries(program, entries, multiprecision())[0]
    return values


def errors(mechanism: Mechanism, program: Program, q: np.ndarray) -> np.ndarray:
    """Errors of the accelerations (STATES,), relative to the largest, from M a = tau - h solved in 40 digits."""
    n = mechanism.dof
    v, tau = np.random.default_rng(6).standard_normal((2, len(q), n))
    found = evaluate(program, {"q": q, "v": v, "tau": tau})["a"]
    matrix, bias = (Deriver(mechanism, build, gauge=False)({})[0] for build in (mass_matrix, bias_forces))
    worst = []
    with mpmath.workdps(40):
        for i in range(len(q)):
            at = {(name, j): mpmath.mpf(x[i, j]) for name, x in (("q", q), ("v", v)) for j in range(n)}
            flat, h = exact(matrix, at), exact(bias, at)
            right = mpmath.matrix([mpmath.mpf(tau[i, j]) - h[j] for j in range(n)])
            a = mpmath.lu_solve(mpmath.matrix([flat[n * j : n * j + n] for j in range(n)]), right)
            wanted = np.array([float(x) for x in a])
            worst.append(np.abs(found[i] - wanted).max() / np.abs(wanted).max())
    return np.array(worst)


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
def test_digits_are_kept_near_singular_postures(axes: str) -> None:
    """Condition numbers are 1e8 to 1e12; solving with a mass matrix would leave an error of 1e-8 to 1e-4.

    What cannot be kept is the sine or cosine of an angle 1e-6 from where it vanishes: one rounding of pi/2 in q is none of
    the program, as 40 digits get the same q.  So the error is that of some thousand operations, each one rounding.
    """
    mechanism = shoulder(axes)
    assert not is_well_conditioned(mechanism)
    program, points = Deriver(mechanism, forward_dynamics)({})
    assert METHOD not in points
    q = nearly_singular(axes, mechanism.dof)
    for found in (program, optimize(program)[0]):
        assert errors(mechanism, found, q).max() < 1000 * ROUNDING


def test_regrouping_is_undone_before_the_recursion() -> None:
    """With or without regrouping the same inertias are used, those of the bodies."""
    mechanism = shoulder("zyz")
    regrouped, plain = (Deriver(mechanism, forward_dynamics, gauge=gauge)({})[0] for gauge in (True, False))
    at = {"q": [0.3, -0.4, 0.5, 0.6], "v": [1.0, 2.0, -1.0, 0.5], "tau": [1.0, 0.0, 2.0, 0.0]}
    assert np.array_equal(evaluate(regrouped, at)["a"], evaluate(plain, at)["a"])


def test_units_do_not_matter() -> None:
    """A heavy arm with a tiny finger has a large condition number only as long as its diagonal is not scaled."""
    builder = MechanismBuilder("finger")
    builder.body("arm", mass=1000, center=(1, 0, 0), inertia=(10, 1000, 1000))
    builder.body("finger", mass="1e-6", center=("0.001", 0, 0), inertia=("1e-13", "1e-12", "1e-12"))
    builder.revolute("j1", BASE, "arm", (0, 0, 1))
    builder.revolute("j2", "arm", "finger", (0, 0, 1), position=(2, 0, 0))
    mechanism = builder.build()
    assert is_well_conditioned(mechanism)
    assert METHOD in Deriver(mechanism, forward_dynamics)({})[1]


def test_inertias_of_no_real_body_are_not_judged() -> None:
    """A negative diagonal entry has no root; the mass matrix is then formed as ever."""
    builder = MechanismBuilder("odd")
    builder.body("arm", mass=-1, center=(1, 0, 0))
    builder.revolute("q", BASE, "arm", (0, 0, 1))
    assert is_well_conditioned(builder.build(allow_unphysical=True))
