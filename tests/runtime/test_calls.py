"""Arrays that go to kernels as they are, and what goes another way: the same results, and nothing kept."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from types import SimpleNamespace
from typing import Any

import constrained_robots
import described
import numpy as np
import pytest
import robots
from numpy.testing import assert_array_equal

import kanegen
from kanegen.arrays import kernel_type
from kanegen.csrc import extensions
from kanegen.kernels.compiled import CompiledBackend

calls: Any = extensions.calls()
pytestmark = pytest.mark.skipif(calls is None, reason="kanegen._calls was not built")


def every_robot() -> list[Any]:
    arm = kanegen.load("stanford_arm")
    return [
        arm,
        robots.cart_pole(),
        robots.live_pendulum(),
        described.robot(constrained_robots.slider_crank()),
    ]


@pytest.mark.parametrize("batch", [(), (3,), (2, 0), (4, 5)])
def test_both_ways_give_the_same(batch: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    for robot in every_robot():
        backend, manifest = robot._backend, robot._manifest
        assert isinstance(backend, CompiledBackend)
        for spec in manifest.kernels.values():
            short = backend.kernel(spec)
            with monkeypatch.context() as without:
                without.setattr(extensions, "calls", lambda: None)
                long = backend.kernel(spec)
                slow = long.bind()
            arrays = [rng.uniform(-1, 1, (*batch, *a.shape)).astype(kernel_type(spec)) for a in spec.inputs]
            given = [float(x) if x.shape == () else x for x in arrays]
            found, expected = short.call(*given, None, 1), long.call(*arrays, None, 1)
            several = len(spec.outputs) > 1
            for one, other in zip(*((x if several else (x,)) for x in (found, expected)), strict=True):
                assert type(one) is type(other)
                assert one.dtype == other.dtype
                assert_array_equal(one, other)
            out = [np.empty((*batch, *a.shape), kernel_type(spec)) for a in spec.outputs]
            again = short.call(*arrays, tuple(out) if several else out[0], 1)
            assert all(x is y for x, y in zip(again if several else (again,), out, strict=True))
            for one, other in zip(out, expected if several else (expected,), strict=True):
                assert_array_equal(one, other)
            bound = short.bind()
            for array, argument in zip(arrays, spec.inputs, strict=True):
                if batch == ():
                    getattr(bound, argument.name)[...] = getattr(slow, argument.name)[...] = array
            bound(), slow()
            for argument in spec.outputs:
                assert_array_equal(getattr(bound, argument.name), getattr(slow, argument.name))


def with_c_alone(backend: Any, spec: Any) -> Any:
    """The call of a kernel that fails where it would take the general way."""
    alone = SimpleNamespace(describe=backend.describe, general_call=None)
    return calls.kernel_call(alone, spec)


@pytest.mark.parametrize("batch", [(3,), (2, 0), (4, 5)])
def test_inputs_of_one_state_serve_all_rows(batch: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """To the bit of broadcasting, and without the time that it takes."""
    rng = np.random.default_rng(10)
    for robot in every_robot():
        backend = robot._backend
        for spec in robot._manifest.kernels.values():
            short, long = with_c_alone(backend, spec), backend.general_call(spec)
            kind, count = kernel_type(spec), len(spec.inputs)
            for of_one in {(k,) for k in range(count)} | {tuple({*range(count)} - {k}) for k in range(count)}:
                shapes = [() if k in of_one and count > 1 else batch for k in range(count)]
                given = [
                    rng.uniform(-1, 1, (*lead, *a.shape)).astype(kind)
                    for a, lead in zip(spec.inputs, shapes, strict=True)
                ]
                expected = long(*given, None, 1)
                for number in (np.asarray, float, np.float64):
                    inputs = [number(x) if x.shape == () else x for x in given]
                    for threads in (1, 2):
                        assert_same(short(*inputs, None, threads), expected)
                out = (
                    np.empty_like(expected) if len(spec.outputs) == 1 else tuple(map(np.empty_like, expected))
                )
                assert short(*given, out, 1) is out or len(spec.outputs) > 1
                assert_same(out, expected)


def assert_same(found: Any, expected: Any) -> None:
    """Arrays, or tuples of them, are the same to the bit."""
    several = isinstance(expected, tuple)
    for one, other in zip(*((x if several else (x,)) for x in (found, expected)), strict=True):
        assert one.dtype == other.dtype
        assert_array_equal(one, other)


@pytest.mark.parametrize("number", [0, -1, 3, 2**53 - 1, True, 2**53, 2**62 + 1, 10**30, 10**400])
def test_whole_numbers(number: int) -> None:
    """They are what NumPy takes them for, or refused as there."""
    arm = kanegen.load("stanford_arm")
    q, v = np.random.default_rng(1).uniform(-1, 1, (2, 4, 6))
    kernel = arm._kernels["feedback_law"]
    long = arm._backend.general_call(kernel.spec)
    if number is True or number > 2**63:
        with pytest.raises(TypeError, match="feedback_law, t: expected real numbers"):
            kernel.call(number, q, v, None, 1)
    else:
        assert_array_equal(kernel.call(number, q, v, None, 1), long(number, q, v, None, 1))


def test_rows_over_an_input_of_one_state() -> None:
    """Its numbers are read before the first row is written."""
    arm = kanegen.load("stanford_arm")
    q, v = np.random.default_rng(1).uniform(-1, 1, (2, 50, 6))
    room = np.random.default_rng(2).uniform(-1, 1, (51, 6))
    for place in (0, 25, 50):
        out, one = room[:50], room[place]
        expected = arm.inverse_dynamics(q, v, one.copy())
        assert_array_equal(arm.inverse_dynamics(q, v, one, out=out), expected)


def test_what_is_repeated_is_given_back() -> None:
    arm = kanegen.load("stanford_arm")
    rows, one = np.zeros((1000, 6)), np.zeros(6)
    arm.inverse_dynamics(rows, rows, one)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(100):
        arm.inverse_dynamics(rows, one, one, threads=2)
        with pytest.raises(ValueError, match="expected"):
            arm.inverse_dynamics(rows, one, one, out=np.zeros((7, 6)))
    now, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now - before < rows.nbytes  # one of 400


def test_nothing_is_kept() -> None:
    arm = kanegen.load("stanford_arm")
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 6))
    rows, out, wrong = np.zeros((5, 6)), np.zeros(6), np.zeros(5)
    given = [q, v, a, rows, out, wrong]
    before = [sys.getrefcount(x) for x in given]
    for _ in range(50):
        arm.inverse_dynamics(q, v, a)
        arm.inverse_dynamics(q, v, a, out)
        arm.inverse_dynamics(rows, rows, rows, threads=2)
        arm.inverse_dynamics(rows, v, a)
        arm.inverse_dynamics(q, v, out, out)
        arm.kinetic_energy(q, v)
        for arguments, how in (((q, v, wrong), {}), ((q, v, a, wrong), {}), ((q, v, a), {"threads": 0})):
            with pytest.raises(ValueError, match="expected"):
                arm.inverse_dynamics(*arguments, **how)
    del arguments
    assert [sys.getrefcount(x) for x in given] == before


def test_an_extension_of_other_sources_serves_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, extensions.DIGEST, "0" * 64)
    assert extensions.calls.__wrapped__() is None
    monkeypatch.setitem(sys.modules, "kanegen._calls", None)  # which cannot be imported
    assert extensions.calls.__wrapped__() is None


def test_robots_with_other_parameters_are_light() -> None:
    """The collector of garbage looks at all objects that are kept: four for a robot, five more where a kernel is called."""
    robot = robots.live_pendulum()
    (name, value), (_, length) = robot.parameters.items()
    q, own = np.zeros(1), value * np.linspace(1, 2, 100)
    robot.with_parameters({name: value}).inverse_dynamics(q, q, q)

    def objects() -> int:
        gc.collect()
        return len(gc.get_objects())

    before = objects()
    kept = [robot.with_parameters({name: value}, allow_unphysical=True) for value in own]
    made = objects()
    found = [one.inverse_dynamics(q, q, np.ones(1)) for one in kept]
    called = objects()
    assert [one.parameters[name] for one in kept] == list(own)
    assert_array_equal(np.array(found)[:, 0], own * length * length)
    assert made - before < 5 * own.size
    assert called - made < 6 * own.size


def test_rows_come_back_from_robots_that_share_a_kernel() -> None:
    """Robots with other parameters share what calls know of a kernel, and the room for one state in it."""
    arm = kanegen.load("stanford_arm", live=["mF"], kernels=["inverse_dynamics"], search=1)
    heavy = arm.with_parameters({"mF": 2.0})
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 6))
    one, other = arm.inverse_dynamics(q, v, a), heavy.inverse_dynamics(q, v, a)
    assert not np.array_equal(one, other)
    for found, robot in ((one, arm), (other, heavy)):
        assert_array_equal(robot.inverse_dynamics(q, v, a), found)
        assert_array_equal(robot.inverse_dynamics(list(q), v, a), found)
        assert_array_equal(robot.inverse_dynamics([q], v, a)[0], found)
