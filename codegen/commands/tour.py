"""A first look at kanegen, what ``make run`` shows: ``python -m kanegen.codegen.commands.tour``.

Derives the Stanford Arm of Kane & Levinson (1983), writes its C, runs the three studies of the paper, and ends with a
summary that says what came out and where everything is.  The details of each part go to a text file beside its results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from kanegen.codegen import pipeline
from kanegen.codegen.commands.generation_report import (
    certificate_line,
    counts_beside_published,
    progress_line,
    table_of_passes,
)
from kanegen.codegen.commands.published import PUBLISHED
from kanegen.codegen.commands.scenario_report import headline
from kanegen.codegen.commands.scenario_run import Result
from kanegen.codegen.commands.simulate import run_scenario
from kanegen.codegen.deriving import derive
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.passes.optimize import optimize
from kanegen.errors import KanegenError
from kanegen.progress import Progress

MODEL = "stanford_arm"
KERNEL = "inverse_dynamics"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="derive the Stanford Arm, run the studies of the 1983 paper")
    parser.add_argument("--c", type=Path, metavar="DIRECTORY", required=True, help="where the C goes")
    parser.add_argument(
        "--figures", type=Path, metavar="DIRECTORY", required=True, help="where drawings and numbers go"
    )
    options = parser.parse_args(arguments)
    try:
        with Progress(sys.stderr) as progress:
            summary = run(options.c, options.figures, progress)
        sys.stdout.write(summary)
    except (KanegenError, OSError) as error:
        parser.exit(1, f"kanegen: {error}\n")


def run(code: Path, figures: Path, progress: Progress) -> str:
    """Do it all, and say in at most 25 lines what came out.

    Raises KanegenError and, for files that cannot be written, OSError.
    """
    generated = pipeline.generate(
        MODEL, code, None, lambda name, kernel: progress.line(progress_line(name, kernel)), progress.stage
    )
    details = table_of_passes(generated) + "\n" + counts_beside_published(generated) + "\n"
    write_files({f"{MODEL}.txt": details.encode("utf-8")}, code.parent)
    progress.stage("deriving the forces by the methods of the time")
    others = [_derived(row.formulation or "kane", row.kernels) for row in PUBLISHED[MODEL, KERNEL]]
    results = [_study(name, figures, progress.stage) for name in _studies()]
    return "\n".join([*_summary(generated, others, results, code, figures), ""])


def _studies() -> list[str]:
    return [scenario.name for scenario in catalogue.scenarios(MODEL)]


def _derived(formulation: str, kernels: Sequence[str]) -> tuple[int, int]:
    """Multiplications and additions of kernels of the arm by another formulation as it is written, after all passes."""
    options = pipeline.Options(formulation=formulation, kernels=tuple(kernels))
    sources = KernelSources(pipeline.read(MODEL, options), options)
    if options.free:  # what is written leaves choices open, which are not made
        programs = [optimize(sources.plain(kernel))[0] for kernel in kernels]
    else:
        programs = [derive(sources, kernel).program for kernel in kernels]
    counts = list(map(count, programs))
    return sum(x.multiplications for x in counts), sum(x.additions for x in counts)


def _study(name: str, figures: Path, stage: Callable[[str], None]) -> Result:
    stage(f"running the study {name}")
    lines: list[str] = []
    result = run_scenario(MODEL, name, figures / f"{name}.png", figures / f"{name}.csv", lines.append)
    write_files({f"{name}.txt": ("\n".join(lines) + "\n").encode("utf-8")}, figures)
    return result


def _summary(
    generated: pipeline.Generated,
    others: Sequence[tuple[int, int]],
    results: Sequence[Result],
    code: Path,
    figures: Path,
) -> Iterator[str]:
    mine = count(generated.kernels[KERNEL].program)
    yield "The six actuator forces of the Stanford Arm from its motion (inverse dynamics), multiplications + additions:"
    yield f"{'quoted in 1983':>16}{'as written':>15}{'derived here':>15}"
    for row, derived in zip(PUBLISHED[MODEL, KERNEL], others, strict=True):
        written = row.as_written(MODEL)
        pairs = (row[:2], (written.multiplications, written.additions), derived)
        yield f"{_pair(pairs[0]):>16}{_pair(pairs[1]):>15}{_pair(pairs[2]):>15}   {row.who}"
    yield f"{_pair((mine.multiplications, mine.additions)):>46}   by recursion from link to link: what is compiled"
    yield ""
    yield "The three studies of the paper (Kane & Levinson 1983):"
    for result in results:
        yield f"  {result.scenario.name:19}{headline(result)}"
    yield ""
    yield certificate_line(generated.record)
    yield ""
    yield f"drawings, numbers and what they show   {figures}/{{{','.join(_studies())}}}.{{png,csv,txt}}"
    yield f"the C of all {len(generated.kernels)} kernels                {code}/{MODEL}.c and .h"
    yield f"how the counts came about, by kernel   {code.parent}/{MODEL}.txt"
    yield "Next: README.md, `.venv/bin/kanegen --help`, and `.venv/bin/kanegen doctor FILE` for a robot of your own."


def _pair(counts: tuple[int, int]) -> str:
    return f"{counts[0]} + {counts[1]}"


if __name__ == "__main__":
    main()
