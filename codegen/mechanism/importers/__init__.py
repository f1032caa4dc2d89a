"""From the files people have to a ``Mechanism``.

``read_file`` finds the format by suffix and content.  Each format is a module or package here, with one function
``read(path, *, floating_base, allow_unphysical, angle_tolerance) -> Imported`` and one ``from_<format>``.  What a format
needs beyond kanegen (an extra) is imported when a file asks for it, and missed with one sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from kanegen.codegen.mechanism.denavit_hartenberg import from_dh
from kanegen.codegen.mechanism.importers import mjcf, toml, urdf, xacro
from kanegen.codegen.mechanism.importers.mjcf import from_mjcf
from kanegen.codegen.mechanism.importers.model_file import Imported, format_of
from kanegen.codegen.mechanism.importers.toml import from_toml
from kanegen.codegen.mechanism.importers.urdf import from_urdf
from kanegen.codegen.mechanism.importers.xacro import from_xacro
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE
from kanegen.errors import ModelError

__all__ = [
    "ANGLE_TOLERANCE",
    "Imported",
    "from_dh",
    "from_mjcf",
    "from_toml",
    "from_urdf",
    "from_xacro",
    "read_file",
    "refuse_arguments",
]

_READERS: dict[str, Callable[..., Imported]] = {
    "urdf": urdf.read,
    "xacro": xacro.read,
    "mjcf": mjcf.read,
    "toml": toml.read,
}


def read_file(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
    arguments: Mapping[str, str] | None = None,
) -> Imported:
    """The mechanism that a model file describes.  Raises ModelError, whose ``where`` begins with file and line.

    ``floating_base`` lets the root link move freely instead of fixing it to the base; ``allow_unphysical`` lets masses and
    inertias through that no body has; angles within ``angle_tolerance`` [rad] of a multiple of pi/2 are taken for it, and
    decimals of ten digits for the fraction of pi that they are rounded from (see ``rounded_angles``); ``arguments`` are
    those that a xacro file declares.
    """
    file = Path(path)
    name = format_of(file)
    options: dict[str, Any] = {}
    if name == "xacro":
        options["arguments"] = arguments
    elif arguments:
        refuse_arguments(str(file), arguments)
    return _READERS[name](
        file,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        angle_tolerance=angle_tolerance,
        **options,
    )


def refuse_arguments(model: str, arguments: Mapping[str, str]) -> NoReturn:
    """Raise the ModelError for a model that is no xacro file and was given arguments of one."""
    listed = ", ".join(map(repr, sorted(arguments)))
    raise ModelError(
        model, f"takes no arguments, and was given {listed}", "a xacro file with arguments", "Leave them out."
    )
