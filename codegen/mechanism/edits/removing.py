"""Links that are left out, with all that they carry."""

from __future__ import annotations

from dataclasses import replace

from kanegen.codegen.mechanism.edits.remaining import Remaining
from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError, did_you_mean


def without_links(mechanism: Mechanism, name: str, findings: list[Finding]) -> Mechanism:
    """The mechanism without a link and all beyond it: joints, links, frames, drives.

    Loops, constraints, springs and laws that refer to something there are left out, and told of.  Raises ModelError for a
    link that there is not, and where a joint that stays follows one that goes.
    """
    where, links = f"remove {name!r}", [body.name for body in mechanism.bodies if not body.carrier]
    if name not in links:
        frame = next((frame for frame in mechanism.frames if frame.name == name), None)
        raise ModelError(
            where,
            "is the name of no link"
            if frame is None
            else f"is a frame of the link {frame.body!r}, and no link",
            f"one of {', '.join(map(repr, links))}",
            did_you_mean(name, links, "Give one of these."),
        )
    above = {joint.child: joint for joint in mechanism.joints}
    root = name
    carriers = {body.name for body in mechanism.bodies if body.carrier}
    while (
        parent := above[root].parent
    ) in carriers:  # which links the joints of one that has several freedoms
        root = parent
    gone = {root}
    for joint in mechanism.joints:
        if joint.parent in gone:
            gone.add(joint.child)
    if gone >= {*links}:
        raise ModelError(
            where, "leaves nothing", "a link that carries some of the others alone", "Give another one."
        )
    joints = tuple(joint for joint in mechanism.joints if joint.child not in gone)
    left = {joint.name for joint in joints}
    for mimic in mechanism.mimics:
        if mimic.joint in left and mimic.leader not in left:
            moved = mechanism.joint(mimic.joint).child
            carried = {joint.parent: joint.child for joint in joints}
            while moved in carriers and moved in carried:
                moved = carried[moved]
            raise ModelError(
                where,
                f"takes the joint {mimic.leader!r} away, which {mimic.joint!r} follows",
                "joints that stay and follow what stays",
                f"Remove {moved!r} as well, or lock {mimic.leader!r} before.",
            )
    after = replace(
        mechanism,
        joints=joints,
        bodies=tuple(body for body in mechanism.bodies if body.name not in gone),
        frames=tuple(frame for frame in mechanism.frames if frame.body not in gone),
        balls=tuple(ball for ball in mechanism.balls if ball.joints[-1] in left),
        mimics=tuple(mimic for mimic in mechanism.mimics if mimic.joint in left),
        flexible=tuple(link for link in mechanism.flexible if link.body not in gone),
    )
    return Remaining(mechanism, after, {}, where, findings).mechanism()
