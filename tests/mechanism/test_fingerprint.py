"""The hash of a mechanism: the same for the same description, another for every difference that matters."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from kanegen.codegen.mechanism import Actuator, Frame, Mechanism, MechanismBuilder, Parameter, catalogue
from kanegen.codegen.mechanism.fingerprint import fingerprint


def arm(swap: bool = False) -> Mechanism:
    """Two descriptions that differ only in how an expression is written and in what order parameters are
    used."""
    builder = MechanismBuilder("arm")
    m, r = builder.parameter("m", 2, "kg"), builder.parameter("r", 1, "m")
    moment = (r * r) * m - m * r if swap else -(m * r) + m * (r * r)
    builder.body("link", mass=m + r if not swap else r + m, inertia=(1 + moment, 1, 1))
    builder.revolute("q1", "base", "link", (1, 0, 0))
    return builder.build()


def test_equal_descriptions_have_equal_hashes() -> None:
    assert fingerprint(arm()) == fingerprint(arm())
    assert fingerprint(arm()) == fingerprint(arm(swap=True))


def test_the_hash_is_independent_of_process_and_hash_seed() -> None:
    code = (
        "from kanegen.codegen.mechanism.catalogue import mechanism;"
        "from kanegen.codegen.mechanism.fingerprint import fingerprint;"
        "print(fingerprint(mechanism('stanford_arm')))"
    )
    expected = fingerprint(catalogue.mechanism("stanford_arm"))
    path = ":".join(sys.path)
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == expected


def test_built_in_mechanisms_differ() -> None:
    hashes = {fingerprint(catalogue.mechanism(name)) for name in catalogue.names()}
    assert len(hashes) == len(catalogue.names())


CHANGES: list[Callable[[Mechanism], Mechanism]] = [
    lambda m: replace(m, name="other"),
    lambda m: replace(m, gravity=(Fraction(0), Fraction(0), Fraction(-10))),
    lambda m: replace(m, frames=(*m.frames, Frame("tool", "link"))),
    lambda m: replace(m, actuators=(Actuator("q1", "motor", -1),)),
    lambda m: replace(m, parameters=(Parameter("m", Fraction(3), "kg", ""), m.parameters[1])),
    lambda m: replace(m, bodies=(replace(m.bodies[0], inertia=None),)),
    lambda m: replace(m, joints=(replace(m.joints[0], axis=(Fraction(-1), Fraction(0), Fraction(0))),)),
    lambda m: replace(m, joints=(replace(m.joints[0], name="q"),), coordinates=("q",)),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_shows(change: Callable[[Mechanism], Mechanism]) -> None:
    assert fingerprint(change(arm())) != fingerprint(arm())


def test_signs_of_expressions_show() -> None:
    def one(sign: int) -> Mechanism:
        builder = MechanismBuilder("m")
        p, o = builder.parameter("p", 2, "m"), builder.parameter("o", 2, "m")
        builder.body("link", mass=1, center=((p - o) * sign, (p / o) * sign, (p * o).sine() * sign))
        builder.revolute("q1", "base", "link", (1, 0, 0))
        return builder.build()

    assert fingerprint(one(1)) != fingerprint(one(-1))
