"""What a compiler, a linker, a C++ compiler and the sanitizers say about generated files."""

from __future__ import annotations

import re
import textwrap
from fractions import Fraction
from pathlib import Path

import pytest

from kanegen.codegen.emit import LiveParameter, Model, SineCosineLibrary, c_header, write_model
from kanegen.codegen.graph import Graph, Program, inputs
from kanegen.codegen.passes.schedule import schedule
from kanegen.errors import ModelError

from .compilation import STRICT, compiler, run
from .live import live_model
from .programs import double_pendulum, every_operation, model, program


def without_angles() -> Program:
    """A kernel that needs neither sines nor math.h."""
    g = Graph()
    q = inputs(g, "q", 2)
    return program("sum_of_coordinates", g, {"q": 2}, {"y": (q[0] + q[1],)})


MODELS: dict[str, Model] = {
    "everything": model(double_pendulum(), every_operation(), single_precision=True),
    "plain C library": model(double_pendulum(), single_precision=True, sincos=SineCosineLibrary.LIBM),
    "without angles": model(without_angles()),
    "live parameters": live_model(),
}

every_model = pytest.mark.parametrize("generated", MODELS.values(), ids=MODELS.keys())


def example(generated: Model) -> str:
    """The program in the comment of the header."""
    comment = c_header(generated).partition(" */")[0]
    lines = [
        line.removeprefix(" *").removeprefix(" ") for line in comment.partition("Example\n")[2].splitlines()
    ]
    return textwrap.dedent("\n".join(lines))


@every_model
@pytest.mark.parametrize("cc", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O0", "-O3"])
def test_strict_c99(tmp_path: Path, generated: Model, cc: str, level: str) -> None:
    write_model(generated, tmp_path)
    for flags in ([], ["-march=native"]):
        run([compiler(cc), *STRICT, level, *flags, "-c", tmp_path / "arm.c", "-o", tmp_path / "arm.o"])


@every_model
def test_only_prefixed_functions_are_exported_and_nothing_is_global(tmp_path: Path, generated: Model) -> None:
    write_model(generated, tmp_path)
    run([compiler(), "-std=c99", "-O1", "-c", tmp_path / "arm.c", "-o", tmp_path / "arm.o"])
    symbols = [line.split()[-2:] for line in run([compiler("nm"), tmp_path / "arm.o"]).splitlines()]
    external = {name for kind, name in symbols if kind.isupper() and kind != "U"}
    declared = set(re.findall(r"\b(arm_\w+)\(", c_header(generated)))
    assert external == declared
    assert not [name for kind, name in symbols if kind in "BbDdCc"], "data that can be written"
    needed = {name for kind, name in symbols if kind == "U"}
    assert needed <= {
        "sin",
        "cos",
        "sincos",
        "sinf",
        "cosf",
        "sincosf",
        "sqrt",
        "sqrtf",
        "_GLOBAL_OFFSET_TABLE_",
    }


@every_model
@pytest.mark.parametrize("cxx", ["g++", "clang++"])
def test_header_from_cpp(tmp_path: Path, generated: Model, cxx: str) -> None:
    write_model(generated, tmp_path)
    (tmp_path / "user.cpp").write_text(
        '#include "arm.h"\n#include "arm.h"\n' + example(generated), encoding="ascii"
    )
    run([compiler(), "-std=c99", "-c", tmp_path / "arm.c", "-o", tmp_path / "arm.o"])
    flags = ["-std=c++11", "-Wall", "-Wextra", "-Werror"]
    run([compiler(cxx), *flags, tmp_path / "user.cpp", tmp_path / "arm.o", "-o", tmp_path / "user", "-lm"])
    run([tmp_path / "user"])


@every_model
def test_example_runs_clean_under_sanitizers(tmp_path: Path, generated: Model) -> None:
    write_model(generated, tmp_path)
    (tmp_path / "example.c").write_text(example(generated), encoding="ascii")
    flags = [*STRICT, "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    run([compiler(), *flags, tmp_path / "example.c", tmp_path / "arm.c", "-o", tmp_path / "example", "-lm"])
    printed = [float(line) for line in run([tmp_path / "example"]).split()]
    assert len(printed) == generated.kernels[0].program.outputs[0].size
    assert all(abs(value) < 100 for value in printed)


def test_api_macro_stands_before_every_external_function(tmp_path: Path) -> None:
    write_model(MODELS["everything"], tmp_path)
    hidden = ['-DARM_API=__attribute__((visibility("hidden")))']
    run(
        [
            compiler(),
            *STRICT,
            *hidden,
            "-shared",
            "-fPIC",
            tmp_path / "arm.c",
            "-o",
            tmp_path / "arm.so",
            "-lm",
        ]
    )
    assert "arm_" not in run([compiler("nm"), "-D", "--defined-only", tmp_path / "arm.so"])
    static = '#define ARM_API static\n#include "arm.c"\nint main(void) { return 0; }\n'
    (tmp_path / "inside.c").write_text(static, encoding="ascii")
    run([compiler(), "-std=c99", tmp_path / "inside.c", "-o", tmp_path / "inside", "-lm"])
    assert not re.search(r" T arm_", run([compiler("nm"), tmp_path / "inside"]))


def test_example_is_short() -> None:
    assert len(example(MODELS["everything"]).strip().splitlines()) <= 14


def test_huge_and_tiny_constants(tmp_path: Path) -> None:
    """Rationals far longer than a double, thirds, large and small: no integer division, no overflow."""
    g = Graph()
    (q,) = inputs(g, "q", 1)
    huge = Fraction(10**400 + 1, 3 * 10**399)
    results = (
        q / 3,
        Fraction(1, 2) * q,
        huge * q,
        Fraction(10) ** 300 * q,
        Fraction(1, 10**45) * q,
        q + 10**20,
    )
    write_model(model(program("constants", g, {"q": 1}, {"y": results})), tmp_path)
    text = (tmp_path / "arm.c").read_text(encoding="ascii")
    for literal in ("0.3333333333333333 *", "0.5 *", "3.3333333333333335 *", "1e+300 *", "1e-45 *", "1e+20"):
        assert literal in text
    run([compiler(), *STRICT, "-c", tmp_path / "arm.c", "-o", tmp_path / "arm.o"])


def test_constant_beyond_single_precision_is_refused(tmp_path: Path) -> None:
    g = Graph()
    (q,) = inputs(g, "q", 1)
    generated = model(program("big", g, {"q": 1}, {"y": (10**39 * q,)}), single_precision=True)
    with pytest.raises(ModelError, match="float"):
        write_model(generated, tmp_path / "never made")
    assert not (tmp_path / "never made").exists()


def test_live_parameter_defaults_are_in_the_example() -> None:
    assert "arm_default_parameters(&parameters);" in example(MODELS["live parameters"])
    assert LiveParameter("m", Fraction(2), "kg", "mass") in MODELS["live parameters"].parameters
    assert schedule(double_pendulum()).program.name in c_header(MODELS["live parameters"])
