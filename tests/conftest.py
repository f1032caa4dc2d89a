"""What every test shares: a cache of compiled mechanisms that belongs to this run alone."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled mechanisms among the temporary files, unless the environment names a place."""
    before = os.environ.get("KANEGEN_CACHE_DIR")
    if before is None:
        os.environ["KANEGEN_CACHE_DIR"] = str(tmp_path_factory.mktemp("kanegen-cache"))
    yield
    if before is None:
        del os.environ["KANEGEN_CACHE_DIR"]
