"""Mechanisms to write, what a tree of joints says of them, and forces by the names of coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np

from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.mechanism.catalogue import mechanism, names
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.importers import from_toml
from kanegen.options import Options
from tests.derivation.structured_trees import structured_tree
from tests.mechanism.importers.toml_models import EVERY_JOINT

BUILT_IN = tuple(names())

ODD = 'swing <&> "é"'
"""A name that XML must escape."""

FULL = (
    EVERY_JOINT.replace('"free"]', f'"free", {ODD!r}]')
    + f"""
[home]
turn = 0.5
[[body]]
name = "load"
mass = 1.5
center = [0.1, 0.2, -0.1]
inertia = [0.03, 0.04, 0.05, 0.001, -0.002, 0.003]
[[body]]
name = "rod"
mass = 0.7
inertia = [0.01, 0, 0.01]
[[joint]]
name = "offset"
type = "fixed"
parent = "b2"
child = "load"
position = [0, 0.1, 0.2]
rotation = [0.3, -0.2, 0.1]
[[joint]]
name = {ODD!r}
type = "prismatic"
parent = "load"
child = "rod"
axis = [0, 3, 4]
position = [0.3, 0, 0]
[[frame]]
name = "grip"
body = "rod"
position = [0, 0, 0.1]
rotation = ["pi/3", "pi/4", 0.1]
[[spring]]
name = "coil"
joint = "turn"
stiffness = 3
rest = 0.2
[[spring]]
name = "rope"
first = "b2"
second = "base"
stiffness = 4
damping = 0.5
rest = 0.1
"""
)


@cache
def model(name: str) -> Mechanism:
    """A built-in, a random tree, or the one that has everything (with or without a ball joint)."""
    if name.startswith("full"):
        return from_toml(
            FULL if name == "full" else FULL.replace("spherical", "fixed").replace('"ball", ', "")
        )
    return mechanism(name) if name in BUILT_IN else structured_tree(int(name.split()[1]), 6)


TREES = [*BUILT_IN, *(f"tree {seed}" for seed in range(90, 96)), "full without ball"]


def tree(m: Mechanism, **instead: object) -> Mechanism:
    """Its joints alone, all moving by themselves but for followers, with numbers in place of parameters."""
    modes = {mode for link in m.flexible for mode in link.modes}
    free = (*(name for name in m.coordinates if name not in modes), *(given.joint for given in m.prescribed))
    bare = dict.fromkeys(("laws", "loops", "constraints", "prescribed", "speeds", "home", "flexible"), ())
    return replace(with_numbers(m), **{**bare, "coordinates": free, "springs": (), **instead})  # type: ignore[arg-type]


def state(m: Mechanism, seed: int = 1) -> dict[str, float]:
    """A configuration with unit quaternions, speeds and accelerations, by what they are and of which name."""
    random = np.random.default_rng(seed)
    found = {f"q {name}": random.uniform(-1, 1) for name in m.coordinates}
    for ball in m.balls:
        turned = random.normal(size=4)
        found |= {
            f"q {n}": x for n, x in zip(ball.coordinates[-4:], turned / np.linalg.norm(turned), strict=True)
        }
    return found | {f"{of} {name}": random.uniform(-1, 1) for of in "va" for name in m.rates}


def forces(m: Mechanism, at: Mapping[str, float]) -> dict[str, float]:
    """The textbook's forces of inverse dynamics, by the names of speeds."""
    rows = {"q": [at[f"q {n}"] for n in m.coordinates]} | {
        of: [at[f"{of} {n}"] for n in m.rates] for of in "va"
    }
    program = KernelSources(m, Options()).plain("inverse_dynamics")
    tau = evaluate(program, {key: np.array([row]) for key, row in rows.items()})["tau"][0]
    return dict(zip(m.rates, tau, strict=True))


def difference(some: Mapping[str, float], others: Mapping[str, float]) -> float:
    """The largest difference, in parts of the largest force."""
    assert set(some) == set(others)
    largest = float(np.abs(list(some.values())).max())
    return float(max(abs(some[name] - others[name]) for name in some)) / largest


GRAVITY_OF_URDF = (Fraction(0), Fraction(0), Fraction("-9.81"))
