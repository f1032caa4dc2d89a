"""Arrays that go to kernels as they are, and what goes another way: the same results, and nothing kept."""

from __future__ import annotations

import gc
import sys
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

calls = extensions.calls()
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
