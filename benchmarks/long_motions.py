"""How well is energy kept over 1,000 s, by the method that keeps its balance and by Runge and Kutta's?

    python -m benchmarks.long_motions [--duration SECONDS] [--plot energy.png]

The Stanford Arm, released from near the horizontal with its translation locked, swings and tumbles freely, in steps of
1 ms.  Beside the energy stands the angular momentum about the vertical, which neither method is told to keep.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import kanegen
from kanegen.figures.canvas import content, figure
from kanegen.files import write_whole
from kanegen.simulation import Motion

METHODS = {"gauss4": "Gauss, order 4, energy kept", "rk4": "Runge and Kutta, order 4"}
STEP, START = 1e-3, [0.1, 1.2, 0.3, 0.2, -0.3]
ROWS_PER_SECOND = 20
PARTS = 10
"""The motion is looked at in as many parts, one after the other."""

UP = 4
"""The vertical, n2, among the components of momentum."""


def motions(duration: float) -> Mapping[str, tuple[Motion, float]]:
    """The motion by each method, and the seconds that it took."""
    kernels = ["forward_dynamics", "kinetic_energy", "potential_energy", "momentum"]
    arm = kanegen.load("stanford_arm", lock={"q6": 0.2}, kernels=kernels)
    found = {}
    for method in METHODS:
        begin = time.perf_counter()
        times = np.linspace(0.0, duration, round(duration * ROWS_PER_SECOND) + 1)
        motion = kanegen.simulate(
            arm, START, np.zeros(arm.nv), duration, method=method, step=STEP, times=times
        )
        found[method] = motion, time.perf_counter() - begin
    return found


def report(found: Mapping[str, tuple[Motion, float]]) -> None:
    """Print what energy and momentum are off at most, in each part of the motions."""
    for method, (motion, seconds) in found.items():
        assert motion.energy is not None  # there are kernels for it
        momentum = motion.arm.momentum(motion.q, motion.v)[:, UP]
        kinetic = motion.arm.kinetic_energy(motion.q, motion.v).max()
        print(
            f"{method}: {motion.statistics.accepted} steps, {motion.statistics.evaluations} evaluations, {seconds:.1f} s; "
            f"kinetic energy up to {kinetic:.3g} J"
        )
        for part in np.array_split(np.arange(motion.t.size), PARTS):
            energy, turning = (np.abs(values - values[0])[part].max() for values in (motion.energy, momentum))
            print(
                f"  {motion.t[part[0]]:8.2f} s to {motion.t[part[-1]]:8.2f} s: energy {energy:.1e} J, "
                f"angular momentum {turning:.1e} kg m^2/s"
            )


def draw(found: Mapping[str, tuple[Motion, float]], path: Path) -> None:
    """Write the errors of energy over time, on a logarithmic scale."""
    drawn = figure(path, figsize=(7.0, 3.6), layout="constrained")
    axes = drawn.subplots()
    for method, (motion, _) in found.items():
        assert motion.energy is not None
        error = np.maximum(np.abs(motion.energy - motion.energy[0]), np.finfo(float).eps)
        axes.semilogy(motion.t, error, linewidth=0.6, label=f"{method}: {METHODS[method]}")
    axes.set(xlabel="t [s]", ylabel="|E(t) − E(0)| [J]", title="Stanford Arm swinging freely, steps of 1 ms")
    axes.grid(True, alpha=0.3)
    axes.legend(loc="center right")
    write_whole(path, content(drawn, path.suffix))


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--duration", type=float, default=1000.0, metavar="SECONDS")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="a figure of the errors over time")
    given = parser.parse_args(arguments)
    found = motions(given.duration)
    report(found)
    if given.plot is not None:
        draw(found, given.plot)


if __name__ == "__main__":
    main()
