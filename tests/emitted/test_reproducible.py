"""Generated files are a pure function of the model: the same bytes for every hash seed, locale and folder."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kanegen.codegen.emit import generated_files

from .live import live_model
from .programs import double_pendulum, every_operation, model

_PRINT = """
import locale, sys
sys.path.insert(0, {tests!r})
for name in ("de_DE.UTF-8", "fr_FR.UTF-8"):
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        pass
from emitted.test_reproducible import digest
print(digest())
"""


def digest() -> str:
    """Checksum of all generated files of two models."""
    total = hashlib.sha256()
    for made in (model(double_pendulum(), every_operation(), single_precision=True), live_model()):
        for name, content in generated_files(made).items():
            total.update(name.encode() + b"\0" + content + b"\0")
    return total.hexdigest()


def test_same_bytes_for_every_hash_seed(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])
    found = {digest()}
    for seed in ("0", "1", "12345"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", _PRINT.format(tests=tests)]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        found.add(done.stdout.strip())
    assert len(found) == 1


def test_no_trace_of_the_machine() -> None:
    for content in generated_files(model(double_pendulum())).values():
        for word in (str(Path.cwd()), str(Path.home()) + os.sep, os.uname().nodename, os.uname().release):
            assert word.encode() not in content


_GENERATE = """
import sys, kanegen, mpmath.libmp
for model in ("flexible_two_link", "two_link_space_arm"):
    kanegen.generate(model, f"{sys.argv[1]}/{model}", jobs=1)
print(mpmath.libmp.BACKEND, "gmpy2" in sys.modules)
"""
_WITHOUT_GMPY2 = {"MPMATH_NOGMPY": "1", "SYMPY_GROUND_TYPES": "python"}


@pytest.mark.needs("gmpy2")
def test_same_bytes_with_and_without_gmpy2(tmp_path: Path) -> None:
    """What kanegen computes with, mpmath and SymPy, takes gmpy2 where it is installed."""
    found = []
    for name, asked, used in (("with", {}, "gmpy True"), ("without", _WITHOUT_GMPY2, "python False")):
        environment = {x: y for x, y in os.environ.items() if x not in _WITHOUT_GMPY2} | asked
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        command = [sys.executable, "-c", _GENERATE, str(tmp_path / name)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == used
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        found.append([(path.relative_to(tmp_path / name), path.read_bytes()) for path in files])
    assert found[0] == found[1]
    assert len(found[0]) > 2
