"""Models as texts, which the cases load as a user loads a file."""

from __future__ import annotations

from collections.abc import Callable

import kanegen

LoadText = Callable[..., kanegen.Robot]
"""``load_text(text, *kernels, suffix=".urdf", compiled=False, **options)``, a fixture: see ``conftest``."""

UNIT = "1 2 2.5 0 0 0"


def inertial(moments: str = UNIT, origin: str = "", mass: str = "1") -> str:
    """An ``<inertial>`` with moments in the order xx yy zz xy xz yz."""
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    entries = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {entries}/></inertial>'
