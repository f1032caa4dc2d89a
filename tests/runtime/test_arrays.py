"""What users pass: any real arrays of the right shape give the right values, everything else a clear error."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
import robots
from numpy.testing import assert_allclose, assert_array_equal

from kanegen import arrays

# Values of a few units, a handful of roundings each.
TOLERANCE = 1e-14


def test_leading_dimensions_broadcast(cart_pole):
    q, v, a = robots.states(5, 4)
    tau = cart_pole.inverse_dynamics(q[0, 0], v[:, :1], a[:1])
    assert_allclose(
        tau, robots.inverse_dynamics(q[0, 0] + 0 * q, v[:, :1] + 0 * v, a[:1] + 0 * a), atol=20 * TOLERANCE
    )


def test_a_matrix_and_scalars(cart_pole):
    q, v, _ = robots.states(3)
    assert_allclose(cart_pole.mass_matrix(q), robots.mass_matrix(q), atol=TOLERANCE)
    assert cart_pole.mass_matrix(q[0]).shape == (2, 2)
    T, U = cart_pole.call("energies", q, v)
    assert_allclose(T, robots.kinetic_energy(q, v), atol=20 * TOLERANCE)
    assert_allclose(U, robots.potential_energy(q), atol=20 * TOLERANCE)
    T, U = cart_pole.call("energies", q[0], v[0])
    assert isinstance(T, np.float64)
    assert isinstance(U, np.float64)


def test_a_scalar_for_one_state_and_an_array_for_a_batch():
    q, v, _ = robots.states(3)
    arm = robots.cart_pole()
    assert isinstance(arm.kinetic_energy(q[0], v[0]), np.float64)
    assert arm.kinetic_energy(q, v).shape == (3,)
    assert arm.kinetic_energy(q[0], v[0]) == arm.kinetic_energy(q, v)[0]


def test_a_scalar_input():
    q, v, _ = robots.states(3)
    arm = robots.cart_pole()
    expected = np.stack(
        [np.sin(0.7) - 3.0 * q[:, 0] - 2.0 * v[:, 0], -5.0 * q[:, 1] - 0.5 * v[:, 1]], axis=-1
    )
    assert_allclose(arm.call("feedback_law", 0.7, q, v), expected, atol=20 * TOLERANCE)
    assert_allclose(arm.call("feedback_law", 0.7, q[0], v[0]), expected[0], atol=20 * TOLERANCE)
    assert_allclose(arm.call("feedback_law", [0.7, 0.7, 0.7], q, v), expected, atol=20 * TOLERANCE)


def test_single_precision():
    q, v, _ = robots.states(3)
    result = robots.cart_pole().call("bias_forces_f32", q, v)
    assert result.dtype == np.float32
    # q rounded to 24 bits: relative 6e-8, times |q| <= 2, times a slope of 8, and a few roundings of the same size.
    assert_allclose(result, robots.bias_forces(q, v), rtol=0, atol=4e-6)
    assert_array_equal(robots.cart_pole().call("bias_forces_f32", q[0], v[0]), result[0])


@pytest.mark.parametrize(
    "q",
    [
        np.array([1j, 2.0]),
        [1j, 2],
        ["1", "2"],
        "12",
        b"12",
        [None, 1.0],
        None,
        [Decimal(1), Decimal(2)],
        np.array([1.0, 2.0], dtype=object),
        np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        {1.0},
    ],
    ids=repr,
)
def test_what_is_not_a_real_number(cart_pole, q):
    with pytest.raises(TypeError, match="mass_matrix, q: expected real numbers"):
        cart_pole.mass_matrix(q)


def test_ragged_lists(cart_pole):
    with pytest.raises(
        ValueError, match=r"mass_matrix, q: expected \(\.\.\., 2\), got lists of unequal lengths"
    ):
        cart_pole.mass_matrix([[1.0, 2.0], [3.0]])


@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
def test_out(cart_pole, batch):
    states = robots.states(*batch)
    out = np.full((*batch, 2), np.nan)
    assert cart_pole.inverse_dynamics(*states, out=out) is out
    assert_array_equal(out, cart_pole.inverse_dynamics(*states))


def test_a_matrix_may_overlap_its_argument(cart_pole):
    room = np.zeros((4, 4))
    room[:, :2] = robots.states(4)[0]
    q = room.reshape(-1)[:8].reshape(4, 2)
    expected = cart_pole.mass_matrix(q)
    assert_array_equal(cart_pole.mass_matrix(q, out=room.reshape(4, 2, 2)), expected)


def test_several_outputs_take_a_tuple(cart_pole):
    q, v, _ = robots.states(3)
    out = (np.zeros(3), np.zeros(3))
    T, U = cart_pole.call("energies", q, v, out=out)
    assert T is out[0]
    assert U is out[1]
    assert_allclose(T, robots.kinetic_energy(q, v), atol=20 * TOLERANCE)
    with pytest.raises(TypeError, match="energies, out: expected a tuple of 2 arrays"):
        cart_pole.call("energies", q, v, out=np.zeros(3))


def test_inputs_are_left_alone(cart_pole):
    states = robots.states(3)
    before = [x.copy() for x in states]
    cart_pole.inverse_dynamics(*states)
    for x, y in zip(states, before, strict=True):
        assert_array_equal(x, y)


def test_results_are_new_arrays(cart_pole):
    states = robots.states()
    first = cart_pole.inverse_dynamics(*states)
    kept = first.copy()
    cart_pole.inverse_dynamics(*(x + 1.0 for x in states))
    assert_array_equal(first, kept)
    assert first.flags.owndata


def test_an_array_that_computes_itself_with_the_robot():
    """A conversion that calls the same kernel, in the middle of a call, must not disturb it."""
    arm = robots.cart_pole()
    q, v, a = robots.states()

    class Lazy:
        def __array__(self, dtype=None, copy=None):
            arm.inverse_dynamics(np.ones(2), np.ones(2), np.ones(2))
            return a

    assert_array_equal(arm.inverse_dynamics(q, v, Lazy()), arm.inverse_dynamics(q, v, a))


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x,
        lambda x: x[::2],
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(">f8"),
        lambda x: x.astype(np.float32),
        lambda x: np.ma.masked_array(x),
        lambda x: x.reshape(5, 4, 2),
        lambda x: x[:0],
        lambda x: x[:1],
    ],
)
def test_rows_however_they_are_stored(cart_pole, change):
    """What needs no conversion takes a shorter way."""
    q, v, a = map(change, robots.states(20))
    plain = [np.array(x, dtype=float).reshape(-1, 2) for x in (q, v, a)]
    expected = [cart_pole.inverse_dynamics(*row) for row in zip(*plain, strict=True)]
    found = cart_pole.inverse_dynamics(q, v, a)
    out = np.empty(found.shape)
    assert found.shape == q.shape
    assert cart_pole.inverse_dynamics(q, v, a, out=out) is out
    assert_array_equal(found.reshape(-1, 2), np.reshape(expected, (-1, 2)))
    assert_array_equal(out, found)


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_rows_of_results_may_overlap_those_of_arguments(cart_pole, shift):
    q, v, a = robots.states(300)
    expected = cart_pole.inverse_dynamics(q, v, a)
    buffer = np.zeros((302, 2))
    buffer[1:301] = a
    out = buffer[1 + shift : 301 + shift]
    assert cart_pole.inverse_dynamics(q, v, buffer[1:301], out=out) is out
    assert_array_equal(out, expected)


def unaligned(array):
    """A copy where C reads no numbers."""
    found = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


def test_what_c_does_not_read_is_copied(cart_pole):
    states = robots.states(3)
    spec = cart_pole._kernels["inverse_dynamics"].spec
    found, _ = arrays.inputs_and_batch(spec, [unaligned(x) for x in states])
    assert all(x.flags.carray for x in found)
    assert_array_equal(found, states)
    assert arrays.native(states[0]) is states[0]


def test_rows_into_what_cannot_hold_them(cart_pole):
    q, v, a = robots.states(3)
    read_only = np.empty((3, 2))
    read_only.setflags(write=False)
    for out, said in (
        (np.empty((4, 2)), r"\(3, 2\), got \(4, 2\)"),
        (np.empty((3, 4))[:, ::2], r"C-contiguous array, got strides \(32, 16\)"),
        (np.empty((2, 3)).T, r"C-contiguous array, got strides \(8, 24\)"),
        (read_only, "writable"),
        (
            unaligned(read_only),
            r"aligned array, got one that begins at the address \d+, which is no multiple of 8\.",
        ),
    ):
        with pytest.raises(ValueError, match=f"out: expected .*{said}"):
            cart_pole.inverse_dynamics(q, v, a, out=out)
    for other in (np.empty((3, 2), np.float32), [[0.0, 0.0]] * 3):
        with pytest.raises(TypeError, match="out: expected"):
            cart_pole.inverse_dynamics(q, v, a, out=other)
