"""What SymPy's methods derive, as kernels and beside those of the same mechanism: a double pendulum on a cart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sympy.physics import mechanics

import kanegen
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from kanegen.codegen.symbolic import sympy_mechanics
from kanegen.errors import ModelError

NUMBERS = {"M": 2.5, "m": 1.2, "l": 0.7, "g": 9.81, "c": 0.4}
DAMPED = ("second",)


def described(way: str) -> tuple[Any, list[sympy.Expr]]:
    """The method, and its forces: F on the cart, T between the rods, which are point masses at their ends."""
    M, m, l, g = sympy.symbols("M m l g")
    x, p, q, F, T = mechanics.dynamicsymbols("x p q F T")
    N = mechanics.ReferenceFrame("N")
    O = mechanics.Point("O")
    O.set_vel(N, 0)
    speeds = mechanics.dynamicsymbols("v_x w_p w_q") if way == "kane" else [s.diff() for s in (x, p, q)]
    A, B = N.orientnew("A", "Axis", (p, N.z)), N.orientnew("B", "Axis", (p + q, N.z))
    A.set_ang_vel(N, speeds[1] * N.z)
    B.set_ang_vel(N, (speeds[1] + speeds[2]) * N.z)
    C = O.locatenew("C", x * N.x)
    C.set_vel(N, speeds[0] * N.x)
    P, Q = C.locatenew("P", -l * A.y), None
    P.v2pt_theory(C, N, A)
    Q = P.locatenew("Q", -l * B.y)
    Q.v2pt_theory(P, N, B)
    bodies = [
        mechanics.Particle(f"b{i}", point, mass) for i, (point, mass) in enumerate(((C, M), (P, m), (Q, m)))
    ]
    loads = [(C, F * N.x - M * g * N.y), (P, -m * g * N.y), (Q, -m * g * N.y), (B, T * N.z), (A, -T * N.z)]
    if way == "kane":
        rates = [s.diff() - u for s, u in zip((x, p, q), speeds, strict=True)]
        method = mechanics.KanesMethod(N, q_ind=[x, p, q], u_ind=speeds, kd_eqs=rates)
        method.kanes_equations(bodies, loads)
    else:
        lagrangian = mechanics.Lagrangian(N, *bodies)
        method = mechanics.LagrangesMethod(lagrangian, [x, p, q], forcelist=loads, frame=N)
        method.form_lagranges_equations()
    return method, [F, T]


def same() -> Any:
    """The same with kanegen."""
    b = MechanismBuilder("cart")
    none = ((0, 0, 0),) * 3
    b.gravity((0, "-9.81", 0))
    b.body("cart", "2.5", (0, 0, 0), none)
    b.body("first", "1.2", (0, "-0.7", 0), none)
    b.body("second", "1.2", (0, "-0.7", 0), none)
    b.prismatic("x", BASE, "cart", (1, 0, 0))
    b.revolute("p", "cart", "first", (0, 0, 1))
    b.revolute("q", "first", "second", (0, 0, 1), (0, "-0.7", 0))
    return b.build()


@pytest.mark.parametrize("way", ["kane", "lagrange"])
def test_both_derive_the_same(way: str) -> None:
    """Differences are roundings of some dozens of operations; forward dynamics divides by pivots of 0.2 and more."""
    method, forces = described(way)
    found = sympy_mechanics.compare(method, same(), parameters=NUMBERS, forces=forces)
    assert found.keys() >= {"inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces"}
    assert max(found.values()) < 1e-12


def test_kernels_are_compiled_and_move(tmp_path: Path) -> None:
    """With live parameters, which change what the C gives; the motion is that of the same mechanism."""
    method, forces = described("kane")
    directory = sympy_mechanics.generate(
        method, tmp_path / "cart", name="cart", parameters=NUMBERS, forces=forces, live=True
    )
    cart, own = kanegen.load(directory), kanegen.load(same(), interpreted=True)
    assert cart.parameters["l"] == 0.7
    q, v, tau = np.random.default_rng(5).uniform(-1, 1, (3, 3))
    np.testing.assert_allclose(cart.forward_dynamics(q, v, tau), own.forward_dynamics(q, v, tau), rtol=1e-12)
    a = cart.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(cart.inverse_dynamics(q, v, a), tau, atol=1e-12)
    longer = cart.with_parameters({"l": 1.4})
    assert longer.mass_matrix(q)[2, 2] == pytest.approx(1.2 * 1.4**2)


def test_what_it_cannot_take_is_refused() -> None:
    method, forces = described("kane")
    with pytest.raises(ModelError, match=r"T\(t\)"):
        sympy_mechanics.method_of(method, forces[:1])
    with pytest.raises(ModelError, match="a number for g"):
        sympy_mechanics.compare(
            method, same(), parameters={k: x for k, x in NUMBERS.items() if k != "g"}, forces=forces
        )
    with pytest.raises(ModelError, match="3 coordinates"):
        sympy_mechanics.compare(method, "stanford_arm", parameters=NUMBERS, forces=forces)
