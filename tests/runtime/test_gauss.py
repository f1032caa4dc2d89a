"""Gauss' method, which keeps the balance of energy and works: over long motions, under forces, on trees, loops and balls."""

from __future__ import annotations

import functools
import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import constrained_robots as made
import numpy as np
import pytest
from references import Run
from test_constrained_simulation import swing
from test_wrenches import top

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.simulation import Status, simulate

EPSILON = float(np.finfo(float).eps)

STEP = 1e-3


@functools.cache
def locked_arm() -> Any:
    """The Stanford Arm with its translation locked: released, it swings, tumbles and stays in reach."""
    kernels = ["forward_dynamics", "kinetic_energy", "potential_energy"]
    return kanegen.load("stanford_arm", lock={"q6": 0.2}, kernels=kernels)


def rounding(motion: Any) -> float:
    """What the energy of a state may be off: each state is given its energy anew, and nothing adds up.

    Kinetic and potential energy and the factor of the rates are sums and products of some hundred terms, each below the
    largest energy [J] and rounded once.
    """
    arm = motion.arm
    largest = (
        np.abs(arm.kinetic_energy(motion.q, motion.v)).max() + np.abs(arm.potential_energy(motion.q)).max()
    )
    return 100 * EPSILON * float(largest + np.abs(motion.work).max(initial=0.0))


def test_energy_has_no_trend_where_that_of_runge_and_kutta_drifts():
    arm, start = locked_arm(), ([0.1, 1.2, 0.3, 0.2, -0.3], np.zeros(5))
    settings = {"step": STEP, "times": np.linspace(0.0, 40.0, 401)}
    kept, drifting = (simulate(arm, *start, 40.0, method=method, **settings) for method in ("gauss4", "rk4"))
    error, other = (np.abs(motion.energy - motion.energy[0]) for motion in (kept, drifting))
    assert kept.statistics.accepted == 40_000
    bound = rounding(kept)
    assert error.max() < bound < 1e-11
    slope = np.polyfit(kept.t, kept.energy, 1)[0]
    assert abs(slope) * 40.0 < bound
    assert other[300:].mean() > 3 * other[:100].mean() > 1e6 * bound
    assert np.abs(kept.v).max() > 20.0  # it tumbles


def drive(t: float, q: Any, v: Any) -> Any:
    return 0.05 * np.sin(3.0 * t + np.arange(v.size))


FORCES: list[dict[str, Any]] = [
    {},
    {"controller": drive},
    {"controller": drive, "sample_period": 0.01},
    {"controller": "feedback_law"},
    {"controller": drive, "breaks": [0.1234], "wrench": lambda t, q, v: 0.1 * np.arange(6) - 0.05 * v[0]},
]


@pytest.mark.parametrize(
    ("model", "forces"),
    [
        (model, forces)
        for model in ("stanford_arm", "four_bar", "top")
        for forces in FORCES
        if model == "stanford_arm" or forces.get("controller") != "feedback_law"
    ],
)
def test_energy_less_works_is_kept_on_trees_loops_and_balls(model, forces, monkeypatch):
    arm = top() if model == "top" else kanegen.load(model)
    start = {
        "stanford_arm": ([0.1, 1.2, 0.3, 0.2, -0.3, 0.2], np.zeros(6)),
        "four_bar": (arm.assemble(arm.home), [0.5]),
        "top": ([0.1, 0.2, 0.3, 0.9], [1.0, -0.5, 2.0]),
    }[model]
    frame = {"stanford_arm": "F", "four_bar": "coupler_tip", "top": "rim"}[model]
    given = {name: value for name, value in forces.items() if name != "wrench"}
    if "wrench" in forces:
        given["wrenches"] = {frame: forces["wrench"]}

    def run() -> Any:
        return simulate(arm, *start, 0.3, method="gauss4", step=STEP, every=1, **given)

    motion = run()
    balance = motion.energy - motion.work.sum(axis=1)
    assert np.abs(balance - balance[0]).max() < rounding(motion)
    assert motion.work.any() == ("controller" in forces)
    exact = simulate(arm, *start, 0.3, rtol=1e-11, times=motion.t, **given)
    # Steps of (1e-3 s times 10 / s)^5 / 4320 each, of rates of some 10 / s, which the motions amplify tenfold.
    assert np.abs(motion.q - exact.q).max() < 1e-7
    monkeypatch.setitem(sys.modules, "kanegen._integrators", None)
    with pytest.warns(RuntimeWarning, match="NumPy"):
        in_numpy = run()
    assert np.abs(in_numpy.q - motion.q).max() < 1e-11  # but for rounding the same steps
    assert abs(in_numpy.statistics.evaluations - motion.statistics.evaluations) < 50


def test_dead_centres_of_the_speeds():
    # Four times in each period of 2.2 s the energies have no value, or a large error.
    arm = made.robot(made.pendulum())
    q0 = arm.assemble(0.5 * np.array([np.sin(2.5), -np.cos(2.5)]))
    motion = simulate(arm, q0, [0.0], 5.0, method="gauss4", step=STEP, times=np.linspace(0.0, 5.0, 101))
    # Steps of (5 / s times 1e-3 s)^5 / 4320 each, of rates up to 6 / s; errors grow by less than 50 in two periods.
    assert np.abs(motion.q - swing(motion.t, 2.5)[0]).max() < 50 * 5000 * 6 * 5e-3**5 / 4320
    assert np.abs(motion.energy - motion.energy[0]).max() < rounding(motion)


def test_turning_points_and_impacts(arms: SimpleNamespace):
    # At a turning point nothing moves that could be given energy; what is missing there are the errors of few steps,
    # (omega h)^5 / 4320 of the energies of up to 20 J each, omega = 3.1 / s.
    swinging = simulate(
        arms.pendulum, [2.0], [0.0], 20.0, method="gauss4", step=0.02, times=np.arange(1001) * 0.02
    )
    allowed = 10 * (3.2 * 0.02) ** 5 / 4320 * 20
    assert np.abs(swinging.energy - swinging.energy[0]).max() < allowed
    rebound = kanegen.Event("q.q0", direction=1, action=lambda t, q, v: (q, -0.5 * v))
    hit = simulate(
        arms.pendulum,
        [-1.0],
        [0.0],
        3.0,
        method="gauss4",
        step=0.01,
        events=[rebound],
        times=np.arange(301) * 0.01,
    )
    (t, _, _, v), *_ = hit.events
    after = hit.t > t
    lost = 0.375 * v[0] ** 2  # 1 kg m^2
    assert np.abs(hit.energy[~after] - hit.energy[0]).max() < 1e-6
    assert np.abs(hit.energy[after][:50] - hit.energy[0] + lost).max() < 1e-6


def test_steps_that_are_too_long_are_told(arms: SimpleNamespace, in_numpy: bool):
    arm = replace(arms.pendulum, interpreted=in_numpy)
    with pytest.warns(RuntimeWarning, match="shorter steps, or 'rodas4' for stiff motions"):
        motion = simulate(arm, [2.0], [0.0], 10.0, method="gauss4", step=5.0)
    assert motion.statistics.status is Status.NOT_SOLVED


def test_loops_are_not_told_of_a_method_for_trees():
    """The five-bar with steps ten times too long."""
    arm = kanegen.load("five_bar", interpreted=True)
    with pytest.warns(RuntimeWarning, match="shorter steps; at a singular configuration") as told:
        motion = simulate(arm, arm.assemble(), [9.0, -9.0], 10.0, method="gauss4", step=0.3)
    assert motion.statistics.status is Status.NOT_SOLVED
    assert "rodas4" not in str(told[0].message)


@pytest.mark.parametrize("loss", ["damping", "friction", "damper", "prescribed"])
def test_a_mechanism_that_loses_energy_is_refused(loss):
    builder = MechanismBuilder("pendulum")
    builder.body("rod", mass=1, center=(0, 0, "-0.5"), inertia=("0.08", "0.08", 0))
    joint = {loss: "0.1"} if loss in ("damping", "friction") else {}
    carrier = "base"
    if loss == "prescribed":
        carrier = "wheel"
        builder.body("wheel", mass=1, inertia=("0.1", "0.1", "0.1"))
        builder.revolute("turn", "base", "wheel", axis=(0, 0, 1))
        builder.prescribe("turn", 2)
    builder.revolute("phi", carrier, "rod", axis=(0, 1, 0), **joint)
    if loss == "damper":
        builder.torsional_spring("spring", "phi", stiffness=1, damping="0.1")
    arm = kanegen.load(builder.build(), interpreted=True, friction=True)
    assert not arm.lossless
    with pytest.raises(ValueError, match="loses or gains energy"):
        simulate(arm, arm.home, np.zeros(arm.nv), 1.0, method="gauss4", step=0.01)


def test_the_c_function_needs_the_energies(integrators: ModuleType, arms: SimpleNamespace):
    functions = {"forward_dynamics": ("dynamics", arms.pendulum.kernel_address("forward_dynamics"))}
    run = Run(integrators, [2.0], [0.0], functions)
    assert run("gauss4") == "KANEGEN_INVALID"
    addresses = {name: arms.pendulum.kernel_address(name) for name in ("kinetic_energy", "potential_energy")}
    kinds = {"kinetic_energy": "kanegen_kinetic *", "potential_energy": "kanegen_potential *"}
    energies = {name: run.ffi.cast(kinds[name], address) for name, address in addresses.items()}
    run.system.energies = kept = run.ffi.new("kanegen_energies *", energies)
    run.workspace = run.ffi.new("double[]", len(run.workspace))
    run.workspace[len(run.workspace) - 1] = 123.0
    assert kept is not None
    assert run("gauss4") == "KANEGEN_DONE"
    assert abs(0.5 * run.v[0] ** 2 - 9.81 * np.cos(run.q[0]) + 9.81 * np.cos(2.0)) < 1e-13
