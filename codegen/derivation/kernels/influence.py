"""Influence coefficients of Freeman & Tesar (1988) on the speeds of any mechanism: I*, P*, C*, K*, and G, H of frames.

Where the speeds are the rates of a tree's joints, P* and H are the formulas of the paper, for augmented links
(influence_coefficients/).  It transfers them to other inputs by what follows from differentiating the transfer of rates
once more.  Here the transferred motion is there as a whole: its arrays are derivatives with respect to the speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial

from kanegen.codegen.derivation.influence_coefficients.augmented_links import AugmentedLinks
from kanegen.codegen.derivation.influence_coefficients.coefficients import frame_influence
from kanegen.codegen.derivation.influence_coefficients.equations import motion_at
from kanegen.codegen.derivation.kernels.catalogue import (
    EFFECTIVE_DAMPING,
    EFFECTIVE_INERTIA,
    EFFECTIVE_STIFFNESS,
    INERTIA_POWER,
    INFLUENCE_G,
    INFLUENCE_H,
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_DERIVATIVES,
    SPRING_FORCES,
)
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.kernels.frames import jacobian_of_tree
from kanegen.codegen.derivation.motion_maps.joints import JointMap
from kanegen.codegen.derivation.motion_maps.leaning import rotors_do_not_lean
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.derivation.system import Make, System
from kanegen.codegen.graph import Expression, Graph, Program, compose, constant
from kanegen.codegen.graph import partial as slope
from kanegen.codegen.mechanism.records import Frame, Mechanism

SOURCE = "influence coefficients (Freeman & Tesar 1988)"


def effective_inertia(s: System) -> Program:
    """I* of Freeman & Tesar (1988, eq 15), transferred to the speeds: the mass matrix on them."""
    return s.program(EFFECTIVE_INERTIA, [s.inertia()])


def inertia_power(s: System) -> Program:
    """P* of (16), symmetric in its last two indices: half the second derivatives of the bias forces.

    Friction, which is no quadratic form of the speeds, has no part in it.
    """
    if (tree := _as_in_the_paper(s)) is not None:
        links = AugmentedLinks(tree, motion_at(tree, s.graph, s.q))
        return s.program(INERTIA_POWER, [links.inertia_power()], source=SOURCE)
    v = s.input("v")
    motion = s.map.motion(v, s.rest)
    assert motion.v is not None, "a motion"
    forces = list(s.of_tree(lambda tree: tree.forces(), motion))
    for j, x in rotors_do_not_lean(s.mechanism, motion.v, s.lift).items():
        forces[j] = forces[j] + x
    return s.program(INERTIA_POWER, [_quadratic_form(s, v, s.map.on_speeds(forces))])


def influence_G(s: System, frame: Frame, kernel: str) -> Program:
    """G of a frame (2): its twist for unit speeds, which is its Jacobian."""
    rows = [s.map.on_speeds(row) for row in jacobian_of_tree(s, frame, s.map.motion())]
    return s.program(INFLUENCE_G, [rows], name=kernel, frame=frame.name)


def influence_H(s: System, frame: Frame, kernel: str) -> Program:
    """H of a frame (5): accelerations are G a + v^T H v."""
    if (tree := _as_in_the_paper(s)) is not None:
        planes = "H[p][m][n] = dG[p][n]/dq[m]; planes 0 to 2 are symmetric"
        H = frame_influence(Kinematics(tree, motion_at(tree, s.graph, s.q)), frame).H
        return s.program(INFLUENCE_H, [H], source=SOURCE, name=kernel, frame=frame.name, planes=planes)
    entries = _quadratic_form(s, s.input("v"), frame_acceleration(s, frame))
    return s.program(INFLUENCE_H, [entries], name=kernel, frame=frame.name, planes="all planes are symmetric")


def frame_acceleration(s: System, frame: Frame) -> Sequence[Expression]:
    """Acceleration of a frame's origin, then its angular acceleration, where the speeds v do not change."""
    found: Sequence[Expression] = s.of_tree(
        lambda tree: tree.frame_acceleration(frame), s.map.motion(s.input("v"), s.rest)
    )
    return found


def _as_in_the_paper(s: System) -> PlacedTree | None:
    """The tree whose joints' rates are the speeds, where all its links are rigid."""
    rates = isinstance(s.map, JointMap) and not s.map.carried
    return s.tree if rates and not s.mechanism.flexible else None


def _quadratic_form(s: System, v: Sequence[Expression], values: Sequence[Expression]) -> list[Expression]:
    """Half the second derivatives of each value with respect to the speeds, in which it is of second degree."""
    slopes = [slope(s.graph, x) for x in v]
    return [
        slopes[max(m, k)].first(slopes[min(m, k)].first(x)) * Fraction(1, 2)
        for x in values
        for m in range(s.nv)
        for k in range(s.nv)
    ]


def influence_kernels(frames: Mapping[str, Frame]) -> dict[str, Make]:
    """I*, P*, and influence_G_<frame>, influence_H_<frame> of ``frames``, by their names as identifiers."""
    made: dict[str, Make] = {EFFECTIVE_INERTIA.name: effective_inertia, INERTIA_POWER.name: inertia_power}
    for identifier, frame in frames.items():
        for contract, make in ((INFLUENCE_G, influence_G), (INFLUENCE_H, influence_H)):
            name = contract.named(identifier)
            made[name] = partial(make, frame=frame, kernel=name)
    return made


Resting = Callable[[], Mapping[str, Program]]
"""Derives kernels of a mechanism on which nothing acts but springs and dampers; prescribed joints move in inverse_dynamics
alone.
"""


def left_of(
    kernel: str, output: int, still: Sequence[str], contract: Contract, resting: Resting, arguments: Arguments
) -> Build:
    """A result of a kernel of a mechanism on which nothing else acts, with zeros for some of its inputs."""

    def build(_: PlacedTree, __: Mechanism, ___: Choices) -> Program:
        graph = Graph()
        rest = {name: [constant(graph, 0)] * arguments.nv for name in still}
        found = compose(resting()[kernel], graph, rest)[output]
        return contract.program(arguments, graph, [found], SOURCE)

    return build


def spring_kernels(resting: Resting, arguments: Arguments) -> dict[str, Build]:
    """C* of (18), K* of (25), the derivative (22) of the springs' loads, and (19) with (23), on the speeds.

    They are what is left of inverse dynamics and of its derivatives.  Loads are counted as in the paper: those that the
    drives must supply.  Dampers whose law is not linear have the effective damping of rest.
    """
    forces, derivatives = INVERSE_DYNAMICS.name, INVERSE_DYNAMICS_DERIVATIVES.name
    return {
        EFFECTIVE_STIFFNESS.name: left_of(derivatives, 0, "va", EFFECTIVE_STIFFNESS, resting, arguments),
        EFFECTIVE_DAMPING.name: left_of(derivatives, 1, "va", EFFECTIVE_DAMPING, resting, arguments),
        SPRING_FORCES.name: left_of(forces, 0, "a", SPRING_FORCES, resting, arguments),
    }
