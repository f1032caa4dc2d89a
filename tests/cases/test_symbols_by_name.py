"""Symbols and numbers given in lists (case 62): their names decide, not their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import JointRate, Mechanism, MechanismBuilder, ModelError

C, L, R, P = sympy.symbols("c l r p")
DECLARED = (C, L, R, P)
"""The order in which the joints are declared; that of the tree is c, p, l, r."""

PLANETS = """
gravity = [0, 0, 0]
coordinates = ["c", "l", "r", "p"]
{home}
speeds = ["l", "r"]
body = [
  {{ name = "car", mass = 3, inertia = [0.05, 0.08, 0.06] }},
  {{ name = "L", mass = 1, inertia = [0.01, 0.02, 0.01] }},
  {{ name = "R", mass = 1, inertia = [0.02, 0.03, 0.02] }},
  {{ name = "P", mass = 0.3, center = [0, 0, 0.05], inertia = [0.001, 0.0015, 0.0012] }},
]
joint = [
  {{ name = "c", type = "revolute", parent = "base", child = "car", axis = [0, 1, 0] }},
  {{ name = "l", type = "revolute", parent = "base", child = "L", axis = [0, 1, 0] }},
  {{ name = "r", type = "revolute", parent = "base", child = "R", axis = [0, 1, 0] }},
  {{ name = "p", type = "revolute", parent = "car", child = "P", axis = [0, 0, 1] }},
]
equation = [
  {{ name = "left", position = "l - c - p/2" }},
  {{ name = "right", position = "r - c + p/2" }},
]
"""


def tree() -> MechanismBuilder:
    """The bodies of a bevel differential and their hinges, not tied together, without gravity."""
    builder = MechanismBuilder("differential", gravity=(0, 0, 0))
    builder.body("car", mass=3, inertia=("0.05", "0.08", "0.06"))
    builder.body("L", mass=1, inertia=("0.01", "0.02", "0.01"))
    builder.body("R", mass=1, inertia=("0.02", "0.03", "0.02"))
    builder.body("P", mass="0.3", center=(0, 0, "0.05"), inertia=("0.001", "0.0015", "0.0012"))
    builder.revolute("c", "base", "car", axis=(0, 1, 0))
    builder.revolute("l", "base", "L", axis=(0, 1, 0))
    builder.revolute("r", "base", "R", axis=(0, 1, 0))
    builder.revolute("p", "car", "P", axis=(0, 0, 1))
    return builder


def differential(q: Sequence[sympy.Symbol] = DECLARED) -> MechanismBuilder:
    builder = tree()
    builder.position_constraint("left", L - C - P / 2, q)
    builder.position_constraint("right", R - C + P / 2, q)
    builder.speeds([JointRate("l"), JointRate("r")])
    return builder


def by_lagrange(tau: Sequence[float]) -> np.ndarray:
    """c'' = (l'' + r'')/2, p'' = l'' - r''; about its axis P keeps its moment, about y it has Iyy + m z^2, and

    T = (J_c c'^2 + J_l l'^2 + J_r r'^2 + J_p p'^2)/2 + the turn of P's Ixx, Iyy about y by p: at p = 0.6 it matters, too.
    """
    l, r, dl, dr = sympy.symbols("l r dl dr")
    c, p, dc, dp = (l + r) / 2, l - r, (dl + dr) / 2, dl - dr
    across = sympy.Rational("0.0015") * sympy.cos(p) ** 2 + sympy.Rational("0.001") * sympy.sin(p) ** 2
    about_y = sympy.Rational("0.08") + across + sympy.Rational("0.3") * sympy.Rational("0.05") ** 2
    T = (about_y * dc**2 + sympy.Rational("0.0012") * dp**2) / 2
    T += (sympy.Rational("0.02") * dl**2 + sympy.Rational("0.03") * dr**2) / 2
    del c
    state = {l: 0.5, r: -0.1, dl: 1.0, dr: -0.4}
    M = sympy.hessian(T, (dl, dr)).subs(state)
    momenta = [T.diff(dl), T.diff(dr)]
    h = [m.diff(l) * dl + m.diff(r) * dr - T.diff(x) for m, x in zip(momenta, (l, r), strict=True)]
    right = sympy.Matrix([f - x.subs(state) for f, x in zip(tau, h, strict=True)])
    return np.array(M.LUsolve(right), dtype=float).ravel()


def accelerations(model: Mechanism) -> np.ndarray:
    arm = kanegen.load(model, interpreted=True, kernels=["forward_dynamics"])
    given = dict(zip("clrp", (0.2, 0.5, -0.1, 0.6), strict=True))
    return arm.forward_dynamics([given[name] for name in arm.coordinate_names], [1, -0.4], [0.7, 0.2])


@pytest.mark.parametrize("q", [DECLARED, (C, P, L, R), (P, R, L, C)])
def test_equations_of_a_differential(q: Sequence[sympy.Symbol]) -> None:
    """Case 62: in whatever order the symbols come, the accelerations are those of Lagrange's equations by hand."""
    expected = by_lagrange((0.7, 0.2))
    assert_allclose(expected, (18.12297, -2.90134), atol=5e-6)  # half of the last digit that is given
    # two roundings of the condition number of M, about 10, times its solution
    assert_allclose(accelerations(differential(q).build()), expected, rtol=1e-13)


def test_symbols_of_other_names_need_an_order() -> None:
    """Case 62: where names say nothing, the order of the coordinates must be stated, and then places decide."""
    x = sympy.symbols("x:4")
    other = dict(zip(DECLARED, x, strict=True))

    def model(*order: str) -> Mechanism:
        builder = tree()
        builder.position_constraint("left", (L - C - P / 2).xreplace(other), x)
        builder.position_constraint("right", (R - C + P / 2).xreplace(other), x)
        builder.speeds([JointRate("l"), JointRate("r")])
        if order:
            builder.coordinates(order)
        return builder.build()

    with pytest.raises(
        ModelError, match=r"'left': goes by the places of its symbols alone.*c, p, l, r.*c, l, r, p"
    ):
        model()
    assert_allclose(accelerations(model(*"clrp")), by_lagrange((0.7, 0.2)), rtol=1e-13)


def test_names_and_places_that_contradict_each_other() -> None:
    """Case 62: one symbol by its name and another by its place mean the same coordinate: refused."""
    x = sympy.Symbol("x")
    builder = tree()
    builder.position_constraint("left", L - C - P / 2, (C, L, x, P))
    builder.speeds([JointRate("l"), JointRate("r"), JointRate("p")])
    with pytest.raises(ModelError, match="both stand for the coordinate 'l'"):
        builder.build()
    # symbols counted from zero beside coordinates counted from one
    counted = MechanismBuilder("counted")
    q = sympy.symbols("q0:2")
    for k, parent in ((1, "base"), (2, "b1")):
        counted.body(f"b{k}", mass=1, inertia=(1, 1, 1))
        counted.revolute(f"q{k}", parent, f"b{k}", axis=(0, 0, 1))
    counted.position_constraint("gear", q[0] - 2 * q[1], q)
    counted.speeds([JointRate("q1")])
    with pytest.raises(ModelError, match="'q0' and 'q1' both stand for the coordinate 'q1'"):
        counted.build()


RATES: list[Callable[[str], str]] = [
    "d{}".format,
    "{}_dot".format,
    "rate({})".format,
    "v_{}".format,
    "x{}".format,
]


@pytest.mark.parametrize("called", RATES)
def test_rates_of_equations_of_velocity(called: Callable[[str], str]) -> None:
    """Case 62: rates go by their names, and where these say nothing each is the rate of the symbol beside it."""
    builder = tree()
    d = {s.name: sympy.Symbol(called(s.name)) for s in DECLARED}
    rates = [d[s.name] for s in DECLARED]
    builder.velocity_constraint("left", d["l"] - d["c"] - d["p"] / 2, DECLARED, rates)
    builder.velocity_constraint("right", d["r"] - d["c"] + d["p"] / 2, DECLARED, rates)
    builder.speeds([JointRate("l"), JointRate("r")])
    assert_allclose(accelerations(builder.build()), by_lagrange((0.7, 0.2)), rtol=1e-13)


def test_rates_in_another_order_than_their_coordinates() -> None:
    """Case 62: rates whose names say which they are need not stand beside their coordinates."""
    builder = tree()
    dc, dl, dr, dp = sympy.symbols("dc dl dr dp")
    builder.velocity_constraint("left", dl - dc - dp / 2, DECLARED, (dp, dr, dl, dc))
    builder.velocity_constraint("right", dr - dc + dp / 2, DECLARED, (dc, dp, dl, dr))
    builder.speeds([JointRate("l"), JointRate("r")])
    assert_allclose(accelerations(builder.build()), by_lagrange((0.7, 0.2)), rtol=1e-13)


def test_laws() -> None:
    """Case 62: a law in the declared order gives each joint its own force, by name, or is refused."""
    t, v = sympy.Symbol("t"), sympy.symbols("dc dl dr dp")
    forces = {"c": -C, "l": -2 * L - v[1], "r": -3 * R, "p": -4 * P - 5 * v[3]}
    builder = tree()
    builder.law("pd", forces, t, DECLARED, v)
    arm = kanegen.load(builder.build(), interpreted=True, kernels=["pd"])
    assert arm.coordinate_names == ("c", "p", "l", "r")
    tau = arm.call("pd", 0.0, [0.1, 0.2, 0.3, 0.4], [1, 2, 3, 4])
    assert_allclose(tau, (-0.1, -4 * 0.2 - 5 * 2, -2 * 0.3 - 3, -3 * 0.4), rtol=1e-15)
    listed = tree()
    listed.law("pd", list(forces.values()), t, DECLARED, v)
    with pytest.raises(
        ModelError, match=r"'pd': its speeds dc, dl, dr, dp come in another order .* c, p, l, r"
    ):
        listed.build()
    unknown = tree()
    unknown.law("pd", {"rr": -R}, t, DECLARED, v)
    with pytest.raises(ModelError, match=r"has a force on 'rr', whose rate is no speed.*Did you mean 'r'"):
        unknown.build()


def test_laws_on_chosen_speeds() -> None:
    """Case 62: coordinates in the declared order, forces on the two speeds that were chosen, in their order."""
    builder = differential()
    builder.law("pd", [-2 * L, -3 * R - P], sympy.Symbol("t"), DECLARED, sympy.symbols("vl vr"))
    arm = kanegen.load(builder.build(), interpreted=True, kernels=["pd"]).with_open_loops("ignore")
    tau = arm.call("pd", 0.0, [0.1, 0.2, 0.3, 0.4], [1, 2])
    assert_allclose(tau, (-2 * 0.3, -3 * 0.4 - 0.2), rtol=1e-15)


def test_home() -> None:
    """Case 62: a home by names, in Python and TOML; a list is refused where nobody has stated the order."""
    wanted = {"c": 0.2, "p": 0.6, "l": 0.5, "r": -0.1}
    builder = differential()
    builder.home(wanted)
    arm = kanegen.load(builder.build(), interpreted=True, kernels=["mass_matrix"])
    assert dict(zip(arm.coordinate_names, arm.home, strict=True)) == wanted
    for home in ("home = { c = 0.2, p = 0.6, r = -0.1, l = 0.5 }", "home = [0.2, 0.5, -0.1, 0.6]"):
        toml = kanegen.codegen.mechanism.importers.toml.from_toml(PLANETS.format(home=home))
        found = dict(zip(toml.coordinates, map(float, toml.home), strict=True))
        assert found == wanted
    listed = differential()
    listed.home((0.2, 0.5, -0.1, 0.6))
    with pytest.raises(ModelError, match=r"home: goes by the places of its numbers alone"):
        listed.build()
    unknown = differential()
    unknown.home({"ll": 0.5})
    with pytest.raises(
        ModelError, match=r"home: has a value for 'll', which is no coordinate.*Did you mean 'l'"
    ):
        unknown.build()


def test_joints_that_follow_others() -> None:
    """Case 62: the equations made of mimics go by names, too, whatever the coordinates are called."""
    builder = MechanismBuilder("gears", gravity=(0, 0, 0))
    for k in (1, 2, 3):
        builder.body(f"b{k}", mass=1, inertia=(2, 2, k))
        builder.revolute(f"q{k}", "base", f"b{k}", axis=(0, 0, 1))
    builder.mimic("q3", "q1", 2)
    builder.position_constraint("gear", sympy.Symbol("q2") - 3 * sympy.Symbol("q1"), sympy.symbols("q1:4"))
    builder.speeds([JointRate("q1")])
    arm = kanegen.load(builder.build(), interpreted=True, kernels=["mass_matrix"])
    # moments 1, 2, 3 at the rates 1, 3, 2
    assert_allclose(arm.mass_matrix([0.1, 0.3, 0.2]), [[1 + 2 * 9 + 3 * 4]], rtol=1e-15)


def test_parameters_of_joints_that_follow_others_beside_equations() -> None:
    """Case 62: a multiplier and an offset that are parameters stay live where the mimic becomes an equation."""
    builder = MechanismBuilder("gears", gravity=(0, 0, 0))
    ratio, shift = builder.parameter("ratio", 2, "1"), builder.parameter("shift", "0.1", "rad")
    for k in (1, 2, 3):
        builder.body(f"b{k}", mass=1, inertia=(2, 2, k))
        builder.revolute(f"q{k}", "base", f"b{k}", axis=(0, 0, 1))
    builder.mimic("q3", "q1", ratio, shift / 2)
    builder.position_constraint("gear", "q2 = 3*q1")
    builder.speeds([JointRate("q1")])
    kernels = ["mass_matrix", "constraint_residual", "constraint_jacobian"]
    arm = kanegen.load(builder.build(), interpreted=True, live=["ratio", "shift"], kernels=kernels)
    other = arm.with_parameters({"ratio": 5, "shift": 0.4})
    # moments 1, 2, 3 at the rates 1, 3, ratio
    assert_allclose(arm.mass_matrix([0.1, 0.3, 0.25]), [[1 + 2 * 9 + 3 * 4]], rtol=1e-15)
    assert_allclose(other.mass_matrix([0.1, 0.3, 0.7]), [[1 + 2 * 9 + 3 * 25]], rtol=1e-15)
    assert_allclose(other.constraint_residual([0.1, 0.3, 0.7]), [0, 0], atol=1e-16)
