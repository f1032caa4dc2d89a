"""What is compiled of the generator (codegen/core.py): it may be, and makes no difference where it is."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from kanegen.codegen import core, pipeline
from kanegen.codegen.deriving import Derivations
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.options import Options

CODEGEN = Path(__file__).parents[2] / "codegen"

GENERATE = """
import importlib.util, sys
from pathlib import Path
sources, folder, plain = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "plain"

class FromSource:
    @staticmethod
    def find_spec(name, path=None, target=None):
        file = sources / (name.removeprefix("kanegen.codegen.").replace(".", "/") + ".py")
        found = plain and name.startswith("kanegen.codegen.") and file.is_file()
        return importlib.util.spec_from_file_location(name, file) if found else None

sys.meta_path.insert(0, FromSource)
from kanegen.codegen import pipeline
from kanegen.codegen.graph import graph
assert plain == graph.__file__.endswith(".py")
pipeline.generate("stanford_arm", folder)
"""


def test_no_class_is_derived_from_a_compiled_one() -> None:
    compiled = {CODEGEN / f"{module.replace('.', '/')}.py" for module in core.MODULES}
    classes = {path: _classes(path) for path in CODEGEN.rglob("*.py")}
    assert compiled <= set(classes)
    inside = {name for path in compiled for name in classes[path]}
    outside = {base for path in set(classes) - compiled for bases in classes[path].values() for base in bases}
    assert not inside & outside


def _classes(path: Path) -> dict[str, set[str]]:
    """The classes of a module, with the names of their bases."""
    found = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))
    return {node.name: {ast.unparse(base).split("[")[0] for base in node.bases} for node in found}


@pytest.mark.skipif(not core.is_compiled(), reason="the core is not compiled: see codegen/core.py")
def test_the_compiled_core_generates_the_same_bytes(tmp_path: Path) -> None:
    for core_that_runs in ("compiled", "plain"):
        arguments = [str(CODEGEN), str(tmp_path / core_that_runs), core_that_runs]
        subprocess.run([sys.executable, "-c", GENERATE, *arguments], check=True)
    files = [path.relative_to(tmp_path / "plain") for path in (tmp_path / "plain").rglob("*.[ch]*")]
    assert files
    for file in files:
        assert (tmp_path / "compiled" / file).read_bytes() == (tmp_path / "plain" / file).read_bytes()


def test_kernels_pass_from_one_process_to_another() -> None:
    """As ``Workers`` hand them on: what is told first, what is known of a kernel, and what is derived."""
    mechanism = pipeline.read("two_link_space_arm", Options())
    sources = KernelSources(mechanism, Options(search=1, kernels=("inverse_dynamics",)))
    found = Derivations.everywhere(sources)
    for sent in (mechanism, sources.derivation("inverse_dynamics"), found["inverse_dynamics"]):
        pickle.loads(pickle.dumps(sent))
    program = found["inverse_dynamics"].program
    received = pickle.loads(pickle.dumps(program))
    assert received.results == program.results
    for told in ("kinds", "payloads", "parametric", "names", "meanings"):
        assert getattr(received.graph, told) == getattr(program.graph, told), told
