"""The ``kanegen`` command.

Exit codes: 0 done, 1 the model or the request is wrong (one clear message), or kanegen itself is, 2 wrong usage, 130
interrupted, 141 where nobody reads on what is printed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from kanegen import option_values
from kanegen.boundary import boundary
from kanegen.codegen import pipeline
from kanegen.codegen.commands.cache import WAYS
from kanegen.codegen.commands.cache import run as run_cache
from kanegen.codegen.commands.generation_report import (
    counts_beside_published,
    json_report,
    progress_line,
    table_of_passes,
    verification_table,
)
from kanegen.codegen.commands.notices import warnings_as_lines
from kanegen.codegen.commands.option_flags import (
    FLAGS,
    Parser,
    add_options,
    asked_options,
    count,
    finite,
    one_of,
)
from kanegen.codegen.core import is_compiled
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.mechanism import catalogue
from kanegen.errors import InternalError, KanegenError, counted
from kanegen.model_warnings import once
from kanegen.options import OF_EXPLANATIONS, OF_FILES, OF_MOTIONS
from kanegen.progress import Progress
from kanegen.simulation.request import METHODS
from kanegen.version import VERSION

_ENGINES = ("pinocchio", "mujoco")
"""What ``compare --against`` knows."""

FORMATS = ("markdown", "latex", "html", "sympy")
"""What ``equations`` writes."""

OF_EQUATIONS = [name for name in FLAGS if name not in ("language", "float32", "sincos", "verify")]
"""Options that make a difference to equations."""

_TRACEBACK = "KANEGEN_TRACEBACK"
"""Environment variable that asks for the traceback of an error that nobody expected."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        with (
            boundary(f"kanegen {options.command}", getattr(options, "model", "")),
            once(),
            warnings_as_lines(lambda line: print(line, file=sys.stderr)),
        ):
            return _told(run, options)
    except KanegenError as error:
        print(f"kanegen: {error}", file=sys.stderr)
        if isinstance(error, InternalError):
            _trace(error)
        return 1
    except MemoryError:
        print("kanegen: there is not enough memory for this", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("kanegen: interrupted", file=sys.stderr)
        return 130  # as shells count it: 128 and the number of SIGINT


def _told(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """What a command returns, when all that it printed has been taken."""
    out = sys.stdout  # None where it was closed: nothing is printed then
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="backslashreplace")  # names of models that the terminal cannot show
    try:
        code = run(options)
        if out is not None:
            out.flush()
    except BrokenPipeError:  # `kanegen list | head`: nobody reads on, and nobody is to be told
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # for the flush at exit
        return 141  # as shells count it: 128 and the number of SIGPIPE
    return code


def _trace(error: InternalError) -> None:
    """Where it happened, for those who ask."""
    if os.environ.get(_TRACEBACK):
        traceback.print_exception(error.__cause__)
    else:
        print(f"kanegen: {_TRACEBACK}=1 shows where it happened", file=sys.stderr)


def _version() -> str:
    """The version, and which core derives."""
    return f"kanegen {VERSION}{' (compiled core)' if is_compiled() else ''}"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="kanegen", description="Equations of motion as the smallest, fastest C.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")

    listing = commands.add_parser("list", help="the built-in mechanisms")
    listing.add_argument("--json", action="store_true", help="for a program to read")
    listing.set_defaults(run=_list)

    generate = commands.add_parser("generate", help="write the C of a mechanism")
    generate.add_argument("model", metavar="MODEL", help="a built-in name or a model file")
    generate.add_argument("-o", "--output", type=Path, help="directory (default: generated/MODEL)")
    add_options(generate, FLAGS)
    generate.add_argument("--explain", action="store_true", help="print the table of passes")
    generate.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes that derive kernels at once (default: one for each core)",
    )
    generate.add_argument("--json", action="store_true", help="for a program to read")
    generate.set_defaults(run=_generate)

    written = commands.add_parser("equations", help="the equations of kernels, to be read")
    written.add_argument("model", metavar="MODEL", help="a built-in name or a model file")
    written.add_argument(
        "--format", choices=FORMATS, default=FORMATS[0], help="of what is written (default %(default)s)"
    )
    written.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it into a file")
    ways = written.add_mutually_exclusive_group()
    ways.add_argument(
        "--named",
        action="store_true",
        help="define only quantities that have a name of their own, and long shared expressions",
    )
    ways.add_argument("--expand", action="store_true", help="define sines alone, and multiply out")
    written.add_argument("--as-compiled", action="store_true", help="as the C has them")
    add_options(written, OF_EQUATIONS)
    written.set_defaults(run=_equations)

    explained = commands.add_parser("explain", help="Kane's method of a model step by step, to be read")
    explained.add_argument("model", metavar="MODEL", help="a built-in name or a model file")
    explained.add_argument(
        "--state",
        type=Path,
        metavar="FILE",
        help="q, v and a in TOML or JSON, for the values of all quantities",
    )
    explained.add_argument(
        "--format", choices=("markdown", "html"), default="markdown", help="of the page (default %(default)s)"
    )
    explained.add_argument("-o", "--output", type=Path, metavar="FILE", help="write it into a file")
    add_options(explained, OF_EXPLANATIONS)
    explained.set_defaults(run=_explain)

    convert = commands.add_parser("convert", help="write a model as URDF, MJCF or TOML")
    convert.add_argument("model", metavar="IN", help="a built-in name or a model file")
    convert.add_argument("output", metavar="OUT", type=Path, help="a file .urdf, .xml, .mjcf or .toml")
    convert.add_argument("--strict", action="store_true", help="refuse what the format cannot say")
    add_options(convert, OF_FILES)
    convert.set_defaults(run=_convert)

    simulate = commands.add_parser("simulate", help="the motion of a model, or a scenario of it")
    simulate.add_argument("model", metavar="MODEL", help="a built-in name or a model file")
    simulate.add_argument(
        "--scenario", metavar="NAME|FILE.toml", help="one of a built-in by name, or a file of these words"
    )
    simulate.add_argument("--time", type=finite, metavar="SECONDS", help="how long")
    simulate.add_argument("--t0", type=finite, metavar="SECONDS", help="when it begins (default 0)")
    simulate.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="q.NAME=VALUE",
        help="or v.NAME=VALUE, to begin with [rad, m, s]; p.NAME=VALUE for what is --live",
    )
    simulate.add_argument(
        "--law",
        metavar="NAME",
        help="a control law of the model, or 'pd(kp=100, kd=20)' (default: no forces)",
    )
    simulate.add_argument(
        "--reference", type=Path, metavar="FILE", help="signals that the law follows: columns t, NAME, …"
    )
    simulate.add_argument(
        "--wrench",
        nargs="+",
        action="extend",
        default=[],
        metavar="FRAME=FX,FY,FZ,MX,MY,MZ",
        help="what acts on a frame [N, N m], along the axes of the base; or FRAME=FILE with columns t, fx, …",
    )
    simulate.add_argument("--method", choices=METHODS, help="of integration (default dopri5)")
    simulate.add_argument("--step", type=finite, metavar="SECONDS", help="of rk4 and gauss4")
    simulate.add_argument(
        "--sample-period", type=finite, metavar="SECONDS", help="between two calls of the law"
    )
    simulate.add_argument("--rtol", type=finite, help="relative tolerance of a step (default 1e-9)")
    simulate.add_argument("--atol", type=finite, help="absolute tolerance of a step (default 1e-12)")
    simulate.add_argument("--rows", type=count, metavar="N", help="equally spaced times (default 1001)")
    simulate.add_argument(
        "--constants", action="store_true", help="energies, momenta, and what has to stay constant"
    )
    _add_motion_files(simulate)
    add_options(simulate, OF_MOTIONS)
    simulate.set_defaults(run=_simulate, usage_error=simulate.error)

    sweep = commands.add_parser(
        "sweep", help="many runs with values that differ, into a folder; again: goes on"
    )
    sweep.add_argument("study", type=Path, metavar="STUDY.toml", help="what is run, and what differs")
    sweep.add_argument(
        "-o", "--output", type=Path, metavar="DIRECTORY", help="of the results, in place of the study's"
    )
    sweep.add_argument(
        "--executor",
        default="threads",
        metavar="threads|processes|ADDRESS",
        help="where: in this process (default), in processes of this machine, or workers of Dask (tcp://HOST:8786)",
    )
    sweep.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="of this process, or processes, or threads of a task (default %(default)s)",
    )
    sweep.set_defaults(run=_sweep)

    trajectory = commands.add_parser(
        "trajectory", help="the forces that a path of joints or of a frame needs"
    )
    trajectory.add_argument("model", metavar="MODEL", help="a built-in name or a model file")
    trajectory.add_argument(
        "--path",
        type=Path,
        metavar="FILE",
        help="columns t and coordinates; with --frame t, x, y, z and roll, pitch, yaw, or some of these [s, m, rad]",
    )
    trajectory.add_argument("--frame", metavar="FRAME", help="the path is that of a frame in the base")
    trajectory.add_argument(
        "--time",
        type=finite,
        metavar="SECONDS",
        help="in place of a path: how long to follow a model whose equations decide all of its motion",
    )
    trajectory.add_argument("--t0", type=finite, metavar="SECONDS", help="when that begins (default 0)")
    trajectory.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="q.NAME=VALUE",
        help="where to begin, and what is not in the path [rad, m]; p.NAME=VALUE for what is --live",
    )
    trajectory.add_argument("--rows", type=count, metavar="N", help="equally spaced times (default 1001)")
    trajectory.add_argument("--json", action="store_true", help="for a program to read")
    _add_motion_files(trajectory)
    add_options(trajectory, OF_MOTIONS)
    trajectory.set_defaults(run=_trajectory)

    doctor = commands.add_parser("doctor", help="what is wrong or doubtful in a model, and how to mend it")
    doctor.add_argument("model", metavar="MODEL", help="a model file or a built-in name")
    add_options(doctor, [name for name in OF_FILES if name != "allow_unphysical"])
    doctor.add_argument("--json", action="store_true", help="for a program to read")
    doctor.set_defaults(run=_doctor)

    compare = commands.add_parser("compare", help="one mechanism in several ways, or against another engine")
    compare.add_argument("model", metavar="MODEL", help="a built-in name or a model file")
    ways = compare.add_mutually_exclusive_group(required=True)
    ways.add_argument(
        "--formulations",
        action="store_true",
        help="every formulation that applies: operations, agreement, nanoseconds",
    )
    ways.add_argument(
        "--against",
        type=one_of(_ENGINES),
        choices=_ENGINES,
        help="differences from its answers, by kernel",
    )
    compare.add_argument(
        "--states", type=count, default=100, metavar="N", help="random states (default %(default)s)"
    )
    compare.add_argument("--seed", type=count, default=1983, metavar="N", help="of the random states")
    compare.add_argument("--kernels", nargs="+", metavar="KERNEL", help="compare only these with the engine")
    add_options(compare, OF_FILES)
    compare.add_argument("--json", action="store_true", help="for a program to read")
    compare.set_defaults(run=_compare)

    reproduce = commands.add_parser("reproduce", help="the claims of the papers, printed beside computed")
    reproduce.add_argument("papers", nargs="*", metavar="PAPER", help="some of them (default: all)")
    reproduce.add_argument(
        "-o", "--output", type=Path, metavar="DIRECTORY", help="write the book with its figures"
    )
    reproduce.add_argument("--json", action="store_true", help="for a program to read")
    reproduce.set_defaults(run=_reproduce)

    cache = commands.add_parser("cache", help="compiled mechanisms: where they are, which, and making room")
    cache.add_argument(
        "what",
        metavar="|".join(WAYS),
        type=one_of(WAYS),
        choices=WAYS,
        help="the folder, what is in it, or removing it",
    )
    cache.add_argument("--json", action="store_true", help="for a program to read")
    cache.set_defaults(run=_cache)

    report = commands.add_parser("report", help="the results of benchmarks in one report")
    report.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="folders of results, or result files (default: benchmarks/results and figures)",
    )
    report.add_argument("-o", "--output", type=Path, metavar="FILE.md", help="write it as Markdown")
    report.add_argument("--json", action="store_true", help="for a program to read")
    report.set_defaults(run=_report)
    return parser


def _add_motion_files(parser: argparse.ArgumentParser) -> None:
    """The files that a motion is written into."""
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it (needs matplotlib)")
    parser.add_argument("--animate", type=Path, metavar="FILE", help="a moving picture, .gif or .mp4")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the numbers, 12 digits")
    parser.add_argument("--parquet", type=Path, metavar="FILE", help="the same (needs pandas and pyarrow)")


def _list(options: argparse.Namespace) -> int:
    mechanisms = [catalogue.mechanism(name) for name in catalogue.names()]
    if options.json:
        print(
            json.dumps(
                [{"name": m.name, "dof": m.dof, "coordinates": m.coordinates} for m in mechanisms], indent=2
            )
        )
        return 0
    width = max(len(mechanism.name) for mechanism in mechanisms)
    for mechanism in mechanisms:
        freedoms = f"{mechanism.dof:2} degree{' ' if mechanism.dof == 1 else 's'} of freedom"
        print(f"{mechanism.name:{width}} {freedoms}: {', '.join(mechanism.coordinates)}")
    return 0


def _generate(options: argparse.Namespace) -> int:
    wanted = asked_options(options, FLAGS)
    directory = options.output or Path("generated") / Path(options.model).stem
    with Progress(sys.stderr, quiet=options.json) as progress, warnings_as_lines(progress.notice):
        generated = pipeline.generate(
            options.model,
            directory,
            wanted,
            lambda name, kernel: progress.line(progress_line(name, kernel)),
            progress.stage,
            option_values.jobs("--jobs", options.jobs),
        )
        residuals = None
        if wanted.verify:
            from kanegen.codegen.commands.compiled_check import verify

            progress.stage("compiling, and comparing with the expressions")
            residuals = verify(directory, generated)
    if options.json:
        print(json.dumps(json_report(generated, residuals), indent=2))
        return 0
    if options.explain:
        print(table_of_passes(generated))
    print(counts_beside_published(generated))
    if residuals is not None:
        print(verification_table(residuals))
    print(f"wrote {counted(len(generated.files), 'file')} to {directory}")
    return 0


def _equations(options: argparse.Namespace) -> int:
    from kanegen.codegen.symbolic.kernels import equations

    found = equations(options.model, asked_options(options, OF_EQUATIONS), options.as_compiled, options.named)
    if options.expand:
        found = found.expanded(sines=True)
    text = {
        "markdown": found.markdown,
        "latex": found.latex,
        "html": found.html,
        "sympy": found.python,
    }[options.format]()
    return _printed(text, options.output)


def _printed(text: str, output: Path | None) -> int:
    """Print a page, or write it into a file."""
    if output is None:
        print(text, end="")
    else:
        write_files({output.name: text.encode("utf-8")}, output.parent)
        print(f"wrote {output}")
    return 0


def _explain(options: argparse.Namespace) -> int:
    from kanegen.codegen.explaining import explain, read_state

    state = None if options.state is None else read_state(options.state)
    found = explain(options.model, asked_options(options, OF_EXPLANATIONS), state)
    return _printed(found.html() if options.format == "html" else found.markdown(), options.output)


def _convert(options: argparse.Namespace) -> int:
    from kanegen.codegen.converting import convert

    convert(options.model, options.output, asked_options(options, OF_FILES), options.strict)
    print(f"wrote {options.output}")
    return 0


def _simulate(options: argparse.Namespace) -> int:
    from kanegen.codegen.commands.simulate import simulate

    if options.time is None and options.scenario is None:
        options.usage_error("how long? Give --time SECONDS, or --scenario with a name or a file")
    return 0 if simulate(options, asked_options(options, OF_MOTIONS), print) else 1


def _sweep(options: argparse.Namespace) -> int:
    from kanegen.codegen.commands.sweep import sweep

    sweep(options.study, options.output, options.executor, options.threads, print)
    return 0


def _trajectory(options: argparse.Namespace) -> int:
    from kanegen.codegen.commands.model_simulation import KINDS
    from kanegen.codegen.commands.trajectory import follow, text

    told = follow(
        options.model,
        options.path,
        options.frame,
        options.set,
        (options.time, options.t0),
        options.rows,
        asked_options(options, OF_MOTIONS),
        {kind: path for kind in KINDS if (path := getattr(options, kind)) is not None},
        lambda line: print(line, file=sys.stderr if options.json else sys.stdout),
    )
    print(json.dumps(told, indent=2) if options.json else text(told))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from kanegen.codegen.commands import doctor

    found = doctor.diagnose(options.model, asked_options(options, OF_FILES))
    report = doctor.document(options.model, found)
    print(json.dumps(report, indent=2) if options.json else doctor.text(options.model, found))
    return 0 if doctor.passes(found) else 1


def _compare(options: argparse.Namespace) -> int:
    quiet = options.json or sys.stderr is None or not sys.stderr.isatty()
    progress = None if quiet else lambda name: print(name, file=sys.stderr)
    if options.against is not None:
        return _compare_against(options, progress)
    from kanegen.codegen.commands.compare import compare_formulations, table

    found = compare_formulations(options.model, progress, asked_options(options, OF_FILES))
    print(json.dumps([asdict(c) for c in found], indent=2) if options.json else table(found))
    return 0


def _compare_against(options: argparse.Namespace, progress: Callable[[str], None] | None) -> int:
    from kanegen.codegen.commands.against import compare_against
    from kanegen.codegen.commands.against_report import document, table

    report = compare_against(
        options.model,
        options.against,
        states=options.states,
        seed=options.seed,
        kernels=options.kernels,
        options=asked_options(options, OF_FILES),
        progress=progress,
    )
    print(json.dumps(document(report), indent=2) if options.json else table(report))
    return 0 if report.passes else 1


def _cache(options: argparse.Namespace) -> int:
    text, folders = run_cache(options.what)
    print(
        json.dumps({"path": text} if options.what == "path" else folders, indent=2) if options.json else text
    )
    return 0


def _reproduce(options: argparse.Namespace) -> int:
    from kanegen.codegen.commands import reproduce

    return reproduce.run(options.papers, options.output, options.json, print)


def _report(options: argparse.Namespace) -> int:
    from kanegen.codegen.commands import report
    from kanegen.codegen.commands.benchmark_results import collect

    found = collect(options.paths)
    if options.output is not None:
        report.write(found, options.output)
    if options.json:
        print(json.dumps(report.document(found), indent=2))
    else:
        print(f"wrote {options.output}" if options.output is not None else report.text(found))
    damage = report.damage(found)
    if damage is not None:
        print(f"kanegen: {damage}", file=sys.stderr)
    return 0 if damage is None else 1


if __name__ == "__main__":
    raise SystemExit(main())
