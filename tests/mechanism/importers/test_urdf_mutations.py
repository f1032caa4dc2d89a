"""Damaged files: whatever is wrong, the importer answers with a ModelError and the doctor with findings."""

from __future__ import annotations

import random
import re

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.doctor import examine_urdf
from kanegen.codegen.mechanism.findings import Severity
from kanegen.codegen.mechanism.importers.urdf import import_element
from kanegen.codegen.mechanism.importers.xml_tree import parse_text

from .documents import joint, link, robot

WORDS = (
    *(
        "",
        "0",
        "1",
        "-1",
        "nan",
        "inf",
        "1,5",
        "1e59",
        "1e400",
        "1e-300",
        "0 0 0",
        "0 0 1",
        "1.5708 0 0",
        "-0",
    ),
    *("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "Revolute"),
    *("base", "root_joint", "l0", "l3", "j2", "carrier of j2", "j2_x", "int", "a b"),
)
TEXT = robot(
    *(link(f"l{i}") for i in range(6)),
    *(
        joint(
            f"j{i}",
            f"l{i // 2}",
            f"l{i + 1}",
            '<origin xyz="0 0 1" rpy="0 1 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
            + ('<mimic joint="j0" multiplier="2" offset="0"/>' if i == 3 else "")
            + '<dynamics damping="0" friction="1"/>',
            kind=("revolute", "prismatic", "continuous", "revolute", "fixed")[i],
        )
        for i in range(5)
    ),
)


def damaged(seed: int) -> str:
    """A few attributes replaced, and elements removed or doubled."""
    chance = random.Random(seed)
    text = TEXT
    for _ in range(chance.randint(1, 4)):
        if chance.random() < 0.6:
            spot = chance.choice(list(re.finditer(r'="([^"]*)"', text)))
            text = text[: spot.start(1)] + chance.choice(WORDS) + text[spot.end(1) :]
        else:
            spot = chance.choice(list(re.finditer(r"<\w+ [^>]*/>|<(joint|link|inertial)\b.*?</\1>", text)))
            instead = chance.choice(["", spot.group() * 2])
            text = text[: spot.start()] + instead + text[spot.end() :]
    return text


@pytest.mark.parametrize("floating", [False, True])
def test_damaged_files(floating: bool) -> None:
    outcomes = set()
    for seed in range(80):
        root = parse_text(damaged(seed))
        findings = examine_urdf(root, floating_base=floating)
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        if errors:  # what the doctor calls an error, the importer refuses, and nothing else
            with pytest.raises(ModelError, match=r"^line \d+:"):
                import_element(root, floating, False, 1e-11)
            outcomes.add("refused")
        else:
            assert import_element(root, floating, False, 1e-11).mechanism.dof > 0
            outcomes.add("read")
    assert outcomes == {"refused", "read"}
