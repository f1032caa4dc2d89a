"""Links that bend and twist: assumed modes, what they weigh, and how stiff they are (Book 1983)."""

from kanegen.codegen.mechanism.flexible.appendages import Appendage
from kanegen.codegen.mechanism.flexible.beam import Beam
from kanegen.codegen.mechanism.flexible.shapes import BeamFunction, Mode, Polynomial, RodFunction, Shape
from kanegen.codegen.mechanism.flexible.tables import LinkTable, StationTable

__all__ = [
    "Appendage",
    "Beam",
    "BeamFunction",
    "LinkTable",
    "Mode",
    "Polynomial",
    "RodFunction",
    "Shape",
    "StationTable",
]
