"""What is doubtful in names, masses and inertias, joints, and in what flexible links carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from kanegen.codegen.mechanism.doctor.in_numbers import CheckedBody, CheckedJoint, CheckedModel, Place, listed
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.names import c_names, file_name
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.validation.flexible_links import INSIDE, attachments
from kanegen.codegen.mechanism.validation.inertias import POINT, impossibility


def check_model_name(place: Place, name: str, what: str) -> Iterator[Finding]:
    """Findings about the name of a model, which is that of its files, too."""
    return _findings([place], [name], what, {name: file_name(name)})


def check_names(names: Iterable[Place], originals: Iterable[str], what: str) -> Iterator[Finding]:
    """Findings about names of one kind; ``names`` says where each of the ``originals`` is."""
    listed = list(originals)
    return _findings(names, listed, what, c_names(listed))


def _findings(
    names: Iterable[Place], listed: list[str], what: str, identifiers: Mapping[str, str]
) -> Iterator[Finding]:
    for place, name in zip(names, listed, strict=True):
        if name != name.strip():
            yield place.finding(
                Severity.DOUBT,
                "name",
                "begins or ends with white space",
                "a name without",
                "Remove it wherever the name occurs.",
            )
        if identifiers[name] != name:
            yield place.finding(
                Severity.NOTE,
                "name",
                f"becomes {identifiers[name]!r} in the names of files and in C",
                f"a {what} that C and Python can spell",
                "Nothing: in Python the name works as it is.",
            )


HUGE = 1e5  # kg; the heaviest robots weigh some 1e4
TINY = 1e-6  # kg; a screw of watchmakers
DENSEST = 3e4  # kg/m^3; osmium has 22 590
THINNEST = 0.05  # kg/m^3; air has 1.2, and a thin rod in the ball that its inertia would fill some 1
FAR = 10.0  # times the size of a body that its mass centre may be away

_UNITS = "Check units (kg, m, kg m^2): millimetres and grams are the usual reason."


def check_inertias(model: CheckedModel) -> Iterator[Finding]:
    """Findings about every body, and about all of them together."""
    for body in model.bodies:
        yield from _check_body(body)
    moving = [body for body in model.bodies if body.moves]
    bare = [body.name for body in moving if body.mass is None]
    if bare:
        yield model.place.finding(
            Severity.NOTE,
            "",
            f"moves bodies without inertia: {listed(bare)}",
            "a mass and an inertia, unless a body only marks a place",
            "Nothing, if that is so: none is invented.",
        )
    if moving and not any(body.mass for body in moving):
        yield model.place.finding(
            Severity.DOUBT,
            "",
            "nothing that moves has a mass",
            "masses of the bodies that move",
            "Without them only kinematics is of use.",
        )


def _check_body(body: CheckedBody) -> Iterator[Finding]:
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


def _check_mass(body: CheckedBody, mass: float) -> Iterator[Finding]:
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


def _check_size(body: CheckedBody, mass: float, principal: str) -> Iterator[Finding]:
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


def check_joints(model: CheckedModel) -> Iterator[Finding]:
    """Findings about every joint, and about all of them together."""
    for joint in model.joints:
        yield from _check_limits(joint)
    for name in ("velocity", "effort"):
        given = {joint.name: getattr(joint.limits, name, None) for joint in model.joints}
        still = [joint for joint, value in given.items() if value is not None and value <= 0]
        if still:
            yield model.place.finding(
                Severity.NOTE,
                "limits",
                f"the limit of {name} is 0 for {listed(still)}",
                "a positive limit",
                "Give it; no kernel needs it, but controllers and planners do.",
            )
    without = [joint.name for joint in model.joints if joint.limits is None and not joint.endless]
    if without:
        yield model.place.finding(
            Severity.NOTE,
            "limits",
            f"are not given for {listed(without)}",
            "lower, upper, velocity, effort",
            "No kernel needs them; other programs do.",
        )
    resisted = [joint.name for joint in model.joints if joint.resisted]
    if resisted:
        yield model.place.finding(
            Severity.NOTE,
            "",
            f"has damping or friction in {listed(resisted)}, which is left out by default",
            "a decision",
            "friction=True (--friction) takes it into inverse and forward dynamics alike.",
        )
    yield from _check_leaders(model)


def _check_limits(joint: CheckedJoint) -> Iterator[Finding]:
    say, limits = joint.place.finding, joint.limits
    if limits is None:
        return
    lower, upper = limits.lower, limits.upper
    if lower is not None and upper is not None:
        unit = "rad" if joint.turns else "m"
        if lower == upper:
            yield say(
                Severity.DOUBT,
                "limits",
                f"lower and upper are both {float(lower):.9g} {unit}: it cannot move",
                "lower < upper",
                "Give its range, or make the joint fixed.",
            )
        elif joint.turns and 20 < max(abs(lower), abs(upper)) <= 1000:
            yield say(
                Severity.NOTE,
                "limits",
                f"{float(lower):.9g} to {float(upper):.9g} rad are more than three turns: degrees?",
                "radians",
                "Convert them.",
            )


def _check_leaders(model: CheckedModel) -> Iterator[Finding]:
    following = {joint.name: joint.leader for joint in model.joints if joint.leader is not None}
    for joint in model.joints:
        if joint.leader in following:
            yield joint.place.finding(
                Severity.NOTE,
                "mimic",
                f"follows {joint.leader!r}, which itself follows {following[joint.leader]!r}",
                "one leader for all of them",
                "Nothing here; some programs follow one step only.",
            )
    if following:
        yield model.place.finding(
            Severity.NOTE,
            "",
            f"has joints that others move, {listed(list(following))}: they are no coordinates",
            "as many degrees of freedom as other programs count that resolve <mimic>",
            "Remove <mimic> where a joint has a drive of its own.",
        )


def check_attachments(mechanism: Mechanism) -> Iterator[Finding]:
    """A warning for each joint and frame that is attached beside a flexible link or behind its hub: the end carries it."""
    for link in mechanism.flexible:
        for found in attachments(mechanism, link):
            if found.share < INSIDE:
                yield Finding(
                    Severity.WARNING,
                    found.where,
                    f"is {found.share:.3g} of the way to the end of flexible link {link.body!r}, "
                    "and rides on that end all the same",
                    "what the end carries",
                    "What rides on the hub needs a hub that is a body of its own; masses along the link are appendages, "
                    "frames there are stations.",
                )
