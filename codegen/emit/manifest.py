"""The manifest of a model: what is known of it, with the functions in C and what was written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from kanegen.codegen.emit.lanes import fits
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.precision import Precision, nearest
from kanegen.codegen.emit.specification import Kernel, Specification, signatures, specify
from kanegen.codegen.version import GENERATOR
from kanegen.manifest import GeneratedMechanism, KernelSpec, Manifest, Parameter


def manifest(model: Model, files: Mapping[str, bytes]) -> Manifest:
    """The manifest of a model, with the checksums of its other generated files, given by name."""
    spec = specify(model)
    return Manifest(
        **_known(model, model.sincos.value, model.single_precision)
        | {"kernels": {kernel.name: _kernel(kernel, spec) for kernel in spec.kernels}},
        parameters=tuple(
            Parameter(
                p.name,
                spec.parameter_fields[p.name],
                nearest(p.value, Precision.DOUBLE),
                p.unit,
                p.description,
                None if p.least is None else nearest(p.least, Precision.DOUBLE),
            )
            for p in model.parameters
        ),
        prepared=tuple(spec.prepared_fields.values()),
        functions=signatures(spec),
        certificate=model.certificate,
        files={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    )


def outline(known: GeneratedMechanism, together: Mapping[str, str], sincos: str, float32: bool) -> Manifest:
    """The manifest of a mechanism whose kernels wait until they are asked for.

    ``together`` has a name for those that are made together, by the name of each.
    """
    precisions = Precision if float32 else (Precision.DOUBLE,)
    waiting = {f"{name}{p.ending}": group for p in precisions for name, group in together.items()}
    return Manifest(
        **_known(known, sincos, float32) | {"kernels": {}}, parameters=(), functions={}, waiting=waiting
    )


def _known(known: GeneratedMechanism, sincos: str, float32: bool) -> dict[str, Any]:
    """What is known of a mechanism, with the generator and what else of its options the files depend on."""
    options = {**known.options, "sincos": sincos, "single_precision": float32}
    found = {fact.name: getattr(known, fact.name) for fact in fields(GeneratedMechanism)}
    return found | {"generator": GENERATOR, "options": options}


def _kernel(kernel: Kernel, spec: Specification) -> KernelSpec:
    program = kernel.schedule.program
    return KernelSpec(
        name=kernel.name,
        function=kernel.function,
        batch=kernel.batch,
        batch_soa=kernel.soa,
        batch_varied=kernel.varied,
        lanes=fits(spec, kernel.schedule),
        precision=kernel.precision.name.lower(),
        title=program.title,
        source=program.source,
        inputs=program.inputs,
        outputs=program.outputs,
        operation_counts=kernel.counts,
        through_speeds=program.name not in spec.model.regular,
    )
