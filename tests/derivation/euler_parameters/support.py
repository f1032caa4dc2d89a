"""Body coordinates of a mechanism as arrays, and the equations of all bodies solved at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.euler_parameters import names_of_constraints, programs
from kanegen.codegen.graph import Program, evaluate, evaluate_entries
from kanegen.codegen.graph.evaluate import DOUBLE
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.folding import with_numbers

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""Some hundred roundings of 1.1e-16 on terms of at most ten, in constraints, rates and their products."""


@dataclass(frozen=True)
class Motion:
    """Joint coordinates with derivatives, and the body coordinates that go with them."""

    q: Array
    v: Array
    a: Array
    x: Array
    xdot: Array
    xddot: Array


class Bodies:
    """The kernels of a mechanism, evaluated in double precision."""

    def __init__(self, mechanism: Mechanism, parameters: Mapping[str, float] | None = None) -> None:
        self.mechanism, self._parameters = mechanism, parameters
        self.programs = programs(mechanism, live_parameters=parameters is not None)
        self.names = names_of_constraints(mechanism)
        loops = {loop.name for loop in mechanism.loops}
        self.of_tree = [row for row, (name, _) in enumerate(self.names) if name not in loops]

    def __call__(self, kernel: str, **arguments: Any) -> Array:
        """The output of a kernel; ``multipliers`` stands for its input lambda."""
        given = {"lambda" if name == "multipliers" else name: x for name, x in arguments.items()}
        program = self.programs[kernel]
        used = {argument.name: given[argument.name] for argument in program.inputs}
        return evaluate(program, used, self._parameters)[program.outputs[0].name]

    def motion(self, q: Array, v: Array, a: Array) -> Motion:
        """Body coordinates of the tree."""
        return Motion(
            q,
            v,
            a,
            self("body_coordinates", q=q),
            self("body_rates", q=q, v=v),
            self("body_accelerations", q=q, v=v, a=a),
        )

    def random_motion(self, seed: int) -> Motion:
        """A motion of the open tree."""
        return self.motion(*np.random.default_rng(seed).uniform(-2, 2, (3, len(self.mechanism.coordinates))))

    def gradients(self, motion: Motion) -> Array:
        """Rows of the tree's joints and normalisations, then those of the drives."""
        joints = self("joint_constraint_jacobian", x=motion.x)[self.of_tree]
        return np.vstack([joints, self("driving_constraint_jacobian", x=motion.x, q=motion.q)])

    def multipliers(self, motion: Motion) -> tuple[Array, Array]:
        """Multipliers of the joints and of the drives of a tree: (28), solved for all bodies at once."""
        inertial = self("body_mass_matrix", x=motion.x) @ motion.xddot
        loads = self("body_forces", x=motion.x, xdot=motion.xdot, q=motion.q)
        found = np.linalg.solve(self.gradients(motion).T, loads - inertial)
        return found[: len(self.of_tree)], found[len(self.of_tree) :]

    def actuator_forces(self, motion: Motion) -> Array:
        """Inverse dynamics by (28) to (36)."""
        return self("actuator_forces", x=motion.x, q=motion.q, multipliers=self.multipliers(motion)[1])


def home(mechanism: Mechanism) -> Array:
    """The mechanism's home in numbers."""
    return np.array([float(x) for x in with_numbers(mechanism).home])  # type: ignore[arg-type]


def derivative(program: Program, at: Mapping[str, Any], along: Mapping[str, Any]) -> Array:
    """The derivative of a program's output along a direction of its inputs, by a complex step: no cancellation."""
    step = 1e-30
    entries = {
        (name, i): complex(x, step * along[name][i] if name in along else 0.0)
        for name, values in at.items()
        for i, x in enumerate(values)
    }
    (result,) = evaluate_entries(program, entries, DOUBLE)
    return np.array([np.imag(value) / step for value in result])
