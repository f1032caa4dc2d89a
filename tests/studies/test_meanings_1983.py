"""What the rows of 1983 are said to mean, against velocities and forces formed from scratch; their values and units."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from kanegen.codegen.graph import evaluate
from kanegen.codegen.studies.kane_levinson_1983 import appendix_rows, erratum, momentum_rows, quantities
from kanegen.codegen.studies.written_rows import parse
from tests.derivation.comparison import ROUNDING, Array

ORACLE = json.loads(
    (Path(__file__).parents[1] / "oracles" / "kane_levinson_1983_rows.json").read_text(encoding="utf-8")
)
P: dict[str, float] = ORACLE["params"]
ROWS = {row.name: row for row in (*appendix_rows(), *momentum_rows())}
POINTS = ("A*", "B*", "C*", "D*", "E*", "F*")
STATES = 5


def values_of_rows(states: dict[str, Array], *, speeds: bool = True) -> Array:
    found = evaluate(
        quantities(speeds=speeds).program, {"q": states["q"], "v": states["u" if speeds else "qd"]}
    )
    return found["rows"]


def test_every_row_against_the_oracle(states: dict[str, Array]) -> None:
    """The oracle's own expressions, row by row, read by SymPy and evaluated by NumPy; u found from q' besides."""
    known: dict[str, Any] = dict(P)
    for r in range(1, 7):
        known |= {f"q{r}": states["q"][:, r - 1], f"u{r}": states["u"][:, r - 1]}
        known |= {f"s{r}": np.sin(states["q"][:, r - 1]), f"c{r}": np.cos(states["q"][:, r - 1])}
    listed = [*ORACLE["Z_X"], *ORACLE["W"]]
    for row in listed:
        expression = sympy.sympify(row["expr"], {name: sympy.Symbol(name) for name in known})
        used = sorted(map(str, expression.free_symbols))
        known[row["name"]] = sympy.lambdify(used, expression)(*(known[name] for name in used)) * np.ones(
            len(states["q"])
        )
    assert [row["name"] for row in listed] == list(ROWS)
    expected = np.stack([known[name] for name in ROWS], axis=1)
    # A row adds up to twenty products; those of quotients by s2 lose what s2 squared is small.
    scale = np.abs(expected).max(axis=1, keepdims=True) / np.sin(states["q"][:, 1:2]) ** 2
    assert (np.abs(values_of_rows(states) - expected) / scale).max() < ROUNDING
    assert (np.abs(values_of_rows(states, speeds=False) - expected) / scale).max() < ROUNDING


class Arm:
    """Kinematics of the arm at q and u, complex numbers allowed, so that imaginary parts are exact derivatives."""

    def __init__(self, q: Any, u: Any) -> None:
        self.q, self.u = np.asarray(q), np.asarray(u)
        self.axes: dict[str, Any] = {"n": np.eye(3)}
        for name, inner, axis, angle in (
            ("a", "n", 1, 0),
            ("b", "a", 0, 1),
            ("c", "b", 1, None),
            ("d", "c", 1, 2),
            ("e", "d", 0, 3),
            ("f", "e", 1, 4),
        ):
            turn = np.eye(3, dtype=self.q.dtype)
            if angle is not None:
                i, j = (axis + 1) % 3, (axis + 2) % 3
                s, c = np.sin(self.q[angle]), np.cos(self.q[angle])
                turn[i, i], turn[j, j], turn[i, j], turn[j, i] = c, c, -s, s
            self.axes[name] = self.axes[inner] @ turn
        unit = np.eye(6)
        matrix = np.stack([self.angular("D", rates) @ self.axes["d"] for rates in unit], axis=1)
        self.rates_of_units = np.linalg.inv(np.vstack([matrix, unit[3:]]))
        self.rates = self.rates_of_units @ self.u

    @cached_property
    def positions(self) -> dict[str, Any]:
        b = P["L1"] * self.axis("a1") + P["L4"] * self.axis("a2")
        c = b + self.q[5] * self.axis("c2")
        wrist = c + P["L2"] * self.axis("c2")
        return {
            "A*": 0 * b,
            "B*": b,
            "C*": c,
            "D*": c + P["L5"] * self.axis("c2"),
            "the wrist point": wrist,
            "E*": wrist + P["L6"] * self.axis("e2"),
            "F*": wrist + P["L3"] * self.axis("e2"),
        }

    def axis(self, name: str) -> Any:
        return self.axes[name[0]][:, int(name[1]) - 1]

    def angular(self, body: str, rates: Any) -> Any:
        found = rates[0] * self.axis("a2")
        for letter, axis, r in (("B", "b1", 1), ("D", "d2", 2), ("E", "e1", 3), ("F", "f2", 4)):
            if body >= letter:
                found = found + rates[r] * self.axis(axis)
        return found

    def velocity(self, point: str, rates: Any) -> Any:
        at = self.positions
        if point in ("A*", "B*"):
            return np.cross(self.angular("A", rates), at[point])
        body = "C" if point in ("C*", "D*", "the wrist point") else "E"
        if body == "E":
            inner = self.velocity("the wrist point", rates)
            return inner + np.cross(self.angular("E", rates), at[point] - at["the wrist point"])
        outward = np.cross(self.angular("C", rates), at[point] - at["B*"]) + rates[5] * self.axis("c2")
        return self.velocity("B*", rates) + outward

    def unit(self, r: int | str) -> Any:
        return self.rates_of_units[:, int(r) - 1]

    def inertia(self, body: str) -> Any:
        letter = "CC" if body == "C" else body
        axes = self.axes[body.lower()]
        return axes @ np.diag([P[f"{letter}{k}"] for k in (1, 2, 3)]) @ axes.T

    def rate(self, of: Callable[[Arm], Any]) -> Any:
        """The derivative by time, exact, for u' = 0."""
        step = 1e-30
        return of(Arm(self.q + 1j * step * self.rates, self.u)).imag / step

    def inertia_torque(self, body: str, s: int) -> Any:
        """T* for u' = 0 (s = 0), or what u_s' multiplies in it."""
        inertia, w = self.inertia(body), self.angular(body, self.rates)
        if s:
            return -inertia @ self.angular(body, self.unit(s))
        return -inertia @ self.rate(lambda arm: arm.angular(body, arm.rates)) - np.cross(w, inertia @ w)

    def inertia_force(self, point: str, s: int) -> Any:
        change = self.velocity(point, self.unit(s)) if s else self.rate(lambda a: a.velocity(point, a.rates))
        return -P[f"m{point[0]}"] * change

    def generalized_inertia_force(self, r: int, s: int) -> Any:
        return sum(
            self.angular(x[0], self.unit(r)) @ self.inertia_torque(x[0], s)
            + self.velocity(x, self.unit(r)) @ self.inertia_force(x, s)
            for x in POINTS
        )


def accelerated(words: str) -> int:
    """The s of "for u_s' = 1", 0 of "for u' = 0"."""
    return 0 if words == "u' = 0" else int(words[1])


def meant(arm: Arm, text: str) -> Any:
    """What a meaning says, computed."""
    for pattern, found in VOCABULARY:
        if match := re.fullmatch(pattern, text):
            return found(arm, *match.groups())
    raise AssertionError(f"not understood: {text}")


def named(arm: Arm, name: str) -> Any:
    if name.startswith("-"):
        return -named(arm, name[1:])
    if name[0] in "sc":
        return (np.sin if name[0] == "s" else np.cos)(arm.q[int(name[1]) - 1])
    return meant(arm, ROWS[name].meaning)


_POINT, _AXIS, _WHEN = r"([A-F]\*|the wrist point)", r"([a-fn][123])", r"(u' = 0|u\d' = 1)"

VOCABULARY: tuple[tuple[str, Callable[..., Any]], ...] = (
    (rf"{_AXIS} along {_AXIS}", lambda a, x, y: a.axis(x) @ a.axis(y)),
    (rf"-{_AXIS} along {_AXIS}", lambda a, x, y: -a.axis(x) @ a.axis(y)),
    (r"rate of q(\d)", lambda a, r: a.rates[int(r) - 1]),
    (
        rf"partial angular velocity (\d) of ([A-F]) along {_AXIS}",
        lambda a, r, x, e: a.angular(x, a.unit(r)) @ a.axis(e),
    ),
    (rf"angular velocity of ([A-F]) along {_AXIS}", lambda a, x, e: a.angular(x, a.rates) @ a.axis(e)),
    (
        rf"partial velocity (\d) of {_POINT} along {_AXIS}",
        lambda a, r, x, e: a.velocity(x, a.unit(r)) @ a.axis(e),
    ),
    (rf"velocity of {_POINT} along {_AXIS}", lambda a, x, e: a.velocity(x, a.rates) @ a.axis(e)),
    (
        rf"what u(\d)(?: and u(\d))? adds? to the velocity of {_POINT} along {_AXIS}",
        lambda a, r, s, x, e: sum(
            a.u[int(k) - 1] * (a.velocity(x, a.unit(k)) @ a.axis(e)) for k in (r, s) if k is not None
        ),
    ),
    (
        rf"angular acceleration of ([A-F]) along {_AXIS} for u' = 0",
        lambda a, x, e: a.rate(lambda b: b.angular(x, b.rates)) @ a.axis(e),
    ),
    (
        rf"acceleration of {_POINT} along {_AXIS} for u' = 0",
        lambda a, x, e: a.rate(lambda b: b.velocity(x, b.rates)) @ a.axis(e),
    ),
    (r"derivative of (-?\w+)(?: for u' = 0)?", lambda a, name: a.rate(lambda b: named(b, name))),
    (r"q6 times the rate of q3", lambda a: a.q[5] * a.rates[2]),
    (
        rf"product of the angular velocities of B along {_AXIS} and {_AXIS}",
        lambda a, x, y: (a.angular("B", a.rates) @ a.axis(x)) * (a.angular("B", a.rates) @ a.axis(y)),
    ),
    (
        rf"inertia torque of ([A-F]) along {_AXIS} for {_WHEN}",
        lambda a, x, e, s: a.inertia_torque(x, accelerated(s)) @ a.axis(e),
    ),
    (
        rf"generalized inertia force (\d) for {_WHEN}",
        lambda a, r, s: a.generalized_inertia_force(int(r), accelerated(s)),
    ),
    (
        r"generalized active force (\d) of gravity",
        lambda a, r: sum(-P["g"] * P[f"m{x[0]}"] * a.velocity(x, a.unit(r))[1] for x in POINTS),
    ),
    (rf"position of {_POINT} from A\* along {_AXIS}", lambda a, x, e: a.positions[x] @ a.axis(e)),
    (
        rf"moment about A\* of the velocity of {_POINT} along {_AXIS}",
        lambda a, x, e: np.cross(a.positions[x], a.velocity(x, a.rates)) @ a.axis(e),
    ),
    (
        r"angular momentum about A\* along n2",
        lambda a: sum(
            a.inertia(x[0]) @ a.angular(x[0], a.rates)
            + P[f"m{x[0]}"] * np.cross(a.positions[x], a.velocity(x, a.rates))
            for x in POINTS
        )[1],
    ),
)


def test_every_row_is_what_it_is_said_to_mean(states: dict[str, Array]) -> None:
    """In some states; derivatives by imaginary steps are exact, and the quotients by s2 lose what it is small."""
    few = {name: states[name][:STATES] for name in ("q", "u")}
    for q, u, row in zip(few["q"], few["u"], values_of_rows(few), strict=True):
        arm = Arm(q, u)
        expected = np.array([meant(arm, ROWS[name].meaning) for name in ROWS])
        scale = max(1.0, float(np.abs(expected).max())) / np.sin(q[1]) ** 2
        assert dict(zip(ROWS, np.abs(row - expected) / scale, strict=True)) == pytest.approx(
            dict.fromkeys(ROWS, 0.0), abs=ROUNDING
        )


# -- units ---------------------------------------------------------------------------------------------------

BASE_UNITS = {"1": Fraction(1), "rad": Fraction(1), "kg": Fraction(2), "m": Fraction(3), "s": Fraction(5)}
BASE_UNITS["N"] = BASE_UNITS["kg"] * BASE_UNITS["m"] / BASE_UNITS["s"] ** 2
"""Dimensions as products of primes: two are the same when their numbers are."""


def dimension(unit: str) -> Fraction:
    above, _, below = unit.partition("/")
    found = Fraction(1)
    for sign, words in ((1, above), (-1, below)):
        for word in words.split():
            name, _, power = word.partition("^")
            found *= BASE_UNITS[name] ** (sign * int(power or 1))
    return found


def dimension_of(expr: str, known: dict[str, Fraction]) -> Fraction:
    """The dimension of a row; the terms of every sum in it must have the same one."""

    def of(quantity: Any) -> Fraction:
        if quantity.operation == "name":
            return known[quantity.text]
        parts = [of(part) for part in quantity.parts]
        if quantity.operation == "+":
            assert len(set(parts)) == 1, expr
            return parts[0]
        return parts[0] / parts[1] if quantity.operation == "/" else math.prod(parts)

    return of(parse(expr))


def test_units_fit_the_equations() -> None:
    units = {"L": "m", "m": "kg", "g": "m/s^2", "q": "1", "s": "1", "c": "1", "u": "1/s"}
    known = {name: dimension(units.get(name[0], "kg m^2")) for name in P}
    known |= {f"{x}{r}": dimension(units[x]) for x in "qscu" for r in range(1, 7)}
    known |= {"q6": dimension("m"), "u6": dimension("m/s")}
    for row in ROWS.values():
        known[row.name] = dimension(row.unit)
        assert dimension_of(row.expr, known) == known[row.name], row


def test_every_row_names_an_equation_and_errors_are_told() -> None:
    assert all(re.fullmatch(r"\d+([,-] ?\d+)*", row.equation) for row in ROWS.values())
    assert [bool(erratum(row)) for row in ROWS.values()] == [row.cls != "ok" for row in ROWS.values()]
    assert erratum(ROWS["Z20"]) == "wrong: last term u5 per eq 22"
