"""Recipes of two searches, and of each kernel the cheaper one.

``python -m kanegen.codegen.passes.resubstitution.cheaper KNOWN FOUND`` leaves them in ``FOUND``.  Of recipes that cost the
same the known one stays.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kanegen.codegen.graph import Kind
from kanegen.codegen.passes.prices import PRICES
from kanegen.codegen.passes.resubstitution.recipe import Recipe, RecipeBook, read_recipes

_PRICES = {"+": PRICES[Kind.SUM], "c": PRICES[Kind.SUM], "*": PRICES[Kind.PRODUCT], "k": PRICES[Kind.PRODUCT]}
"""Of the lines of a recipe; divisions and roots stay what they are."""


def price(recipe: Recipe) -> int:
    """The price of what a recipe makes by sums and products."""
    return sum(_PRICES.get(line.split()[0], 0) for line in recipe.lines)


def cheaper(known: Path, found: Path) -> bytes:
    """The file of the cheaper recipes.  Raises FileError for a file that holds none."""
    book = RecipeBook(found)
    book.used = read_recipes([found])
    for key, recipe in read_recipes([known]).items():
        if key not in book.used or price(recipe) <= price(book.used[key]):
            book.used[key] = recipe
    return book.files()[found.name]


if __name__ == "__main__":
    first, second = map(Path, sys.argv[1:])
    second.write_bytes(cheaper(first, second))
