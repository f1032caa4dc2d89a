"""The two ways in which a robot computes: compiled kernels, or the interpreter."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

from kanegen.arrays import finite_number
from kanegen.errors import KanegenError, ManifestError, NotCompiledError, TargetError
from kanegen.extension_source import (
    BASELINE,
    PRECISION_ENDINGS,
    TARGET_VARIABLE,
    X86_VARIANTS,
    extension_digest,
)
from kanegen.interpreted import Evaluator, InterpretedKernels
from kanegen.kernels import CompiledKernels, Kernel
from kanegen.manifest import KernelSpec, Manifest


class Backend(Protocol):
    """What a robot needs of whatever evaluates its kernels."""

    @property
    def target(self) -> str | None:
        """The instruction set in use; None for the interpreter."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters."""

    def kernel(self, spec: KernelSpec) -> Kernel:
        """A kernel, ready to be called."""

    def address(self, function: str) -> int:
        """Address of a C function.  Raises NotCompiledError."""

    def prepared_address(self, precision: str = "double") -> int | None:
        """Address of the struct that C functions of a precision take first; None without live parameters."""

    def with_parameters(self, values: Mapping[str, float]) -> Backend:
        """The same kernels with these values of all live parameters."""


class CompiledBackend:
    """An extension module made from ``extension_source``, and values for its live parameters.

    Raises ManifestError when the module was compiled from other files than the manifest describes, or by another version of
    what stands around them.
    """

    def __init__(
        self, manifest: Manifest, module: Any, parameters: Mapping[str, float] | None = None
    ) -> None:
        self._manifest = manifest
        self._module = module
        if _digests(module) != (manifest.digest, extension_digest()):
            raise ManifestError(
                f"the compiled kernels of {manifest.name!r} belong to another version of the generated files. "
                "Install the package again (in a working tree: make build)"
            )
        values = {spec.name: spec.value for spec in manifest.parameters}
        self._parameters = values | dict(parameters or {})
        self._prepared = self._prepare() if manifest.parameters else {}
        self._kernels = CompiledKernels(module.ffi, module.lib, self._prepared)

    def _prepare(self) -> dict[str, Any]:
        """The structs of prepared values for the present parameters, by the precision of the kernels that take them."""
        ffi, lib, prefix = self._module.ffi, self._module.lib, self._manifest.prefix
        parameters = ffi.new(f"{prefix}_parameters *")
        for spec in self._manifest.parameters:
            setattr(parameters, spec.field, self._parameters[spec.name])
        found = {}
        for precision in {spec.precision for spec in self._manifest.kernels.values()}:
            ending = PRECISION_ENDINGS[precision]
            found[precision] = ffi.new(f"{prefix}_prepared{ending} *")
            getattr(lib, f"{prefix}_prepare{ending}")(parameters, found[precision])
        return found

    @property
    def target(self) -> str | None:
        """The instruction set in use."""
        name: str = self._module.ffi.string(self._module.lib.kanegen_target()).decode("ascii")
        return name

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters."""
        return self._parameters

    def kernel(self, spec: KernelSpec) -> Kernel:
        """A kernel, ready to be called."""
        return self._kernels.kernel(spec)

    def address(self, function: str) -> int:
        """Address of a C function; it jumps to the instruction set in use."""
        ffi = self._module.ffi
        return int(ffi.cast("uintptr_t", ffi.addressof(self._module.lib, function)))

    def prepared_address(self, precision: str = "double") -> int | None:
        """Address of the struct that C functions of a precision take first; None without live parameters."""
        prepared = self._prepared.get(precision)
        return None if prepared is None else int(self._module.ffi.cast("uintptr_t", prepared))

    def with_parameters(self, values: Mapping[str, float]) -> CompiledBackend:
        """The same kernels with these values of all live parameters."""
        return CompiledBackend(self._manifest, self._module, values)


class InterpretedBackend:
    """An evaluator of ``kanegen.codegen``, and values for its live parameters."""

    def __init__(
        self, manifest: Manifest, evaluator: Evaluator, parameters: Mapping[str, float] | None = None
    ) -> None:
        self._manifest = manifest
        self._evaluator = evaluator
        values = {spec.name: spec.value for spec in manifest.parameters}
        self._parameters = values | dict(parameters or {})
        self._kernels = InterpretedKernels(evaluator, self._parameters)

    @property
    def target(self) -> str | None:
        """None: nothing is compiled."""
        return None

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters."""
        return self._parameters

    def kernel(self, spec: KernelSpec) -> Kernel:
        """A kernel, ready to be called."""
        return self._kernels.kernel(spec)

    def address(self, function: str) -> int:
        """There is none.  Raises NotCompiledError."""
        raise NotCompiledError(
            f"{self._manifest.name!r} is interpreted, so {function} has no address. "
            "Install a C compiler and load the robot without interpreted=True"
        )

    def prepared_address(self, precision: str = "double") -> int | None:
        """There is none.  Raises NotCompiledError."""
        del precision
        return self.address(f"{self._manifest.prefix}_prepare")

    def with_parameters(self, values: Mapping[str, float]) -> InterpretedBackend:
        """The same kernels with these values of all live parameters."""
        return InterpretedBackend(self._manifest, self._evaluator, values)


def _digests(module: Any) -> tuple[str | None, ...]:
    """The digests of what an extension was compiled from, and of what stands around that; None for one that is missing."""
    found = (getattr(module.lib, f"kanegen_{of}_digest", None) for of in ("manifest", "extension"))
    return tuple(None if digest is None else module.ffi.string(digest()).decode("ascii") for digest in found)


def merged_parameters(
    name: str, present: Mapping[str, float], values: Mapping[str, float]
) -> dict[str, float]:
    """The live parameters of a robot with new values for some of them.

    Raises KanegenError for a parameter that is not there, ValueError for a value that is no finite number.
    """
    unknown = [parameter for parameter in values if parameter not in present]
    if unknown:
        known = (
            ", ".join(present)
            or "none. A model that declares parameters keeps them with live_parameters=True"
        )
        raise KanegenError(
            f"{name!r} has no live parameter {unknown[0]!r}. It has: {known}. "
            "Parameters that none of its kernels depends on are left out"
        )
    given = {key: finite_number(f"parameter {key!r}", value) for key, value in values.items()}
    return {**present, **given}


def supported_targets(module: Any) -> tuple[str, ...]:
    """Instruction sets that this processor and this build can use, worst first; the one in use stays in use."""
    lib = module.lib
    present = module.ffi.string(lib.kanegen_target())
    names = [variant.name for variant in (BASELINE, *reversed(X86_VARIANTS))]
    found = tuple(name for name in names if lib.kanegen_select_target(name.encode("ascii")))
    lib.kanegen_select_target(present)
    return found


def use_target(module: Any) -> None:
    """Use the instruction set that the environment asks for, if it does.  Raises TargetError where it cannot be used."""
    wanted = os.environ.get(TARGET_VARIABLE)
    if wanted and not module.lib.kanegen_select_target(wanted.encode()):
        usable = ", ".join(supported_targets(module))
        raise TargetError(
            f"{TARGET_VARIABLE}={wanted}: this processor or build lacks it. Usable here: {usable}"
        )
