"""What a program costs, by the prices of its operations."""

from __future__ import annotations

from kanegen.codegen.graph.graph import Kind
from kanegen.codegen.graph.operations import OPERATIONS
from kanegen.manifest import OperationCounts

PRICES = {kind: row.price for kind, row in OPERATIONS.items() if row.price}
"""Price of one operation by the kind of its node, in thousandths of an addition; what is not listed is free."""
ADDITION = PRICES[Kind.SUM]


def cost(counts: OperationCounts) -> float:
    """The price of a program in additions."""
    thousandths: int = sum(price * getattr(counts, figure) for figure, price in _BY_FIGURE.items())
    return thousandths / 1000


_BY_FIGURE = {row.counted: row.price for row in OPERATIONS.values() if row.counted and row.price}
