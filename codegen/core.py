"""The core of the generator: the modules in which most of its time goes, and which mypyc can compile.

``KANEGEN_COMPILED=1 pip install --no-build-isolation .`` does so, where mypy is installed (setup.py).  Nothing else changes:
what is generated is the same, byte for byte.  Classes of compiled modules have no derived ones in modules that are not.
"""

from __future__ import annotations

from pathlib import Path

MODULES = (
    "derivation.placed_tree.choices",
    "derivation.placed_tree.recollection",
    "derivation.recursive.on_demand",
    "graph.compose",
    "graph.count",
    "graph.exact",
    "graph.expression",
    "graph.graph",
    "graph.linear",
    "graph.operations",
    "passes.identities",
    "passes.look_through",
    "passes.rewrite",
    "passes.sums",
    "passes.terms",
    "passes.value_table",
)
"""By name within this package."""


def is_compiled() -> bool:
    """Whether the compiled core runs, which comes before its sources where there is one."""
    return any(path.suffix in (".so", ".pyd") for path in (Path(__file__).parent / "graph").glob("graph.*"))
