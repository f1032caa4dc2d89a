"""The operations of the C text, counted by a C parser, are those of the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from pycparser.c_ast import FuncDef

from kanegen.codegen.emit import Model, c_source, cffi_declarations
from kanegen.codegen.graph import Program, count

from .c_operation_counter import count_operations, functions
from .programs import double_pendulum, every_operation, model, random_programs

KERNELS = "/* ---- kernels ---- */"


def kernels_of(generated: Model) -> dict[str, FuncDef]:
    """The functions after the mark in the source, parsed."""
    kernels = c_source(generated).partition(KERNELS)[2].replace(f"{generated.prefix.upper()}_API ", "")
    return functions(cffi_declarations(generated) + kernels)


def of_graph(kernel: Program) -> dict[str, int]:
    """Operations of a program, as the counter of the C gives them."""
    figures = asdict(count(kernel))
    return {name: n for name, n in figures.items() if n or name not in ("functions", "selections")}


def counted(generated: Model, function: str) -> dict[str, int]:
    """Operations of a function of the generated source."""
    return count_operations(kernels_of(generated), function)


@pytest.mark.parametrize("made", [double_pendulum, every_operation])
@pytest.mark.parametrize("ending", ["", "_f32"])
def test_parsed_c_counts_like_the_graph(made: Callable[[], Program], ending: str) -> None:
    kernel = made()
    generated = model(kernel, single_precision=True)
    assert counted(generated, f"arm_{kernel.name}{ending}") == of_graph(kernel)


def test_double_pendulum_by_hand() -> None:
    """Written out from the equations: every product and sum of the four lines of ``double_pendulum``."""
    assert counted(model(double_pendulum()), "arm_inverse_dynamics") == {
        "multiplications": 2 + (1 + 1 + 2 + 1) + (1 + 1 + 2 + 1),
        "additions": 1 + 3 + 3,
        "divisions": 0,
        "square_roots": 0,
        "sincos": 3,
    }


@settings(max_examples=100, deadline=None, derandomize=True)
@given(random_programs())
def test_random_programs_count_like_the_graph(kernel: Program) -> None:
    assert counted(model(kernel), "arm_random") == of_graph(kernel)
