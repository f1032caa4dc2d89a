"""Count the arithmetic of C functions with a C parser: a witness that shares no code with the generator.

Multiplications: every ``*``.  Additions: every ``+`` and binary ``-``.  Divisions: every ``/``.  Square
roots: calls of sqrt and sqrtf.  Sine and cosine pairs: the length of the array that is handed to the sine and
cosine routine.  Functions: calls of those of the mathematical library, and of sign, minimum and maximum; selections:
calls of comparisons and selections.  A unary minus is free.  Calls of functions defined in the same text are followed,
those of the parts of a long function among them; the macro in front of a part stands for ``static``.
"""

from __future__ import annotations

import re
from collections import Counter

from pycparser import c_ast, c_parser

from kanegen.codegen.graph.functions import FUNCTIONS

_OPERATORS = {"*": "multiplications", "+": "additions", "-": "additions", "/": "divisions"}
_SQUARE_ROOTS = ("sqrt", "sqrtf")
_LIBRARY = "|".join(row.library for row in FUNCTIONS.values() if row.library is not None)
_WRITTEN = "|".join(name for name, row in FUNCTIONS.items() if row.library is None)
_FUNCTIONS = re.compile(rf"({_LIBRARY})f?|\w+_({_WRITTEN})(_f32)?")
_SELECTIONS = re.compile(r"\w+_(less|less_or_equal|equal|select)(_f32)?")
_SINE_COSINE = re.compile(r"\w+_sincos\w*")


def functions(text: str) -> dict[str, c_ast.FuncDef]:
    """The functions for one state that are defined in a C text without preprocessor lines, by name."""
    without_comments = re.sub(r"/\*.*?\*/", " ", text.partition("/* ---- many states")[0], flags=re.DOTALL)
    without_macros = re.sub(r"\b[A-Z][A-Z0-9_]*_PART\b", "static", without_comments)
    tree = c_parser.CParser().parse("typedef unsigned long size_t;\n" + without_macros)
    return {item.decl.name: item for item in tree.ext if isinstance(item, c_ast.FuncDef)}


def count_operations(defined: dict[str, c_ast.FuncDef], name: str) -> dict[str, int]:
    """Operations of one call of the function, those of the functions that it calls included."""
    visitor = _Visitor(defined)
    visitor.visit(defined[name].body)
    names = ("multiplications", "additions", "divisions", "square_roots", "sincos")
    optional = {name: visitor.counts[name] for name in ("functions", "selections") if visitor.counts[name]}
    return {name: visitor.counts[name] for name in names} | optional


class _Visitor(c_ast.NodeVisitor):
    def __init__(self, defined: dict[str, c_ast.FuncDef]) -> None:
        self.defined = defined
        self.counts: Counter[str] = Counter()
        self.lengths: dict[str, int] = {}

    def visit_Decl(self, node: c_ast.Decl) -> None:
        """Remember array lengths; count the initializer."""
        if isinstance(node.type, c_ast.ArrayDecl):
            self.lengths[node.name] = int(node.type.dim.value)
        if node.init is not None:
            self.visit(node.init)

    def visit_BinaryOp(self, node: c_ast.BinaryOp) -> None:
        """An arithmetic operator; any other is none that a kernel may have."""
        self.counts[_OPERATORS[node.op]] += 1
        self.generic_visit(node)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        """A sign is free."""
        if node.op not in ("-", "&"):
            raise ValueError(f"unexpected operator {node.op}")
        self.generic_visit(node)

    def visit_ArrayRef(self, node: c_ast.ArrayRef) -> None:
        """Indices are numbers, so that no index arithmetic can be mistaken for arithmetic."""
        if not isinstance(node.subscript, c_ast.Constant):
            raise ValueError("an index is computed")

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        """A square root, sines and cosines, or a function of the same text."""
        name = node.name.name
        if name in _SQUARE_ROOTS:
            self.counts["square_roots"] += 1
            self.generic_visit(node)
        elif _FUNCTIONS.fullmatch(name) or _SELECTIONS.fullmatch(name):
            self.counts["selections" if _SELECTIONS.fullmatch(name) else "functions"] += 1
            self.generic_visit(node)
        elif _SINE_COSINE.fullmatch(name):
            self.counts["sincos"] += self.lengths[node.args.exprs[0].name]
        else:
            inner = _Visitor(self.defined)
            inner.visit(self.defined[name].body)
            self.counts.update(inner.counts)

    def _no_control_flow(self, node: c_ast.Node) -> None:
        raise ValueError(f"{type(node).__name__} in a kernel")

    visit_If = visit_For = visit_While = visit_DoWhile = visit_Goto = visit_Switch = visit_TernaryOp = (
        _no_control_flow
    )
