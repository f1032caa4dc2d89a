"""The manifest of a model: what is known of it, with the functions in C and what was written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields

from kanegen.codegen.emit.lanes import fits
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.precision import Precision, nearest
from kanegen.codegen.emit.specification import Kernel, Specification, signatures, specify
from kanegen.codegen.version import GENERATOR
from kanegen.manifest import GeneratedMechanism, KernelSpec, Manifest, Parameter


def manifest(model: Model, files: Mapping[str, bytes]) -> Manifest:
    """The manifest of a model, with the checksums of its other generated files, given by name."""
    spec = specify(model)
    known = {fact.name: getattr(model, fact.name) for fact in fields(GeneratedMechanism)}
    made = {
        "generator": GENERATOR,
        "options": {
            **model.options,
            "sincos": model.sincos.value,
            "single_precision": model.single_precision,
        },
        "kernels": {kernel.name: _kernel(kernel, spec) for kernel in spec.kernels},
    }
    return Manifest(
        **known | made,
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
