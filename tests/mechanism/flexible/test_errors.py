"""What is wrong with a beam is refused in one sentence: where, what, what was expected, and how to mend it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from kanegen.codegen.mechanism import MechanismBuilder, ModelError
from kanegen.codegen.mechanism.doctor import examine
from kanegen.codegen.mechanism.flexible import (
    Appendage,
    Beam,
    BeamFunction,
    Mode,
    Polynomial,
    RodFunction,
)

from .refusals import SQUARE, TWO, arm, beam, refused


def test_the_good_beam_is_accepted() -> None:
    assert arm(beam()).build().coordinates == ("q", "d")


MODES = [
    ("moves the near end", Mode("d", y=(1, 0, 1)), "flexible link 'link', mode 'd', y: is not zero at.*"),
    ("turns in its hub", Mode("d", z=(0, "0.5", 1)), ".*mode 'd', dz/dx: is not zero at the joint.*"),
    ("twists in its hub", Mode("d", twist=(1, 1)), r".*mode 'd', twist: is not zero at the joint: 1; .*"),
    ("no shape", Mode("d"), r".*mode 'd': is zero everywhere; expected a shape in y, z or twist.*"),
    ("zero polynomial", Mode("d", y=(0, 0, 0)), r".*mode 'd': is zero everywhere; .*"),
    ("rod that bends", Mode("d", y=RodFunction(1)), ".*mode 'd', y: is the function of a rod in.*"),
    ("beam that twists", Mode("d", twist=BeamFunction("clamped-free", 1)), ".*mode 'd', twist: is the.*"),
    ("mode 0", Mode("d", y=BeamFunction("clamped-free", 0)), r".*mode 'd', y: has number 0; expected 1, 2.*"),
    ("mode -1", Mode("d", twist=RodFunction(-1)), r".*mode 'd', twist: has number -1; .*"),
    ("mode True", Mode("d", y=BeamFunction("clamped-free", True)), r".*has number True; .*"),
    (
        "mode 1.0",
        Mode("d", y=BeamFunction("clamped-free", 1.0)),  # type: ignore[arg-type]
        r".*has number 1\.0; .*",
    ),
    ("support", Mode("d", y=BeamFunction("free-free", 1)), ".*mode 'd', y: has support 'free-free'.*"),
    ("text", Mode("d", y="s^2"), r".*mode 'd', y: 's\^2' is no shape; expected Polynomial, .*"),
    ("number", Mode("d", z=3), r".*mode 'd', z: 3 is no shape; .*"),  # type: ignore[arg-type]
    ("function", Mode("d", z=math.sin), r".*mode 'd', z: .* is no shape; .*"),  # type: ignore[arg-type]
    ("coefficient", Mode("d", y=(0, 0, "x")), r".*mode 'd', y: not a finite number, 'x'; .*"),
    ("coefficient NaN", Mode("d", y=(0, 0, math.nan)), r".*mode 'd', y: not a finite number, nan; .*"),
    ("no name", Mode("", y=SQUARE), r"mode '': has no name; expected a non-empty text\. Name it\."),
    ("number for a name", Mode(3, y=SQUARE), r"mode 3: has no name; .*"),  # type: ignore[arg-type]
    ("name of a joint", Mode("q", y=SQUARE), r".*mode 'q': is the name of another coordinate or joint; .*"),
    ("moves no mass", Mode("d", twist=(0, 1)), ".*mode 'd': moves no mass.*"),
]


@pytest.mark.parametrize(("mode", "message"), [case[1:] for case in MODES], ids=[case[0] for case in MODES])
def test_modes(mode: Mode, message: str) -> None:
    refused(lambda: arm(beam((mode,))).build(), message)


SETS = [
    ("none", (), r".*'link': has no modes; expected at least one\. Leave it rigid, or give it modes\."),
    ("names", ("d",), r".*'link', modes: is given 'd'; expected a list of Mode\(\.\.\.\)\. .*"),
    ("twice", (Mode("d", y=SQUARE), Mode("d", z=SQUARE)), r"mode 'd': the name is given twice; .*"),
    (
        "dependent",
        (Mode("a", y=SQUARE), Mode("b", y=(0, 0, 0, 1)), Mode("c", y=(0, 0, 2, -1))),
        r".*'link', modes: are not independent, or so nearly dependent that .*",
    ),
]


@pytest.mark.parametrize(("modes", "message"), [case[1:] for case in SETS], ids=[case[0] for case in SETS])
def test_sets_of_modes(modes: Sequence[Any], message: str) -> None:
    refused(lambda: arm(beam(modes)).build(), message)


def test_modes_of_two_links_have_names_of_their_own() -> None:
    builder = arm(beam())
    builder.flexible("other", beam())
    builder.revolute("q2", "link", "other", (0, 0, 1))
    refused(builder.build, r"mode 'd': the name is given twice; .*")


def test_twist_needs_inertia_of_sections_or_of_an_appendage() -> None:
    twist = (Mode("d", twist=(0, 1)),)
    arm(beam(twist, section_y="0.1")).build()
    arm(beam(twist, appendages=[Appendage(1, 1, (0, 0, 0), (1, 1, 1))])).build()


NAN, INF = math.nan, math.inf
UNITS: list[tuple[str, dict[str, Any], str]] = [
    ("length 0", {"length": 0}, r".*'link', length: is 0\.0; expected more than 0\. .*"),
    ("length -1", {"length": -1}, r".*'link', length: is -1\.0; .*"),
    ("length inf", {"length": INF}, r".*'link', length: not a finite number, inf; .*"),
    ("length text", {"length": "long"}, r".*'link', length: not a finite number, 'long'; .*"),
    ("mass 0", {"mass_per_length": 0}, r".*'link', mass: is 0; expected more than 0\. Give its mass\."),
    ("mass -1", {"mass_per_length": -1}, r".*'link', mass per length: is -1\.0; expected at least 0.*"),
    ("mass NaN", {"mass_per_length": NAN}, r".*'link', mass per length: not a finite number, nan; .*"),
    (
        "mass negative in part",
        {"mass_per_length": lambda s: 1 - 1.2 * s},
        r".*'link', mass per length: is -0\.\d+ at 0\.844 of the length; expected at least 0\. .*",
    ),
    ("mass list", {"mass_per_length": [1]}, r".*'link', mass per length: not a number, \[1\]; .*"),
    ("EI missing", {"EI_z": 0}, r".*'link', stiffness: resists not every deflection: its diagonal is 0; .*"),
    ("EI -1", {"EI_z": -1}, r".*'link', EI_z: is -1\.0; expected at least 0\. .*"),
    ("EI inf", {"EI_z": INF}, r".*'link', EI_z: not a finite number, inf; .*"),
    ("EI negative in part", {"EI_z": Polynomial.of(1, -2)}, r".*'link', EI_z: is -0\.03125 at 0\.516 of.*"),
    ("EI NaN", {"EI_z": lambda s: NAN}, r".*'link', EI_z: is nan at 0 of the length; expected a finite.*"),
    ("EI None", {"EI_z": lambda s: None}, r".*'link', EI_z: is None at 0 of the length; expected a number.*"),
    ("GJ -1", {"GJ": -1}, r".*'link', GJ: is -1\.0; .*"),
    ("section -1", {"section_y": -1}, r".*'link', section_y: is -1\.0; .*"),
    ("stiffness shape", {"stiffness": [[1, 2]]}, r".*'link', stiffness: has 1 row of 2; .*"),
    ("stiffness -1", {"stiffness": [[-1]]}, r".*stiffness: resists not every deflection: .* is -1; .*"),
    ("stiffness NaN", {"stiffness": [[NAN]]}, r".*'link', stiffness: not a finite number, nan; .*"),
    ("damping -1", {"damping": [[-1]]}, r".*'link', damping: feeds energy in; .*"),
    ("damping time -1", {"damping_time": -1}, r".*'link', damping: feeds energy in; .*"),
    ("damping shape", {"damping": []}, r".*'link', damping: has 0 rows of nothing; .*"),
    ("appendage outside", {"appendages": [Appendage(2, 1)]}, ".*'link', appendage: is at 2 of the.*"),
    ("length 1e-324", {"length": 5e-324}, r".*'link', length: is 5e-324 m; .*fourth power.*"),
    ("appendage before", {"appendages": [Appendage(-1, 1)]}, r".*appendage: is at -1 of the length; .*"),
    ("appendage -1", {"appendages": [Appendage(1, -1)]}, r".*appendage, mass: is -1\.0.*"),
    ("appendage NaN", {"appendages": [Appendage(1, NAN)]}, ".*appendage, mass: not a finite number, nan.*"),
    (
        "appendage that no body is",
        {"appendages": [Appendage(1, 1, (0, 0, 0), (1, 1, 5))]},
        r".*'link', appendage, inertia: principal moments 1, 1, 5 kg m\^2: the largest exceeds .*",
    ),
]


@pytest.mark.parametrize(
    ("changes", "message"), [case[1:] for case in UNITS], ids=[case[0] for case in UNITS]
)
def test_beams(changes: dict[str, Any], message: str) -> None:
    refused(lambda: arm(beam(**changes)).build(), message)


@pytest.mark.parametrize("what", ["stiffness", "damping"])
def test_matrices_are_symmetric(what: str) -> None:
    rows = [[1, "0.5"], [0, 1]]
    refused(
        lambda: arm(beam(TWO, **{what: rows})).build(),
        rf".*'link', {what}: is not symmetric; expected a symmetric matrix\. Mend its entries\.",
    )


def test_stiffness_resists_every_combination() -> None:
    rows = [[1, 2], [2, 1]]
    refused(lambda: arm(beam(TWO, stiffness=rows)).build(), r".*stiffness: resists not every deflection: .*")
    refused(lambda: arm(beam(TWO, damping=rows)).build(), r".*damping: feeds energy in; .*")


@pytest.mark.parametrize(
    ("at", "message"),
    [
        (2, r".*'link', frame 'mid': is at 2 of the length; expected between 0 and 1\. Mend its distance\."),
        ("-0.1", r".*frame 'mid': is at -0\.1 of the length; .*"),
        (math.nan, r".*frame 'mid': not a finite number, nan; .*"),
    ],
)
def test_stations(at: Any, message: str) -> None:
    refused(lambda: arm(beam(), {"mid": at}), message)


def test_station_at_no_constant_part_of_a_length_in_a_parameter() -> None:
    builder = MechanismBuilder("arm")
    length = builder.parameter("l", 2, "m")
    refused(
        lambda: builder.flexible("link", beam(length=length), {"mid": 1}),
        r".*frame 'mid': its distance is no constant part of the length; .*",
    )


@pytest.mark.parametrize("name", ["link", "base"])
def test_names_of_stations(name: str) -> None:
    with pytest.raises(ModelError, match=rf"frame '{name}':"):
        arm(beam(), {name: "0.5"}).build()


@pytest.mark.parametrize("given", ["beam", 3, None])
def test_what_is_neither_beam_nor_table(given: Any) -> None:
    refused(lambda: arm(given), r"flexible link 'link': .* does not describe one; expected a Beam or.*")


@pytest.mark.parametrize(
    ("x", "y", "refused"), [(0.5, 0, True), (0, 0, True), (1, 0, False), (0.5, 0.1, False), (-0.1, 0, False)]
)
@pytest.mark.parametrize("what", ["joint", "frame"])
def test_what_sits_on_a_link_before_its_end(x: float, y: float, refused: bool, what: str) -> None:
    """The end would carry it; what reaches back beside the link is carried by the end in truth."""
    b = MechanismBuilder("arm")
    b.flexible("link", Beam(1, 1, [Mode("d", y=(0, 0, 1))], EI_z=40))
    b.revolute("q", "base", "link", (0, 0, 1))
    if what == "joint":
        b.body("motor", 1, (0, 0, 0), (0.01, 0.01, 0.01))
        b.fixed("weld", "link", "motor", position=(x, y, 0))
    else:
        b.frame("middle", "link", (x, y, 0))
    if not refused:
        assert b.build().dof == 2
        doubts = [f.where for f in examine(b.build()) if "rides on that end all the same" in f.what]
        place = "joint 'weld'" if what == "joint" else "frame 'middle'"
        assert doubts == ([place] if x < 0.99 else [])
        return
    with pytest.raises(ModelError, match=r"is attached to flexible link 'link' at 0(\.5)? of the way"):
        b.build()


def test_lists_that_are_none() -> None:
    mode = Mode("d", y=(0, 0, 1))
    for modes, appendages, said in (
        (mode, (), "modes: is given"),
        ([mode], Appendage(1, 1), "appendages: is given"),
        ([mode], [(1, 1)], "appendages: is given"),
    ):
        with pytest.raises(ModelError, match=said):
            MechanismBuilder("arm").flexible("link", Beam(1, 1, modes, EI_z=40, appendages=appendages))  # type: ignore[arg-type]
    b = MechanismBuilder("arm")
    b.flexible("link", Beam(1, 1, (m for m in [mode]), EI_z=40))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"EI_z: raises ZeroDivisionError"):
        MechanismBuilder("arm").flexible("link", Beam(1, 1, [mode], EI_z=lambda s: 1 / 0))
    with pytest.raises(ModelError, match=r"stations: is"):
        MechanismBuilder("arm").flexible("link", Beam(1, 1, [mode], EI_z=40), stations=[0.5])  # type: ignore[arg-type]


def test_a_function_may_raise_anything() -> None:
    def lost(s: float) -> float:
        raise AttributeError("no table")

    mode = Mode("d", y=(0, 0, 1))
    with pytest.raises(ModelError, match=r"EI_z: raises AttributeError at 0 of the length: no table"):
        MechanismBuilder("arm").flexible("link", Beam(1, 1, [mode], EI_z=lost))


@pytest.mark.parametrize(
    ("mass", "inertia", "said"),
    [
        (1, (-0.1, 0.1, 0.1), "one is negative"),
        (1, (0.1, 0.1, 0.3), "the largest exceeds the sum"),
        (0, (0.1, 0.1, 0.1), "there is no mass to have it"),
    ],
)
def test_appendages_are_bodies(mass: float, inertia: tuple[float, ...], said: str) -> None:
    """Also where the beam around it would make the sum one that a body can have."""
    thick = beam(section_y="0.5", section_z="0.5", appendages=[Appendage(1, mass, inertia=inertia)])
    refused(lambda: arm(thick).build(), rf".*'link', appendage, inertia: .*{said}.*")


def test_what_no_double_can_hold() -> None:
    refused(lambda: arm(beam(length=1e200)).build(), r".*1\.0e\+200, which is not below 1e\+60.*")
    refused(lambda: arm(beam(length=1e59)).build(), r".*which is not below 1e\+60.*")


@pytest.mark.parametrize("shape", [BeamFunction("clamped-free", 101), RodFunction(300)])
def test_functions_beyond_what_doubles_resolve(shape: BeamFunction | RodFunction) -> None:
    with pytest.raises(ModelError, match="expected at most 100"):
        MechanismBuilder("arm").flexible("link", Beam(1, 1, [Mode("d", y=shape)], EI_z=40))
