"""The version of kanegen, as the runtime knows it; a test compares it with ``kanegen.codegen.version``."""

from __future__ import annotations

VERSION = "0.1.0"
