"""How well an order of statements fits a processor's registers."""

from __future__ import annotations

from collections.abc import Sequence

REGISTERS = 12
"""Values held at once: the sixteen of x86-64, less a few for partial results."""


def spills(order: Sequence[int], needs: Sequence[Sequence[int]], holds: Sequence[bool]) -> int:
    """Moves between registers and memory when statements are run in the given order.

    ``needs[i]`` are the statements whose values statement i reads, ``holds[i]`` says whether it makes a
    value.  When registers run out, the value whose next use is farthest away is put into memory (Belady
    1966), which is optimal.
    """
    uses: dict[int, list[int]] = {}
    for time in range(len(order) - 1, -1, -1):
        for value in needs[order[time]]:
            if holds[value]:
                uses.setdefault(value, []).append(time)
    registers: set[int] = set()
    stored: set[int] = set()
    moves = 0
    for statement in order:
        for value in needs[statement]:
            if holds[value]:
                moves += value not in registers
                registers.add(value)
                uses[value].pop()
                if not uses[value]:
                    registers.discard(value)
        if uses.get(statement):
            registers.add(statement)
        while len(registers) > REGISTERS:
            farthest = max(registers, key=lambda value: (uses[value][-1], value))
            registers.discard(farthest)
            moves += farthest not in stored
            stored.add(farthest)
    return moves
