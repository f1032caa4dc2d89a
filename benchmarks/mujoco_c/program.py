"""Finds MuJoCo's C library and headers in the installed package, and describes the timing programs."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.drivers.build import BuildFailed, NativeProgram, compiler_command, kernels_driver, table_line
from benchmarks.peers.engines import PeerUnavailable
from benchmarks.peers.mujoco_engine import mujoco_model
from kanegen.extras import install_command

FOLDER = Path(__file__).parent
SOURCE = FOLDER / "time_stewart.c"
KERNELS = {"inverse_dynamics": ("q", "v", "a"), "forward_dynamics": ("q", "v", "tau")}


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
    arguments, library = _linked()
    return NativeProgram(
        name="time_stewart",
        compiler=compiler_command("CC", "cc"),
        arguments=(str(SOURCE), *arguments, "-lm"),
        inputs=(SOURCE, library),
    )


def rigid_body_driver(name: str, urdf: str, joints: Sequence[str], folder: Path) -> NativeProgram:
    """The timing program of ``rigid_body.c`` for a robot, whose model is put into ``folder``.

    Raises:
        BuildFailed: when MuJoCo is missing, or reads other joints.
    """
    try:
        model, order = mujoco_model(urdf, joints)
    except PeerUnavailable as reason:
        raise BuildFailed(f"MuJoCo C: {reason}") from None
    binary, table = folder / f"{name}.mjb", folder / f"{name}_mujoco.h"
    import_module("mujoco").mj_saveModel(model, str(binary))
    lines = (
        table_line(kernel, (f"mujoco_{kernel}", "0", "0"), inputs, (len(joints),), "double")
        for kernel, inputs in KERNELS.items()
    )
    table.write_text("".join(lines), encoding="utf-8")
    arguments, library = _linked()
    definitions = (f'-DMUJOCO_MODEL="{binary}"', f"-DMUJOCO_ORDER={{{', '.join(map(str, order))}}}")
    source = FOLDER / "rigid_body.c"
    return kernels_driver(
        f"mujoco_{name}", source, table, len(joints), (*definitions, *arguments), (binary, library)
    )


def _linked() -> tuple[tuple[str, ...], Path]:
    """What compiles and links with MuJoCo, and its library."""
    folder, library = mujoco_package()
    return (f"-I{folder / 'include'}", str(library), f"-Wl,-rpath,{folder}"), library
