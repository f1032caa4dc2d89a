"""Extensions for setuptools; everything else is in pyproject.toml."""

import os
import runpy
import sys
from pathlib import Path

from setuptools import Extension, setup

ROOT = Path(__file__).parent.resolve()


def compiled_core() -> list[Extension]:
    """The core of the generator (codegen/core.py), compiled by mypyc where KANEGEN_COMPILED=1 asks for it."""
    building = {"bdist_wheel", "build_ext", "editable_wheel"} & set(sys.argv)
    if os.environ.get("KANEGEN_COMPILED") != "1" or not building:
        return []
    from mypyc.build import mypycify

    # mypyc names modules by folders: links under build have the shape of the installed package
    links = ROOT / "build" / "core" / "kanegen"
    links.mkdir(parents=True, exist_ok=True)
    entries = {
        **{path.name: path for path in (ROOT / "runtime").iterdir()},
        **{room: ROOT / room for room in ("codegen", "generated")},
    }
    for stale in set(links.iterdir()) - {links / name for name in entries}:
        stale.unlink()
    for name, path in entries.items():
        if not (links / name).is_symlink():
            (links / name).symlink_to(path)
    modules = runpy.run_path(str(ROOT / "codegen" / "core.py"))["MODULES"]
    files = [f"kanegen/codegen/{module.replace('.', '/')}.py" for module in modules]
    os.chdir(links.parent)
    try:
        found = mypycify(
            ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent", *files],
            group_name="kanegen.codegen.core",
            debug_level="0",
            target_dir=str(ROOT / "build" / "core" / "c"),
        )
    finally:
        os.chdir(ROOT)
    for extension in found:
        extension.sources = [os.path.relpath(source, ROOT) for source in extension.sources]
    return found


sources = runpy.run_path("runtime/csrc/sources.py")
models = sorted(path.parent.name for path in Path("generated").glob("*/manifest.json"))
setup(
    cffi_modules=[
        *(f"generated/build_extensions.py:{model}" for model in models),
        "runtime/csrc/build_integrators.py:ffibuilder",
        "codegen/passes/resubstitution/build_resubstitution.py:ffibuilder",
    ],
    ext_modules=[
        Extension(
            "kanegen._calls",
            [f"runtime/csrc/{sources['CALLS']}"],
            define_macros=[("KANEGEN_DIGEST", f'"{sources["calls_digest"]()}"')],
            py_limited_api=True,
            optional=True,  # a package without it still installs
        ),
        *compiled_core(),
    ],
)
