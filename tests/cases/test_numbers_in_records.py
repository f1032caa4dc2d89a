"""Case 76: numbers in records made by hand are the same kinds of numbers as everywhere, or refused by name."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import (
    AngularVelocityComponent,
    Body,
    Frame,
    Inertia,
    JointKind,
    JointLimits,
    JointRate,
    Loop,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    ModelError,
    validated,
)
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.flexible import Beam, Mode, Polynomial

WRITE: dict[str, Any] = {
    "floats": float,
    "texts": lambda x: str(Decimal(x.numerator) / Decimal(x.denominator)),
    "numpy": lambda x: np.float64(x),
    "sympy": lambda x: sympy.Rational(x.numerator, x.denominator),
}
"""Ways to write a decimal number."""


def tree() -> Mechanism:
    """Two bodies with everything that has numbers, decimals all of them, and quarter turns."""
    builder = MechanismBuilder("written", gravity=("0.5", 0, "-9.81"))
    builder.body("a", "1.25", ("0.1", "0.2", "0.3"), ("0.3", "0.4", "0.5", "0.01", "0.02", "0.03"))
    builder.body("b", "0.75", (0, "0.2", 0), ("0.1", "0.1", "0.15"))
    builder.body("c", "0.5", (0, "0.2", 0), ("0.1", "0.1", "0.15"))
    turn = ((0, 0, 1), (0, 1, 0), (-1, 0, 0))
    builder.revolute(
        "one", "base", "a", axis=("0.6", "0.8", 0), position=("0.1", 0, "0.2"), rotation=turn,
        damping="0.05", friction="0.02", rotor_inertia="0.125", limits=JointLimits(-1, "1.5", 2, 30),
    )  # fmt: skip
    builder.prismatic("two", "a", "b", axis=(0, 0, 1))
    builder.revolute("three", "b", "c", axis=(0, 0, 1), position=(0, 0, "0.1"))
    builder.mimic("three", "one", "0.5", "0.25")
    builder.frame("tip", "b", ("0.1", "0.2", "0.3"), turn)
    builder.torsional_spring("coil", "one", "2.5", "0.5", "0.1")
    builder.translational_spring("rope", "tip", "base", "10.5", "0.25", "0.4")
    builder.home({"one": "0.2", "two": "0.3"})
    return builder.build()


def link() -> Mechanism:
    builder = MechanismBuilder("boom")
    builder.flexible("link", Beam(1, 2, [Mode("d", y=Polynomial.of(0, 0, 1))], EI_z=100))
    builder.revolute("hinge", "base", "link", axis=(0, 0, 1))
    return builder.build()


def rewritten(value: Any, write: Any, listed: bool) -> Any:
    """A record with its numbers written in another way, and with lists in place of tuples."""
    if isinstance(value, Fraction):
        return write(value)
    if isinstance(value, tuple):
        entries = [rewritten(entry, write, listed) for entry in value]
        return entries if listed else tuple(entries)
    if is_dataclass(value) and not isinstance(value, type):
        changes = {
            f.name: rewritten(getattr(value, f.name), write, listed)
            for f in fields(value)
            if f.name not in ("rounded", "modes", "joints_of_ball")
        }
        return replace(value, **changes)
    return value


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("how", WRITE)
def test_records_of_any_numbers(how: str, listed: bool) -> None:
    """Case 76: the same mechanism, to the last digit, whatever its records' numbers are written as."""
    model = tree()
    again = validated(rewritten(model, WRITE[how], listed))
    assert again == model
    assert fingerprint(again) == fingerprint(model)


def test_numbers_of_flexible_links() -> None:
    """Case 76: modal integrals in doubles are those doubles, in lists as in tuples."""
    model = link()
    again = validated(rewritten(model, float, listed=True))
    assert [float(x) for row in again.flexible[0].stiffness for x in row] == [
        float(x) for row in model.flexible[0].stiffness for x in row
    ]
    assert isinstance(again.flexible[0].integrals.mass, Fraction)


def test_short_ways_to_write_records() -> None:
    """Case 76: principal moments, roll, pitch and yaw, arrays and the words for joints, as in MechanismBuilder."""
    builder = MechanismBuilder("short")
    builder.body("a", 2, (0, 0, "0.1"), (1, 2, "2.5"))
    builder.revolute("hinge", "base", "a", rotation=(0, 0, "0.3"), axis=(0, 0, 1))
    builder.frame("tip", "a", (1, 0, 0), ("0.1", "0.2", "0.3"))
    expected = builder.build()
    by_hand = replace(
        expected,
        bodies=[Body("a", Inertia(2, np.array([0, 0, 0.1]), (1, 2, 2.5)))],  # type: ignore[arg-type]
        joints=[replace(expected.joints[0], kind="revolute", rotation=(0, 0, 0.3))],  # type: ignore[arg-type]
        frames=[expected.frames[0], Frame("tip", "a", (0.1, 0.2, 0.3), [1, 0, 0])],  # type: ignore[arg-type]
    )
    found = validated(by_hand)
    assert found == expected
    assert found.joints[0].kind is JointKind.REVOLUTE
    arm = kanegen.load(by_hand, interpreted=True, kernels=["mass_matrix"])
    # about z: the moment alone, as the mass centre is on the axis
    assert arm.mass_matrix([0.4])[0, 0] == 2.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bodies": [Body("a", Inertia("heavy", (0, 0, 0), (1, 1, 1)))]}, "body 'a', mass: not a finite"),
        ({"bodies": [Body("a", Inertia(True, (0, 0, 0), (1, 1, 1)))]}, "body 'a', mass: a truth value"),
        ({"bodies": [Body("a", Inertia(1, (0, 0), (1, 1, 1)))]}, "body 'a', mass centre: has 2 entries"),
        ({"bodies": [Body("a", Inertia(1, 5, (1, 1, 1)))]}, "body 'a', mass centre: is 5"),
        ({"bodies": [Body("a", Inertia(1, (0, 0, 0), (1, 1)))]}, "body 'a', inertia: has 2 entries"),
        ({"bodies": [Body("a", (1, 2, 3))]}, "body 'a': is .1, 2, 3.; expected a record Inertia"),
        ({"bodies": ["a"]}, "body: is 'a'; expected a record Body"),
        ({"bodies": "a"}, "mechanism 'plain', bodies: is 'a'; expected a tuple"),
        ({"bodies": 5}, "mechanism 'plain', bodies: is 5; expected a tuple"),
        ({"frames": [Frame("a", "a", (1, 2))]}, "frame 'a', rotation: has 2 entries"),
        ({"frames": [Frame("a", "a", position=(0, 0, 1j))]}, "frame 'a', position: not a"),
        ({"gravity": 9.81}, "gravity: is 9.81; expected three numbers"),
        ({"home": (float("inf"),)}, "home: not a finite number, inf"),
        ({"home": (1, 2)}, "home: has 2 numbers; expected 1"),
        ({"coordinates": 3}, "mechanism 'plain', coordinates: is 3"),
        ({"speeds": [JointRate("hinge"), "spin"]}, "speed: is 'spin'; expected a record JointRate or"),
        (
            {"speeds": [AngularVelocityComponent("a", (0, 0))]},
            "speed, angular velocity of 'a', direction: has 2 entries",
        ),
        ({"springs": [Loop("l", LoopKind.REVOLUTE, "a", "base")]}, "spring 'l': is .*expected a record"),
    ],
)
def test_what_is_no_number_is_named(change: dict[str, Any], message: str) -> None:
    """Case 76: what is refused is refused as the model's fault, with the record's name."""
    builder = MechanismBuilder("plain")
    builder.body("a", 1, inertia=(1, 1, 1))
    builder.revolute("hinge", "base", "a", axis=(0, 0, 1))
    with pytest.raises(ModelError, match=message):
        kanegen.load(replace(builder.build(), **change), interpreted=True)


def test_kinds_of_joints_in_words() -> None:
    """Case 76: a joint's kind that there is not."""
    builder = MechanismBuilder("plain")
    builder.body("a", 1, inertia=(1, 1, 1))
    builder.revolute("hinge", "base", "a", axis=(0, 0, 1))
    model = builder.build()
    wrong = replace(model, joints=(replace(model.joints[0], kind="hinge"),))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="joint 'hinge', kind: is 'hinge'"):
        validated(wrong)
