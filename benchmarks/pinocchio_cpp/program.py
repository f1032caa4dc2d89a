"""Finds the headers that Pinocchio's C++ needs and describes the timing programs.

The headers alone are used: the shared library of the wheel is compiled for any processor and its types are laid out
differently from those of a program compiled with ``-march=native``.  Compiling takes minutes, once.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.drivers.build import (
    BuildFailed,
    NativeProgram,
    build,
    compiler_command,
    kernels_driver,
    table_line,
)
from benchmarks.peers.engines import PeerUnavailable, library
from kanegen.extras import install_command

SOURCES = Path(__file__).resolve().parent

DEFINITIONS = (
    "-DNDEBUG",
    # Pinocchio's list of joint types is longer than Boost's preprocessed headers allow.
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)

EIGEN_FOLDERS = (
    Path("/usr/include/eigen3"),
    Path("/usr/local/include/eigen3"),
    Path("/opt/homebrew/include/eigen3"),
)


def pinocchio_headers() -> Path:
    """The include folder of the installed Pinocchio (Boost's headers lie in it too).

    Raises:
        BuildFailed: when there is none.
    """
    package = importlib.util.find_spec("pinocchio")
    if package is None or package.origin is None:
        raise BuildFailed(f"Pinocchio C++: Pinocchio is not installed ({install_command('peers', 'pin')})")
    for folder in Path(package.origin).resolve().parents:
        if (folder / "include" / "pinocchio" / "algorithm" / "rnea.hpp").exists():
            return folder / "include"
    raise BuildFailed("Pinocchio C++: the installed Pinocchio has no headers (the wheel named pin has them)")


def eigen_headers() -> Path:
    """The include folder of Eigen 3: that of the variable EIGEN3_INCLUDE_DIR, or one of the usual places.

    Raises:
        BuildFailed: when there is none.
    """
    named = os.environ.get("EIGEN3_INCLUDE_DIR")
    for folder in (Path(named),) if named else EIGEN_FOLDERS:
        if (folder / "Eigen" / "Core").exists():
            return folder
    raise BuildFailed(
        "Pinocchio C++: Eigen's headers are missing (apt-get install libeigen3-dev, or set EIGEN3_INCLUDE_DIR)"
    )


def five_bar_driver() -> NativeProgram:
    """The timing program of ``time_five_bar.cpp``.

    Raises:
        BuildFailed: when headers are missing.
    """
    return _driver("time_five_bar", SOURCES / "time_five_bar.cpp")


def robot_driver(algorithm: str) -> NativeProgram:
    """The timing program of one algorithm for a robot: rnea, crba, aba, rnea_derivatives or aba_derivatives.

    Raises:
        BuildFailed: when headers are missing.
    """
    name = f"time_robot_{algorithm}"
    return _driver(name, SOURCES / f"{name}.cpp", SOURCES / "robot_timing.hpp", SOURCES / "robot_model.hpp")


def casadi_driver(name: str, text: str, dof: int, kernels: Sequence[str], folder: Path) -> NativeProgram:
    """The timing program of C that CasADi writes of Pinocchio's algorithms, into ``folder``, for the robot of ``text``.

    Raises:
        BuildFailed: when headers or CasADi are missing.
    """
    writer, model = build(casadi_program()), folder / f"{name}.txt"
    model.write_text(text, encoding="utf-8")
    parts, lines = [], []
    for kernel in kernels:
        finished = subprocess.run(
            [writer, model, kernel], cwd=folder, capture_output=True, text=True, check=False
        )
        if finished.returncode != 0:
            raise BuildFailed(f"CasADi C, {kernel}: {finished.stderr.strip()[:200]}")
        inputs = INPUTS[kernel]
        parts.append(_called(kernel, len(inputs)))
        size = dof**2 if kernel == "mass_matrix" else dof
        lines.append(table_line(kernel, (f"called_{kernel}", "0", "0"), inputs, (size,), "double"))
    source, table = folder / f"casadi_{name}.c", folder / f"casadi_{name}.h"
    source.write_text("".join(parts), encoding="utf-8")
    table.write_text("".join(lines), encoding="utf-8")
    written = [folder / f"{kernel}.c" for kernel in kernels]
    return kernels_driver(f"casadi_{name}", source, table, dof, ("-w",), (source, *written))


INPUTS = {"inverse_dynamics": ("q", "v", "a"), "forward_dynamics": ("q", "v", "tau"), "mass_matrix": ("q",)}


def _called(kernel: str, inputs: int) -> str:
    """CasADi's function for a kernel with its workspace, behind an ordinary one."""
    arguments = [f"x{k}" for k in range(inputs)]
    declared = ", ".join(f"const double *{name}" for name in arguments)
    return f"""
#include "{kernel}.c"
#include <stdlib.h>
static void called_{kernel}({declared}, double *y)
{{
    static const double **given;
    static double **found, *numbers;
    static casadi_int *integers;
    if (!given) {{
        casadi_int sizes[4];
        casadi_{kernel}_work(sizes, sizes + 1, sizes + 2, sizes + 3);
        given = calloc(sizes[0] + 1, sizeof *given), found = calloc(sizes[1] + 1, sizeof *found);
        integers = calloc(sizes[2] + 1, sizeof *integers), numbers = calloc(sizes[3] + 1, sizeof *numbers);
    }}
    {" ".join(f"given[{k}] = {name};" for k, name in enumerate(arguments))}
    found[0] = y;
    casadi_{kernel}(given, found, integers, numbers, 0);
}}
"""


def casadi_program() -> NativeProgram:
    """The program of ``casadi_code.cpp``.

    Raises:
        BuildFailed: when headers or CasADi are missing.
    """
    try:
        folder = Path(library("casadi", "CasADi", "casadi").__file__).parent
    except PeerUnavailable as reason:
        raise BuildFailed(f"CasADi C: {reason}") from None
    source = SOURCES / "casadi_code.cpp"
    linked = ("-DPINOCCHIO_WITH_CASADI_SUPPORT", f"-isystem{folder / 'include'}", "-O1")
    last = (f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}")
    return _driver("casadi_code", source, SOURCES / "robot_model.hpp", before=linked, after=last)


def _driver(
    name: str, source: Path, *headers: Path, before: Sequence[str] = (), after: Sequence[str] = ()
) -> NativeProgram:
    return NativeProgram(
        name=name,
        compiler=compiler_command("CXX", "c++"),
        arguments=(
            "-std=c++17",
            "-w",  # gcc 12 warns falsely inside Eigen's AVX-512 code
            *DEFINITIONS,
            f"-isystem{pinocchio_headers()}",
            f"-isystem{eigen_headers()}",
            *before,
            str(source),
            *after,
        ),
        inputs=(source, *headers),
    )
