"""Names that belong to C, C++, the headers or the generated file itself; text that tries to be code."""

from __future__ import annotations

import ast
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from kanegen.codegen.emit import (
    LiveParameter,
    Model,
    c_header,
    c_source,
    cffi_declarations,
    generated_files,
    type_stub,
)
from kanegen.codegen.emit.identifiers import variable
from kanegen.codegen.graph import Argument, Expression, Graph, Program, inputs
from kanegen.codegen.passes.schedule import schedule
from kanegen.manifest import Certificate

from .c_operation_counter import count_operations
from .compilation import build, compiler, run
from .programs import every_operation, model
from .running_error import RUNNING_ERROR, given, tolerance
from .test_operation_counts import counted, kernels_of
from .test_values import check, random_inputs

INJECTION = '"; system("touch owned"); /* */ */ #include </etc/passwd>\n??/\\\n}} évil'

HEADERS = {"<float.h>", "<math.h>", "<stddef.h>", "<stdint.h>", "<string.h>", '"arm.h"'}

NAMES = [
    *(
        "double",
        "int",
        "lambda",
        "I",
        "INFINITY",
        "NAN",
        "NULL",
        "sin",
        "sqrt",
        "sqrtf",
        "main",
        "size_t",
        "class",
        "new",
    ),
    *(
        "count",
        "row",
        "prepared",
        "parameters",
        "angles",
        "sines",
        "cosines",
        "t0",
        "t1",
        "x0",
        "Z12",
        "y",
        "q",
        "s_elbow",
    ),
    *(
        "arm_sincos",
        "arm_sincos_2",
        "arm_mixture",
        "arm_mixture_body",
        "_Bool",
        "__x",
        "",
        "1st",
        "a b",
        "a-b",
        "Ω",
        INJECTION,
    ),
    *(
        "fabs",
        "memcpy",
        "UINT64_C",
        "FP_NAN",
        "signgam",
        "errno",
        "M_PI",
        "linux",
        "unix",
        "float_t",
        "uint64_t",
        "j0",
        "y1",
    ),
    *(
        "FP_ZERO",
        "math_errhandling",
        "MATH_ERRNO",
        "SIZE_MAX",
        "INT8_MAX",
        "HUGE_VAL",
        "FP_ILOGB0",
        "ARM_H",
        "ARM_API",
    ),
]


def hostile_program() -> Program:
    """A chain in which every node carries one of the names, reading arguments with such names."""
    g = Graph()
    q, bad, worse = inputs(g, "q", 2), inputs(g, "double", 2), inputs(g, INJECTION, 1)
    x = q[0].sine() * bad[0] + (q[1] * bad[1]).cosine() + worse[0]
    labels: dict[int, str] = {}
    for i, name in enumerate(NAMES):
        x = (x - q[1]) * q[0] + i if i % 2 else x - bad[0]
        labels[abs(x.ref)] = f"-{name}" if i % 3 == 0 else name
    return Program(
        name="mixture",
        title=INJECTION,
        source=INJECTION,
        inputs=(
            Argument("q", (2,), INJECTION, INJECTION),
            Argument("double", (2,), "", INJECTION),
            Argument(INJECTION, (), "", ""),
        ),
        outputs=(Argument("count", (2,), INJECTION, INJECTION),),
        graph=g,
        results=((x.ref, -(x * x).ref),),
        labels=labels,
    )


def hostile_model() -> Model:
    """Hostile text wherever a model file could have put it."""
    return model(
        hostile_program(),
        name=INJECTION,
        coordinate_names=("double", INJECTION),
        joint_names=("int", INJECTION),
        body_names=(INJECTION, "I"),
        frame_names=(INJECTION,),
        mangled={INJECTION: "evil"},
        options={"file": INJECTION},
        certificate=Certificate({INJECTION: 1e-14}, 1000),
        single_precision=True,
    )


def test_hostile_model_compiles_and_computes(tmp_path: Path) -> None:
    generated = hostile_model()
    kernel = generated.kernels[0].program
    library = build(generated, tmp_path)
    check(library, kernel, random_inputs(kernel, 5))
    assert counted(generated, "arm_mixture") == counted(model(hostile_program()), "arm_mixture")


def test_hostile_struct_fields(tmp_path: Path) -> None:
    g, h = Graph(), Graph()
    (q,) = inputs(g, "q", 1)
    total = q
    for i in range(len(NAMES)):
        total = total * Expression(g, g.parameter(f"p{i}")) + 1
    roots = tuple((h.product((h.parameter(name), h.constant(2))),) for name in NAMES)
    prepare = Program(
        name="prepare",
        title=INJECTION,
        source="",
        inputs=(),
        outputs=tuple(Argument(f"p{i}", (), "", "") for i in range(len(NAMES))),
        graph=h,
        results=roots,
    )
    kernel = Program(
        "f", "", "", (Argument("q", (), "", ""),), (Argument("y", (), "", ""),), g, ((total.ref,),)
    )
    generated = model(
        kernel,
        prepare=schedule(prepare),
        parameters=tuple(
            LiveParameter(name, Fraction(1 + i), INJECTION, INJECTION) for i, name in enumerate(NAMES)
        ),
    )
    library = build(generated, tmp_path)
    parameters, values = library.ffi.new("arm_parameters *"), library.ffi.new("arm_prepared *")
    library.lib.arm_default_parameters(parameters)
    library.lib.arm_prepare(parameters, values)
    assert [getattr(values, f"p{i}") for i in range(len(NAMES))] == [2.0 * (i + 1) for i in range(len(NAMES))]
    assert count_operations(kernels_of(generated), "arm_f")["additions"] == len(NAMES)


def test_nothing_of_a_hostile_text_is_code() -> None:
    generated = hostile_model()
    for text in (c_source(generated), c_header(generated), cffi_declarations(generated)):
        assert text.isascii()
        code = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
        for word in ("system", "touch", "owned", "passwd", "vil"):
            names = re.findall(rf"\w*{word}\w*", code)
            assert all(re.fullmatch(r"system_touch_owned\w*", name) for name in names), names
        assert "??" not in text and '"touch' not in text and "\n#include <" + "/etc" not in text
        assert set(re.findall(r"#include (.*)", code)) <= HEADERS


def test_stub_is_python_and_manifest_keeps_the_originals() -> None:
    generated = hostile_model()
    ast.parse(type_stub(generated))
    manifest = json.loads(generated_files(generated)["manifest.json"])
    assert manifest["model"]["name"] == INJECTION
    assert manifest["mangled"] == {INJECTION: "evil"}
    assert manifest["body_names"] == [INJECTION, "I"]


@pytest.mark.parametrize("header", ["float.h", "math.h", "stddef.h", "stdint.h", "string.h", "stdio.h"])
@pytest.mark.parametrize("standard", ["c99", "gnu17"])
def test_macros_of_headers_are_reserved(tmp_path: Path, header: str, standard: str) -> None:
    """No name that the preprocessor would replace can come out of ``variable``."""
    (tmp_path / "empty.c").write_text(f"#include <{header}>\n", encoding="ascii")
    listing = run([compiler(), f"-std={standard}", "-dM", "-E", tmp_path / "empty.c"])
    objects = set(re.findall(r"#define (\w+) .", listing))
    assert sorted(name for name in objects if variable(name) == name) == []


def test_labels_that_look_like_temporaries(tmp_path: Path) -> None:
    """A label t0 takes the name and temporaries go around it; equal labels get different variables."""
    kernel = every_operation()
    labels = dict.fromkeys(kernel.labels, "t0")
    relabelled = Program(
        kernel.name,
        "",
        "",
        kernel.inputs,
        kernel.outputs,
        kernel.graph,
        kernel.results,
        labels | {max(kernel.labels): "-t0"},
    )
    library = build(model(relabelled), tmp_path)
    check(library, relabelled, random_inputs(relabelled, 1))


def test_witness_refuses_a_wrong_value() -> None:
    """The tolerance of these tests is narrow: one part in 1e12 of the result is not let through."""
    exact = RUNNING_ERROR.sine(given(1.0) * given(2.0))
    assert tolerance(exact, 2.0**-53) < 1e-14
