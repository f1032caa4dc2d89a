"""What the command prints of a generation: tables for people, and the same as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from kanegen.codegen.certificate.certify import BOUND, Record
from kanegen.codegen.commands.frames_in_use import frames_in_use, in_frames_of_the_file, turns_frames
from kanegen.codegen.commands.published import PUBLISHED, Published
from kanegen.codegen.deriving import DerivedKernel
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.pipeline import Generated
from kanegen.codegen.studies import book_1983
from kanegen.errors import counted


def progress_line(name: str, kernel: DerivedKernel) -> str:
    """One line when a kernel is done."""
    width = 12 * max(
        2, -(-len(name) // 12)
    )  # what comes later is not known: few different columns, however long names are
    return f"{name:{width}} {count(kernel.program)!s:24} {kernel.derivations:5} derivations {kernel.seconds:6.1f} s"


def table_of_passes(generated: Generated) -> str:
    """Operations of every kernel after each stage that changed them, time, and where the search left the textbook."""
    lines = []
    for name, kernel in generated.kernels.items():
        lines.append(f"{name}: {kernel.program.source}")
        before = None
        for step in kernel.steps:
            if step.counts == before:
                continue  # a pass that found nothing
            before = step.counts
            lines.append(
                f"    {step.name:10} {step.counts.multiplications:5} * {step.counts.additions:5} +"
                f" {step.counts.divisions:3} /"
                + (f" {step.counts.square_roots:3} sqrt" if step.counts.square_roots else "")
            )
        lines.append(
            f"    {counted(kernel.derivations, 'derivation')} in {kernel.seconds:.1f} s;"
            f" differs from the plain derivation by {kernel.residual:.1e}"
        )
        others = [point for point, answer in sorted(kernel.answers.items()) if answer]
        if others:
            text = f"other than the textbook's: {', '.join(others)}"
            lines += textwrap.wrap(text, 100, initial_indent="    ", subsequent_indent="        ")
        sources = generated.sources
        lines += [f"    frame of {line}" for line in frames_in_use(sources.suited(name), kernel.answers)]
        if turns_frames(sources, name):
            own = in_frames_of_the_file(sources, name)
            lines.append(
                f"    without a search in frames of the file {own.multiplications} * {own.additions} +"
            )
    lines.append(certificate_line(generated.record))
    return "\n".join(lines) + "\n"


def certificate_line(record: Record) -> str:
    """What was checked, in one line."""
    worst = record.worst
    found = len(record.checks)
    text = f"certificate: {counted(found, 'check')} over {record.states} states"
    if worst is not None:
        text += f", the largest residual {worst.residual:.1e} of {BOUND:.0e} ({worst.name})"
    if record.unchecked:
        text += f"; only against their plain derivation: {', '.join(record.unchecked)}"
    return text


def counts_beside_published(generated: Generated) -> str:
    """The operation counts of all kernels; where others have published theirs, beside those."""
    width = _width(generated.kernels)
    lines = [
        f"{generated.model.name}: operations of one call",
        f"{'kernel':{width}}{'mult':>6}{'add':>6}{'div':>6}{'sqrt':>6}{'sin/cos':>9}",
    ]
    for name, kernel in generated.kernels.items():
        counts = count(kernel.program)
        lines.append(
            f"{name:{width}}{counts.multiplications:6}{counts.additions:6}{counts.divisions:6}"
            f"{counts.square_roots:6}{counts.sincos:9}"
        )
    for (model, name), others in PUBLISHED.items():
        if model == generated.model.name and name in generated.kernels:
            mine = count(generated.kernels[name].program)
            lines += [
                "",
                f"{name} of {model}, multiplications and additions: as quoted in 1983, and of the same formulas here",
            ]
            written = [row.as_written(model) for row in others]
            lines += [
                f"{row.multiplications:8}{row.additions:6}{x.multiplications:8}{x.additions:6}  {row.who}"
                + (f" (here and {x.divisions} divisions)" if x.divisions else "")
                for row, x in zip(others, written, strict=True)
            ]
            lines.append(
                f"{'':14}{mine.multiplications:8}{mine.additions:6}  kanegen: {_share(mine, others[-1])}"
            )
    return "\n".join([*lines, *_beside_book(generated)])


def _beside_book(generated: Generated) -> list[str]:
    """The count of an arm with flexible links beside Book's formula for one of its size."""
    mechanism = generated.sources.mechanism
    if book_1983.KERNEL not in generated.kernels or not book_1983.applies(mechanism):
        return []
    size, mine = book_1983.Size.of(mechanism), count(generated.kernels[book_1983.KERNEL].program)
    his = book_1983.counts(size)
    return [
        "",
        f"{book_1983.KERNEL} of {generated.model.name}, multiplications and additions",
        f"{his.multiplications:8}{his.additions:6}  Book 1983, his formula: n = {size.n}, n_f = {size.n_f}, m = {size.m}",
        f"{mine.multiplications:8}{mine.additions:6}  kanegen",
    ]


def _width(names: Iterable[str]) -> int:
    """Characters of a column of names, with the space behind it."""
    return max([26, *(len(name) + 2 for name in names)])


def _share(mine: OperationCounts, last: Published) -> str:
    share = (mine.multiplications + mine.additions) / (last.multiplications + last.additions)
    return f"{share:.0%} of the operations of {last.who}"


def verification_table(residuals: Mapping[str, Mapping[str, float]]) -> str:
    """Residuals of each kernel, relative to the largest component."""
    width = _width(residuals)
    lines = [f"{'kernel':{width}}{'graph, plain derivation':>26}{'C, graph':>12}"]
    lines += [f"{name:{width}}{r['graph']:26.1e}{r['compiled']:12.1e}" for name, r in residuals.items()]
    return "\n".join(lines)


def json_report(generated: Generated, residuals: Mapping[str, Mapping[str, float]] | None) -> dict[str, Any]:
    """Everything above as one JSON document."""
    return {
        "model": generated.model.name,
        "files": [path.name for path in generated.files],
        "kernels": {
            name: {
                "operations": _counts(count(kernel.program)),
                "steps": [{"name": step.name, **_counts(step.counts)} for step in kernel.steps],
                "residual": kernel.residual,
                "derivations": kernel.derivations,
                "choices": dict(sorted(kernel.answers.items())),
                **({"verification": dict(residuals[name])} if residuals else {}),
            }
            for name, kernel in generated.kernels.items()
        },
    }


def _counts(counts: OperationCounts) -> dict[str, int]:
    return {
        "multiplications": counts.multiplications,
        "additions": counts.additions,
        "divisions": counts.divisions,
        "square_roots": counts.square_roots,
        "sincos": counts.sincos,
    }
