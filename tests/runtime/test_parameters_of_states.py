"""Live parameters that have values of their own for each state of a batch."""

from __future__ import annotations

import functools
import itertools
import warnings

import numpy as np
import pytest
import robots

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.validation.of_states import ParameterCheck
from kanegen.errors import KanegenError, ModelError
from kanegen.kernels.inertias import all_seen_possible

ROWS = 45
"""Whole groups of states and a rest, for all vectors."""

MODELS = {
    "stanford_arm": (
        ["all declared"],
        ["forward_dynamics", "inverse_dynamics", "feedback_law"],
        ["mF", "L3"],
    ),
    "four_bar": (["masses", "centers"], ["forward_dynamics", "mass_matrix", "constraint_jacobian"], None),
}


@functools.cache
def robot(name: str, *, interpreted: bool = False) -> kanegen.Robot:
    live, kernels, _ = MODELS[name]
    return kanegen.load(
        name, live=live, kernels=kernels, search=1, float32=not interpreted, interpreted=interpreted
    )


@functools.cache
def closed():
    """Configurations of the four-bar linkage."""
    arm = robot("four_bar")
    return np.array([arm.assemble(arm.random_configuration(k)) for k in range(ROWS)])


def states(arm, kernel):
    numbers = np.random.default_rng(5)
    inputs = arm._kernels[kernel].spec.inputs
    given = {"q": closed().copy()} if arm.constraints else {}
    return [given[a.name] if a.name in given else numbers.standard_normal((ROWS, *a.shape)) for a in inputs]


def own_values(arm, name):
    names = MODELS[name][2] or list(arm.parameters)[:3]
    numbers = np.random.default_rng(6)
    return {key: arm.parameters[key] * numbers.uniform(0.5, 2, ROWS) + 0.01 for key in names}


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", MODELS)
def test_as_with_parameters_for_each_state(name, interpreted):
    arm = robot(name, interpreted=interpreted)
    own = own_values(arm, name)
    alone = [
        arm.with_parameters({key: x[i] for key, x in own.items()}, allow_unphysical=True) for i in range(ROWS)
    ]
    for kernel in arm.kernels:
        arrays = states(arm, kernel)
        expected = [one.call(kernel, *(x[i] for x in arrays)) for i, one in enumerate(alone)]
        found = arm.call(kernel, *arrays, parameters=own)
        if (
            interpreted
        ):  # NumPy has other sines for arrays than for numbers: 4 ulp, which inverses of masses enlarge
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        else:
            assert np.array_equal(found, expected), kernel
        out = np.empty_like(found)
        assert arm.call(kernel, *arrays, parameters=own, out=out) is out
        assert np.array_equal(out, found)
        many = [np.repeat(x, 40, axis=0) for x in (*arrays, *own.values())]  # more than one thread's range
        more = dict(zip(own, many[len(arrays) :], strict=True))
        shared = arm.call(kernel, *many[: len(arrays)], parameters=more, threads=3)
        assert np.array_equal(shared, np.repeat(found, 40, axis=0)), kernel


def test_batches_of_any_shape_and_numbers_for_all():
    arm = robot("stanford_arm")
    q, v, tau = (x[:6] for x in states(arm, "forward_dynamics"))
    masses, length = np.linspace(0.2, 2.0, 6), 0.25
    found = arm.forward_dynamics(
        q.reshape(2, 3, 6), v.reshape(2, 3, 6), tau[0], parameters={"mF": masses.reshape(2, 3), "L3": length}
    )
    one = [
        arm.with_parameters({"mF": m, "L3": length}).forward_dynamics(q[i], v[i], tau[0])
        for i, m in enumerate(masses)
    ]
    assert np.array_equal(found.reshape(6, 6), one)
    of_one_state = arm.forward_dynamics(q[0], v[0], tau[0], parameters={"mF": masses})
    assert of_one_state.shape == (6, 6)
    alike = arm.forward_dynamics(q, v, tau, parameters={"mF": 0.7})
    assert np.array_equal(alike, arm.with_parameters({"mF": 0.7}).forward_dynamics(q, v, tau))
    of_numbers = arm.forward_dynamics(q[0], v[0], tau[0], parameters={"mF": masses[0], "L3": length})
    assert np.array_equal(of_numbers, one[0])
    assert np.array_equal(arm.forward_dynamics(q, v, tau, parameters={}), arm.forward_dynamics(q, v, tau))
    assert arm.forward_dynamics(q[:0], v[:0], tau[:0], parameters={"mF": masses[:0]}).shape == (0, 6)


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        ({"mG": np.ones(6)}, KanegenError, "mG"),
        ({"mF": np.ones(5)}, ValueError, r"parameters \(5,\)"),
        ({"mF": np.ones(6), "L3": np.ones(4)}, ValueError, "mF"),
        ({"mF": np.array([1, 1, np.inf, 1, 1, 1])}, ValueError, "row 2"),
        ({"mF": np.array([1, 1, 1, -0.5, 1, 1])}, ModelError, "row 3.*mF = -0.5"),
        ({"mF": -0.5}, ModelError, "mF = -0.5"),
        ({"mF": ["heavy"] * 6}, TypeError, "mF"),
    ],
)
def test_refusals_name_the_row(values, error, said):
    arm = robot("stanford_arm")
    q, v, tau = (x[:6] for x in states(arm, "forward_dynamics"))
    with pytest.raises(error, match=said):
        arm.forward_dynamics(q, v, tau, parameters=values)


@pytest.mark.parametrize("given", [[1, 2], "mF", 3, {"mF"}])
def test_what_are_no_names_with_values(given):
    arm, q = robot("stanford_arm", interpreted=True), np.zeros((2, 6))
    for call in (arm.with_parameters, lambda values: arm.inverse_dynamics(q, q, q, parameters=values)):
        with pytest.raises(
            TypeError, match=f"parameters: expected names with values, .* got {type(given).__name__}"
        ):
            call(given)


def test_rows_that_are_written_while_others_are_read():
    """Values in the memory of the output, as columns of another array, and numbers beside them."""
    arm = kanegen.load("stanford_arm", live=["mF", "L3"], kernels=["kinetic_energy"], search=1)
    count = 3000  # several blocks
    numbers = np.random.default_rng(8)
    q, v = numbers.uniform(-1, 1, (2, count, 6))
    room = numbers.uniform(0.5, 2, count + 20)
    other = numbers.uniform(0.5, 2, (count, 2))
    for masses, length in ((room[:count], 0.25), (other[:, 0], other[:, 1]), (other[0, 0], other[:, 1])):
        own = {"mF": masses.copy(), "L3": np.copy(length)}
        expected = arm.kinetic_energy(q, v, parameters=own)
        alone = arm.with_parameters({name: np.ravel(x)[-1] for name, x in own.items()})
        assert expected[-1] == alone.kinetic_energy(q[-1], v[-1])
        found = arm.kinetic_energy(q, v, parameters={"mF": masses, "L3": length}, out=room[20:])
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [(np.nan, ValueError), (-np.inf, ValueError), (-1e61, ModelError), (1e200, ModelError)],
)
@pytest.mark.parametrize("row", [0, 8192, 19_999])
@pytest.mark.filterwarnings("error")
def test_one_wrong_number_among_many_is_found(wrong, error, row):
    arm = robot("stanford_arm")
    masses = np.ones(20_000)
    masses[row] = wrong
    with pytest.raises(error, match=f"row {row}"):
        arm.of_states({"mF": masses, "L3": 0.2})


def test_c_of_an_earlier_version_has_no_such_function():
    with pytest.raises(KanegenError, match="generate it again"):
        robots.live_pendulum().call("inverse_dynamics", [[0.1]], [[0.0]], parameters={"m": np.ones(3)})


def test_wrenches_and_further_values():
    """Calls that are made of several kernels, and a robot that is asked again."""
    kernels = ["inverse_dynamics", "frame_jacobian_F"]
    arm = kanegen.load("stanford_arm", live=["mF", "L3"], kernels=kernels, search=1)
    q, v, a = (x[:6] for x in states(robot("stanford_arm"), "inverse_dynamics"))
    own = {"mF": np.linspace(0.2, 2.0, 6), "L3": np.linspace(0.1, 0.3, 6)}
    found = arm.inverse_dynamics(q, v, a, external={"F": [1, 2, 3, 0.1, 0.2, 0.3]}, parameters=own)
    again = arm.of_states({"mF": own["mF"]}).of_states({"L3": own["L3"]}).inverse_dynamics(q, v, a)
    for i in range(6):
        alone = arm.with_parameters({key: x[i] for key, x in own.items()})
        one = alone.inverse_dynamics(q[i], v[i], a[i], external={"F": [1, 2, 3, 0.1, 0.2, 0.3]})
        assert np.array_equal(found[i], one)
        assert np.array_equal(again[i], alone.inverse_dynamics(q[i], v[i], a[i]))
    assert arm.of_states(own).kernels == arm.kernels


def test_what_has_one_set_of_parameters_is_not_had_of_many():
    """All of it took the values that the robot was loaded with."""
    arm = robot("stanford_arm")
    many = arm.of_states({"mF": [0.5, 2.0]})
    v = np.zeros(arm.nv)
    for asked in (
        lambda: many.bind("inverse_dynamics"),
        lambda: many.prepared_address,
        lambda: many.parameters,
        lambda: many.parameter_table,
        lambda: kanegen.simulate(many, arm.home, v, 0.1),
        lambda: kanegen.simulate(many, arm.home, v, 0.1, method="scipy:DOP853"),
    ):
        with pytest.raises(KanegenError, match="'mF' may differ from state to state"):
            asked()


def test_other_robots_of_many_states_keep_their_values():
    arm = robot("four_bar")
    q, own = states(arm, "mass_matrix")[0], own_values(arm, "four_bar")
    expected = arm.mass_matrix(q, parameters=own)
    assert np.array_equal(arm.of_states(own).with_open_loops("error").mass_matrix(q), expected)

    first = next(iter(own))
    one = float(own[first][0])
    expected = arm.mass_matrix(q, parameters={**own, first: one})
    assert np.array_equal(arm.of_states(own).with_parameters({first: one}).mass_matrix(q), expected)


def test_open_loops_are_told_of():
    arm = robot("four_bar")
    q = states(arm, "mass_matrix")[0]
    own = own_values(arm, "four_bar")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arm.mass_matrix(q, parameters=own)
    q[7] += 0.01
    with pytest.raises(kanegen.errors.InconsistentStateError, match="row 7"):
        arm.with_open_loops("error").mass_matrix(q, parameters=own)


@pytest.mark.parametrize(
    "glance", [lambda *_: False, all_seen_possible], ids=["in NumPy", "seen in C where there is any"]
)
def test_checks_over_arrays_are_those_of_one_set(glance):
    builder = MechanismBuilder("one")
    names = ("m", "Ixx", "Iyy", "Izz", "Ixy", "d", "k")
    m, xx, yy, zz, xy, d, k = (builder.parameter(name, int(name != "Ixy"), "") for name in names)
    builder.body("link", mass=m, center=(m * 2, 0, 0), inertia=(xx, yy, zz, xy, 0, 0))
    builder.revolute("hinge", "base", "link", axis=(0, 0, 1), damping=d)
    builder.torsional_spring("coil", "hinge", stiffness=k - 1)
    mechanism, numbers = builder.build(), np.random.default_rng(3)
    check, count = ParameterCheck(mechanism, glance), 300
    values = dict.fromkeys(names, 1.0) | {"Ixy": 0.0}
    for varied in (("m",), ("Ixx", "Iyy", "Izz", "Ixy", "m"), ("d", "k"), names):
        own = {name: np.round(numbers.normal(1.0, 0.6, count), 2) for name in varied}
        if "Izz" in varied:  # plates, on the boundary of what there is, and beside it
            own["Izz"][::3] = (
                own["Ixx"][::3] + own["Iyy"][::3] + numbers.choice([0.0, 1e-8, -1e-8], count // 3)
            )
            own["Ixy"][::2] = 0.0
        for i in range(count):
            of_row = {name: x[i : i + 1] for name, x in own.items()}
            one = refusal(check, values | {name: float(x[0]) for name, x in of_row.items()})
            assert refusal(check, values, of_row) == one, of_row
        assert check._doubts[frozenset(varied)]  # and not each set by itself


def boxes(count):
    """Mass, Ixx, Iyy, Izz, Ixy, Ixz, Iyz of boxes, turned."""
    numbers = np.random.default_rng(12)
    sides = numbers.uniform(0.01, 1.0, (count, 3)) ** 2
    turned, _ = np.linalg.qr(numbers.standard_normal((count, 3, 3)))
    inertia = np.einsum("nij,nj,nkj->nik", turned, sides.sum(axis=1)[:, None] - sides, turned)
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return [numbers.uniform(0.1, 9, count), *(inertia[:, i, j].copy() for i, j in places)]


@pytest.mark.parametrize("count", [1, 63, 64, 65, 200])
def test_one_impossible_inertia_among_many_is_seen(count):
    good = boxes(count)
    assert all_seen_possible(*good)
    for row in {0, count // 2, 63 % count, count - 1}:
        for k, factor in itertools.product(range(7), (-1.0, 0.0, np.nan, np.inf)):
            wrong, found = good[k][row] * factor, [x.copy() for x in good]
            found[k][row] = wrong
            mass, xx, yy, zz, xy, xz, yz = (float(x[row]) for x in found)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            possible = np.isfinite(tensor).all() and mass > 0
            low, middle, high = np.linalg.eigvalsh(tensor) if possible else (0.0, 0.0, 0.0)
            assert all_seen_possible(*found) == (possible and low > 0 and low + middle > high)


def test_numbers_and_arrays_are_looked_at_together():
    good = boxes(100)
    one = [np.float64(x[5]) for x in good]
    for k in range(7):
        mixed = [np.full(100, x) if i == k else x for i, x in enumerate(one)]
        assert all_seen_possible(*mixed)
        mixed[k] = mixed[k].reshape(4, 25)[:, ::-1]
        assert all_seen_possible(*mixed)
        mixed[k] = mixed[k].copy()
        mixed[k][3, 24] = np.nan
        assert not all_seen_possible(*mixed)
    assert not all_seen_possible(np.float64(-1.0), *good[1:])
    assert not all_seen_possible(
        good[0].reshape(4, 25), *good[1:]
    )  # another shape, which may broadcast otherwise
    assert all_seen_possible(one[0], *(x[:0] for x in good[1:]))


def test_bodies_on_the_bound_are_left_to_eigenvalues():
    """Rods and plates: what is computed of them is rounding noise, which may not let through what no body has."""
    mass, zero = np.float64(1.0), np.float64(0.0)
    assert not all_seen_possible(mass, zero, *np.ones((2, 1)), zero, zero, zero)
    assert not all_seen_possible(mass, *np.array([[1.0], [2.0], [3.0]]), zero, zero, zero)
    turned, _ = np.linalg.qr(np.random.default_rng(13).standard_normal((3000, 3, 3)))
    for excess in (1e-9, 1e-12, 1e-14):  # of the sum of two moments: what is refused begins at 1e-9
        moments = np.array([1.0, 2.0, 3.0 * (1 + excess)])
        inertia = np.einsum("nij,j,nkj->nik", turned, moments, turned)
        seen = [all_seen_possible(mass, *x[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]][:, None]) for x in inertia]
        assert excess < 1e-13 or not any(seen)


def refusal(check, *values):
    try:
        check(*values)
    except ModelError as error:
        return error.what
    return None
