"""Equations of kernels in symbols: what ``kanegen.equations`` gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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

        Parameters may be given as ``parameters={name: value}`` as well, such as those of a robot: those that do not occur
        here make no difference, and those that are called like an input must be given so.  It evaluates the equations as
        they are written here, one state at a time, by ``sympy.lambdify``.
        """
        taken = [symbol for entries in self.inputs.values() for symbol in entries] + list(self.parameters)
        entries = {name: entries_of(value) for name, value in self.outputs.items()}
        # names of a model may be those of functions, or no identifiers of Python
        stand_ins = {x: sympy.Dummy() for x in (*taken, *(symbol for symbol, _ in self.definitions))}
        defined = [(stand_ins[symbol], value.xreplace(stand_ins)) for symbol, value in self.definitions]
        compiled = sympy.lambdify(
            [stand_ins[x] for x in taken],
            [value.xreplace(stand_ins) for values in entries.values() for value in values],
            modules="numpy",
            cse=lambda given: (defined, given),
        )

        def evaluate(
            parameters: Mapping[str, float] | None = None, **given: ArrayLike
        ) -> dict[str, NDArray[np.float64]]:
            values: list[Any] = []
            for name, symbols in self.inputs.items():
                if name not in given and name != "t":
                    raise TypeError(f"the input {name} is missing; expected {', '.join(self.inputs)}")
                array = np.asarray(given.get(name, 0.0), dtype=float).reshape(-1)
                if len(array) != len(symbols):
                    raise ValueError(f"{name}: expected {len(symbols)} entries, got {len(array)}")
                values += list(array)
            values += self._values(
                {x: value for x, value in given.items() if x not in self.inputs}, parameters or {}
            )
            results = iter(compiled(*values))
            return {
                name: np.array([float(next(results)) for _ in found]).reshape(self.shapes[name])
                for name, found in entries.items()
            }

        return evaluate

    def _values(self, by_keyword: Mapping[str, Any], given: Mapping[str, float]) -> list[float]:
        """Those of parameters.  Raises TypeError for a keyword that is none."""
        values = {symbol.name: value for symbol, value in self.parameters.items()}
        unknown = [name for name in by_keyword if name not in values]
        if unknown:
            known = ", ".join([*self.inputs, *(name for name in values if name not in self.inputs)])
            raise TypeError(f"{unknown[0]!r} is neither an input nor a parameter; expected some of {known}")
        return [float({**by_keyword, **given}.get(name, value)) for name, value in values.items()]
