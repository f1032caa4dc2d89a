"""Units by dimensional analysis: none is missing on built-in mechanisms, sums are consistent, and mixed ones are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from kanegen.codegen.mechanism import BASE, JointRate, Mechanism, MechanismBuilder, catalogue
from kanegen.codegen.mechanism.edits.living import GROUPS, with_live
from kanegen.codegen.symbolic.account import QuantitiesOfKane
from kanegen.codegen.symbolic.dimensions import LENGTH, NUMBER, TIME, dimension, of_expression, unit
from kanegen.errors import ModelError

RIGID = [name for name in catalogue.names() if not name.startswith("flexible")]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("N m s/rad", "N m s"),
        ("kg m^2/s^2", "N m"),
        ("rad/s^2", "1/s^2"),
        ("1", "1"),
        ("kg m/s", "N s"),
        ("kg/m^3", "kg/m^3"),
        ("1/m", "1/m"),
        ("m^2/s^2", "m^2/s^2"),
    ],
)
def test_units_are_read_and_written(given: str, shown: str) -> None:
    found = dimension(given)
    assert found is not None
    assert unit(found) == shown


def test_what_is_no_one_unit_has_no_dimension() -> None:
    assert [dimension(x) for x in ("", "rad, m", "furlong")] == [None] * 3


def test_expressions_of_users() -> None:
    """A number takes the unit that its place needs, and is plain where any would do; what does not go together is told."""
    q, s, t = sympy.symbols("q s t")
    known = {q: NUMBER, s: LENGTH, t: TIME}
    area = dimension("m^2")
    assert of_expression(s - 0.4 - 0.1 * sympy.sin(2 * t), known) == (LENGTH, False)
    assert of_expression(s**2 + 3 * s - 0.25, known) == (area, False)
    assert of_expression(2 * q, known) == (NUMBER, False)
    assert of_expression(sympy.sqrt(s**2 + 1) - s * sympy.cos(q), known) == (LENGTH, False)
    for mixed in (q - s, q - t, sympy.sin(s) + q, sympy.exp(t) * s, sympy.sqrt(s) - s):
        assert of_expression(mixed, known) == (None, True), mixed


@pytest.mark.parametrize("name", RIGID)
def test_no_quantity_of_a_built_in_mechanism_lacks_a_unit(name: str) -> None:
    found = QuantitiesOfKane(catalogue.mechanism(name), None, False)
    assert [x.name for x, _ in found.definitions.listed if not found.symbols.units[x]] == []


def everything_live(mechanism: Mechanism) -> Mechanism:
    """With parameters, which have units, for all its numbers but angles: a mass of 1 kg is no longer the number 1."""
    there = []
    for group in GROUPS:
        try:
            with_live(mechanism, [group], True)
        except ModelError:
            continue
        there.append(group)
    return with_live(mechanism, there, True)


@pytest.mark.parametrize(
    "name",
    ["stanford_arm", "five_bar", "whipple_bicycle", "plate_disk", "two_link_space_arm", "cylindrical_arm"],
)
def test_all_sums_up_to_the_generalized_forces_are_of_one_unit(name: str) -> None:
    """Every term of K_r, K*_r and of all before them; not where a mass is said to be a length."""
    live = everything_live(catalogue.mechanism(name))
    assert QuantitiesOfKane(live, None, True).dimensions.mixed == set()
    wrong = [replace(p, unit="m") if p.unit in ("kg", "kg/m") else p for p in live.parameters]
    assert QuantitiesOfKane(replace(live, parameters=tuple(wrong)), None, True).dimensions.mixed


def driven(*equations: str) -> QuantitiesOfKane:
    """A planar arm of three links with equations, whose multipliers, coefficients and auxiliary speeds have units."""
    b = MechanismBuilder("arm", gravity=(0, "-9.81", 0))
    for k, above in enumerate((BASE, "link1", "link2"), start=1):
        b.body(f"link{k}", 3 - 0.4 * k, ("0.2", "0.01", 0), ("0.01", "0.02", "0.03"))
        b.revolute(f"q{k}", above, f"link{k}", (0, 0, 1), position=(0.5 if k > 1 else 0, 0, 0))
    b.frame("hand", "link3", ("0.4", 0, 0))
    for k, text in enumerate(equations):
        b.position_constraint(f"e{k}", text)
    b.speeds([JointRate("q3")])
    b.home({"q1": 0.1, "q2": 0.8, "q3": 0.9})
    return QuantitiesOfKane(b.build(), None, False)


@pytest.mark.parametrize(
    ("equations", "units"),
    [
        (("hand.x = 0.6 + sin(2*t)/10", "hand.y = 0.5 - 0.2*t"), {"lambda_e0": "N", "gamma_e1": "m/s^2", "E_q1_e0": "1/m"}),
        (("hand.R21 = 0.9", "hand.x = 0.6"), {"lambda_e0": "N m", "lambda_e1": "N", "A_e1_q1": "m"}),
        (("hand.x**2 + hand.y**2 = 0.64", "q1 = 0.3*q3"), {"lambda_e0": "N/m", "lambda_e1": "N m", "A_e0_q2": "m^2"}),
    ],
)  # fmt: skip
def test_equations_of_users_give_units_to_what_belongs_to_them(
    equations: tuple[str, ...], units: dict[str, str]
) -> None:
    found = driven(*equations)
    given = {x.name: found.symbols.units[x] for x, _ in found.definitions.listed}
    assert {name: given[name] for name in units} == units
    assert found.mixed == []


def test_an_equation_of_mixed_units_is_told() -> None:
    found = driven("hand.x = 0.6", "hand.y = q1 + t")
    assert found.mixed == ["e1"]
    given = {x.name: found.symbols.units[x] for x, _ in found.definitions.listed}
    assert (given["lambda_e0"], given["lambda_e1"]) == ("N", "")
    assert "the equations e1 put different units together" in found.explanation().markdown()
