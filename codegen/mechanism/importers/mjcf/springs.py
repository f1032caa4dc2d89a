"""Springs, dampers and tendons of a compiled model.

MuJoCo's springs are k1 x + k2 x^2 + k3 x^3 in the distance x from the rest, or from the range in which they are slack; its
dampers c1 v + c2 |v| v + c3 v^3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kanegen.codegen.mechanism import force_laws
from kanegen.codegen.mechanism.force_elements import Displacement, ForceLaw, JointSum, PathLength
from kanegen.codegen.mechanism.importers.mjcf.bodies import Tree
from kanegen.codegen.mechanism.importers.mjcf.coupling import site_frame
from kanegen.codegen.mechanism.importers.mjcf.kinds import is_scalar
from kanegen.codegen.mechanism.importers.mjcf.unsupported import Tendon, disabled, tendon
from kanegen.codegen.mechanism.readers import read_number


def add_springs(tree: Tree) -> None:
    """Springs of hinges and slides, and springs and dampers of tendons."""
    mujoco, model, names = tree.mujoco, tree.model, tree.names
    springs, dampers = (not disabled(mujoco, model, what) for what in ("SPRING", "DAMPER"))
    for j in range(model.njnt):
        if not is_scalar(mujoco, model, j) or j in tree.held:
            continue
        name = names.joints[j]
        stiffness = _coefficients(model, "jnt_stiffness", j) if springs else [0.0]
        if any(stiffness):
            rest = float(model.qpos_spring[int(model.jnt_qposadr[j])])
            if len(stiffness) == 1:
                tree.builder.torsional_spring(f"{name}_spring", name, stiffness[0], 0, rest)
            else:
                tree.builder.force_element(f"{name}_spring", name, force_laws.spring(stiffness, rest))
    for t in range(model.ntendon):
        stiffness = _coefficients(model, "tendon_stiffness", t) if springs else [0.0]
        damping = _coefficients(model, "tendon_damping", t) if dampers else [0.0]
        if any(stiffness) or any(damping):
            _add_tendon(tree, t, tendon(mujoco, model, t), stiffness, damping)


def _add_tendon(
    tree: Tree, t: int, given: Tendon, stiffness: Sequence[float], damping: Sequence[float]
) -> None:
    model, names = tree.model, tree.names
    sites = [int(model.site_bodyid[site]) for site in given.sites]
    moving = {j: c for j, c in given.joints.items() if j not in tree.held}
    if all(tree.rigid(sites[0], other) for other in sites[1:]) and not moving:
        tree.warn(
            names.described("tendon", t),
            "its ends are on bodies that nothing moves against each other: it is idle",
            "ends on bodies that move against each other",
            "Remove it, or put its sites on the bodies that are meant.",
        )
        return
    held = sum(c * float(tree.held[j]) for j, c in given.joints.items() if j in tree.held)
    low, high = (float(x) - held for x in model.tendon_lengthspring[t])
    name = names.given("tendon", t) or f"tendon{t}"
    frames = [site_frame(tree, site) for site in given.sites]
    if len(frames) == 2 and len(stiffness) == len(damping) == 1 and (low == high or not stiffness[0]):
        rest = low if stiffness[0] else 0.0
        tree.builder.translational_spring(name, frames[0], frames[1], stiffness[0], damping[0], rest)
        return
    path: Displacement = PathLength(tuple(frames))
    if moving:
        joints = tuple(names.joints[j] for j in moving)
        path = JointSum(joints, tuple(read_number(name, c) for c in moving.values()))
    law = ForceLaw()
    if any(stiffness):
        law += force_laws.dead_band(stiffness, low, high)
    if any(damping):
        law += force_laws.damper(*damping)
    tree.builder.force_element(name, path, law)


def _coefficients(model: Any, field: str, index: int) -> list[float]:
    """The linear coefficient, and the others up to the last that is not zero, where this release of MuJoCo has them."""
    found = [float(getattr(model, field)[index])]
    more = getattr(model, f"{field}poly", None)
    found += [] if more is None else [float(x) for x in more[index]]
    while len(found) > 1 and found[-1] == 0:
        found.pop()
    return found
