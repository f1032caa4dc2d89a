"""What is wrong with a table of modal integrals is refused in one sentence, with what was expected, and how to mend it."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from kanegen.codegen.mechanism import Mechanism, validated
from kanegen.codegen.mechanism.flexible import (
    LinkTable,
    StationTable,
)

from .refusals import arm, refused

NONE3 = [[0, 0, 0]] * 3
END = StationTable((1, 0, 0), [(0, 1, 0)], [(0, 0, 2)])
TABLE = LinkTable(
    ("d",),
    1,
    ("0.5", 0, 0),
    (0, "0.1", "0.1"),
    [(0, "0.4", 0)],
    [[(0, "0.27", 0), (0, 0, 0), (0, 0, 0)]],
    [[[(0, 0, 0), (0, "0.25", 0), (0, 0, 0)]]],
    [[10]],
    END,
)

TABLES: list[tuple[str, dict[str, Any], str]] = [
    ("no modes", {"modes": ()}, r".*'link': has no modes; .*"),
    ("first", {"first": []}, r".*'link', first: has 0 entries; expected 1, one for each mode\. .*"),
    ("mixed", {"mixed": [NONE3, NONE3]}, r".*'link', mixed: has 2 entries; .*"),
    ("rows of mixed", {"mixed": [NONE3[:2]]}, r".*'link', mixed: has 2 rows; expected 3 rows of 3\. .*"),
    ("products", {"products": []}, r".*'link', products: has 0 entries; .*"),
    ("row of products", {"products": [[]]}, r".*'link', products of mode 'd': has 0 entries; .*"),
    ("numbers of a vector", {"first": [(0, 1)]}, r".*'link', first: has 2 entries; expected three numbers.*"),
    ("stiffness", {"stiffness": [[1, 0]]}, r".*'link', stiffness: has 1 row of 2; .*"),
    ("damping", {"damping": [[1], [0]]}, r".*'link', damping: has 2 rows of 1, 1; .*"),
    ("no list of products", {"products": 3}, ".*'link', products: is 3.*"),
    ("no rows of products", {"products": [[3]]}, r".*'link', products: is 3; expected 3 rows of 3\. .*"),
    ("no list of first", {"first": None}, r".*'link', first: is None; .*"),
    ("no list of modes", {"modes": None}, r".*'link', modes: is None; expected a list of names\. .*"),
    ("no mapping of stations", {"stations": [END]}, ".*'link', stations: is .*"),
    ("no stiffness", {"stiffness": [[0]]}, r".*stiffness: resists not every deflection: .*"),
    ("negative damping", {"damping": [["-0.1"]]}, r".*'link', damping: feeds energy in; .*"),
    ("end", {"end": StationTable((1, 0, 0), [], [(0, 0, 2)])}, ".*'link', end, displacements: has 0.*"),
    (
        "station",
        {"stations": {"mid": StationTable((0, 0, 0), [(0, 0, 0)], [])}},
        r".*'link', frame 'mid', rotations: has 0 entries; .*",
    ),
    ("mass 0", {"mass": 0}, r".*'link', mass: is 0; .*"),
    ("NaN", {"first": [(0, math.nan, 0)]}, r".*'link', first: not a finite number, nan; .*"),
    ("massless", {"products": [[NONE3]], "first": [(0, 0, 0)], "mixed": [NONE3]}, ".*'d': moves no mass.*"),
    (
        "more first moment than mass allows",
        {"first": [(0, "0.6", 0)]},
        r".*'link', integrals: contradict one another: no distribution of mass has them; .*",
    ),
    (
        "another origin",
        {"mixed": [[(0, "-0.27", 0), (0, 0, 0), (0, 0, 0)]]},
        r".*'link', integrals: contradict one another: .*",
    ),
    (
        "motion of what has no extent",
        {"mixed": [[(0, "0.27", 0), (0, "0.1", 0), (0, 0, 0)]]},
        r".*'link', integrals: contradict one another: .*",
    ),
]


def test_the_good_table_is_accepted() -> None:
    assert arm(TABLE).build().coordinates == ("q", "d")


@pytest.mark.parametrize(
    ("changes", "message"), [case[1:] for case in TABLES], ids=[case[0] for case in TABLES]
)
def test_tables(changes: dict[str, Any], message: str) -> None:
    refused(lambda: arm(replace(TABLE, **changes)).build(), message)


def test_products_are_each_others_transposed() -> None:
    def pair(x: str) -> Any:
        return [[0, 0, 0], [0, 0, x], [0, 0, 0]]

    own: Any = [[0, 0, 0], [0, "0.25", 0], [0, 0, "0.25"]]
    transposed: Any = [[0, 0, 0], [0, 0, 0], [0, "0.1", 0]]
    zero = [(0, 0, 0)] * 2
    table = replace(
        TABLE,
        modes=("d", "e"),
        first=zero,
        mixed=[NONE3] * 2,
        products=[[own, pair("0.1")], [transposed, own]],
        stiffness=[[1, 0], [0, 1]],
        end=StationTable((1, 0, 0), zero, zero),
    )
    assert len(arm(table).build().modes) == 2
    wrong = replace(table, products=[[own, pair("0.1")], [pair("0.1"), own]])
    refused(lambda: arm(wrong).build(), r".*products: are not those of shapes: phi_k phi_l\^T is not .*")


def test_tables_have_their_stations_in_them() -> None:
    refused(lambda: arm(TABLE, {"mid": "0.5"}), r".*has stations at distances, but is no beam; .*")


# -- records made by hand ------------------------------------------------------------------------------------------------


def by_hand(**changes: Any) -> Mechanism:
    mechanism = arm(TABLE).build()
    return replace(mechanism, flexible=(replace(mechanism.flexible[0], **changes),))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"body": "arm"}, r"flexible link 'arm': is no body; expected each body once\. Mend its name\."),
        ({"stiffness": ((Fraction(1), Fraction(0)),)}, r".*'link', stiffness: is not square; .*"),
        ({"stations": (("tool", arm(TABLE).build().flexible[0].end),)}, ".*the station 'tool' is no.*"),
    ],
)
def test_records(changes: dict[str, Any], message: str) -> None:
    refused(lambda: validated(by_hand(**changes)), message)


def test_a_link_is_described_once() -> None:
    mechanism = arm(TABLE).build()
    link = mechanism.flexible[0]
    other = replace(link, modes=("e",))
    twice = replace(mechanism, flexible=(link, other), coordinates=("q", "d", "e"))
    refused(lambda: validated(twice), r"flexible link 'link': is described twice; .*")
