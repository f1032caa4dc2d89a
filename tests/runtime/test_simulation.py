"""``simulate``: controllers of every form, sampling, arguments, failures, threads, files."""

from __future__ import annotations

import dataclasses
import re
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from references import Q0, V0, python_law

from kanegen.errors import MissingKernelError, NotCompiledError
from kanegen.simulation import simulate
from kanegen.simulation.motion import Motion, Status

# ---- sampled control -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"method": "rk4", "step": 0.004}])
@pytest.mark.parametrize(
    ("period", "duration", "count"), [(0.01, 1.0, 101), (0.1, 0.3, 4), (0.3, 1.0, 4), (2.0, 1.0, 1)]
)
def test_a_sampled_controller_is_called_at_its_rate(
    double_pendulum: Any, settings: dict[str, Any], period: float, duration: float, count: int
) -> None:
    calls: list[tuple[float, np.ndarray, np.ndarray]] = []

    def controller(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        calls.append((t, q, v))
        return python_law(t, q, v)

    # Rows at the instants, and in the middle between them.
    instants = np.array([k * period for k in range(count)])
    times = np.unique(np.concatenate([instants, instants + 0.5 * period]))
    times = times[times <= duration]
    motion = simulate(
        double_pendulum, Q0, V0, duration, controller, sample_period=period, times=times, **settings
    )

    assert [t for t, _, _ in calls] == instants.tolist()  # exactly, and nowhere else
    assert motion.statistics.controller_calls == count
    on_instant = np.isin(motion.t, instants)
    for (_, q, v), q_row, v_row in zip(calls, motion.q[on_instant], motion.v[on_instant], strict=False):
        assert np.array_equal(q, q_row)  # with the state there
        assert np.array_equal(v, v_row)
    held = np.array([python_law(*call) for call in calls])
    which = np.searchsorted(instants, motion.t, side="right") - 1
    assert np.array_equal(motion.tau, held[which])  # and its result held until the next


def test_sampled_control_is_piecewise_exact(arms: SimpleNamespace) -> None:
    # The oscillator under constant force: q - tau turns on a circle, so that each period is a rotation by its angle.
    period, steps = 0.37, 20
    motion = simulate(
        arms.oscillator,
        [1.0],
        [0.0],
        period * steps,
        lambda t, q, v: np.cos(5.0 * t) - 0.3 * v,
        sample_period=period,
        rtol=1e-12,
        atol=1e-13,
        times=[k * period for k in range(steps + 1)],
    )
    q, v = 1.0, 0.0
    c, s = np.cos(period), np.sin(period)
    for k in range(steps):
        tau = np.cos(5.0 * (k * period)) - 0.3 * v
        q, v = tau + c * (q - tau) + s * v, -s * (q - tau) + c * v
        # Every step, of which there are a few hundred, errs by at most 1e-12 (|y| < 2); the rotation does not amplify.
        bound = 2e-12 * motion.statistics.accepted
        assert abs(motion.q[k + 1, 0] - q) < bound
        assert abs(motion.v[k + 1, 0] - v) < bound


def test_a_longer_run_begins_with_the_shorter(arms: SimpleNamespace) -> None:
    times = np.linspace(0.0, 1.0, 21)
    short, long = (
        simulate(arms.double_pendulum, Q0, V0, end, "feedback_law", sample_period=0.05, times=times)
        for end in (1.0, 2.0)
    )
    for name in ("q", "v", "tau"):
        assert np.array_equal(getattr(short, name), getattr(long, name))


# ---- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"method": "rk4", "step": 0.03}, {"sample_period": 0.3}])
def test_rows_are_those_asked_for(double_pendulum: Any, settings: dict[str, Any]) -> None:
    def run(times: Any) -> Motion:
        return simulate(double_pendulum, Q0, V0, 1.0, times=times, **settings)

    default = run(None)
    assert np.array_equal(default.t, np.linspace(0.0, 1.0, 1001))
    assert np.array_equal(default.q[0], Q0)
    assert np.array_equal(default.v[0], V0)
    assert (default.q.shape, default.v.shape, default.tau.shape) == ((1001, 2), (1001, 2), (1001, 2))
    assert default.statistics.t == 1.0
    some = run([0.1, 0.55, 1.0])  # rows do not influence the steps
    assert np.array_equal(some.q, default.q[[100, 550, 1000]])
    assert np.array_equal(run([1.0]).q[0], default.q[-1])
    empty = run([])
    assert empty.q.shape == (0, 2)
    assert empty.energy.shape == (0,)
    assert empty.statistics.accepted == default.statistics.accepted


def test_a_row_at_the_end_computed_otherwise(double_pendulum: Any) -> None:
    assert 3 * 0.1 > 0.3
    motion = simulate(double_pendulum, Q0, V0, 0.3, times=[0.0, 3 * 0.1])
    assert np.isfinite(motion.q).all()


def test_duration_zero(double_pendulum: Any) -> None:
    for sample_period in (None, 0.1):
        motion = simulate(double_pendulum, Q0, V0, 0.0, python_law, sample_period=sample_period)
        assert motion.t.tolist() == [0.0]
        assert motion.q.tolist() == [Q0]
        assert motion.tau.tolist() == [python_law(0.0, np.array(Q0), np.array(V0)).tolist()]


def test_energy_grows_by_the_work_of_tau(arms: SimpleNamespace) -> None:
    motion = simulate(
        arms.double_pendulum, Q0, V0, 2.0, "feedback_law", rtol=1e-12, times=np.linspace(0.0, 2.0, 4001)
    )
    power = (motion.tau * motion.v).sum(axis=1)
    h = motion.t[1]
    work = h / 3.0 * (power[0] + 4.0 * power[1:-1:2].sum() + 2.0 * power[2:-1:2].sum() + power[-1])
    # Simpson's rule errs by T h^4 / 180 times the fourth derivative of the power: below 1e6 W/s^4 here.
    assert abs(motion.energy[-1] - motion.energy[0] - work) < 2.0 * h**4 / 180.0 * 1e6 + 1e-9


# ---- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"q0": [1.0]}, r"q0: expected \(2,\), got \(1,\)"),
        ({"q0": [[1.0, 2.0]]}, r"q0: expected \(2,\), got \(1, 2\)"),
        ({"v0": [1.0, 2.0, 3.0]}, r"v0: expected \(2,\), got \(3,\)"),
        ({"v0": None}, r"v0: expected \(2,\), got None"),
        ({"q0": ["a", "b"]}, r"q0: expected real numbers, got elements of type"),
        ({"q0": [1.0, float("nan")]}, r"q0 must be finite, got \[1.0, nan\]"),
        ({"duration": -1.0}, "duration must not be negative, got -1.0"),
        ({"duration": float("inf")}, "duration must be a finite number, got inf"),
        ({"duration": "1"}, "duration must be a finite number, got '1'"),
        ({"method": "euler"}, "got 'euler'"),
        ({"method": "rk4"}, "method 'rk4' needs the length of its steps"),
        ({"method": "rk4", "step": 0.0}, "step must be positive, got 0.0"),
        ({"step": 0.1}, "step belongs to methods"),
        ({"rtol": -1e-9}, "rtol must not be negative"),
        ({"atol": 0.0}, "atol must be positive, got 0.0"),
        ({"atol": float("nan")}, "atol must be a finite number, got nan"),
        ({"times": [0.0, 0.5, 0.5]}, r"times must be ascending, but times\[2\] = 0.5 does not exceed"),
        ({"times": [-0.1, 0.5]}, "times must lie from 0.0 to 1.0 s, got -0.1 to 0.5"),
        ({"times": [0.5, 1.1]}, "times must lie from 0.0 to 1.0 s, got 0.5 to 1.1"),
        ({"times": [[0.5]]}, r"times: expected \(k,\), got \(1, 1\)"),
        ({"times": [float("nan")]}, "times must be finite"),
        ({"sample_period": 0.0}, "sample_period must be positive, got 0.0"),
        ({"sample_period": -0.1}, "sample_period must be positive, got -0.1"),
        ({"max_steps": 0}, "max_steps must be a positive integer, got 0"),
        ({"max_steps": 1.5}, "max_steps must be a positive integer, got 1.5"),
        ({"breaks": [0.5, float("nan")]}, "breaks must be finite"),
        ({"breaks": [1.5]}, "breaks must lie within the simulation, from 0.0 to 1.0 s, got 1.5"),
        ({"breaks": [-0.5, 0.5]}, "breaks must lie within the simulation, from 0.0 to 1.0 s, got -0.5"),
        ({"breaks": 0.5}, r"breaks: expected \(k,\), got \(\)"),
        ({"breaks": ["a"]}, "breaks: expected real numbers"),
        ({"breaks": [1 + 2j]}, "breaks: expected real numbers"),
        ({"breaks": [10**400]}, "breaks: expected real numbers"),
        ({"max_step": 0.0}, "max_step must be positive, got 0.0"),
        ({"max_step": float("nan")}, "max_step must be a finite number"),
        ({"max_step": 0.1, "method": "rk4", "step": 0.1}, "max_step belongs to methods that choose their"),
        ({"t0": float("inf")}, "t0 must be a finite number, got inf"),
        ({"t0": 1e300}, "cannot tell 1.0 later from it"),
        ({"drift": 0.0}, "drift must be positive"),
        ({"drift": "small"}, "drift must be a finite number"),
    ],
)
def test_wrong_arguments(arms: SimpleNamespace, changed: dict[str, Any], message: str) -> None:
    arguments = {"q0": Q0, "v0": V0, "duration": 1.0, **changed}
    with pytest.raises(ValueError, match=message):
        simulate(arms.double_pendulum, **arguments)


@pytest.mark.parametrize(
    ("name", "functions"),
    [("pendulum", ()), ("body", ("forward_dynamics",)), ("body", ("coordinate_rates",))],
)
def test_missing_kernels(arms: SimpleNamespace, name: str, functions: tuple[str, ...]) -> None:
    arm = getattr(arms, name)
    lacking = dataclasses.replace(arm, functions={kernel: arm.functions[kernel] for kernel in functions})
    missing = "coordinate_rates" if "forward_dynamics" in functions else "forward_dynamics"
    with pytest.raises(MissingKernelError, match=f"{name} has no kernel {missing}"):
        simulate(lacking, np.eye(arm.nq)[0], np.zeros(arm.nv), 1.0)


def test_arguments_are_left_alone_and_may_be_anything_like_arrays(arms: SimpleNamespace) -> None:
    q0 = np.array([[1.5, 9.0], [-0.5, 9.0]])[:, 0]  # strided
    q0.flags.writeable = False
    expected = simulate(arms.double_pendulum, Q0, [0, 1], 1.0)
    motion = simulate(arms.double_pendulum, q0.astype(">f8"), (0, 1), 1, times=tuple(expected.t))
    assert np.array_equal(motion.q, expected.q)
    assert np.array_equal(q0, Q0)


# ---- motions that end early ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arm", "settings", "status", "latest"),
    [
        # q passes 1, where the acceleration ends to be a number, before 0.5 s; 1 / (1 - t) reaches infinity at 1 s.
        ("leaving", {}, Status.NOT_FINITE, 0.5),
        ("leaving", {"method": "rk4", "step": 0.01}, Status.NOT_FINITE, 0.5),
        ("exploding", {}, Status.STEP_UNDERFLOW, 1.0),
        ("exploding", {"method": "rk4", "step": 0.01}, Status.NOT_FINITE, 1.2),
        ("exploding", {"max_steps": 10}, Status.TOO_MANY_STEPS, 1.0),
        ("leaving", {"method": "rk4", "step": 0.01, "max_steps": 10}, Status.TOO_MANY_STEPS, 0.1),
        ("leaving", {"method": "rk4", "step": 1e-300, "max_steps": 10}, Status.TOO_MANY_STEPS, 1e-298),
        ("leaving", {"sample_period": 0.1}, Status.NOT_FINITE, 0.5),
        ("leaving", {"method": "rodas4"}, Status.NOT_FINITE, 0.5),
        ("exploding", {"method": "rodas4"}, Status.STEP_UNDERFLOW, 1.0 + 1e-6),
        ("exploding", {"method": "rodas4", "max_steps": 10}, Status.TOO_MANY_STEPS, 1.0),
    ],
)
def test_what_cannot_be_continued_ends(
    arms: SimpleNamespace,
    in_numpy: bool,
    arm: str,
    settings: dict[str, Any],
    status: Status,
    latest: float,
) -> None:
    mechanism = dataclasses.replace(
        getattr(arms, arm), interpreted=in_numpy, energy=lambda q, v: (v[..., 0], q[..., 0])
    )
    if in_numpy and settings.get("method") == "rodas4":
        with pytest.raises(NotCompiledError):
            simulate(mechanism, [0.5], [1.0], 2.0, **settings)
        return
    times = [0.0, 0.05, 1.5, 2.0]
    with pytest.warns(RuntimeWarning, match=f"the simulation of {arm} ended at t = .* s instead of 2.0 s"):
        motion = simulate(mechanism, [0.5], [1.0], 2.0, times=times, **settings)
    assert motion.statistics.status is status
    assert motion.statistics.t <= latest + 1e-12
    reached = motion.t <= motion.statistics.t
    assert reached[0]
    assert not reached[2:].any()
    for values in (motion.q, motion.v, motion.tau, motion.energy):
        assert np.isfinite(values[reached]).all()
        assert np.isnan(values[~reached]).all()


@pytest.mark.filterwarnings("ignore:the simulation of:RuntimeWarning")
@pytest.mark.parametrize("settings", [{}, {"sample_period": 0.1}, {"method": "rk4", "step": 0.01}])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_controller_that_is_not_finite_ends_the_motion(
    double_pendulum: Any, settings: dict[str, Any], value: float
) -> None:
    def controller(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [value if t > 0.5 else 0.0, 0.0]

    motion = simulate(double_pendulum, Q0, V0, 1.0, controller, times=[0.0, 0.5, 1.0], **settings)
    assert motion.statistics.status is Status.NOT_FINITE
    assert 0.5 - 1e-9 < motion.statistics.t < 0.61
    assert np.isnan(motion.q[2]).all()
    at_once = simulate(
        double_pendulum, Q0, V0, 1.0, lambda t, q, v: [value, 0.0], times=[0.0, 1.0], **settings
    )
    assert at_once.statistics.status is Status.NOT_FINITE
    assert at_once.statistics.t == 0.0
    assert at_once.q[0].tolist() == Q0
    assert np.isnan(at_once.q[1]).all()


# ---- threads and fallbacks -------------------------------------------------------------------------------------------


def test_threads_do_not_disturb_each_other(arms: SimpleNamespace) -> None:
    def runs() -> list[Motion]:
        return [
            simulate(arms.double_pendulum, Q0, V0, 3.0, controller, sample_period=period)
            for controller in ("feedback_law", python_law)
            for period in (None, 0.01)
        ]

    expected = runs()
    found: dict[int, list[Motion]] = {}
    threads = [
        threading.Thread(target=lambda index=index: found.update({index: runs()})) for index in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index in range(4):
        for motion, alone in zip(found[index], expected, strict=True):
            assert motion.statistics == alone.statistics
            for name in ("q", "v", "tau"):
                assert np.array_equal(getattr(motion, name), getattr(alone, name))


def test_a_controller_may_simulate(arms: SimpleNamespace) -> None:
    def predicts(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return -simulate(arms.double_pendulum, q, v, 0.01, times=[0.01]).q[0]

    inner = simulate(arms.double_pendulum, Q0, V0, 0.01, times=[0.01]).q[0]
    motion = simulate(arms.double_pendulum, Q0, V0, 0.5, predicts, sample_period=0.1)
    assert np.array_equal(motion.tau[0], -inner)


def test_the_interpreter_lock_is_released(arms: SimpleNamespace, library: ModuleType) -> None:
    # The C controller waits for this thread: if the simulation held the lock, it would wait in vain.
    meeting = library.ffi.new("rendezvous *")
    motions: list[Motion] = []

    def run() -> None:
        controller = library.ffi.addressof(library.lib, "waiting_controller")
        motions.append(simulate(arms.pendulum, [1.0], [0.0], 0.1, controller, controller_data=meeting))

    thread = threading.Thread(target=run)
    thread.start()
    while not meeting.entered:
        thread.join(0.001)
    meeting.go_on = 1
    thread.join()
    assert motions[0].statistics.status is Status.DONE


def test_without_the_compiled_integrators(arms: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = simulate(arms.double_pendulum, Q0, V0, 0.1)
    monkeypatch.setitem(sys.modules, "kanegen._integrators", None)  # importing it fails
    with pytest.warns(RuntimeWarning, match="the compiled integrators are missing: simulating with NumPy"):
        motion = simulate(arms.double_pendulum, Q0, V0, 0.1)
    assert not motion.statistics.compiled
    with pytest.raises(NotCompiledError, match="'rodas4' is compiled"):
        simulate(arms.double_pendulum, Q0, V0, 0.1, method="rodas4")
    np.testing.assert_allclose(motion.q, expected.q, rtol=0.0, atol=1e-13)


# ---- files -----------------------------------------------------------------------------------------------------------


def test_csv(arms: SimpleNamespace, tmp_path: Path) -> None:
    motion = simulate(arms.double_pendulum, Q0, V0, 1.0, "feedback_law", times=[0.0, 0.1, 1.0])
    path = tmp_path / "größe 1.csv"
    path.write_text("older and longer than what replaces it\n" * 100)
    motion.to_csv(path)
    header, *lines = path.read_bytes().decode("ascii").splitlines()
    assert header == "t,q1,q2,v1,v2,tau1,tau2,energy"
    assert lines[0].startswith("0.00000000000,1.50000000000,-0.500000000000,")
    cells = [line.split(",") for line in lines]
    for cell in (cell for row in cells for cell in row):
        digits = re.fullmatch(r"-?([0-9.]+)(e[-+]\d+)?", cell)
        assert digits is not None
        assert len(digits[1].replace(".", "").lstrip("0")) in (0, 12)  # 12 significant digits, or zero
    table = np.column_stack([motion.t, motion.q, motion.v, motion.tau, motion.energy])
    np.testing.assert_allclose(np.array(cells, dtype=float), table, rtol=5e-12, atol=0.0)
    assert list(tmp_path.iterdir()) == [path]  # nothing else was left there


def test_csv_without_energy_and_of_rows_not_reached(arms: SimpleNamespace, tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning):
        motion = simulate(arms.leaving, [0.5], [1.0], 1.0, times=[0.0, 1.0])
    motion.to_csv(tmp_path / "motion.csv")
    lines = (tmp_path / "motion.csv").read_text().splitlines()
    assert lines == [
        "t,q1,v1,tau1",
        "0.00000000000,0.500000000000,1.00000000000,0.00000000000",
        "1.00000000000,nan,nan,nan",
    ]


def test_csv_follows_a_link_and_fails_cleanly(arms: SimpleNamespace, tmp_path: Path) -> None:
    motion = simulate(arms.pendulum, [0.5], [1.0], 1.0, times=[0.0])
    target = tmp_path / "target.csv"
    target.touch()
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    motion.to_csv(str(link))
    assert link.is_symlink()
    assert target.read_text().startswith("t,q1,v1,tau1,energy\n")
    with pytest.raises(OSError, match="nowhere"):
        motion.to_csv(tmp_path / "nowhere" / "motion.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "target.csv"]
