"""Coordinates of frames in equations by their names: hand.x, hand.R31, rate(hand.x), and seen from another, table.hand.x."""

from __future__ import annotations

from collections.abc import Collection

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.constraints import FrameCoordinate
from kanegen.codegen.mechanism.records import BASE
from kanegen.errors import did_you_mean

POSITION = ("x", "y", "z")
ROTATION = tuple(f"R{i}{j}" for i in "123" for j in "123")
ENTRIES = (*POSITION, *ROTATION)
"""What a frame has: the position of its origin [m], and its rotation matrix, row by row."""


def frame_coordinate(name: str, frames: Collection[str]) -> FrameCoordinate | None:
    """What a symbol of this name stands for among these frames and the base; None where it is no coordinate of a frame."""
    written = name.removeprefix("rate(").removesuffix(")") if name.startswith("rate(") else name
    path, _, entry = written.rpartition(".")
    if entry not in ENTRIES:
        return None
    known = {BASE, *frames}
    cuts = [k for k, character in enumerate(path) if character == "." and {path[:k], path[k + 1 :]} <= known]
    pairs = [(path, BASE)] if path in known else [(path[k + 1 :], path[:k]) for k in cuts]
    if not pairs:
        return None
    frame, seen_from = pairs[0]
    return FrameCoordinate(sympy.Symbol(name, real=True), frame, entry, seen_from, rate=written != name)


def place_of(entry: str) -> tuple[int, int]:
    """Row and column of a coordinate in the matrix (rotation, position)."""
    return (POSITION.index(entry), 3) if entry in POSITION else (int(entry[1]) - 1, int(entry[2]) - 1)


def meant_for(name: str, frames: Collection[str]) -> str:
    """What is wrong with a name that looks like a coordinate of a frame, in parentheses; nothing where it does not."""
    path, dot, entry = name.removeprefix("rate(").removesuffix(")").rpartition(".")
    if not dot or (name.startswith("rate(") and entry in ENTRIES and path in {BASE, *frames}):
        return ""
    if path in {BASE, *frames}:
        return (
            f" (of the frame {path!r} there are {', '.join(POSITION)}, and R11 to R33 of its rotation matrix)"
        )
    return f" ({path!r} is no frame. {did_you_mean(path, frames, 'Frames are named in the model.')})"
