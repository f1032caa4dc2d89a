"""Names in C: nothing of a foreign text reaches a generated file except letters, digits and underscores.

A name that a model gives could be that of a macro, and macros are without number: every platform, compiler and project
has its own.  So there is no list of them.  Such a name stands in C in a form that macros do not have:

    functions, types     behind the prefix of the model: stanford_arm_frame_pose_F
    fields of structs    before the ending _live: mF_live
    variables            between a quantity's letter and an index or an axis: w_F_x, s_q2; or as sin_elbow; else before
                         an underscore

What is left are the words that C and C++ keep for themselves, by which no argument may be called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_C99 = """
    auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile
    while
"""
_CPP = """
    alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await
    co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast
    explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public reinterpret_cast requires static_assert static_cast template this thread_local throw
    true try typeid typename typeof using virtual wchar_t xor xor_eq
"""

KEYWORDS = frozenset(f"{_C99} {_CPP}".split())
"""The keywords of C99 and of C++."""

_TAKEN = KEYWORDS | {"I", "main", "size_t", "blockDim", "blockIdx", "gridDim", "threadIdx"}
"""What no argument may be called: I is the imaginary unit of complex.h, the others stand in declarations, example and
kernels for GPUs."""

FIELD_ENDING = "_live"
"""What the field of every live parameter ends in."""

LONGEST = 63
"""Significant characters of a name within a file, C99, 5.2.4.1."""

_OF_A_VARIABLE = re.compile(
    r"[a-z]+_(\w*\d|(\w+_)?([A-Z]|[xyz]{1,2}))"  # w_F_x, a_C_in_B_z, swing_F, s_q2_plus_q3, tau_3
    r"|(sin|cos)_\w+|Z\d+"  # sin_elbow; Z12, as intermediate quantities of Kane's method are called
    r"|(?!M_[A-Za-z])[A-Z]\d*_(\w+_)?(\d+|[xyz]{1,2})"  # U_E_xy, J_0_5, T_0; but M_E and M_PI_2 are in math.h
)
"""The form of a variable's name that needs nothing to be added."""


def is_prefix(text: str) -> bool:
    """Whether names in C may begin with a text and an underscore."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) is not None


def cleaned(text: str) -> str:
    """A name close to the text: other characters become underscores, of which no two stand together or at an end."""
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", text)).strip("_")
    return name if name and not name[0].isdigit() else f"x{name}"


def identifier(text: str) -> str:
    """The name of an argument; words that C has taken get one more underscore."""
    name = cleaned(text)
    return f"{name}_" if name in _TAKEN else name


def is_variable(text: str) -> bool:
    """Whether a text may be the name of a variable as it stands."""
    return _OF_A_VARIABLE.fullmatch(text) is not None


def variable(text: str) -> str:
    """The name of a variable: a quantity, what it belongs to, an index or axis; any other text gets one more underscore."""
    name = cleaned(text)
    return name if is_variable(name) else f"{name}_"


class NameTable:
    """Hands out names that are unique within one scope, and differ in the characters that compilers must look at."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Begin with the names that are taken already."""
        self._taken = set(taken)
        self._next_number: dict[str, int] = {}

    def take(
        self,
        wanted: str,
        form: Callable[[str], str] = identifier,
        ending: str = "",
        longest: int | None = LONGEST,
    ) -> str:
        """The wanted name in the given form, before the ending; numbered if it is taken, cut where it is too long."""
        base = form(wanted)
        name = self._cut(base, ending, longest)
        number = self._next_number.get(base, 2)
        while name in self._taken:
            name = self._cut(base, f"_{number}{ending}", longest)
            number += 1
        self._next_number[base] = number
        self._taken.add(name)
        return name

    @staticmethod
    def _cut(base: str, ending: str, longest: int | None) -> str:
        room = len(base) if longest is None else longest - len(ending)
        return f"{base[:room]}{ending}"

    def number(self, letter: str, start: int) -> tuple[str, int]:
        """The next free name of the form letter and number, and the number after it."""
        while f"{letter}{start}" in self._taken:
            start += 1
        self._taken.add(f"{letter}{start}")
        return f"{letter}{start}", start + 1
