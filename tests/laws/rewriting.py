"""The same mechanism, described with other frames: what programs that write models do to it.

A link's frame may be anywhere on its joint's axis, in any orientation (for a sliding joint: anywhere), as long as the
joint's frame goes with it; the base may be turned; joints may begin to count elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath

from kanegen.codegen.graph.exact import exact_cosine, exact_sine, to_mpf
from kanegen.codegen.mechanism.constraints import KnifeEdge, RollingContact, TorsionalSpringDamper
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Frame,
    Inertia,
    JointKind,
    Matrix3,
    Mechanism,
    Vector3,
)
from kanegen.codegen.mechanism.rotations import about_axis, angles_of
from kanegen.codegen.mechanism.speeds import AngularVelocityComponent, JointRate, PointVelocityComponent
from kanegen.codegen.mechanism.vectors import (
    add,
    matrix_multiply,
    matrix_vector,
    rotated_tensor,
    scale,
    subtract,
    transpose,
)

WAYS = ("turned", "slid", "placed at random", "root turned", "zeros shifted")

_DIGITS = 60


def rewritten(mechanism: Mechanism, way: str, seed: int = 0) -> tuple[Mechanism, dict[str, Fraction]]:
    """A mechanism with other frames, exact to 60 digits; and by joint what its coordinate is less by.

    Bodies on balls keep theirs.  Loops, contacts and springs name frames, and these stay where they are on their bodies; for
    the base itself one is added where it is turned.
    """
    if way == "root turned":
        mechanism = _with_base_named(mechanism)
    chance = random.Random(f"{mechanism.name} {way} {seed}")
    places: dict[str, tuple[Matrix3, Vector3]] = {BASE: (IDENTITY3, ZERO3)}
    if way == "root turned":
        places[BASE] = (_any_rotation(chance), ZERO3)
    shifts: dict[str, Fraction] = {}
    in_balls = {name for ball in mechanism.balls for name in ball.joints}
    for joint in mechanism.joints:
        turn, slide = IDENTITY3, Fraction(0)
        if (
            joint.name in in_balls
        ):  # those of a ball, whose coordinates and speeds are along the axes of its frames
            places[joint.child] = (turn, ZERO3)
            continue
        if way in ("turned", "placed at random"):
            turn = _about(joint.axis, _angle(chance))
        if way in ("slid", "placed at random"):
            slide = Fraction(chance.randint(-300, 300), 997)
        if way == "placed at random":
            turn = matrix_multiply(turn, _any_rotation(chance))
        if way == "zeros shifted" and joint.kind is not JointKind.FIXED:
            shifts[joint.name] = _angle(chance)
        places[joint.child] = (turn, scale(slide, joint.axis))
    joints = []
    for joint in mechanism.joints:
        before, at = places[joint.parent]
        own, origin = places[joint.child]
        rotation, position = joint.rotation, joint.position
        shift = shifts.get(joint.name, Fraction(0))
        if shift and joint.kind is JointKind.REVOLUTE:
            rotation = matrix_multiply(rotation, _about(joint.axis, shift))
        if joint.kind is JointKind.PRISMATIC:
            position = add(position, matrix_vector(joint.rotation, scale(shift, joint.axis)))
        back = transpose(before)
        moved = add(matrix_vector(joint.rotation, origin), subtract(position, at))
        joints.append(
            replace(
                joint,
                rotation=matrix_multiply(back, matrix_multiply(rotation, own)),
                position=matrix_vector(back, moved),
                axis=matrix_vector(transpose(own), joint.axis),
            )
        )
    bodies = []
    for body in mechanism.bodies:
        inertia = body.inertia
        if inertia is not None:
            own, origin = places[body.name]
            center = matrix_vector(transpose(own), subtract(inertia.center, origin))
            inertia = Inertia(inertia.mass, center, rotated_tensor(transpose(own), inertia.tensor))
        bodies.append(replace(body, inertia=inertia))
    frames = []
    for frame in mechanism.frames:
        own, origin = places[frame.body]
        back = transpose(own)
        rotation = matrix_multiply(back, frame.rotation)
        frames.append(
            replace(frame, rotation=rotation, position=matrix_vector(back, subtract(frame.position, origin)))
        )
    gravity = matrix_vector(transpose(places[BASE][0]), mechanism.gravity)
    speeds = [
        replace(s, direction=matrix_vector(transpose(places[s.body][0]), s.direction))
        if isinstance(s, AngularVelocityComponent)
        else s
        for s in mechanism.speeds
    ]
    found = replace(
        mechanism,
        joints=tuple(joints),
        bodies=tuple(bodies),
        frames=tuple(frames),
        gravity=gravity,
        speeds=tuple(speeds),
    )
    return found, shifts


def _with_base_named(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a frame of its own in place of the base, where the latter carries an end of something."""

    def named(items: tuple[Any, ...]) -> tuple[Any, ...]:
        ends = ("first", "second", "ground", "relative_to")
        return tuple(
            replace(item, **{end: "ground" for end in ends if getattr(item, end, None) == BASE})
            for item in items
        )

    if not (mechanism.constrained or mechanism.springs):
        return mechanism
    return replace(
        mechanism,
        loops=named(mechanism.loops),
        constraints=named(mechanism.constraints),
        springs=named(mechanism.springs),
        speeds=named(mechanism.speeds),
        frames=(*mechanism.frames, Frame("ground", BASE)),
    )


def printed(mechanism: Mechanism, digits: int) -> str:
    """The mechanism as TOML, each number with so many significant digits, orientations as roll, pitch and yaw."""
    return "\n".join(_lines(mechanism, digits))


def _lines(mechanism: Mechanism, digits: int) -> Iterator[str]:
    def number(value: Any) -> str:
        text = mpmath.nstr(to_mpf(value), digits, min_fixed=-30, max_fixed=30)
        return str(text)

    def row(values: Any) -> str:
        return f"[{', '.join(map(number, values))}]"

    own = {body.name for body in mechanism.bodies}
    elsewhere = {f.name for f in mechanism.frames if f.name in own and f != Frame(f.name, f.body)}

    def named(frame: str) -> str:
        """A body's frame has its name where the file puts it."""
        return f'"{frame}_before"' if frame in elsewhere else f'"{frame}"'

    yield f'name = "{mechanism.name}"'
    yield f"gravity = {row(mechanism.gravity)}"
    yield f"coordinates = {list(mechanism.coordinates)}".replace("'", '"')
    if mechanism.home:
        yield f"home = {row(mechanism.home)}"
    for body in mechanism.bodies:
        if body.carrier:
            continue
        yield f'[[body]]\nname = "{body.name}"'
        if body.inertia is not None:
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tensor
            yield f"mass = {number(body.inertia.mass)}\ncenter = {row(body.inertia.center)}"
            yield f"inertia = [{row((xx, xy, xz))}, {row((xy, yy, yz))}, {row((xz, yz, zz))}]"
    first = {ball.joints[0]: ball for ball in mechanism.balls}
    inner = {name for ball in mechanism.balls for name in ball.joints[1:]}
    for joint in mechanism.joints:
        if joint.name in inner:
            continue
        ball = first.get(joint.name)
        kind, child = joint.kind.value, joint.child
        if ball is not None:
            kind, child = "floating" if ball.free else "spherical", mechanism.joint(ball.joints[-1]).child
        yield f'[[joint]]\nname = "{joint.name if ball is None else ball.name}"\ntype = "{kind}"'
        yield f'parent = "{joint.parent}"\nchild = "{child}"'
        yield f"position = {row(joint.position)}\nrotation = {row(angles_of(joint.rotation))}"
        if ball is None and joint.kind is not JointKind.FIXED:
            yield f"axis = {row(joint.axis)}\nrotor_inertia = {number(joint.rotor_inertia)}"
            yield f"damping = {number(joint.damping)}\nfriction = {number(joint.friction)}"
    for frame in mechanism.frames:
        if frame.name not in own or frame.name in elsewhere:
            yield f'[[frame]]\nname = {named(frame.name)}\nbody = "{frame.body}"'
            yield f"position = {row(frame.position)}\nrotation = {row(angles_of(frame.rotation))}"
    for loop in mechanism.loops:
        yield f'[[loop]]\nname = "{loop.name}"\ntype = "{loop.kind.value}"'
        yield f"first = {named(loop.first)}\nsecond = {named(loop.second)}"
    for item in mechanism.constraints:
        if isinstance(item, RollingContact):
            yield f'[[rolling]]\nname = "{item.name}"\nwheel = {named(item.wheel)}'
            yield f"ground = {named(item.ground)}"
            yield f"radius = {number(item.radius)}"
            if item.contact is not None:
                yield f"contact = {named(item.contact)}"
        elif isinstance(item, KnifeEdge):
            yield f'[[knife_edge]]\nname = "{item.name}"\nedge = {named(item.edge)}'
            yield f"ground = {named(item.ground)}"
    for given in mechanism.prescribed:
        yield f'[[prescribed]]\njoint = "{given.joint}"\nrate = {number(given.rate)}'
    for speed in mechanism.speeds:
        yield "[[speed]]"
        if isinstance(speed, JointRate):
            yield f'joint = "{speed.joint}"'
        elif isinstance(speed, AngularVelocityComponent):
            yield f'body = "{speed.body}"\ndirection = {row(speed.direction)}'
        elif isinstance(speed, PointVelocityComponent):
            yield f"frame = {named(speed.frame)}\ndirection = {row(speed.direction)}"
            yield f"relative_to = {named(speed.relative_to)}"
        else:
            yield f"first = {named(speed.first)}\nsecond = {named(speed.second)}"
    for spring in mechanism.springs:
        yield f'[[spring]]\nname = "{spring.name}"\nstiffness = {number(spring.stiffness)}'
        yield f"damping = {number(spring.damping)}\nrest = {number(spring.rest)}"
        if isinstance(spring, TorsionalSpringDamper):
            yield f'joint = "{spring.joint}"'
        else:
            yield f"first = {named(spring.first)}\nsecond = {named(spring.second)}"


def _angle(chance: random.Random) -> Fraction:
    return Fraction(chance.randint(-3000, 3000), 1000)


def _any_rotation(chance: random.Random) -> Matrix3:
    turns = [about_axis(axis, _angle(chance)) for axis in range(3)]
    return matrix_multiply(turns[0], matrix_multiply(turns[1], turns[2]))


def _about(axis: Vector3, angle: Fraction) -> Matrix3:
    """Rodrigues' formula."""
    c, s = exact_cosine(angle), exact_sine(angle)
    x, y, z = axis
    return (
        (c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        (y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
        (z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)),
    )
