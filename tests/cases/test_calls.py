"""Calls (cases 30, 34 to 38, 98 and 103): any real arrays of the right shape; what cannot mean what it seems to is told."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_double, c_void_p, cast
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose, assert_array_equal

import kanegen
from tests.refusals import refused, warned

from .machines import pendulum

# The motions are the same, and slower, where the package was not built.
pytestmark = pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning")

Q, V, A = np.random.default_rng(0).uniform(-1, 1, (3, 7, 6))
DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")


@pytest.fixture(scope="module", params=[False, True], ids=["compiled", "interpreted"])
def arm(request) -> kanegen.Robot:
    kernels = ["inverse_dynamics"] if request.param else None  # compiled ones are in the package
    return kanegen.load("stanford_arm", kernels=kernels, interpreted=request.param)


@pytest.fixture(scope="module", params=[False, True], ids=["compiled", "interpreted"])
def rod(request) -> kanegen.Robot:
    """The pendulum: one coordinate, no forces."""
    kernels = ["inverse_dynamics", "forward_dynamics", "mass_matrix", *DERIVATIVES]
    return kanegen.load(pendulum(), kernels=kernels, interpreted=request.param)


LAYOUTS = {
    "strided": lambda x: np.repeat(x, 2, axis=-1)[:, ::2],
    "reversed": lambda x: x[:, ::-1].copy()[:, ::-1],
    "big-endian": lambda x: x.astype(">f8"),
    "read-only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "unaligned": lambda x: np.ndarray(x.shape, "f8", b"-" + x.tobytes(), 1),
    "columns": np.asfortranarray,
    "list": np.ndarray.tolist,
    "tuple": lambda x: tuple(x.tolist()),
    "broadcast": lambda x: np.broadcast_to(x, x.shape),
    "buffer": memoryview,
    "long double": lambda x: x.astype(np.longdouble),
    "masked nowhere": np.ma.MaskedArray,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(arm, layout):
    """Case 34: one state and a batch."""
    expected = arm.inverse_dynamics(Q, V, A)
    q, v, a = map(LAYOUTS[layout], (Q, V, A))
    assert_array_equal(arm.inverse_dynamics(q, v, a), expected)
    one = [memoryview(np.array(x)[3]) if layout == "buffer" else x[3] for x in (q, v, a)]
    assert_array_equal(arm.inverse_dynamics(*one), expected[3])


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i1", "u2", ">i4"])
def test_types(arm, dtype):
    """Case 34: the value of each element is kept."""
    q = (Q * 3).astype(dtype)
    assert_array_equal(arm.inverse_dynamics(q, V, A), arm.inverse_dynamics(q.astype("f8"), V, A))


def test_shapes(arm):
    """Cases 35 and 36."""
    expected = arm.inverse_dynamics(Q, V, A)
    assert arm.inverse_dynamics(Q[:0], V[:0], A[:0]).shape == (0, 6)
    assert arm.inverse_dynamics(np.zeros((3, 0, 6)), V[0], A[0]).shape == (3, 0, 6)
    assert_array_equal(arm.inverse_dynamics(Q[:, None], V[:, None], A[:, None])[:, 0], expected)
    for shape in ((5,), (7,), (), (0,), (2, 5), (6, 0), (6, 1)):
        for place, name in enumerate("qva"):
            states = [Q[0], V[0], A[0]]
            states[place] = np.zeros(shape)
            words = (f"inverse_dynamics, {name}:", "(..., 6)", f"got {shape}")
            refused(partial(arm.inverse_dynamics, *states), *words, kind=ValueError)
    refused(lambda: arm.inverse_dynamics(Q, V[:3], A), "q (7, 6), v (3, 6), a (7, 6)", kind=ValueError)
    for count in (1, 2, 4):
        call = partial(arm.call, "inverse_dynamics", *[Q] * count)
        refused(call, "3 arguments (q, v, a)", f"got {count}", kind=TypeError)


@pytest.mark.parametrize(
    ("out", "kind", "word"),
    [
        (np.zeros((7, 6), "f4"), TypeError, "got <f4"),
        (np.zeros((7, 6), ">f8"), TypeError, "got >f8"),
        (np.zeros((6, 7)), ValueError, "got (6, 7)"),
        (np.zeros((7, 6), order="F"), ValueError, "C-contiguous"),
        (np.broadcast_to(0.0, (7, 6)), ValueError, "writable"),
        ([[0.0] * 6] * 7, TypeError, "got list"),
        (np.ma.zeros((7, 6)), TypeError, "masked"),
    ],
)
def test_unfit_out(arm, out, kind, word):
    """Cases 37 and 103."""
    refused(lambda: arm.inverse_dynamics(Q, V, A, out=out), "inverse_dynamics, out: ", word, kind=kind)


def test_out_shares_memory_with_inputs(arm):
    """Cases 37 and 103: the input itself, its other end, rows shifted, one row that is broadcast, or several inputs."""
    expected = arm.inverse_dynamics(Q, V, A)
    q = Q.copy()
    assert arm.inverse_dynamics(q, V, A, out=q) is q
    assert_array_equal(q, expected)
    q = Q.copy()
    assert_array_equal(arm.inverse_dynamics(q[::-1], V[::-1], A[::-1], out=q), expected[::-1])
    q = Q.copy()
    assert_array_equal(arm.inverse_dynamics(q[3], V, A, out=q), arm.inverse_dynamics(Q[3], V, A))
    for shift in (6, 21, 42, 45):
        block = np.concatenate([Q.ravel(), V.ravel(), A.ravel()])
        over = block[shift : shift + 42].reshape(7, 6)
        assert_array_equal(arm.inverse_dynamics(*block.reshape(3, 7, 6), out=over), expected)


@pytest.mark.parametrize("kernel", DERIVATIVES)
@pytest.mark.parametrize("batch", [(), (3,)])
def test_outputs_that_share_memory(rod, kernel, batch):
    """Case 103: one array for three results, or arrays that overlap: refused.  Apart, or over the inputs: right."""
    x = np.random.default_rng(103).uniform(-1, 1, (3, *batch, 1))
    shape, size = (*batch, 1, 1), int(np.prod(batch))
    same, block = np.zeros(shape), np.zeros(4 * size)
    overlapping = [block[k : k + size].reshape(shape) for k in (0, size // 2, 3 * size)]
    for wrong in ((same, same, same), (same, np.zeros(shape), same), tuple(overlapping)):
        refused(partial(rod.call, kernel, *x, out=wrong), f"{kernel}, out: ", "share", kind=ValueError)
    assert not same.any() and not block.any()
    apart = tuple(block[k * size : (k + 1) * size].reshape(shape) for k in range(3))
    expected = rod.call(kernel, *x)
    block[: 3 * size] = x.ravel()
    inputs = block[: 3 * size].reshape(x.shape)
    assert_array_equal(rod.call(kernel, *inputs, out=apart), expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_in_its_row(arm, bad):
    """Case 38."""
    expected = arm.inverse_dynamics(Q, V, A)
    for place in range(3):
        states = [Q.copy(), V.copy(), A.copy()]
        states[place][3, 1] = bad
        around = np.full((9, 6), 7.0)
        found = arm.inverse_dynamics(*states, out=around[1:8])
        assert not np.isfinite(found[3]).all()
        assert_array_equal(np.delete(found, 3, axis=0), np.delete(expected, 3, axis=0))
        assert_array_equal(around[[0, 8]], 7.0)


@pytest.mark.parametrize("angle", [1e5, np.nextafter(1e5, 2e5), -1e7, 1e300])
def test_large_angles(arm, angle):
    """Beyond 1e5 rad the C library reduces the angle; there is no step between the two."""
    large, small = Q.copy(), Q.copy()
    large[:, 1] = angle
    small[:, 1] = np.arctan2(np.sin(angle), np.cos(angle))
    expected = arm.inverse_dynamics(small, V, A)
    # The angle between -pi and pi carries its own rounding, 4.4e-16, into forces of a few of the largest.
    assert_allclose(arm.inverse_dynamics(large, V, A), expected, atol=1e-14 * np.abs(expected).max())


def test_eight_threads_give_the_bits_of_one():
    """Case 30: single calls and batches, with the interpreter switching threads as often as it can."""
    arm = kanegen.load("stanford_arm")
    q, v, a = np.random.default_rng(3).uniform(-3, 3, (3, 2000, 6))
    tau, acceleration = arm.inverse_dynamics(q, v, a), arm.forward_dynamics(q, v, a)

    def work(thread: int) -> bool:
        same = True
        for i in range(thread, 400 + thread):
            same &= np.array_equal(arm.inverse_dynamics(q[i], v[i], a[i]), tau[i])
            same &= np.array_equal(arm.forward_dynamics(q[i], v[i], a[i]), acceleration[i])
        return same and np.array_equal(arm.forward_dynamics(q, v, a), acceleration)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)


def test_the_interpreter_lock_is_released():
    """Case 30: while a batch is computed, another thread runs, though the interpreter itself would not switch."""
    arm = kanegen.load("stanford_arm")
    q, v, tau = np.random.default_rng(4).uniform(-1, 1, (3, 100_000, 6))
    out = np.empty_like(q)
    arm.forward_dynamics(q[:1], v[:1], tau[:1])
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    go, ran = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: (go.wait(), ran.set()))
    try:
        thread.start()
        go.set()
        for _ in range(100):  # some 5 s, should this machine be too busy to wake the other thread at once
            arm.forward_dynamics(q, v, tau, out)
            if ran.is_set():
                break
        while_computing = ran.is_set()
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert while_computing


HUGE = 10**400
LONGER = 10 ** (sys.get_int_max_str_digits() + 10)
"""More digits than Python writes: a message must not try."""

NO_STATES: dict[str, Any] = {
    "text": ["0.1"],
    "array of texts": np.array(["0.1"]),
    "complex": [0.1 + 1j],
    "none": [None],
    "bytes": b"a",
    "truth value": [True],
    "array of truth values": np.array([False]),
    "objects": np.array([True], dtype=object),
    "objects of NumPy": np.array([np.True_], dtype=object),
    "masked": np.ma.MaskedArray([0.1], mask=[True]),
    "masked in one row": np.ma.MaskedArray([[0.1], [0.2]], mask=[[True], [False]]),
    "huge": [HUGE],
    "longer": [LONGER],
    "huge objects": np.array([HUGE], dtype=object),
}


@pytest.mark.parametrize("name", NO_STATES)
def test_what_is_no_state(rod, name):
    """Cases 98 and 103: text is not parsed, imaginary parts and masks are not dropped, in calls and simulations alike."""
    wrong, masked = NO_STATES[name], name.startswith("masked")
    for argument in ("q0", "v0", "times", "breaks"):
        given = {"q0": [0.1], "v0": [0.0], "duration": 1.0, argument: wrong}
        error = refused(partial(kanegen.simulate, rod, **given), f"{argument}: ", kind=ValueError)
        assert len(str(error)) < 400
    returning = partial(kanegen.simulate, rod, [0.1], [0.0], 1.0, lambda t, q, v: wrong)
    refused(returning, "controller", kind=ValueError)
    for call in (
        lambda: rod.mass_matrix(wrong),
        lambda: rod.natural_modes(wrong),
        lambda: rod.linearise(wrong),
        lambda: rod.inverse_dynamics(wrong, [0.0], [0.0]),
        lambda: rod.inverse_dynamics([0.0], [0.0], wrong),
        lambda: rod.assemble(wrong),
    ):
        refused(call, "masked" if masked else "real numbers", kind=ValueError if masked else TypeError)


NO_NUMBERS = [HUGE, LONGER, -HUGE, True, np.True_, np.nan, np.inf, 1j, "1", "abc", None, [1.0], np.ones(1)]


@pytest.mark.parametrize(
    "option", ["duration", "rtol", "atol", "step", "sample_period", "drift", "max_step", "t0", "max_steps"]
)
def test_numbers_that_are_none(option):
    """Cases 98 and 103: every numeric option of a simulation, whatever is given for it, is a ValueError with its name."""
    machine = kanegen.load(pendulum(), kernels=["forward_dynamics"], interpreted=True)
    optional = ("step", "sample_period", "drift", "max_step")
    for wrong in NO_NUMBERS:
        if wrong is None and option in optional:
            continue
        given = {"duration": 1.0, "method": "rk4" if option == "step" else "dopri5", option: wrong}
        call = partial(kanegen.simulate, machine, [0.1], [0.0], **given)
        error = refused(call, f"{option} must be", kind=ValueError)
        assert len(str(error)) < 400


def test_parameters_gravity_and_robots_that_are_none():
    """Case 98: wherever else a number or a robot is asked for."""
    arm = kanegen.load(
        pendulum(law=sympy.Symbol("k") * sympy.Symbol("q"), k=1.0),
        kernels=["law"],
        live_parameters=True,
        interpreted=True,
    )
    for wrong in ("abc", None, 1j, np.nan, np.inf, [1.0]):
        refused(partial(arm.with_parameters, {"k": wrong}), "parameter 'k'", kind=ValueError)
    for gravity in ((0, 0, HUGE), (0, 0, 1e70), (True, 0, 0), (np.True_, 0, 0)):
        call = partial(kanegen.load, "stanford_arm", gravity=gravity, kernels=["gravity_forces"])
        refused(call, "gravity", kind=ValueError)
    for model in (7, b"stanford_arm", None):
        refused(partial(kanegen.load, model), "Mechanism", kind=TypeError)
    for robot in (None, "stanford_arm", 3):
        refused(partial(kanegen.simulate, robot, [0.0], [0.0], 1.0), "arm: ", "kanegen.load", kind=TypeError)


@pytest.mark.parametrize("method", ["dopri5", "rodas4"])
def test_a_tolerance_out_of_reach(rod, method):
    """Case 103: nothing is infinite here, the tolerance is out of reach, and that is what is said."""
    settings = {"method": method, "rtol": 1e-300, "atol": 1e-300, "max_steps": 2000}
    motion = warned(
        lambda: kanegen.simulate(rod, [0.1], [0.0], 1.0, **settings), "out of reach", kind=RuntimeWarning
    )
    assert motion.statistics.status.name == "STEP_UNDERFLOW"
    # With an absolute tolerance that can be met a relative one may be as small as it likes.
    motion = kanegen.simulate(rod, [0.1], [0.0], 1.0, method=method, rtol=1e-300, atol=1e-6)
    assert motion.statistics.status.name == "DONE"


class OwnError(Exception):
    """A user's own."""


@pytest.mark.parametrize(
    "error", [OwnError("here"), OverflowError("there"), KeyError("x"), ValueError("mine"), OSError("x")]
)
def test_a_controllers_exceptions_pass_unchanged(rod, error):
    """Case 98: also those of a controller that an installed package brings; the rest is a fault of kanegen."""

    def own(t: float, q: Any, v: Any) -> Any:
        raise error

    for controller in (own, mock.Mock(side_effect=error)):  # whose frames are those of a library
        assert (
            refused(partial(kanegen.simulate, rod, [0.1], [0.0], 1.0, controller), kind=type(error)) is error
        )
    with mock.patch("kanegen.simulation.run.recognize_controller", side_effect=IndexError("seven")):
        call = partial(kanegen.simulate, rod, [0.1], [0.0], 0.1)
        refused(call, "simulating pendulum", kind=kanegen.InternalError)


@pytest.mark.parametrize("number", [1, 5, 4096, 0xFFFF, 0x7FFF_FFFF_F000_0000, 2**63])
def test_integers_that_are_no_address_of_a_function(rod, number):
    """Case 98: calling a small number, or memory without code, would end the process."""
    call = partial(kanegen.simulate, rod, [0.1], [0.0], 1.0, controller=number)
    refused(call, "controller: ", "no address", kind=ValueError)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not tell")
def test_an_address_of_data_is_none_of_a_function(rod):
    """Case 98: memory of this process that holds numbers; the address of a function of the C library is one."""
    numbers = np.zeros(100)
    call = partial(kanegen.simulate, rod, [0.1], [0.0], 1.0, controller=numbers.ctypes.data)
    refused(call, "no address", kind=ValueError)
    law = CFUNCTYPE(None, c_double, c_void_p, c_void_p, c_void_p, c_void_p)(lambda t, q, v, tau, data: None)
    motion = kanegen.simulate(rod, [0.1], [0.0], 1.0, controller=cast(law, c_void_p).value)
    assert_array_equal(motion.q, kanegen.simulate(rod, [0.1], [0.0], 1.0).q)


def test_samples(rod):
    """Cases 44 and 98: a controller is called at its rate; more samples than steps are refused, as many may pass."""
    times: list[float] = []
    kanegen.simulate(rod, [2.0], [0.0], 0.95, lambda t, q, v: (times.append(t), -v)[1], sample_period=0.1)
    assert times == [k * 0.1 for k in range(10)]

    def sampled(period: float, **settings: Any) -> kanegen.Motion:
        return kanegen.simulate(
            rod, [0.1], [0.0], 1.0, lambda t, q, v: [0.0], sample_period=period, **settings
        )

    refused(lambda: sampled(1e-300), "sample_period=1e-300", "max_steps", kind=ValueError)
    assert sampled(0.125, method="rk4", step=0.125, max_steps=8).statistics.accepted == 8


def test_energy_drift_shows_the_order_of_rk4():
    """Case 43: halving the step divides the drift of a passive pendulum by 16 or more (its energy is of order 5)."""
    arm = kanegen.load(pendulum(), kernels=["forward_dynamics", "kinetic_energy", "potential_energy"])
    energies = [
        kanegen.simulate(arm, [2.0], [0.0], 8.0, method="rk4", step=step).energy
        for step in (0.04, 0.02, 0.01)
    ]
    coarse, middle, fine = (abs(energy[-1] - energy[0]) for energy in energies)
    # Between orders 4 and 5; a factor of 1.5 is left for the terms of higher order.
    assert 16 / 1.5 < coarse / middle < 32 * 1.5
    assert 16 / 1.5 < middle / fine < 32 * 1.5
