"""``kanegen simulate``: a scenario of a built-in mechanism by name, or the motion of any model."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import kanegen
from kanegen.codegen.commands import scenario_run
from kanegen.codegen.commands.model_simulation import add_motion, files_of, simulate_model
from kanegen.codegen.commands.option_flags import add_options, asked_options, named_law
from kanegen.codegen.commands.parser import Parser, finite
from kanegen.codegen.commands.scenario_plots import plot
from kanegen.codegen.commands.scenario_report import csv_text, summary
from kanegen.codegen.commands.scenario_run import Result
from kanegen.codegen.commands.simulation_words import Words, assignments, from_file, table_file, wrench_flags
from kanegen.codegen.mechanism import catalogue
from kanegen.errors import KanegenError
from kanegen.figures.canvas import check_plot
from kanegen.files import write_file
from kanegen.options import OF_MOTIONS, Options
from kanegen.options import options as options_of
from kanegen.simulation.request import METHODS

OF_SCENARIOS = {"model", "scenario", "plot", "csv", "command", "run", "usage_error", *OF_MOTIONS}
"""What the command line may say of a scenario by name."""


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    parser.add_argument(
        "--scenario", metavar="NAME|FILE.toml", help="one of a built-in by name, or a file of these words"
    )
    parser.add_argument("--time", type=finite, metavar="SECONDS", help="how long")
    parser.add_argument(
        "--law",
        metavar="NAME",
        help="a control law of the model, or 'pd(kp=100, kd=20)' (default: no forces)",
    )
    parser.add_argument(
        "--reference", type=Path, metavar="FILE", help="signals that the law follows: columns t, NAME, …"
    )
    parser.add_argument(
        "--wrench",
        nargs="+",
        action="extend",
        default=[],
        metavar="FRAME=FX,FY,FZ,MX,MY,MZ",
        help="what acts on a frame [N, N m], along the axes of the base; or FRAME=FILE with columns t, fx, …",
    )
    parser.add_argument("--method", choices=METHODS, help="of integration (default dopri5)")
    parser.add_argument("--step", type=finite, metavar="SECONDS", help="of rk4 and gauss4")
    parser.add_argument(
        "--sample-period", type=finite, metavar="SECONDS", help="between two calls of the law"
    )
    parser.add_argument("--rtol", type=finite, help="relative tolerance of a step (default 1e-9)")
    parser.add_argument("--atol", type=finite, help="absolute tolerance of a step (default 1e-12)")
    parser.add_argument(
        "--constants", action="store_true", help="energies, momenta, and what has to stay constant"
    )
    add_motion(parser, "or v.NAME=VALUE, to begin with [rad, m, s]; p.NAME=VALUE for what is --live")
    add_options(parser, OF_MOTIONS)
    parser.set_defaults(usage_error=parser.error)


def run(given: argparse.Namespace) -> int:
    """Run a scenario of a built-in by name, or any model; 1 where the motion does not reach its end.

    Raises KanegenError for what is wrong with it.
    """
    if given.time is None and given.scenario is None:
        given.usage_error("how long? Give --time SECONDS, or --scenario with a name or a file")
    options = asked_options(given, OF_MOTIONS)
    scenario = given.scenario
    if scenario is not None and Path(scenario).suffix != ".toml":
        if given.model not in catalogue.names():
            if not Path(given.model).suffix:
                catalogue.mechanism(given.model)  # a name: says that it is not built in, and what was meant
            raise KanegenError(
                f"scenario {scenario!r}: built-in mechanisms alone have scenarios by name. For {given.model} write a "
                "file of what is wanted: --scenario FILE.toml"
            )
        said = [
            name
            for name, value in vars(given).items()
            if name not in OF_SCENARIOS and value not in (None, [], False)
        ]
        if said or options.asked():
            raise KanegenError(
                f"scenario {scenario!r} of {given.model} is run as it is: without {', '.join(said) or 'options of files'}. "
                "Leave that out, or write a file of the words you want: --scenario FILE.toml"
            )
        run_scenario(given.model, scenario, given.plot, given.csv, print)
        return 0
    words = assignments(given.set)
    flags = ("time", "t0", "law", "method", "step", "sample_period", "rtol", "atol", "rows")
    words = replace(words, **{name: getattr(given, name) for name in flags})
    words = replace(words, wrenches=wrench_flags(given.wrench))
    if given.reference is not None:
        words = replace(words, references=table_file(given.reference))
    if scenario is not None:
        words = words.over(from_file(Path(scenario)))
    if words.law is not None and "(" in words.law:
        options, words = _with_law(options, words, words.law)
    reached = simulate_model(given.model, words, options, files_of(given), print, given.constants)
    return 0 if reached else 1


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
    result = scenario_run.run(kanegen.load(model_name), mechanism, scenario)
    for line in summary(result):
        report(line)
    if csv_file is not None:
        write_file(csv_file, csv_text(result).encode("utf-8"))
        report(f"wrote {csv_file}")
    if plot_file is not None:
        write_file(plot_file, plot(result, plot_file.suffix))
        report(f"wrote {plot_file}")
    return result


def _with_law(options: Options, words: Words, text: str) -> tuple[Options, Words]:
    """A law that is written where the name of one is expected: added to the model, and acting."""
    name, law = named_law(text)
    try:
        added = options_of({"laws": (*options.laws, (name, law))}).laws
    except (TypeError, ValueError) as error:
        raise KanegenError(str(error)) from None
    return replace(options, laws=added), replace(words, law=name)
