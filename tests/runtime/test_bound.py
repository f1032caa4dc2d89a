"""Kernels bound to buffers of their own."""

from __future__ import annotations

import copy
import gc
import itertools
import pickle
import tracemalloc

import numpy as np
import pytest
import robots
from numpy.testing import assert_array_equal

import kanegen
from kanegen.kernels.kernel import BoundKernel


def test_write_call_read(cart_pole):
    step = cart_pole.bind("inverse_dynamics")
    tau = step.tau
    for seed in range(3):
        q, v, a = robots.states(seed=seed)
        step.q[:], step.v[:], step.a[:] = q, v, a
        assert step() is None
        assert step.tau is tau
        assert_array_equal(tau, cart_pole.inverse_dynamics(q, v, a))
        assert_array_equal(step.q, q)


def test_the_arrays_are_in_the_order_of_the_c_arguments(cart_pole):
    assert list(vars(cart_pole.bind("inverse_dynamics"))) == ["q", "v", "a", "tau"]
    assert repr(cart_pole.bind("inverse_dynamics")) == "<bound kernel: q, v, a, tau>"


def test_shapes(cart_pole):
    assert cart_pole.bind("mass_matrix").M.shape == (2, 2)
    step = cart_pole.bind("energies")
    assert step.T.shape == step.U.shape == ()
    q, v, _ = robots.states()
    step.q[:], step.v[:] = q, v
    step()
    assert cart_pole.call("energies", q, v) == (step.T, step.U)


def test_scalar_inputs_and_single_precision():
    step = robots.cart_pole().bind("feedback_law")
    step.t[...] = 0.5
    step()
    assert_array_equal(step.tau, robots.cart_pole().call("feedback_law", 0.5, [0, 0], [0, 0]))
    assert robots.cart_pole().bind("bias_forces_f32").q.dtype == np.float32


@pytest.mark.parametrize("doubled", [copy.copy, copy.deepcopy, pickle.dumps])
def test_no_copies(cart_pole, doubled):
    with pytest.raises(TypeError, match=r"neither copied nor pickled.*robot\.bind"):
        doubled(cart_pole.bind("inverse_dynamics"))


def test_bound_kernels_are_apart(cart_pole):
    first, second = cart_pole.bind("inverse_dynamics"), cart_pole.bind("inverse_dynamics")
    first.q[:] = 1.0
    first()
    kept = first.tau.copy()
    second()
    assert_array_equal(second.q, 0.0)
    assert_array_equal(first.tau, kept)


def test_an_array_cannot_be_replaced(cart_pole):
    step = cart_pole.bind("inverse_dynamics")
    with pytest.raises(
        AttributeError, match=r"write into the array instead of replacing it: step.q\[\.\.\.\] = value"
    ):
        step.q = np.zeros(2)


def test_an_array_that_is_not_there(cart_pole):
    with pytest.raises(AttributeError, match="a bound kernel has the arrays q, v, a, tau"):
        _ = cart_pole.bind("inverse_dynamics").qd


def test_a_name_that_is_taken():
    view = np.zeros(2)
    assert BoundKernel(print, (), {"args": view}).args_ is view


def test_it_outlives_the_robot():
    step = kanegen.load(robots.LIVE_PENDULUM).with_parameters({"m": 3.0}).bind("inverse_dynamics")
    gc.collect()
    step.a[:] = 1.0
    step()
    np.testing.assert_allclose(step.tau, 3.0 * 0.7**2, rtol=1e-15)


def test_a_call_allocates_nothing():
    step = robots.cart_pole().bind("inverse_dynamics")
    step()
    calls = itertools.repeat(None, 1000)
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        for _ in calls:
            step()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak - before < 100  # bytes; the header of one array has more
