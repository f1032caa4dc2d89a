"""Finds MuJoCo's C library and headers in the installed package, and describes the timing program."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from benchmarks.drivers.build import BuildFailed, NativeProgram, compiler_command
from kanegen.extras import install_command

SOURCE = Path(__file__).with_name("time_stewart.c")


def mujoco_package() -> tuple[Path, Path]:
    """The folder of the installed package, which holds ``include``, and the library in it.

    Raises:
        BuildFailed: when there is none.
    """
    package = importlib.util.find_spec("mujoco")
    if package is None or package.origin is None:
        raise BuildFailed(f"MuJoCo C: MuJoCo is not installed ({install_command('peers', 'mujoco')})")
    folder = Path(package.origin).resolve().parent
    libraries = sorted([*folder.glob("libmujoco.so*"), *folder.glob("libmujoco*.dylib")])
    if not libraries or not (folder / "include" / "mujoco" / "mujoco.h").exists():
        raise BuildFailed("MuJoCo C: the installed package has no library or no headers (the wheel has them)")
    return folder, libraries[0]


def stewart_driver() -> NativeProgram:
    """The timing program of ``time_stewart.c``.

    Raises:
        BuildFailed: when MuJoCo is missing.
    """
    folder, library = mujoco_package()
    return NativeProgram(
        name="time_stewart",
        compiler=compiler_command("CC", "cc"),
        arguments=(
            f"-I{folder / 'include'}",
            str(SOURCE),
            str(library),
            f"-Wl,-rpath,{folder}",
            "-lm",
        ),
        inputs=(SOURCE, library),
    )
