"""Models as texts, which the cases load as a user loads a file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import kanegen

UNIT = "1 2 2.5 0 0 0"


def inertial(moments: str = UNIT, origin: str = "", mass: str = "1") -> str:
    """An ``<inertial>`` with moments in the order xx yy zz xy xz yz."""
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    entries = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {entries}/></inertial>'


def load_text(text: str, *kernels: str, suffix: str = ".urdf", compiled: bool = False, **options: Any) -> kanegen.Robot:
    """``kanegen.load`` of a file with this text; all usual kernels where none are named."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{suffix}"
        path.write_text(text, encoding="utf-8")
        return kanegen.load(path, kernels=list(kernels) or None, interpreted=not compiled, **options)
