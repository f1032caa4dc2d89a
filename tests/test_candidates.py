"""Programs near the best of a search, compared after all passes."""

from __future__ import annotations

from kanegen.codegen import pipeline
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
