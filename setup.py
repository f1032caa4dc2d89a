"""Extensions for setuptools; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import setup

models = sorted(path.parent.name for path in Path("generated").glob("*/manifest.json"))
setup(
    cffi_modules=[
        *(f"generated/build_extensions.py:{model}" for model in models),
        "runtime/csrc/build_integrators.py:ffibuilder",
    ]
)
