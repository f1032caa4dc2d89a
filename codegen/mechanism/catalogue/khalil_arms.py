"""The arms on which generators of robot dynamics are compared, in modified Denavit-Hartenberg form.

Geometry as in Khalil & Kleinfinger, "A new geometric notation for open and closed-loop robots" (1986) and
"Minimum operations and minimum parameters of the dynamic models of tree structure robots" (1987): the
Stanford Arm, the Staubli RX-90 and the PUMA 560, and a six-revolute arm without any special geometry.
Gravity is 9.81 m/s^2 along -z of the base.

Operation counts depend on which inertial parameters vanish, not on their values.  In the ``general`` arms all
ten parameters of every link are nonzero; the numbers are those of plausible bodies, drawn at random once.  In
the ``simplified`` arms links are symmetric: tensors about the origins of the link frames are diagonal, and
only the first moments of the literature's choice are present.  Lengths are close to those of the real arms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kanegen.codegen.mechanism.denavit_hartenberg import LinkParameters, ModifiedDH, from_modified_dh
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.values import degrees


def _rows(
    alphas: Sequence[int], d: Mapping[int, str], r: Mapping[int, str], sliding: int | None = None
) -> tuple[ModifiedDH, ...]:
    """Rows of all joints: twists [degrees], and the nonzero lengths [m] by joint number."""
    return tuple(
        ModifiedDH(degrees(alpha), d.get(j, "0"), 0, r.get(j, "0"), j == sliding)
        for j, alpha in enumerate(alphas, start=1)
    )


_STANFORD = _rows((0, -90, 90, 0, -90, 90), d={}, r={2: "0.154"}, sliding=3)
_RX90 = _rows((0, 90, 0, -90, 90, -90), d={3: "0.45"}, r={4: "0.45"})
_PUMA560 = _rows((0, -90, 0, -90, 90, -90), d={3: "0.4318", 4: "0.0203"}, r={3: "0.1244", 4: "0.4318"})
_SIX_REVOLUTE = _rows(
    (0, 37, -53, 71, -29, 61),
    d={2: "0.31", 3: "0.27", 4: "0.13", 5: "0.17", 6: "0.11"},
    r={2: "0.21", 3: "0.19", 4: "0.23", 5: "0.29", 6: "0.31"},
)

_GENERAL_LINKS = (
    LinkParameters(
        ("0.835", "0.868", "0.921", "0.184", "0.138", "-0.269"), ("-1.34", "0.943", "1.17"), "8.58"
    ),
    LinkParameters(
        ("0.636", "0.464", "0.495", "-0.144", "-0.0718", "-0.187"), ("-0.889", "-1.19", "-0.866"), "7.47"
    ),
    LinkParameters(
        ("0.241", "0.193", "0.242", "-0.0338", "-0.0207", "-0.0505"), ("-0.295", "-0.536", "-0.362"), "4.28"
    ),
    LinkParameters(
        ("0.0433", "0.0398", "0.0429", "0.00608", "0.00246", "-0.00412"),
        ("-0.0824", "0.11", "0.0527"),
        "1.37",
    ),
    LinkParameters(
        ("0.0111", "0.00729", "0.00893", "0.000225", "0.00205", "0.00052"),
        ("-0.0195", "-0.0294", "0.0437"),
        "0.79",
    ),
    LinkParameters(
        ("0.00326", "0.00301", "0.00339", "0.000897", "0.000351", "-0.000121"),
        ("-0.0169", "0.0158", "0.0084"),
        "0.37",
    ),
)

_STANFORD_SIMPLIFIED_LINKS = (
    LinkParameters(("0.51", "0.37", "0.42", 0, 0, 0), (0, "-0.83", "0.62"), "9.3"),
    LinkParameters(("0.21", "0.16", "0.19", 0, 0, 0), (0, "-0.47", 0), "5.9"),
    LinkParameters(("1.35", "1.34", "0.05", 0, 0, 0), (0, 0, "-1.94"), "4.2"),
    LinkParameters(("0.0071", "0.0043", "0.0052", 0, 0, 0), (0, "0.022", "-0.031"), "1.1"),
    LinkParameters(("0.0049", "0.0021", "0.0037", 0, 0, 0), (0, "-0.019", "0.014"), "0.63"),
    LinkParameters(("0.026", "0.025", "0.0013", 0, 0, 0), (0, 0, "0.103"), "0.51"),
)

_RX90_SIMPLIFIED_LINKS = (
    LinkParameters(("0.92", "0.95", "0.61", 0, 0, 0), (0, 0, "-2.3"), "28.4"),
    LinkParameters(("0.24", "2.11", "2.05", 0, 0, 0), ("4.6", 0, 0), "16.7"),
    LinkParameters(("0.33", "0.14", "0.31", 0, 0, 0), (0, "-0.71", 0), "11.2"),
    LinkParameters(("0.41", "0.39", "0.062", 0, 0, 0), (0, 0, "-1.27"), "6.9"),
    LinkParameters(("0.029", "0.011", "0.027", 0, 0, 0), (0, "0.12", 0), "2.2"),
    LinkParameters(("0.0087", "0.0083", "0.0019", 0, 0, 0), (0, 0, "0.057"), "0.74"),
)

KHALIL_ARMS: Mapping[str, Callable[[], Mechanism]] = {
    name: partial(from_modified_dh, name, rows, links)
    for name, rows, links in (
        ("stanford_general", _STANFORD, _GENERAL_LINKS),
        ("stanford_simplified", _STANFORD, _STANFORD_SIMPLIFIED_LINKS),
        ("rx90_general", _RX90, _GENERAL_LINKS),
        ("rx90_simplified", _RX90, _RX90_SIMPLIFIED_LINKS),
        ("puma560_general", _PUMA560, _GENERAL_LINKS),
        ("general_6r", _SIX_REVOLUTE, _GENERAL_LINKS),
    )
}
"""Makers of the comparison arms, by catalogue name."""
