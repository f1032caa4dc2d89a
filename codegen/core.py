"""The core of the generator: the modules in which most of its time goes, and which mypyc can compile.

``KANEGEN_COMPILED=1 pip install --no-build-isolation .`` does so, where mypy is installed (setup.py).  Nothing else changes:
what is generated is the same, byte for byte, which ``python -m pytest tests/architecture/test_core.py`` compares there.
Classes of compiled modules have no derived ones in modules that are not.
"""

from __future__ import annotations

from pathlib import Path

MODULES = (
    "derivation.placed_tree.choices",
    "derivation.placed_tree.recollection",
    "derivation.recursive.on_demand",
    "emit.expressions",
    "emit.layout",
    "emit.listing",
    "emit.naming",
    "emit.printer",
    "graph.compose",
    "graph.count",
    "graph.evaluate",
    "graph.exact",
    "graph.expression",
    "graph.graph",
    "graph.latency",
    "graph.linear",
    "graph.meaning",
    "graph.operations",
    "graph.program",
    "graph.schedule",
    "passes.hoist",
    "passes.identities",
    "passes.look_through",
    "passes.optimize",
    "passes.parts",
    "passes.registers",
    "passes.rewrite",
    "passes.scale",
    "passes.schedule",
    "passes.search",
    "passes.sums",
    "passes.terms",
    "passes.value_table",
    "passes.variables",
)
"""By name within this package."""


def is_compiled() -> bool:
    """Whether the compiled core runs, which comes before its sources where there is one."""
    return any(path.suffix in (".so", ".pyd") for path in (Path(__file__).parent / "graph").glob("graph.*"))
