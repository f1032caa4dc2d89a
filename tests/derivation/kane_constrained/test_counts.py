"""What forming partial velocities first costs or saves beside N^T times the finished forces of the tree.

N is given: where the speeds are rates of joints its rows are those of the unit matrix, other entries are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from kanegen.codegen.derivation.kane import forces, nonholonomic_forces
from kanegen.codegen.derivation.motion_maps.spanning_tree import spanning_tree
from kanegen.codegen.graph import Expression, Graph, OperationCounts, constant, count, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.mechanism import JointRate, Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism
from kanegen.codegen.mechanism.folding import with_numbers

from .support import program_of

Rows = Sequence[Sequence[Expression]]
Method = Callable[[Mechanism, Graph, Sequence[Sequence[Expression]], Rows], list[Expression]]


def partials_first(
    tree: Mechanism, graph: Graph, motion: Sequence[Sequence[Expression]], N: Rows
) -> list[Expression]:
    q, v, a = motion
    return nonholonomic_forces(tree, graph, q, v, a, N)


def forces_first(
    tree: Mechanism, graph: Graph, motion: Sequence[Sequence[Expression]], N: Rows
) -> list[Expression]:
    q, v, a = motion
    return list(vec.apply_total(graph, vec.transpose(N), forces(tree, graph, q, v, a)))


def counted(name: str, method: Method) -> OperationCounts:
    constrained = with_numbers(mechanism(name))
    tree = spanning_tree(constrained)
    n, speeds = len(tree.coordinates), constrained.speeds
    graph = Graph()
    motion = [inputs(graph, given, n) for given in "qva"]
    entries = inputs(graph, "N", n * len(speeds))
    N = [list(entries[s * len(speeds) : (s + 1) * len(speeds)]) for s in range(n)]
    for r, speed in enumerate(speeds):
        if isinstance(speed, JointRate):
            unit = [constant(graph, int(r == k)) for k in range(len(speeds))]
            N[tree.coordinates.index(speed.joint)] = unit
    sizes = {"q": n, "v": n, "a": n, "N": n * len(speeds)}
    return count(program_of(graph, sizes, method(tree, graph, motion, N)))


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("four_bar", (31, 18), (29, 19)),
        ("five_bar", (54, 34), (50, 34)),
        ("four_bar_tilted", (50, 28), (49, 29)),
    ],
)
def test_linkages(name: str, first: tuple[int, int], last: tuple[int, int]) -> None:
    for method, expected in ((partials_first, first), (forces_first, last)):
        found = counted(name, method)
        assert (found.multiplications, found.additions, found.divisions) == (*expected, 0)


def test_long_trees_with_several_speeds_favour_finished_forces() -> None:
    """Six legs with four coordinates each and six speeds: every body of a leg has six partial velocities."""
    first, last = (
        counted("stewart_platform", method).multiplications for method in (partials_first, forces_first)
    )
    assert last < first < 2.5 * last
