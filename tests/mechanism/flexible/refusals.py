"""Links in which nothing is wrong but one thing, and what a refusal looks like."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from kanegen.codegen.mechanism import MechanismBuilder, ModelError
from kanegen.codegen.mechanism.flexible import (
    Beam,
    Mode,
)

SQUARE = (0, 0, 1)
ONE = (Mode("d", y=SQUARE),)
TWO = (Mode("d", y=SQUARE), Mode("e", z=SQUARE))


def arm(link: Any, stations: dict[str, Any] | None = None) -> MechanismBuilder:
    """A link on a hinge."""
    builder = MechanismBuilder("arm")
    builder.flexible("link", link, stations)
    builder.revolute("q", "base", "link", (0, 0, 1))
    return builder


def beam(modes: Sequence[Mode] = ONE, **changes: Any) -> Beam:
    """A beam in which nothing is wrong but what is changed."""
    good: dict[str, Any] = {"length": 1, "mass_per_length": 1, "EI_y": 10, "EI_z": 10, "GJ": 5}
    return Beam(**{**good, "modes": modes, **changes})


def refused(make: Callable[[], object], message: str) -> None:
    """The message, from its first word to its last."""
    with pytest.raises(ModelError) as error:
        make()
    text = str(error.value)
    assert re.fullmatch(message, text), text
    assert re.fullmatch(r"[^;]+: [^;]+; expected [^;]+\. [A-Z].+\.", text), text
