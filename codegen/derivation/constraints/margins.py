"""How far a mechanism is from its dead centres and singular configurations."""

from __future__ import annotations

from kanegen.codegen.derivation.constraints.elimination import gram, positive_determinant
from kanegen.codegen.derivation.constraints.motion import ConstrainedMap
from kanegen.codegen.graph import Expression


def margins(motion: ConstrainedMap) -> list[Expression]:
    """Squares of sines, one for each block of equations and for the speeds; with distances, one more for each of them."""
    found = [*motion.elimination.margins]
    distances = motion.system.margins
    if not distances:
        return [*found, *motion.speeds.margins]
    if motion.rows:
        found.append(_of_speeds(motion))
    elif len(motion.speeds.core) > 1:
        found += motion.speeds.margins
    return [*found, *distances]


def _of_speeds(motion: ConstrainedMap) -> Expression:
    """det(Y P)^2 over the squares of the lengths of Y's rows times det(P^T P): at most 1 (Cauchy & Binet, Hadamard).

    Unlike the lengths of the rows of Y P itself these do not vanish where a single speed stands still in all motions.
    """
    graph = motion.graph
    turned = positive_determinant(graph, gram(graph, motion.J))
    size = positive_determinant(graph, gram(graph, motion.P))
    for row in motion.system.speeds:
        squares = gram(graph, [row.coefficients])
        size = size * squares[0][0]
    return turned / size
