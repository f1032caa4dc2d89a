"""``kanegen doctor``: everything wrong or doubtful in a model, at once."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from kanegen.codegen.commands.option_flags import add_options, asked_options
from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.commands.price_of_angles import at_least, price_of_angles, price_of_frames
from kanegen.codegen.kernel_sources import KernelSources, configurations
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.doctor import examine, examine_urdf
from kanegen.codegen.mechanism.edits import edited
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers import ANGLE_TOLERANCE, Imported, read_file, refuse_arguments
from kanegen.codegen.mechanism.importers.model_file import format_of
from kanegen.codegen.mechanism.importers.xml_tree import parse_file
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.reading import no_model
from kanegen.errors import ModelError
from kanegen.files import exists
from kanegen.options import OF_FILES, Options

_ORDER = (Severity.ERROR, Severity.WARNING, Severity.DOUBT, Severity.NOTE)
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(: (?P<where>.+))?", re.DOTALL)


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_model()
    add_options(parser, [name for name in OF_FILES if name != "allow_unphysical"])
    parser.add_json()


def run(given: argparse.Namespace) -> int:
    """Print the findings; 1 where there is an error among them."""
    found = diagnose(given.model, asked_options(given, OF_FILES))
    print(json.dumps(document(given.model, found), indent=2) if given.json else text(given.model, found))
    return 0 if passes(found) else 1


def diagnose(model: str, options: Options | None = None) -> tuple[Finding, ...]:
    """The findings about a built-in mechanism or a model file, errors first; a model that is refused has an ERROR.

    ``options`` say how a file is read and how the mechanism is changed; inertias that no body has are errors all the same.
    """
    options = replace(options or Options(), allow_unphysical=False)
    try:
        found = _found(model, options)
        if passes(found):
            found = (*found, *_as_loaded(model, options))
    except ModelError as error:
        found = (_refusal(error),)
    return tuple(sorted(found, key=lambda finding: _ORDER.index(finding.severity)))


def text(model: str, findings: Sequence[Finding]) -> str:
    """The findings, one a line, and how many there are of each severity."""
    lines = [_line(finding) for finding in findings]
    counts = _counts(findings)
    total = ", ".join(f"{count} {name if count != 1 else name[:-1]}" for name, count in counts.items())
    return "\n".join([*lines, f"{model}: {total}"])


def document(model: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """The findings for a program to read."""
    listed = [asdict(finding) | {"severity": finding.severity.value} for finding in findings]
    return {"model": model, **_counts(findings), "findings": listed}


def passes(findings: Sequence[Finding]) -> bool:
    """Whether there is no error among them."""
    return all(finding.severity is not Severity.ERROR for finding in findings)


def _found(model: str, options: Options) -> tuple[Finding, ...]:
    arguments, floating_base, angle_tolerance = (
        dict(options.arguments),
        options.floating_base,
        _tolerance(options),
    )
    if model in catalogue.names():
        if arguments:
            refuse_arguments(model, arguments)
        return examine(catalogue.mechanism(model))
    path = Path(model)
    if not model or not (path.suffix or exists(path)):
        raise no_model(model)
    kind = format_of(path)
    if arguments and kind != "xacro":
        refuse_arguments(model, arguments)
    if kind == "urdf":
        return examine_urdf(parse_file(path), floating_base=floating_base, angle_tolerance=angle_tolerance)
    if kind == "xacro":
        from kanegen.codegen.mechanism.importers.xacro import expand

        root, said = expand(path, arguments)
        return (
            *said,
            *examine_urdf(root, floating_base=floating_base, angle_tolerance=angle_tolerance),
        )
    imported = read_file(
        path, floating_base=floating_base, allow_unphysical=True, angle_tolerance=angle_tolerance
    )
    examined = (_placed(finding, imported.located(finding.where)) for finding in examine(imported.mechanism))
    return (*imported.findings, *examined)


def _tolerance(options: Options) -> float:
    return ANGLE_TOLERANCE if options.angle_tolerance is None else options.angle_tolerance


def _as_loaded(model: str, options: Options) -> tuple[Finding, ...]:
    """What only ``load`` notices, as it changes a model and plans how its loops are solved, and what odd angles cost."""
    if model in catalogue.names():
        mechanism, findings = edited(catalogue.mechanism(model), options)
        _plan(mechanism)
        _check_laws(mechanism)
        return findings

    def read(tolerance: float) -> tuple[Imported, tuple[Finding, ...]]:
        imported = read_file(
            model,
            floating_base=options.floating_base,
            angle_tolerance=tolerance,
            arguments=dict(options.arguments),
        )
        mechanism, findings = edited(imported.mechanism, options)
        return replace(imported, mechanism=mechanism), findings

    imported, findings = read(_tolerance(options))
    _plan(imported.mechanism)
    _check_laws(imported.mechanism)
    findings = (*findings, *price_of_frames(imported))
    if not imported.angles.near:
        return findings
    tolerance = at_least(float(max(imported.angles.near)))
    return (*findings, *price_of_angles(imported, read(float(tolerance))[0].mechanism, tolerance))


def _check_laws(mechanism: Mechanism) -> None:
    """Raise ModelError for a law that refers to what kernels of the mechanism do not give, or is called like one."""
    if mechanism.laws:
        sources = KernelSources(mechanism, Options())
        sources.wanted()
        for law in mechanism.laws:
            if law.quantities():
                sources.plain(law.name)


def _plan(mechanism: Mechanism) -> None:
    """Raise ModelError for loops that cannot be solved."""
    configurations(mechanism)


def _refusal(error: ModelError) -> Finding:
    """An error as a finding."""
    return _placed(Finding(Severity.ERROR, error.where, error.what, error.expected, error.cure), error.where)


def _placed(finding: Finding, located: str) -> Finding:
    """The finding with the file and line that ``located`` begins with, its ``where`` behind them."""
    place = _PLACE.fullmatch(located)
    if place is None:
        return finding
    return replace(finding, where=place["where"] or "file", file=place["file"], line=int(place["line"]))


def _line(finding: Finding) -> str:
    at = f"{finding.place}: " if finding.place else ""
    return f"{at}{finding.severity.value}: {finding.where}: {finding.what}; expected {finding.expected}. {finding.cure}"


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {
        f"{severity.value}s": sum(finding.severity is severity for finding in findings) for severity in _ORDER
    }
