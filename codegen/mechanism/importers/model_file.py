"""The bytes of a model file, or of a file that it includes."""

from __future__ import annotations

import errno
from pathlib import Path

from kanegen.errors import ModelError
from kanegen.files import contents


def model_bytes(path: Path) -> bytes:
    """The content of a regular file that is not too large (``kanegen.limits``).  Raises ModelError."""
    try:
        return contents(path)
    except OSError as error:
        what = error.strerror or str(error)
        number = error.errno
    if what == "is a directory":
        raise ModelError(str(path), what, "a model file", "Name the file in it.")
    if number in (errno.ENOENT, errno.ENOTDIR):
        raise ModelError(str(path), "does not exist", "a model file", "Check the path and its spelling.")
    if not what.startswith("is "):
        what = f"cannot be read ({what})"
    raise ModelError(str(path), what, "a readable file", "Check its permissions, and what it is.")
