"""Generated C among macros (CASES2 87, 96): names of a model that headers, boards and projects have defined."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest
import sympy
from emitted.compilation import STRICT, compiler, run

import kanegen
from kanegen.codegen.emit.identifiers import FIELD_ENDING, is_variable
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder

SYSTEM = (
    "EIO",
    "R_OK",
    "st_atime",
    "Py_None",
    "errno",
    "unix",
    "linux",
    "i386",
    "I",
    "complex",
    "SIGINT",
    "sa_handler",
)
"""Macros of errno.h, unistd.h, sys/stat.h, Python.h, complex.h and signal.h, and of compilers themselves."""

BOARD = {
    "B1": "1",
    "PI": "3.1415926535897932384626433832795",
    "HALF_PI": "1.57",
    "DEG_TO_RAD": "0.017453292519943295",
    "EULER": "2.718",
    "HIGH": "0x1",
    "F(text)": "(text)",
    "min(a,b)": "((a)<(b)?(a):(b))",
    "max(a,b)": "((a)>(b)?(a):(b))",
    "abs(x)": "((x)>0?(x):-(x))",
    "round(x)": "((x)>=0?(long)((x)+0.5):(long)((x)-0.5))",
    "radians(deg)": "((deg)*DEG_TO_RAD)",
    "sq(x)": "((x)*(x))",
    "bit(b)": "(1UL << (b))",
    "_N": "04",
    "_B": "0200",
    "__I": "volatile const",
    "SysTick": "((int *)0xE000E010)",
}
"""As Arduino.h, its binary.h, newlib's ctype.h and CMSIS define them, after the headers of C."""

NAMES = (
    *SYSTEM,
    *(name.partition("(")[0] for name in BOARD if not name.startswith("_")),
    "eio",
    "pi",
    "b_1",
    "B_1",
)
"""Names that differ in upper and lower case alone are two parameters."""

KERNELS = ["law", "inverse_dynamics", "frame_pose_unix", "frame_pose_R_OK"]


def machine() -> Mechanism:
    """A pendulum (2 kg at 0.5 m below a hinge about y) whose law has a parameter of every name."""
    builder = MechanismBuilder("EIO")
    for name in NAMES:
        builder.parameter(name, 1, "1")
    builder.body("I", mass=2, center=(0, 0, "-0.5"), inertia=("0.1", "0.1", 0))
    builder.revolute("errno", "base", "I", axis=(0, 1, 0))
    builder.frame("unix", "I", position=(0, 0, -1))
    builder.frame("R_OK", "I", position=(0, 0, -2))
    q, v = sympy.symbols("q v")
    symbols = [sympy.Symbol(name) for name in NAMES]
    total = sum((i + 1) * symbol * (q, v)[i % 2] for i, symbol in enumerate(symbols))
    builder.law(
        "law",
        [total + sympy.sin(symbols[0]) * sympy.cos(q + symbols[1])],
        time=sympy.Symbol("t"),
        q=[q],
        v=[v],
    )
    return builder.build()


def expected(values: dict[str, float], q: float, v: float) -> float:
    """The law by hand."""
    found = sum((i + 1) * values[name] * (q, v)[i % 2] for i, name in enumerate(NAMES))
    return found + math.sin(values[NAMES[0]]) * math.cos(q + values[NAMES[1]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C of the machine with live parameters in both precisions, and a file of the board's macros."""
    out = tmp_path_factory.mktemp("macros")
    kanegen.generate(machine(), out, kernels=KERNELS, live_parameters=True, float32=True)
    headers = "".join(f"#include <{name}.h>\n" for name in ("float", "math", "stdint", "stdlib", "string"))
    macros = "".join(f"#define {name} {text}\n" for name, text in BOARD.items())
    (out / "board.h").write_text(headers + macros, encoding="ascii")
    return out


@pytest.mark.parametrize("standard", ["c99", "gnu17"])
@pytest.mark.parametrize("before", ["", "system", "board"])
def test_header_and_source_compile_among_macros(folder: Path, standard: str, before: str) -> None:
    """Cases 87 and 96: behind system headers and a board's macros, without a warning."""
    flags = [*STRICT, f"-std={standard}", "-O1", "-c", "-o", folder / "object.o"]
    if before == "board":
        flags += ["-include", folder / "board.h"]
    elif before == "system":
        text = "".join(
            f"#include <{name}.h>\n" for name in ("errno", "complex", "sys/stat", "unistd", "signal")
        )
        (folder / "system.h").write_text(text, encoding="ascii")
        flags += ["-include", folder / "system.h"]
    run([compiler(), *flags, folder / "EIO.c"])


def test_header_behind_every_macro_of_its_own_names(folder: Path) -> None:
    """Case 96: whatever a project has defined: each name of the model is a macro that no compiler could let pass."""
    text = "".join(f"#define {name} @\n" for name in NAMES if name not in ("min", "max", "abs", "round", "F"))
    for ending, cc, standard in (("c", "gcc", "c99"), ("cc", "g++", "c++11")):
        user = folder / f"user.{ending}"
        user.write_text(f'#include <stddef.h>\n{text}#include "EIO.h"\n', encoding="ascii")
        run(
            [
                compiler(cc),
                f"-std={standard}",
                "-pedantic",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
                user,
            ]
        )


def test_header_behind_python(folder: Path) -> None:
    """Case 96: as the extension module has it."""
    include = sysconfig.get_path("include")
    if not (Path(include) / "Python.h").exists():
        pytest.skip("the headers of Python are not installed")
    user = folder / "python.c"
    user.write_text(
        '#include <Python.h>\n#include <errno.h>\n#include <complex.h>\n#include "EIO.h"\n', encoding="ascii"
    )
    run([compiler(), "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", f"-I{include}", user])


def test_parameters_called_like_macros_have_their_values(folder: Path) -> None:
    """Case 96: through the extension module, in both precisions, against the sum written out by hand."""
    robot = kanegen.load(folder)
    values = {name: 1.0 + 0.25 * i for i, name in enumerate(NAMES)}
    q, v = 0.3, -0.7
    for arm, numbers in ((robot, dict.fromkeys(NAMES, 1.0)), (robot.with_parameters(values), values)):
        # Some forty terms, the sum of whose magnitudes bounds that of the roundings; 24 bits in single precision
        size = sum((i + 1) * numbers[name] for i, name in enumerate(NAMES)) + 1
        for ending, unit in (("", 2.0**-53), ("_f32", 2.0**-24)):
            found = float(arm.call(f"law{ending}", np.zeros(()), [q], [v])[0])
            assert abs(found - expected(numbers, q, v)) <= len(NAMES) * unit * size


def test_fields_are_told_by_the_manifest(folder: Path) -> None:
    """Case 96: the original names are kept, and every field has the form that macros do not have."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="ascii"))
    assert [entry["name"] for entry in manifest["parameters"]] == list(NAMES)
    fields = [entry["field"] for entry in manifest["parameters"]]
    assert fields == [f"{name}_live" for name in NAMES]
    header = (folder / "EIO.h").read_text(encoding="ascii")
    assert re.findall(r"^    double (\w+);", header, re.MULTILINE)[: len(fields)] == fields


def test_no_header_of_this_machine_has_a_macro_of_these_forms(tmp_path: Path) -> None:
    """Cases 87 and 96: the forms themselves, against what gcc reads of the headers of C, POSIX and Python."""
    names = "aio arpa/inet complex ctype dirent errno fcntl fenv grp inttypes iso646 limits locale math net/if netdb"
    names += " netinet/in poll pthread pwd sched semaphore setjmp signal spawn stdarg stdbool stdint stdio stdlib string"
    names += " sys/ioctl sys/mman sys/socket sys/stat sys/types sys/wait syslog termios tgmath time ucontext unistd wchar"
    present = [name for name in names.split() if (Path("/usr/include") / f"{name}.h").exists()]
    text = "".join(f"#include <{name}.h>\n" for name in (*present, "float", "stddef"))
    include = sysconfig.get_path("include")
    text += "#include <Python.h>\n" if (Path(include) / "Python.h").exists() else ""
    (tmp_path / "all.c").write_text(text, encoding="ascii")
    command = [compiler(), "-std=gnu17", "-dM", "-E", f"-I{include}", str(tmp_path / "all.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    macros = set(re.findall(r"#define (\w+)", done.stdout))
    assert len(macros) > 300
    assert sorted(name for name in macros if name.endswith(FIELD_ENDING) or is_variable(name)) == []


def test_inputs_of_one_assertion_are_macros_indeed(folder: Path) -> None:
    """Case 96: the test above would fail with fields as they were: a struct of bare names does not compile."""
    user = folder / "bare.c"
    fields = "".join(f"double {name}; " for name in SYSTEM)
    text = f"#include <errno.h>\n#include <complex.h>\n#include <sys/stat.h>\ntypedef struct {{ {fields}}} bare;\n"
    user.write_text(text, encoding="ascii")
    done = subprocess.run(
        [compiler(), "-std=gnu17", "-fsyntax-only", str(user)], capture_output=True, check=False
    )
    assert done.returncode != 0
