"""The one door from the runtime to ``kanegen.codegen``, opened only when something has to be generated.

Importing ``kanegen`` and loading compiled mechanisms never pass here, so that SymPy is not imported for them.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from kanegen.errors import UnknownModelError
from kanegen.kernels.inertias import all_seen_possible
from kanegen.kernels.interpreted import Evaluator
from kanegen.manifest import Manifest
from kanegen.options import Options
from kanegen.progress import Stage, silent
from kanegen.skeleton import Skeleton

if TYPE_CHECKING:
    from kanegen.codegen.mechanism.records import Mechanism
    from kanegen.codegen.symbolic.account import Explanation
    from kanegen.codegen.symbolic.written import Equations


Model: TypeAlias = "str | os.PathLike[str] | Mechanism"
"""Name of a built-in mechanism, path of a model file, or a ``kanegen.codegen.mechanism.Mechanism``."""


Compiled: TypeAlias = "Callable[[str, Sequence[Any]], Sequence[Any]]"
"""Outputs (states, *shape) of the compiled kernel of a name for inputs (states, *shape), both in their order."""

Verification: TypeAlias = "Callable[[Compiled], object]"
"""Raises ArithmeticError where compiled kernels are not what they were printed from."""


class Interpretation(Evaluator, Protocol):
    """A mechanism that NumPy evaluates: its evaluator, with the content of the manifest it would have if generated."""

    @property
    def manifest(self) -> Manifest:
        """The manifest."""


class Written(Protocol):
    """Generated files that have been written."""

    def compiled_residuals(self, call: Compiled) -> object:
        """Compare the kernels, once they are compiled, with what they were printed from.  Raises ArithmeticError."""


class OnDemand(Protocol):
    """The kernels of a model, written some at a time: what was derived for some serves all that come later."""

    @property
    def hash(self) -> str:
        """That of the mechanism."""

    def outline(self) -> Manifest:
        """The manifest with all kernels waiting."""

    def generate(
        self, directory: Path, together: str | None, progress: None, stage: Stage, jobs: int | None
    ) -> Written:
        """Write the generated files of the kernels that are made ``together`` under this name into a directory."""

    def interpretation(self, together: str | None, stage: Stage) -> Interpretation:
        """The kernels that are made ``together`` under this name, for NumPy to evaluate."""


Keep = Callable[[Callable[[], Mapping[str, int]]], Mapping[str, int]]
"""The decisions that were kept; where none were, those that it is given are found, and kept."""


def on_demand(model: Model, options: Options, keep: Keep) -> OnDemand:
    """What derives kernels of a model when they are asked for, from the decisions that are kept.  Raises ModelError."""
    from kanegen.codegen import pipeline

    return pipeline.OnDemand(model, options, keep)


def interpreted_on_demand(model: Model, options: Options) -> OnDemand:
    """What derives kernels of a model for NumPy when they are asked for, without a search.  Raises ModelError."""
    from kanegen.codegen import pipeline

    return pipeline.OnDemand(model, pipeline.without_search(options))


def generate(
    model: Model, options: Options, directory: Path, stage: Stage = silent, jobs: int | None = None
) -> Verification:
    """Write the generated files into a directory; ``stage`` is told what begins.  Raises ModelError.

    ``jobs`` processes derive kernels at once, None: as many as there are cores.

    What is returned compares the kernels, once they are compiled, with what they were printed from.
    """
    from kanegen.codegen import pipeline

    return pipeline.generate(model, directory, options, None, stage, jobs).compiled_residuals


def generate_to_verify(
    model: Model, options: Options, directory: Path, jobs: int | None = None
) -> Verification:
    """Write the generated files into a directory.  Raises ModelError.

    What is returned compares the compiled kernels as that of ``generate`` does, and writes it into the certificate.
    """
    from kanegen.codegen import pipeline

    return functools.partial(pipeline.generate(model, directory, options, jobs=jobs).verify, directory)


def convert(model: Model, options: Options, path: Path, strict: bool) -> None:
    """Write a model into a file of the format that its suffix says.  Raises ModelError."""
    from kanegen.codegen import converting

    converting.convert(model, path, options, strict)


def attach(
    a: Model, b: Model, at: str, placement: Sequence[float], names: str | Mapping[str, str]
) -> Mechanism:
    """One mechanism of two models.  Raises ModelError."""
    from kanegen.codegen import reading

    return reading.attach((a, b), at, placement, names)


def equations(model: Model, options: Options, as_compiled: bool, named: bool) -> Equations:
    """The kernels in symbols.  Raises ModelError."""
    from kanegen.codegen.symbolic import kernels

    return kernels.equations(model, options, as_compiled, named)


def explain(model: Model, options: Options, state: Mapping[str, Any] | None) -> Explanation:
    """Kane's method of a model step by step.  Raises ModelError."""
    from kanegen.codegen import explaining

    return explaining.explain(model, options, state)


Quantities: TypeAlias = "Callable[[Mapping[str, Any], Mapping[str, float]], dict[str, Any]]"
"""Intermediate quantities by name for q, v, a (..., n) and t (...), and values of parameters."""


def quantities(model: Model, options: Options, kernel: str) -> tuple[str, Quantities]:
    """The hash of a mechanism, and what gives intermediate quantities of a formulation.  Raises ModelError."""
    from kanegen.codegen import explaining

    return explaining.quantities(model, options, kernel)


def interpret(model: Model, options: Options) -> Interpretation:
    """The mechanism without C.  Raises ModelError."""
    from kanegen.codegen import pipeline

    return pipeline.interpret(model, options)


def imported_fingerprint(model: Model, options: Options) -> str:
    """SHA-256 of everything that matters about the mechanism in a model file.  Raises ModelError."""
    from kanegen.codegen import pipeline
    from kanegen.codegen.mechanism.fingerprint import fingerprint

    return fingerprint(pipeline.read(model, options))


ParameterCheck: TypeAlias = "Callable[..., object]"
"""Raises ModelError for values of parameters that the model, written with them, would be refused for; and for those of
states, given by name as arrays after the values of all.
"""


def parameter_check(model: Model, options: Options) -> tuple[str, ParameterCheck]:
    """The hash of a mechanism, and what checks values of its parameters.  Raises ModelError."""
    from kanegen.codegen import pipeline
    from kanegen.codegen.mechanism.fingerprint import fingerprint
    from kanegen.codegen.mechanism.validation.of_states import ParameterCheck as Check

    mechanism = pipeline.read(model, options)
    return fingerprint(mechanism), Check(mechanism, all_seen_possible)


def skeleton(model: Model, options: Options) -> tuple[str, Skeleton]:
    """The hash of a mechanism, and what a picture needs to know of it.  Raises ModelError."""
    from kanegen.codegen import pipeline
    from kanegen.codegen.mechanism import catalogue
    from kanegen.codegen.mechanism.fingerprint import fingerprint
    from kanegen.codegen.mechanism.skeleton import skeleton_of

    mechanism = pipeline.read(model, options)
    speeds = () if options.speeds is None else catalogue.generalized_speeds(mechanism.name, options.speeds)
    return fingerprint(mechanism), skeleton_of(mechanism, speeds)


def check_model(model: object) -> None:
    """Raise TypeError for what is neither a name, a path nor a Mechanism, UnknownModelError for a name without letters."""
    if isinstance(model, str) and not model:
        raise UnknownModelError(
            "the name of the model is empty; expected that of a built-in mechanism, or the path of a model file"
        )
    if isinstance(model, str) or (isinstance(model, os.PathLike) and isinstance(os.fspath(model), str)):
        return
    from kanegen.codegen.mechanism import Mechanism

    if not isinstance(model, Mechanism):
        raise TypeError(f"expected the name of a built-in, a path or a Mechanism, got {type(model).__name__}")


def catalogue_names() -> tuple[str, ...]:
    """Names of all built-in mechanisms, those without committed C included."""
    from kanegen.codegen.mechanism import catalogue

    return tuple(catalogue.names())


def mechanism_fingerprint(model: Mechanism, allow_unphysical: bool) -> str:
    """SHA-256 of everything that matters about a mechanism.  Raises ModelError for what is wrong with it."""
    from kanegen.codegen.mechanism.fingerprint import fingerprint
    from kanegen.codegen.mechanism.validation import validated

    return fingerprint(validated(model, allow_unphysical))


@functools.cache
def generator_digest() -> str:
    """SHA-256 of the code generator and its records, so that nothing is taken from the cache that an older one made."""
    spec = importlib.util.find_spec("kanegen.codegen")
    assert spec is not None and spec.submodule_search_locations  # it is a part of this distribution
    found = hashlib.sha256()
    for name in ("arithmetic.py", "json_records.py", "manifest.py"):
        found.update(Path(__file__).with_name(name).read_bytes())
    for folder in spec.submodule_search_locations:
        for where, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".py", ".template", ".json")):
                    path = Path(where, name)
                    found.update(f"{os.path.relpath(path, folder)}\0".encode() + path.read_bytes())
    return found.hexdigest()
