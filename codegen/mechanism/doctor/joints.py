"""Joints: limits, friction, and joints that follow others."""

from __future__ import annotations

from collections.abc import Iterator

from kanegen.codegen.mechanism.doctor.subject import Subject, SubjectJoint, listed
from kanegen.codegen.mechanism.findings import Finding, Severity


def check_joints(subject: Subject) -> Iterator[Finding]:
    """Findings about every joint, and about all of them together."""
    for joint in subject.joints:
        yield from _check_limits(joint)
    for name in ("velocity", "effort"):
        given = {joint.name: getattr(joint.limits, name, None) for joint in subject.joints}
        still = [joint for joint, value in given.items() if value is not None and value <= 0]
        if still:
            yield subject.place.finding(
                Severity.NOTE,
                "limits",
                f"the limit of {name} is 0 for {listed(still)}",
                "a positive limit",
                "Give it; no kernel needs it, but controllers and planners do.",
            )
    without = [joint.name for joint in subject.joints if joint.limits is None and not joint.endless]
    if without:
        yield subject.place.finding(
            Severity.NOTE,
            "limits",
            f"are not given for {listed(without)}",
            "lower, upper, velocity, effort",
            "No kernel needs them; other programs do.",
        )
    resisted = [joint.name for joint in subject.joints if joint.resisted]
    if resisted:
        yield subject.place.finding(
            Severity.NOTE,
            "",
            f"has damping or friction in {listed(resisted)}, which is left out by default",
            "a decision",
            "friction=True (--friction) takes it into inverse and forward dynamics alike.",
        )
    yield from _check_leaders(subject)


def _check_limits(joint: SubjectJoint) -> Iterator[Finding]:
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


def _check_leaders(subject: Subject) -> Iterator[Finding]:
    following = {joint.name: joint.leader for joint in subject.joints if joint.leader is not None}
    for joint in subject.joints:
        if joint.leader in following:
            yield joint.place.finding(
                Severity.NOTE,
                "mimic",
                f"follows {joint.leader!r}, which itself follows {following[joint.leader]!r}",
                "one leader for all of them",
                "Nothing here; some programs follow one step only.",
            )
    if following:
        yield subject.place.finding(
            Severity.NOTE,
            "",
            f"has joints that others move, {listed(list(following))}: they are no coordinates",
            "as many degrees of freedom as other programs count that resolve <mimic>",
            "Remove <mimic> where a joint has a drive of its own.",
        )
