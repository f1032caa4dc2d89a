"""Random trees of every kind of joint: branches, turned frames, full inertias, fixed joints, mimics, rotors."""

from __future__ import annotations

import numpy as np

from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder

Vector = tuple[float, float, float]

SIMPLE = ("revolute", "prismatic", "helical")
COMPOUND = ("spherical", "planar", "cylindrical", "universal")


def compound_tree(seed: int, joints: int) -> Mechanism:
    """A tree of that many joints of any kind; every body has a mass and a full inertia tensor.

    A third of the trees begin with a floating joint.  About a quarter of the revolute and prismatic joints have rotors, and
    now and then one follows another.
    """
    rng = np.random.default_rng([29, seed, joints])
    gravity = ((0.0, 0.0, -9.81), (3.1, -4.2, 5.3))[int(rng.integers(2))]
    builder = MechanismBuilder(f"compound_{seed}_{joints}", gravity=gravity)
    leaders: list[str] = []
    for number in range(joints):
        _body(builder, rng, f"body{number}")
        parent = BASE
        if number:
            parent = f"body{number - 1 if rng.random() < 0.7 else int(rng.integers(number))}"
        kind = (
            "floating" if number == 0 and rng.random() < 0.34 else str(rng.choice([*SIMPLE * 2, *COMPOUND]))
        )
        _connect(builder, rng, kind, f"joint{number}", parent, f"body{number}", leaders)
    if rng.random() < 0.5:
        _body(builder, rng, "tool")
        builder.fixed(
            "weld", f"body{joints - 1}", "tool", position=_vector(rng, 0.4), rotation=_vector(rng, 2.0)
        )
    return builder.build()


def _connect(
    builder: MechanismBuilder,
    rng: np.random.Generator,
    kind: str,
    name: str,
    parent: str,
    child: str,
    leaders: list[str],
) -> None:
    at = {"position": _vector(rng, 0.4), "rotation": _vector(rng, 2.0)}
    axis = _vector(rng, 1.0) if rng.random() < 0.5 else _unit(rng)
    if kind == "helical":
        builder.helical(name, parent, child, axis, round(float(rng.uniform(-0.3, 0.3)), 3), **at)
    elif kind == "universal":
        builder.universal(name, parent, child, axis, _vector(rng, 1.0), **at)
    elif kind in ("spherical", "floating"):
        getattr(builder, kind)(name, parent, child, **at)
    elif kind in ("planar", "cylindrical"):
        getattr(builder, kind)(name, parent, child, axis, **at)
    else:
        rotor = round(float(rng.uniform(0.01, 0.5)), 3) if rng.random() < 0.25 else 0
        getattr(builder, kind)(name, parent, child, axis, **at, rotor_inertia=rotor, gear_ratio=2)
        if leaders and rng.random() < 0.3:
            leader = leaders[int(rng.integers(len(leaders)))]
            builder.mimic(
                name, leader, round(float(rng.uniform(-2, 2)), 3), round(float(rng.uniform(-1, 1)), 3)
            )
        else:
            leaders.append(name)


def _body(builder: MechanismBuilder, rng: np.random.Generator, name: str) -> None:
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    # three radii of gyration of one body: their squares keep the triangle inequality
    second = np.sort(rng.uniform(0.05, 0.4, 3))
    tensor = turn @ np.diag(second.sum() - second) @ turn.T
    builder.body(
        name,
        mass=round(float(rng.uniform(0.3, 3)), 3),
        center=_vector(rng, 0.3),
        inertia=np.round((tensor + tensor.T) / 2, 4).tolist(),
    )


def _vector(rng: np.random.Generator, size: float) -> Vector:
    x, y, z = (round(float(entry), 3) for entry in rng.uniform(-size, size, 3))
    return (x, y, z)


def _unit(rng: np.random.Generator) -> Vector:
    x, y, z = np.eye(3)[int(rng.integers(3))] * (-1 if rng.random() < 0.4 else 1)
    return (float(x), float(y), float(z))
