"""The manifest: what a program must know of a generated model, as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from kanegen.codegen.emit.model import Certificate, Model
from kanegen.codegen.emit.precision import Precision, nearest
from kanegen.codegen.emit.specification import CArgument, Kernel, specify
from kanegen.codegen.graph.count import OperationCounts
from kanegen.codegen.version import GENERATOR

FORMAT = 1


def manifest(model: Model, files: Mapping[str, bytes]) -> dict[str, Any]:
    """The manifest of a model, with the checksums of its other generated files, given by name."""
    spec = specify(model)
    return {
        "format": FORMAT,
        "generator": GENERATOR,
        "model": {"name": model.name, "prefix": model.prefix, "hash": model.hash},
        "nq": model.nq,
        "nv": model.nv,
        "coordinate_names": list(model.coordinate_names),
        "joint_names": list(model.joint_names),
        **_speeds(model),
        "frame_names": list(model.frame_names),
        "body_names": list(model.body_names),
        "mangled": dict(model.mangled),
        "gravity": [float(g) for g in model.gravity],
        "options": {
            **{
                key: list(value) if isinstance(value, tuple) else value
                for key, value in model.options.items()
            },
            "sincos": model.sincos.value,
            "single_precision": model.single_precision,
        },
        "kernels": {kernel.name: _kernel(kernel) for kernel in spec.kernels},
        "unavailable": dict(model.unavailable),
        **({"left_out": list(model.left_out)} if model.left_out else {}),
        **(
            {"asked": {name: json.loads(value) for name, value in model.asked.items()}} if model.asked else {}
        ),
        **({"warnings": list(model.warnings)} if model.warnings else {}),
        "frames": {name: asdict(kernels) for name, kernels in model.frames.items()},
        "actuator_signs": None if model.actuator_signs is None else list(model.actuator_signs),
        **_constraints(model),
        "parameters": [
            {
                "name": parameter.name,
                "field": spec.parameter_fields[parameter.name],
                "value": nearest(parameter.value, Precision.DOUBLE),
                "unit": parameter.unit,
                "description": parameter.description,
            }
            for parameter in model.parameters
        ],
        "prepared": list(spec.prepared_fields.values()),
        "certificate": _certificate(model.certificate),
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }


def manifest_text(content: Mapping[str, Any]) -> str:
    """JSON in ASCII, in the order of the entries."""
    return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _speeds(model: Model) -> dict[str, Any]:
    """What only models have whose speeds are not the rates of their coordinates."""
    entries: dict[str, Any] = {}
    if model.speed_names is not None:
        entries["speed_names"] = list(model.speed_names)
    if model.home is not None:
        entries["home"] = [float(q) for q in model.home]
    if model.quaternions:
        entries["quaternions"] = list(model.quaternions)
    if model.rounded_angles is not None:
        entries["rounded_angles"] = asdict(model.rounded_angles)
    if model.limits:
        entries["limits"] = {
            joint: {key: x for key, x in asdict(limits).items() if x is not None}
            for joint, limits in model.limits.items()
        }
    if model.modes:
        entries["modes"] = dict(model.modes)
        entries["link_ends"] = {
            link: {mode: list(end) for mode, end in modes.items()} for link, modes in model.link_ends.items()
        }
    if model.meeting_ends:
        entries["meeting_ends"] = [list(ends) for ends in model.meeting_ends]
    for key in ("base_parameters", "inertial_parameters"):
        if given := getattr(model, key):
            entries[key] = [asdict(parameter) for parameter in given]
    if model.optional_kernels:
        entries["optional_kernels"] = list(model.optional_kernels)
    return entries


def _constraints(model: Model) -> dict[str, Any]:
    """What only models have that are constrained, or also described in the coordinates of their bodies."""
    found = {"constraints": model.constraints, "body_coordinates": model.body_coordinates}
    entries = {name: _lists(asdict(record)) for name, record in found.items() if record is not None}
    if model.constraints is not None and not model.constraints.sizes:
        del entries["constraints"]["sizes"]
    if model.body_coordinates is not None and not model.body_coordinates.struts:
        del entries["body_coordinates"]["struts"]
    return entries


def _lists(entries: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in entries.items()}


def _kernel(kernel: Kernel) -> dict[str, Any]:
    return {
        "function": kernel.function,
        "batch": kernel.batch,
        "precision": kernel.precision.name.lower(),
        "title": kernel.schedule.program.title,
        "source": kernel.schedule.program.source,
        "inputs": [_argument(item) for item in kernel.inputs],
        "outputs": [_argument(item) for item in kernel.outputs],
        "operation_counts": _counts(kernel.counts),
    }


def _counts(counts: OperationCounts) -> dict[str, int]:
    """The figures; those of functions and selections where there are any."""
    optional = {"functions": counts.functions, "selections": counts.selections}
    figures = asdict(counts) | optional
    return {name: number for name, number in figures.items() if number or name not in optional}


def _argument(item: CArgument) -> dict[str, Any]:
    argument = item.argument
    return {
        "name": argument.name,
        "shape": list(argument.shape),
        "unit": argument.unit,
        "description": argument.description,
    }


def _certificate(certificate: Certificate | None) -> dict[str, Any] | None:
    if certificate is None:
        return None
    bounds = {name: float(bound) for name, bound in certificate.bounds.items()}
    found: dict[str, Any] = {
        "bounds": bounds,
        "states": certificate.states,
        "meaning": certificate.meaning,
    }
    if certificate.checks:
        found["check_bound"] = float(certificate.check_bound)
        found["checks"] = {name: list(kernels) for name, kernels in certificate.checks.items()}
    return found
