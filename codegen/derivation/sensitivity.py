"""How far apart the dynamics of two descriptions of nearly the same mechanism are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.formulations import formulation
from kanegen.codegen.derivation.kernels import Deriver
from kanegen.codegen.derivation.tree import derivation_tree
from kanegen.codegen.graph import evaluate
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism

Array = NDArray[np.float64]

_STATES = 100


def difference_of_dynamics(one: Mechanism, other: Mechanism) -> float:
    """Largest difference of inverse and forward dynamics over random states, relative to the largest component in the state.

    Forces of forward dynamics are of the size of those of inverse dynamics.  States in which no inertia resists a motion do
    not count.  Both have the same coordinates.
    """
    random = np.random.default_rng(0)
    nq, nv = len(one.coordinates), one.dof
    at = {"q": random.uniform(-np.pi, np.pi, (_STATES, nq)), "v": random.standard_normal((_STATES, nv))}
    a, share = random.standard_normal((2, _STATES, nv))
    matrices, biases = zip(*(_dynamics(mechanism, at) for mechanism in (one, other)), strict=True)
    forces = [np.einsum("sij,sj->si", m, a) + h for m, h in zip(matrices, biases, strict=True)]
    tau = share * np.abs(forces[0]).max(axis=1, keepdims=True)
    worst = 0.0
    for state in range(_STATES):
        worst = max(worst, _apart(*(force[state] for force in forces)))
        try:
            moved = [
                np.linalg.solve(m[state], tau[state] - h[state])
                for m, h in zip(matrices, biases, strict=True)
            ]
        except np.linalg.LinAlgError:
            continue
        worst = max(worst, _apart(*moved))
    return worst


def _apart(one: Array, other: Array) -> float:
    scale = float(np.abs(one).max())
    return float(np.abs(one - other).max()) / scale if scale else 0.0


def _dynamics(mechanism: Mechanism, at: dict[str, Array]) -> tuple[Array, Array]:
    """Mass matrices and bias forces, by the plain derivations."""
    tree = derivation_tree(mechanism, live=False)
    names = [frame.name for frame in mechanism.frames] + [body.name for body in mechanism.bodies]
    builds = formulation("recursive", mechanism, None, live_parameters=False, identifiers=c_names(names))
    found = []
    for kernel in ("mass_matrix", "bias_forces"):
        derive = Deriver(tree.mechanism, builds[kernel], live_parameters=tree.live, gauge=False)
        program, _ = derive({})
        found.append(evaluate(program, {a.name: at[a.name] for a in program.inputs})[program.outputs[0].name])
    return found[0], found[1]
