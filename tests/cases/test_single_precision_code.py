"""Generated C in single precision (CASES2 88): how it is asked for, and that nothing in it is double."""

from __future__ import annotations

import platform
import re
from pathlib import Path

import numpy as np
import pytest
from cffi import FFI
from emitted.compilation import STRICT, compiler, run

import kanegen
from kanegen.codegen import cli

KERNELS = ["inverse_dynamics", "mass_matrix"]

DOUBLE = re.compile(r"\b(cvt\w*sd\w*|cvt\w*pd\w*|v?[a-z]+[sp]d)\b")
"""Instructions of x86-64 that convert to or from double precision, or compute or move in it."""


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C of the Stanford Arm with live parameters, in both precisions."""
    out = tmp_path_factory.mktemp("live")
    return kanegen.generate(
        "stanford_arm", out, kernels=KERNELS, live_parameters=True, float32=True, search=1
    )


def doubles_by_function(assembly: str) -> dict[str, int]:
    """How many instructions in double precision each function of a listing has."""
    found: dict[str, int] = {}
    function = ""
    for line in assembly.splitlines():
        if label := re.match(r"([a-z]\w*):", line):
            function = label[1]
            found[function] = 0
        elif instruction := re.match(r"\t([a-z]\w+)", line):
            found[function] = found.get(function, 0) + bool(DOUBLE.fullmatch(instruction[1]))
    return found


@pytest.mark.parametrize("size", ["0", "8", "16"])
def test_no_kernel_in_single_precision_computes_in_double(live: Path, size: str) -> None:
    """Case 88: in the machine code, with sines of the C library, of one angle at a time and of vectors."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("the names of instructions are those of x86-64")
    flags = ["-O1", f"-DKANEGEN_VECTOR_BYTES={size}", "-S", "-o", live / "kernels.s"]
    run([compiler(), *STRICT, *flags, live / "stanford_arm.c"])
    doubles = doubles_by_function((live / "kernels.s").read_text(encoding="utf-8"))
    single = {name: number for name, number in doubles.items() if "_f32" in name}
    for prepares in (
        "stanford_arm_prepare_f32",
        "stanford_arm_prepare_batch_f32",
    ):  # which round once, at their end
        assert single.pop(prepares) > 0
    assert {"stanford_arm_inverse_dynamics_f32", "stanford_arm_mass_matrix_batch_f32"} <= set(single)
    assert set(single.values()) == {0}
    assert sum(doubles.values()) > 100  # those in double precision: the instructions are recognized


@pytest.mark.parametrize("cc", ["gcc", "clang"])
@pytest.mark.parametrize("width", [(), ("-DKANEGEN_VECTOR_BYTES=8",), ("-DKANEGEN_VECTOR_BYTES=0",)])
def test_no_conversion_goes_unsaid(live: Path, cc: str, width: tuple[str, ...]) -> None:
    """Case 88: ``-Wdouble-promotion``, the sine routine included."""
    flags = ["-Wdouble-promotion", "-Wconversion", *width, "-O1", "-c", "-o", live / "kernels.o"]
    run([compiler(cc), *STRICT, *flags, live / "stanford_arm.c"])


def test_prepared_values_are_rounded_once(live: Path) -> None:
    """Case 88: each is the float nearest to the value that the kernels in double precision read."""
    library = live / "kernels.so"
    run([compiler(), *STRICT, "-O1", "-shared", "-fPIC", live / "stanford_arm.c", "-o", library, "-lm"])
    ffi = FFI()
    ffi.cdef((live / "stanford_arm.cdef").read_text(encoding="ascii"))
    lib = ffi.dlopen(str(library))
    parameters = ffi.new("stanford_arm_parameters *")
    double, single = ffi.new("stanford_arm_prepared *"), ffi.new("stanford_arm_prepared_f32 *")
    lib.stanford_arm_default_parameters(parameters)
    lib.stanford_arm_prepare(parameters, double)
    lib.stanford_arm_prepare_f32(parameters, single)
    fields = [name for name, _ in ffi.typeof("stanford_arm_prepared").fields]
    assert len(fields) > 20
    assert [getattr(single, name) for name in fields] == [
        float(np.float32(getattr(double, name))) for name in fields
    ]


def test_kernels_in_single_precision_follow_their_parameters(live: Path) -> None:
    """Case 88: they agree with those in double precision, before and after a change of all parameters."""
    arm = kanegen.load(live)
    heavier = arm.with_parameters({name: 1.5 * value for name, value in arm.parameters.items()})
    q, v, a = np.random.default_rng(88).uniform(-1.0, 1.0, (3, 20, arm.dof)).astype(np.float32)
    counts = arm.operation_counts["inverse_dynamics"]
    operations = counts.multiplications + counts.additions + len(arm.parameters)
    for robot in (arm, heavier):
        right = robot.inverse_dynamics(q, v, a)
        found = robot.call("inverse_dynamics_f32", q, v, a)
        # each operation, and each prepared value, rounds by at most 2^-24 of a number that is at most the largest force
        assert np.abs(found - right).max() <= operations * 2.0**-24 * np.abs(right).max()
    assert np.abs(heavier.inverse_dynamics(q, v, a) - arm.inverse_dynamics(q, v, a)).max() > 1.0
    assert arm.prepared_address_of("inverse_dynamics_f32") != arm.prepared_address_of("inverse_dynamics")


def test_single_precision_is_asked_for_in_python_as_on_the_command_line(tmp_path, capsys):
    """Case 88: ``kanegen.generate`` has ``float32`` and ``sincos``, and writes the same bytes as the command."""
    words = ["--kernels", *KERNELS, "--float32", "--sincos", "libm", "--search", "1"]
    assert cli.main(["generate", "stanford_arm", *words, "-o", str(tmp_path / "command")]) == 0
    capsys.readouterr()
    kanegen.generate(
        "stanford_arm", tmp_path / "python", kernels=KERNELS, float32=True, sincos="libm", search=1
    )
    by_command, in_python = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}
        for folder in ("command", "python")
    )
    assert in_python == by_command
    assert b"void stanford_arm_inverse_dynamics_batch_f32(" in in_python["stanford_arm.h"]
    assert b"sinf(" in in_python["stanford_arm.c"]


def test_the_library_of_sines_is_one_of_two(tmp_path):
    """Case 88: another word is refused before anything is written."""
    with pytest.raises(ValueError, match="sincos: expected 'vector' or 'libm', got 'library'"):
        kanegen.generate("stanford_arm", tmp_path / "out", sincos="library")
    assert not (tmp_path / "out").exists()
