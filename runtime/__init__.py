"""kanegen: equations of motion as the smallest, fastest C.

    import kanegen

    arm = kanegen.load("stanford_arm")
    tau = arm.inverse_dynamics(q, v, a)

``load`` makes a ``Robot`` from a built-in mechanism, a model file or a description in Python; ``simulate`` moves it;
``generate`` writes its C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from kanegen.loading import generate, load
from kanegen.manifest import Constraints, JointLimits, OperationCounts
from kanegen.robot import ForwardDynamicsDerivatives, InverseDynamicsDerivatives, Robot
from kanegen.version import VERSION

if TYPE_CHECKING:
    from kanegen.simulation import simulate

__version__ = VERSION

__all__ = [
    "AssemblyError",
    "BoundKernel",
    "BuildError",
    "CacheError",
    "CertificateError",
    "Constraints",
    "DeadCentreError",
    "FileError",
    "ForwardDynamicsDerivatives",
    "InconsistentStateError",
    "IntegrationError",
    "InternalError",
    "InverseDynamicsDerivatives",
    "JointLimits",
    "KanegenError",
    "ManifestError",
    "MissingInertiaError",
    "MissingKernelError",
    "ModelError",
    "ModelWarning",
    "NoCompilerError",
    "NotCompiledError",
    "OperationCounts",
    "PositionError",
    "Robot",
    "TargetError",
    "UnknownModelError",
    "__version__",
    "generate",
    "load",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """What is imported when it is first asked for: simulation."""
    if name == "simulate":
        from kanegen.simulation import simulate

        return simulate
    raise AttributeError(f"module 'kanegen' has no attribute {name!r}")
