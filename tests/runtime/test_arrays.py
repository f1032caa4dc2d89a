"""What users pass: any real arrays of the right shape give the right values, everything else a clear error."""

from __future__ import annotations

import array
from decimal import Decimal

import numpy as np
import pytest
import robots
from numpy.testing import assert_allclose, assert_array_equal

import kanegen

# Values of a few units, a handful of roundings each.
TOLERANCE = 1e-14


def reverse(x):
    return np.array(x[::-1])[::-1]


def strided(x):
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)
    wide[..., ::2] = x
    return wide[..., ::2]


def misaligned(x):
    room = np.zeros(x.nbytes + 1, np.uint8)[1:]
    view = room.view(np.float64).reshape(x.shape)
    view[...] = x
    return view


def read_only(x):
    copy = x.copy()
    copy.flags.writeable = False
    return copy


LAYOUTS = {
    "contiguous": np.array,
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "reversed": reverse,
    "strided": strided,
    "big-endian": lambda x: x.astype(">f8"),
    "read-only": read_only,
    "misaligned": misaligned,
    "column-major": np.asfortranarray,
    "long double": lambda x: x.astype(np.longdouble),
    "buffer": lambda x: array.array("d", x) if x.ndim == 1 else x,
    "broadcast": lambda x: np.broadcast_to(x, x.shape),
}


@pytest.fixture(params=["compiled", "interpreted"])
def arm(request):
    return robots.cart_pole() if request.param == "compiled" else robots.interpreted_cart_pole()


@pytest.mark.parametrize("batch", [(), (1,), (7,), (2, 3)], ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(arm, layout, batch):
    states = robots.states(*batch)
    tau = arm.inverse_dynamics(*map(LAYOUTS[layout], states))
    assert tau.shape == (*batch, 2)
    assert tau.dtype == np.float64
    assert_allclose(tau, robots.inverse_dynamics(*states), rtol=0, atol=20 * TOLERANCE)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "int8", "uint8", ">i4"])
@pytest.mark.parametrize("batch", [(), (4,)], ids=str)
def test_types(arm, dtype, batch):
    states = [np.abs(np.round(x)).astype(dtype) for x in robots.states(*batch)]
    expected = robots.inverse_dynamics(*(x.astype(np.float64) for x in states))
    assert_allclose(arm.inverse_dynamics(*states), expected, rtol=0, atol=20 * TOLERANCE)


def test_leading_dimensions_broadcast(arm):
    q, v, a = robots.states(5, 4)
    tau = arm.inverse_dynamics(q[0, 0], v[:, :1], a[:1])
    assert_allclose(
        tau, robots.inverse_dynamics(q[0, 0] + 0 * q, v[:, :1] + 0 * v, a[:1] + 0 * a), atol=20 * TOLERANCE
    )


@pytest.mark.parametrize("shape", [(0, 2), (3, 0, 2)], ids=str)
def test_no_states_give_no_results(arm, shape):
    empty = np.zeros(shape)
    assert arm.inverse_dynamics(empty, empty, empty).shape == shape
    assert arm.mass_matrix(empty).shape == (*shape[:-1], 2, 2)


def test_a_matrix_and_scalars(arm):
    q, v, _ = robots.states(3)
    assert_allclose(arm.mass_matrix(q), robots.mass_matrix(q), atol=TOLERANCE)
    assert arm.mass_matrix(q[0]).shape == (2, 2)
    T, U = arm.call("energies", q, v)
    assert_allclose(T, robots.kinetic_energy(q, v), atol=20 * TOLERANCE)
    assert_allclose(U, robots.potential_energy(q), atol=20 * TOLERANCE)
    T, U = arm.call("energies", q[0], v[0])
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
    ("q", "got"),
    [
        ([1.0], "(1,)"),
        ([1.0, 2.0, 3.0], "(3,)"),
        (np.zeros((4, 3)), "(4, 3)"),
        (np.zeros((2, 1)), "(2, 1)"),
        (1.0, "()"),
        ([], "(0,)"),
        (np.zeros((2, 0)), "(2, 0)"),
    ],
    ids=str,
)
@pytest.mark.parametrize("where", range(3))
def test_wrong_shapes(arm, q, got, where):
    arguments = list(robots.states())
    arguments[where] = q
    name = "qva"[where]
    with pytest.raises(ValueError, match=rf"inverse_dynamics, {name}: expected \(\.\.\., 2\), got") as caught:
        arm.inverse_dynamics(*arguments)
    assert f"got {got}" in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_column_says_what_to_do(arm):
    with pytest.raises(ValueError, match=r"got \(2, 1\)"):
        arm.mass_matrix(np.zeros((2, 1)))


def test_states_in_columns_say_what_to_do(arm):
    with pytest.raises(ValueError, match=r"got \(2, 5\)"):
        arm.mass_matrix(np.zeros((2, 5)))


def test_batches_that_do_not_broadcast(arm):
    with pytest.raises(ValueError, match=r"must broadcast, got q \(3, 2\), v \(4, 2\), a \(2,\)"):
        arm.inverse_dynamics(np.zeros((3, 2)), np.zeros((4, 2)), np.zeros(2))


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
        {"q": 1.0},
    ],
    ids=repr,
)
def test_what_is_not_a_real_number(arm, q):
    with pytest.raises(TypeError, match="mass_matrix, q: expected real numbers"):
        arm.mass_matrix(q)


def test_ragged_lists(arm):
    with pytest.raises(
        ValueError, match=r"mass_matrix, q: expected \(\.\.\., 2\), got lists of unequal lengths"
    ):
        arm.mass_matrix([[1.0, 2.0], [3.0]])


def test_a_wrong_number_of_arguments(arm):
    with pytest.raises(TypeError, match=r"energies: expected 2 arguments \(q, v\), got 1"):
        arm.call("energies", np.zeros(2))


@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
def test_out(arm, batch):
    states = robots.states(*batch)
    out = np.full((*batch, 2), np.nan)
    assert arm.inverse_dynamics(*states, out=out) is out
    assert_array_equal(out, arm.inverse_dynamics(*states))


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (
            np.zeros(2, np.float32),
            TypeError,
            "expected elements of type float64 in native byte order, got <f4",
        ),
        (np.zeros(2, ">f8"), TypeError, "expected elements of type float64"),
        (np.zeros(2, np.int64), TypeError, "expected elements of type float64"),
        ([0.0, 0.0], TypeError, "expected a NumPy array, got list"),
        (np.zeros(3), ValueError, r"expected \(2,\), got \(3,\)"),
        (np.zeros((1, 2)), ValueError, r"expected \(2,\), got \(1, 2\)"),
        (np.zeros(4)[::2], ValueError, "expected a C-contiguous, aligned array"),
        (misaligned(np.zeros(2)), ValueError, "expected a C-contiguous, aligned array"),
        (read_only(np.zeros(2)), ValueError, "expected a writable array, got a read-only one"),
    ],
)
@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
def test_unfit_out(arm, out, error, message, batch):
    states = robots.states(*batch)
    if batch and isinstance(out, np.ndarray):
        wide = np.broadcast_to(out, (3, *out.shape)).astype(out.dtype)
        out = {"C-contiguous": wide[::1, ::-1], "writable": read_only(wide)}.get(
            next((word for word in ("C-contiguous", "writable") if word in message), ""), wide
        )
        message = message.replace(r"\(2,\), got \(", r"\(3, 2\), got \(3, ").replace("3, 3,", "3, 3")
    with pytest.raises(error, match=message):
        arm.inverse_dynamics(*states, out=out)


@pytest.mark.parametrize("batch", [(), (6,)], ids=str)
@pytest.mark.parametrize("which", range(3))
def test_out_may_be_an_input(arm, batch, which):
    states = [x.copy() for x in robots.states(*batch)]
    expected = arm.inverse_dynamics(*states)
    assert_array_equal(arm.inverse_dynamics(*states, out=states[which]), expected)


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_out_may_overlap_an_input(arm, shift):
    q, v, a = robots.states(9)
    expected = arm.inverse_dynamics(q[2:7], v[2:7], a[2:7])
    assert_array_equal(arm.inverse_dynamics(q[2:7], v[2:7], a[2:7], out=q[2 + shift : 7 + shift]), expected)


def test_a_matrix_may_overlap_its_argument(arm):
    room = np.zeros((4, 4))
    room[:, :2] = robots.states(4)[0]
    q = room.reshape(-1)[:8].reshape(4, 2)
    expected = arm.mass_matrix(q)
    assert_array_equal(arm.mass_matrix(q, out=room.reshape(4, 2, 2)), expected)


def test_several_outputs_take_a_tuple(arm):
    q, v, _ = robots.states(3)
    out = (np.zeros(3), np.zeros(3))
    T, U = arm.call("energies", q, v, out=out)
    assert T is out[0]
    assert U is out[1]
    assert_allclose(T, robots.kinetic_energy(q, v), atol=20 * TOLERANCE)
    with pytest.raises(TypeError, match="energies, out: expected a tuple of 2 arrays"):
        arm.call("energies", q, v, out=np.zeros(3))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_not_finite_stays_in_its_row(arm, value):
    q, v, a = (x.copy() for x in robots.states(40))
    expected = arm.inverse_dynamics(q, v, a)
    q[17, 1] = value
    tau = arm.inverse_dynamics(q, v, a)
    assert np.isnan(tau[17]).all()
    rest = np.arange(40) != 17
    assert_array_equal(tau[rest], expected[rest])
    assert np.isnan(arm.inverse_dynamics(q[17], v[17], a[17])).all()


def test_nothing_beside_the_output_is_written():
    guarded = np.full((5, 2), 7.0)
    q, v, a = robots.states()
    robots.cart_pole().inverse_dynamics(q, v, a, out=guarded[2])
    assert_array_equal(np.delete(guarded, 2, axis=0), 7.0)


def test_inputs_are_left_alone(arm):
    states = robots.states(3)
    before = [x.copy() for x in states]
    arm.inverse_dynamics(*states)
    for x, y in zip(states, before, strict=True):
        assert_array_equal(x, y)


def test_results_are_new_arrays(arm):
    states = robots.states()
    first = arm.inverse_dynamics(*states)
    kept = first.copy()
    arm.inverse_dynamics(*(x + 1.0 for x in states))
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


def test_errors_name_the_family():
    assert issubclass(kanegen.MissingKernelError, kanegen.KanegenError)
    assert issubclass(kanegen.MissingInertiaError, kanegen.MissingKernelError)
