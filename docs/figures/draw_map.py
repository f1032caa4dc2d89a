"""The map of the house from its imports: which room takes from which, as text.

``python docs/figures/draw_map.py`` prints it; ``--write`` puts it into docs/architecture.md, where a test holds it.
"""

from __future__ import annotations

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- map: drawn by docs/figures/draw_map.py -->\n```\n", "```\n<!-- end of map -->"
BESIDE = {"__init__", "__main__", "version"}
"""Files that every package has."""


def rooms() -> dict[str, set[str]]:
    """By room: the rooms whose files its files import."""
    found: dict[str, set[str]] = {}
    for top in ("codegen", "runtime"):
        for path in sorted((ROOT / top).rglob("*.py")):
            room = _room(path.relative_to(ROOT).parts)
            if room is not None:
                imported = {_room(_parts(name)) for name in _imports(path)}
                found.setdefault(room, set()).update(other for other in imported if other not in (None, room))
    return {room: {other for other in others if other in found} for room, others in found.items()}


def _parts(module: str) -> tuple[str, ...]:
    """The path of a module of kanegen: what is not in codegen is in runtime."""
    parts = tuple(module.split(".")[1:])
    return parts if parts[:1] == ("codegen",) else ("runtime", *parts)


def _room(parts: tuple[str, ...]) -> str | None:
    """A folder of codegen or of the runtime; a file of codegen beside its folders is a room of its own."""
    if len(parts) < 2:
        return None
    top, stem = parts[0], parts[1].removesuffix(".py")
    if top == "runtime" and not (ROOT / top / stem).is_dir():
        return top
    return None if stem in BESIDE else f"{top}/{stem}"


def _imports(path: Path) -> list[str]:
    """The modules of kanegen that a file imports, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kanegen":
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.startswith("kanegen.")]
    return found


def drawn(graph: dict[str, set[str]]) -> str:
    """The rooms of codegen from the bottom to the top, then those of the runtime, each with what it takes from."""
    order = {room: k for k, room in enumerate(_from_the_bottom(graph))}
    width = max(map(len, graph))
    lines = [
        f"{room:<{width}}  <-  {', '.join(sorted(graph[room], key=order.__getitem__)) or 'nothing'}"
        for room in sorted(graph, key=order.__getitem__)
    ]
    return "\n".join(lines) + "\n"


def _from_the_bottom(graph: dict[str, set[str]]) -> list[str]:
    """The rooms in an order in which none stands before what it takes from, where there is one; by name where it may be."""
    sorter = TopologicalSorter({room: {x for x in graph[room] if room not in graph[x]} for room in graph})
    sorter.prepare()
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        found += ready
        sorter.done(*ready)
    return found


def main() -> None:
    """Print the map, or write it into the page."""
    text = drawn(rooms())
    if "--write" in sys.argv[1:]:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(head + BEGIN + text + END + rest.partition(END)[2], encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
