"""The type stub."""

from __future__ import annotations

import ast
from dataclasses import replace

from emitted.live import live_model
from emitted.programs import double_pendulum, model

from kanegen.codegen.emit import type_stub
from kanegen.codegen.graph import Argument


def methods(text: str, name: str) -> dict[str, list[str]]:
    """Methods of a class and the names of their parameters, self left out."""
    classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == name]
    functions = [node for node in classes[0].body if isinstance(node, ast.FunctionDef)]
    return {f.name: [a.arg for a in (*f.args.args[1:], *f.args.kwonlyargs)] for f in functions}


def test_methods_and_functions() -> None:
    text = type_stub(model(double_pendulum(), single_precision=True, frame_names=('a "quoted" name', "Ω\n")))
    assert methods(text, "Kernels") == {
        "inverse_dynamics": ["q", "v", "a", "out", "threads"],
        "inverse_dynamics_f32": ["q", "v", "a", "out", "threads"],
    }
    assert methods(text, "Library")["arm_inverse_dynamics_batch_f32"] == ["count", "q", "v", "a", "tau"]
    literals = [node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    assert [ast.unparse(value) for value in literals] == [
        "Literal['inverse_dynamics', 'inverse_dynamics_f32']",
        "Literal['a \"quoted\" name', 'Ω\\n']",
    ]


def test_live_parameters() -> None:
    text = type_stub(live_model())
    assert methods(text, "Kernels")["inverse_dynamics"] == ["q", "a", "out", "threads", "parameters"]
    functions = methods(text, "Library")
    assert functions["arm_prepare"] == ["parameters", "prepared"]
    assert functions["arm_inverse_dynamics"] == ["prepared", "q", "a", "tau"]


def test_time_is_a_keyword() -> None:
    kernel = double_pendulum()
    timed = replace(kernel, inputs=(Argument("t", (), "", ""), *kernel.inputs))
    assert methods(type_stub(model(timed)), "Kernels")["inverse_dynamics"] == [
        "q",
        "v",
        "a",
        "out",
        "threads",
        "t",
    ]


def test_words_of_python_are_no_parameters() -> None:
    kernel = double_pendulum()
    renamed = replace(kernel, inputs=(Argument("q", (2,), "", ""), *kernel.inputs[1:]))
    assert "lambda" not in methods(type_stub(model(renamed)), "Kernels")["inverse_dynamics"]
