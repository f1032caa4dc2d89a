"""Purushotham & Anjaneyulu, Kane's Method for Robotic Arm Dynamics: a Novel Approach, 2013: the two-link space arm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import sympy

import kanegen
from kanegen.arrays import FloatArray
from kanegen.codegen.mechanism.catalogue.two_link_space_arm import DURATION, ENDS
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
    relative,
)

MODEL = "two_link_space_arm"
STATES = 100
_SEED = 2013
_ROUNDING = 1e-12
"""Of a relative difference: some ten operations of 1.1e-16 each, in terms that are up to a hundred times the result."""

_TIME = sympy.Symbol("t")
_Q1, _Q2, _U1, _U2, _A1, _A2 = sympy.symbols("q1 q2 u1 u2 du1 du2")
_M, _L, _G = sympy.symbols("m L g")
_S1, _C1, _S2, _C2 = sympy.sin(_Q1), sympy.cos(_Q1), sympy.sin(_Q2), sympy.cos(_Q2)
_NUMBERS = {_M: 5, _L: sympy.Rational("1.25"), _G: sympy.Rational("9.81")}
"""Table 3: M = 5 kg, L = 1.25 m."""

_ROWS = 501


def paper() -> Paper:
    """The paper's claims, tables and figures."""
    return Paper(
        "purushotham_anjaneyulu_2013",
        "A. Purushotham & J. Anjeneyulu, Kane's Method for Robotic Arm Dynamics: a Novel Approach, Second National "
        "Conference on Recent Developments in Mechanical Engineering, Pune, 2013, 41–48",
        (
            Section("Partial velocities and active forces", (*_partials(), *_active())),
            Section("Equations of motion", (*_forces(), _entries())),
            Section("Simulation studies", tuple(_study())),
        ),
    )


@cache
def _arm() -> kanegen.Robot:
    return kanegen.load(MODEL)


@cache
def _states() -> tuple[FloatArray, FloatArray, FloatArray]:
    random = np.random.default_rng(_SEED)
    return (
        random.uniform(-3, 3, (STATES, 2)),
        random.uniform(-2, 2, (STATES, 2)),
        random.uniform(-5, 5, (STATES, 2)),
    )


def _at(expressions: Mapping[str, sympy.Expr] | list[sympy.Expr]) -> FloatArray:
    """Expressions in the states (STATES, k)."""
    q, u, du = _states()
    chosen = list(expressions.values()) if isinstance(expressions, Mapping) else expressions
    given = [*q.T, *u.T, *du.T]
    function = sympy.lambdify([_Q1, _Q2, _U1, _U2, _A1, _A2], [x.subs(_NUMBERS) for x in chosen])
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), STATES) for x in function(*given)], axis=1)


# -- partial velocities ------------------------------------------------------------------------------------------------


def _turn(axis: int, angle: sympy.Expr) -> sympy.Matrix:
    """Components in the carrying frame from those in the turned one."""
    turned: sympy.Matrix = (sympy.rot_axis1, sympy.rot_axis2, sympy.rot_axis3)[axis](angle).T
    return turned


def _centres() -> tuple[sympy.Matrix, sympy.Matrix]:
    """A* and B* from O along A's axes."""
    return sympy.Matrix([0, 0, -2 * _L]), sympy.Matrix([0, 0, -4 * _L]) + _turn(2, _Q2) * sympy.Matrix(
        [0, _L, 0]
    )


_PRINTED_PARTIALS = {
    "A*": ((-2 * _L, 0, 0), (0, 0, 0), (0, 2 * _L, 0)),
    "B*": ((-4 * _L, 0, _L * _S2), (-_L * _C2, -_L * _S2, 0), (0, 4 * _L, _L * _C2)),
}
"""Step 3, along A's axes: of u1, u2, u3."""


def _partials() -> Iterator[Part]:
    turning = (sympy.Matrix([0, 1, 0]), sympy.Matrix([0, 0, 1]), sympy.Matrix([1, 0, 0]))
    rows, differ = [], []
    for name, centre in zip(_PRINTED_PARTIALS, _centres(), strict=True):
        printed = [sympy.Matrix(x) for x in _PRINTED_PARTIALS[name]]
        own = centre.diff(_Q2)  # what u2 moves within A
        right = [turning[0].cross(centre), own, turning[2].cross(centre)]
        differ += [sympy.simplify(a - b) for a, b in zip(printed, right, strict=True)]
        for r, (a, b) in enumerate(zip(printed, right, strict=True), start=1):
            rows.append((name, f"u{r}", _components(a), _components(sympy.simplify(b))))
    yield Table(
        "step 3",
        "Partial velocities of the mass centres along a1, a2, a3",
        ("point", "speed", "as printed", "derived"),
        tuple(rows),
    )
    yield Claim(
        "step 3",
        "partial velocities of A* and B* for u1, u2 and the auxiliary speed u3",
        "6 vectors",
        f"{sum(x == sympy.zeros(3, 1) for x in differ)} of 6 as printed, symbolically",
        Verdict.AGREES if all(x == sympy.zeros(3, 1) for x in differ) else Verdict.CORRECTED,
        "The partial velocity of u3 is that of a turn about a1, with its component along b's direction.",
    )
    arm = sympy.Matrix([0, _L, 0])
    velocity = sympy.Matrix(_PRINTED_PARTIALS["B*"][1])
    goes = {
        turn: (turn * arm).diff(_Q2) == velocity
        for turn in map(sympy.ImmutableMatrix, (_turn(1, _Q1), _turn(2, _Q2)))
    }
    yield Claim(
        "table 2",
        "direction cosines between A and B",
        "those of a turn by q1 about a2, as in table 1",
        "those of a turn by q2 about a3",
        Verdict.CORRECTED if list(goes.values()) == [False, True] else Verdict.FAILED,
        "The turn about a3 gives the partial velocity of u2 that (4.7) has, the printed one does not.",
    )


def _components(vector: sympy.Matrix) -> str:
    return "(" + ", ".join(str(x).replace("sin(q2)", "s2").replace("cos(q2)", "c2") for x in vector) + ")"


def _active() -> Iterator[Part]:
    q, u, _ = _states()
    arm = _arm()
    printed = _at([-_M * _G * _L * (8 * _S1 + _S2 * _C1), -_M * _G * _L * _S1 * _C2])
    yield bounded(
        "step 4",
        "F1 and F2, the generalized active forces of gravity",
        "−mgL (8 s1 + s2 c1), −mgL s1 c2",
        relative(-printed, arm.gravity_forces(q)),
        _ROUNDING,
        note="Relative, over random states; kanegen's are what the joints have to hold, with the other sign.",
    )
    still = 0 * u
    yield bounded(
        "step 4",
        "F3 = −mgL c1 c2 + T_c",
        "−mgL c1 c2 + T_c",
        relative(_at([_M * _G * _L * _C1 * _C2]), arm.constraint_forces(q, still, still)),
        _ROUNDING,
        note="At rest the constraint torque balances gravity.",
    )
    w3 = sympy.Matrix([1, 0, 0])  # step 3, of A for u3
    first, third = w3[0], w3[2]
    yield Claim(
        "step 4",
        "T_c enters F3 by its product with the partial angular velocity",
        "(T_c a3) · w3 of A",
        f"T_c a1: a1 · w3 = {first}, and a3 · w3 = {third}",
        Verdict.CORRECTED if (first, third) == (1, 0) else Verdict.FAILED,
        "The auxiliary turn is about a1.",
    )


# -- equations of motion -----------------------------------------------------------------------------------------------

_K = _M * _L**2
_THIRD = sympy.Rational(1, 3)
_RIGHT = {
    "τ1": _K
    * (
        (80 * _THIRD + 4 * _THIRD * _S2**2) * _A1
        + 4 * _C2 * _A2
        - 4 * _S2 * _U2**2
        + 8 * _THIRD * _S2 * _C2 * _U1 * _U2
    )
    + _M * _G * _L * (8 * _S1 + _S2 * _C1),
    "τ2": _K * (4 * _C2 * _A1 + 4 * _THIRD * _A2 - 4 * _THIRD * _S2 * _C2 * _U1**2)
    + _M * _G * _L * _S1 * _C2,
    "T_c": _K
    * (
        4 * _THIRD * _S2 * _C2 * _A1
        - 4 * _S2 * _A2
        + 8 * _THIRD * _C2**2 * _U1 * _U2
        - 4 * _C2 * _U2**2
        + 4 * _C2 * _U1**2
    )
    + _M * _G * _L * _C1 * _C2,
}
"""What equation 4.10 is with the slips mended: the torques of the joints, and T_c about a1."""

_PRINTED = {
    "τ1": _K
    * (
        (8 * _THIRD + 12 + 4 * _THIRD * _S2**2) * _A1
        + 4 * _C2 * _A2
        + _THIRD * _S2 * _C2 * _U1 * _U2
        + 4 * _S2 * (_U1**2 + _U2) ** 2
        + 2 * _S2 * _C2 * _U1 * _U2
    )
    + _M * _G * _L * (8 * _S1 + _S2 * _C1),
    "τ2": _K
    * (
        _C2 * _A1
        + 4 * _THIRD * _A2
        + _THIRD * _S2 * _C2 * _U1**2
        - _S2 * _C2 * (_U1**2 + _U2**2)
        - _S2 * (4 * _U1**2 + _U2**2)
    )
    + _M * _G * _L * _S1 * _C2,
    "T_c": _K
    * (
        (_THIRD * _S2 * _C2 + _S2) * _A1
        - 4 * _S2 * _A2
        + 2 * _THIRD * _C2**2 * _U1 * _U2
        + 16 * _U1**2
        + 2 * _C2**2 * _U1 * _U2
        - 16 * _U2**2
    )
    + _M * _G * _L * _C1 * _C2,
}
"""Equation 4.10 as it is printed."""


def _forces() -> Iterator[Part]:
    q, u, du = _states()
    arm = _arm()
    computed = np.hstack([arm.inverse_dynamics(q, u, du), arm.constraint_forces(q, u, du)])
    right, printed = _at(_RIGHT), _at(_PRINTED)
    for k, name in enumerate(_RIGHT):
        away = relative(printed[:, [k]], computed[:, [k]])
        exact = relative(right[:, [k]], computed[:, [k]])
        told = f"corrected, differs by less than {_ROUNDING:.0e}" if exact <= _ROUNDING else f"{exact:.1e}"
        yield Claim(
            "eq 4.10",
            f"{name} from q, u and du/dt",
            f"off by {100 * away:.0f} % of the largest value",
            told,
            Verdict.CORRECTED if exact <= _ROUNDING else Verdict.FAILED,
            "The inertia terms of the print are full of slips; over random states, against kanegen.",
        )
    lagrange = _at(_by_lagrange())
    yield bounded(
        "section V",
        "Kane's and Lagrange's methods give the same torques",
        "a slight deviation, from approximations in non-linear terms",
        relative(lagrange, computed[:, :2]),
        _ROUNDING,
        note="Neither method approximates anything: what deviates in the print are its slips.",
    )


def _by_lagrange() -> list[sympy.Expr]:
    """d/dt ∂T/∂u − ∂T/∂q + ∂V/∂q of two thin rods."""
    along = sympy.Symbol("x")
    spatial = _turn(1, _Q1)
    on_a = spatial * sympy.Matrix([0, 0, -along])
    on_b = spatial * (sympy.Matrix([0, 0, -4 * _L]) + _turn(2, _Q2) * sympy.Matrix([0, along, 0]))
    kinetic, potential = sympy.Integer(0), sympy.Integer(0)
    for point, length, mass in ((on_a, 4 * _L, 2 * _M), (on_b, 2 * _L, _M)):
        velocity = point.diff(_Q1) * _U1 + point.diff(_Q2) * _U2
        density = mass / length
        kinetic += sympy.integrate(sympy.expand(density * velocity.dot(velocity) / 2), (along, 0, length))
        potential += sympy.integrate(sympy.expand(density * _G * point[2]), (along, 0, length))
    found = []
    for q, u in ((_Q1, _U1), (_Q2, _U2)):
        momentum = kinetic.diff(u)
        rate = (
            momentum.diff(_Q1) * _U1
            + momentum.diff(_Q2) * _U2
            + momentum.diff(_U1) * _A1
            + momentum.diff(_U2) * _A2
        )
        found.append(rate - kinetic.diff(q) + potential.diff(q))
    return found


_MATRIX = {
    ("τ1", "du1/dt"): _A1,
    ("τ1", "du2/dt"): _A2,
    ("τ2", "du1/dt"): _A1,
    ("τ2", "du2/dt"): _A2,
    ("T_c", "du1/dt"): _A1,
    ("T_c", "du2/dt"): _A2,
}


def _entries() -> Table:
    rows = []
    for (name, of), symbol in _MATRIX.items():
        printed, right = (sympy.expand(x[name]).coeff(symbol) / _K for x in (_PRINTED, _RIGHT))
        rows.append((name, of, *_both(printed, right)))
    zero = {_A1: 0, _A2: 0, _G: 0}
    for name in _RIGHT:
        printed, right = (sympy.expand(x[name].subs(zero) / _K) for x in (_PRINTED, _RIGHT))
        rows.append((name, "velocity terms", *_both(printed, right)))
    return Table(
        "eq 4.10",
        "Terms of the equations in units of m L²",
        ("equation", "term", "as printed", "corrected", ""),
        tuple(rows),
        "Written for the torques that a motion takes.",
    )


def _both(printed: sympy.Expr, right: sympy.Expr) -> tuple[str, str, str]:
    same = sympy.simplify(printed - right) == 0
    return _text(printed), _text(right), Verdict.AGREES.value if same else Verdict.CORRECTED.value


def _text(expression: sympy.Expr) -> str:
    text = str(sympy.expand(expression)).replace("**2", "²").replace("**4", "⁴").replace("*", " ")
    for angle in ("q1", "q2"):
        for function, letter in (("sin", "s"), ("cos", "c")):
            text = text.replace(f"{function}²({angle})", f"{letter}{angle[1]}²")
            text = text.replace(f"{function}({angle})²", f"{letter}{angle[1]}²")
            text = text.replace(f"{function}({angle})", f"{letter}{angle[1]}")
    return text


# -- the study of section V --------------------------------------------------------------------------------------------


@cache
def _motion() -> tuple[FloatArray, FloatArray, FloatArray]:
    """t (k,), q (k, 2), u (2,) of uniform turns."""
    t = np.linspace(0.0, DURATION, _ROWS)
    rates = np.array(ENDS, dtype=float) / DURATION
    return t, t[:, None] * rates, rates


def _study() -> Iterator[Part]:
    t, q, rates = _motion()
    u, still = np.broadcast_to(rates, q.shape), np.zeros(q.shape)
    arm = _arm()
    yield Table(
        "table 3",
        "Parameters of the study",
        ("parameter", "as printed", "taken"),
        (
            ("m", "M 5 kg", "5 kg"),
            ("L", "1.25 m", "1.25 m"),
            ("rate of joint O", "U_1 1.0 m/s", f"{rates[0]:.4f} rad/s, uniform from 0 to 45° in 10 s"),
            ("rate of joint A", "U2 0.25 m/s", f"{rates[1]:.4f} rad/s, uniform from 0 to 30° in 10 s"),
        ),
        "A uniform turn over the printed angles in the printed time has these rates; the printed rates, in a unit of "
        "speeds, do not "
        "go with them.",
    )
    acceleration = _end_acceleration(q, rates)
    yield Figure(
        "purushotham-anjaneyulu-2013-fig-2",
        "fig. 2",
        "Acceleration of the end of the arm in the motion of table 3",
        t,
        (
            Panel(
                "acceleration",
                "m/s²",
                {name: acceleration[:, k] for k, name in enumerate(("along n1", "along n2", "along n3"))},
            ),
        ),
        note="The print's curves are a picture without numbers.",
    )
    torques, held = arm.inverse_dynamics(q, u, still), arm.constraint_forces(q, u, still)
    yield Figure(
        "purushotham-anjaneyulu-2013-fig-3",
        "fig. 3",
        "Torques of the joints, and the torque of the constraint, in the motion of table 3",
        t,
        (Panel("torques", "N m", {"τ1": torques[:, 0], "τ2": torques[:, 1], "T_c": held[:, 0]}),),
        note="By Kane's method and by Lagrange's the curves are the same.",
    )
    for k, name in enumerate(("τ1", "τ2")):
        yield Claim(
            "fig. 3",
            f"{name} over the motion",
            "a curve",
            f"from {torques[0, k]:.3f} to {torques[-1, k]:.3f} N m, largest {np.abs(torques[:, k]).max():.3f} N m",
            Verdict.ILLEGIBLE,
            "Numbers of the print's axes are not in the scan.",
        )


def _end_acceleration(q: FloatArray, rates: FloatArray) -> FloatArray:
    """Acceleration (k, 3) of B's end along n1, n2, n3 in uniform turns [m/s^2]."""
    end = _turn(1, _Q1) * (sympy.Matrix([0, 0, -4 * _L]) + _turn(2, _Q2) * sympy.Matrix([0, 2 * _L, 0]))
    velocity = end.diff(_Q1) * _U1 + end.diff(_Q2) * _U2
    acceleration = (velocity.diff(_Q1) * _U1 + velocity.diff(_Q2) * _U2).subs(_NUMBERS)
    function = sympy.lambdify([_Q1, _Q2, _U1, _U2], list(acceleration))
    columns = function(q[:, 0], q[:, 1], *rates)
    return np.stack([np.broadcast_to(x, len(q)) for x in columns], axis=1)
