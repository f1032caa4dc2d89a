"""The C integrators: orders of convergence, agreement with other implementations, contract of the C interface."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import kanegen.csrc
from kanegen.simulation import simulate
from kanegen.simulation.motion import Motion, Status

EPSILON = np.finfo(float).eps

CSRC = Path(kanegen.csrc.__file__).parent

STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror"]


def pendulum_solution(t: Any, amplitude: float = 2.0) -> np.ndarray:
    """(q, v) of the pendulum released at rest: sin(q/2) = k sn(K - w t, k), k = sin(amplitude/2), w^2 = g/l."""
    k, omega = np.sin(amplitude / 2.0), np.sqrt(9.81)
    sn, cn, dn, _ = ellipj(ellipk(k**2) - omega * np.asarray(t), k**2)
    return np.stack(
        [2.0 * np.arcsin(k * sn), -2.0 * k * omega * cn * dn / np.sqrt(1.0 - (k * sn) ** 2)], axis=-1
    )


def fixed_steps(arm: Any, method: str, h: float, duration: float, times: Any, start: float = 0.0) -> Motion:
    """A run of the pendulum in equal steps of h. dopri5 lands on sample instants, and accepts every step."""
    q0, v0 = pendulum_solution(start)
    if method == "rk4":
        motion = simulate(arm, [q0], [v0], duration, method="rk4", step=h, times=times)
    else:
        motion = simulate(arm, [q0], [v0], duration, sample_period=h, rtol=10.0, atol=10.0, times=times)
    assert motion.statistics.accepted == round(duration / h)
    assert motion.statistics.rejected == 0
    return motion


def orders(errors: list[float]) -> np.ndarray:
    """Observed orders between successive halvings of the step."""
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


# An observed order differs from the order by O(h), which is below 0.35 for the steps used: the two leading terms of the
# error would have to differ by a factor of 20 for more. The smallest error compared is several hundred times the
# rounding error (1e-16 for one step, 1e-13 for a run).


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("dopri5", 5)])
def test_order_of_the_solution(arms: SimpleNamespace, method: str, order: int) -> None:
    exact = pendulum_solution(2.0)
    errors = []
    for h in (0.04, 0.02, 0.01):
        motion = fixed_steps(arms.pendulum, method, h, 2.0, [2.0])
        errors.append(np.abs(np.array([motion.q[0, 0], motion.v[0, 0]]) - exact).max())
    assert np.abs(orders(errors) - order).max() < 0.35


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("dopri5", 5)])
def test_energy_drift_of_the_passive_pendulum_shows_the_order(
    arms: SimpleNamespace, method: str, order: int
) -> None:
    errors = []
    for h in (0.04, 0.02, 0.01):
        energy = fixed_steps(arms.pendulum, method, h, 2.0, None).energy
        errors.append(np.abs(energy - energy[0]).max())
    assert np.abs(orders(errors) - order).max() < 0.35


def test_order_of_the_interpolant_of_dopri5(arms: SimpleNamespace) -> None:
    # One step from an exact state: order 4 means an error of h^5 inside it; the end has h^6.
    inside, at_end = [], []
    for h in (0.04, 0.02, 0.01):
        times = np.array([0.2, 0.5, 0.8, 1.0]) * h
        motion = fixed_steps(arms.pendulum, "dopri5", h, h, times, start=0.1)
        error = np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(0.1 + times)).max(axis=1)
        inside.append(error[:3].max())
        at_end.append(error[3])
    assert np.abs(orders(inside) - 5).max() < 0.35
    assert np.abs(orders(at_end) - 6).max() < 0.35


def test_rows_between_steps_of_rk4_keep_its_order(arms: SimpleNamespace) -> None:
    errors = []
    times = np.linspace(0.0, 2.0, 83)  # 2/82 is no multiple of any step below
    for h in (0.04, 0.02, 0.01):
        motion = fixed_steps(arms.pendulum, "rk4", h, 2.0, times)
        errors.append(np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(times)).max())
    assert np.abs(orders(errors) - 4).max() < 0.35


def test_tolerance_is_kept(arms: SimpleNamespace) -> None:
    # The error of a step is at most rtol (|y| < 8); the motion's amplification of errors over two periods is below 50.
    for rtol in (1e-6, 1e-9, 1e-12):
        motion = simulate(arms.pendulum, [2.0], [0.0], 5.0, rtol=rtol, atol=rtol)
        error = np.abs(np.column_stack([motion.q, motion.v]) - pendulum_solution(motion.t)).max()
        assert error < 50 * 8 * rtol * np.sqrt(motion.statistics.accepted)
        assert motion.statistics.status is Status.DONE


def test_agrees_with_dop853_under_feedback(arms: SimpleNamespace) -> None:
    arm = arms.double_pendulum
    times = np.linspace(0.0, 5.0, 101)

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[:2], y[2:]
        tau = 3.0 * np.sin(2.0 * t) - 4.0 * q - 0.5 * v
        return np.concatenate([v, arm.forward_dynamics(q, v, tau)])

    def reference(y0: np.ndarray) -> np.ndarray:
        solution = solve_ivp(rate, (0.0, 5.0), y0, "DOP853", times, rtol=1e-13, atol=1e-14)
        return solution.y.T

    y0 = np.array([1.0, -0.5, 0.0, 0.0])
    expected = reference(y0)
    motion = simulate(arm, y0[:2], y0[2:], 5.0, "feedback_law", rtol=1e-12, atol=1e-13, times=times)
    # How much an error made on the way grows, from initial errors of 1e-6; steps and interpolant err by rtol |y| each.
    growth = max(np.abs(reference(y0 + 1e-6 * e) - expected).max() for e in np.eye(4)) / 1e-6
    bound = growth * motion.statistics.accepted * 1e-12 * np.abs(expected).max()
    assert np.abs(np.column_stack([motion.q, motion.v]) - expected).max() < bound
    assert bound < 1e-6
    law = 3.0 * np.sin(2.0 * times)[:, None] - 4.0 * motion.q - 0.5 * motion.v
    assert np.abs(motion.tau - law).max() < 100 * EPSILON


def test_coordinate_rates_of_a_free_body(arms: SimpleNamespace) -> None:
    # Invariants of the motion: norm of the quaternion, kinetic energy, angular momentum in space.
    motion = simulate(arms.body, [1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1], 20.0, rtol=1e-12, atol=1e-12)
    assert motion.energy is None
    moments = np.array([1.0, 2.0, 3.0])
    w, u = motion.q[:, :1], motion.q[:, 1:]
    momentum = moments * motion.v
    in_space = momentum + 2.0 * np.cross(u, np.cross(u, momentum) + w * momentum)
    # Each step errs by rtol |y|, |y| < 3, moments at most 3; the quantities amplify no error, so errors add up.
    bound = 2 * 9 * 3 * 1e-12 * motion.statistics.accepted
    assert np.abs(np.linalg.norm(motion.q, axis=1) - 1.0).max() < bound
    assert np.abs((moments * motion.v**2).sum(axis=1) - moments @ motion.v[0] ** 2).max() < bound
    assert np.abs(in_space - momentum[0]).max() < bound
    assert bound < 1e-7


def run_settings() -> list[Any]:
    times = np.sort(np.random.default_rng(5).uniform(0.0, 3.0, 40))
    return [
        pytest.param({"rtol": 1e-8}, id="dopri5"),
        pytest.param({"rtol": 1e-3, "atol": 1e-3, "times": times}, id="dopri5, loose, rows anywhere"),
        pytest.param({"sample_period": 0.07, "times": times}, id="dopri5, sampled"),
        pytest.param({"method": "rk4", "step": 0.01, "times": times}, id="rk4, rows anywhere"),
        pytest.param({"method": "rk4", "step": 0.02, "sample_period": 0.05}, id="rk4, sampled"),
        pytest.param({"max_steps": 17}, id="dopri5, too few steps"),
        pytest.param({"method": "rk4", "step": 0.01, "max_steps": 17}, id="rk4, too few steps"),
    ]


@pytest.mark.filterwarnings("ignore:the simulation of:RuntimeWarning")
@pytest.mark.parametrize("settings", run_settings())
@pytest.mark.parametrize("controlled", [False, True])
def test_numpy_takes_the_same_steps(
    arms: SimpleNamespace, both: Any, settings: dict[str, Any], controlled: bool
) -> None:
    # Both call the same C function for the dynamics, and do the same operations in the same order. Compilers may
    # contract products and sums: a relative 1e-16 in each of some hundred steps, which the motion amplifies < 100x.
    arm, law = arms.double_pendulum, "feedback_law" if controlled else None
    interpreted = dataclasses.replace(arm, interpreted=True)
    compiled, numpy = both(arm, interpreted, [1.5, -0.5], [0.0, 1.0], 3.0, law, **settings)
    assert compiled.statistics.compiled
    assert not numpy.statistics.compiled
    counts = [dataclasses.replace(m.statistics, compiled=True, t=0.0, defect=0.0) for m in (compiled, numpy)]
    assert counts[0] == counts[1]
    assert np.array_equal(compiled.t, numpy.t)
    for name in ("q", "v", "tau", "energy"):
        np.testing.assert_allclose(getattr(compiled, name), getattr(numpy, name), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_numpy_takes_the_same_steps_with_coordinate_rates(
    arms: SimpleNamespace, both: Any, method: str
) -> None:
    settings = {"method": method, "step": 0.01 if method == "rk4" else None}
    bodies = arms.body, dataclasses.replace(arms.body, interpreted=True)
    compiled, numpy = both(*bodies, [1.0, 0.0, 0.0, 0.0], [0.3, 2.0, 0.1], 3.0, **settings)
    assert compiled.statistics.accepted == numpy.statistics.accepted
    assert compiled.statistics.evaluations == numpy.statistics.evaluations
    np.testing.assert_allclose(compiled.q, numpy.q, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(compiled.v, numpy.v, rtol=0.0, atol=1e-12)


class Run:
    """A call of the C interface by hand: the pendulum from (2, 0)."""

    def __init__(self, module: ModuleType, library: ModuleType, **options: Any) -> None:
        self.ffi, self.lib = module.ffi, module.lib
        address = library.ffi.cast("uintptr_t", library.ffi.addressof(library.lib, "pendulum_dynamics"))
        dynamics = self.ffi.cast("kanegen_dynamics *", int(address))
        self.system = self.ffi.new("kanegen_system *", {"nq": 1, "nv": 1, "forward_dynamics": dynamics})
        defaults = {"t_end": 1.0, "rtol": 1e-9, "atol": 1e-12, "step": 0.01, "max_steps": 10_000}
        self.options = self.ffi.new("kanegen_options *", {**defaults, **options})
        self.q, self.v = self.ffi.new("double[1]", [2.0]), self.ffi.new("double[1]", [0.0])
        self.rows = self.ffi.new("kanegen_rows *")
        self.done = self.ffi.new("kanegen_statistics *")
        self.workspace = self.ffi.new("double[]", self.lib.kanegen_workspace_size(1, 1) + 1)
        self.workspace[len(self.workspace) - 1] = 123.0

    def __call__(self, method: str) -> str:
        function = getattr(self.lib, f"kanegen_{method}")
        status = function(self.system, self.options, self.q, self.v, self.rows, self.workspace, self.done)
        assert self.workspace[len(self.workspace) - 1] == 123.0
        return str(self.ffi.string(self.ffi.cast("kanegen_status", status)))


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_run_goes_on_where_another_ended(integrators: ModuleType, library: ModuleType, method: str) -> None:
    whole = Run(integrators, library)
    assert whole(method) == "KANEGEN_DONE"
    halves = Run(integrators, library, t_end=0.5)
    assert halves(method) == "KANEGEN_DONE"
    assert halves.done.t == 0.5
    halves.options.t_begin, halves.options.t_end = 0.5, 1.0
    assert halves(method) == "KANEGEN_DONE"
    assert halves.done.t == 1.0
    # rk4 takes the same steps; dopri5 starts anew in the middle, within its tolerance.
    assert abs(whole.q[0] - halves.q[0]) < (1e-13 if method == "rk4" else 1e-7)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("rk4", {"step": 0.0}),
        ("rk4", {"step": float("nan")}),
        ("dopri5", {"rtol": -1.0}),
        ("dopri5", {"atol": 0.0}),
        ("dopri5", {"atol": float("nan")}),
        ("rk4", {"t_end": -1.0}),
        ("dopri5", {"t_end": float("inf")}),
        ("dopri5", {"sample_period": float("nan")}),
    ],
)
def test_invalid_options_do_nothing(
    integrators: ModuleType, library: ModuleType, method: str, options: dict[str, float]
) -> None:
    run = Run(integrators, library, **options)
    assert run(method) == "KANEGEN_INVALID"
    assert (run.q[0], run.v[0], run.done.evaluations) == (2.0, 0.0, 0)


def test_missing_functions_are_refused(integrators: ModuleType, library: ModuleType) -> None:
    run = Run(integrators, library)
    run.system.nq = 2  # without coordinate rates
    assert run("rk4") == "KANEGEN_INVALID"
    run = Run(integrators, library)
    run.system.forward_dynamics = run.ffi.NULL
    assert run("dopri5") == "KANEGEN_INVALID"


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_sample_period_below_the_resolution_of_time_ends(
    integrators: ModuleType, library: ModuleType, method: str
) -> None:
    run = Run(integrators, library, t_begin=1e6, t_end=1e6 + 1.0, sample_period=1e-12)
    assert run(method) == "KANEGEN_STEP_UNDERFLOW"


def test_state_that_is_not_finite_at_the_start(integrators: ModuleType, library: ModuleType) -> None:
    run = Run(integrators, library)
    run.v[0] = float("inf")
    assert run("dopri5") == "KANEGEN_NOT_FINITE"
    assert run.done.evaluations == 0


@pytest.fixture(scope="session")
def compiler() -> str:
    """A C compiler, for the tests of the sources themselves."""
    found = shutil.which("cc")
    if found is None:
        pytest.skip("no C compiler")
    return found


def sources() -> list[str]:
    return sorted(str(path) for path in CSRC.glob("kanegen_*.c"))


def test_sources_compile_without_a_warning(compiler: str, tmp_path: Path) -> None:
    for optimization in ("-O0", "-O3"):
        subprocess.run([compiler, *STRICT, optimization, "-c", *sources()], cwd=tmp_path, check=True)


def test_only_prefixed_symbols_are_exported(compiler: str, tmp_path: Path) -> None:
    nm = shutil.which("nm")
    if nm is None or sys.platform != "linux":
        pytest.skip("needs nm")
    subprocess.run([compiler, *STRICT, "-O3", "-c", *sources()], cwd=tmp_path, check=True)
    objects = sorted(str(path) for path in tmp_path.glob("*.o"))
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
static void stanford_arm_forward_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    for (int i = 0; i < 6; ++i) a[i] = tau[i] - q[i] + 0.0 * v[i];
}
#endif
"""


def test_the_example_in_the_header_runs_clean_under_sanitizers(compiler: str, tmp_path: Path) -> None:
    header = (CSRC / "kanegen_integrators.h").read_text()
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
    assert result.stdout == "q6(0.5 s) = 0 m, q6(1 s) = 0 m\n"
