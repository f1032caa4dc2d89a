"""Which format a model file has: its suffix is believed where its content does not say otherwise."""

from __future__ import annotations

import re
from pathlib import Path

from kanegen.codegen.mechanism.importers.model_file import model_bytes
from kanegen.errors import ModelError

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
