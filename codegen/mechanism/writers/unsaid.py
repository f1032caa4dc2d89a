"""What a format cannot say of a mechanism: findings that name the element, so that nothing is lost silently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kanegen.codegen.mechanism.constraints import PrescribedRate
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.records import BallJoint, Joint, JointKind, Mechanism
from kanegen.codegen.mechanism.values import numeric

TOML = "Write TOML, which says it."


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a model file, and what of the mechanism it does not say."""

    text: str
    findings: tuple[Finding, ...]


def unsaid(where: str, what: str, expected: str, cure: str = TOML) -> Finding:
    """Something that the mechanism has, and that is not in the file as it is in the mechanism."""
    return Finding(Severity.WARNING, where, what, expected, cure)


def several(one: str, many: str, names: Iterable[str]) -> str:
    """Elements of one kind by their names: joint 'a'; joints 'a', 'b'."""
    quoted = [repr(name) for name in names]
    return f"{one if len(quoted) == 1 else many} {', '.join(quoted)}"


def unsaid_in_xml(mechanism: Mechanism, format_name: str) -> Iterator[Finding]:
    """What neither URDF nor MJCF can say."""
    expected = f"what {format_name} can say"
    if mechanism.parameters:
        listed = ", ".join(parameter.name for parameter in mechanism.parameters)
        yield unsaid("parameters", f"{listed} are written as the numbers that they have now", expected)
    for given in mechanism.prescribed:
        how = "as a function of time"
        if isinstance(given, PrescribedRate):
            how = f"at the rate {float(numeric(given.rate, mechanism)):g}"
        yield unsaid(f"joint {given.joint!r}", f"moves freely in the file, and {how} here", expected)
    if mechanism.speeds:
        what = "the generalized speeds that were chosen are left out: the file has the rates of its joints"
        yield unsaid("speeds", what, expected)
    for link in mechanism.flexible:
        yield unsaid(f"flexible link {link.body!r}", "is rigid in the file: its modes are left out", expected)
    for law in mechanism.laws:
        yield unsaid(f"control law {law.name!r}", "is left out", expected)


def unsaid_order(mechanism: Mechanism, order: tuple[str, ...], format_name: str) -> Iterator[Finding]:
    """The order of coordinates, where the file's own, depth first, is another one; ``order`` names joints or coordinates."""
    balls: Mapping[str, BallJoint] = {ball.name: ball for ball in mechanism.balls}
    of_file = tuple(
        part for name in order for part in (balls[name].coordinates if name in balls else (name,))
    )
    here = tuple(name for name in mechanism.coordinates if name in of_file)
    if here != tuple(name for name in of_file if name in here):
        yield unsaid(
            "coordinates",
            f"their order, {', '.join(here)}, is left out: that of the file is {', '.join(of_file)}",
            f"the order of the tree, depth first, which is all that {format_name} has",
            "Go by names.",
        )


def moving_names(mechanism: Mechanism) -> tuple[str, ...]:
    """Joints that move, each ball as one, without those that follow others, in the order of the tree."""
    first = {ball.joints[0]: ball.name for ball in mechanism.balls}
    inside = {name for ball in mechanism.balls for name in ball.joints}
    following = {mimic.joint for mimic in mechanism.mimics}
    return tuple(
        first.get(joint.name, joint.name)
        for joint in mechanism.joints
        if joint.kind is not JointKind.FIXED
        and joint.name not in following
        and (joint.name in first or joint.name not in inside)
    )


def resisted(joint: Joint) -> bool:
    """Whether damping, friction or a rotor resists a joint."""
    return joint.damping != 0 or joint.friction != 0 or joint.rotor_inertia != 0
