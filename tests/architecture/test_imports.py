"""Imports go one way: the rooms of the house, and the doors between them."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ALLOWED = {
    "graph": {"graph"},
    "mechanism": {"mechanism", "graph"},
    "derivation": {"derivation", "mechanism", "graph"},
    "passes": {"passes", "graph"},
    "emit": {"emit", "graph", "version"},
    "version": set(),
    "model_files": {"graph", "mechanism", "derivation"},
    "facts": {"graph", "mechanism", "derivation", "emit"},
    "certificate": {"certificate", "graph", "mechanism", "passes"},
    "checking": {"certificate", "facts", "graph", "mechanism", "derivation", "passes"},
    "options": set(),
    "reading": {"options", "model_files", "mechanism"},
    "kernel_names": {"mechanism", "derivation"},
    "kernel_sets": {"options", "facts", "kernel_names", "mechanism", "derivation"},
    "results": {"certificate", "checking", "emit", "graph", "passes"},
    "assembly": {
        "options",
        "kernel_sets",
        "results",
        "certificate",
        "checking",
        "facts",
        "mechanism",
        "derivation",
        "passes",
        "emit",
    },
    "pipeline": {
        "options",
        "reading",
        "kernel_sets",
        "results",
        "assembly",
        "certificate",
        "checking",
        "graph",
        "mechanism",
        "derivation",
        "passes",
        "emit",
    },
    "cli": {
        "cli",
        "pipeline",
        "model_files",
        "certificate",
        "checking",
        "facts",
        "graph",
        "mechanism",
        "derivation",
        "passes",
        "emit",
        "version",
        "runtime",
    },
    "runtime": {"runtime", "generated"},
    "generated": {"generated"},
    "bottom": {"bottom"},
}
"""What each room may import when it is imported itself."""

BOTTOM = {
    "kanegen.options",
    "kanegen.boundary",
    "kanegen.durable",
    "kanegen.errors",
    "kanegen.files",
    "kanegen.limits",
    "kanegen.model_warnings",
}
"""Modules of the runtime that import nothing of kanegen but one another, and that every room may import."""

SEAM = {"runtime/__init__.py", "runtime/__main__.py", "runtime/seam.py"}
"""The files of the runtime that may import the generator, and these only when they are called."""

SYMBOLIC = {"sympy", "mpmath"}

PACKAGES = {
    "kanegen.codegen": ROOT / "codegen",
    "kanegen.generated": ROOT / "generated",
    "kanegen": ROOT / "runtime",
}


def room_of(module: str) -> str:
    """The room of a module of the package; the modules behind the command line are one room, called cli."""
    if module.startswith("kanegen.generated"):
        return "generated"
    if module in BOTTOM:
        return "bottom"
    if not module.startswith("kanegen.codegen"):
        return "runtime"
    parts = module.split(".")
    name = parts[2] if len(parts) > 2 else "package"
    return name if name in ALLOWED or name == "package" else "cli"


def module_of(path: Path) -> str:
    for package, folder in PACKAGES.items():
        if path.is_relative_to(folder):
            parts = [part for part in path.relative_to(folder).with_suffix("").parts if part != "__init__"]
            return ".".join([package, *parts])
    raise AssertionError(path)


SOURCES = sorted(path for folder in PACKAGES.values() for path in folder.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules that a file imports, and whether it does so when it is imported itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from _imports(tree, True)


def _imports(node: ast.AST, eager: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, eager) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            assert child.module is not None
            yield from ((_target(child.module, alias.name), eager) for alias in child.names)
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for statement in child.orelse:
                yield from _imports(statement, eager)
        else:
            lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, eager and not lazy)


def _target(module: str, name: str) -> str:
    """``from package import module`` imports the module; ``from module import name`` the module that has the name."""
    for package, folder in PACKAGES.items():
        if module == package or module.startswith(f"{package}."):
            inside = folder.joinpath(*module.removeprefix(package).strip(".").split("."), name)
            return f"{module}.{name}" if inside.is_dir() or inside.with_suffix(".py").exists() else module
    return module


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_edges(path):
    room = room_of(module_of(path))
    for target, eager in imports(path):
        if target.split(".")[0] != "kanegen":
            continue
        other = room_of(target)
        if not eager and room == "runtime" and relative(path) in SEAM:
            continue
        if other == "bottom":
            continue
        assert other in ALLOWED.get(room, set()), f"{relative(path)} imports {target}: {room} -> {other}"


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_only_kanegen_names_its_parts(path):
    """``import codegen`` would load a second copy of every module."""
    for target, _ in imports(path):
        assert target.split(".")[0] not in {"codegen", "runtime", "generated"}, (
            f"{relative(path)} imports {target}"
        )


@pytest.mark.parametrize("path", [p for p in SOURCES if room_of(module_of(p)) == "runtime"], ids=relative)
def test_the_runtime_never_imports_symbolic_algebra(path):
    for target, _ in imports(path):
        assert target.split(".")[0] not in SYMBOLIC


@pytest.mark.parametrize(
    "path", [ROOT / "generated/build_extensions.py", ROOT / "runtime/extension_source.py"]
)
def test_build_scripts_stand_alone(path):
    """They run in builds that cannot import the project."""
    for target, _ in imports(path):
        assert target.split(".")[0] in sys.stdlib_module_names | {"cffi"}, target


def test_the_allowed_edges_have_no_circle():
    done: set[str] = set()

    def visit(room: str, path: tuple[str, ...]) -> None:
        assert room not in path, path
        if room not in done:
            for other in ALLOWED[room] - {room}:
                visit(other, (*path, room))
            done.add(room)

    for room in ALLOWED:
        visit(room, ())


def test_importing_the_package_is_light():
    program = (
        "import sys, kanegen; "
        "heavy = {'sympy', 'mpmath', 'cffi', 'pycparser', 'setuptools', 'filelock', 'platformdirs', 'kanegen.codegen'}; "
        "found = heavy & set(sys.modules); assert not found, found"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_folder_is_a_listed_package():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {module_of(path) for folder in PACKAGES.values() for path in folder.rglob("__init__.py")}
    assert listed == found


def test_every_folder_of_python_has_an_init():
    folders = {path.parent for path in SOURCES}
    assert [relative(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []
