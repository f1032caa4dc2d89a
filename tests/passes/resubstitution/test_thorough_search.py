"""``search="thorough"``: from the options to the recipe beside the C, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kanegen.codegen import cli, deriving
from kanegen.codegen.candidates import Beginning
from kanegen.codegen.deriving import Derivations, derive
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.optimize import Step
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution import thorough as module
from kanegen.codegen.passes.resubstitution.core import core
from kanegen.codegen.passes.resubstitution.recipe import RecipeBook, built_in_recipes, read_recipes
from kanegen.codegen.pipeline import generate
from kanegen.codegen.reading import read
from kanegen.options import Options, options
from tests.golden.counts import recorded

MODEL, KERNEL = "stanford_arm", "inverse_dynamics"
ROOT = Path(__file__).parents[3]

FOUND = {
    ("stanford_arm", "inverse_dynamics"): (105, 79, 0),
    ("stanford_arm", "forward_dynamics"): (190, 147, 2),
    ("stanford_arm", "mass_matrix"): (45, 40, 0),
    ("stanford_arm", "bias_forces"): (94, 68, 0),
    ("stanford_simplified", "inverse_dynamics"): (114, 94, 0),
    ("stanford_simplified", "forward_dynamics"): (216, 163, 2),
    ("stanford_simplified", "mass_matrix"): (52, 42, 0),
    ("stanford_simplified", "bias_forces"): (105, 79, 0),
    ("rx90_simplified", "inverse_dynamics"): (118, 93, 0),
    ("rx90_simplified", "forward_dynamics"): (231, 174, 3),
    ("rx90_simplified", "mass_matrix"): (64, 54, 0),
    ("rx90_general", "inverse_dynamics"): (211, 196, 0),
    ("rx90_general", "mass_matrix"): (97, 100, 0),
    ("rx90_general", "bias_forces"): (195, 170, 0),
    ("puma560_general", "inverse_dynamics"): (222, 205, 0),
    ("puma560_general", "forward_dynamics"): (425, 382, 3),
    ("puma560_general", "mass_matrix"): (115, 117, 0),
    ("puma560_general", "bias_forces"): (205, 179, 0),
    ("general_6r", "inverse_dynamics"): (342, 300, 0),
    ("general_6r", "forward_dynamics"): (726, 610, 3),
    ("general_6r", "mass_matrix"): (277, 241, 0),
    ("general_6r", "bias_forces"): (334, 282, 0),
    ("flexible_six_axis", "mass_matrix"): (838, 727, 0),
    ("flexible_six_axis", "bias_forces"): (779, 652, 0),
}
"""Multiplications, additions and divisions of what recipes of built-in arms give, where these save something."""


def search_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for a small arm, without what was found before."""
    monkeypatch.setattr(module, "_STEPS_OF_A_VALUE", 20)
    monkeypatch.setattr(module, "_RESCALING", 100)
    monkeypatch.setattr(module, "_CYCLES", (60, 0.1))
    monkeypatch.setattr(module, "_CYCLES_OF_FIRST", (60, 0.1))
    monkeypatch.setattr("kanegen.codegen.deriving.built_in_recipes", list)


@pytest.mark.skipif(core() is None, reason="the core of the search is not compiled here")
def test_a_recipe_stands_beside_what_is_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes the same C again, without a search; a file that is named holds what is found for several models."""
    search_little(monkeypatch)
    asked = Options(kernels=(KERNEL,), search="thorough")
    first = generate("two_link_space_arm", tmp_path / "first", asked)
    assert (tmp_path / "first" / "recipes.txt") in first.files
    steps = {step.name: step.counts for step in first.kernels[KERNEL].steps}
    assert cost(steps["resubstitution"]) < cost(steps["cancel"])

    monkeypatch.setattr(module, "core", lambda: None)
    again = generate("two_link_space_arm", tmp_path / "first", asked)
    assert [f.read_bytes() for f in again.files] == [f.read_bytes() for f in first.files]

    named = tmp_path / "kept" / "mine.txt"
    monkeypatch.undo()
    search_little(monkeypatch)
    for model, kernel in (("two_link_space_arm", KERNEL), ("four_bar", "gravity_forces")):
        words = ["generate", model, "--kernels", kernel, "--search", "thorough", "--recipes", str(named)]
        assert cli.main([*words, "--output", str(tmp_path / model)]) == 0
        assert not (tmp_path / model / "recipes.txt").exists()
        kept = {recipe.kernel for recipes in read_recipes([named]).values() for recipe in recipes}
        assert KERNEL in kept  # what was there stays


@pytest.mark.parametrize("allowed", [50, 10**6])
def test_a_whole_set_takes_no_longer_than_is_allowed(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernels share what there is, in whatever order they are asked for; who names some may wait."""
    work = dict[str, float]()
    shares = dict[str, float]()

    def told(program: Program, plain: Program, *given: Any) -> tuple[Program, tuple[Step, ...]]:
        first, shares[plain.name] = given[-2:]
        work[plain.name] = module.work_of(program, first)
        return program, ()

    monkeypatch.setattr(deriving, "thorough", told)
    monkeypatch.setattr(deriving, "WORK_OF_A_SET", allowed)
    whole = Options(search="thorough")
    found = Derivations.everywhere(KernelSources(read("two_link_space_arm", whole), whole))
    found.book = RecipeBook()
    for name in reversed(found.names):
        assert found[name].program
    assert len(set(shares.values())) == 1
    assert sum(work.values()) * shares[KERNEL] == pytest.approx(min(allowed, sum(work.values())))
    assert sum(work.values()) > 50

    named = Options(search="thorough", kernels=(KERNEL,))
    alone = Derivations.everywhere(KernelSources(read("two_link_space_arm", named), named))
    alone.book = RecipeBook()
    assert alone[KERNEL].program
    assert shares[KERNEL] == 1


@pytest.mark.parametrize(("model", "kernel"), FOUND)
def test_recipes_of_built_in_arms(model: str, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found, prove equal, and give the figures of the record; the kernel passes like any other."""
    monkeypatch.setattr(module, "core", lambda: None)
    asked = Options(kernels=(kernel,), search="thorough")
    sources = KernelSources(read(model, asked), asked)
    derived = derive(
        sources, kernel, [Beginning({}, 1)], book=RecipeBook(known=read_recipes(built_in_recipes()))
    )
    counts = count(derived.program)
    assert (counts.multiplications, counts.additions, counts.divisions) == FOUND[model, kernel]
    assert derived.steps[-1].name == "resubstitution"
    assert derived.residual <= derived.bound


def test_the_figures_of_the_readme() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert all(f"{x[0]} / {x[1]} for" in text for (model, _), x in FOUND.items() if model == MODEL)


@pytest.mark.parametrize("model", dict.fromkeys(model for model, _ in FOUND))
def test_the_table_of_the_guide(model: str) -> None:
    cells = []
    for kernel in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces"):
        normal = recorded()[model][kernel]
        counts = [(normal.multiplications, normal.additions, normal.divisions)]
        counts += [FOUND[model, kernel]] if (model, kernel) in FOUND else []
        cells.append(" → ".join(f"{x} / {y}" + f" + {z}" * (z > 0) for x, y, z in counts))
    text = (ROOT / "docs/guide/how-it-counts.md").read_text(encoding="utf-8")
    assert f"| `{model}` | " + " | ".join(cells) + " |\n" in text


def test_words_for_a_search() -> None:
    assert options({"search": "quick"}).derivations < options({"search": "normal"}).derivations
    assert options({"search": "normal"}) == options({})
    assert options({"search": "thorough"}).thorough
    assert not options({"search": "thorough"}).further
    assert options({"search": "further"}).thorough
    assert options({"search": "further"}).further
    assert not options({"search": 7}).thorough
    with pytest.raises(ValueError, match="thorough"):
        options({"search": "slow"})
