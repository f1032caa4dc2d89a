"""Merge: values that are equal become one, and those that are zero in every state vanish.

Passes see what ring axioms make of terms.  That c^2 + s^2 = 1 is known to residues, by which a force that no motion needs
(the torque of a vertical joint that holds weights) is found where it hides behind two turns.
"""

from __future__ import annotations

from kanegen.codegen.graph import Graph, Program, Ref
from kanegen.codegen.graph.operations import copy_node
from kanegen.codegen.passes.resubstitution.residues import Points, residues_of
from kanegen.codegen.passes.rewrite import rebuild

_POINTS = Points((2**61 - 31, 2**61 - 229), ("merged", "merged as well"))
"""Modulo two primes: numbers may be equal modulo one of them, as 2^61 and 1 are modulo 2^61 - 1."""


def merge(program: Program) -> Program:
    """The program without values that it has twice, but for the sign, or that are zero.

    Where something is divided by a value that is zero modulo a prime, the program stays as it is.
    """
    source = program.graph
    try:
        residues = residues_of(source, program.roots, _POINTS)
    except ZeroDivisionError:
        return program
    met: dict[tuple[int, ...], Ref] = {}

    def build(graph: Graph, index: int, operands: tuple[Ref, ...]) -> Ref | None:
        value = residues[index]
        if not any(value.at):
            return graph.constant(0)
        found = met.get(value.at)
        if found is None:
            found = copy_node(graph, source, index, operands)
            met[value.at] = found
            met.setdefault((-value).at, -found)
        return found

    return rebuild(program, build)
