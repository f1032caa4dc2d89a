"""Identifiers for C99, C++ and Python from whatever names a model has.

The result contains nothing but ASCII letters, digits and single underscores, begins with a letter, and
depends on the originals alone: the reserved words are listed here, since those of the running Python change
from version to version.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from kanegen.limits import LONGEST_IDENTIFIER

_C_KEYWORDS = """
    alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern
    false float for fortran goto if inline int long nullptr register restrict return short signed sizeof
    static static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void
    volatile while
"""
_CPP_KEYWORDS = """
    and and_eq atomic_cancel atomic_commit atomic_noexcept bitand bitor catch char8_t char16_t char32_t class
    co_await co_return co_yield compl concept consteval constinit const_cast decltype delete dynamic_cast
    explicit export final friend import module mutable namespace new noexcept not not_eq operator or or_eq
    override private protected public reflexpr reinterpret_cast requires static_cast synchronized template
    this throw try typeid typename using virtual wchar_t xor xor_eq std
"""
_PYTHON_KEYWORDS = """
    False None True and as assert async await break class continue def del elif else except finally for from
    global if import in is lambda match nonlocal not or pass raise return try type while with yield self cls
    print exec
"""
_MATH_H = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs
    fdim finite floor fma fmax fmin fmod fpclassify frexp gamma hypot ilogb isfinite isgreater isgreaterequal
    isinf isless islessequal islessgreater isnan isnormal isunordered j0 j1 jn ldexp lgamma lgamma_r llrint
    llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder
    remquo rint round scalb scalbln scalbn signbit signgam significand sin sincos sinh sqrt tan tanh tgamma
    trunc y0 y1 yn double_t float_t HUGE_VAL INFINITY NAN M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4
    M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 MAXFLOAT OVERFLOW UNDERFLOW DOMAIN SING PLOSS TLOSS cabs carg
    cexp cimag clog conj cpow cproj creal csqrt csin ccos ctan complex imaginary I
"""
_STANDARD_LIBRARY = """
    abort abs assert atexit atof atoi atol atoll bsearch calloc div errno exit free getenv labs ldiv llabs
    lldiv main malloc memcmp memcpy memmove memset printf qsort rand realloc signal srand stderr stdin stdout
    strtod strtol system FILE NULL EOF EXIT_SUCCESS EXIT_FAILURE RAND_MAX EDOM EILSEQ ERANGE offsetof
    ptrdiff_t size_t ssize_t intptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    uintptr_t max_align_t linux unix i386 near far small interface min max
"""
RESERVED = frozenset(
    " ".join((_C_KEYWORDS, _CPP_KEYWORDS, _PYTHON_KEYWORDS, _MATH_H, _STANDARD_LIBRARY)).split()
)
"""Words that C, C++, Python, common headers or common platforms have taken."""

_RESERVED_ENDINGS = re.compile(r"(^|_)(batch|f32|prepare|prepared|parameters)$", re.IGNORECASE)
"""Endings by which generated functions and types are told apart; a frame ``A_batch`` would meet the batch
form of A."""

_IDENTIFIER = re.compile(r"[A-Za-z](_?[A-Za-z0-9])*")
_LONGEST = LONGEST_IDENTIFIER.value


def c_names(originals: Iterable[str]) -> dict[str, str]:
    """A unique valid identifier for every original, in their order; originals that are one already keep their
    name.

    Identifiers differ from each other in more than upper and lower case.
    """
    names = list(dict.fromkeys(originals))
    taken: set[str] = set()
    result: dict[str, str] = {}
    for name in names:
        if _acceptable(name) and name.lower() not in taken:
            taken.add(name.lower())
            result[name] = name
    for name in names:
        if name not in result:
            mangled = _unique(_cleaned(name), taken)
            taken.add(mangled.lower())
            result[name] = mangled
    return {name: result[name] for name in names}


def _acceptable(name: str) -> bool:
    return (
        len(name) <= _LONGEST
        and _IDENTIFIER.fullmatch(name) is not None
        and name not in RESERVED
        and _RESERVED_ENDINGS.search(name) is None
    )


def _cleaned(name: str) -> str:
    """Letters without their accents, an underscore for every run of other characters, a letter in front."""
    text = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    text = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not text:
        return "unnamed"
    return text if text[0].isalpha() else f"n{text}"


def _unique(base: str, taken: set[str]) -> str:
    """The base, or the base with the smallest number that makes it acceptable and new."""
    candidate = base[:_LONGEST].rstrip("_")
    number = 0
    while not _acceptable(candidate) or candidate.lower() in taken:
        number += 1
        ending = f"_{number}"
        candidate = base[: _LONGEST - len(ending)].rstrip("_") + ending
    return candidate
