"""Which model is meant: the names of built-ins, and by what a model is known in the cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import kanegen.generated
from kanegen import generator
from kanegen.errors import UnknownModelError, did_you_mean, shortened
from kanegen.files import contents, exists
from kanegen.generator import Model
from kanegen.manifest import FILE_NAME
from kanegen.options import Options

GENERATED = Path(kanegen.generated.__file__).parent
"""Where the C of built-ins is."""


def builtin_names() -> tuple[str, ...]:
    """Names of the mechanisms whose C comes with the package."""
    return tuple(sorted(path.parent.name for path in GENERATED.glob(f"*/{FILE_NAME}")))


def committed(name: str) -> Path:
    """The directory of the C that comes with the package for a built-in mechanism."""
    return GENERATED / name


def title_of(model: Model) -> str:
    """A name for messages and cache entries."""
    if isinstance(model, str | os.PathLike):
        return Path(model).stem
    return str(getattr(model, "name", "mechanism"))


def identity_of(model: Model, options: Options, builtin: Sequence[str]) -> str:
    """The name of a built-in, the content of a file, the hash of a mechanism; ``builtin`` names what has committed C.

    A file that stands for itself is known by its bytes, so that it need not be read as a model to be found again.  One
    that takes in other files, or asks the environment, is read each time, and known by the mechanism it describes.

    Raises UnknownModelError for what leads nowhere, ModelError where the file has to be read and is wrong.
    """
    if not isinstance(model, str | os.PathLike):
        return f"mechanism {generator.mechanism_fingerprint(model, options.allow_unphysical)}"
    path = Path(model)
    if exists(path) and not path.is_dir():
        content = _bytes_of(path)
        if stands_for_itself(path.suffix, content):
            return f"file {path.name} {hashlib.sha256(content).hexdigest()}"
        return f"file {path.name} {generator.imported_fingerprint(model, options)}"
    names = tuple(dict.fromkeys((*builtin, *generator.catalogue_names())))
    if str(model) in names:
        return f"built-in {model}"
    if path.is_dir():
        raise UnknownModelError(
            f"{shortened(model)} is a directory without manifest.json: it holds no generated mechanism, or one whose "
            "generation was interrupted. Generate it again"
        )
    if path.suffix or len(path.parts) > 1:
        raise UnknownModelError(
            f"{shortened(model)} does not exist; expected a model file. Check the path and its spelling"
        )
    raise UnknownModelError(
        f"{shortened(model)!r} is neither a built-in mechanism nor a file. Built-in: {', '.join(names)}. "
        + did_you_mean(str(model), names, "Check the name, or the path and its spelling")
    )


def _bytes_of(path: Path) -> bytes:
    """The bytes of a file.  Raises UnknownModelError."""
    try:
        return contents(path)
    except OSError as error:
        raise UnknownModelError(
            f"{path}: {error.strerror}. A model is a regular file that can be read"
        ) from None


def stands_for_itself(suffix: str, content: bytes) -> bool:
    """Whether a model file says all there is to its mechanism.

    Xacro takes in files, arguments and the environment; MJCF takes in files and derives masses from meshes.  The meshes of
    a URDF have no part in its dynamics.  The bytes are searched in the encodings in which files begin.
    """
    text = content.replace(b"\0", b"")  # UTF-16 of such words is the words with zeros between
    if suffix.lower() == ".xacro" or any(mark in text for mark in (b"xacro:", b"${", b"$(")):
        return False
    return b"<mujoco" not in text or not (b"file" in text or b"<include" in text)
