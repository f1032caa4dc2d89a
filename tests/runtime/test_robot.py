"""What a robot says of itself, and what it says when something is not there."""

from __future__ import annotations

import copy
import ctypes
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import robots
from numpy.testing import assert_allclose, assert_array_equal

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.manifest import read_manifest


@pytest.fixture
def arm():
    return robots.cart_pole()


def test_description(arm):
    assert arm.name == "cart_pole"
    assert (arm.dof, arm.nq, arm.nv) == (2, 2, 2)
    assert arm.joint_names == ("rail", "hinge")
    assert arm.coordinate_names == ("x", "theta")
    assert arm.frame_names == ("bob", "cart")
    assert arm.gravity == (0.0, 0.0, -9.81)
    assert arm.kernels[:2] == ("inverse_dynamics", "bias_forces")
    counts = arm.operation_counts["inverse_dynamics"]
    assert (counts.multiplications, counts.additions, counts.divisions) == (9, 4, 0)
    assert (counts.square_roots, counts.sincos) == (0, 1)
    assert repr(arm) == f"<Robot 'cart_pole': 2 degrees of freedom, 8 kernels, compiled, {arm.target}>"
    assert repr(robots.interpreted_cart_pole()).endswith("interpreted>")


def test_dynamics(arm):
    q, v, a = robots.states(5)
    assert_allclose(arm.mass_matrix(q), robots.mass_matrix(q), atol=1e-14)
    assert_allclose(arm.bias_forces(q, v), robots.bias_forces(q, v), atol=1e-13)
    assert_allclose(arm.kinetic_energy(q, v), robots.kinetic_energy(q, v), atol=1e-13)
    M_a = np.einsum("...ij,...j->...i", arm.mass_matrix(q), a)
    assert_allclose(arm.inverse_dynamics(q, v, a), M_a + arm.bias_forces(q, v), atol=1e-13)


def test_short_names(arm):
    states = robots.states()
    assert_array_equal(arm.rnea(*states), arm.inverse_dynamics(*states))
    assert_array_equal(arm.crba(states[0]), arm.mass_matrix(states[0]))
    with pytest.raises(kanegen.MissingKernelError):
        arm.aba(*states)


def test_arguments_by_name(arm):
    q, v, a = robots.states()
    assert_array_equal(arm.inverse_dynamics(a=a, v=v, q=q), arm.inverse_dynamics(q, v, a))


def test_frame_pose(arm):
    q = robots.states(3)[0]
    X = arm.frame_pose(q, "bob")
    assert X.shape == (3, 4, 4)
    assert_allclose(X[:, 0, 3], q[:, 0] + 0.8 * np.sin(q[:, 1]), atol=1e-14)
    assert_allclose(
        X[:, :3, :3] @ X[:, :3, :3].swapaxes(1, 2), np.broadcast_to(np.eye(3), (3, 3, 3)), atol=1e-14
    )
    out = np.zeros((4, 4))
    assert arm.frame_pose(q[0], "bob", out=out) is out
    assert_array_equal(out, X[0])


def test_a_frame_that_is_not_there(arm):
    with pytest.raises(kanegen.MissingKernelError, match=r"has no frame 'hand'"):
        arm.frame_pose(np.zeros(2), "hand")
    with pytest.raises(kanegen.MissingKernelError, match="without the kernel 'frame_pose_cart'"):
        arm.frame_pose(np.zeros(2), "cart")
    with pytest.raises(kanegen.MissingKernelError, match="without the kernel 'frame_jacobian_bob'"):
        arm.frame_jacobian(np.zeros(2), "bob")


def test_a_kernel_on_demand_that_was_not_asked_for():
    """The name is right: no other one is suggested."""
    few = kanegen.load("stanford_arm", kernels=["mass_matrix"], interpreted=True)
    with pytest.raises(kanegen.MissingKernelError, match=r"without the kernel 'center_of_mass'\. It has"):
        few.center_of_mass(np.zeros(6))
    with pytest.raises(kanegen.MissingKernelError, match="The nearest name is 'center_of_mass'"):
        few.call("centre_of_mass", np.zeros(6))


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        ("gravity_forces", 1),
        ("coriolis_matrix", 2),
        ("potential_energy", 1),
        ("momentum", 2),
        ("coordinate_rates", 2),
    ],
)
def test_a_kernel_that_is_not_there(arm, kernel, arguments):
    with pytest.raises(kanegen.MissingKernelError) as caught:
        getattr(arm, kernel)(*[np.zeros(2)] * arguments)
    message = str(caught.value)
    assert message.startswith(
        f"'cart_pole' was loaded without the kernel '{kernel}'. It has: inverse_dynamics, "
    )
    assert message.endswith(f"Ask for it: kanegen.load(model, kernels=[..., '{kernel}'])")
    for call in (arm.bind, arm.call, arm.kernel_address):
        with pytest.raises(kanegen.MissingKernelError, match=f"without the kernel '{kernel}'"):
            call(kernel)


def test_a_kernel_that_cannot_be(arm):
    message = "has no kernel 'forward_dynamics': joint 'hinge' has no inertia behind it; give the body 'bob' an inertia"
    with pytest.raises(kanegen.MissingInertiaError, match=message):
        arm.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))


def test_actuators(arm):
    assert_array_equal(arm.to_actuator([[1, 2], [3, -4]]), [[1.0, -2.0], [3.0, 4.0]])
    assert_array_equal(arm.from_actuator(arm.to_actuator([5.0, 6.0])), [5.0, 6.0])
    assert_array_equal(robots.live_pendulum().to_actuator([2.0]), [2.0])
    with pytest.raises(ValueError, match=r"to_actuator, tau: expected \(\.\.\., 2\), got \(2, 1\)"):
        arm.to_actuator(np.zeros((2, 1)))
    with pytest.raises(TypeError, match="from_actuator, forces: expected real numbers"):
        arm.from_actuator(["1", "2"])


def test_live_parameters():
    arm = robots.live_pendulum()
    assert arm.parameters == {"m": 1.5, "rod length": 0.7}
    changed = arm.with_parameters({"rod length": 2})
    assert changed.parameters == {"m": 1.5, "rod length": 2.0}
    q, v, a = np.array([[0.3], [0.5]]), np.zeros(1), np.array([2.0])
    for robot, length in ((arm, 0.7), (changed, 2.0)):
        expected = 1.5 * length**2 * a + 9.81 * 1.5 * length * np.sin(q)
        assert_allclose(robot.inverse_dynamics(q, v, a), expected, atol=1e-13)
        assert_allclose(robot.inverse_dynamics(q[0], v, a), expected[0], atol=1e-13)
        step = robot.bind("inverse_dynamics")
        step.q[:], step.a[:] = q[0], a
        step()
        assert_allclose(step.tau, expected[0], atol=1e-13)


@pytest.mark.parametrize("interpreted", [True, False])
def test_live_parameters_may_be_called_like_arguments(interpreted):
    """A rod whose length is the sum of all these: m l^2 a + m g l cos q, whatever the parts are called."""
    names = ("q", "v", "a", "tau", "t", "qdot", "wrench", "M")
    builder = MechanismBuilder("rod")
    length = sum(builder.parameter(name, "0.0625", "m") for name in names)
    builder.body("bob", 2, (length, 0, 0))
    builder.revolute("j", "base", "bob", (0, -1, 0))
    kernels = ["inverse_dynamics", "forward_dynamics"]
    arm = kanegen.load(builder.build(), kernels=kernels, live_parameters=True, interpreted=interpreted)
    changed = ((arm.with_parameters({name: 0.0625 + 0.1 * k}), 0.5 + 0.1 * k) for k, name in enumerate(names))
    for robot, l in ((arm, 0.5), *changed):
        tau = robot.inverse_dynamics([0.3], [0.2], [1.5])
        assert_allclose(tau, [2 * l * l * 1.5 + 2 * 9.81 * l * np.cos(0.3)], rtol=1e-14)
        assert_allclose(robot.forward_dynamics([0.3], [0.2], tau), [1.5], rtol=1e-13)


def test_copies_and_pickles(arm):
    """Nothing in a robot changes, so that it is its own copy; what is compiled stays in its process."""
    assert copy.copy(arm) is copy.deepcopy(arm) is arm
    with pytest.raises(TypeError, match=r"cannot be pickled"):
        pickle.dumps(arm)


def test_a_misspelt_kernel(arm):
    with pytest.raises(kanegen.MissingKernelError, match="The nearest name is 'mass_matrix'"):
        arm.call("mass_matrx", np.zeros(arm.nq))


def test_wrenches_come_by_the_names_of_frames(arm):
    with pytest.raises(TypeError, match="external: expected wrenches by the names of frames"):
        arm.inverse_dynamics(*np.zeros((3, arm.nv)), external=[1.0])


def test_an_unknown_parameter():
    with pytest.raises(kanegen.KanegenError, match=r"'live pendulum' has no live parameter 'mass'"):
        robots.live_pendulum().with_parameters({"mass": 1.0})
    with pytest.raises(kanegen.KanegenError, match=r"It has: none. Load it with live="):
        robots.cart_pole().with_parameters({"mass": 1.0})


def test_interpreted_parameters():
    manifest = read_manifest(robots.LIVE_PENDULUM)

    class Evaluator:
        def evaluate(self, kernel, arrays, parameters):
            return {"tau": parameters["m"] * arrays["a"]}

    arm = kanegen.Robot(manifest, InterpretedBackend(manifest, Evaluator()))
    assert_array_equal(arm.inverse_dynamics([0.0], [0.0], [2.0]), [3.0])
    heavy = arm.with_parameters({"m": 4.0})
    assert heavy.parameters == {"m": 4.0, "rod length": 0.7}
    assert_array_equal(heavy.inverse_dynamics([0.0], [0.0], [2.0]), [8.0])


def test_addresses(arm):
    function = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * 3)(
        arm.kernel_address("bias_forces")
    )
    q, v, _ = robots.states()
    h = np.zeros(2)
    function(*(ctypes.cast(x.ctypes.data, ctypes.POINTER(ctypes.c_double)) for x in (q, v, h)))
    assert_array_equal(h, arm.bias_forces(q, v))
    assert arm.prepared_address is None
    assert robots.live_pendulum().prepared_address > 0


def test_an_interpreted_robot_has_no_addresses():
    arm = robots.interpreted_cart_pole()
    with pytest.raises(kanegen.NotCompiledError, match=r"'cart_pole' is interpreted, so .* has no address"):
        arm.kernel_address("inverse_dynamics")
    with pytest.raises(kanegen.NotCompiledError):
        _ = arm.prepared_address
    assert arm.target is None


@pytest.mark.parametrize("rows", [None, 50])
def test_threads_get_the_results_of_one(arm, rows):
    """Eight threads on one kernel, each with states of its own: bit for bit what one thread computes."""
    count = 300
    shape = (8, count) if rows is None else (8, count, rows)
    states = robots.states(*shape)

    def run(thread):
        return [arm.inverse_dynamics(*(x[thread, i] for x in states)) for i in range(count)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(run, range(8)))
    assert_array_equal(np.array(found), [run(thread) for thread in range(8)])


def test_importing_leaves_the_generator_alone():
    """Loading compiled kernels needs neither SymPy nor a parser of C."""
    program = (
        "import sys, kanegen, kanegen.extension_source; "
        f"kanegen.load({str(robots.CART_POLE)!r}).mass_matrix([0.0, 0.0]); "
        "found = [m for m in ('sympy', 'mpmath', 'pycparser', 'kanegen.codegen') if m in sys.modules]; "
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", program.partition("; found")[0]], check=True)  # which compiles them
    subprocess.run([sys.executable, "-c", program], check=True)


def test_model_errors_are_found_where_they_are_expected():
    from kanegen.errors import ModelError

    assert kanegen.ModelError is ModelError
    with pytest.raises(AttributeError, match="module 'kanegen' has no attribute 'mode'"):
        _ = kanegen.mode


def test_version():
    from kanegen.codegen.version import VERSION

    assert kanegen.__version__ == VERSION
