"""Beams in parameters fold to those in numbers; every value of a flexible link is in the mechanism's hash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode, RodFunction
from kanegen.codegen.mechanism.flexible_records import FlexibleLink, ModalIntegrals, Station
from kanegen.codegen.mechanism.folding import with_numbers

from .material_points import ratios

VALUES = {"l": "1.2", "mu": "3", "EI": "400", "J": "0.02", "load": "1.5", "time": "0.001"}


def arm(live: bool, changed: str | None = None) -> Mechanism:
    """One link with everything in parameters, or in their numbers."""
    values = {name: Fraction(x) * (2 if name == changed else 1) for name, x in VALUES.items()}
    builder = MechanismBuilder("arm")
    p: dict[str, Any] = dict(values)
    if live:
        p = {name: builder.parameter(name, x, "1") for name, x in values.items()}
    modes = [
        Mode("a", y=(0, 0, "1.5", "-0.5"), twist=RodFunction(1)),
        Mode("b", z=BeamFunction("clamped-free", 1)),
    ]
    beam = Beam(
        p["l"],
        p["mu"],
        modes,
        EI_y=p["EI"],
        EI_z=p["EI"] * 2,
        GJ=lambda s: 90.0 - 10 * s,
        section_y=p["J"],
        section_z=p["J"] * p["J"],
        damping_time=p["time"],
        appendages=[
            Appendage(p["l"], p["load"], (0, "0.1", 0), (p["J"], p["J"], p["J"])),
            Appendage(0, "2", ("0.05", 0, 0)),
        ],
    )
    builder.flexible("link", beam, {"tip": p["l"], "half": p["l"] / 2})
    builder.revolute("q", "base", "link", (0, 0, 1))
    return builder.build()


def test_expressions_fold_to_the_numbers() -> None:
    """Exactly, but for numbers of forty digits that are no ratios of the model."""
    live = arm(live=True)
    assert isinstance(live.flexible[0].stiffness[0][0], Expression)
    found, expected = with_numbers(live).flexible[0], arm(live=False).flexible[0]
    pairs = list(zip(entries(found), entries(expected), strict=True))
    assert len(pairs) > 60
    for one, other in pairs:
        assert abs(one - other) <= Fraction(1, 10**35) * abs(other)


def test_parts_of_a_length_in_a_parameter_are_known() -> None:
    """Half the length is half of it whatever it is."""
    link = arm(live=True).flexible[0]
    assert dict(link.stations)["tip"].displacements == link.end.displacements
    assert ratios(dict(link.stations)["half"].displacements[0]) == (0, Fraction(5, 16), 0)


@pytest.mark.parametrize("name", VALUES)
def test_a_value_of_a_parameter_changes_the_hash(name: str) -> None:
    assert fingerprint(arm(live=True)) != fingerprint(arm(live=True, changed=name))
    assert fingerprint(arm(live=False)) != fingerprint(arm(live=False, changed=name))


def entries(link: FlexibleLink) -> list[Fraction]:
    """All numbers of a link, in order."""
    found: list[Fraction] = []

    def walk(x: object) -> None:
        if isinstance(x, tuple):
            for entry in x:
                walk(entry)
        elif isinstance(x, Station):
            walk((x.position, x.displacements, x.rotations))
        elif isinstance(x, ModalIntegrals):
            walk(tuple(getattr(x, name) for name in ModalIntegrals.__dataclass_fields__))
        elif isinstance(x, Fraction):
            found.append(x)

    for name in FlexibleLink.__dataclass_fields__:
        walk(getattr(link, name))
    return found


def changed_at(x: Any, place: list[int]) -> Any:
    """The records with the number at a place, counted down, another."""
    if isinstance(x, tuple):
        return tuple(changed_at(entry, place) for entry in x)
    if isinstance(x, Station | ModalIntegrals | FlexibleLink):
        names = type(x).__dataclass_fields__
        return replace(x, **{name: changed_at(getattr(x, name), place) for name in names})
    if isinstance(x, Fraction):
        place[0] -= 1
        return x + 1 if place[0] == -1 else x
    return x


def test_every_number_of_a_link_is_in_the_hash() -> None:
    """Each of them changed by itself gives another hash."""
    mechanism = arm(live=False)
    link = mechanism.flexible[0]
    hashes = {fingerprint(mechanism)}
    count = len(entries(link))
    for place in range(count):
        hashes.add(fingerprint(replace(mechanism, flexible=(changed_at(link, [place]),))))
    assert len(hashes) == count + 1


CHANGES: list[Callable[[FlexibleLink], FlexibleLink]] = [
    lambda link: replace(link, body="other"),
    lambda link: replace(link, modes=("a", "c")),
    lambda link: replace(link, modes=("b", "a")),
    lambda link: replace(link, stations=link.stations[:1]),
    lambda link: replace(link, stations=(("top", link.stations[0][1]), *link.stations[1:])),
]


@pytest.mark.parametrize("change", CHANGES)
def test_names_of_a_link_are_in_the_hash(change: Callable[[FlexibleLink], FlexibleLink]) -> None:
    mechanism = arm(live=False)
    changed = replace(mechanism, flexible=(change(mechanism.flexible[0]),))
    assert fingerprint(changed) != fingerprint(mechanism)
