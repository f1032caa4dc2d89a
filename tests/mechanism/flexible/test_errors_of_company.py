"""Company that flexible links cannot keep is refused in one sentence: what, what was expected, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kanegen.codegen.mechanism import MechanismBuilder

from .refusals import arm, beam, refused


def _ball(b: MechanismBuilder) -> None:
    b.body("hand", 1, (0, 0, 0), (1, 1, 1))
    b.spherical("ball", "link", "hand")


def _follower(b: MechanismBuilder) -> None:
    b.body("hand", 1, (0, 0, 0), (1, 1, 1))
    b.revolute("q2", "link", "hand", (0, 0, 1))
    b.mimic("q2", "q", 2)


def _prescribed(b: MechanismBuilder) -> None:
    b.body("hand", 1, (0, 0, 0), (1, 1, 1))
    b.revolute("q2", "link", "hand", (0, 0, 1))
    b.prescribe("q2", 1)


def _strut(b: MechanismBuilder) -> None:
    b.frame("anchor", "base", (0, 1, 0))
    b.translational_spring("strut", "anchor", "link", 5)


def _rolling(b: MechanismBuilder) -> None:
    b.body("wheel", 1, (0, 0, 0), (1, 2, 1))
    b.revolute("q2", "link", "wheel", (0, 1, 0))
    b.rolling("contact", "wheel", 1)


COMPANY = [
    (_ball, "ball joints"),
    (_follower, "mimics"),
    (_prescribed, "prescribed joints"),
    (_strut, "springs or dampers between frames"),
    (_rolling, "constraints"),
]


@pytest.mark.parametrize(("add", "what"), COMPANY)
def test_company(add: Callable[[MechanismBuilder], None], what: str) -> None:
    builder = arm(beam())
    add(builder)
    refused(
        builder.build,
        rf"mechanism 'arm': has {what}; expected flexible links in a tree of .*"
        r" Leave these out, or the links rigid\.",
    )


@pytest.mark.parametrize("frame", ["mid", "link"])
def test_payloads_are_held_at_the_end(frame: str) -> None:
    builder = arm(beam(), {"mid": "0.5"})
    refused(
        lambda: builder.payload("load", frame, 1),
        rf"payload 'load': the frame '{frame}' is not at the end of the flexible link 'link'; .*",
    )
    builder.frame("grip", "link", (1, 0, 0))
    builder.payload("load", "grip", 1)
    assert builder.build().body("load").inertia is not None
