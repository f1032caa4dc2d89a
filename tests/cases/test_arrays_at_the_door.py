"""Arrays that cannot mean what they seem to (CASES2 103), and numbers that are none (98): told, never bent."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder

from .machines import pendulum

# The motions are the same, and slower, where the package was not built.
pytestmark = pytest.mark.filterwarnings("ignore:the compiled integrators are missing:RuntimeWarning")

DERIVATIVES = ("inverse_dynamics_derivatives", "forward_dynamics_derivatives")


@pytest.fixture(scope="module", params=["compiled", "interpreted"])
def arm(request: pytest.FixtureRequest) -> kanegen.Robot:
    builder = MechanismBuilder("arm")
    for name in ("upper", "lower"):
        builder.body(name, mass=2, center=("0.3", "0.1", 0), inertia=("0.02", "0.05", "0.06"))
    builder.revolute("q1", "base", "upper", axis=(0, 0, 1))
    builder.revolute("q2", "upper", "lower", axis=(0, 1, 0), position=(1, 0, 0))
    kernels = ["inverse_dynamics", "forward_dynamics", "mass_matrix", *DERIVATIVES]
    return kanegen.load(builder.build(), kernels=kernels, interpreted=request.param == "interpreted")


@pytest.mark.parametrize("kernel", DERIVATIVES)
@pytest.mark.parametrize("batch", [(), (3,)])
def test_outputs_that_share_memory(arm: kanegen.Robot, kernel: str, batch: tuple[int, ...]) -> None:
    """Case 103: one array for three results, or arrays that overlap: refused.  Apart in one block of memory: right."""
    x = np.random.default_rng(103).uniform(-1, 1, (3, *batch, 2))
    expected = arm.call(kernel, *x)
    shape, size = (*batch, 2, 2), 4 * int(np.prod(batch))
    same, block = np.zeros(shape), np.zeros(4 * size)
    shifted = [block[k : k + size].reshape(shape) for k in (0, size // 2, 3 * size)]
    for wrong in ((same, same, same), (same, np.zeros(shape), same), tuple(shifted)):
        with pytest.raises(ValueError, match=rf"{kernel}, out: the arrays for \w+ and \w+ share memory"):
            arm.call(kernel, *x, out=wrong)
    assert not same.any()
    assert not block.any()
    apart = tuple(block[k * size : (k + 1) * size].reshape(shape) for k in range(3))
    for found, right in zip(arm.call(kernel, *x, out=apart), expected, strict=True):
        np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_outputs_over_inputs(arm: kanegen.Robot, shift: int) -> None:
    """Case 103: an output may lie over inputs, in batches and several rows apart, too: the result is the same."""
    block = np.random.default_rng(3).uniform(-1, 1, 4 * 16)
    q, v, a = (block[k * 8 : (k + 1) * 8].reshape(4, 2) for k in range(3))
    expected = arm.inverse_dynamics(q.copy(), v.copy(), a.copy())
    over = block[4 * shift : 4 * shift + 8].reshape(4, 2)
    np.testing.assert_array_equal(arm.inverse_dynamics(q, v, a, out=over), expected)
    block = np.random.default_rng(4).uniform(-1, 1, 4 * 16)
    q, v, a = (block[k * 8 : (k + 1) * 8].reshape(4, 2) for k in range(3))
    right = arm.inverse_dynamics_derivatives(q.copy(), v.copy(), a.copy())
    outs = tuple(block[k * 16 : (k + 1) * 16].reshape(4, 2, 2) for k in range(3))
    for found, exact in zip(arm.inverse_dynamics_derivatives(q, v, a, out=outs), right, strict=True):
        np.testing.assert_array_equal(found, exact)


def test_masks_are_not_dropped(arm: kanegen.Robot) -> None:
    """Case 103: masked entries are refused by name; a masked array without any is an array; none takes results."""
    v = np.zeros(2)
    masked = np.ma.MaskedArray([0.1, 0.2], mask=[False, True])
    for call in (
        lambda: arm.inverse_dynamics(masked, v, v),
        lambda: arm.inverse_dynamics(v, masked, v),
        lambda: arm.mass_matrix(masked),
        lambda: arm.mass_matrix(np.ma.MaskedArray(np.zeros((4, 2)), mask=np.eye(4, 2) > 0)),
        lambda: arm.linearise(masked),
        lambda: arm.natural_modes(masked),
        lambda: kanegen.simulate(arm, masked, v, 1.0),
        lambda: kanegen.simulate(arm, v, masked, 1.0),
        lambda: kanegen.simulate(arm, v, v, 1.0, times=np.ma.MaskedArray([0.0, 0.5, 1.0], mask=[0, 1, 0])),
    ):
        with pytest.raises(ValueError, match="are masked"):
            call()
    whole = np.ma.MaskedArray([0.1, 0.2])
    np.testing.assert_array_equal(arm.mass_matrix(whole), arm.mass_matrix([0.1, 0.2]))
    with pytest.raises(TypeError, match="mass_matrix, out: expected a plain NumPy array, got a masked one"):
        arm.mass_matrix([0.1, 0.2], out=np.ma.zeros((2, 2)))


@pytest.mark.parametrize(
    "wrong", [["0.1", "0.2"], np.array(["0.1", "0.2"]), [0.1 + 1j, 0.0], [None, 0.0], b"ab"], ids=repr
)
def test_what_is_no_real_number(arm: kanegen.Robot, wrong: Any) -> None:
    """Case 103: text is not parsed and imaginary parts are not dropped, in a simulation as in a call."""
    zero = np.zeros(2)
    with pytest.raises(ValueError, match="q0: expected"):
        kanegen.simulate(arm, wrong, zero, 1.0)
    with pytest.raises(ValueError, match="v0: expected"):
        kanegen.simulate(arm, zero, wrong, 1.0)
    with pytest.raises(ValueError, match=r"times: expected|breaks: expected"):
        kanegen.simulate(arm, zero, zero, 1.0, breaks=wrong)
    with pytest.raises(ValueError, match="tau returned by the controller: expected"):
        kanegen.simulate(arm, zero, zero, 1.0, lambda t, q, v: wrong)
    for call in (
        lambda: arm.mass_matrix(wrong),
        lambda: arm.natural_modes(wrong),
        lambda: arm.linearise(wrong),
    ):
        with pytest.raises(TypeError, match="expected real numbers"):
            call()


HUGE = 10**400
LONGER = 10 ** (sys.get_int_max_str_digits() + 10)
"""More digits than Python writes: a message must not try."""

NO_NUMBERS: dict[str, Any] = {
    "huge": HUGE,
    "longer": LONGER,
    "negative": -HUGE,
    "True": True,
    "np.True_": np.True_,
    "nan": float("nan"),
    "inf": float("inf"),
    "1j": 1j,
    "text": "1",
    "list": [1.0],
    "array": np.ones(1),
}


@pytest.mark.parametrize("wrong", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize(
    "option", ["duration", "rtol", "atol", "step", "sample_period", "drift", "max_step", "t0", "max_steps"]
)
def test_numbers_that_are_none(option: str, wrong: Any) -> None:
    """Cases 98 and 103: every numeric option of a simulation, whatever is given for it, is a ValueError with its name."""
    machine = kanegen.load(pendulum(), kernels=["forward_dynamics"], interpreted=True)
    settings: dict[str, Any] = {
        "duration": 1.0,
        "method": "rk4" if option == "step" else "dopri5",
        option: wrong,
    }
    with pytest.raises(ValueError, match=rf"^{option} must be") as error:
        kanegen.simulate(machine, [0.1], [0.0], settings.pop("duration"), **settings)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "wrong", [[HUGE], [LONGER], np.array([HUGE], dtype=object)], ids=["huge", "longer", "object"]
)
def test_integers_that_no_double_holds(wrong: Any) -> None:
    """Cases 98 and 103: in arrays, too."""
    machine = kanegen.load(pendulum(), kernels=["forward_dynamics"], interpreted=True)
    for arguments in ({"q0": wrong}, {"v0": wrong}, {"times": wrong}, {"breaks": wrong}):
        (name,) = arguments
        with pytest.raises(ValueError, match=f"^{name}: expected real numbers"):
            kanegen.simulate(machine, **{"q0": [0.1], "v0": [0.0], "duration": 1.0, **arguments})


@pytest.mark.parametrize("interpreted", [False, True])
@pytest.mark.parametrize("method", ["dopri5", "rodas4"])
def test_a_tolerance_out_of_reach(interpreted: bool, method: str) -> None:
    """Case 103: nothing is infinite here, the tolerance is out of reach, and that is what is said."""
    kernels = ["forward_dynamics", "forward_dynamics_derivatives"]
    machine = kanegen.load(pendulum(), kernels=kernels, interpreted=interpreted)
    settings = {"method": method, "rtol": 1e-300, "atol": 1e-300, "max_steps": 2000}
    with pytest.warns(RuntimeWarning, match="the tolerance may be out of reach"):
        motion = kanegen.simulate(machine, [0.1], [0.0], 1.0, **settings)
    assert motion.statistics.status.name == "STEP_UNDERFLOW"
    # With an absolute tolerance that can be met a relative one may be as small as it likes.
    motion = kanegen.simulate(machine, [0.1], [0.0], 1.0, method=method, rtol=1e-300, atol=1e-6)
    assert motion.statistics.status.name == "DONE"


class OwnError(Exception):
    """A user's own."""


@pytest.mark.parametrize(
    "error", [OwnError("here"), OverflowError("there"), KeyError("x"), ValueError("mine")]
)
@pytest.mark.parametrize("interpreted", [False, True])
def test_a_controllers_exceptions_pass_unchanged(error: Exception, interpreted: bool) -> None:
    """Case 98: only what kanegen was given is its own to explain."""
    machine = kanegen.load(pendulum(), kernels=["forward_dynamics"], interpreted=interpreted)

    def controller(t: float, q: Any, v: Any) -> Any:
        raise error

    with pytest.raises(type(error)) as found:
        kanegen.simulate(machine, [0.1], [0.0], 1.0, controller)
    assert found.value is error
