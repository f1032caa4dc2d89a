"""Long kernels in parts: the same bits, the same operations, plain C99, and parts stay functions of their own."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.emit import Model, c_source
from kanegen.codegen.graph import Program
from kanegen.codegen.graph.schedule import Schedule
from kanegen.codegen.mechanism import Mechanism, MechanismBuilder
from tests.derivation.tree_kernels import DYNAMICS

from .compilation import Library, build, compiler, run
from .live import live_model
from .programs import double_pendulum, every_operation, model, random_programs
from .test_live_parameters import prepared
from .test_operation_counts import counted, of_graph
from .test_values import check, random_inputs


def in_parts(generated: Model, every: int) -> Model:
    """The model with a cut after so many statements of every kernel and of the prepare step."""

    def cut(made: Schedule) -> Schedule:
        return replace(made, cuts=tuple(range(every, len(made.statements), every)))

    prepare = generated.prepare
    return replace(
        generated,
        kernels=tuple(cut(kernel) for kernel in generated.kernels),
        prepare=None if prepare is None else cut(prepare),
    )


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    kernel=random_programs(), seed=st.integers(0, 10**6), every=st.integers(1, 12), shift=st.integers(0, 3)
)
def test_random_programs_give_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory, kernel: Program, seed: int, every: int, shift: int
) -> None:
    """In one piece, in parts, and in parts with all arguments in one buffer, the output across both inputs."""
    whole = build(model(kernel), tmp_path_factory.mktemp("whole"), "-O0")
    parts = build(in_parts(model(kernel), every), tmp_path_factory.mktemp("parts"))
    state, size = random_inputs(kernel, seed), kernel.outputs[0].size
    expected = whole("arm_random", state, {"y": size})["y"].tobytes()
    assert parts("arm_random", state, {"y": size})["y"].tobytes() == expected
    buffer = np.array([*state["q"], *state["v"], *[0.0] * 6])
    q = parts.ffi.from_buffer("double[]", buffer)
    parts.lib.arm_random(q, q + 2, q + shift)
    assert buffer[shift : shift + size].tobytes() == expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(kernel=random_programs(), every=st.integers(1, 12))
def test_random_programs_count_like_the_graph(kernel: Program, every: int) -> None:
    assert counted(in_parts(model(kernel), every), "arm_random") == of_graph(kernel)


@pytest.mark.parametrize("ending", ["", "_f32"])
@pytest.mark.parametrize("every", [1, 3])
def test_precisions_and_batches(tmp_path: Path, ending: str, every: int) -> None:
    kernels = (double_pendulum(), every_operation())
    generated = model(*kernels, single_precision=True)
    whole = build(generated, tmp_path / "whole")
    parts = build(in_parts(generated, every), tmp_path / "parts")
    for kernel in kernels:
        sizes = {output.name: output.size for output in kernel.outputs}
        states = [random_inputs(kernel, seed) for seed in range(5)]
        stacked = {name: [state[name] for state in states] for name in states[0]}
        calls: list[tuple[str, dict[str, Any], int]] = [
            (f"arm_{kernel.name}{ending}", dict(states[0]), 0),
            (f"arm_{kernel.name}_batch{ending}", stacked, 5),
        ]
        for function, arguments, rows in calls:
            found, expected = (library(function, arguments, sizes, rows=rows) for library in (parts, whole))
            assert all(found[name].tobytes() == expected[name].tobytes() for name in sizes)


@pytest.mark.parametrize("ending", ["", "_f32"])
def test_live_parameters(tmp_path: Path, ending: str) -> None:
    whole = build(live_model(), tmp_path / "whole")
    parts = build(in_parts(live_model(), 1), tmp_path / "parts")

    def forces(library: Library) -> bytes:
        values = prepared(library, ending, m=0.5, tilt=-1.0)
        state = {"q": [0.3], "a": [-2.0]}
        return library(f"arm_inverse_dynamics{ending}", state, {"tau": 1}, values)["tau"].tobytes()

    assert forces(parts) == forces(whole)


def test_the_source_reads_well() -> None:
    text = c_source(in_parts(model(every_operation(), single_precision=True), 4))
    assert "in 3 parts, so that compilers stay quick; arm_mixture_carried holds what" in " ".join(
        text.split()
    ).replace(" * ", " ")
    assert "/* part 2 of 3 */\nARM_PART void arm_mixture_part2(" in text
    assert "typedef struct {\n    double " in text
    assert "typedef struct {\n    float " in text
    body = text[text.index("static inline void arm_mixture_body(") :]
    calls = re.findall(r"(arm_mixture_part\d)\(.*&carried\);", body[: body.index("}")])
    assert calls == ["arm_mixture_part1", "arm_mixture_part2", "arm_mixture_part3"]


@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_parts_are_not_put_together_again(tmp_path: Path, cc: str) -> None:
    """Each part is a function of its own in the object file, at the highest optimization."""
    build(in_parts(model(every_operation()), 2), tmp_path, "-O3", cc=cc)
    symbols = run([compiler("nm"), tmp_path / "model.so"])
    assert len(set(re.findall(r"\barm_mixture_part\d", symbols))) == 6


def test_a_kernel_called_like_a_part_keeps_its_name() -> None:
    first, second = double_pendulum(), replace(every_operation(), name="inverse_dynamics_part1")
    text = c_source(in_parts(model(first, second), 2))
    assert (
        "void arm_inverse_dynamics_part1(const double q[2], const double v[2], const double unused[3]" in text
    )
    assert "ARM_PART void arm_inverse_dynamics_part1_2(" in text


def chain(links: int) -> Mechanism:
    """Full inertias, every frame at odd angles."""
    builder = MechanismBuilder("snake")
    for link in range(1, links + 1):
        builder.body(
            f"link{link}", 2, ("0.03", "-0.05", "0.1"), ("0.05", "0.06", "0.07", "0.01", "-0.002", "0.003")
        )
        axis = ((0, 0, 1), (0, 1, 0), (1, 0, 0))[link % 3]
        parent = f"link{link - 1}" if link > 1 else "base"
        builder.revolute(
            f"q{link}", parent, f"link{link}", axis, ("0.1", "0.2", "0.3"), ("0.4", "-0.7", "1.1")
        )
    return builder.build()


def test_a_long_mass_matrix(tmp_path: Path) -> None:
    """From a mechanism to C in several parts: operations by the parser, values within the rounding errors carried."""
    kernel, _ = Deriver(chain(9), DYNAMICS["mass_matrix"], gauge=False)({})
    generated = model(kernel)
    made = generated.kernels[0]
    assert len(made.cuts) >= 1
    assert counted(generated, "arm_mass_matrix") == of_graph(kernel)
    library = build(generated, tmp_path)
    for seed in range(3):
        check(library, kernel, random_inputs(kernel, seed))
