"""Functions by table: what a node of kind FUNCTION, COMPARISON or SELECTION is, one row for each name.

A comparison is 1 where it holds and 0 where it does not; a selection takes its second operand where the first is 1, its
third where that is 0.  A NaN among the operands gives NaN; of a selection, one in the condition or in what it takes.

At kinks derivatives have the value on the side of greater arguments: |x| has 1 at 0.  Where both operands of a minimum are
equal it moves with the second one, a maximum with the first; numbers are put where this is the side of greater arguments.
The sign of 0 is 0; its derivative is 0 everywhere, and so are those of comparisons.

To add a function, add a row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from kanegen.codegen.graph.exact import DIGITS, from_mpf, to_mpf


class Parity(Enum):
    """What a change of sign of the argument does to a function of one argument."""

    NONE = "none"
    EVEN = "even"
    ODD = "odd"


@dataclass(frozen=True)
class Function:
    """One function.

    ``exact`` gives the value at exact numbers; it raises ValueError where there is none.  ``double`` is vectorised for
    NumPy, ``precise`` computes with mpmath, given its context.  ``slopes`` gives, for expressions of the value and of the
    operands, the derivative by each operand.  In C it is a function of the mathematical ``library``, or the ``expression``
    in a, b, c.  ``along`` gives the derivative along a direction, from the rates of the operands, where that is
    shorter than with slopes.
    ``symbolic`` is its name in SymPy; comparisons and selections have none of their own there.
    """

    arity: int
    exact: Callable[..., Fraction]
    double: Callable[..., Any]
    precise: Callable[..., Any]
    slopes: Callable[..., Sequence[Any]]
    library: str | None = None
    expression: str | None = None
    along: Callable[..., Any] | None = None
    parity: Parity = Parity.NONE
    symbolic: str | None = None
    latency: int = 60


_LARGEST_EXPONENT = 1000
"""Exponentials of more are no doubles; as exact numbers they might fill the memory."""


def _irrational(name: str, domain: Callable[..., bool] | None = None) -> Callable[..., Fraction]:
    """The value of a function of mpmath, to the digits that constants of the graph have."""

    def exact(*operands: Fraction) -> Fraction:
        if domain is not None and not domain(*operands):
            raise ValueError(f"{name} of {', '.join(str(float(x)) for x in operands)} has no real value")
        with mpmath.workdps(DIGITS + 5):
            return from_mpf(getattr(mpmath, name)(*map(to_mpf, operands)))

    return exact


def _precise(name: str) -> Callable[..., Any]:
    return lambda context, *operands: getattr(context, name)(*operands)


def _sign(x: Fraction) -> Fraction:
    return Fraction((x > 0) - (x < 0))


def _compared(holds: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """What all comparisons share."""

    def double(a: Any, b: Any) -> Any:
        unordered = np.isnan(a) | np.isnan(b)
        return np.where(unordered, np.nan, np.where(holds(a, b), 1.0, 0.0))

    return {
        "arity": 2,
        "exact": lambda a, b: Fraction(int(holds(a, b))),
        "double": double,
        "precise": lambda context, a, b: context.mpf(int(holds(a, b))),
        "slopes": lambda node, a, b: (0, 0),
        "latency": 4,
    }


def _taken(condition: Any, a: Any, b: Any) -> Any:
    return np.where(condition == 1, a, np.where(condition == 0, b, np.nan))


FUNCTIONS: Mapping[str, Function] = {
    "absolute": Function(
        1,
        exact=abs,
        double=np.abs,
        precise=lambda context, x: abs(x),
        slopes=lambda node, x: (x.compared("<", 0).selected(-1, 1),),
        library="fabs",
        parity=Parity.EVEN,
        symbolic="Abs",
        latency=1,
    ),
    "sign": Function(
        1,
        exact=_sign,
        double=np.sign,
        precise=_precise("sign"),
        slopes=lambda node, x: (0,),
        expression="a > 0 ? 1 : (a < 0 ? -1 : a)",
        parity=Parity.ODD,
        symbolic="sign",
        latency=4,
    ),
    "minimum": Function(
        2,
        exact=min,
        double=np.minimum,
        precise=lambda context, a, b: min(a, b),
        slopes=lambda node, a, b: (a.compared("<", b), 1 - a.compared("<", b)),
        expression="a < b ? a : (b <= a ? b : a + b)",
        symbolic="Min",
        latency=4,
    ),
    "maximum": Function(
        2,
        exact=max,
        double=np.maximum,
        precise=lambda context, a, b: max(a, b),
        slopes=lambda node, a, b: (1 - a.compared("<", b), a.compared("<", b)),
        expression="a < b ? b : (b <= a ? a : a + b)",
        symbolic="Max",
        latency=4,
    ),
    "exp": Function(
        1,
        exact=_irrational("exp", lambda x: abs(x) < _LARGEST_EXPONENT),
        double=np.exp,
        precise=_precise("exp"),
        slopes=lambda node, x: (node,),
        library="exp",
        symbolic="exp",
    ),
    "log": Function(
        1,
        exact=_irrational("log", lambda x: x > 0),
        double=np.log,
        precise=_precise("log"),
        slopes=lambda node, x: (1 / x,),
        library="log",
        symbolic="log",
    ),
    "tanh": Function(
        1,
        exact=_irrational("tanh"),
        double=np.tanh,
        precise=_precise("tanh"),
        slopes=lambda node, x: (1 - node * node,),
        library="tanh",
        parity=Parity.ODD,
        symbolic="tanh",
    ),
    "atan2": Function(
        2,
        exact=_irrational("atan2", lambda y, x: (y, x) != (0, 0)),
        double=np.arctan2,
        precise=_precise("atan2"),
        slopes=lambda node, y, x: (x / (x * x + y * y), -y / (x * x + y * y)),
        library="atan2",
        symbolic="atan2",
    ),
    "asin": Function(
        1,
        exact=_irrational("asin", lambda x: abs(x) <= 1),
        double=np.arcsin,
        precise=_precise("asin"),
        slopes=lambda node, x: (1 / (1 - x * x).square_root(),),
        library="asin",
        parity=Parity.ODD,
        symbolic="asin",
    ),
    "acos": Function(
        1,
        exact=_irrational("acos", lambda x: abs(x) <= 1),
        double=np.arccos,
        precise=_precise("acos"),
        slopes=lambda node, x: (-1 / (1 - x * x).square_root(),),
        library="acos",
        symbolic="acos",
    ),
}
"""Functions of kind FUNCTION."""

COMPARISONS: Mapping[str, Function] = {
    "<": Function(**_compared(operator.lt), expression="a < b ? 1 : (a >= b ? 0 : a + b)"),
    "<=": Function(**_compared(operator.le), expression="a <= b ? 1 : (a > b ? 0 : a + b)"),
    "==": Function(**_compared(operator.eq), expression="a == b ? 1 : (a < b ? 0 : (a > b ? 0 : a + b))"),
}
"""Functions of kind COMPARISON."""

SELECT = "select"

SELECTIONS: Mapping[str, Function] = {
    SELECT: Function(
        3,
        exact=lambda condition, a, b: a if condition else b,
        double=_taken,
        precise=lambda context, condition, a, b: a if condition else b,
        slopes=lambda node, condition, a, b: (
            0,
            condition.selected(1, 0),
            condition.selected(0, 1),
        ),
        along=lambda node, operands, rates: operands[0].selected(rates[1], rates[2]),
        expression="a == 1 ? b : (a == 0 ? c : a)",
        latency=4,
    )
}
"""The function of kind SELECTION."""

TABLES = {**FUNCTIONS, **COMPARISONS, **SELECTIONS}
C_NAMES = {name: name for name in TABLES} | {"<": "less", "<=": "less_or_equal", "==": "equal"}
"""What a function is called in C where the mathematical library does not have it."""
