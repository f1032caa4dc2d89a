"""Many simulations at once: each to the bit what ``simulate`` gives for it alone, whatever the others and the threads."""

from __future__ import annotations

import functools
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder, reference, state
from kanegen.errors import DeadCentreError, InconsistentStateError, KanegenError, ModelError, NotCompiledError
from kanegen.simulation import Status

ROWS = 70
"""More than there are lanes for together, and a rest."""


def arm() -> MechanismBuilder:
    """Two joints with friction, and a law with a state, a signal and a gain that is a parameter."""
    builder = MechanismBuilder("arm")
    builder.parameter("k", 30, "N m/rad")
    mass = builder.parameter("m", 2, "kg")
    for name, parent, place in (("shoulder", "base", 0), ("elbow", "upper", 1)):
        child = "upper" if parent == "base" else "lower"
        builder.body(child, mass=mass, center=("0.5", 0, 0), inertia=("0.1", "0.1", "0.1"))
        builder.revolute(name, parent, child, axis=(0, 1, 0), position=(place, 0, 0), damping="0.1")
    k, shoulder, elbow, dshoulder, delbow = sympy.symbols("k shoulder elbow dshoulder delbow")
    error = reference("s") - shoulder
    builder.law(
        "follow",
        {
            "shoulder": k * error + 9 * (reference("s", 1) - dshoulder) + sympy.Symbol("i"),
            "elbow": -k * elbow / 2 - 5 * delbow,
        },
        states=[state("i", rate=20 * error, initial=3)],
    )
    return builder


def body() -> MechanismBuilder:
    """A floating body that carries another by a ball, under a law that knows the time."""
    builder = MechanismBuilder("body")
    builder.body("hull", mass=3, inertia=("0.3", "0.2", "0.1"))
    builder.body(
        "wheel", mass=builder.parameter("m", 1, "kg"), center=(0, 0, "0.3"), inertia=("0.02", "0.03", "0.04")
    )
    builder.floating("free", "base", "hull")
    builder.spherical("ball", "hull", "wheel", position=("0.2", 0, 0))
    v = sympy.symbols("v1:10")
    t = sympy.Symbol("t")
    q = sympy.symbols("q1:12")
    builder.law("drag", [-sympy.sin(t) * x / 5 for x in v], t, q, v)
    return builder


def driven() -> MechanismBuilder:
    """A pendulum on a joint that is moved in time."""
    builder = MechanismBuilder("driven")
    builder.parameter("k", 3, "N m/rad")
    builder.body("turner", mass=1, center=("0.2", 0, 0), inertia=("0.1", "0.1", "0.1"))
    builder.body("bob", mass=1, center=(0, 0, "-0.4"), inertia=("0.01", "0.01", "0.01"))
    builder.revolute("turn", "base", "turner", axis=(0, 0, 1))
    builder.revolute("swing", "turner", "bob", axis=(0, 1, 0), position=("0.3", 0, 0))
    builder.prescribe("turn", motion="0.5*sin(3*t)")
    builder.law("hold", {"swing": -sympy.Symbol("k") * sympy.Symbol("swing")})
    return builder


@dataclass(frozen=True)
class Case:
    model: Callable[[], Any]
    law: str | None
    live: list[str]
    own: dict[str, tuple[float, float]]
    more: dict[str, Any] = field(default_factory=dict)
    kernels: list[str] | None = None


CASES = {
    "arm": Case(
        lambda: arm().build(),
        "follow",
        ["all declared"],
        {"k": (10, 60), "m": (1, 3)},
        {"references": {"s": (np.linspace(0, 0.2, 7), np.array([0, 0.1, 0.3, 0.2, 0.1, 0, 0]), "linear")}},
    ),
    "body": Case(lambda: body().build(), "drag", ["all declared"], {"m": (0.5, 2)}),
    "driven": Case(lambda: driven().build(), "hold", ["all declared"], {"k": (1, 9)}),
    "four_bar": Case(lambda: "four_bar", None, ["masses", "lengths"], {}),
}

WAYS = {
    "dopri5": {"times": np.linspace(0, 0.3, 8)},
    "rk4, end alone": {"method": "rk4", "step": 0.003},
    "rk4, rows in steps": {
        "method": "rk4",
        "step": 0.007,
        "times": [0, 0.01, 0.012, 0.2, 0.3],
        "breaks": [0.05],
    },
    "dopri5, sampled": {"sample_period": 0.02, "times": np.linspace(0, 0.3, 8), "rtol": 1e-6},
    "rk4, sampled, some steps": {"method": "rk4", "step": 0.004, "sample_period": 0.02, "every": 7},
}


@functools.cache
def robot(name: str) -> Any:
    case = CASES[name]
    return kanegen.load(case.model(), live=case.live)


@functools.cache
def given(name: str) -> tuple[Any, Any, dict[str, Any]]:
    one, numbers, case = robot(name), np.random.default_rng(4), CASES[name]
    own = {key: numbers.uniform(*bounds, ROWS) for key, bounds in case.own.items()}
    own = own or {key: value * numbers.uniform(0.95, 1.05, ROWS) for key, value in one.parameters.items()}
    q0 = np.array([one.random_configuration(k) for k in range(ROWS)])
    if one.constraints is not None:
        near = np.array(one.home) if np.any(one.home) else one.assemble(one.random_configuration(1))
        each = [one.with_parameters({key: x[i] for key, x in own.items()}) for i in range(ROWS)]
        q0 = np.array([alone.assemble(near + 0.05 * numbers.standard_normal(one.nq)) for alone in each])
    return q0, numbers.standard_normal((ROWS, one.nv)), own


def quiet(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args, **kwargs)


def many(name: str, rows: Any = slice(None), **way: Any) -> Any:
    q0, v0, own = given(name)
    own = {key: x[rows] for key, x in own.items()}
    case = CASES[name]
    return kanegen.simulate_many(
        robot(name), q0[rows], v0[rows], 0.3, case.law, parameters=own, **case.more, **way
    )


def same(motions: Any, i: int, other: Any, k: int) -> bool:
    pairs = [
        (getattr(motions, w)[i], getattr(other, w)[k]) for w in ("q", "v", "tau", "x", "final_q", "final_v")
    ]
    return motions.status[i] is other.status[k] and all(
        np.array_equal(a, b, equal_nan=True) for a, b in pairs
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CASES)
def test_each_is_what_simulate_gives(name: str, way: str) -> None:
    case, (q0, v0, own) = CASES[name], given(name)
    motions = many(name, **WAYS[way])
    assert len(motions) == ROWS
    assert motions.q.shape == (ROWS, len(motions.t), robot(name).nq)
    ended = {"times": [0.3]} if "end alone" in way else {}
    for i in range(0, ROWS, 11):
        alone = robot(name).with_parameters({key: x[i] for key, x in own.items()})
        one = quiet(
            kanegen.simulate, alone, q0[i], v0[i], 0.3, case.law, **case.more, **{**WAYS[way], **ended}
        )
        found = motions[i]
        assert found.statistics.status is one.statistics.status is Status.DONE
        for word in ("t", "q", "v", "tau", "x"):
            assert np.array_equal(getattr(found, word), getattr(one, word)), word
        for word in ("t", "accepted", "rejected"):
            assert getattr(found.statistics, word) == getattr(one.statistics, word), word
        assert found.drift == one.drift
        if motions.t[-1] == 0.3:
            assert np.array_equal(motions.final_q[i], one.q[-1])
            assert np.array_equal(motions.final_v[i], one.v[-1])


@pytest.mark.parametrize("name", CASES)
def test_neighbours_and_threads_change_nothing(name: str) -> None:
    way = WAYS["dopri5"]
    motions, threaded = many(name, **way), many(name, threads=3, **way)
    order = np.random.default_rng(1).permutation(ROWS)[:9]
    some = many(name, order, **way)
    assert all(same(motions, i, threaded, i) for i in range(ROWS))
    assert all(same(motions, i, some, k) for k, i in enumerate(order))


@pytest.mark.parametrize("way", ["dopri5", "rk4, end alone"])
def test_a_simulation_that_fails_ends_alone(way: str) -> None:
    """One runs away: its gain drives it; the others go on as if it were not there."""
    q0, v0, own = given("arm")
    wild = {key: x.copy() for key, x in own.items()}
    wild["k"][7] = 1e60
    case, one = CASES["arm"], robot("arm")
    motions = kanegen.simulate_many(
        one, q0, v0, 0.3, case.law, parameters=wild, max_steps=3000, **case.more, **WAYS[way]
    )
    calm = many("arm", **WAYS[way])
    alone = one.with_parameters({key: x[7] for key, x in wild.items()}, allow_unphysical=True)
    times = {"times": [0.3]} if "end alone" in way else {}
    single = quiet(
        kanegen.simulate,
        alone,
        q0[7],
        v0[7],
        0.3,
        case.law,
        max_steps=3000,
        **case.more,
        **{**WAYS[way], **times},
    )
    assert motions.status[7] is single.statistics.status is not Status.DONE
    assert motions.reached[7] == single.statistics.t < 0.3
    assert np.array_equal(motions.q[7], single.q, equal_nan=True)
    assert np.isnan(motions.q[7, -1]).all()
    assert np.isfinite(motions.final_q).all()
    assert all(same(motions, i, calm, i) for i in range(ROWS) if i != 7)


def test_what_is_given_once_is_for_all() -> None:
    q0, v0, own = given("arm")
    case, one = CASES["arm"], robot("arm")
    more: dict[str, Any] = {"method": "rk4", "step": 0.01, **case.more}
    motions = kanegen.simulate_many(
        one, {"elbow": 0.2}, v0[0], 0.1, "follow", parameters={"k": own["k"][:3], "m": 2.5}, **more
    )
    for i in range(3):
        alone = one.with_parameters({"k": own["k"][i], "m": 2.5})
        single = kanegen.simulate(alone, {"elbow": 0.2}, v0[0], 0.1, "follow", times=[0.1], **more)
        assert np.array_equal(motions.q[i], single.q)
    states = kanegen.simulate_many(one, q0[0], v0[0], 0.1, "follow", x0=[[0.0], [1.0]], **more)
    single = kanegen.simulate(one, q0[0], v0[0], 0.1, "follow", x0=[1.0], times=[0.1], **more)
    assert np.array_equal(states.x[1], single.x)
    assert len(kanegen.simulate_many(one, q0[:0], v0[:0], 0.1, "follow", **more)) == 0
    bare = kanegen.simulate_many(one, q0[:2], v0[:2], 0.1)
    assert np.array_equal(bare.q[1], kanegen.simulate(one, q0[1], v0[1], 0.1, times=[0.1]).q)
    assert not bare.tau.any()


def test_rows_as_a_table() -> None:
    pytest.importorskip("pandas")
    motions = many("arm", slice(3), times=[0.0, 0.1])
    table = motions.to_pandas()
    assert table.index.names == ["simulation", "t"]
    assert table.loc[(2, 0.1), "q.elbow"] == motions.q[2, 1, 1]
    assert table.shape == (6, 2 + 2 + 2 + 1)


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"method": "gauss4"}, ValueError, "dopri5', 'rk4"),
        ({"controller": lambda t, q, v: v}, ValueError, "each state alone"),
        ({"controller": "pd(kp=1)"}, ValueError, "each state alone"),
        ({"events": [kanegen.Event("elbow")]}, ValueError, "events: .*Python"),
        ({"wrenches": {"lower": [0] * 6}}, ValueError, "wrenches: "),
        ({"every": 3}, ValueError, "times="),
        ({"q0": np.zeros((3, 2)), "v0": np.zeros((4, 2))}, ValueError, "q0: 3, v0: 4"),
        ({"parameters": {"k": np.ones(5)}}, ValueError, "parameters, 'k': 5"),
        ({"parameters": {"k": np.ones((2, 2))}}, ValueError, r"expected \(n,\)"),
        ({"parameters": {"m": np.array([1.0, -1.0, 1.0])}}, ModelError, "^row 1, with "),
        ({"parameters": {"m": np.array([1.0, -1.0, 1.0]), "k": 3.0}}, ModelError, "^row 1, with "),
        ({"parameters": {"m": -1.0}}, ModelError, "^with m = -1.0"),
        ({"parameters": {"m": np.array([1.0, 1.0, np.nan])}}, ValueError, "got nan in row 2$"),
        ({"parameters": {"m": np.nan}}, ValueError, "got nan$"),
        ({"parameters": [1.0]}, TypeError, "parameters: expected names with values"),
        ({"parameters": {"mass": 1.0}}, KanegenError, "no live parameter 'mass'"),
        ({"q0": np.array([[0, 0], [0, np.nan], [0, 0]])}, ValueError, "row 1"),
        ({"x0": np.zeros((3, 2))}, ValueError, "x0"),
        ({"threads": 0}, ValueError, "threads"),
    ],
)
def test_refusals(changes: dict[str, Any], error: type[Exception], said: str) -> None:
    arguments: dict[str, Any] = {
        "q0": np.zeros((3, 2)),
        "v0": np.zeros(2),
        "duration": 0.1,
        "controller": "follow",
    }
    with pytest.raises(error, match=said):
        kanegen.simulate_many(robot("arm"), **(arguments | CASES["arm"].more | changes))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to threads")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_all(threads: int) -> None:
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    try:
        soon = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
        soon.start()
        with pytest.raises(KeyboardInterrupt):
            kanegen.simulate_many(
                robot("arm"),
                np.zeros((200, 2)),
                [0, 0],
                1e6,
                None,
                "rk4",
                step=1e-4,
                max_steps=10**12,
                threads=threads,
            )
    finally:
        soon.cancel()
        signal.signal(signal.SIGINT, previous)


def test_loops_are_closed_where_simulations_begin() -> None:
    q0, v0, own = given("four_bar")
    q0 = q0.copy()
    q0[5] += 0.1
    with pytest.raises(InconsistentStateError, match="row 5"):
        kanegen.simulate_many(robot("four_bar"), q0, v0, 0.1, parameters=own)


def test_a_quaternion_that_is_zero() -> None:
    q0, v0, own = given("body")
    q0 = q0.copy()
    q0[5, robot("body").quaternions[0] :][:4] = 0
    with pytest.raises(ValueError, match="is zero in row 5, which"):
        kanegen.simulate_many(robot("body"), q0, v0, 0.1, parameters=own)


def test_interpreted_robots_have_no_lanes() -> None:
    with pytest.raises(NotCompiledError, match="lanes"):
        kanegen.simulate_many(
            kanegen.load("stanford_arm", interpreted=True, kernels=["forward_dynamics"]),
            np.zeros(6),
            np.zeros(6),
            1,
        )
    assert issubclass(DeadCentreError, KanegenError)
