"""``kanegen compare MODEL --against ENGINE``: every kernel that both have, over random states."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.commands.against_report import Difference, Report
from kanegen.codegen.derivation.kernels.catalogue import contract_of
from kanegen.codegen.derivation.kernels.contract import Contract
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import JointKind, Mechanism
from kanegen.codegen.peers import State, TreePeer, open_peer
from kanegen.errors import KanegenError
from kanegen.model_warnings import once

Array = NDArray[np.float64]

_FLOOR = 1e-3
"""Results that vanish in exact arithmetic (gravity on vertical axes, rates of a constant Jacobian) are rounding errors in an
engine: they are held against this share of what could have stood there in the state, at least."""


@once()
def compare_against(
    model: str | os.PathLike[str] | Mechanism,
    engine: str,
    *,
    states: int = 100,
    seed: int = 1983,
    kernels: Sequence[str] | None = None,
    options: pipeline.Options | None = None,
    interpreted: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Differences between kanegen's kernels and an engine's answers ("pinocchio" or "mujoco").

    Where the engine reads the format of the model file, and ``options`` change nothing of the mechanism, it reads the file
    itself.  Friction and damping of joints are off in both, springs on.  ``kernels`` names those to compare, all that both
    have by default; they are compiled, or ``interpreted``.

    Raises ModelError where the engine is missing or the mechanism has what it cannot do.
    """
    if states < 1:
        raise KanegenError(f"states: expected at least 1, got {states}")
    options = options or pipeline.Options()
    mechanism = pipeline.read(model, options)
    if options.changes:
        model = mechanism  # which the engine cannot read from a file
    peer = open_peer(engine, mechanism, model)
    if progress is not None:
        progress(f"generating {mechanism.name}")
    built_in = isinstance(model, str) and model in catalogue.names()
    robot = kanegen.load(
        str(model) if built_in else mechanism,
        kernels=None if kernels is None else list(dict.fromkeys(["inverse_dynamics", *kernels])),
        interpreted=interpreted,
    )
    arguments = random_states(mechanism, robot, states, seed)
    answers = peer.kernels(c_names(robot.frame_names))
    known = {*KernelSources(mechanism, pipeline.Options()).builds, *robot.kernels, *robot.optional_kernels}
    wanted = known if kernels is None else {*kernels}
    found, skipped = [], {}
    grouped = {name: parts for name, parts in _grouped(answers).items() if name in wanted}
    for name, parts in grouped.items():
        if progress is not None:
            progress(name)
        try:
            results = _results(robot, name, parts, arguments)
        except KanegenError as error:
            skipped[name] = str(error)
            continue
        for part, result in results.items():
            found.append(_difference(part, result, answers[part], arguments, peer, robot.speed_names))
    for name in sorted({*(kernels or ())} - {*grouped}):
        skipped[name] = f"{peer.title} has no such answer"
    without_peer = tuple(sorted({*wanted} - {*grouped} - {*skipped}))
    return Report(mechanism.name, peer.title, states, seed, tuple(found), skipped, without_peer)


def random_states(mechanism: Mechanism, robot: kanegen.Robot, count: int, seed: int) -> dict[str, Array]:
    """q, v, a, tau and a wrench, (count, ...): angles and unit quaternions anywhere, displacements within a metre.

    Forces are of the size of those of inverse dynamics in the state.
    """
    random = np.random.default_rng(seed)
    nq, nv = len(mechanism.coordinates), mechanism.dof
    q = random.uniform(-1.0, 1.0, (count, nq))
    for index, name in enumerate(mechanism.coordinates):
        if any(j.name == name and j.kind is JointKind.REVOLUTE for j in mechanism.joints):
            q[:, index] *= np.pi
    for first in mechanism.quaternions:
        quaternion = random.standard_normal((count, 4))
        q[:, first : first + 4] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    v, a, tau = random.standard_normal((3, count, nv))
    largest = np.abs(robot.inverse_dynamics(q, v, a)).max(axis=1, keepdims=True)
    return {"q": q, "v": v, "a": a, "tau": tau * largest, "wrench": random.standard_normal((count, 6))}


def _grouped(kernels: Mapping[str, object]) -> dict[str, list[str]]:
    """Names with a part for each output, by kernel."""
    grouped: dict[str, list[str]] = {}
    for name in kernels:
        grouped.setdefault(_kernel_of(name), []).append(name)
    return grouped


def _kernel_of(part: str) -> str:
    """``kernel`` of ``kernel.output``, for kernels of several outputs; frames' names may hold dots of their own."""
    kernel = part.partition(".")[0]
    contract = contract_of(kernel)
    return kernel if contract is not None and len(contract.gives) > 1 else part


def _contract(kernel: str) -> Contract:
    """The contract of a kernel that an engine has, too."""
    found = contract_of(kernel)
    assert found is not None, f"engines know no control law, as {kernel} is"
    return found


def _results(
    robot: kanegen.Robot, name: str, parts: Sequence[str], arguments: Mapping[str, Array]
) -> dict[str, Array]:
    """Results of all states by part, (count, ...)."""
    contract = _contract(name)
    result = robot.call(name, *(arguments[slot.name] for slot in contract.takes))
    if name == "regressor":
        result = result @ robot.base_parameters
    if len(contract.gives) == 1:
        return {name: np.asarray(result)}
    return {part: np.asarray(result[contract.found.index(part.partition(".")[2])]) for part in parts}


def _difference(
    name: str,
    result: Array,
    expected_of: Callable[[State], Array],
    arguments: Mapping[str, Array],
    peer: TreePeer,
    speeds: Sequence[str],
) -> Difference:
    worst: tuple[float, int, tuple[int, ...], float, float] | None = None
    for index, value in enumerate(result):
        state = State(**{key: array[index] for key, array in arguments.items()})
        expected = expected_of(state)
        scale = max(float(np.abs(expected).max(initial=0.0)), _FLOOR * _reference(name, state, peer))
        apart = np.abs(value - expected)
        place = tuple(int(i) for i in np.unravel_index(int(np.argmax(apart)), apart.shape))
        largest = float(apart[place])
        relative = _relative(largest, scale)
        if worst is None or relative > worst[0]:
            worst = relative, index, place, float(value[place]), float(expected[place])
    assert worst is not None  # there is a state at least
    relative, index, place, ours, theirs = worst
    return Difference(name, relative, index, place, _named(name, place, speeds), ours, theirs)


def _reference(name: str, state: State, peer: TreePeer) -> float:
    """The size of what could stand in a result that may vanish: forces, accelerations, or speeds."""
    kernel = _kernel_of(name)
    if kernel in ("gravity_forces", "bias_forces", "coriolis_matrix", "inverse_dynamics_derivatives"):
        return float(np.abs(peer.inverse_dynamics(state.q, state.v, state.a)).max())
    if kernel == "forward_dynamics_derivatives":
        return float(np.abs(peer.forward_dynamics(state.q, state.v, state.tau)).max())
    return float(np.abs(state.v).max()) if kernel.startswith("frame_jacobian_rate_") else 0.0


def _relative(difference: float, scale: float) -> float:
    """The ratio; NaN counts as infinite, and nothing against nothing as zero."""
    if np.isnan(difference):
        return float("inf")
    if difference == 0:
        return 0.0
    return difference / scale if scale > 0 else float("inf")


def _named(name: str, place: tuple[int, ...], speeds: Sequence[str]) -> tuple[str, ...]:
    """The speeds that an entry belongs to: rows and columns of force and mass matrices, columns of Jacobians."""
    kernel = _kernel_of(name)
    contract, output = _contract(kernel), name.removeprefix(kernel)[1:]
    slot = contract.gives[contract.found.index(output) if output else 0]
    return tuple(speeds[i] for i, size in zip(place, slot.shape, strict=False) if size == "nv")
