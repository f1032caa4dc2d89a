"""What every test shares: a cache of compiled mechanisms that belongs to this run alone, and engines that may be missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.quickly import FewPasses, build_quickly

ROOMS_OF_MOTIONS = ("cases", "commands", "constrained", "reproduction", "runtime", "runtime_body_coordinates")
"""What is asked there does not depend on how many operations a kernel takes."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs(*modules): skip where one is missing; only running the test imports them"
    )
    config.addinivalue_line("markers", "all_passes: derive as users do; of a file in a room of motions")
    config.addinivalue_line("markers", "few_passes: derive quickly; of a file in another room")


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

    What is right at every level is asked in ``emitted``; other processes compile as users do.
    """
    with pytest.MonkeyPatch.context() as patch:
        build_quickly(patch)
        yield


@pytest.fixture(scope="module", autouse=True)
def few_passes(request: pytest.FixtureRequest) -> Iterator[FewPasses]:
    """Derive quickly in the rooms of motions, and where a file asks for it.

    What searches and passes make of programs is asked in ``golden``, ``passes``, ``laws`` and ``certificate``, and compared
    with the plain derivation wherever a program is made.
    """
    found = FewPasses()
    room, marked = request.path.relative_to(Path(__file__).parent).parts[0], request.node.get_closest_marker
    if marked("few_passes") or (room in ROOMS_OF_MOTIONS and not marked("all_passes")):
        found.begin()
    yield found
    found.end()
