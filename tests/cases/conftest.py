"""What the cases share: ``load_text``."""

from __future__ import annotations

from typing import Any

import pytest

import kanegen

from .files import LoadText


@pytest.fixture(scope="session")
def load_text(tmp_path_factory: pytest.TempPathFactory) -> LoadText:
    """``kanegen.load`` of a file with this text, which stays where it is; all usual kernels where none are named."""

    def load(
        text: str, *kernels: str, suffix: str = ".urdf", compiled: bool = False, **options: Any
    ) -> kanegen.Robot:
        path = tmp_path_factory.mktemp("model") / f"model{suffix}"
        path.write_text(text, encoding="utf-8")
        return kanegen.load(path, kernels=kernels or None, interpreted=not compiled, **options)

    return load
