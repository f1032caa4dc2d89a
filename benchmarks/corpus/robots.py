"""The model files of the packages rtb-data and example-robot-data."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("rtb-data", "example-robot-data")
SUFFIXES = (".urdf", ".xacro")


@dataclass(frozen=True)
class RobotFile:
    """A model file of a package: ``name`` is its path within the package."""

    package: str
    name: str
    path: Path


def robot_files(packages: tuple[str, ...] = PACKAGES) -> list[RobotFile]:
    """All model files of those packages that are installed, in order of their names."""
    found = []
    for package in packages:
        try:
            files = importlib.metadata.distribution(package).files or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.suffix in SUFFIXES:
                found.append(RobotFile(package, _short(file.as_posix()), Path(str(file.locate()))))
    return sorted(found, key=lambda file: (file.package, file.name))


def _short(name: str) -> str:
    """The path without the folders that all files of a package have in common."""
    for prefix in ("rtbdata/xacro/", "cmeel.prefix/share/example-robot-data/robots/"):
        name = name.removeprefix(prefix)
    return name
