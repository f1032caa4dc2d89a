"""One binary for every processor: instruction sets are chosen when it is loaded, and agree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import robots
from numpy.testing import assert_allclose

import kanegen
from kanegen import extension_source
from kanegen.builds import compiler
from kanegen.builds.compiler import find_compiler
from kanegen.kernels import compiled
from kanegen.manifest import read_manifest


def module_of(arm):
    return arm._backend._module


@pytest.fixture
def module():
    found = module_of(robots.cart_pole())
    before = found.ffi.string(found.lib.kanegen_target())
    yield found
    assert found.lib.kanegen_select_target(before)


def test_the_best_is_chosen(module):
    assert robots.cart_pole().target == compiled.supported_targets(module)[-1]


def test_asking_changes_nothing(module):
    before = robots.cart_pole().target
    assert before in compiled.supported_targets(module)
    assert robots.cart_pole().target == before


def test_all_agree(module):
    arm = robots.cart_pole()
    q, v, a = robots.states(200)
    for target in compiled.supported_targets(module):
        assert module.lib.kanegen_select_target(target.encode())
        assert arm.target == target
        # Terms of at most 8, and four roundings: an ulp of 8 is 1.8e-15.
        assert_allclose(arm.inverse_dynamics(q, v, a), robots.inverse_dynamics(q, v, a), rtol=0, atol=8e-15)
        one = np.array([arm.inverse_dynamics(q[i], v[i], a[i]) for i in range(5)])
        assert_allclose(one, robots.inverse_dynamics(q, v, a)[:5], rtol=0, atol=8e-15)


def test_all_agree_on_the_stanford_arm():
    """Kernels that solve no equations.  Instruction sets differ by contraction alone: each operation of a kernel rounds
    once or not at all, so that two results differ by at most the number of operations times half an ulp of the largest
    intermediate, which for these motions is no larger than a few times the largest component; 4 is taken.
    """
    arm = kanegen.load("stanford_arm")
    module = module_of(arm)
    before = module.ffi.string(module.lib.kanegen_target())
    rng = np.random.default_rng(5)
    arguments = dict(zip("qva", rng.uniform(-2.0, 2.0, (3, 300, 6)), strict=True))
    try:
        for kernel in ("inverse_dynamics", "bias_forces", "mass_matrix", "gravity_forces", "momentum"):
            names = [argument.name for argument in arm._kernels[kernel].spec.inputs]
            counts = arm.operation_counts[kernel]
            operations = counts.multiplications + counts.additions
            found = []
            for target in compiled.supported_targets(module):
                assert module.lib.kanegen_select_target(target.encode())
                found.append(arm.call(kernel, *(arguments[name] for name in names)).reshape(300, -1))
            scale = np.abs(found[0]).max(axis=1, keepdims=True)
            for other in found[1:]:
                assert np.all(np.abs(other - found[0]) <= 4 * operations * 2.0**-53 * scale)
    finally:
        module.lib.kanegen_select_target(before)


@pytest.mark.parametrize("target", ["baseline", "avx2", "avx512", "sse9"])
def test_the_environment_chooses(target, module):
    """What the processor has is compiled when it is asked for; the module loaded here has only its best."""
    usable = compiled.supported_targets(module)
    here = ("baseline", *(variant.name for variant in compiler.usable_variants()))
    program = (
        "import kanegen, sys\n"
        "try:\n"
        f"    print(kanegen.load({str(robots.CART_POLE)!r}).target)\n"
        "except kanegen.TargetError as error:\n"
        "    print(error)\n"
    )
    environment = {**os.environ, compiled.TARGET_VARIABLE: target}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    if target in here:
        assert done.stdout.strip() == target
    else:
        expected = (
            f"KANEGEN_TARGET={target}: this processor or build lacks it. Usable here: {', '.join(usable)}"
        )
        assert done.stdout.strip() == expected


def test_an_older_processor_gets_the_baseline():
    """The choice asks for every feature that a variant is compiled with: without one of them it is not taken."""
    manifest, digest = extension_source.manifest_and_digest(robots.CART_POLE)
    text = extension_source.main_source(manifest, digest)
    for variant in extension_source.X86_VARIANTS:
        unit = extension_source.variant_source(manifest, variant)
        compiled_for = re.search(r'#pragma GCC target\("([^"]*)"\)', unit).group(1).split(",")
        index = [v.name for v in extension_source.X86_VARIANTS].index(variant.name)
        condition = re.search(rf"kanegen_targets\[{index}\]\.supported = ([^;]*);", text).group(1)
        assert re.findall(r'__builtin_cpu_supports\("(\w+)"\)', condition) == compiled_for


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("model", ["cart_pole", "live_pendulum"])
def test_units_compile_without_warnings(tmp_path, model, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    directory = robots.MODELS / model
    manifest, digest = extension_source.manifest_and_digest(directory)
    (tmp_path / "main.c").write_text(extension_source.main_source(manifest, digest))
    for variant in extension_source.VARIANTS:
        (tmp_path / variant.file_name).write_text(extension_source.variant_source(manifest, variant))
    for unit in sorted(tmp_path.glob("*.c")):
        command = [
            compiler,
            "-std=gnu99",
            "-O3",
            "-Wall",
            "-Wextra",
            "-Wconversion",
            "-Werror",
            f"-I{directory}",
        ]
        if unit.name == "main.c":
            command.append("-Wno-unused-function")  # the part that cffi adds calls them
        subprocess.run([*command, "-c", str(unit), "-o", str(tmp_path / "unit.o")], check=True)


def test_one_symbol_is_exported(module):
    if shutil.which("nm") is None or sys.platform != "linux":
        pytest.skip("needs nm and ELF")
    done = subprocess.run(
        ["nm", "-D", "--defined-only", module.__file__], capture_output=True, text=True, check=True
    )
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["PyInit__kernels"]


def test_another_architecture_has_the_baseline_alone(tmp_path):
    """What the preprocessor leaves elsewhere: no processor detection, no other table."""
    compiler = find_compiler()
    manifest, digest = extension_source.manifest_and_digest(robots.CART_POLE)
    (tmp_path / "main.c").write_text(
        extension_source.main_source(manifest, digest).replace("__x86_64__", "__other__")
    )
    done = subprocess.run(
        [*compiler.command, "-E", "-P", f"-I{robots.CART_POLE}", str(tmp_path / "main.c")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "cpu_supports" not in done.stdout
    assert "avx" not in done.stdout
    assert "kanegen_table_baseline.cart_pole_mass_matrix(q, M);" in done.stdout


def test_a_binary_of_other_files_is_refused(tmp_path):
    shutil.copytree(robots.CART_POLE, tmp_path / "model")
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text())
    manifest["gravity"] = [0.0, 0.0, -1.62]
    (tmp_path / "model" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(kanegen.ManifestError, match="belong to another version of the generated files"):
        compiled.CompiledBackend(read_manifest(tmp_path / "model"), module_of(robots.cart_pole()))
