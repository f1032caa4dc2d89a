"""What a model must be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from emitted.live import live_model
from emitted.programs import double_pendulum, model, program

from kanegen.codegen.emit import LiveParameter
from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.passes.schedule import schedule
from kanegen.manifest import Constraints, FrameKernels


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prefix": "_a"}, "prefix '_a' cannot begin names in C"),
        ({"prefix": "a-b"}, "prefix 'a-b' cannot begin names in C"),
        ({"hash": "short"}, "is no SHA-256"),
        ({"nq": 3}, "2 names for 3 coordinates"),
        ({"actuator_signs": (1,)}, "actuator signs: expected 2"),
        ({"speed_names": ("u1",)}, "names for 2 speeds"),
        ({"home": (0.0,)}, "home: expected 2 finite coordinates"),
        ({"home": (0.0, float("nan"))}, "home: expected 2 finite coordinates"),
        ({"kernels": ()}, "at least one kernel"),
        ({"frames": {"hand": FrameKernels("frame_pose_hand", None)}}, "names kernel 'frame_pose_hand'"),
        ({"parameters": (LiveParameter("m", Fraction(1), "kg", ""),)}, "come together"),
    ],
)
def test_parts_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(model(double_pendulum()), **changes)


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ((("a", "b"), ("a",), ("a",), 1), "2 equations of position, 1 rows, 1 forces"),
        ((("a",), ("a",), (), 1), "1 equations of position, 1 rows, 0 forces"),
        ((("a",), ("a",), ("a",), 0, ("b",)), "redundant rows .* are no rows"),
        ((("a",), ("a", "b"), ("a", "b"), 2, ("b",)), "rank 2 of 2 rows, 1 of them redundant"),
    ],
)
def test_constraints_that_do_not_fit(report: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Constraints(*report)


def test_two_kernels_of_one_name() -> None:
    with pytest.raises(ValueError, match="same name"):
        model(double_pendulum(), double_pendulum())


def parametric() -> Program:
    """A kernel with the product of two parameters: work that belongs to the prepare step."""
    g = Graph()
    (q,) = inputs(g, "q", 1)
    p, r = Expression(g, g.parameter("p")), Expression(g, g.parameter("r"))
    return program("f", g, {"q": 1}, {"y": (p * r * q,)})


def test_work_on_parameters_alone_must_have_been_moved() -> None:
    kernel = parametric()
    with pytest.raises(ValueError, match="'p' is not prepared"):
        model(kernel)
    g = Graph()
    prepare = program("prepare", g, {}, {})
    values = replace(
        prepare,
        outputs=tuple(replace(kernel.outputs[0], name=name, shape=()) for name in "pr"),
        results=((g.one,), (g.one,)),
    )
    with pytest.raises(ValueError, match="has not been moved to the prepare step"):
        model(kernel, prepare=schedule(values), parameters=(LiveParameter("m", Fraction(1), "kg", ""),))


def test_prepare_reads_the_parameters_of_the_model() -> None:
    with pytest.raises(ValueError, match="there is no parameter 'm'"):
        replace(live_model(), parameters=live_model().parameters[1:])


def test_arguments_that_cannot_be() -> None:
    kernel = double_pendulum()
    empty = replace(kernel, inputs=(*kernel.inputs, replace(kernel.inputs[0], name="none", shape=(0,))))
    with pytest.raises(ValueError, match="argument 'none' of shape"):
        model(empty)
    with pytest.raises(ValueError, match="two arguments have the same name"):
        model(replace(kernel, inputs=(kernel.inputs[0], *kernel.inputs)))
    with pytest.raises(ValueError, match="there is no input 'q' with an entry 1"):
        model(replace(kernel, inputs=(replace(kernel.inputs[0], shape=(1,)), *kernel.inputs[1:])))
