"""Masses and inertias: impossible ones, placeholders, wrong units."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kanegen.codegen.mechanism.doctor.subject import Subject, SubjectBody, listed
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.physical import POINT, impossibility

HUGE = 1e5  # kg; the heaviest robots weigh some 1e4
TINY = 1e-6  # kg; a screw of watchmakers
DENSEST = 3e4  # kg/m^3; osmium has 22 590
THINNEST = 0.05  # kg/m^3; air has 1.2, and a thin rod in the ball that its inertia would fill some 1
FAR = 10.0  # times the size of a body that its mass centre may be away

_UNITS = "Check units (kg, m, kg m^2): millimetres and grams are the usual reason."


def check_inertias(subject: Subject) -> Iterator[Finding]:
    """Findings about every body, and about all of them together."""
    for body in subject.bodies:
        yield from _check_body(body)
    moving = [body for body in subject.bodies if body.moves]
    bare = [body.name for body in moving if body.mass is None]
    if bare:
        yield subject.place.finding(
            Severity.NOTE,
            "",
            f"moves bodies without inertia: {listed(bare)}",
            "a mass and an inertia, unless a body only marks a place",
            "Nothing, if that is so: none is invented.",
        )
    if moving and not any(body.mass for body in moving):
        yield subject.place.finding(
            Severity.DOUBT,
            "",
            "nothing that moves has a mass",
            "masses of the bodies that move",
            "Without them only kinematics is of use.",
        )


def _check_body(body: SubjectBody) -> Iterator[Finding]:
    say = body.place.finding
    low, middle, high = body.moments
    principal = f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg m^2"
    if body.mass is None:
        return
    if body.mass < 0:
        yield say(
            Severity.ERROR,
            "mass",
            f"is negative, {body.mass:.9g} kg",
            "a mass of at least 0",
            "Mend its sign.",
        )
        return
    impossible = impossibility(body.mass, body.moments)
    if impossible is not None:
        what, expected = impossible
        yield say(
            Severity.ERROR,
            "inertia",
            f"{principal}: {what}",
            expected,
            "Check units, signs and the order of the six entries; --allow-unphysical uses it as it is.",
        )
        return
    if body.mass == 0:
        if high > 0:
            yield say(
                Severity.DOUBT,
                "mass",
                f"is 0 with {principal}",
                "a positive mass, or no inertia at all",
                "Give its mass.",
            )
        return
    yield from _check_mass(body, body.mass)
    yield from _check_size(body, body.mass, principal)


def _check_mass(body: SubjectBody, mass: float) -> Iterator[Finding]:
    say = body.place.finding
    if mass > HUGE:
        yield say(Severity.DOUBT, "mass", f"is {mass:.6g} kg", f"less than {HUGE:.0e} kg", _UNITS)
    elif mass < TINY:
        yield say(
            Severity.NOTE,
            "mass",
            f"is {mass:.6g} kg, which moves nothing and costs operations",
            "a mass that matters, or none",
            "Remove the inertia of bodies that only mark a place.",
        )


def _check_size(body: SubjectBody, mass: float, principal: str) -> Iterator[Finding]:
    say = body.place.finding
    low, middle, high = body.moments
    if low == middle == high == 1:
        yield say(
            Severity.DOUBT,
            "inertia",
            "is the unit matrix, 1 kg m^2 about every axis: a placeholder",
            "the inertia of this body",
            f"Take it from the CAD model; a body of {mass:.3g} kg rarely has it.",
        )
        return
    spread = math.sqrt(max(low + middle + high, 0.0) / (2 * mass))
    if spread < POINT:
        return  # a point mass: somebody meant it
    # of all bodies with this mass and this mean square distance from the centre, the ball has the least density
    radius = math.sqrt(5 / 3) * spread
    density = mass / (4 / 3 * math.pi) / radius / radius / radius  # without a cube that no double holds
    if density > DENSEST:
        yield say(
            Severity.DOUBT,
            "inertia",
            f"{principal} with {mass:.6g} kg: {spread:.2g} m in size, at least {density:.1e} kg/m^3, denser than any metal",
            "moments about mass * size^2",
            _UNITS,
        )
    elif density < THINNEST:
        yield say(
            Severity.DOUBT,
            "inertia",
            f"{principal} with {mass:.6g} kg: {spread:.2g} m in size, {density:.1e} kg/m^3, thinner than air",
            "moments about mass * size^2",
            _UNITS,
        )
    size = max(body.reach, 3 * spread)
    if body.offset > FAR * size and body.offset > 0.01:
        yield say(
            Severity.DOUBT,
            "mass centre",
            f"is {body.offset:.4g} m from the origin of a body of {size:.2g} m in size",
            "a mass centre within the body",
            _UNITS,
        )
