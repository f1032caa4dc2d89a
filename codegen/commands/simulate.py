"""``kanegen simulate``: run a scenario of a built-in mechanism by name, report it, write its numbers and draw it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kanegen
from kanegen.codegen.commands.scenario_plots import plot
from kanegen.codegen.commands.scenario_report import csv_text, summary
from kanegen.codegen.commands.scenario_run import Result, run
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.mechanism import catalogue
from kanegen.figures.canvas import check_plot


def run_scenario(
    model_name: str,
    scenario_name: str,
    plot_file: Path | None,
    csv_file: Path | None,
    report: Callable[[str], None],
) -> Result:
    """Run a scenario; ``report`` gets the lines of the summary, the files their drawing and numbers.

    Raises ModelError for an unknown mechanism or scenario, KanegenError for a drawing that cannot be made and a
    simulation that does not reach its end, and OSError for files that cannot be written.
    """
    mechanism = catalogue.mechanism(model_name)
    scenario = catalogue.scenario(model_name, scenario_name)
    if plot_file is not None:
        check_plot(plot_file.suffix)  # before the work is done
    result = run(kanegen.load(model_name), mechanism, scenario)
    for line in summary(result):
        report(line)
    if csv_file is not None:
        _write(csv_file, csv_text(result).encode("utf-8"))
        report(f"wrote {csv_file}")
    if plot_file is not None:
        _write(plot_file, plot(result, plot_file.suffix))
        report(f"wrote {plot_file}")
    return result


def _write(path: Path, content: bytes) -> None:
    """The whole file, or nothing of it; a pipe or a device is written as it is."""
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(content)
    else:
        write_files({path.name: content}, path.parent)
