"""What a picture of a mechanism needs to know of its records: see ``kanegen.skeleton``."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.mechanism.force_elements import tied_by
from kanegen.codegen.mechanism.poses import doubles
from kanegen.codegen.mechanism.records import BASE, Joint, JointKind, Mechanism
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    GeneralizedSpeed,
    JointRate,
    slides,
)
from kanegen.skeleton import Link, Skeleton, Vector

NOWHERE: Vector = (0.0, 0.0, 0.0)


def skeleton_of(mechanism: Mechanism, speeds: Sequence[GeneralizedSpeed] = ()) -> Skeleton:
    """The skeleton of a mechanism with its own generalized speeds, or with those given."""
    ties = [(loop.first, loop.second) for loop in mechanism.loops]
    ties += [pair for spring in mechanism.springs for pair in tied_by(spring)]
    units = tuple(_unit(mechanism, name) for name in mechanism.coordinates)
    sliding = [_slides(mechanism, speed) for speed in speeds or mechanism.generalized_speeds]
    return Skeleton(
        base=BASE,
        links=tuple(_links(mechanism)),
        ties=tuple(ties),
        units=units,
        rates=tuple("m/s" if slides else "rad/s" for slides in sliding),
        forces=tuple("N" if slides else "N m" for slides in sliding),
    )


def _links(mechanism: Mechanism) -> list[Link]:
    """The bodies but for carriers, whose joints belong to the body that they carry in the end."""
    carriers = {body.name for body in mechanism.bodies if body.carrier}
    balls = {name: ball for ball in mechanism.balls for name in ball.joints}
    chains: dict[str, list[Joint]] = {}
    links = []
    for joint in mechanism.joints:
        chain = [*chains.pop(joint.parent, []), joint]
        if joint.child in carriers:
            chains[joint.child] = chain
            continue
        ball = balls.get(joint.name)
        alone = len(chain) == 1 and joint.kind is not JointKind.FIXED
        kind = joint.kind.value if len(chain) == 1 else "several"
        if ball is not None:
            kind = "floating" if ball.free else "spherical"
        inertia = mechanism.body(joint.child).inertia
        links.append(
            Link(
                body=joint.child,
                parent=chain[0].parent,
                joint=joint.name if ball is None else ball.name,
                kind=kind,
                axis=_vector(mechanism, joint.axis) if alone else NOWHERE,
                anchor=_vector(mechanism, chain[0].position),
                mass=0.0 if inertia is None else float(doubles(inertia.mass, mechanism)),
                centre=NOWHERE if inertia is None else _vector(mechanism, inertia.center),
            )
        )
    return links


def _vector(mechanism: Mechanism, values: object) -> Vector:
    x, y, z = map(float, doubles(values, mechanism))
    return x, y, z


def _unit(mechanism: Mechanism, coordinate: str) -> str:
    for ball in mechanism.balls:
        if coordinate in ball.coordinates:
            return "1" if coordinate in ball.coordinates[-4:] else "m"
    return "m" if _slides(mechanism, JointRate(coordinate)) else "rad"


def _slides(mechanism: Mechanism, speed: GeneralizedSpeed) -> bool:
    """Whether a speed is in m/s; amplitudes of modes are lengths."""
    if isinstance(speed, CombinedSpeed):
        names = mechanism.coordinates
        return slides(speed, names, [name for name in names if _unit(mechanism, name) == "m"])
    if not isinstance(speed, JointRate):
        return not isinstance(speed, AngularVelocityComponent)
    return speed.joint in mechanism.modes or mechanism.joint(speed.joint).kind is JointKind.PRISMATIC
