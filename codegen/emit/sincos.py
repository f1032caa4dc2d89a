"""The C routine that gives a kernel the sines and cosines of all its angles at once."""

from __future__ import annotations

from typing import Literal

from kanegen.codegen.emit.identifiers import is_prefix
from kanegen.codegen.emit.layout import INDENT
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.sincos_numbers import sine_values
from kanegen.codegen.emit.skeletons import fill

VECTOR_BYTES = (64, 32, 16)
"""Vectors that processors have."""

ROWS_OF_A_LINE = 20
"""Rows of at most eight angles in a macro: compilers need not take more than 4,095 characters, continued lines together."""


def sincos_source(
    prefix: str, count: int, precision: Literal["double", "single"], library: Literal["vector", "libm"]
) -> str:
    """C99 text of ``static inline void <prefix>_sincos(const double x[], double s[], double c[])``.

    All three arrays have ``count`` elements; x is in radians, s and c receive its sines and cosines, and
    either may be x itself.  With ``precision`` "single", ``float`` stands for ``double``.  The text is
    self-contained: it includes the standard headers it needs, and may stand several times in one file under
    different prefixes.

    ``library`` "vector": all angles together, as lanes of vectors, with errors below 1 ulp for |x| <= 1e5, 2e3 in single
    precision.  One test sends the call to the C library when any angle is larger or not finite.  The C macro
    ``KANEGEN_VECTOR_BYTES``, if defined before the text as 64, 32, 16 or 8 (no vectors), takes the place of
    what the compiler's target suggests; a file that holds the text for several targets defines it for each.
    ``library`` "libm": a loop over the C library's functions.

    Raises ValueError for a prefix that is no C identifier, a count below one, or an unknown word.
    """
    if not is_prefix(prefix):
        raise ValueError(f"prefix {prefix!r} of the sine and cosine routine is no C identifier")
    if count < 1:
        raise ValueError(f"a sine and cosine routine needs at least one angle, got {count}")
    if precision not in ("double", "single"):
        raise ValueError(f'precision {precision!r} is unknown: expected "double" or "single"')
    if library not in ("vector", "libm"):
        raise ValueError(f'library {library!r} is unknown: expected "vector" or "libm"')
    number = Precision.DOUBLE if precision == "double" else Precision.SINGLE
    real = number.c_type
    common = {
        "prefix": prefix,
        "count": str(count),
        "angles": "one angle" if count == 1 else f"{count} angles",
        "c_type": real,
        "math_ending": number.math_ending,
        "parameters": f"const {real} x[{count}], {real} s[{count}], {real} c[{count}]",
    }
    if library == "libm":
        return fill("c99/sincos_libm.c", **common) + "\n"
    macro = f"{prefix}_SINCOS".upper()
    values = sine_values(number)
    return (
        fill(
            "c99/sincos_vector.c",
            **common,
            **values,
            precision=precision,
            macro=macro,
            lanes=_lanes(macro, count, number.number_bytes),
            polynomials=fill("shared/sincos", **values),
            results=_results(count),
        )
        + "\n"
    )


def _lanes(macro: str, count: int, number_bytes: int) -> str:
    """Preprocessor lines that choose the number of lanes, not more than the count needs, and fill them."""
    lanes = [size // number_bytes for size in VECTOR_BYTES]
    widest = min((width for width in lanes if width >= count), default=lanes[0])
    text: list[str] = []
    for width in (width for width in lanes if width <= widest):
        vectors = [range(first, min(first + width, count)) for first in range(0, count, width)]
        rows = [f"{{{', '.join(f'x[{i}]' for i in vector)}}}" for vector in vectors]
        text += [
            f"#{'elif' if text else 'if'} {macro}_BYTES >= {number_bytes * width}",
            *_choice(macro, width, rows),
        ]
    rows = [", ".join(f"x[{i}]" for i in range(first, min(first + 8, count))) for first in range(0, count, 8)]
    return "\n".join([*text, "#else", *_choice(macro, 1, rows), "#endif"])


def _choice(macro: str, width: int, rows: list[str]) -> list[str]:
    one_line = f"#define {macro}_ANGLES {{{', '.join(rows)}}}"
    if len(one_line) <= 100:
        return [f"#define {macro}_LANES {width}", one_line]
    groups = [rows[i : i + ROWS_OF_A_LINE] for i in range(0, len(rows), ROWS_OF_A_LINE)]
    broken = [", \\\n".join(f"{INDENT}{row}" for row in group) for group in groups]
    if len(groups) == 1:
        return [f"#define {macro}_LANES {width}", f"#define {macro}_ANGLES {{ \\\n{broken[0]}}}"]
    names = [f"{macro}_ANGLES_{i}" for i in range(1, len(groups) + 1)]
    return [
        f"#define {macro}_LANES {width}",
        *(f"#define {name} \\\n{text}" for name, text in zip(names, broken, strict=True)),
        f"#define {macro}_ANGLES {{{', '.join(names)}}}",
    ]


def _results(count: int) -> str:
    pairs = (("s", "sine"), ("c", "cosine"))
    return "\n".join(f"{INDENT}{out}[{i}] = {lane}[{i}];" for out, lane in pairs for i in range(count))
