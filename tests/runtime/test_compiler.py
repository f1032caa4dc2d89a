"""Finding the compiler, and what happens when it fails."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest
import robots

import kanegen
from kanegen.builds import compiler
from kanegen.builds.compiler import compile_with_setuptools, find_compiler
from kanegen.builds.extensions import compiled_entry, copy_generated, load_module
from kanegen.extension_source import extension_builder
from kanegen.kernels.compiled import CompiledBackend
from kanegen.manifest import read_manifest


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_compiler_is_found():
    found = find_compiler()
    assert found.identity
    assert "-march=native" not in found.flags
    assert not any(flag.startswith(("-Ofast", "-ffast-math")) for flag in found.flags)


def test_the_variable_cc_is_obeyed(monkeypatch, tmp_path):
    wrapper = script(tmp_path / "my cc", 'exec cc "$@"')
    monkeypatch.setenv("CC", f"'{wrapper}' -DSOMETHING")
    assert find_compiler().command == (str(wrapper), "-DSOMETHING")


def test_a_compiler_that_python_was_built_with_but_is_not_here(monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    real = sysconfig.get_config_var
    monkeypatch.setattr(
        compiler.sysconfig, "get_config_var", lambda name: "icc-2013 -x" if name == "CC" else real(name)
    )
    assert find_compiler().command in (("cc",), ("gcc",), ("clang",))


def test_no_compiler(no_compiler):
    with pytest.raises(kanegen.NoCompilerError, match=r"no C compiler was found"):
        find_compiler()


def test_a_compiler_that_cannot_run(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", str(script(tmp_path / "cc", "exit 1")))
    with pytest.raises(kanegen.NoCompilerError, match="no C compiler was found"):
        find_compiler()


def test_no_headers(monkeypatch, tmp_path):
    monkeypatch.setattr(compiler.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(kanegen.NoCompilerError, match=r"headers of Python are missing .*Python.h"):
        find_compiler()


def test_a_failing_compiler_says_all(monkeypatch, tmp_path, cache):
    model = tmp_path / "model"
    shutil.copytree(robots.CART_POLE, model)
    source = model / "cart_pole.c"
    source.write_text(source.read_text() + "\nthis is not C\n")
    with pytest.raises(kanegen.BuildError) as caught:
        kanegen.load(model)
    error = caught.value
    assert "this is not C" in error.output
    assert re.search(r" -c (_kernels_\w+)\.c -o \1\.o", error.command)
    assert error.source.parent == cache
    assert (error.source / "cart_pole.c").read_text() == source.read_text()
    for part in (error.command, "error", str(error.source)):
        assert part in str(error)
    again = subprocess.run(error.command, shell=True, cwd=error.source, capture_output=True, check=False)
    assert again.returncode != 0
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.command, copy.output, copy.source) == (error.command, error.output, error.source)


def test_a_mended_model_compiles_after_a_failure(tmp_path, cache):
    model = tmp_path / "model"
    shutil.copytree(robots.CART_POLE, model)
    good = (model / "cart_pole.c").read_text()
    (model / "cart_pole.c").write_text(good + "oops")
    with pytest.raises(kanegen.BuildError):
        kanegen.load(model)
    (model / "cart_pole.c").write_text(good)
    assert kanegen.load(model).target


def test_another_compiler_is_another_entry(monkeypatch, tmp_path, cache):
    first = kanegen.load(robots.LIVE_PENDULUM)
    monkeypatch.setenv("CC", str(script(tmp_path / "cc2", 'exec cc "$@"')))
    second = kanegen.load(robots.LIVE_PENDULUM)
    assert first._backend._module.__file__ != second._backend._module.__file__


def test_what_was_compiled_before_serves_without_a_compiler(no_compiler, monkeypatch, cache):
    def generate(directory):
        copy_generated(robots.LIVE_PENDULUM, directory)

    with pytest.raises(kanegen.NoCompilerError):
        compiled_entry("pendulum", {"model": "x"}, generate)
    monkeypatch.undo()
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(cache))
    made = compiled_entry("pendulum", {"model": "x"}, generate)
    monkeypatch.setattr(compiler.shutil, "which", lambda _: None)
    assert compiled_entry("pendulum", {"model": "x"}, generate).directory == made.directory
    with pytest.raises(kanegen.NoCompilerError):
        compiled_entry("pendulum", {"model": "y"}, generate)


def test_a_hostile_name_stays_out_of_paths(cache):
    made = compiled_entry(
        '../x"; rm -rf /', {"model": "x"}, lambda directory: copy_generated(robots.LIVE_PENDULUM, directory)
    )
    assert made.directory.parent == cache
    assert made.directory.name.startswith("_x_rm_rf_-")


def test_setuptools_compiles_the_same(tmp_path):
    directory = tmp_path / "with space"
    directory.mkdir()
    copy_generated(robots.LIVE_PENDULUM, directory)
    builder = extension_builder("_kernels", directory, directory, optional=False)
    made = compile_with_setuptools(builder, directory)
    assert made.parent == directory
    module = load_module(directory)
    arm = kanegen.Robot(read_manifest(directory), CompiledBackend(read_manifest(directory), module))
    state = [0.3], [0.1], [1.0]
    assert arm.inverse_dynamics(*state) == robots.live_pendulum().inverse_dynamics(*state)


def test_setuptools_failures(tmp_path, monkeypatch):
    copy_generated(robots.LIVE_PENDULUM, tmp_path)
    (tmp_path / "live_pendulum.c").write_text("this is not C")
    builder = extension_builder("_kernels", tmp_path, tmp_path, optional=False)
    with pytest.raises(kanegen.BuildError, match="setuptools build_ext"):
        compile_with_setuptools(builder, tmp_path)


def test_nothing_is_printed(tmp_path):
    environment = os.environ | {"KANEGEN_CACHE_DIR": str(tmp_path)}
    program = f"import kanegen; kanegen.load({str(robots.LIVE_PENDULUM)!r})"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == done.stderr == ""
