"""The book of the papers: every claim is reproduced, and the committed pages say what is computed."""

from __future__ import annotations

import struct
from contextlib import nullcontext
from pathlib import Path

import pytest

from kanegen.codegen import cli
from kanegen.codegen.reproduction import book
from kanegen.codegen.reproduction.records import Paper, Verdict, bounded
from tests.quickly import FewPasses

COMMITTED = Path(__file__).parents[2] / "docs" / "reproduction"
AGAIN = "`make reproduction` writes these pages"


COUNTED = {"book_1983", "kane_levinson_1983"}
"""Papers on whose pages operations stand."""


@pytest.fixture(scope="module", params=book.PAPERS)
def paper(request: pytest.FixtureRequest, few_passes: FewPasses) -> Paper:
    with few_passes.suspended() if request.param in COUNTED else nullcontext():
        found: Paper = book.paper(request.param)
    return found


def test_every_claim_is_reproduced(paper: Paper) -> None:
    assert paper.claims
    assert not [claim for claim in paper.claims if claim.verdict is Verdict.FAILED]


def test_pages_say_what_is_computed(paper: Paper) -> None:
    """Text is the same on every machine: what is rounding is told by its bound."""
    pytest.importorskip("matplotlib")
    written = book.files([paper])
    page = f"{paper.key}.md"
    assert written[page].decode() == (COMMITTED / page).read_text(encoding="utf-8"), AGAIN
    assert book.summary(paper) in (COMMITTED / "README.md").read_text(encoding="utf-8"), AGAIN
    whole = (COMMITTED / "index.html").read_text(encoding="utf-8")
    for figure in paper.figures:
        name = f"{figure.name}.png"
        assert f'src="{name}"' in whole, AGAIN
        size = struct.unpack(">II", written[name][16:24])
        assert size == struct.unpack(">II", (COMMITTED / name).read_bytes()[16:24]), AGAIN


def test_figures_have_no_strangers() -> None:
    """Every file of the book is one of a paper."""
    pages = {f"{name}.md" for name in book.PAPERS} | {"README.md", "index.html"}
    whole = (COMMITTED / "index.html").read_text(encoding="utf-8")
    for file in COMMITTED.iterdir():
        assert file.name in pages or f'src="{file.name}"' in whole, file.name


def test_a_difference_beyond_its_bound_is_said() -> None:
    assert bounded("eq 1", "x", "y", 2e-12, 1e-12).verdict is Verdict.FAILED
    assert bounded("eq 1", "x", "y", float("nan"), 1e-12).verdict is Verdict.FAILED
    assert bounded("eq 1", "x", "y", 1e-13, 1e-12).verdict is Verdict.AGREES


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reproduce", "freeman_tesar_1988"]) == 0
    assert "eq 15: the effective inertia matrix I*" in capsys.readouterr().out
    assert cli.main(["reproduce", "freeman"]) == 1
    assert "freeman_tesar_1988" in capsys.readouterr().err
