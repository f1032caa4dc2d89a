"""Numbers of a URDF that are nearly simpler ones, and cost operations for it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.angles import QuarterTurns, nearest_quarter_turns
from kanegen.codegen.mechanism.importers.places import Places, collect
from kanegen.codegen.mechanism.importers.urdf_records import Origin, UrdfRobot

NEAR = Fraction(2, 1000)
"""An angle [rad] this near to a quarter turn, but not to zero, is one of three digits: 1.57, 3.14."""

_NEAR_ZERO = Fraction(1, 10**6)  # rad; smaller angles are no calibration
_NOISE = Fraction(1, 10**9)  # m; no mechanism is made to a nanometre


def check_numbers(robot: UrdfRobot, tolerance: Fraction) -> Iterator[Finding]:
    """Notes on angles near quarter turns, one for each of these, and on lengths that are rounding noise."""
    places: dict[str, Places] = {}
    farthest: dict[str, Fraction] = {}
    lengths: list[Fraction] = []
    noise: dict[str, Places] = {}
    for origin in _origins(robot):
        if origin.element is None:
            continue
        for angle in origin.written:
            near = nearest_quarter_turns(angle)
            if _is_near(near, tolerance):
                collect(places, near.text, origin.element)
                known = farthest.setdefault(near.text, angle)
                if nearest_quarter_turns(known).distance < near.distance:
                    farthest[near.text] = angle
        for length in origin.position:
            if 0 < abs(length) < _NOISE:
                lengths.append(length)
                collect(noise, "", origin.element)
    for text, angle in farthest.items():
        yield _angle_note(angle, places[text])
    if lengths:
        yield _noise_note(min(lengths, key=abs), noise[""])


def _origins(robot: UrdfRobot) -> Iterator[Origin]:
    for link in robot.links:
        if link.inertial is not None:
            yield link.inertial.origin
    for joint in robot.joints:
        yield joint.origin


def _is_near(near: QuarterTurns, tolerance: Fraction) -> bool:
    return tolerance < near.distance < (NEAR if near.count else _NEAR_ZERO)


def _angle_note(farthest: Fraction, places: Places) -> Finding:
    near = nearest_quarter_turns(farthest)
    distance = float(near.distance)
    several = "up to " if len(places.lines) > 1 else ""
    decimals = "" if near.count == 0 else f" to 11 decimals, {float(near.angle):.11f}"
    return places.finding(
        Severity.NOTE,
        "<origin> rpy",
        f"{several}{distance:.2g} rad from {near.text} ({float(farthest)!r}), {places.text}: sine and cosine stay in every "
        "kernel, up to 4 multiplications and 2 additions for each vector that is turned",
        f"{near.text}{decimals}, if that is meant",
        f"Write it, or read the file with angle_tolerance={_at_least(distance)} (--angle-tolerance).",
    )


def _at_least(number: float) -> str:
    """A number of one digit that is not smaller."""
    power = math.floor(math.log10(number))
    return f"{math.ceil(number / 10.0**power)}e{power}"


def _noise_note(smallest: Fraction, places: Places) -> Finding:
    return places.finding(
        Severity.NOTE,
        "<origin> xyz",
        f"lengths below a nanometre, such as {float(smallest):.3g} m, {places.text}: each costs operations",
        "0 where rounding noise was written",
        "Write 0.",
    )
