"""The version of kanegen: the single source for the package, generated files and manifests."""

from __future__ import annotations

VERSION = "0.1.0"
GENERATOR = f"kanegen {VERSION}"
