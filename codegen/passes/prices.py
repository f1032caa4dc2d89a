"""What an operation costs, in thousandths of an addition.

A division or root costs twelve operations (its latency).  A multiplication costs slightly more than an addition, so that
ties go to fewer multiplications.
"""

from __future__ import annotations

from kanegen.codegen.graph.count import OperationCounts
from kanegen.codegen.graph.graph import Kind

ADDITION = 1000
MULTIPLICATION = 1001
DIVISION = 12000

PRICES = {
    Kind.SUM: ADDITION,
    Kind.PRODUCT: MULTIPLICATION,
    Kind.QUOTIENT: DIVISION,
    Kind.SQUARE_ROOT: DIVISION,
}
"""Price of one operation by the kind of its node; what is not listed is free."""


def cost(counts: OperationCounts) -> float:
    """The price of a program in additions."""
    thousandths = (
        counts.multiplications * MULTIPLICATION
        + counts.additions * ADDITION
        + (counts.divisions + counts.square_roots) * DIVISION
    )
    return thousandths / 1000
