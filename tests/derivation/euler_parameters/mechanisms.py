"""Mechanisms with every kind of joint: pairs that merge, loops of all kinds, springs."""

from __future__ import annotations

from kanegen.codegen.mechanism import BASE, JointSum, Mechanism, MechanismBuilder, PathLength, force_laws
from kanegen.codegen.mechanism.constraints import LoopKind
from kanegen.codegen.mechanism.speeds import JointRate

TURNED = (0.4, -0.7, 1.1)
ACROSS = ((0, 0, 1), (1, 0, 0), (0, 1, 0))
INERTIA = (0.3, 0.4, 0.5, 0.02, -0.01, 0.03)


def universal_arm() -> Mechanism:
    """Two hinges that cross at a point off both frames, placed and turned anywhere; a further hinge beyond."""
    builder = MechanismBuilder("universal_arm", gravity=(1, -2, -9))
    builder.body("foot", mass=2, center=(0.1, 0.2, 0.3), inertia=INERTIA)
    builder.body("cross")
    builder.body("arm", mass=1.5, center=(0.3, -0.1, 0.2), inertia=INERTIA)
    builder.body("tip", mass=0.5, center=(0, 0.1, 0.1), inertia=INERTIA)
    builder.revolute("turn", BASE, "foot", (0, 1, 0), rotation=TURNED)
    builder.revolute("first", "foot", "cross", (0, 0, 1), position=(0.2, 0.1, 0), rotation=TURNED)
    # the second axis is x of the cross, through (0.7, 0, 0.4); it meets z in (0, 0, 0.4)
    builder.revolute("second", "cross", "arm", (0, 0, 1), position=(0.7, 0, 0.4), rotation=ACROSS)
    builder.revolute("end", "arm", "tip", (1, 0, 0), position=(0.5, 0, 0))
    return builder.build()


def cylindrical_arm(slide_first: bool, against: bool) -> Mechanism:
    """A hinge and a slide along one direction, in either order, and in the same or the opposite sense."""
    builder = MechanismBuilder("cylindrical_arm", gravity=(1, -2, -9))
    builder.body("carrier")
    builder.body("arm", mass=1.5, center=(0.3, -0.1, 0.2), inertia=INERTIA)
    builder.body("tip", mass=0.5, center=(0, 0.1, 0.1), inertia=INERTIA)
    along = (0, -1, 0) if against else (0, 1, 0)
    # ACROSS: the joint's y axis is the parent's z axis
    first, second = (
        (builder.prismatic, builder.revolute) if slide_first else (builder.revolute, builder.prismatic)
    )
    first("first", BASE, "carrier", (0, 0, 1), position=(0.2, 0.1, 0), rotation=TURNED)
    second("second", "carrier", "arm", along, position=(0.3, -0.2, 0.4), rotation=ACROSS)
    builder.revolute("end", "arm", "tip", (1, 0, 0), position=(0.5, 0, 0))
    return builder.build()


def two_arms(kind: LoopKind, to_base: bool = False) -> Mechanism:
    """Two chains of two joints (or one, and the base) with a loop of any kind between frames at their tips."""
    builder = MechanismBuilder("two_arms")
    for side in "l" if to_base else "lr":
        parent = BASE
        for k, add in enumerate((builder.prismatic, builder.revolute)):
            name = f"{side}{k}"
            builder.body(name, mass=1, center=(0.1, 0, 0.05), inertia=INERTIA)
            add(f"{name}j", parent, name, (1 - k, k, 0), position=(0, 0.1, 0.2))
            parent = name
        builder.frame(f"{side}_tip", parent, position=(0.2, 0.1, 0), rotation=TURNED)
    builder.loop("loop", kind, "l_tip", BASE if to_base else "r_tip")
    builder.speeds([JointRate("l0j")])
    return builder.build()


def sprung_arm() -> Mechanism:
    """Springs and dampers on two joints, on a line between two bodies, and one without a length at rest to the base."""
    builder = MechanismBuilder("sprung_arm")
    builder.body("lower", mass=1, center=(0.2, 0, 0), inertia=INERTIA)
    builder.body("upper", mass=1, center=(0.1, 0.1, 0), inertia=INERTIA)
    builder.body("slider", mass=1, inertia=INERTIA)
    builder.revolute("shoulder", BASE, "lower", (0, 1, 0))
    builder.revolute("elbow", "lower", "upper", (1, 2, 2), position=(0.5, 0, 0))
    builder.prismatic("slide", "upper", "slider", (0, 0, 1), position=(0.1, 0, 0))
    builder.frame("post", BASE, position=(0.3, -0.4, 1))
    builder.frame("hook", "upper", position=(0.1, 0.3, 0.2))
    builder.torsional_spring("at_elbow", "elbow", stiffness=3, damping=0.4, rest=0.7)
    builder.torsional_spring("at_slide", "slide", stiffness=20, damping=2, rest=0.1)
    builder.translational_spring("line", "lower", "slider", stiffness=15, damping=1.5, rest=0.3)
    builder.translational_spring("pull", "post", "hook", stiffness=8)
    rope = force_laws.dead_band(9, upper=1.2) + force_laws.damper(1, quadratic=2)
    builder.force_element("rope", PathLength((BASE, "post", "hook", "slider")), rope)
    rubbing = force_laws.stops(-0.2, 0.3, 30, 0.4) + force_laws.friction(0.5, 0.8, 0.3)
    builder.force_element("rubbing", JointSum(("elbow", "slide"), (1, -2)), rubbing)
    return builder.build()
