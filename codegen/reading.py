"""From what a user calls a model to its mechanism."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.doctor.checks import check_attachments
from kanegen.codegen.mechanism.edits import attached, edited
from kanegen.codegen.mechanism.findings import Finding, tell
from kanegen.codegen.mechanism.importers import ANGLE_TOLERANCE, read_file, refuse_arguments
from kanegen.codegen.mechanism.records import Mechanism, RoundedAngles
from kanegen.codegen.mechanism.reduction import without_friction
from kanegen.codegen.mechanism.rounded_angles import AngleRule
from kanegen.codegen.mechanism.validation import validated
from kanegen.errors import ModelError, did_you_mean, shown
from kanegen.files import exists
from kanegen.options import Options

MODEL_SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".toml", ".sdf")


def no_model(model: str | os.PathLike[str]) -> ModelError:
    """The error for a name that is neither a built-in's nor that of a file."""
    if Path(model).suffix or len(Path(model).parts) > 1:
        return ModelError(str(model), "does not exist", "a model file", "Check the path and its spelling.")
    return ModelError(
        f"model {shown(os.fspath(model))}",
        "is neither built in nor a file here",
        f"one of {', '.join(catalogue.names())}, or a file",
        did_you_mean(str(model), catalogue.names(), "kanegen list shows what is built in."),
    )


def read(model: str | os.PathLike[str] | Mechanism, options: Options) -> Mechanism:
    """The mechanism that a built-in's name, a file or records stand for, with the changes and the friction asked for.

    Raises ModelError.
    """
    if isinstance(model, Mechanism):
        if options.arguments:
            refuse_arguments(f"mechanism {model.name!r}", dict(options.arguments))
        mechanism = validated(model, options.allow_unphysical)
    elif str(model) in catalogue.names():
        if options.arguments:
            refuse_arguments(str(model), dict(options.arguments))
        mechanism = catalogue.mechanism(str(model))
    elif Path(model).suffix.lower() in MODEL_SUFFIXES or exists(model):
        mechanism = read_model(
            Path(model),
            floating_base=options.floating_base,
            allow_unphysical=options.allow_unphysical,
            angle_tolerance=options.angle_tolerance,
            arguments=dict(options.arguments),
        )
    else:
        raise no_model(model)
    mechanism, findings = edited(mechanism, options)
    tell((*findings, *check_attachments(mechanism)))
    if options.friction:
        return mechanism
    rounded = mechanism.rounded
    if rounded is not None:
        mechanism = replace(mechanism, rounded=replace(rounded, written=without_friction(rounded.written)))
    return without_friction(mechanism)


def attach(
    models: tuple[str | os.PathLike[str] | Mechanism, ...],
    at: str,
    placement: Sequence[float],
    names: str | Mapping[str, str],
) -> Mechanism:
    """One mechanism of two models, see ``mechanism.edits``; losses of joints are kept.  Raises ModelError."""
    first, second = (read(model, Options(friction=True)) for model in models)
    findings: list[Finding] = []
    found = attached(first, second, at, placement, names, AngleRule(ANGLE_TOLERANCE), findings)
    found = validated(found, found.unphysical)
    tell(findings)
    rounded = [x.rounded for x in (first, second) if x.rounded is not None]
    if not rounded:
        return found
    written = (
        first.rounded.written if first.rounded else first,
        second.rounded.written if second.rounded else second,
    )
    return replace(
        found,
        rounded=RoundedAngles(
            sum(x.count for x in rounded),
            max(x.largest for x in rounded),
            max(x.tolerance for x in rounded),
            attached(*written, at, placement, names, AngleRule(0.0), []),
        ),
    )


def read_model(
    path: Path,
    *,
    floating_base: bool,
    allow_unphysical: bool,
    angle_tolerance: float | None,
    arguments: Mapping[str, str] | None = None,
) -> Mechanism:
    """The mechanism of a file; what was noticed about it is told.  Raises ModelError."""
    found = read_file(
        path,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        angle_tolerance=ANGLE_TOLERANCE if angle_tolerance is None else angle_tolerance,
        arguments=arguments,
    )
    tell(found.findings)
    return found.mechanism
