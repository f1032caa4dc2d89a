"""LaTeX that compiles and MathML that browsers have, for all built-in mechanisms: grammar, commands, elements."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

import pytest

import kanegen
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.symbolic.mathml import mathml
from kanegen.codegen.symbolic.written import Equations

from .formulas import check_formula

TEXT = {
    *(
        "documentclass",
        "usepackage",
        "setlength",
        "parindent",
        "begin",
        "end",
        "section",
        "subsection",
        "par",
    ),
    *("textbackslash", "displaystyle", "quad"),
}
"""Commands of the document; those of formulas are what the parser of formulas knows."""

CHILDREN = {
    "mfrac": 2,
    "msub": 2,
    "msup": 2,
    "msubsup": 3,
    "mover": 2,
    "msqrt": None,
    "mrow": None,
    "math": None,
}
CHILDREN |= {"mtable": None, "mtr": None, "mtd": None, "mi": 0, "mn": 0, "mo": 0, "mtext": 0, "mspace": 0}
"""Elements of MathML Core that presentation uses, and how many elements are in them: https://www.w3.org/TR/mathml-core/"""

ATTRIBUTES = {
    "math": {"xmlns"},
    "mi": {"mathvariant"},
    "mover": {"accent"},
    "mspace": {"width"},
    "mtd": {"style"},
}
LONGEST = 200
"""Characters of formulas that are parsed: longer ones have the same parts, and take long."""
INSIDE = {"mtr": "mtable", "mtd": "mtr"}
EMPTY = {"meta", "mspace"}


@cache
def equations(name: str) -> Equations:
    found = kanegen.equations(name)
    assert isinstance(found, Equations)
    return found


def check_latex(text: str) -> None:
    """Braces and environments close in order, formulas are formulas, and outside them there are known commands alone."""
    assert text.isascii()
    outside, formulas = [], []
    for k, part in enumerate(re.split(r"(?<!\\)\\\((.*?)\\\)", text, flags=re.DOTALL)):
        (formulas if k % 2 else outside).append(part)
    for formula in formulas:
        body = formula.removeprefix(r"\displaystyle ")
        known = r"\begin{cases}" not in body and body not in "<>"  # which the parser lacks
        if known and len(formula) < LONGEST:
            check_formula(body)  # for double indices, too
    document = " ".join(outside)
    assert set(re.findall(r"\\([A-Za-z]+)", document)) <= TEXT
    assert not re.search(r"(?<!\\)[_^$&#%]", re.sub(r"\\\^", "", document))
    open_: list[str] = []
    for mark in re.findall(r"\\begin\{\w+\}|\\end\{\w+\}|\\left|\\right|\\.|[{}]", text):
        if mark.startswith((r"\begin", r"\left")) or mark == "{":
            open_.append(mark)
        elif mark.startswith((r"\end", r"\right")) or mark == "}":
            begun = open_.pop()
            assert begun == mark.replace("end", "begin").replace("right", "left").replace(
                "}", "{" if mark == "}" else "}"
            )
    assert not open_


class Page(HTMLParser):
    """Elements of a page: they close in order, and those of MathML are in Core, with as many children as they need."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, list[str]]] = [("", [])]
        self.formulas = 0
        self.feed(text)
        self.close()
        assert [name for name, _ in self.open] == [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parent, beside = self.open[-1]
        beside.append(tag)
        self.formulas += tag == "math"
        if any(name == "math" for name, _ in self.open) or tag == "math":
            assert tag in CHILDREN, tag
            assert {name for name, _ in attrs} <= ATTRIBUTES.get(tag, set()), (tag, attrs)
            assert parent == INSIDE.get(tag, parent)
        if tag not in EMPTY:
            self.open.append((tag, []))

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        name, inside = self.open.pop()
        assert name == tag
        if CHILDREN.get(tag) is not None:
            assert len(inside) == CHILDREN[tag], (tag, inside)

    def handle_data(self, data: str) -> None:
        inside = self.open[-1][0]
        if CHILDREN.get(inside, 0) != 0 or inside in ("math", "mrow", "msqrt", "mtable", "mtr", "mtd"):
            assert not data.strip(), (inside, data)


@pytest.mark.parametrize("name", catalogue.names())
def test_equations(name: str) -> None:
    found = equations(name)
    check_latex(found.latex())
    assert Page(found.html()).formulas > len(found.definitions)


@pytest.mark.parametrize("name", ["stanford_arm", "five_bar", "whipple_bicycle", "two_link_space_arm"])
def test_explanations(name: str) -> None:
    assert Page(kanegen.explain(name).html()).formulas > 100


def test_pieces_of_functions() -> None:
    """What built-in mechanisms do not have: pieces, roots, accents, words."""
    text = r"\begin{cases} \frac{a}{2} & \text{for}\: x_{1} \leq 0 \\ \sqrt{\dot{q}} & \text{otherwise} \end{cases}"
    assert Page(mathml(text)).formulas == 1
    check_latex(rf"\(\displaystyle {text}\)")


@pytest.mark.parametrize(
    "wrong", [r"\(a_b_c\)", r"\(\frac{a}{b\)", r"\unknown", "a_b", r"\(\nosuch{a}\)", r"\begin{cases}"]
)
def test_the_check_of_latex_refuses_what_does_not_compile(wrong: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_latex(wrong)


@pytest.mark.parametrize(
    "wrong", ["<math><msub><mi>a</mi></msub></math>", "<math><mstack></mstack></math>", "<p>"]
)
def test_the_check_of_pages_refuses_what_is_no_mathml(wrong: str) -> None:
    with pytest.raises(AssertionError):
        Page(wrong)
