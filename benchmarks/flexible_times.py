"""Forward dynamics of an arm with flexible links beside Pinocchio's, of a rigid chain with as many joints.

The two sides work on different machines, so that results are not compared with each other, but each with another route to
the same numbers: the arm's accelerations with the solution of M a = R, Pinocchio's with kanegen's derivation for the
chain, both evaluated by NumPy.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.contestants import PINOCCHIO_CPP, PINOCCHIO_CPP_WORLD
from benchmarks.course import say
from benchmarks.drivers.build import BUILD_FOLDER, build, model_driver
from benchmarks.machines import robot_states
from benchmarks.peers.engines import Array
from benchmarks.pinocchio_cpp.robot_text import model_text
from benchmarks.protocol import Contestant, Measurement, measure, native_contestant
from benchmarks.revolute_chain import revolute_chain
from benchmarks.states import States, largest_difference, read_rows
from kanegen.builds.compiler import usable_variants
from kanegen.codegen import pipeline
from kanegen.codegen.derivation.flexible_links.states import usual_amplitudes
from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.importers import from_urdf
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.extension_source import BASELINE
from kanegen.manifest import read_manifest

ARM = "flexible_six_axis"
KERNELS = ("forward_dynamics", "equations_of_motion")
"""What is timed, and what the results are checked with."""

OWN = f"kanegen, C, {ARM}"
LOCAL = f"{PINOCCHIO_CPP}, rigid chain"
WORLD = f"{PINOCCHIO_CPP_WORLD}, rigid chain"

RELATIVE_BOUND = 1e-9
"""Largest difference allowed from the other route: the certificate's for solving with these mass matrices."""


@dataclass(frozen=True)
class ForwardDynamics:
    """Timings by contestant, and how far each one's results are from those of another route, relative to the largest."""

    measurement: Measurement
    differences: Mapping[str, float]

    def ratio(self, peer: str) -> float | None:
        """The smallest time of a peer over kanegen's; None where it was not measured."""
        timings = self.measurement.timings
        return timings[peer].minimum / timings[OWN].minimum if peer in timings else None


def flexible_states(mechanism: Mechanism, count: int) -> States:
    """Random states, the same in every run: joints as those of robots, modes up to deflections that links could have, with
    rates and loads in that proportion.
    """
    states = robot_states(mechanism.dof, count)
    for mode, amplitude in usual_amplitudes(mechanism).items():
        column = mechanism.coordinates.index(mode)
        states.q[:, column] *= amplitude / np.pi
        for rows in (states.v, states.a, states.tau):
            rows[:, column] *= amplitude
    return states


def time_forward_dynamics(
    folder: Path, count: int, rounds: int, passes: int, pinocchio: Path | None
) -> ForwardDynamics:
    """Generate, compile, time in turns, check.  ``pinocchio`` is its program for aba, None to go without.

    Raises:
        BuildFailed: without a C compiler, or without Pinocchio where its program was given.
    """
    arm = catalogue.mechanism(ARM)
    say(f"{ARM}: generating")
    sources = BUILD_FOLDER / "flexible_arms" / ARM  # it stays: C that did not change is compiled once
    shutil.rmtree(sources, ignore_errors=True)
    generated = pipeline.generate(arm, sources, pipeline.Options(kernels=KERNELS))
    say(f"{ARM}: compiling")
    variant = (usable_variants() or (BASELINE,))[0]
    program = build(model_driver(sources, read_manifest(sources), variant))
    states = flexible_states(arm, count)
    expected = {OWN: _by_solving(generated.kernels["equations_of_motion"].program, states)}
    calls: dict[str, list[str | Path]] = {
        OWN: [program, _written(states, folder / "arm.bin"), str(count), "forward_dynamics", "loop"]
    }
    if pinocchio is not None:
        urdf = revolute_chain("chain", arm.dof)
        chain, chain_states = from_urdf(urdf), robot_states(arm.dof, count)
        model = folder / "chain.txt"
        model.write_text(model_text(urdf, chain.coordinates), encoding="utf-8")
        command: list[str | Path] = [
            pinocchio,
            model,
            _written(chain_states, folder / "chain.bin"),
            str(count),
        ]
        calls |= {LOCAL: [*command, "forward_dynamics"], WORLD: [*command, "forward_dynamics_world"]}
        expected |= dict.fromkeys((LOCAL, WORLD), _of_chain(chain, chain_states))
    say(f"{ARM}: timing forward dynamics")
    contestants: list[Contestant] = []
    files = {name: folder / f"results-{number}.bin" for number, name in enumerate(calls)}
    for name, call in calls.items():
        contestants.append(native_contestant(name, [*call, str(passes), files[name]]))
    measurement = measure(contestants, rounds)
    found = {name: read_rows(file, arm.dof) for name, file in files.items()}
    return ForwardDynamics(
        measurement, {name: largest_difference(rows, expected[name], 1) for name, rows in found.items()}
    )


def _written(states: States, path: Path) -> Path:
    states.write(path)
    return path


def _inputs(states: States) -> dict[str, Array]:
    return {"q": states.q, "v": states.v, "tau": states.tau}


def _by_solving(equations: Program, states: States) -> Array:
    """The solutions (count, n) of M a = R."""
    values = evaluate(equations, _inputs(states))
    n = states.q.shape[1]
    matrices, right = values["M"].reshape(-1, n, n), values["R"].reshape(-1, n, 1)
    solved: Array = np.asarray(np.linalg.solve(matrices, right)[:, :, 0], dtype=np.float64)
    return solved


def _of_chain(chain: Mechanism, states: States) -> Array:
    """Accelerations (count, n) of the rigid chain by the textbook derivation."""
    sources = KernelSources(chain, pipeline.Options(search=1))
    derived = derive(sources, "forward_dynamics", bound=RELATIVE_BOUND)
    accelerations: Array = evaluate(derived.program, _inputs(states))["a"]
    return accelerations
