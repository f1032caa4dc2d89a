"""Wrenches on frames during a simulation: every form of them, on trees, loops and balls, and their works."""

from __future__ import annotations

import functools
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sympy
from cffi import FFI

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.errors import MissingKernelError

DURATION = 0.5
TIMES = np.linspace(0.0, DURATION, 23)
KNOTS = np.linspace(0.0, DURATION, 6)
ROWS = 0.1 * np.random.default_rng(3).normal(size=(6, 6))
TABLE = (KNOTS, ROWS)

SOURCE = """
void pushing(double t, const double *q, const double *v, double *w, void *data)
{
    for (int i = 0; i < 6; ++i) w[i] = 0.05 * ((i + 1.0) * (1.0 - t) - v[0] + q[0]);
}

void pushing_law(const double *t, const double *q, const double *v, double *w)
{
    pushing(*t, q, v, w, (void *)0);
}
"""


def pushing(t: float, q: Any, v: Any) -> Any:
    return 0.05 * (np.arange(1.0, 7.0) * (1.0 - t) - v[0] + q[0])


def linear(t: float, q: Any, v: Any) -> Any:
    return [np.interp(t, KNOTS, column) for column in ROWS.T]


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    builder = FFI()
    builder.cdef(
        "void pushing(double, const double *, const double *, double *, void *);"
        "void pushing_law(const double *, const double *, const double *, double *);"
    )
    builder.set_source("pushing_wrench", SOURCE)
    folder = str(tmp_path_factory.mktemp("pushing"))
    builder.compile(tmpdir=folder)
    sys.path.insert(0, folder)
    try:
        return __import__("pushing_wrench")
    finally:
        sys.path.remove(folder)


@functools.cache
def top() -> Any:
    builder = MechanismBuilder("top")
    builder.body("rotor", mass=1, center=(0, 0, "0.1"), inertia=("0.05", "0.05", "0.02"))
    builder.spherical("tip", "base", "rotor")
    builder.frame("rim", "rotor", position=("0.1", 0, "0.2"))
    energies = ["kinetic_energy", "potential_energy"]
    kernels = ["forward_dynamics", "coordinate_rates", "frame_jacobian_rim", *energies]
    return kanegen.load(builder.build(), kernels=kernels)


def simulated(name: str) -> tuple[Any, str, Any, Any]:
    """A mechanism, a frame of it, and where it begins."""
    if name == "top":
        return top(), "rim", [0.1, 0.2, 0.3, 0.9], [1.0, -0.5, 2.0]
    arm = kanegen.load(name).with_open_loops(
        "ignore"
    )  # stages of steps are off the constraints, by errors of the step
    q = arm.assemble(arm.home) if name == "four_bar" else [0.1, 1.2, 0.3, 0.2, -0.3, 0.2]
    return arm, "coupler_tip" if name == "four_bar" else "F", q, np.full(arm.nv, 0.2)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((name, {"rtol": 1e-11}) for name in ("stanford_arm", "four_bar", "top")),
        *((name, {"method": "rk4", "step": 1e-3}) for name in ("stanford_arm", "four_bar", "top")),
        ("stanford_arm", {"method": "rodas4", "rtol": 1e-8}),  # for trees without quaternions
    ],
)
def test_they_act_as_the_forces_of_their_jacobian_and_their_work_is_counted(name, settings, monkeypatch):
    arm, frame, *start = simulated(name)

    def drive(t: float, q: Any, v: Any) -> Any:
        return 0.05 * np.sin(3.0 * t + np.arange(v.shape[-1]))

    def both(t: float, q: Any, v: Any) -> Any:
        return drive(t, q, v) + arm.frame_jacobian(q, frame).T @ pushing(t, q, v)

    def run(controller: Any, **more: Any) -> Any:
        return kanegen.simulate(arm, *start, DURATION, controller, times=TIMES, **settings, **more)

    motion, expected = run(drive, wrenches={frame: pushing}), run(both)
    # The same equations: rounding makes the steps differ, which err by less than 1e-9 each of rates of some 10 / s,
    # which the motions amplify tenfold within half a second.
    assert np.abs(motion.q - expected.q).max() < 1e-7
    assert np.abs(motion.tau - drive(TIMES[:, None], None, motion.v)).max() < 1e-15
    assert motion.work.shape == (TIMES.size, arm.nv + 1)
    assert [name for name, _ in motion.columns()].count(f"work.wrench.{frame}") == 1
    assert np.abs(motion.work.sum(axis=1) - expected.work.sum(axis=1)).max() < 1e-7
    balance = motion.energy - motion.work.sum(axis=1)
    assert np.abs(balance - balance[0]).max() < 1e-6
    assert np.abs(motion.work[:, -1]).max() > 1e-3  # there is something to find
    if settings.get("method") != "rodas4":
        monkeypatch.setitem(sys.modules, "kanegen._integrators", None)
        with pytest.warns(RuntimeWarning, match="NumPy"):
            again = run(drive, wrenches={frame: pushing})
        assert np.abs(again.q - motion.q).max() < 1e-9
        assert np.abs(again.work - motion.work).max() < 1e-9


@pytest.mark.parametrize("interpreted", [False, True])
def test_every_form_gives_the_same_motion(in_c, interpreted):
    arm = kanegen.load("four_bar", interpreted=True) if interpreted else kanegen.load("four_bar")
    start = arm.assemble(arm.home), [0.2], 0.1 if interpreted else DURATION
    pointers = [in_c.ffi.addressof(in_c.lib, name) for name in ("pushing", "pushing_law")]
    six = [0.1, 0.2, 0.3, 0.1, 0.2, 0.3]
    groups = [
        [pushing, *pointers],
        [six, (KNOTS, np.tile(six, (6, 1))), lambda t, q, v: six],
        [(*TABLE, "linear"), linear],
        [
            ["2*t", 0, sympy.Symbol("q1") ** 2, "-v.q1", 0, 0],
            lambda t, q, v: [2 * t, 0, q[0] ** 2, -v[0], 0, 0],
        ],
    ]
    for group in groups:
        wrenches = [{"coupler_tip": form} for form in group]
        motions = [
            kanegen.simulate(arm, *start, breaks=np.minimum(KNOTS, start[2]), wrenches=w) for w in wrenches
        ]
        for motion in motions[1:]:  # the same forces but for rounding, over some hundred steps
            assert np.abs(motion.q - motions[0].q).max() < 1e-11
    free = kanegen.simulate(arm, *start)
    assert np.abs(free.q - motions[0].q).max() > 1e-4


def test_they_act_between_the_instants_of_a_sampled_controller_and_beside_each_other():
    arm, frame, *start = simulated("stanford_arm")
    settings = {"sample_period": 0.1, "times": TIMES, "rtol": 1e-11}
    twice = kanegen.simulate(
        arm,
        *start,
        DURATION,
        lambda t, q, v: np.full(6, 0.1 * t),
        wrenches={frame: pushing, "D": TABLE},
        **settings,
    )
    held = np.floor(TIMES / 0.1 + 1e-9) * 0.1
    assert np.abs(twice.tau - 0.1 * held[:, None]).max() < 1e-15
    balance = twice.energy - twice.work.sum(axis=1)
    assert np.abs(balance - balance[0]).max() < 1e-7  # as without wrenches: see test_work
    assert (np.abs(twice.work[:, -2:]).max(axis=0) > 1e-3).all()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"F": [1.0, 2.0]}, "six numbers"),
        ({"F": "gravity"}, "six numbers"),
        ({"F": ["q.q9", 0, 0, 0, 0, 0]}, "there is no q.q9"),
        ({"F": (KNOTS, ROWS[:, :3])}, "six columns"),
        ({"F": lambda t, q, v: [0.0]}, "wrenches, 'F'"),
        ([1.0], "frame: wrench"),
    ],
)
def test_what_is_no_wrench_is_refused(given, named):
    arm, _, *start = simulated("stanford_arm")
    with pytest.raises(ValueError, match=named):
        kanegen.simulate(arm, *start, 0.1, wrenches=given)
    with pytest.raises(MissingKernelError, match="no frame 'hand'"):
        kanegen.simulate(arm, *start, 0.1, wrenches={"hand": ROWS[0]})
