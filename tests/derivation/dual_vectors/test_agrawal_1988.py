"""The printed equations and tables of Agrawal 1988, term by term, and the oracle's numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import sympy
from sympy import cos, sin

from kanegen.codegen.derivation.dual_vectors import (
    DualVector,
    dual_partial_velocities,
    forces,
    forces_on_speeds,
)
from kanegen.codegen.graph import Expression, Graph, constant, evaluate, inputs
from kanegen.codegen.graph.sympy_bridge import to_sympy
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue.agrawal_1988 import plate_disk, stanford_arm_rrp
from kanegen.codegen.mechanism.records import Frame
from tests.derivation.comparison import numbers, worst
from tests.derivation.force_programs import program, program_of

TOLERANCE = 1e-11
"""Asked for; some hundred roundings of 1.1e-16 would do."""

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "agrawal_1988.json").read_text(encoding="utf-8"))


def arm_with_frames() -> Mechanism:
    """The first three links of the Stanford Arm, with the paper's frames at C and D2; A and E are those of its bodies."""
    arm = stanford_arm_rrp()
    center = arm.body("D").inertia
    assert center is not None
    slide = arm.joint("s3prime").position
    frames = (Frame("C", "D", position=center.center), Frame("D2", "D", position=slide))
    return replace(arm, frames=arm.frames + frames)


def disk_without_its_edge() -> Mechanism:
    """The tree of the plate disk; coordinates: the plates' angle, q1, q2, q3."""
    return replace(
        plate_disk(),
        coordinates=("plates", "q1", "q2", "q3"),
        constraints=(),
        prescribed=(),
        speeds=(),
        home=(),
    )


ARM, DISK = arm_with_frames(), disk_without_its_edge()

M1, M2, M3, D2, G2, K13, K21, K23, K31, K33, L, W, G = sympy.symbols(
    "m1 m2 m3 d2 g2 k13 k21 k23 k31 k33 l w g"
)
TH2, S3 = sympy.symbols("theta2 s3")
V1, V2, V3, A1, A2, A3 = sympy.symbols("v1 v2 v3 a1 a2 a3")
NAMES = {
    ("q", 0): sympy.Symbol("theta1"),
    ("q", 1): TH2,
    ("q", 2): S3,
    **dict(zip([("v", i) for i in range(3)], (V1, V2, V3), strict=True)),
    **dict(zip([("a", i) for i in range(3)], (A1, A2, A3), strict=True)),
}


def vanishes(expression: sympy.Expr) -> bool:
    """Whether a polynomial in sines and cosines is zero by sin^2 + cos^2 = 1."""
    numerator = sympy.together(sympy.expand(expression)).as_numer_denom()[0]
    angles = sorted({f.args[0] for f in numerator.atoms(sin, cos)}, key=str)
    for i, angle in enumerate(angles):
        s, c = sympy.symbols(f"S{i} C{i}")
        numerator = sympy.expand(numerator).xreplace({sin(angle): s, cos(angle): c})
        numerator = sympy.rem(numerator, s**2 + c**2 - 1, s)
    return bool(sympy.expand(numerator) == 0)


def equations_of_the_arm() -> list[sympy.Expr]:
    graph = Graph()
    q, v, a = (inputs(graph, name, 3) for name in "qva")
    return [to_sympy(graph, x.ref, NAMES) for x in forces(ARM, graph, q, v, a)]


def printed_equations() -> list[sympy.Expr]:
    """T1 (31) with (32), T2 (30) and F3 (29), as printed."""
    s, c = sin(TH2), cos(TH2)
    k = K33**2 - K31**2 - S3**2
    f3 = M3 * (D2 * s * A1 + A3 - S3 * s**2 * V1**2 - S3 * V2**2)
    t2 = (
        (M2 * K23**2 + M3 * S3**2 + M3 * K31**2) * A2
        + M3 * S3 * D2 * c * A1
        + 2 * M3 * S3 * V2 * V3
        + M3 * k * s * c * V1**2
    )
    a1 = (
        M1 * K13**2
        + (M2 + M3) * D2**2
        + M2 * (K21**2 + G2**2)
        + M3 * K33**2 * c**2
        + M3 * S3**2 * s**2
        - 2 * M2 * G2 * D2
        + M3 * K31**2 * s**2
    )
    t1 = (
        a1 * A1
        + M3 * D2 * S3 * c * A2
        + M3 * D2 * s * A3
        - M3 * D2 * S3 * s * V2**2
        + 2 * M3 * D2 * c * V2 * V3
        - 2 * M3 * k * s * c * V1 * V2
        + 2 * M3 * S3 * s**2 * V1 * V3
    )
    return [t1, t2, f3]


def test_equations_29_to_32_term_by_term() -> None:
    """The coefficient of every acceleration and of every product of rates."""
    motions = (A1, A2, A3, V1, V2, V3)
    for found, printed in zip(equations_of_the_arm(), printed_equations(), strict=True):
        left, right = sympy.Poly(sympy.expand(found), *motions), sympy.Poly(sympy.expand(printed), *motions)
        for monomial in sorted(set(left.monoms()) | set(right.monoms())):
            difference = left.coeff_monomial(monomial) - right.coeff_monomial(monomial)
            assert vanishes(difference), sympy.prod(x**n for x, n in zip(motions, monomial, strict=True))


def test_arm_of_the_oracle() -> None:
    vectors = ORACLE["rrp"]["vectors"]
    at = {
        name: np.array([x[field] for x in vectors]) for name, field in (("q", "q"), ("v", "qd"), ("a", "qdd"))
    }
    expected = np.array([x["T1_T2_F3"] for x in vectors])
    assert worst(evaluate(program(ARM), at, numbers(ARM))["tau"], expected) <= TOLERANCE


def agree(found: DualVector, real: Sequence[sympy.Expr | int], dual: Sequence[sympy.Expr | int]) -> bool:
    graph = found.real[0].graph
    pairs = zip((*found.real, *found.dual), (*real, *dual), strict=True)
    return all(vanishes(to_sympy(graph, x.ref, NAMES) - y) for x, y in pairs)


def test_holonomic_partial_velocities_of_table_1() -> None:
    """The columns A, C, D2 and E; B's frame is parallel to A's on the same line; the slide's rate is ds3'/dt (erratum)."""
    graph = Graph()
    q = inputs(graph, "q", 3)
    s, c = sin(TH2), cos(TH2)
    none = (0, 0, 0)
    table = {
        "B": (((0, 0, 1), none), (none, none), (none, none)),
        # dual sines and cosines of theta2 + epsilon d2, less epsilon g2
        "C": (((s, c, 0), ((D2 - G2) * c, -(D2 - G2) * s, 0)), ((0, 0, 1), none), (none, none)),
        "D2": (((s, c, 0), (D2 * c, -D2 * s, 0)), ((0, 0, 1), none), (none, none)),
        "E": (
            ((s, 0, -c), (D2 * c, -S3 * s, D2 * s)),
            ((0, 1, 0), (S3, 0, 0)),
            (none, (0, 0, 1)),
        ),
    }
    for frame, rows in table.items():
        for found, (real, dual) in zip(dual_partial_velocities(ARM, graph, q, frame), rows, strict=True):
            assert agree(found, real, dual), frame


def test_the_base_has_no_partial_velocity() -> None:
    graph = Graph()
    for found in dual_partial_velocities(ARM, graph, inputs(graph, "q", 3), "base"):
        assert all(x.is_zero for x in (*found.real, *found.dual))


# -- the disk between rotating plates ----------------------------------------------------------------------------------


def speeds_of_the_disk(graph: Graph, q3: Expression) -> list[list[Expression]]:
    """N: rates of the plates, q1, q2, q3 for u1 and u2, by (42), (43) and (45); u3 is dq3/dt (erratum)."""
    zero, length = constant(graph, 0), Expression(graph, graph.parameter("l"))
    s, c = q3.sine(), q3.cosine()
    return [[zero, zero], [c, -s], [s, c], [zero, -1 / length]]


def test_nonholonomic_partial_velocities_of_table_2() -> None:
    graph = Graph()
    q = inputs(graph, "q", 4)
    N = speeds_of_the_disk(graph, q[3])
    none = (0, 0, 0)
    table = {
        "disk": ((none, (1, 0, 0)), ((0, 0, -1 / L), (0, 1, 0))),
        "Dstar": ((none, (1, 0, 0)), ((0, 0, -1 / L), none)),
    }
    for frame, rows in table.items():
        for found, (real, dual) in zip(dual_partial_velocities(DISK, graph, q, frame, N), rows, strict=True):
            assert agree(found, real, dual), frame


def equations_of_the_disk(graph: Graph) -> list[Expression]:
    """What forces on u1 and u2 a motion (q, u, du/dt) needs, the plates turning at the rate w."""
    q = inputs(graph, "q", 4)
    u, du = inputs(graph, "v", 2), inputs(graph, "a", 2)
    zero, w = constant(graph, 0), inputs(graph, "w", 1)[0]
    N = speeds_of_the_disk(graph, q[3])
    s, c = N[2][0], N[1][0]
    q3_dot = N[3][1] * u[1]
    v = [w, c * u[0] - s * u[1], s * u[0] + c * u[1], q3_dot]
    a = [
        zero,
        c * du[0] - s * du[1] - q3_dot * v[2],
        s * du[0] + c * du[1] + q3_dot * v[1],
        N[3][1] * du[1],
    ]
    return forces_on_speeds(DISK, graph, q, v, a, N)


def test_equations_52_and_53() -> None:
    """(53) with its sign of omega^2 mended; (50), from which it follows, has it right."""
    q1, q3, u1, u2, du1, du2 = sympy.symbols("q1 q3 u1 u2 du1 du2")
    names = {
        **dict(
            zip([("q", i) for i in range(4)], (sympy.Symbol("q0"), q1, sympy.Symbol("q2"), q3), strict=True)
        ),
        **dict(zip([("v", 0), ("v", 1), ("a", 0), ("a", 1), ("w", 0)], (u1, u2, du1, du2, W), strict=True)),
    }
    graph = Graph()
    first, second = (to_sympy(graph, x.ref, names) for x in equations_of_the_disk(graph))
    s, c = sin(q3), cos(q3)
    rhs52 = -G * s + W**2 * c * q1 + (M2 * L * W**2 * c**2 - M1 * u2**2 / L) / (M1 + M2)
    rhs53 = -G * c - W**2 * s * q1 + u1 * u2 / L
    assert vanishes(first - (M1 + M2) * (du1 - rhs52))
    assert vanishes(second - M1 * (du2 - rhs53))
    as_printed = rhs53 + 2 * W**2 * s * q1
    assert not vanishes(second - M1 * (du2 - as_printed))


def test_disk_of_the_oracle() -> None:
    """The accelerations of the oracle need no forces on u1 and u2."""
    vectors = ORACLE["disk"]["vectors"]
    graph = Graph()
    tau = equations_of_the_disk(graph)
    found = program_of(graph, {"q": 4, "v": 2, "a": 2, "w": 1}, tau)
    at = {
        "q": np.array([[0.0, *x["q"]] for x in vectors]),
        "v": np.array([x["u1u2"] for x in vectors]),
        "a": np.array([x["u1dot_u2dot"] for x in vectors]),
        "w": np.array([ORACLE["disk"]["params"]["w"]]),
    }
    # the forces that add up to zero are of the order of the weight and of m a
    scale = 3 * (9.81 + np.abs(at["a"]).max())
    assert np.abs(evaluate(found, at, numbers(DISK))["tau"]).max() <= TOLERANCE * scale
