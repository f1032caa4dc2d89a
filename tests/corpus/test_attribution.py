"""Whose a difference in accelerations is: 40 digits against closed formulas, and what the corpus makes of it."""

from __future__ import annotations

from pathlib import Path

import mpmath
import numpy as np
import pytest

from benchmarks.corpus.__main__ import passes, summary, table
from benchmarks.corpus.exact import ExactAccelerations, errors_of_both
from benchmarks.corpus.robots import RobotFile
from kanegen.codegen.commands.benchmark_corpus import corpus
from kanegen.codegen.commands.benchmark_json import Node
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder

ROUNDING = 2.0**-53


def pendulum(damping: float = 0) -> Mechanism:
    """Two points on massless rods of 1 m in a vertical plane, the outer one of next to no mass."""
    builder = MechanismBuilder("pendulum", gravity=(0, "-9.81", 0))
    builder.body("upper", mass=1, center=(1, 0, 0), inertia=(0, 0, 0))
    builder.body("lower", mass="1e-12", center=(1, 0, 0), inertia=(0, 0, 0))
    builder.revolute("j1", BASE, "upper", (0, 0, 1), damping=damping)
    builder.revolute("j2", "upper", "lower", (0, 0, 1), position=(1, 0, 0), damping=damping)
    return builder.build()


@pytest.mark.parametrize("damping", [0.0, 0.7])
def test_forty_digits_against_lagranges_equations(damping: float) -> None:
    """Of the double pendulum, worked out by hand; the result is rounded once.  Friction acts in no kernel by default."""
    q, v, tau = np.array([0.3, -1.1]), np.array([0.7, 0.2]), np.array([0.4, -0.25e-12])
    found = ExactAccelerations(pendulum(damping))(q, v, tau)
    with mpmath.workdps(50):
        m1, m2, g = mpmath.mpf(1), mpmath.mpf(10) ** -12, mpmath.mpf("9.81")
        (q1, q2), (v1, v2), (t1, t2) = ([mpmath.mpf(float(x)) for x in values] for values in (q, v, tau))
        c2, s2 = mpmath.cos(q2), mpmath.sin(q2)
        outer = m2 * g * mpmath.cos(q1 + q2)
        right = [
            t1 + m2 * s2 * (2 * v1 * v2 + v2 * v2) - (m1 + m2) * g * mpmath.cos(q1) - outer,
            t2 - m2 * s2 * v1 * v1 - outer,
        ]
        matrix = [[m1 + 2 * m2 * (1 + c2), m2 * (1 + c2)], [m2 * (1 + c2), m2]]
        wanted = mpmath.lu_solve(mpmath.matrix(matrix), mpmath.matrix(right))
        error = max(abs(mpmath.mpf(float(x)) - y) / abs(y) for x, y in zip(found, wanted, strict=True))
    assert error <= ROUNDING


def case(difference: float, ours: float, **errors: float) -> dict[str, object]:
    return {
        "outcome": "loaded",
        "reason": "",
        "unphysical": "",
        "without": "",
        "dof": 3,
        "operations": {"forward_dynamics": "1 / 2 / 3"},
        "in_own_frames": {"forward_dynamics": "4 / 5 / 3"},
        "generation_seconds": 1.0,
        "compile_seconds": 1.0,
        "differences": {"mass_matrix": 1e-15, "forward_dynamics": difference},
        "of_kanegen": {"mass_matrix": 1e-15, "forward_dynamics": ours},
        "errors": errors,
    }


FILE = RobotFile("p", "a.urdf", Path("a.urdf"))


def test_an_error_of_the_other_side_is_told_and_passes() -> None:
    found = case(7.4e-10, 8e-13, kanegen=8e-13, pinocchio=7.4e-10)
    assert passes(found)
    assert "| 1 / 2 / 3 | – | – | 4 / 5 / 3 |" in table([(FILE, found)])
    assert "7.4e-10; errors against 40 digits: kanegen 8.0e-13, Pinocchio 7.4e-10" in table([(FILE, found)])
    assert summary([(FILE, found)]).startswith(
        "1 files: 1 loaded. Compared with Pinocchio: 1; largest difference 7.4e-10, of which 8.0e-13 is kanegen's. "
        "Multiplications and additions of all kernels: 3 in the chosen frames, 9 in the files'; the files' are dearer in "
        "1 of 1 robots, the chosen ones in 0."
    )


@pytest.mark.parametrize("ours", [2e-10, float("nan")])
def test_an_error_of_kanegen_fails(ours: float) -> None:
    assert not passes(case(7.4e-10, ours, kanegen=ours, pinocchio=1e-13))


def test_small_differences_are_told_alone() -> None:
    found = case(1e-14, 1e-14)
    assert passes(found)
    assert "against 40 digits" not in table([(FILE, found)])
    assert summary([(FILE, found)]).partition(". Mult")[0].endswith("largest difference 1.0e-14")


def test_a_wrong_answer_is_found_out() -> None:
    """Answers falsified by 1e-9 in one state, on either side, are attributed to that side."""
    mechanism, random = pendulum(), np.random.default_rng(1)
    arguments = {name: random.standard_normal((3, 2)) for name in ("q", "v", "tau")}
    exactly = ExactAccelerations(mechanism)
    right = np.array([exactly(*(arguments[name][i] for name in ("q", "v", "tau"))) for i in range(3)])
    wrong = right * np.array([[1.0], [1 + 1e-9], [1.0]])
    for ours, theirs, errors in ((right, wrong, (0.0, 1e-9)), (wrong, right, (1e-9, 0.0))):
        found = errors_of_both(mechanism, ours, theirs, arguments)
        assert found["kanegen"] == pytest.approx(errors[0], rel=1e-6)
        assert found["pinocchio"] == pytest.approx(errors[1], rel=1e-6)


@pytest.mark.parametrize(
    ("of_kanegen", "claimed", "contradictions"),
    [
        (
            {"of_kanegen": {"forward_dynamics": 8e-13}},
            ("largest difference from Pinocchio, its own errors aside", 8e-13),
            0,
        ),
        ({}, ("largest difference from Pinocchio", 7.4e-10), 1),
    ],
)
def test_the_report_claims_what_is_of_kanegen(
    of_kanegen: dict[str, object], claimed: tuple[str, float], contradictions: int
) -> None:
    robot = {
        "package": "p",
        "name": "a.urdf",
        "outcome": "loaded",
        "differences": {"forward_dynamics": 7.4e-10},
    }
    contents = corpus(Node({"robots": [robot | of_kanegen]}))
    claim = contents.claims[1]
    assert (claim.what, claim.measured) == claimed
    assert sum("differ by more than" in t.title for t in contents.tables) == contradictions
