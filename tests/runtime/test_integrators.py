"""The C integrators: orders of convergence, agreement with other implementations, contract of the C interface."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import constrained_robots as made
import numpy as np
import pytest
from references import Run, assert_order, equal_steps, pendulum_solution, python_law
from scipy.integrate import solve_ivp

import kanegen.csrc
from kanegen.simulation import Motion, Status, simulate

EPSILON = np.finfo(float).eps

CSRC = Path(kanegen.csrc.__file__).parent

STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]


def fixed_steps(arm: Any, method: str, h: float, duration: float, times: Any, start: float = 0.0) -> Motion:
    """A run of the pendulum in equal steps of h."""
    q0, v0 = pendulum_solution(start)
    motion = simulate(arm, [q0], [v0], duration, times=times, **equal_steps(method, h))
    assert motion.statistics.accepted == round(duration / h)
    assert motion.statistics.rejected == 0
    assert motion.statistics.linearisations == (motion.statistics.accepted if method == "rodas4" else 0)
    return motion


def errors_of(motion: Motion, start: float = 0.0) -> np.ndarray:
    """The largest error of each row of a run of the pendulum."""
    return np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(start + motion.t)).max(axis=1)


@pytest.mark.parametrize(
    ("method", "order", "steps"),
    [
        ("rk4", 4, (0.04, 0.02, 0.01)),
        ("gauss4", 4, (0.04, 0.02, 0.01)),
        ("dopri5", 5, (0.04, 0.02, 0.01)),
        ("rodas4", 4, (0.02, 0.01, 0.005)),  # the next term of its error is large: 0.63 at 0.04
    ],
)
def test_order_of_the_solution_of_rows_between_steps_and_of_energy(
    arms: SimpleNamespace, method: str, order: int, steps: tuple[float, ...]
) -> None:
    between = np.linspace(0.0, 2.0, 83)[1:-1]  # 2/82 is no multiple of any step
    times = np.union1d(between, np.arange(51) * 0.04)
    at_steps = ~np.isin(times, between)
    motions = [fixed_steps(arms.pendulum, method, h, 2.0, times) for h in steps]
    assert_order([errors_of(motion)[at_steps].max() for motion in motions], order)
    assert_order([errors_of(motion).max() for motion in motions], order)
    assert_order([np.abs(motion.energy - motion.energy[0]).max() for motion in motions], order)


@pytest.mark.parametrize(("method", "inside"), [("rk4", 4), ("gauss4", 4), ("dopri5", 5), ("rodas4", 4)])
def test_order_of_one_step_and_its_interpolant(arms: SimpleNamespace, method: str, inside: int) -> None:
    # From an exact state: an interpolant of order p errs by h^(p+1) inside the step, whose end is one order better.
    runs = [
        fixed_steps(arms.pendulum, method, h, h, np.array([0.2, 0.5, 0.8, 1.0]) * h, start=0.1)
        for h in (0.04, 0.02, 0.01)
    ]
    errors = [errors_of(motion, 0.1) for motion in runs]
    assert_order([error[:3].max() for error in errors], inside)
    assert_order([error[3] for error in errors], inside + 1)


@pytest.mark.parametrize(
    ("method", "tolerances"), [("dopri5", (1e-6, 1e-9, 1e-12)), ("rodas4", (1e-4, 1e-7, 1e-10))]
)
def test_tolerance_is_kept(arms: SimpleNamespace, method: str, tolerances: tuple[float, ...]) -> None:
    # The error of a step is at most rtol (|y| < 8); the motion's amplification of errors over two periods is below 50.
    for rtol in tolerances:
        motion = simulate(arms.pendulum, [2.0], [0.0], 5.0, method=method, rtol=rtol, atol=rtol)
        assert errors_of(motion).max() < 50 * 8 * rtol * np.sqrt(motion.statistics.accepted)
        assert motion.statistics.status is Status.DONE


def test_agrees_with_dop853_under_feedback(arms: SimpleNamespace) -> None:
    arm = arms.double_pendulum
    times = np.linspace(0.0, 5.0, 101)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:2], y[2:]
        return np.concatenate([v, arm.forward_dynamics(q, v, python_law(t, q, v))])

    def reference(y0: np.ndarray) -> np.ndarray:
        return solve_ivp(rate, (0.0, 5.0), y0, "DOP853", times, rtol=1e-13, atol=1e-14).y.T

    y0 = np.array([1.0, -0.5, 0.0, 0.0])
    expected = reference(y0)
    motion = simulate(arm, y0[:2], y0[2:], 5.0, "feedback_law", rtol=1e-12, atol=1e-13, times=times)
    # How much an error made on the way grows, from initial errors of 1e-6; steps and interpolant err by rtol |y| each.
    growth = max(np.abs(reference(y0 + 1e-6 * e) - expected).max() for e in np.eye(4)) / 1e-6
    bound = growth * motion.statistics.accepted * 1e-12 * np.abs(expected).max()
    assert np.abs(np.column_stack([motion.q, motion.v]) - expected).max() < bound < 1e-6
    law = python_law(times[:, None], motion.q, motion.v)
    assert np.abs(motion.tau - law).max() < 100 * EPSILON


@pytest.mark.parametrize("controller", [None, "feedback_law", python_law])
@pytest.mark.parametrize("sample_period", [None, 0.05])
def test_methods_that_choose_their_steps_agree(
    arms: SimpleNamespace, controller: Any, sample_period: float | None
) -> None:
    motions = [
        simulate(
            arms.double_pendulum, [1.0, -0.5], [0.0, 0.0], 2.0, controller, method=method, rtol=1e-9, atol=1e-10,
            sample_period=sample_period, times=np.linspace(0.0, 2.0, 21),
        )
        for method in ("dopri5", "rodas4")
    ]  # fmt: skip
    # Each step errs by 1e-9 |y|, |y| < 10; within 2 s the motion amplifies errors by less than 20.
    bound = sum(motion.statistics.accepted for motion in motions) * 1e-9 * 10 * 20
    for name in ("q", "v"):
        assert np.abs(getattr(motions[0], name) - getattr(motions[1], name)).max() < bound < 1e-3


def test_coordinate_rates_of_a_free_body(arms: SimpleNamespace) -> None:
    # Invariants of the motion: norm of the quaternion, kinetic energy, angular momentum in space.
    motion = simulate(arms.body, [1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1], 20.0, rtol=1e-12, atol=1e-12)
    moments = np.array([1.0, 2.0, 3.0])
    w, u = motion.q[:, :1], motion.q[:, 1:]
    momentum = moments * motion.v
    in_space = momentum + 2.0 * np.cross(u, np.cross(u, momentum) + w * momentum)
    # Each step errs by rtol |y|, |y| < 3, moments at most 3; the quantities amplify no error, so errors add up.
    bound = 2 * 9 * 3 * 1e-12 * motion.statistics.accepted
    assert np.abs(np.linalg.norm(motion.q, axis=1) - 1.0).max() < bound < 1e-7
    assert np.abs((moments * motion.v**2).sum(axis=1) - moments @ motion.v[0] ** 2).max() < bound
    assert np.abs(in_space - momentum[0]).max() < bound


# ---- stiff motions ---------------------------------------------------------------------------------------------------


def timed_law(t: float, q: Any, v: Any) -> Any:
    """The force under which the oscillator moves as cos 2t, and feedback that has nothing to do on this motion."""
    goal, rate = np.cos(2.0 * t), -2.0 * np.sin(2.0 * t)
    return -3.0 * goal - 5.0 * (q**3 - goal**3) - 2.0 * (v - rate) - q * v + goal * rate


def test_a_law_of_time_and_state_keeps_the_order(arms: SimpleNamespace) -> None:
    # Terms of order h^2 to h^4 would be off without derivatives of the law by t, by q or by v.
    errors = []
    for h in (0.04, 0.02, 0.01):
        y = np.array([np.cos(0.2), -2.0 * np.sin(0.2)])
        for k in range(
            round(1.0 / h)
        ):  # a run of its own for each: its first step is never shorter than h here
            loose = {"method": "rodas4", "rtol": 10.0, "atol": 10.0, "times": [h]}
            begin = 0.1 + k * h
            step = simulate(
                arms.oscillator, y[:1], y[1:], h, lambda t, q, v, at=begin: timed_law(at + t, q, v), **loose
            )
            assert step.statistics.accepted == 1
            y = np.array([step.q[0, 0], step.v[0, 0]])
        errors.append(np.abs(y - [np.cos(2.2), -2.0 * np.sin(2.2)]).max())
    assert_order(errors, 4)


def test_steps_do_not_depend_on_the_stiffness_of_what_is_damped(arms: SimpleNamespace) -> None:
    # The follower keeps up with the oscillator but for 1/k. Its own motion, damped at sqrt(k)/2, is over in a few steps.
    arm, accepted = arms.follower, []
    try:
        for stiffness in (1e6, 1e9, 1e12):
            arm.prepared.stiffness, arm.prepared.damping = stiffness, np.sqrt(stiffness)
            motion = simulate(arm, [1.0, 1.0], [0.0, 0.0], 10.0, method="rodas4", rtol=1e-5, atol=1e-7)
            accepted.append(motion.statistics.accepted)
            assert motion.statistics.status is Status.DONE
            # Every step errs by at most 1e-5 or 1/k, and the oscillator does not amplify errors.
            bound = 1e-5 * motion.statistics.accepted + 2.0 / stiffness
            assert np.abs(motion.q - np.cos(motion.t)[:, None]).max() < bound
    finally:
        arm.prepared.stiffness, arm.prepared.damping = 1e4, 1e2
    # What is below the tolerance from the beginning asks for no step.
    assert accepted == sorted(accepted, reverse=True)
    assert max(accepted) < 150


def test_a_stiff_law_is_integrated_in_long_steps(arms: SimpleNamespace) -> None:
    def creeping(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -1e6 * (v - np.cos(t)) - np.sin(t)

    # v = cos t + q's pull / 1e6; explicit steps would be shorter than 3.3e-6 s.
    motion = simulate(arms.oscillator, [0.0], [1.0], 6.0, creeping, method="rodas4", rtol=1e-6, atol=1e-8)
    assert motion.statistics.accepted < 150
    assert np.abs(motion.q[:, 0] - np.sin(motion.t)).max() < 150 * 1e-6 + 6.0 / 1e6


# ---- the C interface -------------------------------------------------------------------------------------------------


@pytest.fixture
def pendulum(integrators: ModuleType, arms: SimpleNamespace) -> Any:
    """Runs of the pendulum from (2, 0) with given options."""

    def run(**options: Any) -> Run:
        functions = {
            "forward_dynamics": ("dynamics", arms.pendulum.kernel_address("forward_dynamics")),
            "forward_dynamics_derivatives": (
                "derivatives",
                arms.pendulum.kernel_address("forward_dynamics_derivatives"),
            ),
        }
        return Run(integrators, [2.0], [0.0], functions, **options)

    return run


@pytest.mark.parametrize("method", ["rk4", "dopri5", "rodas4"])
def test_a_run_goes_on_where_another_ended(pendulum: Any, method: str) -> None:
    whole, halves = pendulum(), pendulum(t_end=0.5)
    assert whole(method) == halves(method) == "KANEGEN_DONE"
    assert halves.done.t == 0.5
    halves.options.t_begin, halves.options.t_end = 0.5, 1.0
    assert halves(method) == "KANEGEN_DONE"
    assert halves.done.t == 1.0
    # rk4 takes the same steps; the others start anew in the middle, within their tolerance.
    assert abs(whole.q[0] - halves.q[0]) < (1e-13 if method == "rk4" else 1e-7)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("rk4", {"step": 0.0}),
        ("rk4", {"step": float("nan")}),
        ("dopri5", {"rtol": -1.0}),
        ("dopri5", {"atol": 0.0}),
        ("dopri5", {"atol": float("nan")}),
        ("rodas4", {"rtol": -1.0}),
        ("rodas4", {"atol": 0.0}),
        ("rk4", {"t_end": -1.0}),
        ("dopri5", {"t_end": float("inf")}),
        ("dopri5", {"sample_period": float("nan")}),
    ],
)
def test_invalid_options_do_nothing(pendulum: Any, method: str, options: dict[str, float]) -> None:
    run = pendulum(**options)
    assert run(method) == "KANEGEN_INVALID"
    assert (run.q[0], run.v[0], run.done.evaluations) == (2.0, 0.0, 0)


@pytest.mark.parametrize(
    ("method", "field"),
    [
        ("rk4", "nq"),
        ("rodas4", "nq"),
        ("dopri5", "forward_dynamics"),
        ("rodas4", "forward_dynamics_derivatives"),
        ("rodas4", "coordinate_rates"),
    ],
)
def test_missing_functions_and_what_a_method_cannot_do_are_refused(
    pendulum: Any, arms: SimpleNamespace, method: str, field: str
) -> None:
    run = pendulum()
    rates = run.ffi.cast("kanegen_rates *", arms.body.kernel_address("coordinate_rates"))
    value = {"nq": 2, "coordinate_rates": rates}.get(
        field, run.ffi.NULL
    )  # two coordinates without their rates
    setattr(run.system, field, value)
    assert run(method) == "KANEGEN_INVALID"


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_sample_period_below_the_resolution_of_time_ends(pendulum: Any, method: str) -> None:
    assert pendulum(t_begin=1e6, t_end=1e6 + 1.0, sample_period=1e-12)(method) == "KANEGEN_STEP_UNDERFLOW"


def test_state_that_is_not_finite_at_the_start(pendulum: Any) -> None:
    run = pendulum()
    run.v[0] = float("inf")
    assert run("dopri5") == "KANEGEN_NOT_FINITE"
    assert run.done.evaluations == 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "KANEGEN_DONE"),
        ({"drift": 0.0}, "KANEGEN_INVALID"),
        ({"drift": float("nan")}, "KANEGEN_INVALID"),
        ({"rows": 0, "position": 0, "constraint_residual": None}, "KANEGEN_INVALID"),
        ({"rows": 1}, "KANEGEN_INVALID"),
        ({"position": 0}, "KANEGEN_INVALID"),
        *(
            ({kernel: None}, "KANEGEN_INVALID")
            for kernel in (
                "constraint_residual", "multiplier_dynamics", "generalized_speeds", "constraint_projection"
            )
        ),
    ],
)  # fmt: skip
def test_constraints(integrators: ModuleType, changes: dict[str, Any], expected: str) -> None:
    arm = made.robot(made.pendulum())
    kinds = {
        "multiplier_dynamics": "multipliers",
        "generalized_speeds": "speeds",
        "constraint_projection": "projection",
        "constraint_residual": "residual",
    }
    functions = {kernel: (kind, arm.kernel_address(kernel)) for kernel, kind in kinds.items()}
    constraints = {"position": 2, "rows": 2, "drift": 1e-9, **changes}
    run = Run(integrators, [0.0, -0.5], [1.0, 0.0], functions, constraints, t_end=0.1)
    assert run("dopri5") == expected
    motion = simulate(arm, [0.0, -0.5], [1.0], 0.1, times=[0.1])
    assert run.v[0] == (
        1.0 if changes else motion.v[0, 0]
    )  # dq/dt; nothing is done where something is missing


# ---- the sources -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler, for the tests of the sources themselves."""
    found = shutil.which("cc")
    if found is None:
        pytest.skip("no C compiler")
    return found


def sources() -> list[str]:
    return sorted(str(path) for path in CSRC.glob("kanegen_*.c"))


def test_sources_compile_without_a_warning_and_export_prefixed_functions_alone(
    compiler: str, tmp_path: Path
) -> None:
    for optimization in ("-O0", "-O3"):
        subprocess.run([compiler, *STRICT, optimization, "-c", *sources()], cwd=tmp_path, check=True)
    nm = shutil.which("nm")
    if nm is None or sys.platform != "linux":
        pytest.skip("needs nm")
    allocating = ("kanegen_threads", "kanegen_many")  # a pool, and room for the motions of a range
    objects = sorted(str(path) for path in tmp_path.glob("*.o") if path.stem not in allocating)
    listing = subprocess.run([nm, "-g", *objects], check=True, capture_output=True, text=True).stdout
    symbols = re.findall(r"^\S* +(\S) (\S+)$", listing, flags=re.MULTILINE)
    defined = [name for kind, name in symbols if kind != "U"]
    assert "kanegen_dopri5" in defined
    assert all(name.startswith("kanegen_") for name in defined)
    assert all(kind == "T" for kind, name in symbols if kind != "U")  # functions only: no data, so no state
    called = {name for kind, name in symbols if kind == "U"} - set(defined)
    assert not called & {"malloc", "calloc", "realloc", "free"}


EXAMPLE_DYNAMICS = """
#ifndef STANFORD_ARM_H
#define STANFORD_ARM_H
static inline void stanford_arm_forward_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    for (int i = 0; i < 6; ++i) a[i] = tau[i] - q[i] + 0.0 * v[i];
}
static inline void stanford_arm_forward_dynamics_batch_soa(size_t count, size_t stride, const double *q,
    const double *v, const double *tau, double *a)
{
    for (size_t i = 0; i < 6; ++i) {
        for (size_t k = 0; k < count; ++k) a[i * stride + k] = tau[i * stride + k] - q[i * stride + k];
    }
    (void)v;
}
#endif
"""


@pytest.mark.parametrize(
    ("header", "printed"),
    [
        ("kanegen_integrators.h", "q6(0.5 s) = 0 m, q6(1 s) = 0 m\n"),
        ("kanegen_many.h", "0, 2 rows, q6(1 s) = 0 m\n"),
    ],
)
def test_the_example_in_the_header_runs_clean_under_sanitizers(
    compiler: str, tmp_path: Path, header: str, printed: str
) -> None:
    header = (CSRC / header).read_text()
    comment = header[: header.index("*/")]
    example = "\n".join(line[6:] for line in comment.splitlines() if line.startswith(" *     "))
    example = example[example.index("#include") :]
    (tmp_path / "stanford_arm.h").write_text(EXAMPLE_DYNAMICS)
    (tmp_path / "main.c").write_text(example + "\n")
    flags = [*STRICT, "-O1", "-g", f"-I{CSRC}", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [compiler, *flags, "main.c", *sources(), "-lm", "-o", "example"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if built.returncode and "cannot find" in built.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    result = subprocess.run([tmp_path / "example"], check=True, capture_output=True, text=True)
    assert result.stdout == printed
