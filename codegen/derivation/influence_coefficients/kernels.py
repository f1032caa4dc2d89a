"""Kernels of influence coefficients: G and H of frames, I*, P*, C*, K*, and models in hand coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from kanegen.codegen.derivation.influence_coefficients.coefficients import frame_influence
from kanegen.codegen.derivation.influence_coefficients.equations import augmented_model
from kanegen.codegen.derivation.influence_coefficients.hand import ROWS, forces_at_hand, hand_model
from kanegen.codegen.derivation.influence_coefficients.springs import Springs
from kanegen.codegen.derivation.kernels.catalogue import (
    EFFECTIVE_DAMPING,
    EFFECTIVE_INERTIA,
    EFFECTIVE_STIFFNESS,
    HAND_FORCES,
    HAND_INERTIA,
    HAND_POWER,
    INERTIA_POWER,
    INFLUENCE_G,
    INFLUENCE_H,
    SPRING_FORCES,
)
from kanegen.codegen.derivation.kernels.contract import Arguments, Contract
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.recursive.kinematics import Kinematics, frames_of, start
from kanegen.codegen.graph import Expression, Graph, Program, inputs
from kanegen.codegen.mechanism.records import Frame, Mechanism

SOURCE = "influence coefficients (Freeman & Tesar 1988)"

Hand = tuple[Frame, tuple[int, ...]]
"""A frame and the controlled rows of its twist, by place in ``hand.ROWS``."""


def kernels(
    tree: PlacedTree,
    identifiers: Mapping[str, str],
    *,
    hands: Iterable[Hand] = (),
    live_parameters: bool = False,
) -> dict[str, Build]:
    """The kernels of a plain tree, springs and dampers allowed, by name; ``identifiers`` gives the frames' names in C.

    influence_G_<frame>, influence_H_<frame>, effective_inertia, inertia_power, effective_damping, effective_stiffness,
    spring_forces, and for each of ``hands`` hand_inertia_<frame>, hand_power_<frame>, hand_forces_<frame>.
    """
    found: dict[str, Build] = {
        "effective_inertia": effective_inertia,
        "inertia_power": inertia_power,
        "effective_damping": partial(effective_damping, live_parameters=live_parameters),
        "effective_stiffness": partial(effective_stiffness, live_parameters=live_parameters),
        "spring_forces": partial(spring_forces, live_parameters=live_parameters),
    }
    for frame in frames_of(tree):
        first, second = (f"influence_{order}_{identifiers[frame.name]}" for order in "GH")
        found[first] = partial(influence_G, frame=frame, kernel=first)
        found[second] = partial(influence_H, frame=frame, kernel=second)
    builds = {"inertia": hand_inertia, "power": hand_power, "forces": hand_forces}
    for frame, rows in hands:
        for what, build in builds.items():
            name = f"hand_{what}_{identifiers[frame.name]}"
            found[name] = partial(build, frame=frame, rows=rows, kernel=name)
    return found


def influence_G(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, kernel: str
) -> Program:
    """First-order influence coefficients of a frame (2): its twist for unit rates of the coordinates."""
    kinematics = start(tree, choices)
    G = frame_influence(kinematics, frame).G
    return _program(INFLUENCE_G, kinematics, mechanism, G, name=kernel, frame=frame.name)


def influence_H(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, kernel: str
) -> Program:
    """Second-order influence coefficients of a frame (7): H_pmn = dG_pn/dq_m."""
    kinematics = start(tree, choices)
    H = frame_influence(kinematics, frame).H
    planes = "H[p][m][n] = dG[p][n]/dq[m]; planes 0 to 2 are symmetric"
    return _program(INFLUENCE_H, kinematics, mechanism, H, name=kernel, frame=frame.name, planes=planes)


def effective_inertia(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """I* of (15)."""
    kinematics = start(tree, choices)
    model = augmented_model(tree, kinematics.motion.graph, _q(kinematics))
    return _program(EFFECTIVE_INERTIA, kinematics, mechanism, model.inertia)


def inertia_power(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """P* of (16), symmetric in its last two indices."""
    kinematics = start(tree, choices)
    model = augmented_model(tree, kinematics.motion.graph, _q(kinematics))
    return _program(INERTIA_POWER, kinematics, mechanism, model.power)


def effective_damping(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, live_parameters: bool = False
) -> Program:
    """C* of (18)."""
    kinematics = start(tree, choices)
    matrix = Springs(kinematics, mechanism, live_parameters).effective_damping()
    return _program(EFFECTIVE_DAMPING, kinematics, mechanism, matrix)


def effective_stiffness(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, live_parameters: bool = False
) -> Program:
    """K* of (25)."""
    kinematics = start(tree, choices)
    matrix = Springs(kinematics, mechanism, live_parameters).effective_stiffness()
    return _program(EFFECTIVE_STIFFNESS, kinematics, mechanism, matrix)


def spring_forces(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, live_parameters: bool = False
) -> Program:
    """(19) and (23): what springs and dampers oppose to the drives."""
    kinematics = start(tree, choices)
    v = inputs(kinematics.motion.graph, "v", len(tree.bodies))
    loads = Springs(kinematics, mechanism, live_parameters).loads(v)
    return _program(SPRING_FORCES, kinematics, mechanism, loads)


def hand_inertia(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, rows: Sequence[int], kernel: str
) -> Program:
    """I* transferred to the rows of a hand."""
    kinematics = start(tree, choices)
    model = hand_model(tree, kinematics.motion.graph, _q(kinematics), frame, rows)
    return _program(HAND_INERTIA, kinematics, mechanism, model.inertia, kernel, **_hand(frame, rows))


def hand_power(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, rows: Sequence[int], kernel: str
) -> Program:
    """P* transferred to the rows of a hand."""
    kinematics = start(tree, choices)
    model = hand_model(tree, kinematics.motion.graph, _q(kinematics), frame, rows)
    return _program(HAND_POWER, kinematics, mechanism, model.power, kernel, **_hand(frame, rows))


def hand_forces(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, rows: Sequence[int], kernel: str
) -> Program:
    """Inverse dynamics in hand coordinates (17)."""
    del choices
    graph, n = Graph(), len(rows)
    q, e, de = (inputs(graph, name, size) for name, size in (("q", len(tree.bodies)), ("e", n), ("de", n)))
    forces = forces_at_hand(tree, graph, q, frame, rows, e, de)
    arguments = Arguments.of(mechanism).more({"hand": n})
    return HAND_FORCES.program(arguments, graph, [forces], SOURCE, name=kernel, **_hand(frame, rows))


def _q(kinematics: Kinematics) -> tuple[Expression, ...]:
    return inputs(kinematics.motion.graph, "q", len(kinematics.tree.bodies))


def _hand(frame: Frame, rows: Sequence[int]) -> dict[str, str]:
    twist = f"({', '.join(ROWS[r] for r in rows)}) of {frame.name} in the base frame"
    return {"frame": frame.name, "twist": twist}


def _program(
    contract: Contract,
    kinematics: Kinematics,
    mechanism: Mechanism,
    entries: Sequence[Any],
    name: str | None = None,
    **words: str,
) -> Program:
    arguments = Arguments.of(mechanism).more({"hand": len(entries)})
    return contract.program(arguments, kinematics.motion.graph, [entries], SOURCE, name=name, **words)
