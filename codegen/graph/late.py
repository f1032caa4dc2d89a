"""SymPy, imported when something of it is first used.

Most model files hold no expression, and no kernel of theirs needs SymPy, which takes a fifth of a second to import.  So
modules that everything needs take it from here: ``from kanegen.codegen.graph.late import sympy``.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy

__all__ = ["Late", "sympy"]


class Late(ModuleType):
    """Stands for the module of a name, which is imported when an attribute is first asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # whoever looks at any object asks for these
            raise AttributeError(name)
        module = importlib.import_module(self.__name__)
        found = getattr(module, name)
        setattr(self, name, found)
        return found


if not TYPE_CHECKING:
    sympy = Late("sympy")
