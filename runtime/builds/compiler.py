"""The C compiler of this machine, found as Python's own build knows it and run on one directory, and its processor.

GCC, Clang and compilers with the same command line are run directly: the units of a mechanism compile side by side,
and command and output are at hand when something fails.  On Windows, setuptools finds and runs the compiler.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kanegen.errors import BuildError, NoCompilerError
from kanegen.extension_source import COMPILE_FLAGS

if TYPE_CHECKING:
    from cffi import FFI
import platform

from kanegen.extension_source import BASELINE, X86_VARIANTS, Variant

_INSTALL_COMPILER = (
    "no C compiler was found. Install one (Debian, Ubuntu: apt install gcc python3-dev; Fedora: dnf install gcc "
    "python3-devel; macOS: xcode-select --install; Windows: the Visual Studio build tools), or name one in $CC"
)
_UNUSABLE_CC = (
    "no C compiler was found: $CC={chosen} cannot be run. Name another one, or unset CC to take the one of "
    "the system"
)
_INSTALL_HEADERS = (
    "the C headers of Python are missing ({header}). Install them (Debian, Ubuntu: apt install python3-dev; "
    "Fedora: dnf install python3-devel)"
)


FLAGS_OF_CALLS = ("-O1", "-foptimize-sibling-calls")
"""Flags, after those of every compilation, of the unit between Python and the kernels.

It converts arguments and jumps: what is left out here took a third of a build, and gained nothing.
"""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler: the words its command lines begin with, the words that make it link, and who it says it is."""

    command: tuple[str, ...]
    link: tuple[str, ...]
    identity: str

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of every compilation."""
        return ("-fPIC", *COMPILE_FLAGS)

    @property
    def flags_of_calls(self) -> tuple[str, ...]:
        """Flags of the unit between Python and the kernels."""
        return (*self.flags, *FLAGS_OF_CALLS)


@functools.cache
def _identity(command: tuple[str, ...]) -> str | None:
    """The first line of ``--version``; None when the command cannot be run."""
    try:
        done = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, check=True, errors="replace"
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.partition("\n")[0].strip()


def find_compiler() -> Compiler:
    """The compiler: $CC, else the one that Python was built with, else cc, gcc or clang.

    Raises NoCompilerError, whose message is one sentence on what to install.
    """
    header = Path(sysconfig.get_path("include")) / "Python.h"
    shared = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    chosen = os.environ.get("CC")
    if chosen:
        candidates = [_words_of_cc(chosen)]
    else:
        candidates = [shlex.split(sysconfig.get_config_var("CC") or "cc"), ["cc"], ["gcc"], ["clang"]]
    for command in candidates:
        if not command or shutil.which(command[0]) is None:
            continue
        identity = _identity(tuple(command))
        if identity is not None:
            if not header.exists():
                raise NoCompilerError(_INSTALL_HEADERS.format(header=header))
            linking = [
                word for word in shared[1:] if word in ("-shared", "-bundle", "-undefined", "dynamic_lookup")
            ]
            return Compiler(tuple(command), tuple(linking), identity)
    raise NoCompilerError(_UNUSABLE_CC.format(chosen=chosen) if chosen else _INSTALL_COMPILER)


def _words_of_cc(chosen: str) -> list[str]:
    """The words of $CC.  Raises NoCompilerError for what no shell would read."""
    try:
        return shlex.split(chosen)
    except ValueError as error:
        raise NoCompilerError(_UNUSABLE_CC.format(chosen=chosen)) from error


def _run(command: list[str], directory: Path, made: str) -> None:
    """Run a compiler in a directory, where it makes a file.  Raises BuildError with everything it printed."""
    environment = os.environ | {"LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise BuildError(shlex.join(command), f"it cannot be run: {error}", directory) from error
    if done.returncode != 0:
        raise BuildError(shlex.join(command), done.stdout, directory)
    result = directory / made
    if not result.is_file() or result.stat().st_size == 0:
        silent = f"it ended without an error, but did not make {made}; is it a C compiler?"
        raise BuildError(shlex.join(command), f"{done.stdout}{silent}", directory)


def compile_extension(compiler: Compiler, units: list[str], module: str, directory: Path) -> Path:
    """Compile C files of a directory, named relative to it, into an extension module there.

    Raises BuildError with the first command that failed.
    """
    includes = [f"-I{sysconfig.get_path(key)}" for key in ("include", "platinclude")]
    objects = [f"{unit.removesuffix('.c')}.o" for unit in units]
    commands = [
        [*compiler.command, *flags, *dict.fromkeys(includes), "-c", unit, "-o", target]
        for unit, target in zip(units, objects, strict=True)
        for flags in [compiler.flags_of_calls if unit == f"{module}.c" else compiler.flags]
    ]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda command, target: _run(command, directory, target), commands, objects))
    library = f"{module}{sysconfig.get_config_var('EXT_SUFFIX')}"
    _run([*compiler.command, *compiler.link, *objects, "-o", library, "-lm"], directory, library)
    for name in objects:
        (directory / name).unlink()
    return directory / library


def compile_with_setuptools(builder: FFI, directory: Path) -> Path:
    """Compile an extension with whatever compiler setuptools finds: the way on Windows.

    Raises NoCompilerError and BuildError.
    """
    from cffi import VerificationError
    from setuptools.errors import PlatformError

    try:
        return Path(builder.compile(tmpdir=str(directory)))
    except PlatformError as error:
        raise NoCompilerError(f"{_INSTALL_COMPILER} ({error})") from error
    except VerificationError as error:
        raise BuildError("setuptools build_ext", str(error), directory) from error


_INFORMATION = Path("/proc/cpuinfo")


@functools.cache
def usable_variants() -> tuple[Variant, ...]:
    """Instruction sets beyond the baseline that this processor has, best first.

    All there are, where the system does not say; the compiled module asks the processor itself when it is loaded.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ()
    features = _features()
    return (
        X86_VARIANTS
        if features is None
        else tuple(v for v in X86_VARIANTS if features.issuperset(v.features))
    )


def chosen_variants(wanted: str | None) -> tuple[Variant, ...]:
    """The instruction sets to compile for this processor alone: its best one, and the one wanted if it is another."""
    usable = (*usable_variants(), BASELINE)
    if platform.machine().lower() in ("x86_64", "amd64") and _features() is None:
        return usable
    return tuple(v for i, v in enumerate(usable) if i == 0 or v.name == wanted)


@functools.cache
def _features() -> frozenset[str] | None:
    """Names of the features of an x86-64 processor that the system has switched on; None where it does not say."""
    try:
        text = _INFORMATION.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return frozenset(value.split())
    return None
