"""Equations of motion of open chains with influence coefficients, equations (14) and (17)."""

from __future__ import annotations

from collections.abc import Sequence

from kanegen.codegen.derivation.influence_coefficients import link_sums
from kanegen.codegen.derivation.influence_coefficients.augmented_links import AugmentedLinks
from kanegen.codegen.derivation.influence_coefficients.model import Model
from kanegen.codegen.derivation.open_chains import require_tree
from kanegen.codegen.derivation.placed_tree.central_inertia import central_inertias
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.inertial_gauge import regroup
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree, place
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.derivation.recursive.motion import Motion
from kanegen.codegen.graph import Expression, Graph, constant
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_fixed_joints


def forces(
    tree: Mechanism,
    graph: Graph,
    q: Sequence[Expression],
    v: Sequence[Expression],
    a: Sequence[Expression],
    *,
    link_by_link: bool = False,
) -> list[Expression]:
    """Generalized forces [N m, N] that move a plain tree so, in the order of its coordinates, gravity included.

    ``q``, ``v`` and ``a`` are expressions of ``graph``, one for each coordinate.  Values of the tree that are expressions
    stay live.  (17): T = I* a + v^T P* v - sum of G^T (weight), where I*, P* and the sum depend on q alone.

    ``link_by_link`` forms these as (15) to (17) are printed, one link after another, instead of for augmented links.
    """
    return dynamic_model(tree, graph, q, link_by_link=link_by_link).forces(graph, v, a)


def dynamic_model(
    tree: Mechanism, graph: Graph, q: Sequence[Expression], *, link_by_link: bool = False
) -> Model:
    """I*, P* and the generalized forces of gravity of a plain tree at q, in its coordinates; see ``forces``.

    P* is symmetric in its last two indices unless ``link_by_link``.  Raises ModelError for what is no plain tree.
    """
    require_tree(tree, "influence coefficients")
    reduced = without_fixed_joints(tree)
    placed = place(reduced, Choices(), live_parameters=True)
    if not link_by_link:
        links = AugmentedLinks(placed := regroup(placed, Choices()), motion_at(placed, graph, q))
        return Model(links.effective_inertia(), links.inertia_power(), links.weights())
    n = len(q)
    motion = motion_at(placed, graph, q)
    chain = link_sums.links(Kinematics(placed, motion), central_inertias(reduced, placed))
    return Model(
        link_sums.effective_inertia(graph, chain, n),
        link_sums.inertia_power(graph, chain, n),
        link_sums.applied_loads(graph, chain, motion.gravity, n),
    )


def motion_at(tree: PlacedTree, graph: Graph, q: Sequence[Expression]) -> Motion:
    """A placed tree at rest at q, with its gravity."""
    rest = [constant(graph, 0)] * len(q)
    return Motion(tree, graph, Choices(), q, rest, rest, gravity=tree.gravity)
