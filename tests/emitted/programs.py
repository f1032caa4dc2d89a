"""Programs to print: a few made by hand, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st

from kanegen.codegen.emit import Model
from kanegen.codegen.graph import Argument, Expression, Graph, Program, inputs
from kanegen.codegen.passes.schedule import schedule


def program(
    name: str,
    graph: Graph,
    arguments: dict[str, int],
    results: dict[str, Sequence[Expression]],
    labels: dict[int, str] | None = None,
) -> Program:
    """A program with vector arguments of the given lengths."""
    return Program(
        name=name,
        title=f"the title of {name}",
        source="made by hand",
        inputs=tuple(Argument(a, (n,), "rad", f"the input {a}") for a, n in arguments.items()),
        outputs=tuple(Argument(o, (len(refs),), "N m", f"the output {o}") for o, refs in results.items()),
        graph=graph,
        results=tuple(tuple(e.ref for e in refs) for refs in results.values()),
        labels=labels or {},
    )


def model(*programs: Program, prefix: str = "arm", **changes: Any) -> Model:
    """A model with these kernels and two coordinates."""
    fields: dict[str, Any] = {
        "name": prefix,
        "prefix": prefix,
        "hash": "0123456789abcdef" * 4,
        "nq": 2,
        "nv": 2,
        "coordinate_names": ("shoulder", "elbow"),
        "joint_names": ("shoulder", "elbow"),
        "body_names": ("upper", "lower"),
        "frame_names": (),
        "gravity": (0.0, 0.0, -9.81),
        "kernels": tuple(schedule(p) for p in programs),
    }
    return Model(**(fields | changes))


def double_pendulum() -> Program:
    """Forces of a planar double pendulum, unit lengths, point masses 2 and 0.3, angles from the vertical."""
    g = Graph()
    q, v, a = inputs(g, "q", 2), inputs(g, "v", 2), inputs(g, "a", 2)
    bend = q[0] - q[1]
    coupling, swing = Fraction("0.3") * bend.cosine(), Fraction("0.3") * bend.sine()
    upper = Fraction("2.3") * a[0] + coupling * a[1] + swing * v[1] * v[1] + Fraction("22.563") * q[0].sine()
    lower = Fraction("0.3") * a[1] + coupling * a[0] - swing * v[0] * v[0] + Fraction("2.943") * q[1].sine()
    return program("inverse_dynamics", g, {"q": 2, "v": 2, "a": 2}, {"tau": (upper, lower)})


def every_operation() -> Program:
    """All node kinds, a square, a shared node, nested angles, an unused input, equal and constant outputs."""
    g = Graph()
    q, v = inputs(g, "q", 2), inputs(g, "v", 2)
    shared = q[0] * q[1] - v[0]
    inner = (2 * shared).sine()
    root = (1 + shared * shared).square_root()
    first = -inner / root - v[1] - q[0].cosine() * (q[1] - v[1])
    second = (Fraction(1, 3) * inner.cosine() + inner) * -root
    third = Expression(g, g.constant(Fraction(-1, 3)))
    labels = {abs(shared.ref): "-Z12", abs(root.ref): "root length"}
    arguments = {"q": 2, "v": 2, "unused": 3}
    return program("mixture", g, arguments, {"y": (first, second, third, second, q[0], -q[1])}, labels)


@st.composite
def random_programs(draw: st.DrawFn) -> Program:
    """Programs of up to forty operations over six inputs; denominators and radicands are at least one."""
    g = Graph()
    pool = [*inputs(g, "q", 2), *inputs(g, "v", 4)]
    labels: dict[int, str] = {}
    numbers = st.fractions(min_value=-4, max_value=4, max_denominator=1000)
    for step in range(draw(st.integers(1, 40))):
        x, y, z = (draw(st.sampled_from(pool)) for _ in range(3))
        match draw(st.sampled_from("+-*sqdtncp")):
            case "+":
                new = x + y + z
            case "-":
                new = x - y
            case "*":
                new = x * y
            case "s":
                new = x.sine()
            case "q":
                new = (1 + x * x).square_root()
            case "d":
                new = y / (1 + x * x)
            case "t":
                new = x.cosine()
            case "n":
                new = -x
            case "c":
                new = draw(numbers) * x
            case _:
                new = x * x + draw(numbers)
        # squares of squares would overflow: now and then a sine brings everything back to moderate size
        pool.append(new if step % 4 else new.sine())
        if not pool[-1].is_number and draw(st.booleans()):
            labels[abs(pool[-1].ref)] = draw(
                st.sampled_from(("Z1", "-Z2", "t0", "q", "double", "y", "s_elbow", "Ω"))
            )
    outputs = [
        draw(st.sampled_from(pool)) * draw(st.sampled_from((1, -1))) for _ in range(draw(st.integers(1, 6)))
    ]
    return program("random", g, {"q": 2, "v": 4}, {"y": outputs}, labels)
