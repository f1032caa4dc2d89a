"""What comes out of the pipeline: kernels on their way, a generation, an interpretation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.certificate import certify, compiled
from kanegen.codegen.certificate.blame import OURS, Blame
from kanegen.codegen.checking import Configurations
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.passes.optimize import Step
from kanegen.codegen.passes.verify import arguments_of
from kanegen.manifest import Manifest


@dataclass(frozen=True)
class DerivedKernel:
    """One kernel on its way: the program, the stages it went through, its residual against the plain derivation and the
    bound on that.
    """

    program: Program
    steps: tuple[Step, ...]
    residual: float
    bound: float
    seconds: float
    derivations: int
    answers: Mapping[str, int]


@dataclass(frozen=True)
class Missing:
    """Kernels that a mechanism might have, and why they were not made.

    ``without_inertia``: it resists not every motion; ``otherwise``: for other reasons, such as the speeds asked for.
    """

    without_inertia: dict[str, str]
    otherwise: dict[str, str]


@dataclass(frozen=True)
class Generated:
    """What ``generate`` did: the model, its kernels' histories, what was checked, and the files.

    ``at`` is where kernels are compared with what they come from.
    """

    model: Model
    kernels: Mapping[str, DerivedKernel]
    record: certify.Record
    files: tuple[Path, ...]
    at: Configurations
    blame: Blame | None = None

    @property
    def certificate(self) -> certify.Certificate:
        """What stands in certificate.json."""
        return certificate(self.model, self.kernels, self.record)

    def compiled_residuals(self, call: compiled.Call) -> dict[str, float]:
        """How far compiled kernels are from their programs, one batch of each.

        Raises CertificateError where that is more than rounding.
        """
        found = compiled.compiled_residuals(
            {name: kernel.program for name, kernel in self.kernels.items()},
            {parameter.name: float(parameter.value) for parameter in self.model.parameters},
            call,
            self.at.q,
            self.at.spread_of,
        )
        bounds = {name: kernel.bound for name, kernel in self.kernels.items()}
        compiled.require_compiled(found, bounds, self._fault)
        return found

    def verify(self, directory: Path, call: compiled.Call) -> dict[str, float]:
        """These residuals, written into the certificate in a directory as well."""
        found = self.compiled_residuals(call)
        text = replace(self.certificate, compiled=found).text()
        write_files({certify.FILE_NAME: text.encode("ascii")}, directory)
        return found

    def _fault(self, kernel: str) -> str | None:
        """What in the model is to blame for a kernel that fails a check; None where it is not the model."""
        if self.blame is None:
            return None
        program, bound = self.kernels[kernel].program, self.kernels[kernel].bound
        arguments = arguments_of(program, len(self.at.q), states_given={"q": self.at.q})
        parameters = {parameter.name: float(parameter.value) for parameter in self.model.parameters}
        growth = self.at.spread_of(kernel)
        found = self.blame({kernel: program}, arguments, parameters, bound * compiled.SHARE, growth)
        return None if found == OURS else found


@dataclass(frozen=True)
class Interpretation:
    """A mechanism without C: programs that NumPy evaluates, and the manifest that they would have."""

    manifest: Manifest
    programs: Mapping[str, Program]

    def evaluate(
        self, kernel: str, arrays: Mapping[str, NDArray[Any]], parameters: Mapping[str, float]
    ) -> dict[str, NDArray[np.float64]]:
        """Outputs of a kernel, (*batch, *shape) by name, from inputs (*batch, *shape) by name."""
        return evaluate(self.programs[kernel], arrays, parameters)


def certificate(
    model: Model, kernels: Mapping[str, DerivedKernel], record: certify.Record
) -> certify.Certificate:
    """What was checked of a model: the record of its set, and each kernel against its plain derivation."""
    return certify.Certificate(
        model.name,
        model.hash,
        record,
        {name: kernel.bound for name, kernel in kernels.items()},
        {name: kernel.residual for name, kernel in kernels.items()},
    )
