"""The example of Sim, Yoo & Lee 1985 from the command line: ``python -m kanegen.codegen.commands.straight_line``.

Prints torques and the errors of the hand, and with ``--figures DIRECTORY`` draws the torque curves of all six actuators
and writes them as numbers.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

import kanegen
from kanegen.body_coordinates import KERNELS as BODY_KERNELS
from kanegen.codegen.commands.straight_line_study import StraightLineResult, run_straight_line
from kanegen.codegen.emit.writer import write_files
from kanegen.errors import KanegenError
from kanegen.figures.canvas import check_plot

MODEL = "sim_yoo_lee_robot"
KERNELS = ("inverse_dynamics", "forward_dynamics", "frame_pose_hand")
FILE = "sim-yoo-lee-1985-torques"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description="torques of the robot of Sim, Yoo & Lee 1985, and its motion from them"
    )
    parser.add_argument(
        "--figures", type=Path, metavar="DIRECTORY", help="draw the torques (needs matplotlib)"
    )
    options = parser.parse_args(arguments)
    try:
        run(options.figures, print)
    except (KanegenError, OSError) as error:
        parser.exit(1, f"error: {error}\n")


def run(figures: Path | None, report: Callable[[str], None]) -> StraightLineResult:
    """Run the study; ``report`` gets lines.  Raises KanegenError and, for files that cannot be written, OSError."""
    if figures is not None:
        check_plot(".png")  # before the work is done
    result = run_straight_line(
        kanegen.load(MODEL, kernels=KERNELS),
        kanegen.load(MODEL, kernels=BODY_KERNELS, formulation="euler_parameters"),
    )
    for line in summary(result):
        report(line)
    if figures is not None:
        write_files({f"{FILE}.png": drawing(result), f"{FILE}.csv": csv_text(result).encode()}, figures)
        report(f"wrote {figures / FILE}.png and .csv")
    return result


def summary(result: StraightLineResult) -> Iterator[str]:
    """Lines that say what was found."""
    yield f"{MODEL}: {result.line.length:.6f} m along a straight line in {result.line.duration:.6f} s"
    yield "  J. S. Sim, Y. M. Yoo & C. W. Lee 1985, section 6"
    yield ""
    yield f"{'actuator':10}{'smallest':>16}{'at t':>8}{'largest':>16}{'at t':>8}"
    for k, torques in enumerate(result.torques.T):
        low, high = int(np.argmin(torques)), int(np.argmax(torques))
        yield (
            f"  {k + 1:<4}N m {torques[low]:z16.6f}{result.t[low]:8.3f}{torques[high]:z16.6f}{result.t[high]:8.3f}"
        )
    yield ""
    yield f"by multipliers and by recursion they differ by at most {result.difference:.1e} N m"
    yield ""
    yield f"{'released under these torques':48}{'hand off by':>14}{'steps':>8}{'joints open by':>16}"
    for again in result.resimulations:
        drift = "" if again.drift is None else f"{again.drift:.1e}"
        yield f"  {again.title:46}{again.error * 1e3:11.2e} mm{again.steps:8}{drift:>16}"
    yield "  splines: one for each phase, 20, 80 and 20 intervals; the paper reports 0.15 mm"


def csv_text(result: StraightLineResult) -> str:
    """The torque curves as comma-separated values, 12 significant digits; where phases meet, both sides."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    numbers = range(1, result.torques.shape[1] + 1)
    writer.writerow(["t", *(f"q{k}" for k in numbers), *(f"torque{k}" for k in numbers)])
    for row in np.hstack([result.t[:, None], result.q, result.torques]):
        writer.writerow([format(float(value), "z#.12g") for value in row])
    return text.getvalue()


def drawing(result: StraightLineResult) -> bytes:
    """The torque curves of all actuators as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 6.3), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(3, 2, sharex=True)
    for k, axis in enumerate(axes.flat):
        for phase in range(3):
            here = result.phase == phase
            axis.plot(result.t[here], result.torques[here, k], color="black", linewidth=1.0)
        for border in result.line.breaks[1:3]:
            axis.axvline(border, color="0.8", linewidth=0.6, zorder=0)
        axis.axhline(0.0, color="0.6", linewidth=0.5, zorder=0)
        axis.set_ylabel(rf"$\tau_{{{k + 1}}}$ [N m]")
        axis.set_xlim(0.0, result.line.duration)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[-1]:
        axis.set_xlabel(r"$t$ [s]")
    figure.suptitle("sim_yoo_lee_robot: torques of the actuators along the straight line", fontsize=10)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    return content.getvalue()


if __name__ == "__main__":
    main()
