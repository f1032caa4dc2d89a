"""What every test shares: a cache of compiled mechanisms that belongs to this run alone, and engines that may be missing."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from kanegen import workers
from kanegen.builds import compiler


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs(*modules): skip where one is missing; only running the test imports them"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for module in mark.args:
            pytest.importorskip(module)


@pytest.fixture(scope="session", autouse=True)
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled mechanisms among the temporary files, unless the environment names a place."""
    before = os.environ.get("KANEGEN_CACHE_DIR")
    if before is None:
        os.environ["KANEGEN_CACHE_DIR"] = str(tmp_path_factory.mktemp("kanegen-cache"))
    yield
    if before is None:
        del os.environ["KANEGEN_CACHE_DIR"]


@pytest.fixture(scope="session", autouse=True)
def quick_builds() -> Iterator[None]:
    """Compile mechanisms in this process with less optimization, and still with the same bits in lanes: half the time.

    What is right at every level is asked in ``emitted``; other processes compile as users do.  Nothing is forced to disk,
    and no further process derives kernels where a test does not ask for it: there is a test in each core.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "COMPILE_FLAGS", (*compiler.COMPILE_FLAGS, "-O2"))
        patch.setattr(compiler, "FLAGS_OF_CALLS", ("-O0",))
        patch.setattr(workers, "_MOST_JOBS", 1)
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
