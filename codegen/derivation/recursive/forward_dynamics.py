"""Forward dynamics: joint accelerations from generalized forces, by whichever of two methods counts fewer operations.

Mass matrix, bias forces and an unrolled sparse L D L^T share sines, cosines and turned vectors; the articulated-body
recursion avoids the matrix.  Short arms prefer the first, long ones the second: it is a decision point, but where the mass
matrix is too badly conditioned to be formed.
"""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.linear.solve import chosen_blocks, solve
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive import articulated_body
from kanegen.codegen.derivation.recursive.composite_inertia import CompositeInertia
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.derivation.recursive.newton_euler import JointForces
from kanegen.codegen.derivation.recursive.tip_elimination import articulated_tips, axis_inertia, free_tips
from kanegen.codegen.graph import Expression

METHOD = "method of forward dynamics"


def accelerations(motion: Motion, tau: Sequence[Expression], formed: bool) -> tuple[list[Expression], str]:
    """Joint accelerations in coordinate order for generalized forces, and how they were found.

    The motion has weight, and no joint accelerations.  ``formed`` says whether the mass matrix may be formed.
    """
    if formed and motion.choices.pick(METHOD, 2, whole=True) == 0:
        a = _by_elimination(motion.tree, motion, tau, motion.choices)
        return a, "composite inertias, Newton-Euler bias and an unrolled sparse L D L^T"
    return articulated_body.forward_dynamics(motion, tau), "articulated-body recursion (Featherstone 1983)"


def _by_elimination(
    tree: PlacedTree, motion: Motion, tau: Sequence[Expression], choices: Choices
) -> list[Expression]:
    """Accelerations by mass matrix and bias forces; tips without mass may be eliminated before the matrix is formed."""
    bodies = tree.bodies
    driving = [tau[body.coordinate] * (1 / motion.to_unit(i)) for i, body in enumerate(bodies)]
    tips = [i for i in free_tips(tree) if choices.pick(f"tip {bodies[i].name}", 2, bodies[i].name) == 0]
    forces = JointForces(tree, motion, {i: driving[i] for i in tips})
    composite = CompositeInertia(articulated_tips(tree, tuple(tips)), motion)
    kept = [i for i in range(len(bodies)) if i not in tips]
    matrix = [[motion.zero] * len(kept) for _ in kept]
    for column, j in enumerate(kept):
        for i, value in composite.column(j).items():
            row = kept.index(i)
            matrix[row][column] = matrix[column][row] = value
    right = [driving[i] - forces.along_axis(i) for i in kept]
    solution = solve(matrix, right, chosen_blocks(matrix, choices))
    along = dict(zip(kept, solution, strict=True))
    whole = CompositeInertia(tree, motion)
    for tip in tips:
        own = axis_inertia(bodies[tip])
        surplus = (driving[tip] - forces.required_moment(tip, bodies[tip].axis)) * motion.number(1 / own)
        coupled = [-value * along[i] for i, value in whole.column(tip, own).items() if i != tip]
        along[tip] = motion.sum([surplus, *coupled])
    a = [motion.zero] * len(tau)
    for i, body in enumerate(bodies):
        a[body.coordinate] = along[i] * (1 / motion.to_unit(i))
    return a
