"""What states of a law cost: the Stanford Arm under a PID with limits, its integrals integrated along, and under plain PD.

    python -m benchmarks.law_states

Both laws are compiled and closed over the dynamics; equal steps are compared, and steps chosen by tolerance.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import kanegen
from kanegen import laws
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.laws_library import with_laws

JOINTS = ("q1", "q2", "q3", "q4", "q5", "q6")
KP, KI, KD = (
    dict(zip(JOINTS, gains, strict=True))
    for gains in ((40, 40, 1, 1, 1, 60), (20, 20, 1, 1, 1, 30), (15, 15, 0.2, 0.2, 0.01, 30))
)
TARGET = [0.5, 1.2, 0.3, 0.4, 0.2, 0.3]
LAWS = {
    "plain": laws.pd(KP, KD, TARGET, gravity=False),
    "integral": laws.pid(KP, KI, KD, TARGET, limit=60.0),
}
METHODS: dict[str, dict[str, Any]] = {
    "rk4, 1 ms": {"method": "rk4", "step": 1e-3},
    "dopri5, 1e-9": {"rtol": 1e-9, "atol": 1e-9},
}
REPEATS, DURATION = 15, 5.0


def main() -> None:
    """Print milliseconds of simulation for each law and method, and their ratio."""
    arm = kanegen.load(with_laws(catalogue.mechanism("stanford_arm"), LAWS))
    start = [0.1, 1.4, 0.0, 0.0, 0.0, 0.1], np.zeros(6), DURATION
    for method, settings in METHODS.items():
        best = dict.fromkeys(LAWS, np.inf)
        steps = dict.fromkeys(LAWS, 0)
        for _ in range(REPEATS):
            for name in LAWS:  # side by side, so that both see the same machine
                begin = time.perf_counter()
                motion = kanegen.simulate(arm, *start, controller=name, times=[0.0, DURATION], **settings)
                best[name] = min(best[name], time.perf_counter() - begin)
                steps[name] = motion.statistics.accepted
        listed = ", ".join(f"{name} {1e3 * best[name]:.2f} ms in {steps[name]} steps" for name in LAWS)
        print(f"{method}: {listed}: {best['integral'] / best['plain']:.2f}")


if __name__ == "__main__":
    main()
