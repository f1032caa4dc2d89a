"""The commands that install what kanegen can do without, from the extras in its own metadata.

They name the packages themselves, so that they hold in a clone as well, where pip knows no package called kanegen.
"""

from __future__ import annotations

import re


def install_command(extra: str, package: str = "") -> str:
    """``pip install 'mujoco>=3.2'``: all packages of an extra, or the one of them that is named."""
    from importlib import metadata  # which reads mail: it takes longer to import than a model to read

    try:
        requirements = metadata.requires("kanegen") or []
    except metadata.PackageNotFoundError:  # it runs from a folder where nobody has installed it
        requirements = []
    wanted = []
    for requirement in requirements:
        name, _, condition = requirement.partition(";")
        if re.search(f"extra == ['\"]{extra}['\"]", condition) and package in (
            "",
            re.split(r"[^\w.-]", name)[0],
        ):
            wanted.append(f"'{name.strip()}'")
    return f"pip install {' '.join(wanted) or package or repr(f'.[{extra}]')}"
