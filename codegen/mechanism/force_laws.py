"""Laws of force elements, by the names of the field; they add up, as ``dead_band(k, upper=l) + damper(c)``.

A displacement s is in rad or m, forces are in N m or N, whatever of the two the element has: units below are for lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.graph.sympy_bridge import to_sympy
from kanegen.codegen.mechanism.force_elements import ForceElement, ForceLaw, JointSum, stretch, stretch_rate
from kanegen.codegen.mechanism.quantities import SLIP_SPEED
from kanegen.codegen.mechanism.readers import read_list, read_value
from kanegen.codegen.mechanism.records import JointLimits, Mechanism, Value
from kanegen.codegen.mechanism.validation import validated
from kanegen.codegen.mechanism.values import Scalar
from kanegen.errors import ModelError

Stiffness = Scalar | Sequence[Scalar]
"""k [N/m], or the coefficients (k1 [N/m], k2 [N/m^2], ...) of a polynomial without a constant."""


def spring(stiffness: Stiffness, rest: Scalar = 0) -> ForceLaw:
    """f = k (s - rest), or the polynomial k1 x + k2 x^2 + ... of x = s - rest; U = 0 at rest.

    Raises ModelError for what is no number.
    """
    return _polynomial("spring", stiffness, stretch() - _value("spring, rest", rest), ())


def dead_band(stiffness: Stiffness, lower: Scalar | None = None, upper: Scalar | None = None) -> ForceLaw:
    """A spring that is slack from ``lower`` to ``upper``: f = k (s - upper) above, k (s - lower) below, and 0 between.

    Without ``lower`` it is one-sided and only pulls, as a rope; without ``upper`` it only pushes, as a buffer.  A polynomial
    is one of the distance from the band.  As ``springlength`` of tendons in MuJoCo.  Raises ModelError.
    """
    low, high = (
        None if x is None else _value(f"dead band, {what}", x)
        for what, x in (("lower", lower), ("upper", upper))
    )
    if low is None and high is None:
        raise ModelError("dead band", "has no end", "lower, upper or both", "Give one.")
    sizes: tuple[tuple[str, sympy.Expr], ...] = ()
    if low is not None and high is not None:
        if low == high:
            return _polynomial("dead band", stiffness, stretch() - low, ())
        sizes = (("width of the dead band", high - low),)
    return _polynomial("dead band", stiffness, _beyond(low, high), sizes)


def tabular(points: Iterable[Sequence[Scalar]], beyond: str = "linear") -> ForceLaw:
    """Points (s, f) with straight lines between them; U is their exact integral, zero at the first point.

    ``beyond`` the ends the first and last lines go on ("linear"), or the first and last forces ("constant").  Raises
    ModelError for fewer than two points, or displacements that do not increase.
    """
    where = "tabular spring"
    rows = [read_list(where, row, object, "number") for row in read_list(where, points, object, "point")]
    table = [tuple(_number(f"{where}, point {k}", x) for x in row) for k, row in enumerate(rows, start=1)]
    if len(table) < 2 or any(len(row) != 2 for row in table):
        raise ModelError(where, "has no two points (s, f)", "two or more of them", "Add points.")
    if any(one[0] >= other[0] for one, other in pairwise(table)):
        raise ModelError(where, "its displacements do not increase", "s1 < s2 < ...", "Sort the points.")
    if beyond not in ("linear", "constant"):
        raise ModelError(where, f"goes on {beyond!r}", "'linear' or 'constant'", "Give one of these.")
    lines = []  # where each begins, its force there, and its slope
    if beyond == "constant":
        lines.append((table[0][0], table[0][1], Fraction(0)))
    lines += [(s, f, (to - f) / (end - s)) for (s, f), (end, to) in pairwise(table)]
    if beyond == "constant":
        lines.append((table[-1][0], table[-1][1], Fraction(0)))
    forces, energies, stored = [], [], Fraction(0)
    for k, (s, f, slope) in enumerate(lines):
        x, last = stretch() - _rational(s), k == len(lines) - 1
        # the first line of a table that goes on as it ends begins where the next one does
        until = sympy.true if last else sympy.Lt(stretch(), _rational(lines[k + 1][0]))
        forces.append((_rational(f) + _rational(slope) * x, until))
        energies.append((_rational(stored) + _rational(f) * x + _rational(slope) * x**2 / 2, until))
        if not last:
            width = lines[k + 1][0] - s
            stored += (f + slope * width / 2) * width
    return ForceLaw(sympy.Piecewise(*energies), sympy.Piecewise(*forces))


def elastic(force: sympy.Expr, s: sympy.Symbol, energy: sympy.Expr | None = None) -> ForceLaw:
    """dU/ds as an expression in the symbol ``s`` and in symbols named like parameters, and U [J] in the same.

    Without ``energy`` SymPy integrates.  Where a force jumps, it has the value that the expression says.  Raises ModelError
    where SymPy finds no integral, and for what is no expression.
    """
    where = "elastic law"
    _check_expressions(where, force, s)
    if energy is None:
        try:
            energy = sympy.integrate(force, s)
        except (NotImplementedError, ValueError, TypeError):
            energy = sympy.Integral(force, s)
        if energy.has(sympy.Integral):
            raise ModelError(
                where, f"{force} has no integral that SymPy finds", "the energy too", "Give energy=."
            )
    _check_expressions(where, energy, s)
    return ForceLaw(energy.xreplace({s: stretch()}), force.xreplace({s: stretch()}))


def damper(linear: Scalar = 0, quadratic: Scalar = 0, cubic: Scalar = 0) -> ForceLaw:
    """g = c1 r + c2 |r| r + c3 r^3 at the rate r = ds/dt; c1 [N s/m], c2 [N s^2/m^2], c3 [N s^3/m^3].  Raises ModelError."""
    found, sizes = sympy.Integer(0), []
    for what, given, shape in (
        ("damping", linear, stretch_rate()),
        ("quadratic damping", quadratic, sympy.Abs(stretch_rate()) * stretch_rate()),
        ("cubic damping", cubic, stretch_rate() ** 3),
    ):
        value = _value(what, given)
        found += value * shape
        sizes.append((what, value))
    return ForceLaw(resistance=found, sizes=tuple(sizes))


def friction(
    coulomb: Scalar,
    static: Scalar | None = None,
    stribeck_speed: Scalar | None = None,
    slip_speed: Scalar = SLIP_SPEED,
) -> ForceLaw:
    """Coulomb friction f_c, and Stribeck's excess of static friction f_s over it, which fades with the speed v_s [m/s].

    g = (f_c + (f_s - f_c) exp(-(r / v_s)^2)) r / sqrt(r^2 + w^2),

    smooth around rest, w = ``slip_speed`` [rad/s, m/s] as friction of joints is.  After Armstrong-Hélouvry, Dupont and
    Canudas de Wit, "A survey of models, analysis tools and compensation methods for the control of machines with friction",
    Automatica 30 (1994).  Raises ModelError, also for speeds that are not positive.
    """
    fc = _value("friction", coulomb)
    smooth = stretch_rate() / sympy.sqrt(stretch_rate() ** 2 + _positive("slip speed", slip_speed) ** 2)
    strength, sizes = fc, [("friction", fc)]
    if static is not None:
        if stribeck_speed is None:
            raise ModelError(
                "friction", "has no Stribeck speed", "a speed at which static friction fades", "Give it."
            )
        fs = _value("static friction", static)
        fading = sympy.exp(-((stretch_rate() / _positive("Stribeck speed", stribeck_speed)) ** 2))
        strength += (fs - fc) * fading
        sizes.append(("static friction", fs))
    return ForceLaw(resistance=strength * smooth, sizes=tuple(sizes))


def resisting(force: sympy.Expr, rate: sympy.Symbol, s: sympy.Symbol | None = None) -> ForceLaw:
    """g as an expression in the symbol ``rate``, and in ``s`` where that is given; it must vanish at rate 0.

    Raises ModelError for what is no expression.
    """
    _check_expressions("resisting law", force, rate)
    if s is not None:
        _check_expressions("resisting law", force, s)
    return ForceLaw(resistance=force.xreplace({rate: stretch_rate()} | ({} if s is None else {s: stretch()})))


def stops(lower: Scalar | None, upper: Scalar | None, stiffness: Scalar, dissipation: Scalar = 0) -> ForceLaw:
    """Elastic stops beyond ``lower`` and ``upper``: f = k d max(0, 1 + e dd/dt) at the depth d, e the ``dissipation`` [s/m].

    The force never holds back what leaves, and is continuous also at an impact: Hunt and Crossley, "Coefficient of
    restitution interpreted as damping in vibroimpact", Journal of Applied Mechanics 42 (1975).  Raises ModelError.
    """
    law = dead_band(stiffness, lower, upper)
    k, e = (_value(f"stops, {what}", x) for what, x in (("k", stiffness), ("e", dissipation)))
    low, high = (None if x is None else _value("stops", x) for x in (lower, upper))
    found = sympy.Integer(0)
    if e != 0:
        if high is not None:
            found += k * _beyond(None, high) * sympy.Max(-1, e * stretch_rate())
        if low is not None:
            found += k * _beyond(low, None) * sympy.Max(-1, -e * stretch_rate())
    return law + ForceLaw(resistance=found, sizes=(("dissipation", _value("dissipation", dissipation)),))


def with_joint_stops(
    mechanism: Mechanism, stiffness: Scalar, dissipation: Scalar = 0, joints: Iterable[str] | None = None
) -> Mechanism:
    """The mechanism with stops at the limits of these ``joints``, by default of all coordinates and followers with limits.

    For models that were read from files, whose limits are data alone.  See ``stops`` for ``stiffness`` [N m/rad, N/m] and
    ``dissipation`` [s/rad, s/m].  Raises ModelError for a joint without limits.
    """
    movable = {*mechanism.coordinates, *(mimic.joint for mimic in mechanism.mimics)}
    known = {j.name: j.limits for j in mechanism.joints if j.name in movable and limited(j.limits)}
    added = []
    for name in known if joints is None else joints:
        limits = known.get(name)
        if limits is None:
            raise ModelError(
                f"stop of joint {name!r}", "has no limits", f"one of {', '.join(known)}", "Mend its name."
            )
        law = stops(limits.lower, limits.upper, stiffness, dissipation)
        added.append(ForceElement(f"{name}_stop", JointSum((name,)), law))
    return validated(replace(mechanism, springs=(*mechanism.springs, *added)))


def limited(limits: JointLimits | None) -> bool:
    """Whether a joint has a range, or one end of it."""
    return limits is not None and not (limits.lower is None and limits.upper is None)


def _beyond(lower: sympy.Expr | None, upper: sympy.Expr | None) -> sympy.Expr:
    """How far s is above the upper end, or below the lower one, which is negative."""
    found = sympy.Integer(0)
    if upper is not None:
        found += sympy.Max(stretch() - upper, 0)
    if lower is not None:
        found += sympy.Min(stretch() - lower, 0)
    return found


def _polynomial(
    where: str, stiffness: Stiffness, x: sympy.Expr, sizes: tuple[tuple[str, sympy.Expr], ...]
) -> ForceLaw:
    given = stiffness if isinstance(stiffness, Sequence) and not isinstance(stiffness, str) else (stiffness,)
    values = [
        _value(f"{where}, stiffness", k) for k in read_list(f"{where}, stiffness", given, object, "number")
    ]
    energy = force = sympy.Integer(0)
    for n, k in enumerate(values, start=1):
        energy, force = energy + k * x ** (n + 1) / (n + 1), force + k * x**n
    if len(values) == 1:
        sizes = (*sizes, ("stiffness", values[0]))
    return ForceLaw(energy, force, sizes=sizes)


def _positive(what: str, given: Scalar) -> sympy.Expr:
    value = _value(what, given)
    if value.is_Rational and value <= 0:
        raise ModelError(what, f"is {float(value)!r}", "more than 0", "Mend it.")
    return value


def _check_expressions(where: str, expression: sympy.Expr, symbol: sympy.Symbol) -> None:
    if not isinstance(expression, sympy.Expr) or not isinstance(symbol, sympy.Symbol):
        raise ModelError(
            where,
            f"is {expression!r} of {symbol!r}",
            "a SymPy expression of a SymPy Symbol",
            "Write powers with **, as in x**2, not with ^, and use sympy.sympify for a plain number.",
        )


def _number(where: str, number: Scalar) -> Fraction:
    value = read_value(where, number)
    if not isinstance(value, Fraction):
        raise ModelError(where, "depends on parameters", "a number", "Give the number.")
    return value


def _value(where: str, number: Any) -> sympy.Expr:
    """A number, or an expression in symbols that are named like parameters."""
    if isinstance(number, sympy.Expr) and number.free_symbols:
        return number
    value = read_value(where, number)
    return symbolic(value)


def symbolic(value: Value) -> sympy.Expr:
    """A value as an expression, with its parameters as symbols of their names."""
    return _rational(value) if isinstance(value, Fraction) else to_sympy(value.graph, value.ref)


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)
