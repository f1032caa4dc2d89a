"""Programs near the best of a search, compared after all passes."""

from __future__ import annotations

import pytest

from kanegen.codegen import candidates, pipeline
from kanegen.codegen.candidates import Beginning, Candidate, best_candidate, searched
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.pipeline import Options


def test_the_passes_decide_between_programs_of_nearly_one_price() -> None:
    """Other kernels begin where the descent ended, which says more about them."""
    sources = KernelSources(pipeline.read("rx90_simplified", Options()), Options())
    descent = searched(sources, "inverse_dynamics", {}, 1200)
    best, start = best_candidate(sources, "inverse_dynamics", Beginning({}, 1200, near=True))
    assert best.price < Candidate.of(descent).price - 1
    assert start == descent.answers != best.found.answers
    assert best_candidate(sources, "inverse_dynamics", Beginning({}, 1, near=True))[0].found.derivations == 1


@pytest.mark.parametrize(
    ("model", "kernel", "moved"),
    [
        ("stanford_arm_rrp", "forward_dynamics_derivatives", ("origin of", "unit of length")),
        ("cylindrical_arm", "inverse_dynamics_derivatives", "origin of"),  # only small ones have other units
    ],
)
def test_places_are_chosen_for_a_kernel_of_its_own(
    model: str, kernel: str, moved: str | tuple[str, ...]
) -> None:
    sources = KernelSources(pipeline.read(model, Options()), Options())
    given = best_candidate(sources, kernel, Beginning({}, 1))[0]
    placed = best_candidate(sources, kernel, Beginning({}, 1, places=50))[0]
    assert placed.price < given.price - 1
    others = {point for point, answer in placed.found.answers.items() if answer != given.found.answers[point]}
    assert others
    assert all(point.startswith(moved) for point in others)


def test_no_more_places_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = KernelSources(pipeline.read("cylindrical_arm", Options()), Options())
    kernel, beginning = "inverse_dynamics_derivatives", Beginning({}, 1, places=2)
    assert best_candidate(sources, kernel, beginning)[0].found.derivations == 1 + 2
    monkeypatch.setattr(candidates, "_PLACED_NODES", 1000)  # fewer than the program has
    assert best_candidate(sources, kernel, beginning)[0].found.derivations == 1
