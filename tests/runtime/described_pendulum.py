"""A pendulum, a point of mass m on a rod of length l, by its equations: usual kernels, and some that are made on demand.

q is the angle from the downward vertical, turning about y, so that the tip is at l (-sin q, 0, -cos q); g = 9.81.  m and
l are live parameters.  It stands in for the generator, so that what happens around a generation is seen alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import described

from kanegen.codegen.emit import LiveParameter, Model, write_model
from kanegen.codegen.emit.manifest import manifest
from kanegen.codegen.graph import Expression, Graph, Program, evaluate
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.schedule import schedule
from kanegen.manifest import FrameKernels, NamedValue
from kanegen.options import Options

GRAVITY = Fraction(981, 100)
PARAMETERS = {"m": Fraction(3, 2), "l": Fraction(4, 5)}

Row = Sequence[Any]


def _inverse_dynamics(m: Any, l: Any, q: Any, v: Any, a: Any) -> list[Row]:
    return [[m * l * l * a[0] + m * l * GRAVITY * q[0].sine()]]


def _derivatives(m: Any, l: Any, q: Any, v: Any, a: Any) -> list[Row]:
    return [[m * l * GRAVITY * q[0].cosine()], [0 * m], [m * l * l]]


def _parameter_derivatives(m: Any, l: Any, q: Any, v: Any, a: Any) -> list[Row]:
    weight = GRAVITY * q[0].sine()
    return [[l * l * a[0] + l * weight, 2 * m * l * a[0] + m * weight]]


def _jacobian(m: Any, l: Any, q: Any) -> list[Row]:
    zero = 0 * l
    return [[-l * q[0].cosine(), zero, l * q[0].sine(), zero, zero + 1, zero]]


def _jacobian_rate(m: Any, l: Any, q: Any, v: Any) -> list[Row]:
    zero = 0 * l
    return [[l * v[0] * q[0].sine(), zero, l * v[0] * q[0].cosine(), zero, zero, zero]]


def _frame_forces(m: Any, l: Any, q: Any, wrench: Any) -> list[Row]:
    return [[l * (q[0].sine() * wrench[2] - q[0].cosine() * wrench[0]) + wrench[4]]]


@dataclass(frozen=True)
class _Kernel:
    takes: Mapping[str, tuple[int, ...]]
    gives: Mapping[str, tuple[int, ...]]
    compute: Callable[..., list[Row]]


_Q, _V, _A, _TAU = ({name: (1,)} for name in ("q", "v", "a", "tau"))

USUAL = {
    "inverse_dynamics": _Kernel(_Q | _V | _A, _TAU, _inverse_dynamics),
    "forward_dynamics": _Kernel(
        _Q | _V | _TAU,
        _A,
        lambda m, l, q, v, tau: [[(tau[0] - m * l * GRAVITY * q[0].sine()) / (m * l * l)]],
    ),
    "frame_jacobian_tip_of_rod": _Kernel(_Q, {"J": (6, 1)}, _jacobian),
}
OPTIONAL = {
    "coriolis_matrix": _Kernel(_Q | _V, {"C": (1, 1)}, lambda m, l, q, v: [[0 * m]]),
    "inverse_mass_matrix": _Kernel(_Q, {"Minv": (1, 1)}, lambda m, l, q: [[1 / (m * l * l)]]),
    "center_of_mass": _Kernel(
        _Q, {"c": (3,)}, lambda m, l, q: [[-l * q[0].sine(), 0 * l, -l * q[0].cosine()]]
    ),
    "centroidal_momentum_matrix": _Kernel(
        _Q, {"A": (6, 1)}, lambda m, l, q: [[m * x for x in _jacobian(m, l, q)[0][:3]] + [0 * m] * 3]
    ),
    "inverse_dynamics_derivatives": _Kernel(
        _Q | _V | _A, {"dq": (1, 1), "dv": (1, 1), "da": (1, 1)}, _derivatives
    ),
    "inverse_dynamics_parameter_derivatives": _Kernel(_Q | _V | _A, {"dp": (1, 2)}, _parameter_derivatives),
    "regressor": _Kernel(
        _Q | _V | _A, {"Y": (1, 2)}, lambda m, l, q, v, a: [[a[0] + 0 * m, GRAVITY * q[0].sine()]]
    ),
    "frame_jacobian_rate_tip_of_rod": _Kernel(_Q | _V, {"Jdot": (6, 1)}, _jacobian_rate),
    "frame_forces_tip_of_rod": _Kernel(_Q | {"wrench": (6,)}, _TAU, _frame_forces),
}

UNLISTED = {
    "operational_inertia_tip_of_rod_rows_x": _Kernel(
        _Q, {"Lambda": (1, 1)}, lambda m, l, q: [[m / (q[0].cosine() * q[0].cosine())]]
    ),
}


def program(name: str) -> Program:
    kernel = (USUAL | OPTIONAL | UNLISTED)[name]

    def compute(graph: Graph, *given: Any) -> list[Row]:
        return kernel.compute(*(Expression(graph, graph.parameter(p)) for p in PARAMETERS), *given)

    return described.program(name, kernel.takes, kernel.gives, compute)


def model(kernels: Sequence[str] | None) -> Model:
    """The model with these kernels; all usual ones for None."""
    chosen = tuple(USUAL) if kernels is None else tuple(kernels)
    hoisted = hoist([program(name) for name in chosen])
    jacobian = "frame_jacobian_tip_of_rod"
    return Model(
        name="point pendulum",
        prefix="point_pendulum",
        hash="0123456789abcdef" * 4,
        nq=1,
        nv=1,
        coordinate_names=("swing",),
        joint_names=("swing",),
        body_names=("rod",),
        frame_names=("tip of rod",),
        gravity=(0.0, 0.0, -9.81),
        kernels=tuple(schedule(p) for p in hoisted.kernels),
        parameters=tuple(
            LiveParameter(n, value, "SI", n) for n, value in PARAMETERS.items() if hoisted.prepare is not None
        ),
        prepare=None if hoisted.prepare is None else schedule(hoisted.prepare),
        frames={"tip of rod": FrameKernels(None, jacobian if jacobian in chosen else None)},
        mangled={"tip of rod": "tip_of_rod"},
        optional_kernels=tuple(name for name in (*USUAL, *OPTIONAL) if name not in chosen),
        base_parameters=_base_parameters() if "regressor" in chosen else (),
    )


def _base_parameters() -> tuple[NamedValue, ...]:
    m, l = (float(x) for x in PARAMETERS.values())
    return NamedValue("m l^2", m * l**2), NamedValue("m l", m * l)


def generate(of: object, options: Options, directory: Path) -> None:
    """In place of ``generator.generate``."""
    write_model(model(options.kernels), directory)


class Interpretation:
    """In place of what ``generator.interpret`` returns."""

    def __init__(self, of: object, options: Options) -> None:
        made = model(options.kernels)
        self.manifest = manifest(made, {})
        self._programs = {kernel.program.name: program(kernel.program.name) for kernel in made.kernels}

    def evaluate(
        self, kernel: str, arrays: Mapping[str, Any], parameters: Mapping[str, float]
    ) -> Mapping[str, Any]:
        return evaluate(self._programs[kernel], arrays, parameters)
