"""Where ``$(find package)`` leads without ROS: by package.xml upwards, by the paths of ROS, by names of folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kanegen.codegen.mechanism.importers.xml_tree import parse_file
from kanegen.errors import ModelError
from kanegen.limits import DEEPEST_PACKAGE

_MANIFEST = "package.xml"


def find_package(package: str, start: Path) -> Path:
    """The folder of a ROS package, looked for from the folder ``start`` on.  Raises ModelError."""
    upwards = [start, *start.parents]
    for folder in upwards:
        if _package_name(folder) == package:
            return folder
    for entry in _environment("ROS_PACKAGE_PATH"):
        for folder in _packages(entry, DEEPEST_PACKAGE.value):
            if _package_name(folder) == package or folder.name == package:
                return folder
    for entry in _environment("AMENT_PREFIX_PATH"):
        if (entry / "share" / package).is_dir():
            return entry / "share" / package
    for (
        folder
    ) in upwards:  # without any manifest: the folder itself, or one beside it, as in the src of a workspace
        for candidate in (folder, folder / package):
            if candidate.name == package and candidate.is_dir():
                return candidate
    raise ModelError(
        f"$(find {package})",
        f"no package {package!r} was found upwards from {str(start)!r} or in ROS_PACKAGE_PATH",
        f"a folder with a {_MANIFEST} of that name, or a folder called so",
        "Set ROS_PACKAGE_PATH to the folder that contains it, or give packages={name: folder} to from_xacro.",
    )


def _environment(variable: str) -> Iterator[Path]:
    for entry in os.environ.get(variable, "").split(os.pathsep):
        if entry and Path(entry).is_dir():
            yield Path(entry)


def _packages(folder: Path, depth: int) -> Iterator[Path]:
    """The folder and those below it, not looking into packages or hidden folders."""
    yield folder
    if depth == 0 or (folder / _MANIFEST).is_file():
        return
    try:
        below = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    except OSError:  # a folder that may not be listed has no packages for this user
        return
    for child in below:
        yield from _packages(child, depth - 1)


def _package_name(folder: Path) -> str | None:
    manifest = folder / _MANIFEST
    if not manifest.is_file():
        return None
    names = parse_file(manifest).named("name")
    return names[0].text if names else None
