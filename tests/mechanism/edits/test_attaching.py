"""One mechanism of two: beside one another they move as each alone, and on one another as if described at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen import MechanismBuilder, ModelError, ModelWarning
from kanegen.codegen.mechanism import BASE, Mechanism, PathLength, catalogue, force_laws
from kanegen.codegen.mechanism.control_law import quantity
from tests.constrained.ball_models import walker

from .test_changes import gripper_arm

pytestmark = pytest.mark.few_passes

RNG = np.random.default_rng(1)
KERNELS = ["inverse_dynamics", "forward_dynamics", "potential_energy"]


def robot(mechanism: Mechanism, *more: str, **options: Any) -> Any:
    return kanegen.load(mechanism, interpreted=True, kernels=[*KERNELS, *more], **options)


def five_bar() -> Mechanism:
    return catalogue.mechanism("five_bar")


@pytest.mark.parametrize("model", [gripper_arm, walker, five_bar])
def test_beside_one_another(model: Callable[[], Mechanism]) -> None:
    """Joints of all kinds, mimics, springs, loops, laws: the second model with other names, 2 m away."""
    one = model()
    both = kanegen.attach(one, one, at="base", placement=(2, 0, 0), names="left_")
    assert both.coordinates[len(one.coordinates) :] == tuple(f"left_{name}" for name in one.coordinates)
    assert [p.name for p in both.parameters] == [p.name for p in one.parameters] + [
        f"left_{p.name}" for p in one.parameters
    ]
    assert both.dof == 2 * one.dof
    single, double = (robot(m, *(law.name for law in m.laws), friction=True) for m in (one, both))
    q = single.home
    v, a = RNG.uniform(-1, 1, (2, 2, one.dof))
    tau = np.concatenate([single.inverse_dynamics(q, v[k], a[k]) for k in range(2)])
    found = double.inverse_dynamics(np.tile(q, 2), v.ravel(), a.ravel())
    np.testing.assert_allclose(found, tau, atol=1e-12 * abs(tau).max())
    for law in one.laws:
        own = single.call(law.name, 0.0, q, v[0])
        np.testing.assert_allclose(
            double.call(law.name, 0.0, np.tile(q, 2), v.ravel()), [*own, *np.zeros(one.dof)]
        )
        own = single.call(law.name, 0.0, q, v[1])
        found = double.call(f"left_{law.name}", 0.0, np.tile(q, 2), v.ravel())
        np.testing.assert_allclose(found, [*np.zeros(one.dof), *own])


def cart(b: MechanismBuilder) -> None:
    b.body("cart", b.parameter("m", 5, "kg"), (0.1, 0, 0), (0.1, 0.2, 0.3))
    b.prismatic("slide", BASE, "cart", (1, 0, 0), damping=0.3)
    b.body("lid", 1, (0, 0, 0.1), (0.1, 0.1, 0.1))
    b.revolute("hatch", "cart", "lid", (0, 1, 0))
    b.frame("mount", "cart", (0.2, 0.1, 0.3), (0, 0.4, 0))


def pendulum(b: MechanismBuilder, parent: str, anchor: str, prefix: str, **place: Any) -> None:
    length = b.parameter(f"{prefix}m", 0.7, "m")
    b.body(f"{prefix}rod", 2, (length, 0, 0), (0.1, 0.2, 0.3))
    b.revolute(f"{prefix}swing", parent, f"{prefix}rod", (0, 1, 0), **place)
    b.frame(f"{prefix}tip", f"{prefix}rod", (length * 2, 0, 0))
    b.translational_spring(f"{prefix}pull", f"{prefix}tip", anchor, stiffness=9, damping=0.2, rest=0.5)
    k = sympy.Symbol(f"{prefix}m")
    b.force_element(f"{prefix}rope", PathLength((anchor, f"{prefix}tip")), force_laws.spring(3 * k, k))


def test_on_one_another() -> None:
    """The base of the second model, its springs' other ends included, moves with the frame that it stands on."""
    first, second, whole = (MechanismBuilder(name) for name in ("cart", "pendulum", "whole"))
    cart(first)
    pendulum(second, BASE, BASE, "", position=(0, 0, 0.1))
    cart(whole)
    whole.frame("stand", "cart", (0.2 + 0.3 * np.cos(0.4), 0.1, 0.3 - 0.3 * np.sin(0.4)), (0, 0.9, 0))
    place = [0.2 + 0.3 * np.cos(0.4) + 0.1 * np.sin(0.9), 0.1, 0.3 - 0.3 * np.sin(0.4) + 0.1 * np.cos(0.9)]
    pendulum(whole, "cart", "stand", "arm_", position=place, rotation=(0, 0.9, 0))
    found = kanegen.attach(
        first.build(), second.build(), at="mount", placement=(0.3, 0, 0, 0, 0.5, 0), names="arm_"
    )
    assert [joint.name for joint in found.joints] == ["slide", "hatch", "arm_swing"]
    one, other = robot(found, live=["all declared"]), robot(whole.build(), live=["all declared"])
    values = {"m": 3.0, "arm_m": 0.4}
    q, v, a = RNG.uniform(-1, 1, (3, 3))
    for left, right in ((one, other), (one.with_parameters(values), other.with_parameters(values))):
        np.testing.assert_allclose(
            left.inverse_dynamics(q, v, a), right.inverse_dynamics(q, v, a), rtol=1e-12
        )
        np.testing.assert_allclose(left.potential_energy(q), right.potential_energy(q), rtol=1e-12)


def test_names() -> None:
    """No two things of a kind have one name; single ones may be changed instead of all."""
    arm = gripper_arm()
    with pytest.raises(ModelError, match="names='left_' begins"):
        kanegen.attach(arm, arm, at="tool")
    b = MechanismBuilder("gripper")
    b.body("hand", 1, (0, 0, 0.1), (0.1, 0.1, 0.1))
    b.revolute("turn", BASE, "hand", (0, 0, 1))
    with pytest.raises(ModelError, match="has a link 'hand'"):
        kanegen.attach(arm, b.build(), at="tool")
    found = kanegen.attach(arm, b.build(), at="tool", names={"hand": "gripper"})
    assert found.joint("turn").parent == "hand"
    assert found.joint("turn").child == "gripper"
    with pytest.raises(ModelError, match="Did you mean 'tool'"):
        kanegen.attach(arm, b.build(), at="tol")
    with pytest.raises(TypeError):
        kanegen.attach(arm, b.build(), at=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="placement"):
        kanegen.attach(arm, b.build(), at="tool", placement=(1, 2))


def test_laws_of_other_kernels_are_left_out() -> None:
    """The entries that they refer to are others; all else of the models stays."""
    b = MechanismBuilder("arm")
    b.body("link", 2, (0.5, 0, 0), (0, 0.1, 0.1))
    b.revolute("q", BASE, "link", (0, 1, 0))
    b.law(
        "hold", [quantity("gravity_forces")[0]], sympy.Symbol("t"), sympy.symbols("q:1"), sympy.symbols("v:1")
    )
    arm = b.build()
    with pytest.warns(ModelWarning, match="'left_hold': is left out"):
        found = kanegen.attach(replace(arm, laws=()), arm, at="link", names="left_")
    assert not found.laws
    assert found.joint("left_q").parent == "link"


def test_files(tmp_path: Any) -> None:
    """Angles that a file rounds stay what they were meant to be, and are told of together."""
    text = (
        '<robot name="arm"><link name="stand"/><link name="arm"><inertial><mass value="1"/><origin xyz="0.2 0 0"/>'
        '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="stand"/><child link="arm"/><axis xyz="0 0 1"/>'
        '<origin xyz="0 0 0.1" rpy="1.5707963268 0 0"/></joint></robot>'
    )
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    found = kanegen.attach(
        path, str(path), at="arm", placement=(0.4, 0, 0, 1.5707963268, 0, 0), names="second_"
    )
    assert found.rounded is not None
    assert found.rounded.count == 2
    assert next(joint for joint in found.joints if joint.child == "second_stand").parent == "arm"
    arm, q, still = robot(found), np.array([0.3, 0.5]), np.zeros(2)
    # turned twice by a quarter about x, the second arm turns the other way about the first one's axis
    both, own = 0.2 * np.cos(0.3 - 0.5), 0.6 * np.cos(0.3) + 0.1 * np.sin(0.3)
    g = arm.inverse_dynamics(q, still, still)
    np.testing.assert_allclose(g, 9.81 * np.array([own + both, -both]), rtol=1e-12)
