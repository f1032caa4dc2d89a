"""Which instruction sets are compiled for the processor at hand."""

import shutil

import pytest
import robots

from kanegen.builds import compiler
from kanegen.builds.extensions import compiled_entry, copy_generated, load_module
from kanegen.extension_source import BASELINE, TARGET_VARIABLE, VARIANTS, X86_VARIANTS

AVX512, AVX2 = X86_VARIANTS


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Pretend to run on an architecture whose system says this about the processor."""

    def pretend(architecture, information):
        monkeypatch.setattr(compiler.platform, "machine", lambda: architecture)
        path = tmp_path / "cpuinfo"
        if information is not None:
            path.write_text(information)
        monkeypatch.setattr(compiler, "_INFORMATION", path)
        for function in (compiler.usable_variants, compiler._features):
            function.cache_clear()

    yield pretend
    for function in (compiler.usable_variants, compiler._features):
        function.cache_clear()


def information(*variants):
    """What Linux says of a processor with all features of these instruction sets."""
    features = sorted({feature for variant in variants for feature in variant.features})
    return f"processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu sse2 {' '.join(features)}\nbugs\t: none\n"


@pytest.mark.parametrize(
    ("having", "wanted", "chosen"),
    [
        ((AVX512, AVX2), None, (AVX512,)),
        ((AVX512, AVX2), "avx2", (AVX512, AVX2)),
        ((AVX512, AVX2), "baseline", (AVX512, BASELINE)),
        ((AVX2,), None, (AVX2,)),
        ((AVX2,), "avx512", (AVX2,)),
        ((), None, (BASELINE,)),
    ],
)
def test_the_best_and_the_wanted(machine, having, wanted, chosen):
    machine("x86_64", information(*having))
    assert compiler.usable_variants() == having
    assert compiler.chosen_variants(wanted) == chosen


@pytest.mark.parametrize("said", [None, "processor\t: 0\n"])
def test_all_where_the_system_does_not_say(machine, said):
    machine("AMD64", said)
    assert compiler.chosen_variants(None) == VARIANTS


def test_other_architectures_have_the_baseline_alone(machine):
    machine("aarch64", information(AVX2))
    assert compiler.chosen_variants("avx2") == (BASELINE,)


def test_one_missing_feature_is_enough(machine):
    machine("x86_64", information(AVX512).replace(" avx512dq", ""))
    assert compiler.chosen_variants(None) == (AVX2,)


def test_another_processor_is_another_entry_with_the_same_c(machine, cache, monkeypatch):
    """A cache in a home that several machines share."""
    written = []

    def generate(directory):
        written.append(directory)
        copy_generated(robots.LIVE_PENDULUM, directory)

    monkeypatch.delenv(TARGET_VARIABLE, raising=False)
    made = []
    for having in ((), (AVX2,)):
        machine("x86_64", information(*having))
        made.append(compiled_entry("pendulum", {"model": "shared"}, generate).directory)
    assert made[0] != made[1]
    assert len(written) == 1
    assert (made[0] / "live_pendulum.c").read_bytes() == (made[1] / "live_pendulum.c").read_bytes()
    assert [(entry / "_kernels_avx2.c").exists() for entry in made] == [False, True]
    module = load_module(made[0])
    assert module.ffi.string(module.lib.kanegen_target()) == b"baseline"
    shutil.rmtree(made[1])
