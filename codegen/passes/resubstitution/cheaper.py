"""Recipes of two searches, and of each kernel the cheaper one.

``python -m kanegen.codegen.passes.resubstitution.cheaper KNOWN FOUND`` leaves them in ``FOUND``.  Of recipes that cost the
same the known one stays.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import count
from pathlib import Path

from kanegen.codegen.graph import Graph
from kanegen.codegen.graph.count import count_nodes
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution.recipe import Recipe, RecipeBook, read_recipes, web_from
from kanegen.codegen.passes.resubstitution.web import results_in


def price(recipe: Recipe) -> float:
    """What a recipe costs as it is written out, in additions, whatever its leaves are."""
    graph = Graph()
    web = web_from(recipe, defaultdict(count().__next__))
    return cost(count_nodes(graph, results_in(graph, web, lambda node: graph.input("leaf", node))))


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
