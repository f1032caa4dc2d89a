"""Time in the contract: motions and equations that contain it, against formulas, one another, and numbers."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import quantity
from kanegen.codegen.passes.verify import arguments_of
from kanegen.errors import InconsistentStateError
from kanegen.options import Options
from tests.constrained import time_models as models
from tests.quickly import FewPasses

Array = NDArray[np.float64]
AT_FRAMES = {
    "strut": ("operational_bias_hand_rows_x_z", "hand_power_hand_rows_x_z"),
    "rotating_wire": ("operational_bias_bead_rows_x", "operational_gravity_bead_rows_x"),
}
SLOW = ("floating_arm",)
"""Whose further kernels take half a minute."""
OPTIMIZED = ("rotating_wire", "shaken_disc", "strut")
"""Whose programs go through all passes."""

MORE = (
    "inverse_dynamics_derivatives",
    "coriolis_matrix",
    "inverse_mass_matrix",
    "momentum",
    "coordinate_rates",
)
OF_POWER = {"inverse_dynamics", "mass_matrix", "kinetic_energy", "potential_energy", "coordinate_rates"} | {
    f"constraint_{what}" for what in ("forces", "jacobian", "residual")
}


@cache
def sources(name: str) -> KernelSources:
    return KernelSources(models.ALL[name](), Options(search=1))


def states(name: str, kernel: str = "inverse_dynamics") -> dict[str, Array]:
    """The states of the certificate for a kernel."""
    q = sources(name).configurations
    assert q is not None
    return arguments_of(sources(name).plain(kernel), len(q), states_given={"q": q})


def given(name: str, kernel: str, **arguments: Array) -> Array:
    return next(iter(evaluate(sources(name).plain(kernel), arguments).values()))


@pytest.mark.parametrize("name", models.ALL)
def test_kernels_pass_the_certificate(name: str, few_passes: FewPasses) -> None:
    """Newton's and Euler's equations on the records, with motions and equations differentiated in numbers."""
    every = sources(name)
    kernels = tuple(every.builds)
    if name not in SLOW:
        kernels += tuple(
            k for k in every.builds_on_demand if k in MORE or k.startswith("frame_jacobian_rate")
        )
    kernels += AT_FRAMES.get(name, ())
    with few_passes.suspended() if name in OPTIMIZED else nullcontext():
        found = pipeline.interpret(models.ALL[name](), Options(kernels=kernels))
    assert found.manifest.depends_on_time
    for kernel, spec in found.manifest.kernels.items():
        assert spec.inputs[0].name == "t", kernel


def test_pendulum_with_a_shaken_pivot_is_lagranges() -> None:
    """d/dt dL/dq' - dL/dq = tau, written by SymPy, for arbitrary parameters."""
    t, th, om, al = sympy.symbols("t th om al")
    A, w, m, length, g, inertia, damping = 0.2, 3.0, 2.0, 0.5, 9.81, 0.04, 0.1
    q = sympy.Function("q")(t)
    x = A * sympy.sin(w * t) - length * sympy.sin(q)
    z = -length * sympy.cos(q)
    energy = m * (x.diff(t) ** 2 + z.diff(t) ** 2) / 2 + inertia * q.diff(t) ** 2 / 2
    L = energy + sympy.Rational(1, 2) * (A * w * sympy.cos(w * t)) ** 2 - m * g * z
    forces = L.diff(q.diff(t)).diff(t) - L.diff(q) + damping * q.diff(t)
    plain = {q.diff(t, 2): al, q.diff(t): om, q: th}
    tau = sympy.lambdify((t, th, om, al), forces.subs(plain))
    kinetic = sympy.lambdify((t, th, om), (L + m * g * z).subs(plain))
    at = states("driven_pivot")
    numbers = (at["t"], at["q"][:, 0], at["v"][:, 0])
    program = sources("driven_pivot").plain("inverse_dynamics")
    found = evaluate(program, at)["tau"][:, 0]
    assert np.abs(found - tau(*numbers, at["a"][:, 0])).max() < 1e-12 * np.abs(found).max()
    T = given("driven_pivot", "kinetic_energy", t=at["t"], q=at["q"], v=at["v"])
    assert np.abs(T - kinetic(*numbers)).max() < 1e-12 * np.abs(T).max()


def test_bead_on_a_turning_wire() -> None:
    """s'' = s turn'^2 + force / m; the torque of the drive is d/dt ((I + m s^2) turn')."""
    at = states("rotating_wire")
    t, s, v, f = at["t"], at["q"][:, 0], at["v"][:, 0], at["v"][:, 0] * 0.7
    rate, change = 2 + 0.6 * np.cos(3 * t), -1.8 * np.sin(3 * t)
    a = given("rotating_wire", "forward_dynamics", t=t, q=at["q"], v=at["v"], tau=f[:, None])[:, 0]
    expected = s * rate**2 + f / 0.3
    assert np.abs(a - expected).max() < 1e-13 * np.abs(expected).max()
    torque = given("rotating_wire", "constraint_forces", t=t, q=at["q"], v=at["v"], a=a[:, None])[:, -1]
    expected = (0.1 + 0.3 * s**2) * change + 2 * 0.3 * s * v * rate
    assert np.abs(torque - expected).max() < 1e-13 * np.abs(expected).max()


def test_a_parallelogram_with_a_crank_too_many_is_shaken() -> None:
    """M q'' - S cos q x'' - S g sin q, the beam's mass at the end of its crank: S = 3 m l + m L."""
    robot = kanegen.load(models.shaken_parallelogram(), interpreted=True, kernels=["inverse_dynamics"])
    t, angles, v, a = 0.4, np.array([-0.4, 0.1, 0.7]), 0.8, 1.5
    S, g = 3 * 0.5 * 0.2 + 0.5, 9.81
    M = 3 * (0.01 + 0.5 * 0.2**2) + 0.5**2
    expected = M * a - S * (np.cos(angles) * -1.8 * np.sin(3 * t) + g * np.sin(angles))
    q = np.stack([angles, -angles, angles, angles], axis=1)  # crank, beam, and the other two
    assert robot.coordinate_names == ("q0", "tilt", "q1", "q2")
    tau = robot.inverse_dynamics(q, np.full((3, 1), v), np.full((3, 1), a), t=t)[:, 0]
    assert np.abs(tau - expected).max() < 1e-13 * np.abs(expected).max()


def test_a_link_is_driven_as_joint_by_an_equation_or_by_its_rate() -> None:
    """Three descriptions of one motion: the same accelerations, and the force of the drive is a multiplier."""
    at = states("five_bar_joint", "forward_dynamics")
    t, q, v, tau = (at[x] for x in ("t", "q", "v", "tau"))
    angle = 2.1 + np.sin(2 * t) / 4
    whole = np.hstack([angle[:, None], q])
    found: dict[str, Array] = {}
    forces: dict[str, Array] = {}
    for how, configuration in (("joint", q), ("equation", whole), ("rate", whole)):
        name = f"five_bar_{how}"
        found[how] = given(name, "forward_dynamics", t=t, q=configuration, v=v, tau=tau)
        loads = given(name, "constraint_forces", t=t, q=configuration, v=v, a=found[how])
        forces[how] = loads[:, -1]
    for how in ("equation", "rate"):
        assert np.abs(found[how] - found["joint"]).max() < 1e-11 * np.abs(found["joint"]).max()
        assert np.abs(forces[how] - forces["joint"]).max() < 1e-10 * np.abs(forces["joint"]).max()


def explicit(name: str, t: Array) -> list[tuple[str, Array]]:
    """Equations, and how they change with time alone."""
    return {
        "five_bar_equation": [("drive", -np.cos(2 * t) / 2)],
        "five_bar_rate": [("drive", -np.cos(2 * t) / 2)],
        "floating_arm": [("gear", np.full(t.shape, -0.1))],
    }.get(name, [])


def driven(name: str, t: Array) -> list[tuple[str, Array]]:
    """Joints that move as functions of time, and their rates."""
    return {
        "rotating_wire": [("turn", 2 + 0.6 * np.cos(3 * t))],
        "five_bar_joint": [("q1", np.cos(2 * t) / 2)],
        "floating_arm": [("spin", 2 * t / 3 - np.exp(-t))],
        "shaken_disc": [("shake", np.cos(2 * t) / 5), ("turn", 0.5 - np.sin(t) / 3)],
        "strut": [("x", np.cos(t) / 4)],
        "combined": [("bed", 0.6 * np.cos(3 * t))],
        "shaken_parallelogram": [("rail", 0.6 * np.cos(3 * t))],
    }.get(name, [])


@pytest.mark.parametrize("name", [n for n in models.ALL if n not in ("driven_pivot", "ball_linkage")])
def test_energy_changes_by_the_power_of_what_drives(name: str) -> None:
    """d(T + U)/dt = tau . v + drives' forces times their rates - multipliers times what time does to their equations.

    Of a speed that contains time, what is moved is the rest.

    Energies [of some 10 J] are differentiated along the motion by central differences over 1e-5 s: these err by the square
    of the step, 1e-10, times third derivatives, which are below 1e3 here, and by rounding, 1e-15 over the step.
    """
    robot = robot_of(name)
    rows = robot.constraints.forces
    rng = np.random.default_rng(5)
    for t in (0.0, 0.4, 1.3):
        q = robot.assemble(t=t)
        v, a = rng.uniform(-1, 1, (2, robot.nv))
        tau = robot.inverse_dynamics(q, v, a, t=t)
        rates = robot.coordinate_rates(q, v, t=t)
        h = 1e-5
        energies = []
        for step in (-h, h):
            at = robot.assemble(q + step * rates, t=t + step)
            energies.append(
                robot.kinetic_energy(at, v + step * a, t=t + step) + robot.potential_energy(at, t=t + step)
            )
        loads = dict(zip(rows, robot.constraint_forces(q, v, a, t=t), strict=True))
        at_t = np.array(t)
        moved = v - np.array([-np.cos(t) * (2 + np.sin(q[1])), 0.0]) if name == "combined" else v
        power = tau @ moved + sum(loads[joint] * float(rate) for joint, rate in driven(name, at_t))
        power -= sum(loads[row] * float(change) for row, change in explicit(name, at_t))
        change = (energies[1] - energies[0]) / (2 * h)
        assert abs(change - power) < 1e-7 * (1 + abs(change))


@cache
def robot_of(name: str) -> Any:
    """A robot that NumPy evaluates, so that nothing is compiled."""
    kernels = [kernel for kernel in sources(name).builds if kernel in OF_POWER]
    return kanegen.load(models.ALL[name](), interpreted=True, kernels=kernels).with_open_loops("error")


def test_calls_take_time() -> None:
    """Compiled and interpreted robots alike: 0 by default, with batches, and in bound kernels."""
    compiled, interpreted = kanegen.load(models.five_bar("joint")), robot_of("five_bar_joint")
    t = np.linspace(0.0, 1.0, 5)
    q = np.array([compiled.assemble(t=x) for x in t])
    for row, x in zip(q, t, strict=True):
        assert np.abs(compiled.constraint_residual(row, t=x)).max() < 1e-14
    v, a = np.ones((5, 1)), np.full((5, 1), 0.3)
    tau = compiled.inverse_dynamics(q, v, a, t=t)
    assert np.allclose(tau, interpreted.inverse_dynamics(q, v, a, t=t), rtol=1e-13, atol=0)
    assert np.array_equal(compiled.inverse_dynamics(q[0], v[0], a[0]), tau[0])
    assert np.array_equal(compiled.call("inverse_dynamics", t[3], q[3], v[3], a[3]), tau[3])
    assert compiled.frame_pose(q, "a", t=t)[:, 0, 0] == pytest.approx(
        np.cos(2.1 + np.sin(2 * t) / 4), abs=1e-15
    )
    step = compiled.bind("inverse_dynamics")
    step.t[...], step.q[:], step.v[:], step.a[:] = t[3], q[3], v[3], a[3]
    step()
    assert np.array_equal(step.tau, tau[3])
    with pytest.raises(InconsistentStateError, match="open"):
        interpreted.mass_matrix(q[3])
    with pytest.raises(TypeError, match="no t"):
        kanegen.load("four_bar").assemble(t=1.0)


def test_parameters_in_motions_stay_live(tmp_path: Any) -> None:
    arm = kanegen.load(models.driven_pivot(live=True), live="all declared", kernels=["inverse_dynamics"])
    assert set(arm.parameters) == {"A", "w", "m"}
    other = arm.with_parameters({"A": 0.05, "w": 7.0})
    at = (np.array([0.3]), np.array([0.0]), np.array([0.0]))
    for robot, A, w in ((arm, 0.2, 3.0), (other, 0.05, 7.0)):
        expected = 2 * 9.81 * 0.5 * np.sin(0.3) + 2 * 0.5 * np.cos(0.3) * A * w**2 * np.sin(w * 0.8)
        assert robot.inverse_dynamics(*at, t=0.8)[0] == pytest.approx(expected, rel=1e-13)
    moved = arm.at(0.8).with_parameters({"A": 0.05, "w": 7.0})
    assert moved.inverse_dynamics(*at) == other.inverse_dynamics(*at, t=0.8)


@pytest.mark.parametrize(
    "formulation", ["kane", "dual_vectors", "influence_coefficients", "euler_parameters"]
)
def test_formulations_agree(formulation: str) -> None:
    for name in ("shaken_disc", "five_bar_joint"):
        other = KernelSources(models.ALL[name](), Options(search=1, formulation=formulation))
        at = states(name)
        found = evaluate(other.plain("inverse_dynamics"), at)["tau"]
        expected = evaluate(sources(name).plain("inverse_dynamics"), at)["tau"]
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


def test_what_springs_do_at_rest_is_refused() -> None:
    with pytest.raises(kanegen.ModelError, match="mechanism at rest"):
        pipeline.interpret(models.strut(), Options(kernels=("hand_stiffness_hand_rows_x_z",)))


def test_laws_see_the_time_of_their_mechanism() -> None:
    """Gravity compensation at time t, closed in one kernel."""
    b = kanegen.MechanismBuilder.from_mechanism(models.driven_pivot())
    b.law("hold", [quantity("bias_forces")[0]])
    arm = kanegen.load(b.build(), interpreted=True, kernels=["bias_forces", "hold", "closed_loop_hold"])
    q, v, t = np.array([0.4]), np.array([-0.7]), 0.9
    assert arm.call("hold", t, q, v) == pytest.approx(arm.bias_forces(q, v, t=t), rel=1e-14)
    assert arm.call("closed_loop_hold", t, q, v) == pytest.approx([0.0], abs=1e-14)
