"""Random tree mechanisms: joints turned and placed anywhere, full inertia tensors, branches, fixed joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder

Array = NDArray[np.float64]


def random_tree(seed: int, joints: int, *, fixed: bool = True) -> Mechanism:
    """A tree with that many movable joints, revolute and prismatic, not in the order of the coordinates.

    Axes are mostly not coordinate axes.  With ``fixed``, one body is welded on, turned, with a frame on it.
    """
    rng = np.random.default_rng([seed, joints])
    builder = MechanismBuilder(f"tree_{seed}_{joints}", gravity=_decimals(rng, 3, 8))
    bodies = [BASE]
    for number in range(1, joints + 1):
        name = f"body{number}"
        builder.body(name, mass=_decimal(rng, 0.3, 3), center=_decimals(rng, 3, 0.3), inertia=_tensor(rng))
        parent = bodies[-1] if rng.random() < 0.7 else bodies[int(rng.integers(len(bodies)))]
        connect = builder.revolute if number % 3 != 0 or rng.random() < 0.3 else builder.prismatic
        axis = np.eye(3)[int(rng.integers(3))] if rng.random() < 0.3 else rng.integers(-3, 4, 3) + 0.5
        connect(
            f"joint{number}",
            parent,
            name,
            tuple(float(x) for x in axis),
            position=_decimals(rng, 3, 0.5),
            rotation=_decimals(rng, 3, 1.5),
        )
        bodies.append(name)
    if fixed:
        carrier = bodies[int(rng.integers(1, len(bodies)))]
        builder.body("tool", mass=_decimal(rng, 0.1, 1), center=_decimals(rng, 3, 0.2), inertia=_tensor(rng))
        builder.fixed("weld", carrier, "tool", position=_decimals(rng, 3, 0.4), rotation=_decimals(rng, 3, 1))
        builder.frame("tip", "tool", position=_decimals(rng, 3, 0.3), rotation=_decimals(rng, 3, 1))
    builder.coordinates(f"joint{number}" for number in rng.permutation(np.arange(1, joints + 1)))
    return builder.build()


def random_states(seed: int, count: int, n: int) -> tuple[Array, Array, Array, Array]:
    """q, v, a and tau, (count, n) each."""
    q, v, a, tau = np.random.default_rng(seed).uniform(-2.0, 2.0, (4, count, n))
    return q, v, a, tau


def _decimal(rng: np.random.Generator, low: float, high: float) -> float:
    return round(float(rng.uniform(low, high)), 3)


def _decimals(rng: np.random.Generator, count: int, size: float) -> tuple[float, ...]:
    return tuple(_decimal(rng, -size, size) for _ in range(count))


def _tensor(rng: np.random.Generator) -> tuple[float, ...]:
    """xx, yy, zz, xy, xz, yz of a body of four points: physical, with products of inertia."""
    points = rng.uniform(-0.3, 0.3, (4, 3))
    second = points.T @ points
    tensor = np.trace(second) * np.eye(3) - second
    entries = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    return tuple(round(float(x), 4) for x in entries)
