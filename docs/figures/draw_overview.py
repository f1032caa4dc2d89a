"""The picture of README.md, ``overview.png``: ``make picture``.

Left: operations of the six actuator forces of the Stanford Arm, published and ours.  Right: the arm under the feedback
law of Kane & Levinson (1983), figure 3.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import kanegen
from kanegen.codegen.commands.published import PUBLISHED
from kanegen.codegen.commands.scenario_run import run
from kanegen.codegen.mechanism import catalogue

MODEL, KERNEL = "stanford_arm", "inverse_dynamics"
PUBLISHERS = (
    "Hollerbach 1980\nLagrangian",
    "Walker & Orin 1982\nwith mass matrix",
    "Luh, Walker & Paul\nNewton-Euler",
    "Kane & Levinson\n1983",
)
"""Short names of the published counts, in their order."""


def main() -> None:
    """Draw it, beside this file."""
    arm = kanegen.load(MODEL)
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    counts, motion = figure.subplots(1, 2, width_ratios=(1.2, 1))
    ours = arm.operation_counts[KERNEL]
    rows = [(who, *row[:2]) for who, row in zip(PUBLISHERS, PUBLISHED[MODEL, KERNEL], strict=True)]
    rows.append(("kanegen", ours.multiplications, ours.additions))
    names = [row[0] for row in rows]
    counts.barh(names, [row[1] for row in rows], color="black", label="multiplications")
    counts.barh(
        names, [row[2] for row in rows], left=[row[1] for row in rows], color="0.65", label="additions"
    )
    for name, m, a in rows:
        counts.text(m + a + 40, name, f"{m} + {a}", va="center", fontsize="small")
    counts.set_xlim(0, 1.2 * sum(rows[0][1:]))
    counts.invert_yaxis()
    counts.legend(frameon=False, loc="lower right", fontsize="small")
    counts.set_title("Stanford Arm: operations for the six actuator forces", fontsize=10)
    result = run(arm, catalogue.mechanism(MODEL), catalogue.scenario(MODEL, "feedback"))
    for k, name in enumerate(arm.joint_names[:5]):
        motion.plot(result.t, result.q[:, k], color=str(0.15 * k), linewidth=1.2, label=name)
    target = result.scenario.targets[0]  # type: ignore[union-attr]  # the study has targets
    motion.axhline(target, color="black", linewidth=0.6, linestyle="--", label="target")
    motion.set_xlim(0, result.t[-1])
    motion.set_xlabel("t [s]")
    motion.set_ylabel("angles [rad]")
    motion.legend(frameon=False, fontsize="small")
    motion.set_title("its motion under the paper's feedback law", fontsize=10)
    for axis in (counts, motion):
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).parent / "overview.png", dpi=110, metadata={"Software": None})


if __name__ == "__main__":
    main()
