"""MathML of formulas in LaTeX: the LaTeX that SymPy's printer and the symbols of equations are written in.

Elements and attributes are those of MathML Core, which browsers have.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|[^\s]")

_SYMBOLS: Mapping[str, str] = {
    "alpha": "α", "gamma": "γ", "lambda": "λ", "omega": "ω", "phi": "φ", "pi": "π", "sigma": "σ", "tau": "τ",
    "theta": "θ", "cdot": "·", "leq": "≤", "geq": "≥", "lt": "&lt;", "gt": "&gt;", "neq": "≠", "wedge": "∧", "vee": "∨",
    "neg": "¬", "infty": "∞", "{": "{", "}": "}", "%": "%", "_": "_", "#": "#", "$": "$", "&": "&amp;",
    "lfloor": "⌊", "rfloor": "⌋",
}  # fmt: skip
_ACCENTS = {"dot": "˙", "ddot": "¨", "bar": "¯"}
_SPACES = {",", ":", ";", " ", "!", "quad"}
_OPERATORS = set("+-=<>·,;:|()[]/≤≥≠∧∨¬")


def mathml(latex: str) -> str:
    """The formula as an element ``math`` that stands in a line of text."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{_Reader(latex).row(())}</math>'


class _Reader:
    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = [(found.group(), found.end()) for found in _TOKEN.finditer(latex)]
        self.place = 0

    def _next(self) -> str:
        token = self.tokens[self.place][0]
        self.place += 1
        return token

    def _peek(self) -> str:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else ""

    def row(self, ends: tuple[str, ...]) -> str:
        """Everything up to one of these tokens, which is left."""
        parts = []
        while self._peek() and self._peek() not in ends:
            parts.append(self._with_scripts())
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def _with_scripts(self) -> str:
        base, scripts = self._one(), {}
        while (where := self._peek()) in ("^", "_"):
            self._next()
            scripts[where] = self._one()
        if len(scripts) > 1:
            return f"<msubsup>{base}{scripts['_']}{scripts['^']}</msubsup>"
        if "_" in scripts:
            return f"<msub>{base}{scripts['_']}</msub>"
        return f"<msup>{base}{scripts['^']}</msup>" if scripts else base

    def _one(self) -> str:
        token = self._next()
        if token == "{":
            inside = self.row(("}",))
            self._next()
            return inside
        if token.startswith("\\") and len(token) > 1:
            return self._command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        kind = "mo" if token in _OPERATORS else "mi"
        shown = "−" if token == "-" else html.escape(token)
        return f"<{kind}>{shown}</{kind}>"

    def _command(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self._one()}{self._one()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._one()}</msqrt>"
        if name in _ACCENTS:
            return f'<mover accent="true">{self._one()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name in ("mathrm", "operatorname", "text"):
            return self._text("mtext" if name == "text" else "mi")
        if name in ("left", "right"):
            return self._one() if self._peek() != "." else self._nothing()
        if name == "begin":
            return self._cases()
        if name in _SPACES:
            return "<mspace width='0.2em'/>"
        if name in _SYMBOLS:
            shown = _SYMBOLS[name]
            kind = "mo" if html.unescape(shown) in _OPERATORS | {"{", "}"} else "mi"
            return f"<{kind}>{shown}</{kind}>"
        return f"<mi>{html.escape(name)}</mi>"  # sin, cos, tanh, ...

    def _nothing(self) -> str:
        self._next()
        return "<mrow></mrow>"

    def _raw(self) -> str:
        """What stands between the next braces, as it is."""
        start = self.tokens[self.place][1]
        while self._next() != "}":
            pass
        return self.latex[start : self.tokens[self.place - 1][1] - 1]

    def _text(self, kind: str) -> str:
        text = re.sub(r"\\(.)", r"\1", self._raw())
        upright = ' mathvariant="normal"' if kind == "mi" else ""
        return f"<{kind}{upright}>{html.escape(text)}</{kind}>"

    def _cases(self) -> str:
        self._raw()
        rows = []
        while True:
            value = self.row(("&",))
            self._next()
            condition = self.row(("\\\\", "\\end"))
            cells = "".join(f'<mtd style="text-align: left">{cell}</mtd>' for cell in (value, condition))
            rows.append(f"<mtr>{cells}</mtr>")
            if self._next() == "\\end":
                break
        self._raw()
        return f"<mrow><mo>{{</mo><mtable>{''.join(rows)}</mtable></mrow>"
