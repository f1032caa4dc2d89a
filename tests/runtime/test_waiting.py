"""Kernels of a loaded model that are made when they are first asked for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import kanegen
from kanegen import generator
from kanegen.codegen import deriving
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.errors import NoCompilerError

pytestmark = pytest.mark.all_passes

Q = [[0.3, -0.4], [1.0, 0.2]]


@pytest.fixture(autouse=True)
def derived(cache, monkeypatch):
    """The kernels that are derived, in order, in a test whose cache is empty when it begins."""
    names, derive = [], deriving._optimize

    def noting(sources, name, *others):
        names.append(name)
        return derive(sources, name, *others)

    monkeypatch.setattr(deriving, "_optimize", noting)
    return names


def load(model, **asked):
    """A robot with few derivations tried for each kernel, all of them in this process."""
    return kanegen.load(model, search=2, jobs=1, **asked)


def arm(tip=0.5):
    """Two bodies on hinges that are not parallel."""
    builder = MechanismBuilder("bent arm")
    for name, mass in (("upper", 2), ("lower", tip)):
        builder.body(name, mass=mass, center=(0.1, 0, -0.5), inertia=(0.01, 0.02, 0.03))
    builder.revolute("shoulder", "base", "upper", axis=(0, 1, 0))
    builder.revolute("elbow", "upper", "lower", ("0.6", "0.8", 0), (0, 0, -1))
    return builder


def massless():
    builder = MechanismBuilder("slider")
    builder.body("nothing", mass=0)
    builder.prismatic("slide", "base", "nothing", axis=(1, 0, 0))
    return builder.build()


def linkage():
    """The four-bar linkage without gravity, which is no built-in with committed C."""
    return {"model": "four_bar", "gravity": (0, 0, 0)}


def entries(cache):
    return [path for path in cache.iterdir() if path.is_dir()]


def test_a_kernel_is_derived_when_it_is_called(cache, derived):
    robot = load(arm().build())
    assert derived == []
    assert len(entries(cache)) == 1
    assert "compiled when they are called" in repr(robot)
    robot.inverse_dynamics(Q, Q, Q)
    assert derived == ["inverse_dynamics"]
    assert robot.target in repr(robot)
    robot.bind("mass_matrix")()
    robot.frame_pose(Q, "lower")
    robot.frame_pose(Q, "upper")
    assert derived[:2] == ["inverse_dynamics", "mass_matrix"]
    assert set(derived[2:]) == {"frame_pose_upper", "frame_pose_lower"}
    assert len(entries(cache)) == 5, "with the decisions that served inverse dynamics best"


def test_an_interpreted_kernel_is_derived_when_it_is_called(cache, derived, monkeypatch):
    monkeypatch.setattr("kanegen.builds.extensions.find_compiler", None)
    robot = load(arm().build(), interpreted=True)
    assert derived == []
    assert "interpreted when they are called" in repr(robot)
    robot.inverse_dynamics(Q, Q, Q)
    assert derived == ["inverse_dynamics"]
    robot.frame_pose(Q, "lower")
    robot.frame_pose(Q, "upper")
    assert derived.count("frame_pose_lower") == derived.count("frame_pose_upper") == 1
    assert "mass_matrix" not in derived
    assert robot.target is None
    assert not cache.exists()
    eager = load(arm().build(), interpreted=True, eager=True)
    assert "mass_matrix" in derived
    for kernel in ("inverse_dynamics", "frame_pose_upper", "mass_matrix"):
        bound = [one.bind(kernel) for one in (robot, eager)]
        for step in bound:
            for name, array in vars(step).items():
                array[...] = 0.3 if name in ("q", "v", "a") else 0
            step()
        for name, array in vars(bound[0]).items():
            assert_array_equal(array, vars(bound[1])[name], err_msg=kernel)
    assert robot.operation_counts == eager.operation_counts


@pytest.mark.parametrize(
    "described", [{"model": arm().build(), "float32": True}, linkage(), {"model": massless()}]
)
def test_all_is_as_if_made_at_once(cache, described):
    waiting, eager = load(**described), load(**described, eager=True)
    for told in ("kernels", "optional_kernels", "unavailable", "joint_names", "frame_names", "parameters"):
        assert getattr(waiting, told) == getattr(eager, told), told
    assert len(entries(cache)) == 2, "nothing of this makes a kernel"
    rng = np.random.default_rng(1)
    q = eager.assemble(rng.uniform(-1, 1, eager.nq)) if eager.constraints else rng.uniform(-1, 1, eager.nq)
    for kernel in eager.kernels:
        bound = [robot.bind(kernel) for robot in (waiting, eager)]
        for name, array in vars(bound[0]).items():
            array[...] = vars(bound[1])[name][...] = q if name == "q" else rng.uniform(-1, 1, array.shape)
        for step in bound:
            step()
        for name, array in vars(bound[0]).items():
            assert_array_equal(array, vars(bound[1])[name], err_msg=kernel)
    assert waiting.operation_counts == eager.operation_counts
    assert waiting.target == eager.target


def test_calls_look_at_closed_loops(cache):
    robot = load(**linkage())
    with pytest.warns(kanegen.ModelWarning, match="open"):
        robot.mass_matrix(np.full(robot.nq, 0.3))
    with pytest.raises(kanegen.KanegenError, match="open"):
        robot.with_open_loops("error").mass_matrix(np.full(robot.nq, 0.3))


def test_a_simulation_makes_what_it_needs(derived):
    robot = load(arm().build())
    motion = kanegen.simulate(robot, Q[0], [0, 0], 0.1)
    assert "mass_matrix" not in derived
    assert_array_equal(motion.q, kanegen.simulate(load(arm().build(), eager=True), Q[0], [0, 0], 0.1).q)


def test_threads_make_a_kernel_once(derived):
    robot = load(arm().build())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: robot.gravity_forces(Q), range(8)))
    assert derived == ["inverse_dynamics", "gravity_forces"]
    assert all(np.array_equal(one, found[0]) for one in found)


def test_another_robot_finds_them_in_the_cache(derived, monkeypatch):
    first = load(arm().build()).gravity_forces(Q)
    monkeypatch.setattr(generator, "on_demand", None)
    assert_array_equal(load(arm().build()).gravity_forces(Q), first)

    def none():
        raise NoCompilerError("there is no compiler")

    monkeypatch.setattr("kanegen.builds.extensions.find_compiler", none)
    assert_array_equal(load(arm().build()).gravity_forces(Q), first)


def test_another_robot_begins_with_the_decisions_that_were_found(derived):
    load(arm().build()).gravity_forces(Q)
    robot = load(arm().build())
    robot.mass_matrix(Q)
    assert derived == ["inverse_dynamics", "gravity_forces", "mass_matrix"]
    eager = load(arm().build(), eager=True)
    assert robot.operation_counts["mass_matrix"] == eager.operation_counts["mass_matrix"]


def test_a_file_that_changes_meanwhile(tmp_path):
    path = tmp_path / "arm.toml"
    kanegen.convert(arm().build(), path)
    robot = load(path)
    assert load(path).gravity_forces(Q).shape == (2, 2)
    late = load(path)
    kanegen.convert(arm(0.75).build(), path)
    assert robot.mass_matrix(Q).shape == (2, 2, 2), "the model was kept"
    with pytest.raises(kanegen.KanegenError, match="has changed since"):
        late.momentum(Q, Q)
    assert late.gravity_forces(Q).shape == (2, 2), "it is in the cache"


@pytest.mark.parametrize(
    "named", [{"kernels": ["mass_matrix"]}, {"live": ["masses"]}, {"verify": True}, {"eager": True}]
)
def test_what_is_made_at_once(derived, named):
    robot = load(arm().build(), **named)
    assert set(derived) == set(robot.kernels)


def test_a_wrong_instruction_set_is_told_at_once(monkeypatch):
    monkeypatch.setenv("KANEGEN_TARGET", "nonsense")
    with pytest.raises(kanegen.KanegenError, match="nonsense"):
        load(arm().build())
