"""``search="thorough"``: from the options to the recipe beside the C, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanegen.codegen import cli
from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution import thorough as module
from kanegen.codegen.passes.resubstitution.core import core
from kanegen.codegen.passes.resubstitution.recipe import RecipeBook, built_in_recipes, read_recipes
from kanegen.codegen.pipeline import generate
from kanegen.codegen.reading import read
from kanegen.options import Options, options

MODEL, KERNEL = "stanford_arm", "inverse_dynamics"


FOUND = {
    ("stanford_arm", "forward_dynamics"): (195, 148, 2),
    ("stanford_arm", "mass_matrix"): (46, 40, 0),
}
"""Multiplications, additions and divisions of what recipes of built-in arms give, where these save something."""


@pytest.mark.skipif(core() is None, reason="the core of the search is not compiled here")
def test_a_recipe_stands_beside_what_is_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes the same C again, without a search; a file that is named holds what is found for several models."""
    monkeypatch.setattr(module, "_STEPS_OF_A_VALUE", 20)
    monkeypatch.setattr("kanegen.codegen.deriving.built_in_recipes", list)
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
    monkeypatch.setattr(module, "_STEPS_OF_A_VALUE", 20)
    monkeypatch.setattr("kanegen.codegen.deriving.built_in_recipes", list)
    for model, kernel in (("two_link_space_arm", KERNEL), (MODEL, "gravity_forces")):
        words = ["generate", model, "--kernels", kernel, "--search", "thorough", "--recipes", str(named)]
        assert cli.main([*words, "--output", str(tmp_path / model)]) == 0
        assert not (tmp_path / model / "recipes.txt").exists()
        assert KERNEL in {recipe.kernel for recipe in read_recipes([named]).values()}  # what was there stays


@pytest.mark.parametrize(("model", "kernel"), FOUND)
def test_recipes_of_built_in_arms(model: str, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found, prove equal, and give the figures of the record; the kernel passes like any other."""
    monkeypatch.setattr(module, "core", lambda: None)
    asked = Options(kernels=(kernel,), search="thorough")
    sources = KernelSources(read(model, asked), asked)
    derived = derive(sources, kernel, book=RecipeBook(known=read_recipes(built_in_recipes())))
    counts = count(derived.program)
    assert (counts.multiplications, counts.additions, counts.divisions) == FOUND[model, kernel]
    assert derived.steps[-1].name == "resubstitution"
    assert derived.residual <= derived.bound


def test_the_figures_of_the_readme() -> None:
    text = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    assert all(f"{found[0]} / {found[1]} for" in " ".join(text.split()) for found in FOUND.values())


def test_words_for_a_search() -> None:
    assert options({"search": "quick"}).derivations < options({"search": "normal"}).derivations
    assert options({"search": "normal"}) == options({})
    assert options({"search": "thorough"}).thorough
    assert not options({"search": 7}).thorough
    with pytest.raises(ValueError, match="thorough"):
        options({"search": "slow"})
