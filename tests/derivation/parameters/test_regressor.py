"""Regressors: unit parameters one by one, base parameters and how many there are."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.parameters.base_parameters import BaseParameters, base_parameters
from kanegen.codegen.derivation.parameters.inertial_parameters import (
    PARTS,
    InertialParameters,
    inertial_parameters,
)
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism import BASE, Inertia, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.records import ZERO3, Matrix3
from tests.derivation.comparison import ROUNDING, Array, derived
from tests.derivation.structured_trees import states, structured_tree
from tests.derivation.tree_kernels import DYNAMICS, full_regressor, regressor
from tests.derivation.trees import random_tree

MACHINES = [
    *(structured_tree(seed, 4) for seed in range(110, 114)),
    random_tree(1, 5),
    mechanism("cylindrical_arm"),
]


def vector(parameters: BaseParameters | InertialParameters) -> Array:
    return np.array([float(x) for x in parameters.values])


def textbook_forces(machine: Mechanism, at: dict[str, Array]) -> Array:
    return evaluate(Deriver(machine, DYNAMICS["inverse_dynamics"], gauge=False)({})[0], at)["tau"]


def single(part: str | None) -> Inertia:
    """A unit mass at the origin, and one further unit parameter of ``part`` (not physical; forces are linear in it)."""
    one, zero = Fraction(1), Fraction(0)
    first = [one if part == "m" + x else zero for x in "xyz"]
    tensor = [[one if part == f"I{min(r, c)}{max(r, c)}" else zero for c in "xyz"] for r in "xyz"]
    square = sum((x * x for x in first), zero)
    for r in range(3):
        for c in range(3):
            tensor[r][c] -= (square if r == c else zero) - first[r] * first[c]
    rows: Matrix3 = tuple((x, y, z) for x, y, z in tensor)  # type: ignore[assignment]
    return Inertia(one, (first[0], first[1], first[2]), rows)


@pytest.mark.parametrize("seed", [111, 115])
def test_each_unit_parameter_is_the_inverse_dynamics_of_that_body(seed: int) -> None:
    """All other bodies without inertia; catches the order and the signs of Ixy, Ixz, Iyz."""
    machine = structured_tree(seed, 4)
    at = states(seed, 2, 4)
    found = evaluate(derived(full_regressor, machine), at)["Y"]
    names = inertial_parameters(machine).names
    for body in {name.partition("_")[2] for name in names}:
        empty = replace(machine, bodies=tuple(replace(b, inertia=None) for b in machine.bodies))

        def forces(part: str | None, body: str = body, empty: Mechanism = empty) -> Array:
            bodies = (replace(b, inertia=single(part)) if b.name == body else b for b in empty.bodies)
            return textbook_forces(replace(empty, bodies=tuple(bodies)), at)

        mass = forces(None)
        for part in PARTS:
            wanted = mass if part == "m" else forces(part) - mass
            column = found[..., names.index(f"{part}_{body}")]
            assert np.abs(column - wanted).max() < 100 * ROUNDING, (part, body)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_base_parameters_are_independent(machine: Mechanism) -> None:
    """Columns at 60 states: far from any linear dependence."""
    Y = evaluate(derived(regressor, machine), states(14, 60, machine.dof))["Y"]
    stacked = Y.reshape(-1, Y.shape[-1])
    scaled = stacked / np.linalg.norm(stacked, axis=0)
    assert np.linalg.svd(scaled, compute_uv=False)[-1] > 1e-4


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
def test_names_say_what_the_values_are(machine: Mechanism) -> None:
    """Evaluated as they read, with coefficients of six digits."""
    every = inertial_parameters(machine)
    known = dict(zip(every.names, vector(every), strict=True))
    base = base_parameters(machine)
    assert len(set(base.names)) == len(base.names)
    for name, value in zip(base.names, base.values, strict=True):
        total = largest = 0.0
        for sign, coefficient, parameter in re.findall(r"([-+]?) ?(\d\S*(?= ))? ?([mI]\w*)", name):
            term = (-1 if sign == "-" else 1) * float(coefficient or 1) * known[parameter]
            total, largest = total + term, max(largest, abs(term))
        assert total == pytest.approx(float(value), abs=1e-5 * largest * (1 + name.count(" ")))


@pytest.mark.parametrize(
    ("name", "number"),
    [("stanford_arm", 33), ("stanford_general", 33), ("rx90_general", 36), ("puma560_general", 36)],
)
def test_known_numbers(name: str, number: int) -> None:
    """7 revolute + 4 prismatic - 4, and 2 less where the first axis is vertical (Gautier & Khalil 1990)."""
    assert len(base_parameters(mechanism(name)).names) == number


def test_the_direction_of_gravity_matters() -> None:
    """A first axis across gravity lifts first moments.  Without it, a body that turns about a point at rest has none."""
    arm = mechanism("rx90_general")
    zero, g = Fraction(0), Fraction("9.81")
    assert len(base_parameters(replace(arm, gravity=(zero, -g, zero))).names) == 38
    weightless = set(base_parameters(replace(arm, gravity=ZERO3)).columns)
    # the first two axes meet: the origin of link 2, the second body, never moves
    assert set(base_parameters(arm).columns) - weightless == {(1, 1), (1, 2)}


def double_pendulum(gravity: tuple[float, float, float]) -> Mechanism:
    builder = MechanismBuilder("pendulum", gravity=gravity)
    builder.body("upper", mass=2, center=(0.3, 0, 0), inertia=(0.1, 0.2, 0.2))
    builder.body("lower", mass=3, center=(0.2, 0.1, 0), inertia=(0.1, 0.3, 0.3))
    builder.revolute("shoulder", BASE, "upper", (0, 0, 1))
    builder.revolute("elbow", "upper", "lower", (0, 0, 1), position=(0.5, 0, 0))
    return builder.build()


def test_a_double_pendulum_by_hand() -> None:
    base = base_parameters(double_pendulum((0, -9.81, 0)))
    assert base.names == (
        "mx_upper + 0.5 m_lower",
        "my_upper",
        "Izz_upper + 0.25 m_lower",
        "mx_lower",
        "my_lower",
        "Izz_lower",
    )
    assert list(map(float, base.values)) == pytest.approx([2.1, 0, 0.2 + 0.18 + 0.75, 0.6, 0.3, 0.3 + 0.15])


def test_a_horizontal_double_pendulum_by_hand() -> None:
    """Gravity along the axes lifts nothing: the first moments of the first body do not matter."""
    names = base_parameters(double_pendulum((0, 0, -9.81))).names
    assert names == ("Izz_upper + 0.25 m_lower", "mx_lower", "my_lower", "Izz_lower")


def test_sliders_by_hand() -> None:
    """Sliders on the base have masses alone.  A lift on a vertical hinge adds its first moment to the hinge's inertia."""
    builder = MechanismBuilder("table", gravity=(0, 0, -9.81))
    for name, parent, axis in (("x", BASE, (1, 0, 0)), ("y", "x", (0, 1, 0))):
        builder.body(name, mass=1, center=(0.1, 0.2, 0.3), inertia=(1, 1, 1))
        builder.prismatic(f"to {name}", parent, name, axis)
    assert base_parameters(builder.build()).names == ("m_x", "m_y")

    builder = MechanismBuilder("crane", gravity=(0, 0, -9.81))
    builder.body("tower", mass=1, inertia=(1, 1, 1))
    builder.body("hoist", mass=2, center=(0.1, 0.2, 0), inertia=(1, 1, 1))
    builder.revolute("turn", BASE, "tower", (0, 0, 1))
    builder.prismatic("lift", "tower", "hoist", (0, 0, 1), position=(0.5, 0, 0))
    base = base_parameters(builder.build())
    assert base.names == ("Izz_tower + mx_hoist + Izz_hoist", "m_hoist")
    assert float(base.values[0]) == pytest.approx(1 + 2 * 0.1 + 1 + 2 * (0.1**2 + 0.2**2))


def test_massless_links_and_welded_tools() -> None:
    """A link without inertia has parameters that are zero; a tool is part of the link that carries it."""
    builder = MechanismBuilder("arm", gravity=(0, -9.81, 0))
    builder.body("link")
    builder.body("tool", mass=2, center=(0, 0.1, 0), inertia=(1, 1, 1))
    builder.revolute("hinge", BASE, "link", (0, 0, 1))
    builder.fixed("weld", "link", "tool", position=(1, 0, 0))
    machine = builder.build()
    every = inertial_parameters(machine)
    assert every.names == tuple(f"{part}_link" for part in PARTS)
    # about the link's origin: Ixy = - m x y, Izz = 1 + 2 (1 + 0.01)
    assert vector(every) == pytest.approx([2, 2, 0.2, 0, 1.02, -0.2, 0, 3, 0, 3.02])
    assert base_parameters(machine).names == ("mx_link", "my_link", "Izz_link")
    builder = MechanismBuilder("empty")
    builder.body("link")
    builder.revolute("hinge", BASE, "link", (0, 0, 1))
    assert vector(inertial_parameters(builder.build())).tolist() == [0] * 10


@pytest.mark.parametrize("gravity", [(0, -3, -9), (0, 0, 0)])
def test_balls(gravity: tuple[float, float, float]) -> None:
    """A body on a ball has no base mass of its own, a free one all ten parameters, whatever orientation they begin with."""
    tensor = (1, 1.1, 1.2, 0.1, 0.02, 0.03)
    for kind, number in (("spherical", 9 if any(gravity) else 6), ("floating", 10)):
        builder = MechanismBuilder(kind, gravity=gravity)
        builder.body("stone", mass=2, center=(0.1, 0.2, 0.3), inertia=tensor)
        getattr(builder, kind)("free", BASE, "stone", position=(0.3, 0, 0))
        tree = derivation_tree(builder.build(), False)
        assert len(base_parameters(tree.mechanism, tree.live).names) == number
    builder = MechanismBuilder("lift", gravity=gravity)
    builder.body("car", mass=1)
    builder.body("stone", mass=2, center=(0.1, 0.2, 0.3), inertia=tensor)
    builder.prismatic("lift", BASE, "car", (0, 0, 1))
    builder.spherical("ball", "car", "stone")
    tree = derivation_tree(builder.build(), False)
    names = base_parameters(tree.mechanism, tree.live).names
    assert names == ("m_car + m_stone", *(f"{part}_stone" for part in PARTS[1:]))
