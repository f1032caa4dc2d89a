"""kanegen: equations of motion as the smallest, fastest C.

    import kanegen

    arm = kanegen.load("stanford_arm")
    tau = arm.inverse_dynamics(q, v, a)

``load`` makes a ``Robot`` from a built-in mechanism, a model file or a description in Python; ``simulate`` moves it,
``sweep`` does so many times, and ``trajectory`` gives the forces of a path;
``generate`` writes its C, ``equations`` gives them in symbols, ``explain`` Kane's method step by step, ``convert`` writes a
model file of another format.  ``MechanismBuilder`` describes mechanisms, ``from_urdf`` and the like read them, and
``attach`` makes one of two.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kanegen import laws
from kanegen.errors import (
    AssemblyError,
    BuildError,
    CacheError,
    CertificateError,
    DeadCentreError,
    FileError,
    InconsistentStateError,
    IntegrationError,
    InternalError,
    KanegenError,
    ManifestError,
    MissingInertiaError,
    MissingKernelError,
    ModelError,
    ModelWarning,
    NoCompilerError,
    NotCompiledError,
    PositionError,
    TargetError,
    UnknownModelError,
)
from kanegen.kernels.kernel import BoundKernel
from kanegen.loading import attach, convert, equations, explain, generate, load
from kanegen.manifest import Constraints, JointLimits, OperationCounts
from kanegen.robot import ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Robot
from kanegen.version import VERSION

if TYPE_CHECKING:
    from kanegen.codegen.mechanism.builder import MechanismBuilder
    from kanegen.codegen.mechanism.importers import from_dh, from_mjcf, from_toml, from_urdf
    from kanegen.simulation import Event, simulate, simulate_many, trajectory
    from kanegen.sweeps import Sweep, sweep

__version__ = VERSION

__all__ = [
    "AssemblyError",
    "BoundKernel",
    "BuildError",
    "CacheError",
    "CertificateError",
    "Constraints",
    "DeadCentreError",
    "Event",
    "FileError",
    "ForwardDynamicsDerivatives",
    "InconsistentStateError",
    "IntegrationError",
    "InternalError",
    "InverseDynamicsDerivatives",
    "JointLimits",
    "KanegenError",
    "ManifestError",
    "MechanismBuilder",
    "MissingInertiaError",
    "MissingKernelError",
    "ModelError",
    "ModelWarning",
    "NoCompilerError",
    "NotCompiledError",
    "OperationCounts",
    "PositionError",
    "Robot",
    "Sweep",
    "TargetError",
    "UnknownModelError",
    "__version__",
    "attach",
    "convert",
    "equations",
    "explain",
    "from_dh",
    "from_mjcf",
    "from_toml",
    "from_urdf",
    "generate",
    "laws",
    "load",
    "simulate",
    "simulate_many",
    "sweep",
    "trajectory",
]


_IMPORTERS = "kanegen.codegen.mechanism.importers"
_LATER = {
    "MechanismBuilder": "kanegen.codegen.mechanism.builder",
    **dict.fromkeys(("from_dh", "from_mjcf", "from_toml", "from_urdf"), _IMPORTERS),
    **dict.fromkeys(("Event", "simulate", "simulate_many", "trajectory"), "kanegen.simulation"),
    **dict.fromkeys(("Sweep", "sweep"), "kanegen.sweeps"),
}
"""Where the names are that take long to import: each is when it is first asked for."""


def __getattr__(name: str) -> Any:
    """What is imported when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'kanegen' has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    """All names, those included that have not been asked for yet."""
    own = {name for name, value in globals().items() if getattr(value, "__name__", "").startswith("kanegen.")}
    return sorted({*__all__, *own, *(name for name in globals() if name.startswith("__"))})
