"""Equations of kernels in symbols: what ``kanegen.equations`` gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from kanegen.codegen.symbolic import documents
from kanegen.codegen.symbolic.expansion import expanded_outputs
from kanegen.codegen.symbolic.record import Record, entries_of


@dataclass(frozen=True)
class Equations(Record):
    """What ``kanegen.equations`` gives: equations that write, expand and evaluate themselves."""

    def latex(self) -> str:
        """A document for LaTeX: every line, and what it means."""
        return documents.latex(self)

    def markdown(self) -> str:
        """A page in Markdown, formulas between dollar signs."""
        return documents.markdown(self)

    def html(self) -> str:
        """A page in HTML that needs nothing but a browser: formulas are MathML."""
        return documents.html(self)

    def python(self) -> str:
        """A module in Python that makes the same inputs, definitions and outputs with SymPy."""
        return documents.python(self)

    def expanded(self, sines: bool = False) -> Equations:
        """The same without definitions: each output multiplied out, and grouped by parameters, then by speeds.

        With ``sines``, sines and cosines keep symbols of their own, as papers write them.

        Raises KanegenError where an output would fill books.
        """
        fast = [x for name, entries in self.inputs.items() if name != "q" for x in entries]
        outer = [self.parameters.keys(), fast]
        definitions, outputs = expanded_outputs(self.definitions, self.outputs, outer, sines)
        return replace(self, definitions=definitions, outputs=outputs)

    def function(self) -> Callable[..., dict[str, NDArray[np.float64]]]:
        """A function of the inputs by name, arrays of their sizes, and of parameters by name; the time t is 0 unless given.

        It evaluates the equations as they are written here, one state at a time, by ``sympy.lambdify``.
        """
        names = {symbol.name: value for symbol, value in self.parameters.items()}
        taken = [symbol for entries in self.inputs.values() for symbol in entries] + list(self.parameters)
        entries = {name: entries_of(value) for name, value in self.outputs.items()}
        # what is no identifier of Python has no name in the function
        stand_ins = {x: sympy.Dummy() for x in taken if not x.name.isidentifier() or iskeyword(x.name)}
        defined = [(symbol, value.xreplace(stand_ins)) for symbol, value in self.definitions]
        compiled = sympy.lambdify(
            [x.xreplace(stand_ins) for x in taken],
            [value.xreplace(stand_ins) for values in entries.values() for value in values],
            modules="numpy",
            cse=lambda given: (defined, given),
        )

        def evaluate(**given: ArrayLike) -> dict[str, NDArray[np.float64]]:
            values: list[Any] = []
            for name, symbols in self.inputs.items():
                if name not in given and name != "t":
                    raise TypeError(f"the input {name} is missing; expected {', '.join(self.inputs)}")
                array = np.asarray(given.get(name, 0.0), dtype=float).reshape(-1)
                if len(array) != len(symbols):
                    raise ValueError(f"{name}: expected {len(symbols)} entries, got {len(array)}")
                values += list(array)
            values += [float(given.get(name, value)) for name, value in names.items()]
            results = iter(compiled(*values))
            return {
                name: np.array([float(next(results)) for _ in found]).reshape(self.shapes[name])
                for name, found in entries.items()
            }

        return evaluate
