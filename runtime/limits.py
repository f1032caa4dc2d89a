"""Every limit that kanegen sets to what it takes and to how long it tries, in one place.

The code that enforces a limit reads it here; docs/guide/limits.md lists them all.  This module imports nothing of kanegen,
so that every room may import it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Limit(Generic[N]):
    """One limit: what it is called, its value in its unit, what that means, and where it acts."""

    name: str
    value: N
    unit: str
    meaning: str
    where: str


LARGEST_FILE = Limit(
    "size of a file",
    16 * 2**20,
    "bytes",
    "A larger file is not read; nor is anything that is no regular file, such as a pipe or a device.",
    "model files, files that they include, manifests, results of benchmarks",
)
MOST_ELEMENTS = Limit(
    "elements of XML",
    500_000,
    "elements",
    "A document with more is refused.",
    "URDF, xacro, MJCF; what xacro expands to",
)
DEEPEST_XML = Limit(
    "depth of XML",
    200,
    "levels",
    "Elements nested deeper are refused. URDF needs 5 levels, macros with conditions some 20.",
    "URDF, xacro, MJCF; what xacro expands to",
)
LARGEST_NUMBER = Limit(
    "magnitude of a number",
    10**60,
    "SI units",
    "Larger numbers are no quantity of mechanics; the square of a smaller one is a double.",
    "every number of a mechanism, in every format, and in expressions of users",
)
UNLIMITED = Limit(
    "limit of a joint",
    10**9,
    "SI units",
    "Ranges, speeds and forces of this size and more are what files write for no limit.",
    "limits of joints in URDF, MJCF and TOML",
)
SMALLEST_EXPONENT = Limit(
    "exponent of ten",
    -400,
    "powers of ten",
    "Numbers written with a smaller exponent are noise of nothing, and cost memory as exact numbers.",
    "numbers in text",
)
MOST_DIGITS = Limit(
    "digits of an exact number",
    2000,
    "digits",
    "No numerator or denominator may have more, also in the middle of arithmetic.",
    "numbers and arithmetic in text, in the builder and in tables, expressions of users",
)

MOST_BITS = math.ceil(MOST_DIGITS.value / math.log10(2))
"""Of the numerator and the denominator of an exact number: as many as these digits have."""
LARGEST_CONSTANT = Limit(
    "constant of an equation",
    2**1000,
    "SI units",
    "Where numbers of a model multiply to more (1e301), the model is refused: doubles end soon after.",
    "equations of motion",
)
LARGEST_EXPONENT = Limit(
    "exponent in an expression",
    1000,
    "exponent",
    "Larger powers are refused.",
    "expressions of users in SymPy",
)
LONGEST_ARITHMETIC = Limit(
    "length of arithmetic", 1000, "characters", "A longer text is refused.", "arithmetic in TOML"
)
DEEPEST_ARITHMETIC = Limit(
    "depth of arithmetic",
    50,
    "parentheses",
    "Parentheses nested deeper are refused.",
    "arithmetic in TOML",
)
LARGEST_POWER = Limit(
    "power", 16, "exponent", "Powers are integers, or half of one, up to this.", "arithmetic in TOML"
)
LARGEST_ANGLE_TOLERANCE = Limit(
    "angle_tolerance",
    0.01,
    "rad",
    "An angle further from a quarter turn is meant to be.",
    "`angle_tolerance` of importers and of the command line",
)
DEEPEST_PACKAGE = Limit(
    "depth of packages",
    6,
    "folders",
    "Levels below an entry of ROS_PACKAGE_PATH in which packages are looked for.",
    "`$(find …)` in xacro",
)
LONGEST_QUOTE = Limit(
    "quoted text",
    60,
    "characters",
    "What a message quotes of a longer text or name is its beginning, and an ellipsis.",
    "messages",
)
LONGEST_NAME = Limit(
    "quoted name",
    200,
    "characters",
    "A longer name or path is quoted by its beginning and its end.",
    "messages",
)
LONGEST_PART = Limit(
    "part of a message",
    1200,
    "characters",
    "Where, what, expected and cure are each cut in their middle beyond this, such as lists of a thousand names.",
    "messages",
)
LONGEST_IDENTIFIER = Limit(
    "identifier in C",
    63,
    "characters",
    "Longer names are shortened in C, and unique; the manifest keeps them whole (C99, 5.2.4.1).",
    "generated C",
)
DERIVATIONS = Limit(
    "derivations tried",
    1200,
    "derivations",
    "Tried for each kernel where nothing else is asked for (`--search`).",
    "the search for few operations",
)
SIMULATION_STEPS = Limit(
    "steps of a simulation",
    10_000_000,
    "steps",
    "Accepted and rejected together, where `max_steps` does not say otherwise; the motion so far is returned.",
    "`simulate`",
)
ASSEMBLY_STEPS = Limit(
    "steps of an assembly",
    100,
    "Newton steps",
    "Taken in each of six attempts to close loops before it is said that they stay open.",
    "`assemble`, constraints",
)

LIMITS: tuple[Limit[int] | Limit[float], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Limit)
)
"""All of them, in their order here."""


def table() -> str:
    """The limits as a table in Markdown: the one of docs/guide/limits.md."""
    lines = ["| limit | value | what it means | where it acts |", "|---|---|---|---|"]
    lines += [f"| {x.name} | {_shown(x)} | {x.meaning} | {x.where} |" for x in LIMITS]
    return "\n".join(lines)


def _shown(limit: Limit[int] | Limit[float]) -> str:
    value = limit.value
    if isinstance(value, int) and value >= 10**15:
        return f"{value:.0e} {limit.unit}"
    if limit.unit == "bytes":
        return f"{value / 2**20:.0f} MiB"
    return f"{value:,} {limit.unit}"
