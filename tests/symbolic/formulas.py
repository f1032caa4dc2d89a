"""Formulas of LaTeX for matplotlib's parser, which takes long: those of one shape are parsed once."""

from __future__ import annotations

import re
from functools import cache

from matplotlib.mathtext import MathTextParser

_PARSER = MathTextParser("path")


def check_formula(formula: str) -> None:
    """Raise ValueError for what is no formula.

    Which numbers and letters stand in it makes no difference, nor how often the same factor or term is repeated.
    """
    shape = re.sub(r"(?<![A-Za-z\\])[A-Za-z]+", "a", re.sub(r"\d+(\.\d+)?", "1", formula))
    _parse(re.sub(r"(?<!\S)(\S+)(?: (?:[-+] )?\1)+(?!\S)", r"\1", shape))


@cache
def _parse(shape: str) -> None:
    _PARSER.parse(f"${shape}$")
