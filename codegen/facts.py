"""What users of a generated model may want to know of its mechanism, beside the kernels."""

from __future__ import annotations

from kanegen.codegen.derivation.flexible_links.states import link_ends, usual_amplitudes
from kanegen.codegen.derivation.formulations import body_coordinates_of
from kanegen.codegen.derivation.motion_maps.report import constraint_report
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.parameters.base_parameters import base_parameters
from kanegen.codegen.derivation.parameters.inertial_parameters import inertial_parameters
from kanegen.codegen.derivation.resistance.separation import undirected_springs
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.mechanism.records import JointLimits as ExactLimits
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.manifest import BodyCoordinates, Constraints, JointLimits, NamedValue


def driven_joints(mechanism: Mechanism) -> tuple[str, ...]:
    """The joint whose rate each speed is, in order; nothing where it is something else."""
    if not mechanism.constrained:
        return mechanism.rates
    return tuple(s.joint if isinstance(s, JointRate) else "" for s in mechanism.generalized_speeds)


def base_parameters_of(mechanism: Mechanism) -> tuple[NamedValue, ...]:
    """Base parameters, in the order of the columns of the regressor."""
    tree = derivation_tree(mechanism, live=False)
    found = base_parameters(tree.mechanism, tree.live)
    return tuple(NamedValue(n, float(x)) for n, x in zip(found.names, found.values, strict=True))


def inertial_parameters_of(mechanism: Mechanism) -> tuple[NamedValue, ...]:
    """Ten parameters of each moving body, in the order of the columns of the full regressor."""
    found = inertial_parameters(derivation_tree(mechanism, live=False).mechanism)
    return tuple(NamedValue(n, float(x)) for n, x in zip(found.names, found.values, strict=True))


def joint_names(mechanism: Mechanism) -> tuple[str, ...]:
    """The joints that move by themselves, in the order of their coordinates; balls by their own names."""
    flexible = mechanism.modes
    balls = {name: ball.name for ball in mechanism.balls for name in ball.coordinates}
    return tuple(
        dict.fromkeys(balls.get(name, name) for name in mechanism.coordinates if name not in flexible)
    )


def quaternions(mechanism: Mechanism) -> tuple[int, ...]:
    """Where in q the quaternions begin."""
    return tuple(mechanism.coordinates.index(ball.coordinates[-4]) for ball in mechanism.balls)


def _doubles(limits: ExactLimits) -> JointLimits:
    values = (limits.lower, limits.upper, limits.velocity, limits.effort)
    return JointLimits(*(None if x is None else float(x) for x in values))


def limits(mechanism: Mechanism) -> dict[str, JointLimits]:
    """What joints must not exceed, of those that say so."""
    return {joint.name: _doubles(joint.limits) for joint in mechanism.joints if joint.limits is not None}


def has_coulomb_friction(mechanism: Mechanism) -> bool:
    """Whether Coulomb friction acts in the joints."""
    return any(joint.friction != 0 for joint in mechanism.joints)


def modes(mechanism: Mechanism) -> dict[str, float]:
    """Modes of flexible links, with amplitudes that turn the end of their link by a fifth of a radian."""
    return usual_amplitudes(mechanism)


def ends_of_links(mechanism: Mechanism) -> dict[str, dict[str, tuple[float, ...]]]:
    """By flexible link and mode, for amplitude 1: rotation of the end [rad], and displacement over its distance."""
    return link_ends(mechanism)


def speed_names(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the speeds, none where they are the rates of the coordinates."""
    if mechanism.plain_tree:
        return ()
    return constraint_report(mechanism).speeds if mechanism.constrained else mechanism.rates


def constraints(mechanism: Mechanism) -> Constraints | None:
    """Names, rank and redundancy of the constraints; None where there are none."""
    if not mechanism.constrained:
        return None
    found = constraint_report(mechanism).constraints
    return found if found.forces else None


def body_coordinates(mechanism: Mechanism) -> BodyCoordinates | None:
    """Names in the coordinates of bodies; None where these do not know what the mechanism has."""
    return body_coordinates_of(mechanism)


def frame_names(mechanism: Mechanism) -> tuple[str, ...]:
    """The frames that have kernels: those of moving bodies that no frame is named after, and the named ones."""
    named = [frame.name for frame in mechanism.frames]
    carriers = {body.name for body in mechanism.bodies if body.carrier}
    moving = [j.child for j in mechanism.joints if j.kind is not JointKind.FIXED]
    return (*(child for child in moving if child not in carriers and child not in named), *named)


def meeting_ends(mechanism: Mechanism, live: bool) -> tuple[tuple[str, str, str], ...]:
    """Springs and dampers without a direction where their ends meet, as far as these can: name, and the two frames."""
    return tuple((s.name, s.first, s.second) for s in undirected_springs(mechanism, live))
