"""What is listed of a kernel, before any language has its say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from emitted.programs import double_pendulum, every_operation, model

from kanegen.codegen.emit.expressions import Call, Entry, Product, Quotient, Sum, Value
from kanegen.codegen.emit.listing import Angles, Item, Listing, Result, list_kernel
from kanegen.codegen.emit.specification import specify
from kanegen.codegen.graph import Program
from kanegen.codegen.graph.graph import Kind


def listing(kernel: Program, every: int, loads_first: bool) -> Listing:
    """The listing of a kernel that is cut after so many statements."""
    made = model(kernel)
    whole = made.kernels[0]
    cut = replace(whole, cuts=tuple(range(every, len(whole.statements), every)))
    spec = specify(replace(made, kernels=(cut,)))
    return list_kernel(spec, spec.kernels[0], frozenset(), loads_first)


def entries(value: Value) -> set[Entry]:
    """Entries of arguments that a value reads where it stands."""
    match value:
        case Entry():
            return {value}
        case Sum():
            return {found for term in value.terms for found in entries(term.value)}
        case Product():
            return {found for factor in value.factors for found in entries(factor)}
        case Quotient():
            return entries(value.numerator) | entries(value.denominator)
        case Call():
            return {found for operand in value.operands for found in entries(operand.value)}
    return set()


def read(item: Item) -> set[Entry]:
    """Entries that a statement reads in place."""
    values = item.values if isinstance(item, Angles) else (item.value,)
    return {found for signed in values for found in entries(signed.value)}


@pytest.mark.parametrize("made", [double_pendulum, every_operation])
@pytest.mark.parametrize("every", [1, 3, 100])
@pytest.mark.parametrize("loads_first", [False, True])
def test_nothing_is_read_where_something_may_have_been_written(
    made: Callable[[], Program], every: int, loads_first: bool
) -> None:
    """Loads stand before the first result of all parts, and with ``loads_first`` are all that is read."""
    kernel = made()
    listed = listing(kernel, every, loads_first)
    written = False
    seen: set[Entry] = set()
    for part in listed.parts:
        assert not (part.loads and written)
        loaded = {load.source for load in part.loads}
        assert len(loaded) == len(part.loads)
        for item in part.items:
            in_place = read(item)
            assert not (in_place and (written or loads_first))
            seen |= in_place
            written = written or isinstance(item, Result)
        seen |= loaded
        assert {entry.argument for entry in loaded} <= part.arguments
    graph = kernel.graph
    inputs = {graph.payloads[i] for i in graph.reachable(kernel.roots) if graph.kinds[i] is Kind.INPUT}
    assert {(entry.argument, entry.entry) for entry in seen} == inputs
