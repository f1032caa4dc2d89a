"""The mechanisms and the ways to derive them that the matrix is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import sympy

from kanegen.codegen.derivation.formulations import FLEXIBLE, RIGID
from kanegen.codegen.derivation.historical import METHODS
from kanegen.codegen.mechanism import (
    BASE,
    AngularVelocityComponent,
    GeneralizedSpeed,
    JointRate,
    JointSum,
    LoopKind,
    Mechanism,
    MechanismBuilder,
    PathLength,
    PointVelocityComponent,
    catalogue,
    force_laws,
)
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.values import degrees
from tests.certificate import sets
from tests.constrained import ball_models, strut_models
from tests.derivation.compound_mechanisms import compound_tree
from tests.derivation.euler_parameters.mechanisms import cylindrical_arm, sprung_arm, universal_arm
from tests.derivation.influence_coefficients.support import random_arm
from tests.derivation.speeds import SKEW, tree_with_point_speeds, tree_with_speeds
from tests.derivation.structured_trees import structured_tree
from tests.derivation.trees import random_tree
from tests.laws.rewriting import rewritten

INERTIA = (0.3, 0.4, 0.5, 0.02, -0.01, 0.03)
AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0.6, 0.8), (0, 1, 0), (1, 0, 0), (0, 0, 1))


def closed_chain(kind: LoopKind) -> Mechanism:
    """Seven joints, the fourth a slide along a skew axis, closed to the base by a joint of any kind."""
    b = MechanismBuilder(f"{kind.value}_chain", gravity=(1, -2, -9))
    parent, reach = BASE, (0.3, 0.1, 0.2)
    for k, axis in enumerate(AXES):
        b.body(f"link{k}", mass=2 - k / 5, center=(0.1, 0.02 * k, -0.05), inertia=INERTIA)
        add = b.prismatic if k == 3 else b.revolute
        add(f"j{k}", parent, f"link{k}", axis, position=reach if k else (0, 0, 0))
        parent = f"link{k}"
    turned = (degrees(90), 0, 0) if kind is LoopKind.UNIVERSAL else None
    b.frame("tip", parent, position=reach)
    b.frame("eye", BASE, position=tuple(round(7 * x, 12) for x in reach), rotation=turned)
    b.loop("close", kind, "eye", "tip")
    equations = {LoopKind.UNIVERSAL: 4, LoopKind.CYLINDRICAL: 4, LoopKind.PRISMATIC: 5, LoopKind.PLANAR: 3}
    driven = (0, 1, 2, 6) if kind is LoopKind.PLANAR else range(7 - equations[kind])
    b.speeds([JointRate(f"j{k}") for k in driven])
    return b.build()


def table() -> Mechanism:
    """Slides and turns on a table that turns by itself; equations in coordinates, a blade, springs, speeds of all kinds."""
    b = MechanismBuilder("table")
    short = b.parameter("r", "0.3", "m")
    b.body("table", mass=2, inertia=(1, 1, 1))
    b.revolute("turn", BASE, "table", (0, 0, 1))
    b.prescribe("turn", b.parameter("w", "1.5", "rad/s"))
    parent = "table"
    joints = (
        (b.prismatic, (1, 0, 0)),
        (b.prismatic, (0, 1, 0)),
        (b.revolute, (0, 0, 1)),
        (b.revolute, (1, 0, 0)),
    )
    for name, (add, axis) in zip("abcd", joints, strict=True):
        b.body(f"body_{name}", mass=1, center=("0.1", 0, "0.05"), inertia=(1, "1.1", "1.2"))
        add(name, parent, f"body_{name}", axis, damping="0.1" if name == "d" else 0)
        parent = f"body_{name}"
    b.body("body_e", mass=1, center=(0, "0.1", 0), inertia=(1, "0.8", "0.9"))
    b.revolute("e", parent, "body_e", (0, 1, 0), position=(0, 0, "0.3"))
    b.frame("tip", "body_e", position=(0, 0, "0.1"))
    b.frame("blade", "body_c", position=("0.2", 0, 0), rotation=(0, 0, "0.5"))
    b.frame("post", "table", position=(1, 0, 0))
    q, rates = sympy.symbols("a b c d e"), sympy.symbols("ra rb rc rd re")
    r = sympy.Symbol("r")
    b.position_constraint("height", q[3] - r * sympy.sin(q[2]), q)
    b.velocity_constraint("gear", rates[4] - r * sympy.cos(q[0]) * rates[2], q, rates)
    b.knife_edge("edge", "blade", ground="table")
    b.torsional_spring("wound", "c", stiffness=3, damping="0.1", rest="0.2")
    b.translational_spring("stretched", "tip", "post", stiffness=20, damping="0.3", rest="0.5")
    b.bushing("mount", "post", "tip", (3, 4, 5, 0.6, 0.7, 0.8))
    b.force_element("rope", PathLength(("tip", "blade", "post")), force_laws.dead_band(7, upper=2 * short))
    b.speeds(
        (
            AngularVelocityComponent("body_e", ("0.6", 0, "0.8")),
            PointVelocityComponent("blade", (1, 0, 0), "post"),
        )
    )
    b.home((0, "0.1", 0, 0, "0.2"))
    return b.build()


def worn() -> Mechanism:
    """A tree whose joints have dampers, Coulomb friction and rotors, with springs with dampers between its bodies."""
    b = MechanismBuilder("worn", gravity=(1, 2, -9))
    for k, name in enumerate(("low", "mid", "ball", "end"), start=1):
        b.body(name, mass=k, center=(0.1 * k, -0.2, 0.05), inertia=INERTIA)
    b.revolute("q1", BASE, "low", (0, 0, 1), damping=0.3, friction=0.2, rotor_inertia=0.02, gear_ratio=5)
    b.prismatic("q2", "low", "mid", (1, 0, 0), (0.4, 0, 0.2), (0.1, 0.2, 0), damping=1.5, rotor_inertia=0.1)
    b.spherical("q3", "mid", "ball", (0.1, 0.3, 0.1), rotation=(0.3, 0.1, 0))
    b.revolute("q4", "ball", "end", (0, 0.6, 0.8), (0.2, 0.1, 0.4), friction=0.4)
    b.frame("hook", "end", (0.1, 0.2, 0))
    b.frame("post", BASE, (1, 0, 1))
    b.translational_spring("pull", "hook", "post", stiffness=8, damping=0.5, rest=0.3)
    b.translational_spring("taut", "hook", "low", stiffness=4)
    b.torsional_spring("wound", "q1", stiffness=3, damping=0.2, rest=0.4)
    points = [(0, -1), (0.5, 0), (0.9, 0.3), (1.5, 2)]
    rope = force_laws.tabular(points, beyond="constant") + force_laws.damper(cubic=0.2)
    b.force_element("rope", PathLength(("hook", "ball", "post")), rope)
    rows = [[8.0 if i == j else (-1) ** (i + j) * 0.3 for j in range(6)] for i in range(6)]
    b.bushing("mount", "hook", "low", rows, [[x / 7 for x in row] for row in rows])
    b.force_element("coupled", JointSum(("q1", "q4"), (1, -0.5)), force_laws.spring((3, 0.5, 0.2), 0.1))
    return b.build()


def sprung_tree() -> Mechanism:
    """Four joints, two branches; springs on a hinge and a slide, to the base, between branches, with and without rest."""
    builder = MechanismBuilder("sprung")
    for name in ("trunk", "slider", "left", "right"):
        builder.body(name, mass=1, center=(0.1, 0, 0.2), inertia=(0.1, 0.2, 0.2))
    builder.revolute("turn", BASE, "trunk", (1, 2, 2), position=(0, 0.1, 0))
    builder.prismatic("slide", "trunk", "slider", (2, -1, 2), position=(0.2, 0, 0.3), rotation=(0.3, 0, 1))
    builder.revolute("swing", "slider", "left", (0, -1, 0), position=(0, 0.4, 0))
    builder.revolute("nod", "trunk", "right", (2, 3, 6), position=(0.3, -0.2, 0))
    builder.frame("left_tip", "left", position=(0.1, 0.2, -0.4))
    builder.frame("right_tip", "right", position=(0.2, 0.5, 0.1))
    builder.torsional_spring("hinge", "swing", stiffness=3, damping=0.2, rest=0.4)
    builder.torsional_spring("stop", "slide", stiffness=50, damping=4, rest=-0.1)
    builder.translational_spring("to_base", BASE, "left_tip", stiffness=80, damping=3, rest=0.7)
    builder.translational_spring("between", "left_tip", "right_tip", stiffness=40, damping=5)
    builder.translational_spring("damper", "right_tip", "slider", damping=7)
    s = sympy.Symbol("s")
    rope = force_laws.elastic(s * sympy.exp(-s / 2), s) + force_laws.friction(0.4)
    builder.force_element("rope", PathLength((BASE, "slider", "left_tip", "right_tip")), rope)
    band = force_laws.dead_band(8, 0.1, 0.4) + force_laws.damper(quadratic=0.3)
    builder.bushing("mount", "left_tip", "right_tip", (3, 4, 5, 6, 7, 8), (0.3, 0.4, 0.5, 0.6, 0.7, 0.8))
    builder.force_element("band", JointSum(("nod", "turn")), band)
    builder.coordinates(["nod", "turn", "swing", "slide"])
    return builder.build()


def free_armature() -> Mechanism:
    """A floating body whose six drives have inertia, and a hinge on it: MJCF's armature."""
    b = MechanismBuilder("free_armature", gravity=(1, 2, -9))
    for name in ("trunk", "arm"):
        b.body(name, mass=2, center=(0.1, 0.05, 0.02), inertia=INERTIA)
    b.floating("f", BASE, "trunk", (0, 0, 1))
    b.revolute("j", "trunk", "arm", (1, 1, 0), (0.3, 0, 0), rotor_inertia=0.7)
    built = b.build()
    own = set(built.balls[0].joints)
    driven = tuple(replace(j, rotor_inertia=Fraction(7, 10)) if j.name in own else j for j in built.joints)
    return replace(built, joints=driven)


def elsewhere(model: Callable[[], Mechanism]) -> Mechanism:
    """A mechanism whose bodies have their frames anywhere."""
    return rewritten(with_numbers(model()), "placed at random")[0]


@dataclass(frozen=True)
class Cell:
    """A mechanism in one formulation; ``by_chance`` answers the decision points at random."""

    model: Callable[[], Mechanism]
    formulation: str = "recursive"
    speeds: tuple[GeneralizedSpeed, ...] | None = None
    live: bool = False
    by_chance: bool = False


ZOO: Mapping[str, Callable[[], Mechanism]] = {
    "structured_3": partial(structured_tree, 3, 3),
    "structured_5": partial(structured_tree, 5, 4),
    "random_tree": partial(random_tree, 8, 5),
    "compound_0": partial(compound_tree, 0, 3),
    "compound_2": partial(compound_tree, 2, 3),
    "branched": sets.branched,
    "floating": sets.floating,
    "free_armature": free_armature,
    "worn": worn,
    "universal_arm": universal_arm,
    "slide_and_turn": partial(cylindrical_arm, True, False),
    "turn_and_slide": partial(cylindrical_arm, False, True),
    "sprung_arm": sprung_arm,
    "redundant_arm": partial(random_arm, 8, 4, planar=True),
    "sprung_tree": sprung_tree,
    "table": table,
    "ball_linkage": partial(ball_models.spatial_linkage, True),
    "hinge_linkage": partial(ball_models.spatial_linkage, False),
    "floating_disc": ball_models.floating_disc,
    "walker": ball_models.walker,
    "turned_walker": partial(ball_models.walker, turned=True),
    "floating_four_bar": ball_models.floating_four_bar,
    **strut_models.MODELS,
    **{
        f"{kind.value}_chain": partial(closed_chain, kind)
        for kind in LoopKind
        if kind.value in ("universal", "cylindrical", "prismatic", "planar")
    },
}
"""Beside the built-in ones: trees with all kinds of joints, loops and constraints of all kinds, struts, resistance."""

LIVE = {
    "live_arm": sets.live_arm,
    **{
        name: partial(catalogue.mechanism, name)
        for name in ("stanford_arm", "four_bar", "two_link_space_arm", "flexible_one_link")
    },
    "table": table,
    "ball_linkage": partial(ball_models.spatial_linkage, True, True),
}
"""With live parameters, which have derivatives."""

BY_CHANCE = {
    **{
        name: ZOO[name]
        for name in (
            "structured_3",
            "structured_5",
            "compound_0",
            "branched",
            "floating",
            "worn",
            "boom",
            "ball_linkage",
        )
    },
    **{name: partial(catalogue.mechanism, name) for name in ("five_bar", "rolling_disc", "plate_disk")},
    "ball_linkage_elsewhere": partial(elsewhere, partial(ball_models.spatial_linkage, True)),
    "four_bar_elsewhere": partial(elsewhere, partial(catalogue.mechanism, "four_bar")),
    "worn_elsewhere": partial(elsewhere, worn),
    "table_elsewhere": partial(elsewhere, table),
}
"""With random answers at all decision points, in frames of kanegen's choice: other alternatives than the textbook's."""


IN_FEWER = {
    **dict.fromkeys(
        ("rx90_general", "rx90_simplified", "puma560_general", "stanford_simplified"), ("recursive",)
    ),
    **dict.fromkeys(("turned_walker", "platform"), ("recursive", "euler_parameters")),
    **dict.fromkeys(
        ("stewart_platform", "whipple_bicycle", "cooperating_arms", "walker"), ("recursive", "kane")
    ),
    **dict.fromkeys(
        (f"{kind}_chain" for kind in ("universal", "cylindrical", "prismatic", "planar")),
        ("recursive", "euler_parameters"),
    ),
}
"""Mechanisms with many like them, or large ones, in fewer formulations: with its own equations for what they have."""

HISTORICAL = ("worn", "floating", "four_bar")
"""Balls, what resists, and a loop, for formulations that differ from others in the forces of a tree alone."""


def cells() -> dict[str, Cell]:
    """All cells by name."""
    found: dict[str, Cell] = {}
    models = {**{name: partial(catalogue.mechanism, name) for name in catalogue.names()}, **ZOO}
    for name, model in models.items():
        for formulation in FLEXIBLE if name.startswith("flexible") else IN_FEWER.get(name, RIGID):
            if formulation not in METHODS or name in HISTORICAL:
                found[f"{name}-{formulation}"] = Cell(model, formulation)
    for name, model in LIVE.items():
        for formulation in (
            ("recursive", "euler_parameters", "influence_coefficients")
            if name in ("stanford_arm", "four_bar")
            else ("recursive",)
        ):
            found[f"{name}-{formulation}-live"] = Cell(model, formulation, live=True)
    for name, model in BY_CHANCE.items():
        found[f"{name}-by_chance"] = Cell(model, by_chance=True)
    arm = partial(catalogue.mechanism, "stanford_arm")
    found["stanford_arm-kane_levinson"] = Cell(
        arm, speeds=catalogue.generalized_speeds("stanford_arm", "kane_levinson")
    )
    for what, choose in (("point", tree_with_point_speeds), ("body", tree_with_speeds)):
        tree, speeds = choose(8, 5, SKEW[:2])
        found[f"{tree.name}-speeds_of_a_{what}"] = Cell(partial(replace, tree), speeds=speeds)
    return found
