"""Anything in the place of anything, in all that builds a mechanism: it is taken, or refused in kanegen's words."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import sympy

import kanegen
from kanegen.codegen.mechanism import (
    ForceLaw,
    JointLimits,
    JointRate,
    JointSum,
    LoopKind,
    MechanismBuilder,
    PathLength,
    force_laws,
)
from kanegen.codegen.mechanism.denavit_hartenberg import (
    DHRow,
    LinkParameters,
    ModifiedDH,
    Placed,
    from_dh,
    from_modified_dh,
)
from kanegen.codegen.mechanism.flexible import Beam, Mode
from kanegen.codegen.mechanism.importers import from_mjcf, from_toml, from_urdf, from_xacro, read_file

WRONG: tuple[Any, ...] = (5, None, b"x", object(), ["x"], [None], {"a": object()}, "x", sympy.Symbol("z"))
SYMBOL, ZERO = sympy.Symbol("s"), sympy.Integer(0)
_BEAM = {"length": 1, "mass_per_length": 1, "modes": [Mode("d", y=(0, 0, 1))], "EI_z": 1}
_ROW = {"mass": 1, "inertia": (1, 1, 1)}
_LINK = {"tensor": (1, 1, 1, 0, 0, 0), "first_moment": (0, 0, 0), "mass": 1}
_SYMBOLS = {"expression": sympy.Symbol("j1"), "q": [sympy.Symbol("j1")], "qdot": [sympy.Symbol("dj1")]}
_LAW = {"forces": [0, 0], "time": sympy.Symbol("t"), "v": [sympy.Symbol("v1")]}
RIGHT: dict[str, Any] = (
    {
        "name": "new",
        "parent": "a",
        "child": "b",
        "body": "a",
        "frame": "a",
        "parameter": "p",
        "joint": "j1",
        "leader": "j2",
    }
    | {"first": "a", "second": "c", "wheel": "a", "edge": "a", "axis": (0, 0, 1), "second_axis": (1, 0, 0)}
    | {
        "value": 1,
        "unit": "m",
        "gravity": (0, 0, -1),
        "mass": 1,
        "link": Beam(**_BEAM),
        "pitch": 1,
        "radius": 1,
    }
    | {"displacement": PathLength(("base", "c")), "law": force_laws.spring(1), "stiffness": (1,) * 6}
    | {"order": ["j1", "j2"], "kind": LoopKind.SPHERICAL, "speeds": [JointRate("j1")], **_SYMBOLS, **_LAW}
)
"""What the parameters without defaults are called with, by their names."""

METHODS = [
    name for name, _ in inspect.getmembers(MechanismBuilder, inspect.isfunction) if not name.startswith("_")
]


def builder() -> MechanismBuilder:
    """Two hinges, and a body that hangs on nothing yet."""
    made = MechanismBuilder("m")
    for name in "abc":
        made.body(name, 1, (0, 0, 0), (1, 1, 1))
    made.revolute("j1", "base", "a", (0, 0, 1))
    made.revolute("j2", "a", "c", (0, 0, 1))
    return made


def refused_or_taken(make: Callable[[], object]) -> None:
    """Nothing but an error of kanegen comes out, and none for which it blames itself."""
    with suppress(kanegen.KanegenError):
        try:
            make()
        except kanegen.InternalError as error:
            raise AssertionError from error


def with_wrong(right: dict[str, Any], parameters: list[str]) -> Iterator[dict[str, Any]]:
    """Arguments of which one is wrong."""
    for name in parameters:
        for wrong in WRONG:
            yield right | {name: wrong}


@pytest.mark.parametrize("method", METHODS)
def test_methods_of_the_builder(method: str) -> None:
    signature = inspect.signature(getattr(MechanismBuilder, method)).parameters
    names = [name for name in signature if name != "self"]
    right = {name: RIGHT[name] for name in names if signature[name].default is inspect.Parameter.empty}

    def make(arguments: dict[str, Any]) -> None:
        made = builder()
        getattr(made, method)(**arguments)
        if "b" not in [arguments.get(name) for name in ("child", "name")]:
            made.fixed("holds b", "a", "b")
        made.build()

    for arguments in with_wrong(right, names):
        refused_or_taken(lambda arguments=arguments: make(arguments))


def limited(**given: Any) -> None:
    builder().revolute("j", "a", "b", (0, 0, 1), limits=JointLimits(**given))


def beam(**given: Any) -> None:
    made = MechanismBuilder("m")
    made.flexible("l", Beam(**given))
    made.revolute("j", "base", "l", (0, 0, 1))
    made.build()


def resisted(displacement: Any, law: Any) -> None:
    made = builder()
    made.revolute("j3", "a", "b", (0, 0, 1))
    made.force_element("e", displacement, law)
    made.build()


@pytest.mark.parametrize(
    ("make", "right"),
    [
        (lambda **given: resisted(PathLength(**given), force_laws.spring(1)), {"frames": ("a", "base", "c")}),
        (
            lambda **given: resisted(JointSum(**given), force_laws.spring(1)),
            {"joints": ("j1",), "coefficients": ()},
        ),
        (
            lambda **given: resisted("j1", ForceLaw(**given)),
            dict.fromkeys(("energy", "force", "resistance"), ZERO),
        ),
        *(
            (lambda make=make, **given: resisted("j1", make(**given)), right)
            for make, right in (
                (force_laws.spring, {"stiffness": 1, "rest": 0}),
                (force_laws.dead_band, {"stiffness": (1, 2), "lower": 0, "upper": 1}),
                (force_laws.tabular, {"points": [(0, 0), (1, 1)], "beyond": "linear"}),
                (force_laws.elastic, {"force": SYMBOL, "s": SYMBOL, "energy": SYMBOL**2 / 2}),
                (force_laws.damper, dict.fromkeys(("linear", "quadratic", "cubic"), 1)),
                (force_laws.friction, {"coulomb": 1, "static": 2, "stribeck_speed": 1, "slip_speed": 1}),
                (force_laws.resisting, {"force": SYMBOL, "rate": SYMBOL, "s": None}),
                (force_laws.stops, {"lower": 0, "upper": 1, "stiffness": 1, "dissipation": 1}),
            )
        ),
        (from_dh, {"rows": [DHRow(**_ROW)]}),
        (lambda **given: from_dh([given["row"]]), {"row": DHRow(**_ROW)}),
        (lambda **given: from_dh([DHRow(**given)]), _ROW),
        (
            lambda **given: from_dh([DHRow(**_ROW)], tool=Placed(**given)),
            dict.fromkeys(Placed.__slots__, None),
        ),
        (from_modified_dh, {"name": "a", "rows": [ModifiedDH()], "links": [LinkParameters(**_LINK)]}),
        (
            lambda **given: from_modified_dh("a", [given["row"]], [given["link"]]),
            {"row": ModifiedDH(), "link": 1},
        ),
        (lambda **given: from_modified_dh("a", [ModifiedDH()], [LinkParameters(**given)]), _LINK),
        (limited, dict.fromkeys(JointLimits.__slots__, None)),
        (beam, {**_BEAM, "EI_y": 1, "GJ": 1, "stiffness": None, "damping_time": 0, "appendages": ()}),
        (
            lambda **given: beam(**{**_BEAM, "modes": [Mode(**given)]}),
            {"name": "d", "y": (0, 0, 1), "z": 0, "twist": 0},
        ),
    ],
)
def test_tables_and_records(make: Callable[..., object], right: dict[str, Any]) -> None:
    names = list(inspect.signature(make).parameters) if make is from_dh else list(right)
    for arguments in with_wrong(right, names):
        refused_or_taken(lambda arguments=arguments: make(**arguments))


@pytest.mark.parametrize("read", [from_urdf, from_toml, from_mjcf, from_xacro, read_file])
@pytest.mark.parametrize("path", [5, None, b"x", ["x"]])
def test_what_is_no_path_is_a_wrong_argument(read: Callable[[Any], object], path: object) -> None:
    """As everywhere in Python; see docs/guide/limits.md."""
    with pytest.raises(TypeError, match=r"os\.PathLike"):
        read(path)
