"""Imports go one way: between the rooms of the house, between files, and none but tests that run meet other engines."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
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
    "core": set(),
    "certificate": {"certificate", "graph", "mechanism", "passes"},
    "reading": {"mechanism"},
    "converting": {"reading", "mechanism", "emit"},
    "kernel_sources": {"certificate", "graph", "mechanism", "derivation"},
    "candidates": {"kernel_sources", "derivation", "graph", "passes"},
    "deriving": {"candidates", "kernel_sources", "certificate", "graph", "derivation", "passes"},
    "generation": {"deriving", "kernel_sources", "certificate", "emit", "graph", "mechanism", "passes"},
    "assembly": {"deriving", "kernel_sources", "certificate", "mechanism", "derivation", "passes", "emit"},
    "pipeline": {
        "reading",
        "kernel_sources",
        "deriving",
        "generation",
        "assembly",
        "certificate",
        "mechanism",
        "emit",
    },
    "peers": {"peers", "mechanism"},
    "symbolic": {
        "symbolic",
        "reading",
        "kernel_sources",
        "deriving",
        "derivation",
        "passes",
        "emit",
        "graph",
        "mechanism",
    },
    "studies": {"studies", "derivation", "mechanism", "graph"},
    "explaining": {"symbolic", "studies", "reading", "kernel_sources", "graph", "mechanism"},
    "cli": {
        "cli",
        "symbolic",
        "explaining",
        "studies",
        "peers",
        "pipeline",
        "deriving",
        "kernel_sources",
        "reading",
        "converting",
        "certificate",
        "graph",
        "mechanism",
        "derivation",
        "passes",
        "emit",
        "version",
        "core",
        "runtime",
    },
    "runtime": {"runtime", "generated"},
    "generated": {"generated"},
    "bottom": {"bottom"},
}
"""What each room may import when it is imported itself."""

BOTTOM = {
    "kanegen.arithmetic",
    "kanegen.option_values",
    "kanegen.options",
    "kanegen.progress",
    "kanegen.interpreter",
    "kanegen.boundary",
    "kanegen.errors",
    "kanegen.files",
    "kanegen.extras",
    "kanegen.json_records",
    "kanegen.laws",
    "kanegen.limits",
    "kanegen.manifest",
    "kanegen.model_warnings",
    "kanegen.rows",
    "kanegen.skeleton",
    "kanegen.splines",
    "kanegen.workers",
}
"""Modules of the runtime that import nothing of kanegen but one another, and that every room may import."""

DOORS = {"runtime/__init__.py", "runtime/__main__.py", "runtime/generator.py"}
"""The files of the runtime that may import the generator, and these only when they are called."""

SYMBOLIC = {"sympy", "mpmath"}
ENGINES = {"pinocchio", "mujoco"}

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


@dataclass(frozen=True)
class Import:
    """What a file imports; ``eager`` when it does so as it is imported itself, ``typed`` only for type checkers."""

    module: str
    eager: bool
    typed: bool


@cache
def imports(path: Path) -> tuple[Import, ...]:
    return tuple(_imports(ast.parse(path.read_text(encoding="utf-8")), True, False))


def _imports(node: ast.AST, eager: bool, typed: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, eager, typed) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            assert child.module is not None
            yield from (Import(_target(child.module, alias.name), eager, typed) for alias in child.names)
        elif isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for branch, for_types in ((child.body, True), (child.orelse, typed)):
                for statement in branch:
                    yield from _imports(ast.Module([statement], []), eager, for_types)
        else:
            lazy = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(child, eager and not lazy, typed)


def _target(module: str, name: str) -> str:
    """``from package import module`` imports the module; ``from module import name`` the module that has the name."""
    for package, folder in PACKAGES.items():
        if module == package or module.startswith(f"{package}."):
            inside = folder.joinpath(*module.removeprefix(package).strip(".").split("."), name)
            return f"{module}.{name}" if inside.is_dir() or inside.with_suffix(".py").exists() else module
    return module


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("room", sorted({room_of(module_of(path)) for path in SOURCES}))
def test_what_a_room_imports(room):
    """Other rooms that it may; never ``codegen`` alone, a second copy of every module; symbolic algebra not at run time."""
    forbidden = {"codegen", "runtime", "generated"} | (SYMBOLIC if room == "runtime" else set())
    for path in SOURCES:
        if room_of(module_of(path)) != room:
            continue
        for found in imports(path):
            what = f"{relative(path)} imports {found.module}"
            top = found.module.split(".")[0]
            if found.typed:
                continue
            assert top not in forbidden, what
            if top == "kanegen" and (found.eager or relative(path) not in DOORS):
                other = room_of(found.module)
                assert other == "bottom" or other in ALLOWED.get(room, set()), f"{what}: {room} -> {other}"


def test_files_have_no_circle():
    """Neither at import, nor when functions are called, nor in types: files that need each other are one noun cut in two."""
    modules = {module_of(path): path for path in SOURCES}
    edges = {
        module: {found.module for found in imports(path)} & modules.keys() - {module}
        for module, path in modules.items()
    }
    TopologicalSorter(edges).prepare()  # raises CycleError, which names a circle


@pytest.mark.parametrize(
    "path", [ROOT / "generated/build_extensions.py", ROOT / "runtime/extension_source.py"]
)
def test_build_scripts_stand_alone(path):
    """They run in builds that cannot import the project."""
    for found in imports(path):
        assert found.typed or found.module.split(".")[0] in sys.stdlib_module_names | {"cffi"}, found


def test_the_allowed_edges_have_no_circle():
    TopologicalSorter({room: allowed - {room} for room, allowed in ALLOWED.items()}).prepare()


def test_importing_the_package_is_light():
    program = (
        "import sys, kanegen; "
        "heavy = {'sympy', 'mpmath', 'cffi', 'pycparser', 'setuptools', 'filelock', 'platformdirs', 'kanegen.codegen'}; "
        "found = heavy & set(sys.modules); assert not found, found"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial>
      <origin xyz="0.1 0 -0.3"/><mass value="1.5"/>
      <inertia ixx="0.2" ixy="0" ixz="0.01" iyy="0.2" iyz="0" izz="0.02"/>
    </inertial>
  </link>
  <joint name="q1" type="revolute">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="10"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
</robot>
"""


def test_a_robot_without_expressions_needs_no_sympy(tmp_path):
    """Neither to be read, checked, derived, searched and certified, whatever the kernel, nor where NumPy evaluates it."""
    (tmp_path / "pendulum.urdf").write_text(PENDULUM, encoding="ascii")
    program = (
        "import sys, kanegen; "
        "kanegen.generate('pendulum.urdf', 'out', jobs=1); "
        "kanegen.load('pendulum.urdf', interpreted=True).inverse_dynamics([0.1], [0.2], [0.3]); "
        "assert 'kanegen.codegen.graph.sympy_bridge' in sys.modules; assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


def test_every_folder_is_a_listed_package():
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {module_of(path) for folder in PACKAGES.values() for path in folder.rglob("__init__.py")}
    assert listed == found


def test_every_folder_of_python_has_an_init():
    folders = {path.parent for path in SOURCES}
    assert [relative(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def test_collecting_the_tests_needs_no_other_engine():
    """Tests meet Pinocchio and MuJoCo when they run (``needs``, ``tests.witnesses``): pure rooms are tested without them."""
    for path in [*(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks/peers").rglob("*.py")]:
        for node in at_import(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import():
                    names = {alias.name.split(".")[0] for alias in node.names}
                case ast.ImportFrom():
                    names = {(node.module or "").split(".")[0]}
                case ast.Call(
                    func=ast.Attribute(attr="importorskip"), args=[ast.Constant(value=str(name)), *_]
                ):
                    names = {name}
                case _:
                    continue
            assert not names & ENGINES, f"{relative(path)}:{node.lineno} imports {names} when it is collected"


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is imported."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from at_import(child)
