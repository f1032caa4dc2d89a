"""A robot: the kernels of a mechanism behind calls that take and return NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, check_count, finite_number, real_array
from kanegen.backends import Backend
from kanegen.bound import BoundKernel
from kanegen.errors import KanegenError, MissingInertiaError, MissingKernelError
from kanegen.kernels import Call, Kernel
from kanegen.manifest import ArgumentSpec, Manifest, OperationCounts


class Robot:
    """A mechanism ready to compute.  ``kanegen.load`` makes one.

    Shapes: coordinates ``q`` are (..., nq); speeds ``v``, accelerations ``a`` and generalized forces ``tau`` are
    (..., nv), in the order of ``joint_names``.  Leading dimensions are a batch of states and broadcast.  Any real
    arrays or lists are accepted.  Results are new arrays, or ``out`` where it is given: a C-contiguous array of doubles
    of exactly the result's shape, which may share memory with the inputs.  Units are SI, angles radians.

    Every call raises TypeError for elements that are not real numbers, ValueError for wrong shapes, and
    MissingKernelError when the robot was loaded without the kernel.  Calls may run in several threads at once; batches
    release the interpreter lock for the whole batch.
    """

    def __init__(self, manifest: Manifest, backend: Backend) -> None:
        """A robot of this manifest whose kernels ``backend`` evaluates."""
        self._manifest = manifest
        self._backend = backend
        self._kernels: dict[str, Kernel] = {
            name: backend.kernel(spec) for name, spec in manifest.kernels.items()
        }
        self._inverse_dynamics = self._call_of("inverse_dynamics")
        self._forward_dynamics = self._call_of("forward_dynamics")
        self._mass_matrix = self._call_of("mass_matrix")
        self._bias_forces = self._call_of("bias_forces")
        self._gravity_forces = self._call_of("gravity_forces")
        self._coriolis_matrix = self._call_of("coriolis_matrix")
        self._kinetic_energy = self._call_of("kinetic_energy")
        self._potential_energy = self._call_of("potential_energy")
        self._momentum = self._call_of("momentum")
        self._coordinate_rates = self._call_of("coordinate_rates")

    # ---- dynamics ----

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: FloatArray | None = None
    ) -> FloatArray:
        """Generalized forces tau (..., nv) [N m, N] that give the accelerations ``a`` in the state (q, v)."""
        result: FloatArray = self._inverse_dynamics(q, v, a, out)
        return result

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, out: FloatArray | None = None
    ) -> FloatArray:
        """Accelerations (..., nv) under the generalized forces ``tau`` in the state (q, v)."""
        result: FloatArray = self._forward_dynamics(q, v, tau, out)
        return result

    def mass_matrix(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The mass matrix M (..., nv, nv), full and symmetric."""
        result: FloatArray = self._mass_matrix(q, out)
        return result

    def bias_forces(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Coriolis, centrifugal and gravity forces h (..., nv); tau = M a + h."""
        result: FloatArray = self._bias_forces(q, v, out)
        return result

    def gravity_forces(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Generalized forces g (..., nv) that hold the mechanism still against gravity."""
        result: FloatArray = self._gravity_forces(q, out)
        return result

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The matrix C (..., nv, nv) with h = C v + g and dM/dt - 2 C skew-symmetric."""
        result: FloatArray = self._coriolis_matrix(q, v, out)
        return result

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Kinetic energy (...) [J]; a NumPy scalar for one state."""
        result: FloatArray = self._kinetic_energy(q, v, out)
        return result

    def potential_energy(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Potential energy (...) [J] in the field of gravity; mass centres at the base origin have none."""
        result: FloatArray = self._potential_energy(q, out)
        return result

    def momentum(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Momentum (..., 6): linear [kg m/s], then angular about the base origin [kg m^2/s], in the base frame."""
        result: FloatArray = self._momentum(q, v, out)
        return result

    rnea = inverse_dynamics
    aba = forward_dynamics
    crba = mass_matrix

    # ---- kinematics ----

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Time derivatives of the coordinates (..., nq) at the speeds ``v``."""
        result: FloatArray = self._coordinate_rates(q, v, out)
        return result

    def frame_pose(self, q: ArrayLike, frame: str, *, out: FloatArray | None = None) -> FloatArray:
        """Pose of a frame in the base frame: homogeneous matrices (..., 4, 4), lengths in metres."""
        kernels = self._manifest.frames.get(frame)
        name = kernels.pose if kernels else None
        result: FloatArray = self._frame_kernel(frame, "pose", name).call(q, out)
        return result

    def frame_jacobian(self, q: ArrayLike, frame: str, *, out: FloatArray | None = None) -> FloatArray:
        """Jacobian of a frame (..., 6, nv): velocity of its origin, then angular velocity, both in the base frame."""
        kernels = self._manifest.frames.get(frame)
        name = kernels.jacobian if kernels else None
        result: FloatArray = self._frame_kernel(frame, "jacobian", name).call(q, out)
        return result

    # ---- actuators ----

    def to_actuator(self, tau: ArrayLike) -> FloatArray:
        """Actuator forces (..., nv) for generalized forces ``tau``, by the sign conventions of the mechanism.

        Where the mechanism declares no actuators, each acts along its speed and the forces are the same.
        """
        return self._signed("to_actuator", "tau", tau)

    def from_actuator(self, forces: ArrayLike) -> FloatArray:
        """Generalized forces (..., nv) for actuator forces: the inverse of ``to_actuator``."""
        return self._signed("from_actuator", "forces", forces)

    def _signed(self, caller: str, name: str, forces: ArrayLike) -> FloatArray:
        """Forces times the signs of the actuators, which are their own inverse."""
        array = real_array(caller, ArgumentSpec(name, (self.nv,), "", ""), forces)
        result: FloatArray = np.asarray(array, dtype=np.float64) * (self._manifest.actuator_signs or 1.0)
        return result

    # ---- any kernel ----

    def call(self, kernel: str, *arrays: ArrayLike, out: Any = None) -> Any:
        """Evaluate any kernel by name, such as a feedback law compiled with the dynamics.

        Takes its inputs in order; returns its output, or a tuple of them when there are several (``out`` likewise).
        """
        found = self._kernel(kernel)
        check_count(found.spec, arrays)
        return found.call(*arrays, out)

    def bind(self, kernel: str) -> BoundKernel:
        """A kernel with buffers of its own, for control loops: ``step.q[:] = …; step(); step.tau``."""
        return self._kernel(kernel).bind()

    def kernel_address(self, kernel: str) -> int:
        """Address of the C function of a kernel.  Raises NotCompiledError for an interpreted robot.

        It stays valid as long as the process runs.
        """
        return self._backend.address(self._kernel(kernel).spec.function)

    @property
    def prepared_address(self) -> int | None:
        """Address of the struct that the C functions take first; None for a robot without live parameters.

        It stays valid as long as this robot exists.  Raises NotCompiledError for an interpreted robot.
        """
        return self._backend.prepared_address()

    # ---- live parameters ----

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters; empty for a robot loaded without them."""
        return MappingProxyType(dict(self._backend.parameters))

    def with_parameters(self, values: Mapping[str, float]) -> Robot:
        """A robot of the same mechanism with other values of some live parameters.

        Raises KanegenError for a parameter that is not there, ValueError for a value that is no finite number.
        """
        unknown = [name for name in values if name not in self._backend.parameters]
        if unknown:
            known = ", ".join(self._backend.parameters) or "none: load it with live_parameters=True"
            raise KanegenError(
                f"{self.name!r} has no live parameter {unknown[0]!r}. It has: {known}. "
                "Parameters that none of its kernels depends on are left out"
            )
        given = {name: finite_number(f"parameter {name!r}", value) for name, value in values.items()}
        merged = {**self._backend.parameters, **given}
        return Robot(self._manifest, self._backend.with_parameters(merged))

    # ---- description ----

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self._manifest.name

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._manifest.nq

    @property
    def nv(self) -> int:
        """Number of speeds: the degrees of freedom."""
        return self._manifest.nv

    @property
    def dof(self) -> int:
        """Degrees of freedom: the number of speeds."""
        return self._manifest.nv

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the coordinates, in order."""
        return self._manifest.coordinate_names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the movable joints, in the order of the speeds."""
        return self._manifest.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the frames."""
        return self._manifest.frame_names

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of free fall in the base frame [m/s^2]."""
        return self._manifest.gravity

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that this robot has."""
        return tuple(self._kernels)

    @property
    def operation_counts(self) -> Mapping[str, OperationCounts]:
        """Operations of one evaluation of each kernel."""
        return MappingProxyType(
            {name: kernel.spec.operation_counts for name, kernel in self._kernels.items()}
        )

    @property
    def target(self) -> str | None:
        """The instruction set in use (baseline, avx2, avx512), or None when the robot is interpreted."""
        return self._backend.target

    def __repr__(self) -> str:
        """One line: name, degrees of freedom, kernels, how it computes."""
        how = f"compiled, {self.target}" if self.target else "interpreted"
        return f"<Robot {self.name!r}: {self.dof} degrees of freedom, {len(self._kernels)} kernels, {how}>"

    # ---- kernels that are not there ----

    def _kernel(self, name: str) -> Kernel:
        try:
            return self._kernels[name]
        except KeyError:
            raise self._missing(name) from None

    def _call_of(self, name: str) -> Call:
        """The call of a kernel; for a kernel that is not there, one that says so."""
        kernel = self._kernels.get(name)
        if kernel is not None:
            return kernel.call

        def missing(*_: object) -> Any:
            raise self._missing(name)

        return missing

    def _frame_kernel(self, frame: str, what: str, name: str | None) -> Kernel:
        if name is not None:
            return self._kernel(name)
        if frame in self.frame_names:
            raise self._missing(f"frame_{what}_{frame}")
        raise MissingKernelError(
            f"{self.name!r} has no frame {frame!r}. It has: {', '.join(self.frame_names)}"
        )

    def _missing(self, name: str) -> MissingKernelError:
        reason = self._manifest.unavailable.get(name)
        if reason is not None:
            return MissingInertiaError(f"{self.name!r} has no kernel {name!r}: {reason}")
        return MissingKernelError(
            f"{self.name!r} was loaded without the kernel {name!r}. It has: {', '.join(self._kernels)}. "
            f"Ask for it: kanegen.load(model, kernels=[..., {name!r}])"
        )
