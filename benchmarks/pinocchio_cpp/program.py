"""Finds the headers that Pinocchio's C++ needs and describes the timing programs.

The headers alone are used: the shared library of the wheel is compiled for any processor and its types are laid out
differently from those of a program compiled with ``-march=native``.  Compiling takes minutes, once.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from benchmarks.drivers.build import BuildFailed, NativeProgram, compiler_command
from benchmarks.peers.chain import Chain
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


def chain_driver() -> NativeProgram:
    """The timing program of ``time_chain.cpp``.

    Raises:
        BuildFailed: when headers are missing.
    """
    return _driver("time_chain", SOURCES / "time_chain.cpp", SOURCES / "chain_model.hpp")


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


def _driver(name: str, source: Path, *headers: Path) -> NativeProgram:
    return NativeProgram(
        name=name,
        compiler=compiler_command("CXX", "c++"),
        arguments=(
            "-std=c++17",
            "-w",  # gcc 12 warns falsely inside Eigen's AVX-512 code
            *DEFINITIONS,
            f"-isystem{pinocchio_headers()}",
            f"-isystem{eigen_headers()}",
            str(source),
        ),
        inputs=(source, *headers),
    )


def write_chain(chain: Chain, path: Path) -> None:
    """Write the chain as the text that ``chain_model.hpp`` reads."""
    lines = []
    for body in chain.bodies:
        numbers = [*body.offset, body.mass, *body.centre, *body.moments]
        lines.append(" ".join([body.kind, body.axis, str(body.coordinate), *map(repr, numbers)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
