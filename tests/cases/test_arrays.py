"""Arrays (CASES 30, 34 to 38) through the Stanford Arm, compiled and interpreted."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import kanegen

Q, V, A = np.random.default_rng(0).uniform(-1, 1, (3, 7, 6))


@pytest.fixture(scope="module", params=["compiled", "interpreted"])
def arm(request: pytest.FixtureRequest) -> kanegen.Robot:
    return kanegen.load(
        "stanford_arm", kernels=["inverse_dynamics"], interpreted=request.param == "interpreted"
    )


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
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(arm: kanegen.Robot, layout: str) -> None:
    """Case 34: one state and a batch."""
    expected = arm.inverse_dynamics(Q, V, A)
    q, v, a = map(LAYOUTS[layout], (Q, V, A))
    assert_array_equal(arm.inverse_dynamics(q, v, a), expected)
    one = [memoryview(np.array(x)[3]) if layout == "buffer" else x[3] for x in (q, v, a)]
    assert_array_equal(arm.inverse_dynamics(*one), expected[3])


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i1", "u2", ">i4"])
def test_types(arm: kanegen.Robot, dtype: str) -> None:
    """Case 34: the value of each element is kept."""
    q = (Q * 3).astype(dtype)
    assert_array_equal(arm.inverse_dynamics(q, V, A), arm.inverse_dynamics(q.astype("f8"), V, A))


def test_shapes(arm: kanegen.Robot) -> None:
    """Cases 35 and 36."""
    expected = arm.inverse_dynamics(Q, V, A)
    assert arm.inverse_dynamics(Q[:0], V[:0], A[:0]).shape == (0, 6)
    assert arm.inverse_dynamics(np.zeros((3, 0, 6)), V[0], A[0]).shape == (3, 0, 6)
    assert_array_equal(arm.inverse_dynamics(Q[:, None], V[:, None], A[:, None])[:, 0], expected)
    for shape in ((5,), (7,), (), (0,), (2, 5), (6, 0)):
        for place, name in enumerate("qva"):
            states = [Q[0], V[0], A[0]]
            states[place] = np.zeros(shape)
            with pytest.raises(
                ValueError, match=rf"inverse_dynamics, {name}: expected \(\.\.\., 6\), got \("
            ):
                arm.inverse_dynamics(*states)
    with pytest.raises(ValueError, match=r"got \(6, 1\)"):
        arm.inverse_dynamics(np.zeros((6, 1)), V[0], A[0])
    with pytest.raises(ValueError, match=r"must broadcast, got q \(7, 6\), v \(3, 6\), a \(7, 6\)"):
        arm.inverse_dynamics(Q, V[:3], A)
    for count in (1, 2, 4):
        with pytest.raises(TypeError, match=rf"expected 3 arguments \(q, v, a\), got {count}"):
            arm.call("inverse_dynamics", *[Q] * count)


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (
            np.zeros((7, 6), "f4"),
            TypeError,
            "expected elements of type float64 in native byte order, got <f4",
        ),
        (np.zeros((7, 6), ">f8"), TypeError, "got >f8"),
        (np.zeros((6, 7)), ValueError, r"expected \(7, 6\), got \(6, 7\)"),
        (np.zeros((7, 6), order="F"), ValueError, "expected a C-contiguous, aligned array"),
        (np.broadcast_to(0.0, (7, 6)), ValueError, "expected a writable array"),
        ([[0.0] * 6] * 7, TypeError, "expected a NumPy array, got list"),
    ],
)
def test_unfit_out(arm: kanegen.Robot, out: object, error: type[Exception], message: str) -> None:
    """Case 37."""
    with pytest.raises(error, match=f"inverse_dynamics, out: .*{message}"):
        arm.inverse_dynamics(Q, V, A, out=out)


def test_out_shares_memory_with_inputs(arm: kanegen.Robot) -> None:
    """Case 37: the input itself, its other end, rows shifted by one, and one row that is broadcast."""
    expected = arm.inverse_dynamics(Q, V, A)
    q = Q.copy()
    assert arm.inverse_dynamics(q, V, A, out=q) is q
    assert_array_equal(q, expected)
    two = np.vstack([Q, Q])
    assert_array_equal(arm.inverse_dynamics(two[:7], V, A, out=two[1:8]), expected)
    q = Q.copy()
    assert_array_equal(arm.inverse_dynamics(q[::-1], V[::-1], A[::-1], out=q), expected[::-1])
    q = Q.copy()
    assert_array_equal(arm.inverse_dynamics(q[3], V, A, out=q), arm.inverse_dynamics(Q[3], V, A))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_in_its_row(arm: kanegen.Robot, bad: float) -> None:
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
def test_large_angles(arm: kanegen.Robot, angle: float) -> None:
    """Beyond 1e5 rad the C library reduces the angle; there is no step between the two."""
    large, small = Q.copy(), Q.copy()
    large[:, 1] = angle
    small[:, 1] = np.arctan2(np.sin(angle), np.cos(angle))
    expected = arm.inverse_dynamics(small, V, A)
    # The angle between -pi and pi carries its own rounding, 4.4e-16, into forces of a few of the largest.
    assert_allclose(arm.inverse_dynamics(large, V, A), expected, atol=1e-14 * np.abs(expected).max())


def test_eight_threads_give_the_bits_of_one() -> None:
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


def test_the_interpreter_lock_is_released() -> None:
    """Case 30: while a batch is computed, another thread runs, though the interpreter itself would not switch."""
    arm = kanegen.load("stanford_arm", kernels=["forward_dynamics"])
    q, v, tau = np.random.default_rng(4).uniform(-1, 1, (3, 100_000, 6))
    out = np.empty_like(q)
    arm.forward_dynamics(q[:1], v[:1], tau[:1])
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    try:
        go, ran = threading.Event(), threading.Event()

        def other() -> None:
            go.wait()
            ran.set()

        thread = threading.Thread(target=other)
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
