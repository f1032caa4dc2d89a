"""Every formulation of the Stanford Arm and of built-in linkages: the same forces, and what they cost in C.

What the recursions cost is held in tests/golden.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen import pipeline
from kanegen.codegen.derivation.formulations import RIGID
from kanegen.codegen.derivation.motion_maps.plan import make_plan
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.passes.verify import random_arguments, relative_difference
from kanegen.codegen.pipeline import Options
from kanegen.errors import ModelError
from tests.emitted.c_operation_counter import count_operations, functions
from tests.emitted.test_operation_counts import KERNELS

STATES = 200

# multiplications and additions at most, divisions exactly
STANFORD_ARM = {
    "kane": (190, 141, 0),
    "dual_vectors": (198, 157, 0),
    "influence_coefficients": (321, 201, 0),
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


def inverse_dynamics(model: str, formulation: str) -> Program:
    options = Options(formulation=formulation, search=1, kernels=("inverse_dynamics",))
    return pipeline.interpret(model, options).programs["inverse_dynamics"]


@pytest.mark.parametrize("formulation", [f for f in RIGID if f != "recursive"])
@pytest.mark.parametrize(
    "model",
    [
        "stanford_arm",
        "sim_yoo_lee_robot",
        "cylindrical_arm",
        "two_link_space_arm",
        "plate_disk",
        "rolling_disc",
        "four_bar",
        "four_bar_tilted",
        "five_bar",
        "cooperating_arms",
        "whipple_bicycle",
    ],
)
def test_every_formulation_gives_the_same_forces(model: str, formulation: str) -> None:
    """To 1e-12 of the largest force: a few thousand operations on numbers of one size, well away from dead centres."""
    reference, program = inverse_dynamics(model, "recursive"), inverse_dynamics(model, formulation)
    arguments = random_arguments(reference, STATES)
    mechanism = pipeline.read(model, Options())
    if not mechanism.plain_tree:
        closed = make_plan(mechanism).states
        arguments["q"] = closed[np.arange(STATES) % len(closed)]
    expected = evaluate(reference, arguments)["tau"]
    assert relative_difference(evaluate(program, arguments)["tau"], expected, STATES) < 1e-12


def test_an_unknown_formulation_is_refused() -> None:
    with pytest.raises(ModelError, match=r"formulation 'lagrange'.*one of recursive, kane"):
        pipeline.interpret("four_bar", Options(formulation="lagrange"))
