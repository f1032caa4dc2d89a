"""A model file: its bytes, the format that it has, and what reading it gives."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kanegen.codegen.mechanism.findings import Finding
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import AngleRule
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


SUFFIXES = {".urdf": "urdf", ".xacro": "xacro", ".mjcf": "mjcf", ".xml": "mjcf", ".toml": "toml"}
"""Formats by suffix; XML files may turn out to be another kind of XML."""

_READ = "URDF (.urdf), xacro (.xacro), MJCF (.xml), or TOML (.toml)"
_HEAD = 65536  # bytes looked at: licences and comments before the root element may be long
_NOISE = re.compile(r"<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(\[.*?\])?\s*>|\s+", re.DOTALL)
_ROOT = re.compile(r"<\s*([^\s<>/]+)")
_XACRO = re.compile(rb"<\s*xacro:|\$[({]")
"""What xacro works on.  (UTF-16 is searched without its zero bytes.)"""


def format_of(file: Path) -> str:
    """The name of the importer for a file.  Raises ModelError for what is no file or has no known format."""
    head = _head(file)
    suffix = SUFFIXES.get(file.suffix.lower())
    root = _root(head)
    if root == "robot":
        return "xacro" if suffix == "xacro" or mentions_xacro(file.read_bytes()) else "urdf"
    if root == "mujoco":
        return "mjcf"
    if root in ("sdf", "gazebo"):
        raise ModelError(
            str(file),
            "is an SDF file, which kanegen does not read",
            _READ,
            "Convert it to URDF or MJCF; Gazebo's and Drake's tools do.",
        )
    if suffix is None:
        raise ModelError(
            str(file),
            f"its suffix {file.suffix!r} and its content tell no known format",
            _READ,
            "Rename it, or convert it.",
        )
    return suffix


def mentions_xacro(content: bytes) -> bool:
    """Whether a file has what xacro works on, be it in a comment: whether it matters shows when the file is parsed."""
    return _XACRO.search(content.replace(b"\0", b"")) is not None


def _head(file: Path) -> str:
    raw = model_bytes(file)[:_HEAD]
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    return raw.decode("utf-8-sig", "replace")


def _root(head: str) -> str | None:
    """The name of the root element, or None where the text does not begin as XML."""
    position = 0
    while noise := _NOISE.match(head, position):
        position = noise.end()
    tag = _ROOT.match(head, position)
    return tag.group(1) if tag else None


@dataclass(frozen=True, slots=True)
class Imported:
    """A mechanism read from a file, and what was noticed or mended on the way (no errors: those are raised).

    ``angles`` has what became of its angles; ``described`` is the mechanism before relations of its axes were recognised.
    ``located`` puts file and line in front of the ``where`` of an error or a finding, if the format's reader can tell.
    """

    mechanism: Mechanism
    findings: tuple[Finding, ...]
    angles: AngleRule
    described: Mechanism
    located: Callable[[str], str] = str
