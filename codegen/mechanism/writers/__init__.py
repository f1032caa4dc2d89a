"""Model files from a ``Mechanism``: pure functions to a text, with findings about what the format cannot say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.writers.mjcf import to_mjcf
from kanegen.codegen.mechanism.writers.toml import to_toml
from kanegen.codegen.mechanism.writers.unsaid import Written
from kanegen.codegen.mechanism.writers.urdf import to_urdf

__all__ = ["WRITERS", "Written", "to_mjcf", "to_toml", "to_urdf"]

WRITERS: Mapping[str, Callable[[Mechanism], Written]] = {
    ".urdf": to_urdf,
    ".xml": to_mjcf,
    ".mjcf": to_mjcf,
    ".toml": to_toml,
}
"""By the suffix of the file."""
