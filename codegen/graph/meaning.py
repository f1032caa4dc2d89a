"""What a value of a graph means to those who read equations: its symbol, words and unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kanegen.codegen.graph.pickled import Made, made_of


@dataclass(frozen=True, slots=True)
class Meaning:
    """``name`` is the plain symbol, ``latex`` the one of LaTeX where it is not made of the name.

    ``text`` says what the quantity is and along which axes; ``unit`` is its SI unit, "1" where it has none, "" where it
    depends on which of several coordinates it belongs to; ``source`` names the equation or the paper that defines it.
    """

    name: str
    text: str
    unit: str = ""
    latex: str = ""
    source: str = ""

    def __reduce__(self) -> Made:
        return made_of(self)


@lru_cache(maxsize=2**12)
def latex_name(name: str) -> str:
    """A name for LaTeX: a letter with an index behind it (q1, w_hand), or a word in upright letters."""
    found = re.fullmatch(r"([A-Za-z])(?:_(\w+)|(\d+))?", name, re.ASCII)
    if found is None:
        return _upright(name)
    index = found[2] or found[3]
    return f"{found[1]}_{{{_upright(index)}}}" if index else found[1]


def _upright(word: str) -> str:
    """A word; figures and single letters stand as they are."""
    if word.isdigit() or (len(word) == 1 and word.isalpha()):
        return word
    kept = re.sub(r"([_#$%&{}])", r"\\\1", re.sub(r"[\\^~\s]+", " ", word)).replace(" ", r"\ ")
    return rf"\mathrm{{{kept}}}"
