"""What every formulation of the Stanford Arm costs in C; that they agree is held in tests/matrix.

What the recursions cost is held in tests/golden.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kanegen.codegen import pipeline
from kanegen.codegen.pipeline import Options
from kanegen.errors import ModelError
from tests.emitted.c_operation_counter import count_operations, functions
from tests.emitted.test_operation_counts import KERNELS

# multiplications and additions at most, divisions exactly
STANFORD_ARM = {
    "kane": (106, 79, 0),
    "dual_vectors": (106, 79, 0),
    "influence_coefficients": (106, 79, 0),
    "euler_parameters": (463, 342, 0),
}


def counted(model: str, kernel: str, options: Options, folder: Path) -> dict[str, int]:
    """Operations of one kernel, counted in its C file."""
    generated = pipeline.generate(model, folder, replace(options, kernels=(kernel,)))
    prefix = generated.model.prefix
    source = (folder / f"{prefix}.c").read_text(encoding="utf-8").partition(KERNELS)[2]
    declarations = (folder / f"{prefix}.cdef").read_text(encoding="utf-8")
    defined = functions(declarations + source.replace(f"{prefix.upper()}_API ", ""))
    return count_operations(defined, f"{prefix}_{kernel}")


@pytest.mark.parametrize("formulation", STANFORD_ARM)
def test_what_the_stanford_arm_costs(formulation: str, tmp_path: Path) -> None:
    found = counted("stanford_arm", "inverse_dynamics", Options(formulation=formulation), tmp_path)
    multiplications, additions, divisions = STANFORD_ARM[formulation]
    assert found["multiplications"] <= multiplications
    assert found["additions"] <= additions
    assert found["divisions"] == divisions
    assert found["square_roots"] == 0


@pytest.mark.parametrize(
    ("model", "name"), [("four_bar", "lagrange"), ("four_bar", "book_1983"), ("flexible_one_link", "kane")]
)
def test_a_formulation_that_does_not_know_the_mechanism_is_refused(model: str, name: str) -> None:
    with pytest.raises(ModelError, match=f"formulation '{name}'"):
        pipeline.interpret(model, Options(formulation=name))
