"""What this project promises in numbers: operations of the committed C, counted by a C parser.

That the generator writes it is asked in commands/test_tour.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pycparser.c_ast import FuncDef

import kanegen.generated
from tests.emitted.c_operation_counter import count_operations, functions
from tests.emitted.test_operation_counts import KERNELS

FOLDER = Path(kanegen.generated.__file__).parent / "stanford_arm"
MANIFEST: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
SOURCE = (FOLDER / "stanford_arm.c").read_text(encoding="utf-8")
DECLARATIONS = (FOLDER / "stanford_arm.cdef").read_text(encoding="utf-8")

# multiplications, additions, divisions at most
PROMISED = {
    "inverse_dynamics": (115, 88, 0),
    "mass_matrix": (98, 51, 0),
    "bias_forces": (111, 72, 0),
    "forward_dynamics": (269, 174, 6),
}


@pytest.fixture(scope="module")
def defined() -> dict[str, FuncDef]:
    return functions(DECLARATIONS + SOURCE.partition(KERNELS)[2].replace("STANFORD_ARM_API ", ""))


@pytest.mark.parametrize("kernel", MANIFEST["kernels"])
def test_the_manifest_says_what_the_c_does(defined: dict[str, FuncDef], kernel: str) -> None:
    entry = MANIFEST["kernels"][kernel]
    assert count_operations(defined, entry["function"]) == entry["operation_counts"]


@pytest.mark.parametrize("kernel", PROMISED)
def test_operations_of_the_stanford_arm(defined: dict[str, FuncDef], kernel: str) -> None:
    counts = count_operations(defined, MANIFEST["kernels"][kernel]["function"])
    multiplications, additions, divisions = PROMISED[kernel]
    assert counts["multiplications"] <= multiplications
    assert counts["additions"] <= additions
    assert counts["divisions"] <= divisions
    assert counts["square_roots"] == 0
    assert counts["sincos"] == 4  # of the five angles, that about the base axis changes no force


def test_nothing_in_the_kernels_raises_a_power() -> None:
    body = SOURCE.partition(KERNELS)[2]
    assert not re.search(r"\bpow\w*\s*\(", body)  # comments may have the word
