"""What comes out of the pipeline: a generation, or an interpretation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.certificate import certify, compiled
from kanegen.codegen.certificate.blame import OURS, blame
from kanegen.codegen.certificate.comparison import Configurations
from kanegen.codegen.deriving import DerivedKernel
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.writer import write_files
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.verify import arguments_of
from kanegen.manifest import Manifest


@dataclass(frozen=True)
class Generated:
    """What ``generate`` did: what kernels were made from, the model, their histories, what was checked, and the files.

    ``at`` is where kernels are compared with what they come from.
    """

    sources: KernelSources
    model: Model
    kernels: Mapping[str, DerivedKernel]
    record: certify.Record
    at: Configurations
    files: tuple[Path, ...] = ()

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that was read."""
        return self.sources.mechanism

    @property
    def certificate(self) -> certify.Certificate:
        """What stands in certificate.json: the record of the set, and each kernel against its plain derivation."""
        return certify.Certificate(
            self.model.name,
            self.model.hash,
            self.record,
            {name: kernel.bound for name, kernel in self.kernels.items()},
            {name: kernel.residual for name, kernel in self.kernels.items()},
        )

    def compiled_residuals(self, call: compiled.Call) -> dict[str, float]:
        """How far compiled kernels are from their programs, one batch of each.

        Raises CertificateError where that is more than rounding.
        """
        found = compiled.compiled_residuals(
            {name: kernel.program for name, kernel in self.kernels.items()},
            self._parameters,
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

    @property
    def _parameters(self) -> dict[str, float]:
        return {parameter.name: float(parameter.value) for parameter in self.model.parameters}

    def _fault(self, kernel: str) -> str | None:
        """What in the model is to blame for a kernel that fails a check; None where it is not the model."""
        program, bound = self.kernels[kernel].program, self.kernels[kernel].bound
        arguments = arguments_of(program, len(self.at.q), states_given={"q": self.at.q})
        found = blame(
            self.mechanism,
            {kernel: program},
            arguments,
            self._parameters,
            bound * compiled.SHARE,
            self.at.spread_of(kernel),
        )
        return None if found == OURS else found


@dataclass(frozen=True)
class Interpretation:
    """A mechanism without C: programs that NumPy evaluates, and the manifest that they would have."""

    manifest: Manifest
    programs: Mapping[str, Program]

    def evaluate(
        self, kernel: str, arrays: Mapping[str, NDArray[Any]], parameters: Mapping[str, Any]
    ) -> dict[str, NDArray[np.float64]]:
        """Outputs of a kernel, (*batch, *shape) by name, from inputs (*batch, *shape) by name."""
        return evaluate(self.programs[kernel], arrays, parameters)
