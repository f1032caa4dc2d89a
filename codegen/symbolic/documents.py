"""Equations on a page: LaTeX, Markdown, and HTML with MathML."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterator, Mapping
from keyword import kwlist
from typing import Any

import sympy
from sympy.core.parameters import distribute
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from kanegen.codegen.emit.identifiers import NameTable, cleaned
from kanegen.codegen.graph.meaning import latex_name
from kanegen.codegen.symbolic.mathml import mathml
from kanegen.codegen.symbolic.record import Output, Record, entries_of

Line = tuple[str, str, str]
"""Left side and right side in LaTeX, and what it means."""

_BELOW_A_LINE = 8
"""Denominators of twos up to this are written below a line; other decimals that end are written as decimals."""

_GREEK = {"tau": r"\tau", "lambda": r"\lambda"}


# -- formulas ------------------------------------------------------------------------------------------------------------


def _decimal(number: sympy.Rational) -> str | None:
    """The magnitude of a ratio as the decimal that it is exactly; None for what is written as a fraction or an integer."""
    twos, fives, rest = 0, 0, int(number.q)
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1 or (fives == 0 and number.q <= _BELOW_A_LINE):
        return None
    places = max(twos, fives)
    figures = str(abs(int(number.p)) * 10**places // int(number.q)).rjust(places + 1, "0")
    return f"{figures[:-places]}.{figures[-places:]}"


class Printer:
    """SymPy's LaTeX with the symbols of the equations, and exact decimals where people write them."""

    def __init__(self, symbols: Mapping[sympy.Symbol, str], order: str | None = None) -> None:
        self._names: dict[sympy.Symbol, str] = dict(symbols)
        self._decimals: dict[sympy.Rational, sympy.Expr] = {}
        self._printer = LatexPrinter({"symbol_names": self._names, "order": order})

    def __call__(self, expression: sympy.Expr) -> str:
        """The expression in LaTeX."""
        found = {x: self._as_decimal(x) for x in expression.atoms(sympy.Rational) if not x.is_Integer}
        with distribute(False):
            shown = expression.xreplace(found) if found else expression
        return str(self._printer.doprint(shown))

    def _as_decimal(self, number: sympy.Rational) -> sympy.Expr:
        """A symbol that is printed as the decimal, so that nothing draws it below a line."""
        if number not in self._decimals:
            text = _decimal(number)
            if text is None:
                self._decimals[number] = number
            else:
                symbol = sympy.Symbol(text)
                self._names[symbol] = text
                self._decimals[number] = -symbol if number < 0 else symbol
        return self._decimals[number]


def _lines(e: Record, printer: Printer) -> tuple[list[Line], list[Line]]:
    """The definitions, and the outputs."""
    defined = [(e.symbols[x], printer(value), _meaning(e, x)) for x, value in e.definitions]
    given = [
        (f"{_GREEK.get(name) or latex_name(name)}{index}", printer(value), e.described[name] if first else "")
        for name, output in e.outputs.items()
        for first, index, value in _entries(e, name, output)
    ]
    return defined, given


def _entries(e: Record, name: str, output: Output) -> Iterator[tuple[bool, str, sympy.Expr]]:
    """Whether it is the first, the index in LaTeX, and the value of each entry that is not zero."""
    shape, first = e.shapes[name], True
    for number, value in enumerate(entries_of(output)):
        place: list[str] = []
        rest = number
        for length in reversed(shape):
            rest, index = divmod(rest, length)
            place.insert(0, str(index + 1))
        if value != 0 or len(shape) < 2:
            yield first, f"_{{{','.join(place)}}}" if place else "", value
            first = False


def _meaning(e: Record, symbol: sympy.Symbol) -> str:
    unit = e.units[symbol]
    return f"{e.meaning[symbol]} [{unit}]" if unit and unit != "1" else e.meaning[symbol]


def _given(e: Record) -> list[tuple[sympy.Symbol, str]]:
    """Inputs, and parameters with their values: symbols and what they mean."""
    inputs = [(x, _meaning(e, x)) for entries in e.inputs.values() for x in entries]
    return inputs + [(x, f"{_meaning(e, x)}, {_shown(value)}") for x, value in e.parameters.items()]


def _shown(value: sympy.Expr) -> str:
    if value.is_Rational and not value.is_Integer:
        text = _decimal(value)
        if text is not None:
            return f"-{text}" if value < 0 else text
    return str(value)


_NO_ZEROS = "Entries of matrices that are not written are zero."


# -- pages ---------------------------------------------------------------------------------------------------------------


def latex(e: Record) -> str:
    """A document for LaTeX."""
    printer = Printer(e.symbols)
    defined, given = _lines(e, printer)
    text = [
        r"\documentclass{article}",
        r"\usepackage{amsmath}",
        r"\usepackage[margin=20mm]{geometry}",
        r"\setlength{\parindent}{0pt}",
        r"\begin{document}",
        rf"\section*{{{_text(e.title)}}}",
        _text(e.built) + ".",
        *(rf"\par {_text(line)}." for line in e.frames),
        r"\subsection*{Symbols}",
        *(rf"\(\displaystyle {e.symbols[x]}\): {_text(words)} \\" for x, words in _given(e)),
    ]
    for heading, lines in (("Definitions", defined), ("Results", given)):
        if lines:
            text.append(rf"\subsection*{{{heading}}}")
            for left, right, words in lines:
                text.append(rf"\(\displaystyle {left} = {right}\){_behind(_text(words))} \\[2pt]")
    return "\n".join([*text, _NO_ZEROS, r"\end{document}", ""])


def _text(text: str) -> str:
    """Words for LaTeX."""
    for special in "\\&%$#_{}":
        text = text.replace(special, r"\textbackslash " if special == "\\" else "\\" + special)
    return text.replace("^", r"\^{}").replace("~", r"\~{}").replace("<", r"\(<\)").replace(">", r"\(>\)")


def _behind(words: str) -> str:
    return rf"\quad {words}" if words else ""


def markdown(e: Record) -> str:
    """A page of Markdown."""
    printer = Printer(e.symbols)
    defined, given = _lines(e, printer)
    text = [f"# {e.title}", "", f"{e.built}.", "", *(f"- {line}" for line in e.frames)]
    text += ["", "## Symbols", "", *(f"- ${e.symbols[x]}$: {words}" for x, words in _given(e))]
    for heading, lines in (("Definitions", defined), ("Results", given)):
        if lines:
            text += ["", f"## {heading}", ""]
            text += [
                f"- ${left} = {right}$" + (f" : {words}" if words else "") for left, right, words in lines
            ]
    return "\n".join([*text, "", _NO_ZEROS, ""])


def python(e: Record) -> str:
    """A module for SymPy."""
    own = ("inputs", "parameters", "definitions", "outputs")
    table = NameTable(("sympy", *own, *kwlist, *dir(sympy)))
    names = {x: sympy.Symbol(table.take(cleaned(x.name))) for x in e.meaning if x in e.symbols}
    printer = StrPrinter({"sympy_integers": True})
    used = [x for entries in e.inputs.values() for x in entries]
    used += [*e.parameters, *(x for x, _ in e.definitions)]

    def shown(value: Any) -> str:
        with distribute(False):
            return str(printer.doprint(value.xreplace(names)))

    def words(x: sympy.Symbol) -> str:
        return f"  # {' '.join(_meaning(e, x).split())}"

    lines = [repr(f"{e.title}\n\n{e.built}.\n"), "", "from sympy import *", ""]
    lines += [f"{names[x]} = Symbol({x.name!r}){words(x)}" for x in used]
    lines += ["", "inputs = {"]
    lines += [f"    {name!r}: [{', '.join(map(shown, xs))}]," for name, xs in e.inputs.items()]
    lines += [
        "}",
        f"parameters = {{{', '.join(f'{names[x]}: {shown(v)}' for x, v in e.parameters.items())}}}",
    ]
    lines += ["definitions = [", *(f"    ({names[x]}, {shown(value)})," for x, value in e.definitions), "]"]
    lines += ["outputs = {", *(f"    {name!r}: {shown(value)}," for name, value in e.outputs.items()), "}"]
    return "\n".join([*lines, ""])


STYLE = """body { font-family: serif; margin: 2em auto; max-width: 80em; padding: 0 1em }
td { padding: 0.2em 0.8em; vertical-align: baseline } td + td { color: #444 } math { font-size: 105% }
div { overflow-x: auto }"""


def html(e: Record) -> str:
    """A page of HTML, complete in itself."""
    printer = Printer(e.symbols)
    defined, given = _lines(e, printer)

    def table(rows: list[tuple[str, str]]) -> str:
        cells = "\n".join(
            f"<tr><td>{mathml(formula)}</td><td>{escaping.escape(words)}</td></tr>" for formula, words in rows
        )
        return f"<div><table>\n{cells}\n</table></div>"

    parts: list[Any] = [
        f"<h1>{escaping.escape(e.title)}</h1>",
        f"<p>{escaping.escape(e.built)}.</p>",
        *(f"<p>{escaping.escape(line)}</p>" for line in e.frames),
        "<h2>Symbols</h2>",
        table([(e.symbols[x], words) for x, words in _given(e)]),
    ]
    for heading, lines in (("Definitions", defined), ("Results", given)):
        if lines:
            parts.append(f"<h2>{heading}</h2>")
            parts.append(table([(f"{left} = {right}", words) for left, right, words in lines]))
    body = "\n".join([*parts, f"<p>{_NO_ZEROS}</p>"])
    title = escaping.escape(e.title)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>\n{STYLE}\n</style></head>\n<body>\n{body}\n</body>\n</html>\n"
    )
