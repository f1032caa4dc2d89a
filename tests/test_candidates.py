"""Programs near the best of a search, compared after all passes."""

from __future__ import annotations

import pytest

from kanegen.codegen import candidates, pipeline
from kanegen.codegen.candidates import Beginning, Candidate, alike, best_candidate, decisions, searched
from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution.recipe import is_equal
from kanegen.codegen.passes.resubstitution.residues import values_of
from kanegen.codegen.pipeline import Options


def test_the_passes_decide_between_programs_of_nearly_one_price() -> None:
    """Other kernels begin where the descent ended, which says more about them."""
    sources = KernelSources(pipeline.read("rx90_simplified", Options()), Options())
    descent = searched(sources, "inverse_dynamics", {}, 1200)
    best, start = best_candidate(sources, "inverse_dynamics", Beginning({}, 1200, near=True))
    assert best.price < Candidate.of(descent).price - 1
    assert start == decisions(sources, "inverse_dynamics", Beginning({}, 1200)) != best.found.answers
    assert best_candidate(sources, "inverse_dynamics", Beginning({}, 1, near=True))[0].found.derivations == 1


@pytest.mark.parametrize(
    ("model", "kernel", "moved"),
    [
        ("stanford_arm_rrp", "forward_dynamics_derivatives", ("origin of", "unit of length")),
        (
            "cylindrical_arm",
            "inverse_dynamics_derivatives",
            ("origin of", "order of"),
        ),  # units only in small ones
    ],
)
def test_places_are_chosen_for_a_kernel_of_its_own(model: str, kernel: str, moved: tuple[str, ...]) -> None:
    sources = KernelSources(pipeline.read(model, Options()), Options())
    given = best_candidate(sources, kernel, Beginning({}, 1))[0]
    placed = best_candidate(sources, kernel, Beginning({}, 1, places=50))[0]
    assert placed.price < given.price - 1
    others = {
        point for point, answer in placed.found.answers.items() if answer != given.found.answers.get(point, 0)
    }
    assert others
    assert all(point.startswith(moved) for point in others)


def test_no_more_places_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = KernelSources(pipeline.read("cylindrical_arm", Options()), Options())
    kernel, beginning = "inverse_dynamics_derivatives", Beginning({}, 1, places=2)
    assert best_candidate(sources, kernel, beginning)[0].found.derivations == 1 + 2
    monkeypatch.setattr(candidates, "_PLACED_NODES", 1000)  # fewer than the program has
    assert best_candidate(sources, kernel, beginning)[0].found.derivations == 1


def test_what_is_turned_is_decided_after_the_passes() -> None:
    """The count before them is the same; after them it is two additions for a multiplication."""
    sources = KernelSources(pipeline.read("stanford_arm", Options()), Options())
    descent = searched(sources, "inverse_dynamics", {}, 1200)
    best, _ = best_candidate(sources, "inverse_dynamics", Beginning({}, 1200))
    changed = {point for point, answer in best.found.answers.items() if answer != descent.answers[point]}
    assert changed == {"U_from_alpha of E"}
    assert all(point in descent.points and descent.points[point].late for point in changed)
    assert best.price < Candidate.of(descent).price - 0.5


def test_programs_alike() -> None:
    """Each computes the same by way of other values, and hardly more."""
    sources = KernelSources(pipeline.read("stanford_arm", Options()), Options())
    best, _ = best_candidate(sources, "inverse_dynamics", Beginning({}, 1200))
    deriver = sources.deriver("inverse_dynamics", searched=True)
    assert alike(best, deriver, 0) == []
    found = alike(best, deriver, 5)
    assert 0 < len(found) <= 5
    first, *prices = [cost(count(program)) for program in found]
    assert first > best.price  # what the descent ends with, before E was decided otherwise
    assert prices == sorted(prices)
    assert max(first, prices[-1]) < best.price + 2
    assert all(is_equal(program, best.program) for program in found)
    assert len({values_of(p.graph, p.roots) for p in (best.program, *found)}) == len(found) + 1
