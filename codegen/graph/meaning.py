"""What a value of a graph means to those who read equations: its symbol, words and unit."""

from __future__ import annotations

from dataclasses import dataclass


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
