"""``search="thorough"``: from the options to the recipe beside the C, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanegen.codegen import cli
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution import thorough as module
from kanegen.codegen.passes.resubstitution.core import core
from kanegen.codegen.passes.resubstitution.recipe import read_recipes
from kanegen.codegen.pipeline import generate
from kanegen.options import Options, options

MODEL, KERNEL = "stanford_arm", "inverse_dynamics"


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
    monkeypatch.setattr(module, "_STEPS_OF_A_VALUE", 5)
    monkeypatch.setattr("kanegen.codegen.deriving.built_in_recipes", list)
    for model, kernel in (("two_link_space_arm", KERNEL), (MODEL, "gravity_forces")):
        words = ["generate", model, "--kernels", kernel, "--search", "thorough", "--recipes", str(named)]
        assert cli.main([*words, "--output", str(tmp_path / model)]) == 0
        assert not (tmp_path / model / "recipes.txt").exists()
    assert {recipe.kernel for recipe in read_recipes([named]).values()} <= {KERNEL, "gravity_forces"}


def test_words_for_a_search() -> None:
    assert options({"search": "quick"}).derivations < options({"search": "normal"}).derivations
    assert options({"search": "normal"}) == options({})
    assert options({"search": "thorough"}).thorough
    assert not options({"search": 7}).thorough
    with pytest.raises(ValueError, match="thorough"):
        options({"search": "slow"})
