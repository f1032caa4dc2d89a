"""Laws with states of their own, signals and quantities of the mechanism: kernels, and simulation with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder, ModelError, quantity, reference, state
from kanegen.codegen.pipeline import Options
from tests.cases.test_laws_everywhere import KINDS, kernels_of_motion

pytestmark = pytest.mark.few_passes

TIMES, VALUES = np.array([0.0, 0.1, 0.25, 0.4]), np.array([0.0, 0.3, -0.2, 0.1])
SPLINE = CubicSpline(TIMES, VALUES)


def with_states(make: Any) -> Mechanism:
    """A law on all speeds with two states, a limit, a signal with both derivatives, and a parameter."""
    plain, builder = make().build(), make()
    gain = sympy.Symbol("gain")
    builder.parameter("gain", "1.5", "N m/rad")
    v = sympy.symbols(f"speed1:{plain.dof + 1}")
    q = [sympy.Symbol(name) for name in plain.coordinates]
    lag, total = sympy.symbols("lag total")
    error = reference("s") - sympy.sin(sum(q))
    forces = [
        gain * error / (k + 2) + lag / 3 - sympy.tanh(u) / 2 + reference("s", 1) / 9 + reference("s", 2) / 99
        for k, u in enumerate(v)
    ]
    states = [
        state("total", rate=sympy.Max(-1, sympy.Min(1, 2 * error - lag)), initial="0.1"),
        state("lag", rate=4 * (sympy.Abs(v[0]) + total - lag)),
    ]
    builder.law("pi", forces, sympy.Symbol("t"), q, v, states=states)
    return builder.build()


def in_numpy(t: float, q: Any, v: Any, x: Any, r: Any) -> tuple[Any, Any]:
    """The same."""
    del t
    total, lag = x
    error = r[0, 0] - np.sin(np.sum(q))
    tau = 1.5 * error / (np.arange(len(v)) + 2) + lag / 3 - np.tanh(v) / 2 + r[0, 1] / 9 + r[0, 2] / 99
    return tau, np.array([np.clip(2 * error - lag, -1, 1), 4 * (abs(v[0]) + total - lag)])


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_kind_of_mechanism_has_them(make: Any) -> None:
    """tau and xdot are those of NumPy; inverse dynamics of dv/dt of the closed loop gives tau back."""
    arm = kanegen.load(
        with_states(make), interpreted=True, kernels=["pi", "closed_loop_pi", "inverse_dynamics"]
    ).with_open_loops("ignore")
    assert [s.name for s in arm.laws["pi"].states] == ["total", "lag"]
    assert arm.laws["pi"].references == ("s",)
    random = np.random.default_rng(51)
    q, v = arm.home + 0.02 * random.standard_normal(arm.nq), random.standard_normal(arm.nv)
    x, r = random.standard_normal(2), random.standard_normal((1, 3))
    tau, xdot = arm.call("pi", 0.0, q, v, x, r)
    expected = in_numpy(0.0, q, v, x, r)
    # some twenty roundings of terms below 4
    assert_allclose(tau, expected[0], rtol=0, atol=20 * 4 * 2**-53)
    assert_allclose(xdot, expected[1], rtol=0, atol=20 * 16 * 2**-53)
    a, again = arm.call("closed_loop_pi", 0.0, q, v, x, r)
    assert_allclose(again, xdot, rtol=0, atol=20 * 16 * 2**-53)
    # the mass matrices' condition numbers are below 1e3, forces below 1e2: a thousand roundings of these
    assert_allclose(arm.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e3 * 1e2 * 2**-53)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("name", ["chosen_speeds", "four_bar", "ball", "prescribed", "flexible"])
def test_compiled_motions_are_those_of_python_and_scipy(name: str, live: bool) -> None:
    model = with_states(next(make for make in KINDS if make.__name__ == name))
    arm = kanegen.load(model, kernels=kernels_of_motion(model, "pi"), live_parameters=live)
    q0 = arm.assemble() if arm.constraints is not None else arm.home
    settings: dict[str, Any] = {
        "references": {"s": (TIMES, VALUES)},
        "times": [0.0, 0.4],
        "rtol": 1e-10,
        "atol": 1e-12,
    }
    start = q0, np.zeros(arm.nv), 0.4
    motion = kanegen.simulate(arm, *start, controller="pi", **settings)
    other = kanegen.simulate(arm, *start, controller=in_numpy, x0=[0.1, 0.0], **settings)
    assert motion.statistics.compiled
    # errors of integration are some ten times the tolerance each
    assert_allclose(motion.q, other.q, rtol=0, atol=1e-8)
    assert_allclose(motion.x, other.x, rtol=0, atol=1e-8)
    if arm.constraints is None and arm.nq == arm.nv:
        n = arm.nv

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            r = np.array([[SPLINE(t), SPLINE(t, 1), SPLINE(t, 2)]])
            tau, xdot = in_numpy(t, y[:n], y[n : 2 * n], y[2 * n :], r)
            q, v = y[:n], y[n : 2 * n]
            return np.concatenate([arm.coordinate_rates(q, v), arm.forward_dynamics(q, v, tau), xdot])

        y0 = np.concatenate([q0, np.zeros(n), [0.1, 0.0]])
        y = solve_ivp(rate, (0, 0.4), y0, method="DOP853", rtol=1e-11, atol=1e-13, max_step=0.01).y[:, -1]
        # kinks of the signal's third derivative and of the limits inside steps of 0.01 err by some 1e-9
        assert_allclose(motion.q[-1], y[:n], rtol=0, atol=1e-7)
        assert_allclose(motion.x[-1], y[2 * n :], rtol=0, atol=1e-7)


def two_links() -> MechanismBuilder:
    builder = MechanismBuilder("two")
    for name, parent in (("a", "base"), ("b", "link a")):
        builder.body(f"link {name}", mass=1, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
        at = (1, 0, 0) if parent != "base" else (0, 0, 0)
        builder.revolute(name, parent, f"link {name}", axis=(0, 1, 0), position=at)
    return builder


def with_quantities() -> Mechanism:
    builder = two_links()
    a, b = sympy.symbols("a b")
    wanted = [9 * (1 - a) - 6 * sympy.Symbol("da"), 9 * (2 - b) - 6 * sympy.Symbol("db")]
    torques = quantity("inverse_dynamics", a=wanted)
    builder.law("computed", [torques[0], torques[1]])
    pose = quantity("frame_pose_link_b")
    builder.law("weight", [quantity("gravity_forces")[0] + pose[3], quantity("gravity_forces")[1] * pose[11]])
    return builder.build()


@pytest.mark.parametrize("interpreted", [True, False])
def test_quantities_are_kernels_of_the_mechanism(interpreted: bool) -> None:
    kernels = [
        "computed",
        "closed_loop_computed",
        "inverse_dynamics",
        "weight",
        "gravity_forces",
        "frame_pose_link_b",
    ]
    arm = kanegen.load(with_quantities(), interpreted=interpreted, kernels=kernels)
    random = np.random.default_rng(5)
    q, v = random.standard_normal((2, 20, 2))
    wanted = 9 * (np.array([1, 2]) - q) - 6 * v
    # a thousand roundings of forces below 1e3
    close = {"rtol": 0, "atol": 1e3 * 1e3 * 2**-53}
    t = np.zeros(20)
    assert_allclose(arm.call("computed", t, q, v), arm.inverse_dynamics(q, v, wanted), **close)
    assert_allclose(arm.call("closed_loop_computed", t, q, v), wanted, **close)
    g, X = arm.gravity_forces(q), arm.frame_pose(q, "link b")
    expected = np.stack([g[:, 0] + X[:, 0, 3], g[:, 1] * X[:, 2, 3]], axis=1)
    assert_allclose(arm.call("weight", t, q, v), expected, **close)


@pytest.mark.parametrize("live", [False, True])
def test_compiled_laws_of_all_forms_move_as_python_does(live: bool) -> None:
    """With states, with signals, with both and neither: each form of C function under the C integrators."""
    builder = two_links()
    builder.parameter("k", 20, "N m")
    force = -sympy.Symbol("k") * sympy.Symbol("a") - 3 * sympy.Symbol("da")
    lag, more = [state("lag", rate=sympy.Symbol("a") - sympy.Symbol("lag"))], sympy.Symbol("lag")
    builder.law("plain", {"a": force})
    builder.law("stated", {"a": force + 9 * more}, states=lag)
    builder.law("guided", {"a": force + reference("s", 1)})
    builder.law("whole", {"a": force + 9 * more + reference("s", 1)}, states=lag)
    model = builder.build()
    kernels = kernels_of_motion(model, "plain", "stated", "guided", "whole")
    arm = kanegen.load(model, kernels=kernels, live_parameters=live)

    def python(states: int, signals: int) -> Any:
        def controller(t: float, q: Any, v: Any, *given: Any) -> Any:
            x = given[0] if states else np.zeros(1)
            tau = -20 * q[0] - 3 * v[0] + 9 * x[0] * states + (given[-1][0, 1] if signals else 0)
            return ([tau, 0], q[:1] - x) if states else [tau, 0]

        return controller

    for name, states, signals in (("plain", 0, 0), ("stated", 1, 0), ("guided", 0, 1), ("whole", 1, 1)):
        table = {"s": ([0, 0.2, 0.5], [0, 1, 0.5])} if signals else {}
        settings: dict[str, Any] = {"references": table, "times": [0.0, 0.5], "rtol": 1e-10, "atol": 1e-12}
        start = [0.3, 0.1], [0, 0], 0.5
        one = kanegen.simulate(arm, *start, controller=name, **settings)
        other = kanegen.simulate(
            arm, *start, controller=python(states, signals), x0=[0.0] * states, **settings
        )
        # errors of integration are some ten times the tolerance each
        assert_allclose(one.q, other.q, rtol=0, atol=1e-8, err_msg=name)
        assert_allclose(one.x, other.x, rtol=0, atol=1e-8, err_msg=name)
        assert_allclose(one.tau, other.tau, rtol=0, atol=1e-6, err_msg=name)


@pytest.mark.parametrize(
    ("force", "told"),
    [
        (quantity("gravity_force")[0], "Did you mean 'gravity_forces'"),
        (quantity("hold")[0], "the kernel 'hold'"),
        (quantity("gravity_forces")[2], "refers to entry 2 of gravity_forces; expected entries 0 to 1"),
        (quantity("inverse_dynamics")[0], "inverse_dynamics with no inputs"),
        (quantity("inverse_dynamics", a=[1])[0], "as many entries as it takes: a"),
        (quantity("gravity_forces", a=[1, 2])[0], "with a; expected"),
    ],
)
def test_quantities_that_there_are_not(force: Any, told: str) -> None:
    builder = two_links()
    builder.law("hold", {"a": force})
    with pytest.raises(ModelError, match=told):
        kanegen.load(builder.build(), interpreted=True, kernels=["hold"])


def test_what_is_written_describes_states_and_signals(tmp_path: Any) -> None:
    kernels = ("pi", "closed_loop_pi")
    generated = pipeline.generate(with_states(KINDS[0]), tmp_path, Options(kernels=kernels, float32=True))
    assert generated.files
    (path,) = tmp_path.glob("*.h")
    header = " ".join(path.read_text(encoding="ascii").replace("\n *", " ").split())
    inputs = "const double t[1], const double q[3], const double v[1], const double x[2], const double r[3]"
    for text in (
        f"{path.stem}_pi({inputs}, double tau[1], double xdot[2]);",
        f"{path.stem}_closed_loop_pi({inputs}, double a[1], double xdot[2]);",
        "states of the law: total, lag",
        "signals that the law follows, s",
        f"{path.stem}_pi_f32(",
    ):
        assert text in header
    cuda = pipeline.generate(
        with_states(KINDS[0]), tmp_path / "cuda", Options(kernels=kernels, language="cuda")
    )
    assert any("xdot" in path.read_text(encoding="ascii") for path in cuda.files)
