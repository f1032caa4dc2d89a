"""Builds the native timing programs, once for each content of their sources and flags."""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.environment import compiler_version
from kanegen.builds.compiler import usable_variants
from kanegen.extension_source import COMPILE_FLAGS, Variant
from kanegen.manifest import KernelSpec, Manifest

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD_FOLDER = REPOSITORY / "build" / "benchmarks"

FLAGS = ("-O3", "-march=native")
"""What every native contestant is compiled with, ours and the peers' alike."""


BLOCKS = ("q", "v", "a", "tau")
"""The blocks of a file of states, in order."""


class BuildFailed(RuntimeError):
    """A native program was not built; the message says why and what would help."""


@dataclass(frozen=True)
class NativeProgram:
    """A program to be compiled.

    Attributes:
        name: of the executable.
        compiler: the command.
        arguments: what follows ``FLAGS``: language, definitions, include folders, sources, libraries.
        inputs: the files whose content decides whether an earlier build still serves.
    """

    name: str
    compiler: str
    arguments: tuple[str, ...]
    inputs: tuple[Path, ...]


def compiler_command(variable: str, default: str) -> str:
    """The compiler that the environment variable names (CC, CXX), or the default."""
    return os.environ.get(variable) or default


def build(program: NativeProgram) -> Path:
    """The executable of ``program``, compiled unless the same build is there from before.

    Raises:
        BuildFailed: when the compiler is missing or ends with an error.
    """
    command = shlex.split(program.compiler)
    version = compiler_version(command[0])
    if version is None:
        raise BuildFailed(f"{program.name}: there is no compiler {command[0]!r}")
    digest = hashlib.sha256(repr((command, version, FLAGS, program.arguments)).encode())
    for path in program.inputs:
        digest.update(path.read_bytes())
    executable = BUILD_FOLDER / f"{program.name}-{digest.hexdigest()[:16]}"
    if executable.exists():
        return executable
    BUILD_FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD_FOLDER) as folder:
        output = Path(folder) / program.name
        _compile(program.name, [*command, *FLAGS, *program.arguments, "-o", str(output)])
        output.replace(executable)  # a build that was interrupted leaves nothing behind
    return executable


def _compile(name: str, command: Sequence[str]) -> None:
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        errors = [
            line for line in finished.stderr.splitlines() if "error" in line
        ] or finished.stderr.splitlines()
        raise BuildFailed(f"{name}: the compiler ended with {finished.returncode}: {' / '.join(errors[:3])}")


def model_driver(folder: Path, manifest: Manifest, variant: Variant) -> NativeProgram:
    """The timing program of all kernels of a generated model in ``folder``, with 1 or 3 inputs, for an instruction set."""
    table = folder / "kernels.h"
    timed = [k for k in manifest.kernels.values() if {len(k.inputs), len(k.outputs)} <= {1, 3}]
    table.write_text("".join(map(_table_line, timed)), encoding="utf-8")
    source = folder / f"{manifest.prefix}.c"
    features = (f"-m{feature}" for feature in ("arch=x86-64", *variant.features) if usable_variants())
    return kernels_driver(
        f"{manifest.prefix}_{variant.name}",
        source,
        table,
        manifest.nv,
        (*features, *COMPILE_FLAGS),
        (source,),
    )


def kernels_driver(
    name: str, source: Path, table: Path, dof: int, arguments: Sequence[str], inputs: Sequence[Path]
) -> NativeProgram:
    """The program of ``time_kernels.c`` for the functions in ``source`` that ``table`` lists."""
    driver = Path(__file__).with_name("time_kernels.c")
    definitions = (f'-DMODEL_SOURCE="{source}"', f'-DKERNEL_TABLE="{table}"', f"-DMODEL_DOF={dof}")
    return NativeProgram(
        name=f"time_{name}",
        compiler=compiler_command("CC", "cc"),
        arguments=(*definitions, f"-I{source.parent}", str(driver), *arguments, "-lm"),
        inputs=(driver, source, table, *inputs),
    )


def table_line(
    name: str, functions: Sequence[str], inputs: Sequence[str], sizes: Sequence[int], number: str
) -> str:
    """A line of the table that ``time_kernels.c`` describes."""
    blocks, lengths = (", ".join(map(str, x)) for x in (map(BLOCKS.index, inputs), sizes))
    one, rows, columns = functions
    return f"KERNEL({name}, {number}, {one}, {rows}, {columns}, {len(inputs)}, ({blocks}), {len(sizes)}, ({lengths}))\n"


def _table_line(kernel: KernelSpec) -> str:
    return table_line(
        kernel.name,
        (kernel.function, kernel.batch, kernel.batch_soa or "0"),
        [argument.name for argument in kernel.inputs],
        [argument.size for argument in kernel.outputs],
        {"double": "double", "single": "float"}[kernel.precision],
    )


def kernel_driver(
    folder: Path, prefix: str, kernel: str, lengths: tuple[int, int, int, int]
) -> NativeProgram:
    """The timing program of one kernel with three inputs and an output of these lengths.

    Raises:
        BuildFailed: when the model has not been generated.
    """
    driver = Path(__file__).with_name("time_rows.c")
    source, header = folder / f"{prefix}.c", folder / f"{prefix}.h"
    if not (source.exists() and header.exists()):
        raise BuildFailed(f"{prefix}: not generated yet ({source.name} and {header.name} are needed)")
    sizes = zip(("FIRST", "SECOND", "THIRD", "OUTPUT"), lengths, strict=True)
    return NativeProgram(
        name=f"time_{prefix}_{kernel}",
        compiler=compiler_command("CC", "cc"),
        arguments=(
            f'-DMODEL_HEADER="{header.name}"',
            f"-DFUNCTION={prefix}_{kernel}",
            *(f"-D{name}={length}" for name, length in sizes),
            f"-I{folder}",
            str(driver),
            str(source),
            "-lm",
        ),
        inputs=(driver, source, header),
    )
