"""The symbol in a control law for an entry of what a kernel of the mechanism gives: see ``control_law.quantity``."""

from __future__ import annotations

import sympy


class Quantity(sympy.Expr):  # type: ignore[misc]  # SymPy has no types
    """An entry of what a kernel of the mechanism gives, in a law: see ``quantity``."""

    is_commutative = True
    is_real = True

    @property
    def kernel(self) -> str:
        """The name of the kernel."""
        return str(self.args[0])

    @property
    def entry(self) -> int:
        """Which entry of its first output, counted row by row."""
        return int(self.args[1])

    @property
    def given(self) -> dict[str, tuple[sympy.Expr, ...]]:
        """By name the inputs that are not the law's own."""
        return {str(name): tuple(entries) for name, entries in self.args[2:]}

    @property
    def whole(self) -> Quantity:
        """Its first entry, in place of all."""
        return Quantity(self.args[0], sympy.Integer(0), *self.args[2:])

    def _sympystr(self, printer: object) -> str:
        del printer
        return f"{self.kernel}[{self.entry}]"
