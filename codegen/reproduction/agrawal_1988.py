"""Agrawal, Multi-Rigid-Body Dynamics: A d'Alembert's Method Using Dual Vectors, 1988: its two examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import cos, sin

import kanegen
from kanegen.arrays import FloatArray
from kanegen.codegen.derivation.dual_vectors import (
    DualNumber,
    DualQuantities,
    DualVector,
    displacement,
    dual_partial_velocities,
    dual_quantities,
)
from kanegen.codegen.graph import Expression, Graph, inputs
from kanegen.codegen.graph.sympy_bridge import to_sympy
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.records import Frame, Mechanism
from kanegen.codegen.reproduction.records import (
    Claim,
    Figure,
    Panel,
    Paper,
    Part,
    Section,
    Table,
    Verdict,
    bounded,
)

ARM, DISK = "stanford_arm_rrp", "plate_disk"
STATES = 100
_SEED = 1988
_ROUNDING = 1e-12
"""Of a relative difference: some hundred operations of 1.1e-16 each."""

Names = Mapping[tuple[str, int], sympy.Symbol]


def paper() -> Paper:
    """The paper's claims and tables."""
    return Paper(
        "agrawal_1988",
        "S. K. Agrawal, Multi-Rigid-Body Dynamics: A d'Alembert's Method Using Dual Vectors, Trends and Developments "
        "in Mechanisms, "
        "Machines, and Robotics 3, ASME 1988, 1–6",
        (
            Section("Displacements", (_sequences(),)),
            Section("Example 1: the first three links of the Stanford Arm", tuple(_example_1())),
            Section("Example 2: a sharp-edged disk between rotating plates", tuple(_example_2())),
        ),
    )


# -- displacements -----------------------------------------------------------------------------------------------------


def _sequences() -> Table:
    graph = Graph()
    angles = [DualNumber(x, y) for x, y in zip(inputs(graph, "t", 3), inputs(graph, "l", 3), strict=True)]
    names = {("t", i): sympy.Symbol(f"θ{i + 1}") for i in range(3)}
    names |= {("l", i): sympy.Symbol(f"l{i + 1}") for i in range(3)}
    rows = []
    for space, axes in product((False, True), product(range(3), repeat=3)):
        if axes[0] == axes[1] or axes[1] == axes[2]:
            continue
        found = displacement(axes, angles, space=space)
        kind = "space" if space else "body"
        entries = [[_said(graph, x, names) for x in row] for row in found.rotation]
        moved = [_said(graph, x, names) for x in found.translation]
        rows.append(
            (
                f"{kind} {'-'.join(str(axis + 1) for axis in axes)}",
                *(", ".join(row) for row in entries),
                ", ".join(moved),
            )
        )
    return Table(
        "section 1",
        "The 24 sequences of three dual displacements θ + ε l: (1 + ε t ×) R",
        ("sequence", "R, row 1", "R, row 2", "R, row 3", "t"),
        tuple(rows),
        "s1 and c1 are sine and cosine of θ1. R carries components from the displaced axes to those before.",
    )


def _said(graph: Graph, value: Expression, names: Names) -> str:
    return _text(to_sympy(graph, value.ref, names))


def _text(expression: sympy.Expr) -> str:
    numerator, denominator = (_reduced(x) for x in sympy.fraction(sympy.together(expression)))
    expression = sympy.factor_terms(sympy.cancel(numerator / denominator))
    short = {}
    for found in expression.atoms(sin, cos):
        short[found] = sympy.Symbol(f"{'s' if found.func is sin else 'c'}{str(found.args[0])[1:]}")
    return str(expression.xreplace(short)).replace("**2", "²").replace("*", " ")


def _reduced(expression: sympy.Expr) -> sympy.Expr:
    """Expanded, where sin² + cos² became 1."""
    expanded = sympy.expand(expression)
    squares = {x**2: 1 - cos(x.args[0]) ** 2 for x in expanded.atoms(sin)}
    shorter = sympy.expand(expanded.subs(squares))
    return min(shorter, expanded, key=sympy.count_ops)


# -- the arm -----------------------------------------------------------------------------------------------------------

_TH1, _TH2, _S3 = sympy.symbols("θ1 θ2 s3")
_V = sympy.symbols("θ1' θ2' s3'")
_A = sympy.symbols("θ1'' θ2'' s3''")
_ARM_NAMES: Names = {
    **{("q", i): x for i, x in enumerate((_TH1, _TH2, _S3))},
    **{("v", i): x for i, x in enumerate(_V)},
    **{("a", i): x for i, x in enumerate(_A)},
}


def _arm_with_frames() -> Mechanism:
    """With the paper's frames at C and D2; A and E are those of its bodies."""
    arm = catalogue.mechanism(ARM)
    centre = arm.body("D").inertia
    assert centre is not None
    frames = (
        Frame("C", "D", position=centre.center),
        Frame("D2", "D", position=arm.joint("s3prime").position),
    )
    return replace(arm, frames=arm.frames + frames)


def _example_1() -> Iterator[Part]:
    mechanism = _arm_with_frames()
    graph = Graph()
    q, v, a = (inputs(graph, name, 3) for name in "qva")
    frames = {"B (A, B1, B2)": "B", "C": "C", "D2": "D2", "E (D3)": "E"}
    columns = {said: dual_partial_velocities(mechanism, graph, q, name) for said, name in frames.items()}
    yield Table(
        "table 1",
        "Dual holonomic partial velocities",
        ("speed", *columns),
        tuple(
            (name, *(_dual(graph, column[r], _ARM_NAMES) for column in columns.values()))
            for r, name in enumerate(("u1 = θ1'", "u2 = θ2'", "u3 = s3'"))
        ),
        "Components along x, y, z of each frame, angular + ε linear; D3 is a point of E, in which only the "
        "components differ. "
        "The print has s3′ for the slide's rate, which is its rate of change.",
    )
    found = dual_quantities(mechanism, graph, q, v, a)
    for kind, place in (("velocity", "eqs 20–22"), ("momentum", "eqs 23–25"), ("inertia_force", "eqs 26–28")):
        yield Table(
            place,
            f"Dual {kind.replace('_', ' ')} of the bodies at their mass centres",
            ("body", "x", "y", "z"),
            tuple((x.body, *_components(graph, getattr(x, kind), _ARM_NAMES)) for x in found),
        )
    yield _printed_forces(found, graph)
    arm = kanegen.load(ARM)
    random = np.random.default_rng(_SEED)
    states = [random.uniform(-2, 2, (STATES, 3)) for _ in "qva"]
    computed = arm.inverse_dynamics(*states)
    yield bounded(
        "eqs 29–32",
        "T1, T2 and F3",
        "as printed",
        float(np.abs(_numbers(_printed_torques(), states) - computed).max() / np.abs(computed).max()),
        _ROUNDING,
        note=f"Against kanegen's recursion, over {STATES} random states.",
    )


def _dual(graph: Graph, vector: DualVector, names: Names) -> str:
    real, dual = ([_said(graph, x, names) for x in part] for part in (vector.real, vector.dual))
    if all(x == "0" for x in real + dual):
        return "0"
    parts = []
    if any(x != "0" for x in real):
        parts.append(f"({', '.join(real)})")
    if any(x != "0" for x in dual):
        parts.append(f"ε ({', '.join(dual)})")
    return " + ".join(parts)


def _components(graph: Graph, vector: DualVector, names: Names) -> tuple[str, ...]:
    told = []
    for real, dual in zip(vector.real, vector.dual, strict=True):
        x, y = _said(graph, real, names), _said(graph, dual, names)
        told.append(x if y == "0" else f"{x} + ε ({y})" if x != "0" else f"ε ({y})")
    return tuple(told)


def _symbols(model: str) -> dict[str, sympy.Symbol]:
    return {x.name: sympy.Symbol(x.name) for x in catalogue.mechanism(model).parameters}


def _values(model: str) -> dict[sympy.Symbol, float]:
    return {sympy.Symbol(x.name): float(x.value) for x in catalogue.mechanism(model).parameters}


def _printed_forces(found: Sequence[DualQuantities], graph: Graph) -> Claim:
    """Equations 26 to 28, divided by the masses, as printed."""
    p = _symbols(ARM)
    d2, g2, k13, k21, k23, k31, k33 = (p[x] for x in ("d2", "g2", "k13", "k21", "k23", "k31", "k33"))
    s, c = sin(_TH2), cos(_TH2)
    (v1, v2, v3), (a1, a2, a3) = _V, _A
    printed = {
        "B": ((0, 0, 0), (0, 0, k13**2 * a1)),
        "D": (
            ((d2 - g2) * c * a1, -(d2 - g2) * s * a1, -(d2 - g2) * v1**2),
            (k21**2 * s * a1 + k23**2 * c * v1 * v2, k21**2 * c * a1 - k23**2 * s * v1 * v2, k23**2 * a2),
        ),
        "E": (
            (
                d2 * c * a1 + 2 * v2 * v3 + _S3 * a2 - _S3 * s * c * v1**2,
                -_S3 * (s * a1 + 2 * c * v1 * v2) - 2 * v3 * s * v1 - d2 * v1**2,
                a3 + d2 * s * a1 - _S3 * (v2**2 + s**2 * v1**2),
            ),
            (
                k31**2 * s * a1 + c * v1 * v2 * (2 * k31**2 - k33**2),
                k31**2 * a2 + c * s * v1**2 * (k33**2 - k31**2),
                -(k33**2) * (c * a1 - s * v1 * v2),
            ),
        ),
    }
    masses = {"B": p["m1"], "D": p["m2"], "E": p["m3"]}
    differ = []
    for x in found:
        for part, wanted in zip((x.inertia_force.real, x.inertia_force.dual), printed[x.body], strict=True):
            for i, (value, said) in enumerate(zip(part, wanted, strict=True)):
                computed = to_sympy(graph, value.ref, _ARM_NAMES)
                if not _vanishes(computed - masses[x.body] * said):
                    differ.append(f"{x.body} {'xyz'[i]}")
    return Claim(
        "eqs 26–28",
        "the dual inertia forces of the three bodies",
        "18 components",
        "all as printed, symbolically" if not differ else f"differ: {', '.join(differ)}",
        Verdict.AGREES if not differ else Verdict.CORRECTED,
        "k_i1 = k_i2, as the paper assumes.",
    )


def _vanishes(expression: sympy.Expr) -> bool:
    """Whether it is zero by sin² + cos² = 1, at random numbers of thirty digits."""
    symbols = sorted(expression.free_symbols, key=str)
    random = np.random.default_rng(_SEED)
    for _ in range(3):
        at = {x: sympy.Float(repr(random.uniform(0.2, 2.0)), 30) for x in symbols}
        if abs(sympy.N(expression.subs(at), 30)) > 1e-20:
            return False
    return True


def _printed_torques() -> list[sympy.Expr]:
    """T1 (31) with (32), T2 (30) and F3 (29), as printed."""
    p = _symbols(ARM)
    m1, m2, m3, d2, g2, k13, k21, k23, k31, k33 = (
        p[x] for x in ("m1", "m2", "m3", "d2", "g2", "k13", "k21", "k23", "k31", "k33")
    )
    s, c = sin(_TH2), cos(_TH2)
    (v1, v2, v3), (a1, a2, a3) = _V, _A
    k = k33**2 - k31**2 - _S3**2
    inertia = (
        m1 * k13**2
        + (m2 + m3) * d2**2
        + m2 * (k21**2 + g2**2)
        + m3 * k33**2 * c**2
        + m3 * _S3**2 * s**2
        - 2 * m2 * g2 * d2
        + m3 * k31**2 * s**2
    )
    return [
        inertia * a1
        + m3 * d2 * _S3 * c * a2
        + m3 * d2 * s * a3
        - m3 * d2 * _S3 * s * v2**2
        + 2 * m3 * d2 * c * v2 * v3
        - 2 * m3 * k * s * c * v1 * v2
        + 2 * m3 * _S3 * s**2 * v1 * v3,
        (m2 * k23**2 + m3 * _S3**2 + m3 * k31**2) * a2
        + m3 * _S3 * d2 * c * a1
        + 2 * m3 * _S3 * v2 * v3
        + m3 * k * s * c * v1**2,
        m3 * (d2 * s * a1 + a3 - _S3 * s**2 * v1**2 - _S3 * v2**2),
    ]


def _numbers(expressions: Sequence[sympy.Expr], states: Sequence[FloatArray]) -> FloatArray:
    names = [_TH1, _TH2, _S3, *_V, *_A]
    function = sympy.lambdify(names, [x.subs(_values(ARM)) for x in expressions])
    columns = function(*(column for state in states for column in state.T))
    return np.stack([np.broadcast_to(x, len(states[0])) for x in columns], axis=1)


# -- the disk ----------------------------------------------------------------------------------------------------------

_Q = sympy.symbols("q1 q2 q3")
_U = sympy.symbols("u1 u2")
_DU = sympy.symbols("u1' u2'")
_DISK_NAMES: Names = {
    **{("q", i): x for i, x in enumerate(_Q)},
    **{("v", i): x for i, x in enumerate(_U)},
    **{("a", i): x for i, x in enumerate(_DU)},
}


def _example_2() -> Iterator[Part]:
    mechanism = catalogue.mechanism(DISK)
    graph = Graph()
    q = inputs(graph, "q", 3)
    columns = {name: dual_partial_velocities(mechanism, graph, q, name) for name in ("disk", "Dstar")}
    yield Table(
        "table 2",
        "Dual nonholonomic partial velocities",
        ("speed", "P of R", "D*"),
        tuple(
            (name, *(_dual(graph, column[r], _DISK_NAMES) for column in columns.values()))
            for r, name in enumerate(("u1", "u2"))
        ),
        "Along the axes of R. Equation 44 defines u3 = dq3/dt, where dq1/dt is printed.",
    )
    disk = kanegen.load(DISK)
    random = np.random.default_rng(_SEED)
    q_at, u_at = random.uniform(-2, 2, (STATES, 3)), random.uniform(-2, 2, (STATES, 2))
    computed = disk.forward_dynamics(q_at, u_at, np.zeros((STATES, 2)))
    for k, place in enumerate(("eq 52", "eq 53")):
        right, printed = (_disk_numbers(_disk_rates(sign)[k], q_at, u_at) for sign in (-1, +1))
        scale = float(np.abs(computed[:, k]).max())
        exact, away = (float(np.abs(x - computed[:, k]).max()) / scale for x in (right, printed))
        if away <= _ROUNDING:
            yield bounded(
                place, f"du{k + 1}/dt", "as printed", away, _ROUNDING, note="Against kanegen, relative."
            )
            continue
        yield Claim(
            place,
            f"du{k + 1}/dt",
            "+ω² sin q3 q1",
            "−ω² sin q3 q1",
            Verdict.CORRECTED if exact <= _ROUNDING else Verdict.FAILED,
            f"Off by {100 * away:.0f} % of the largest value as printed, by less than {_ROUNDING:.0e} as corrected; "
            "equation 50, "
            "from which it follows, has it right.",
        )
    yield from _jacobi()


def _disk_rates(sign: int) -> tuple[sympy.Expr, sympy.Expr]:
    """Equations 52 and 53, with the sign of the term in ω² of the latter."""
    p = _symbols(DISK)
    m1, m2, length, w, g = (p[x] for x in ("m1", "m2", "l", "w", "g"))
    (q1, _, q3), (u1, u2) = _Q, _U
    return (
        -g * sin(q3)
        + w**2 * cos(q3) * q1
        + (m2 * length * w**2 * cos(q3) ** 2 - m1 * u2**2 / length) / (m1 + m2),
        -g * cos(q3) + sign * w**2 * sin(q3) * q1 + u1 * u2 / length,
    )


@cache
def _disk_function(expression: sympy.Expr) -> Callable[..., Any]:
    found: Callable[..., Any] = sympy.lambdify([*_Q, *_U], expression.subs(_values(DISK)))
    return found


def _disk_numbers(expression: sympy.Expr, q: FloatArray, u: FloatArray) -> FloatArray:
    return np.asarray(_disk_function(expression)(*q.T, *u.T), dtype=float)


def _moved(sign: int, t: FloatArray) -> FloatArray:
    """q1, q2, q3, u1, u2 (5, k) in a motion by equations 52 and 53: Runge and Kutta's method, ten steps between times."""
    length = _values(DISK)[sympy.Symbol("l")]
    first, second = (_disk_function(x) for x in _disk_rates(sign))

    def rates(y: FloatArray) -> FloatArray:
        _, _, q3, u1, u2 = y
        s, c = np.sin(q3), np.cos(q3)
        return np.array([u1 * c - u2 * s, u1 * s + u2 * c, -u2 / length, first(*y), second(*y)])

    y, h, rows = np.array([0.3, 0.0, 0.4, 0.5, 0.2]), (t[1] - t[0]) / 10, []
    for _ in t:
        rows.append(y)
        for _ in range(10):
            k1 = rates(y)
            k2 = rates(y + h / 2 * k1)
            k3 = rates(y + h / 2 * k2)
            k4 = rates(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.array(rows).T


def _jacobi() -> Iterator[Part]:
    """The Jacobi integral h = T_2 − T_0 + V of a motion by the corrected and by the printed equations."""
    p = _values(DISK)
    m1, m2, length, w, g = (p[sympy.Symbol(x)] for x in ("m1", "m2", "l", "w", "g"))
    t = np.linspace(0.0, 2.0, 201)
    curves, changes = {}, []
    for name, sign in (("corrected", -1), ("as printed", +1)):
        q1, q2, q3, u1, u2 = _moved(sign, t)
        end = q1 + length * np.cos(q3)
        integral = (
            m1 * (u1**2 + u2**2 - (w * q1) ** 2) / 2
            + m2 * (u1**2 - (w * end) ** 2) / 2
            + g * (m1 * q2 + m2 * (q2 + length * np.sin(q3)))
        )
        curves[name] = integral - integral[0]
        changes.append(float(np.abs(curves[name]).max()))
    yield Claim(
        "eqs 52, 53",
        "a motion between plates that turn uniformly keeps its Jacobi integral",
        f"changes by {changes[1]:.2g} J within 2 s",
        "corrected, changes by less than 1e-6 J" if changes[0] < 1e-6 else f"{changes[0]:.1e} J",
        Verdict.CORRECTED if changes[0] < 1e-6 else Verdict.FAILED,
        "Runge and Kutta's method of order 4, steps of 1 ms.",
    )
    yield Figure(
        "agrawal-1988-jacobi-integral",
        "eqs 52, 53",
        "Change of the Jacobi integral in a motion by the equations as printed and as corrected",
        t,
        (Panel("change", "J", curves),),
    )
