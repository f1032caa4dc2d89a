"""From the files people have to a ``Mechanism``.

``read_file`` finds the format by suffix and content.  Each format is a module of this package with one function
``read(path, *, floating_base, allow_unphysical) -> Imported``, imported when it is wanted, so that a format which needs an
extra costs nothing without it.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.importers.formats import format_of
from kanegen.codegen.mechanism.importers.imported import ANGLE_TOLERANCE, Imported
from kanegen.codegen.mechanism.importers.urdf import from_urdf
from kanegen.codegen.mechanism.importers.xacro import from_xacro

__all__ = ["ANGLE_TOLERANCE", "Imported", "from_urdf", "from_xacro", "read_file"]

_WITH_ANGLES = {"urdf", "xacro"}
"""Formats that write rotations as angles, and so take ``angle_tolerance``."""


def read_file(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Imported:
    """The mechanism that a model file describes.  Raises ModelError, whose ``where`` begins with file and line.

    ``floating_base`` lets the root link move freely instead of fixing it to the base; ``allow_unphysical`` lets masses and
    inertias through that no body has; angles within ``angle_tolerance`` [rad] of a multiple of pi/2 are taken for it.
    """
    file = Path(path)
    name = format_of(file)
    options: dict[str, Any] = {"floating_base": floating_base, "allow_unphysical": allow_unphysical}
    if name in _WITH_ANGLES:
        options["angle_tolerance"] = angle_tolerance
    try:
        module = importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise ModelError(
            str(file),
            f"reading {name.upper()} needs the Python package {error.name!r}, which is not installed",
            f"the extra {name!r} of kanegen",
            f"Install it: pip install 'kanegen[{name}]'.",
        ) from None
    imported: Imported = module.read(file, **options)
    return imported
