"""Random trees as machines are built: right angles, meeting axes, symmetric bodies, massless links, among arbitrary ones.

Special geometry is where a derivation takes its shortcuts, so arbitrary trees alone would leave most of them untried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build, Deriver
from kanegen.codegen.derivation.placed_tree.placement import place
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from tests.derivation.tree_kernels import DYNAMICS, frame_kernels
from tests.witnesses.pinocchio_trees import PinocchioTree

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

QUARTERS = (-np.pi, -np.pi / 2, 0.0, np.pi / 2)
GRAVITIES: tuple[Vector, ...] = ((0, 0, -9.81), (0, -9.81, 0), (3.1, -4.2, 5.3), (0, 0, 0), (0, 6, -8))


def structured_tree(seed: int, joints: int) -> Mechanism:
    """A tree of that many movable joints, now and then one fixed joint more, with coordinates in any order.

    Every joint moves some inertia: links may be massless, but the last ones of each branch are not.
    """
    rng = np.random.default_rng([7, seed, joints])
    builder = MechanismBuilder(
        f"machine_{seed}_{joints}", gravity=GRAVITIES[int(rng.integers(len(GRAVITIES)))]
    )
    prismatic = {number for number in range(joints) if rng.random() < 0.3}
    parents = [
        int(rng.integers(-1, number)) if rng.random() < 0.3 else number - 1 for number in range(joints)
    ]
    tips = set(range(joints)) - set(parents)
    for number in range(joints):
        name = f"body{number}"
        if number in tips or rng.random() < 0.8:
            builder.body(
                name,
                mass=_decimal(rng, 0.3, 3),
                center=_vector(rng, 0.3),
                inertia=_tensor(rng, number in tips),
            )
        else:
            builder.body(name)
        connect = builder.prismatic if number in prismatic else builder.revolute
        parent = BASE if parents[number] < 0 else f"body{parents[number]}"
        connect(
            f"joint{number}", parent, name, _axis(rng), position=_vector(rng, 0.5), rotation=_rotation(rng)
        )
    carrier = f"body{int(rng.integers(joints))}"
    if rng.random() < 0.4:
        builder.body(
            "tool", mass=_decimal(rng, 0.1, 1), center=_vector(rng, 0.2), inertia=_tensor(rng, False)
        )
        builder.fixed("weld", carrier, "tool", position=_vector(rng, 0.4), rotation=_rotation(rng))
        carrier = "tool"
    builder.frame("tip", carrier, position=_vector(rng, 0.3), rotation=_rotation(rng))
    builder.coordinates(f"joint{number}" for number in rng.permutation(joints))
    return builder.build()


def states(seed: int, count: int, n: int) -> dict[str, Array]:
    """q, v, a and tau, (count, n) each."""
    values = np.random.default_rng([11, seed]).uniform(-2.0, 2.0, (4, count, n))
    return dict(zip(("q", "v", "a", "tau"), values, strict=True))


def kernels(mechanism: Mechanism) -> dict[str, Build]:
    """Every standard kernel by name; frames of the bodies and of the mechanism."""
    names = {frame.name: frame.name for frame in mechanism.frames} | {
        b.name: b.name for b in mechanism.bodies
    }
    return {**DYNAMICS, **frame_kernels(place(mechanism, Choices()), names)}


def expected(mechanism: Mechanism, kernel: str, at: Mapping[str, Array]) -> Array:
    """What Pinocchio finds for the first output of a kernel, states along the first axis."""
    tree = PinocchioTree(mechanism)
    if kernel == "coordinate_rates":
        return at["v"]
    if kernel.startswith("frame_"):
        what = "frame_pose" if kernel.startswith("frame_pose_") else "frame_jacobian"
        function: Callable[[Array, str], Array] = getattr(tree, what)
        return np.array([function(q, kernel.removeprefix(what + "_")) for q in at["q"]])
    arguments = {"inverse_dynamics": "qva", "forward_dynamics": ("q", "v", "tau")} | dict.fromkeys(
        ("mass_matrix", "gravity_forces", "potential_energy"), "q"
    )
    columns = [at[name] for name in arguments.get(kernel, "qv")]
    return np.array([getattr(tree, kernel)(*state) for state in zip(*columns, strict=True)])


def derive_by_chance(
    derive: Deriver, rng: np.random.Generator, coarse: bool = True
) -> tuple[Program, dict[str, int]]:
    """The program for random answers at every decision point that it meets, and the answers.

    ``coarse`` False keeps origins and gauges at their defaults.
    """
    answers: dict[str, int] = {}
    while True:
        program, points = derive(answers)
        open_points = [
            p for p, decision in points.items() if p not in answers and (coarse or not decision.coarse)
        ]
        if not open_points:
            return program, answers
        for point in open_points:
            answers[point] = int(rng.integers(points[point].alternatives))


def _decimal(rng: np.random.Generator, low: float, high: float) -> float:
    return round(float(rng.uniform(low, high)), 3)


def _axis(rng: np.random.Generator) -> Vector:
    if rng.random() < 0.7:
        direction = np.eye(3)[int(rng.integers(3))] * (-1 if rng.random() < 0.4 else 1)
    else:
        direction = rng.integers(-3, 4, 3) + 0.5
    return (float(direction[0]), float(direction[1]), float(direction[2]))


def _vector(rng: np.random.Generator, size: float) -> Vector:
    """Zero, along an axis, in a plane, or anywhere."""
    kept = int(rng.integers(4))
    entries = [_decimal(rng, -size, size) if place < kept else 0.0 for place in range(3)]
    x, y, z = (float(entries[i]) for i in rng.permutation(3))
    return (x, y, z)


def _rotation(rng: np.random.Generator) -> Vector | None:
    kind = rng.random()
    if kind < 0.3:
        return None
    if kind < 0.8:
        x, y, z = (float(rng.choice(QUARTERS)) for _ in range(3))
        return (x, y, z)
    return (_decimal(rng, -2, 2), _decimal(rng, -2, 2), _decimal(rng, -2, 2))


def _tensor(rng: np.random.Generator, solid: bool) -> tuple[float, ...]:
    """xx, yy, zz, xy, xz, yz of points in space, in a plane, on a line or (not ``solid``) at the mass centre."""
    extent = np.diag(rng.uniform(0.05, 0.3, 3))
    kind = rng.random()
    if kind < 0.2:
        points = extent  # diagonal: a point on each axis
    elif kind < 0.4:
        points = extent[[int(rng.integers(3))]] if not solid else extent[rng.permutation(3)[:2]]
    elif kind < 0.55 and not solid:
        points = np.zeros((1, 3))
    else:
        points = rng.uniform(-0.3, 0.3, (4, 3))
    second = points.T @ points
    t = np.trace(second) * np.eye(3) - second
    x, y, z = (
        round(float(moment), 6) + 1e-6 for moment in np.diag(second)
    )  # rounding must leave a real body
    products = (round(float(t[r, c]), 6) for r, c in ((0, 1), (0, 2), (1, 2)))
    return (round(y + z, 6), round(x + z, 6), round(x + y, 6), *products)
