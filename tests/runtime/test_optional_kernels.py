"""Kernels that are generated when they are first asked for."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import described_pendulum
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import kanegen
from kanegen import generator
from kanegen.builds import compiler
from kanegen.codegen.mechanism import MechanismBuilder

M, L, G = 1.5, 0.8, 9.81
FRAME = "tip of rod"


def anything():
    """A mechanism, for its fingerprint alone: the kernels are those of ``described_pendulum``."""
    builder = MechanismBuilder("point pendulum")
    builder.body("rod", mass=1, center=(0, 0, -1), inertia=(0, 0, 0))
    builder.revolute("swing", "base", "rod", axis=(0, 1, 0))
    return builder.build()


class Generations:
    """What was generated, or interpreted, in order; ``pause`` [s] makes a generation slow."""

    def __init__(self, monkeypatch):
        self.asked = []
        self.pause = 0.0
        monkeypatch.setattr(generator, "generate", self.generate)
        monkeypatch.setattr(generator, "interpret", self.interpret)
        monkeypatch.setattr(generator, "parameter_check", self.parameter_check)

    def generate(self, model, options, directory, *how):
        self.asked.append(options.kernels)
        time.sleep(self.pause)
        described_pendulum.generate(model, options, directory)

    def interpret(self, model, options):
        self.asked.append(options.kernels)
        return described_pendulum.Interpretation(model, options)

    def parameter_check(self, model, options):
        """Any numbers will do for the pendulum that stands in for the mechanism."""
        return described_pendulum.model(None).hash, lambda values: None


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def generations(shared_cache, monkeypatch):
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(shared_cache))
    return Generations(monkeypatch)


@pytest.fixture
def empty_cache(generations, tmp_path, monkeypatch):
    """For tests that count what is generated."""
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"])
def interpreted(request):
    return request.param


@pytest.fixture
def arm(generations, interpreted):
    return kanegen.load(anything(), interpreted=interpreted, eager=True)


@pytest.fixture
def new_arm(empty_cache, interpreted):
    """A robot of which nothing is in the cache."""
    return kanegen.load(anything(), interpreted=interpreted, eager=True)


Q, V, A = np.array([[0.3], [-1.2], [2.0]]), np.array([[0.5], [2.0], [-1.0]]), np.array([[1.0], [-3.0], [0.2]])


def test_they_are_made_one_by_one_and_kept(new_arm, generations):
    assert generations.asked == [None]
    assert new_arm.kernels == tuple(described_pendulum.USUAL)
    assert new_arm.optional_kernels == tuple(described_pendulum.OPTIONAL)
    assert_allclose(new_arm.inverse_mass_matrix(Q), np.full((3, 1, 1), 1 / (M * L**2)), rtol=1e-15)
    assert_array_equal(new_arm.coriolis_matrix(Q, V), np.zeros((3, 1, 1)))
    assert new_arm.inverse_mass_matrix(Q[0]).shape == (1, 1)
    assert generations.asked == [None, ("inverse_mass_matrix",), ("coriolis_matrix",)]
    assert new_arm.kernels[-2:] == ("inverse_mass_matrix", "coriolis_matrix")
    assert "inverse_mass_matrix" not in new_arm.optional_kernels
    assert new_arm.operation_counts["inverse_mass_matrix"].additions == 0


def test_a_second_robot_finds_them_in_the_cache(empty_cache, generations):
    kanegen.load(anything(), eager=True).center_of_mass(Q)
    assert len(generations.asked) == 2
    assert_allclose(kanegen.load(anything(), eager=True).center_of_mass([0.0]), [0.0, 0.0, -L], rtol=1e-15)
    assert len(generations.asked) == 2


def test_by_name_and_bound(arm):
    assert arm.call("center_of_mass", [0.0]).tolist() == [0.0, 0.0, -L]
    step = arm.bind("frame_forces_tip_of_rod")
    step.wrench[:] = [1.0, 0, 0, 0, 0, 0]
    step()
    assert_allclose(step.tau, [-L], rtol=1e-15)


def test_derivatives(arm):
    D = arm.inverse_dynamics_derivatives(Q, V, A)
    assert isinstance(D, kanegen.InverseDynamicsDerivatives)
    assert_allclose(D.dq, M * L * G * np.cos(Q)[..., None], rtol=1e-14)
    assert_array_equal(D.dv, np.zeros((3, 1, 1)))
    assert_allclose(D.da, np.full((3, 1, 1), M * L**2), rtol=1e-14)
    one = arm.inverse_dynamics_derivatives(Q[0], V[0], A[0])
    assert [x.shape for x in one] == [(1, 1)] * 3
    out = tuple(np.empty((3, 1, 1)) for _ in range(3))
    again = arm.inverse_dynamics_derivatives(Q, V, A, out=out)
    assert all(x is y for x, y in zip(again, out, strict=True))
    assert_array_equal(again.dq, D.dq)
    with pytest.raises(TypeError, match="inverse_dynamics_derivatives, out: expected a tuple of 3 arrays"):
        arm.inverse_dynamics_derivatives(Q, V, A, out=out[0])


def test_regressor(arm):
    Y = arm.regressor(Q, V, A)
    assert arm.base_parameter_names == ("m l^2", "m l")
    assert_allclose(Y @ arm.base_parameters, arm.inverse_dynamics(Q, V, A), rtol=1e-14)


def test_base_parameters_come_without_the_regressor_being_called(arm):
    assert_allclose(arm.base_parameters, [M * L**2, M * L])
    assert "regressor" in arm.kernels


def test_live_parameters_carry_over(arm):
    assert_array_equal(arm.inverse_mass_matrix([0.0]), [[1 / (M * L**2)]])
    heavy = arm.with_parameters({"m": 3.0})
    assert_allclose(heavy.inverse_mass_matrix([0.0]), [[1 / (3.0 * L**2)]], rtol=1e-15)
    assert_allclose(heavy.with_parameters({"l": 1.0}).inverse_mass_matrix([0.0]), [[1 / 3.0]], rtol=1e-15)
    assert_allclose(arm.inverse_mass_matrix([0.0]), [[1 / (M * L**2)]], rtol=1e-15)
    with pytest.raises(kanegen.KanegenError, match="the live parameter 'm' has another one now"):
        _ = heavy.base_parameters
    assert heavy.base_parameter_names == ("m l^2", "m l")
    dp = heavy.inverse_dynamics_parameter_derivatives(Q, V, A)
    assert_allclose(dp[..., 0], heavy.inverse_dynamics(Q, V, A) / 3.0, rtol=1e-14)  # tau is linear in m
    assert dp.shape == (3, 1, 2)


def test_c_functions_of_live_parameters_take_the_struct_of_their_own_set(generations):
    arm = kanegen.load(anything(), eager=True)
    assert arm.prepared_address_of("inverse_dynamics") == arm.prepared_address
    assert arm.prepared_address_of("inverse_mass_matrix") not in (None, arm.prepared_address)
    assert arm.kernel_address("inverse_mass_matrix") > 0


def test_frames(arm):
    c, s = np.cos(Q[..., 0]), np.sin(Q[..., 0])
    rate = arm.frame_jacobian_rate(Q, V, FRAME)
    assert rate.shape == (3, 6, 1)
    assert_allclose(rate[:, 0, 0], L * V[:, 0] * s, rtol=1e-14)
    assert_allclose(rate[:, 2, 0], L * V[:, 0] * c, rtol=1e-14)
    wrench = np.array([2.0, 7.0, -1.0, 5.0, 0.5, 3.0])
    forces = arm.frame_forces(Q, wrench, FRAME)
    assert_allclose(forces, np.einsum("bij,i->bj", arm.frame_jacobian(Q, FRAME), wrench), rtol=1e-14)
    with pytest.raises(kanegen.MissingKernelError, match=r"has no frame 'hand'"):
        arm.frame_forces(Q, wrench, "hand")
    with pytest.raises(kanegen.MissingKernelError, match="has no frame 'hand'"):
        arm.frame_jacobian_rate(Q, V, "hand")


def test_other_results(arm):
    assert_allclose(arm.center_of_mass([np.pi / 2]), [-L, 0.0, 0.0], atol=1e-15)
    assert_allclose(arm.centroidal_momentum_matrix([0.0])[:, 0], [-M * L, 0, 0, 0, 0, 0], rtol=1e-15)


def test_what_does_not_exist_is_not_generated(new_arm, generations):
    with pytest.raises(kanegen.MissingKernelError) as caught:
        new_arm.full_regressor(Q, V, A)
    message = str(caught.value)
    assert message.startswith("'point pendulum' has no kernel 'full_regressor'. It has: inverse_dynamics, ")
    assert "and when they are asked for: coriolis_matrix, " in message
    with pytest.raises(kanegen.MissingKernelError):
        new_arm.call("nonsense")
    assert generations.asked == [None]


def test_named_kernels_are_all_there_are(empty_cache, generations, interpreted):
    arm = kanegen.load(anything(), kernels=["inverse_dynamics"], interpreted=interpreted)
    assert arm.optional_kernels == ()
    with pytest.raises(kanegen.MissingKernelError) as caught:
        arm.coriolis_matrix(Q, V)
    assert str(caught.value).endswith("Ask for it: kanegen.load(model, kernels=[..., 'coriolis_matrix'])")
    assert generations.asked == [("inverse_dynamics",)]
    wanted = kanegen.load(
        anything(), kernels=["inverse_dynamics", "coriolis_matrix"], interpreted=interpreted
    )
    assert wanted.coriolis_matrix(Q, V).shape == (3, 1, 1)


def test_many_threads_ask_at_once(new_arm, generations):
    generations.pause = 0.2
    together = threading.Barrier(8)

    def ask(_):
        together.wait()
        return new_arm.inverse_mass_matrix([0.0])

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert_array_equal(found, np.full((8, 1, 1), 1 / (M * L**2)))
    assert generations.asked == [None, ("inverse_mass_matrix",)]


def test_without_a_compiler_they_are_interpreted(generations, empty_cache, monkeypatch, caplog):
    """The compiler is lost after the robot was compiled: what is missing is interpreted, with a sentence."""
    arm = kanegen.load(anything(), eager=True)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(compiler.shutil, "which", lambda _: None)
    with caplog.at_level(logging.WARNING, logger="kanegen"):
        assert_allclose(arm.inverse_mass_matrix([0.0]), [[1 / (M * L**2)]], rtol=1e-15)
    assert "no C compiler was found" in caplog.text
    assert arm.target


def test_a_generation_that_fails_can_be_tried_again(new_arm, generations, monkeypatch):
    kept = generator.generate, generator.interpret

    def fail(*_):
        raise kanegen.ModelError("here", "it fails", "success", "Try again.")

    monkeypatch.setattr(generator, "generate", fail)
    monkeypatch.setattr(generator, "interpret", fail)
    with pytest.raises(kanegen.ModelError, match="it fails"):
        new_arm.inverse_mass_matrix([0.0])
    monkeypatch.setattr(generator, "generate", kept[0])
    monkeypatch.setattr(generator, "interpret", kept[1])
    assert new_arm.inverse_mass_matrix([0.0]).shape == (1, 1)


# ---- rows of a frame's twist ----


def test_rows_are_kernels_that_no_list_has(new_arm, generations):
    """Every choice is a kernel of its own, by method or by name; what is no row is refused before anything is made."""
    assert new_arm.operational_inertia(Q, FRAME, ("x",)).shape == (3, 1, 1)
    assert new_arm.call("operational_inertia_tip_of_rod_rows_x", [0.0]) == pytest.approx(M)
    assert generations.asked == [None, ("operational_inertia_tip_of_rod_rows_x",)]
    assert "operational_inertia_tip_of_rod_rows_x" in new_arm.kernels
    for rows in (("x", "x"), ("vx",), ()):
        with pytest.raises(ValueError, match="rows: expected some of x, y, z, rx, ry, rz, each once"):
            new_arm.operational_inertia(Q, FRAME, rows)
    with pytest.raises(kanegen.MissingKernelError, match="has no frame 'hand'"):
        new_arm.hand_power(Q, "hand", ("x",))
    named = kanegen.load(anything(), kernels=["inverse_dynamics"], interpreted=True)
    with pytest.raises(
        kanegen.MissingKernelError, match=r"kernels=\[\.\.\., 'hand_power_tip_of_rod_rows_x'\]"
    ):
        named.hand_power(Q, FRAME, ("x",))


# ---- external wrenches ----


@pytest.mark.parametrize(
    "kernels", [None, ["inverse_dynamics", "forward_dynamics", "frame_jacobian_tip_of_rod"]]
)
def test_external_wrenches(generations, interpreted, kernels):
    """A wind from the left and a torque; with named kernels the Jacobian serves."""
    arm = kanegen.load(anything(), kernels=kernels, interpreted=interpreted, eager=True)
    wrench = np.array([3.0, 1.0, -2.0, 0.4, 0.7, -0.1])
    c, s = np.cos(Q), np.sin(Q)
    pushed = L * (s * wrench[2] - c * wrench[0]) + wrench[4]
    free = M * L**2 * A + M * G * L * s
    tau = arm.inverse_dynamics(Q, V, A, external={FRAME: wrench})
    assert_allclose(tau, free - pushed, rtol=1e-13)
    assert_allclose(arm.forward_dynamics(Q, V, tau, external={FRAME: wrench}), A, rtol=1e-13)
    assert_array_equal(arm.inverse_dynamics(Q, V, A, external={}), arm.inverse_dynamics(Q, V, A))
    # one state under many wrenches
    many = arm.inverse_dynamics(Q[0], V[0], A[0], external={FRAME: np.outer([1.0, 2.0], wrench)})
    assert_allclose(many, free[0] - np.outer([1.0, 2.0], pushed[0]), rtol=1e-13)
    assert arm.forward_dynamics(Q[0], V[0], [0.0], external={FRAME: np.zeros((4, 6))}).shape == (4, 1)
    # out, in the memory of an input
    a = A.copy()
    assert arm.inverse_dynamics(Q, V, a, out=a, external={FRAME: wrench}) is a
    assert_array_equal(a, tau)
    a = tau.copy()
    assert arm.forward_dynamics(Q, V, a, a, external={FRAME: wrench}) is a
    assert_allclose(a, A, rtol=1e-13)
    forces = np.empty((3, 1))
    assert arm.frame_forces(Q, wrench, FRAME, out=forces) is forces
    assert_allclose(forces, pushed, rtol=1e-13)


def test_wrong_external_wrenches(arm):
    with pytest.raises(ValueError, match=r"wrench: expected \(\.\.\., 6\), got \(3,\)"):
        arm.inverse_dynamics(Q, V, A, external={FRAME: np.zeros(3)})
    with pytest.raises(ValueError, match=r"forward_dynamics, tau: expected \(\.\.\., 1\), got \(3, 2\)"):
        arm.forward_dynamics(Q, V, np.zeros((3, 2)), external={FRAME: np.zeros(6)})
    with pytest.raises(kanegen.MissingKernelError, match="has no frame 'hand'"):
        arm.inverse_dynamics(Q, V, A, external={"hand": np.zeros(6)})
    with pytest.raises(ValueError, match=r"inverse_dynamics, out: expected \(3, 1\), got \(1,\)"):
        arm.inverse_dynamics(Q, V, A, out=np.zeros(1), external={FRAME: np.zeros(6)})


# ---- with the generator itself ----


def test_the_generator_makes_them(shared_cache, monkeypatch):
    """Derivatives with live parameters, against differences of second order: errors of step^2 and rounding / step."""
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(shared_cache))
    builder = MechanismBuilder("live")
    mass = builder.parameter("m", 2, "kg")
    builder.body("bob", mass=mass, center=(0, 0, "-0.5"), inertia=("0.1", "0.1", "0.1"))
    builder.revolute("hinge", "base", "bob", axis=(0, 1, 0))
    arm = kanegen.load(builder.build(), live_parameters=True, interpreted=True)
    assert "inverse_dynamics_derivatives" in arm.optional_kernels
    heavy, step = arm.with_parameters({"m": 5.0}), 1e-5
    D = heavy.inverse_dynamics_derivatives(Q, V, A)
    change = heavy.inverse_dynamics(Q + step, V, A) - heavy.inverse_dynamics(Q - step, V, A)
    assert_allclose(D.dq[..., 0], change / (2 * step), rtol=0, atol=1e-8)
    assert_allclose(D.da, heavy.mass_matrix(Q), rtol=1e-14)
    assert_allclose(arm.regressor(Q, V, A) @ arm.base_parameters, arm.inverse_dynamics(Q, V, A), rtol=1e-13)
    dp = heavy.inverse_dynamics_parameter_derivatives(Q, V, A)
    more, less = (arm.with_parameters({"m": 5.0 + d}).inverse_dynamics(Q, V, A) for d in (0.5, -0.5))
    assert_allclose(dp[..., 0], more - less, rtol=1e-12)  # tau is linear in m
