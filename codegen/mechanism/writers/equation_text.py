"""Expressions of SymPy in files: as the arithmetic of TOML, and equations as joints that follow others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy
from sympy.printing.str import StrPrinter

from kanegen.codegen.graph.sympy_bridge import exact_constant, with_exact_exponents
from kanegen.codegen.mechanism.constraints import Constraint, PositionConstraint
from kanegen.codegen.mechanism.expression_text import functions
from kanegen.codegen.mechanism.law_quantities import Quantity
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.writers.exact_text import IDENTIFIER, Unsayable
from kanegen.limits import LARGEST_POWER, LONGEST_ARITHMETIC

_NAMES = {function: name for name, function in functions().items()}
_NAME = re.compile(rf"(?:rate\(|acceleration\()?{IDENTIFIER.pattern}(?:\.{IDENTIFIER.pattern})*\)?")
_RELATIONS = (sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge, sympy.Eq)


def equation_text(expression: sympy.Expr, names: Mapping[sympy.Expr, str]) -> str:
    """The text that gives the expression back, its symbols by the ``names`` given, others by their own.

    So are quantities of the mechanism, whose first entries stand in ``names`` where they have inputs of their own.

    Raises Unsayable.
    """
    text = _Printer(names).doprint(with_exact_exponents(expression))
    if len(text) > LONGEST_ARITHMETIC.value:
        raise Unsayable(f"{len(text)} characters of arithmetic")
    return str(text)


def affine_in_two(item: Constraint, mechanism: Mechanism) -> tuple[str, str, Fraction, Fraction] | None:
    """Two joints, a factor and a constant [rad, m], where an equation says: the one is factor * the other + constant.

    The equation of a joint that follows another; the joint that comes later in the tree follows.  None for all others.
    """
    if not isinstance(item, PositionConstraint):
        return None
    used = [k for k, symbol in enumerate(item.q) if symbol in item.expression.free_symbols]
    names = [mechanism.coordinates[k] for k in used]
    joints = [joint.name for joint in mechanism.joints]
    if len(used) != 2 or not set(names) <= set(joints) or len(used) != len(item.expression.free_symbols):
        return None
    (x, leader), (y, joint) = sorted(
        zip((item.q[k] for k in used), names, strict=True), key=lambda pair: joints.index(pair[1])
    )
    try:
        line = sympy.Poly(item.expression, x, y)
    except sympy.PolynomialError:
        return None
    if line.total_degree() != 1:
        return None
    a, b, c = (exact_constant(line.coeff_monomial(of)) for of in (x, y, 1))
    return joint, leader, -a / b, -c / b


class _Printer(StrPrinter):  # type: ignore[misc]  # SymPy has no types
    """Python's notation, with names in place of symbols; nothing that the arithmetic of TOML lacks."""

    printmethod = "_toml"  # those of SymPy's own are for people

    def __init__(self, names: Mapping[sympy.Expr, str]) -> None:
        super().__init__()
        self._names = names
        self._meant: dict[str, sympy.Symbol] = {}

    def _print_Symbol(self, symbol: sympy.Symbol) -> str:
        name = str(self._names.get(symbol, symbol.name))
        if not _NAME.fullmatch(name) or name == "pi" or self._meant.setdefault(name, symbol) != symbol:
            raise Unsayable(f"the name {name!r} has no place in arithmetic of TOML")
        return name

    def _print_Mul(self, product: sympy.Mul) -> str:
        """A number behind sums and quotients by sums: SymPy would multiply it out where it stands in front of them."""
        number, rest = product.as_coeff_Mul()
        sums = any(factor.as_base_exp()[0].is_Add for factor in sympy.Mul.make_args(rest))
        if not number.is_Rational or abs(number) == 1 or not sums:
            return str(super()._print_Mul(product))
        times = "" if abs(number.p) == 1 else f"*{abs(number.p)}"
        return (
            f"{'-' if number < 0 else ''}{self._print(rest)}{times}{'' if number.q == 1 else f'/{number.q}'}"
        )

    def _print_Pow(self, power: sympy.Pow, rational: bool = False) -> str:
        exponent = power.exp
        if not exponent.is_Rational or abs(exponent) > LARGEST_POWER.value or exponent.q > 2:
            raise Unsayable(f"the power {exponent} has no place in arithmetic of TOML")
        return str(super()._print_Pow(power, rational))

    def _print_Function(self, function: Any) -> str:
        if function.func not in _NAMES:
            raise Unsayable(f"{function.func} has no place in arithmetic of TOML")
        return f"{_NAMES[function.func]}({self._listed(function.args)})"

    _print_Abs = _print_Min = _print_Max = _print_Function

    def _print_Piecewise(self, pieces: Any) -> str:
        *chosen, (last, always) = pieces.args
        if always != sympy.true or not all(isinstance(c, _RELATIONS) for _, c in chosen):
            raise Unsayable("piecewise without a last value has no place in arithmetic of TOML")
        parts = [
            f"{self._print(c.lhs)} {c.rel_op} {self._print(c.rhs)}, {self._print(value)}"
            for value, c in chosen
        ]
        return f"piecewise({', '.join([*parts, self._print(last)])})"

    def _print_Exp1(self, number: Any) -> str:
        del number
        return "exp(1)"

    def _print_Float(self, number: sympy.Float) -> str:
        return repr(float(number))

    def _listed(self, arguments: Sequence[Any]) -> str:
        return ", ".join(map(self._print, arguments))

    def emptyPrinter(self, expr: Any) -> str:
        """What has no notation of its own."""
        raise Unsayable(f"{type(expr).__name__} has no place in arithmetic of TOML")

    def _print_Quantity(self, quantity: Quantity) -> str:
        name = self._names.get(quantity.whole, quantity.kernel if not quantity.given else None)
        if name is None:
            raise Unsayable(f"{quantity.kernel} with inputs has no place in arithmetic of TOML")
        return f"{name}[{quantity.entry}]"
