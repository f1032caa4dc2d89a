"""Names in C: nothing of a foreign text reaches a generated file except letters, digits and underscores."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
_MACROS = """
    BUFSIZ DECIMAL_DIG DOMAIN EOF HUGE I INFINITY L_ctermid L_tmpnam MAXFLOAT NAN NULL OVERFLOW PLOSS P_tmpdir
    SING TLOSS UNDERFLOW assert complex errno far i386 imaginary linux math_errhandling near offsetof small
    stderr stdin stdout unix
"""
_USED = "main memcpy ptrdiff_t signgam size_t sqrt sqrtf sin sinf cos cosf fabs fabsf uint64_t"

RESERVED = frozenset(f"{_C99} {_CPP} {_MACROS} {_USED}".split())
"""Words that no generated name may be: keywords of C99 and C++, standard macros, and what is called."""

_MACRO_FAMILIES = re.compile(
    r"(U?INT\w*|PTRDIFF|SIZE|SIG_ATOMIC|WCHAR|WINT|TMP|FOPEN|FILENAME)_(MAX|MIN|C)"
    r"|(SEEK|EXIT|FP|MATH|HUGE)_[A-Z0-9]+"
    r"|(L?DBL|FLT|DEC)[0-9X]*_[A-Z0-9_]+"
    r"|M_(1_PI|2_PI|2_SQRTPI|E|LN2|LN10|LOG2E|LOG10E|PI|PI_2|PI_4|SQRT2|SQRT1_2)(l|f[0-9]*x?)?"
)
"""Macros of math.h, float.h, stdint.h, stdio.h and stdlib.h that come in families."""


def is_reserved(name: str) -> bool:
    """Whether C, C++ or a standard header has taken the name."""
    return name in RESERVED or _MACRO_FAMILIES.fullmatch(name) is not None


def is_identifier(text: str) -> bool:
    """Whether a text may be used as a name in C and C++ as it stands."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) is not None and not is_reserved(text)


def identifier(text: str) -> str:
    """A name close to the text: other characters become underscores, words of C get one more underscore."""
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", text)).strip("_")
    if not name:
        return "x"
    if name[0].isdigit():
        name = f"x{name}"
    return f"{name}_" if is_reserved(name) else name


class NameTable:
    """Hands out names that are unique within one scope."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Begin with the names that are taken already."""
        self._taken = set(taken)
        self._next_number: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """The wanted name made an identifier, numbered if it is taken."""
        base = identifier(wanted)
        name = base
        number = self._next_number.get(base, 2)
        while name in self._taken:
            name = f"{base}_{number}"
            number += 1
        self._next_number[base] = number
        self._taken.add(name)
        return name

    def number(self, letter: str, start: int) -> tuple[str, int]:
        """The next free name of the form letter and number, and the number after it."""
        while f"{letter}{start}" in self._taken:
            start += 1
        self._taken.add(f"{letter}{start}")
        return f"{letter}{start}", start + 1
