"""A robot: the kernels of a mechanism behind calls that take and return NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, check_count, real_array, single_state
from kanegen.assembly import assemble
from kanegen.backends import Backend, merged_parameters
from kanegen.bound import BoundKernel
from kanegen.kernel_table import KernelTable
from kanegen.manifest import ArgumentSpec, BodyCoordinates, Constraints, Manifest, OperationCounts


class Robot:
    """A mechanism ready to compute.  ``kanegen.load`` makes one.

    Shapes: coordinates ``q`` are (..., nq); speeds ``v``, accelerations ``a`` and generalized forces ``tau`` are
    (..., nv), in the order of ``speed_names``.  Leading dimensions are a batch of states and broadcast.  Any real
    arrays or lists are accepted.  Results are new arrays, or ``out`` where it is given: a C-contiguous array of doubles
    of exactly the result's shape, which may share memory with the inputs.  Units are SI, angles radians.

    Every call raises TypeError for elements that are not real numbers, ValueError for wrong shapes, and
    MissingKernelError when the robot was loaded without the kernel.  A constrained mechanism raises DeadCentreError
    where its speeds do not determine its motion, rather than return infinity or NaN for finite arguments.  Calls may run
    in several threads at once; batches release the interpreter lock for the whole batch.
    """

    def __init__(self, manifest: Manifest, backend: Backend) -> None:
        """A robot of this manifest whose kernels ``backend`` evaluates."""
        self._manifest = manifest
        self._backend = backend
        self._kernels = KernelTable(manifest, backend)
        self._inverse_dynamics = self._kernels.call_of("inverse_dynamics")
        self._forward_dynamics = self._kernels.call_of("forward_dynamics")
        self._mass_matrix = self._kernels.call_of("mass_matrix")
        self._bias_forces = self._kernels.call_of("bias_forces")
        self._gravity_forces = self._kernels.call_of("gravity_forces")
        self._coriolis_matrix = self._kernels.call_of("coriolis_matrix")
        self._kinetic_energy = self._kernels.call_of("kinetic_energy")
        self._potential_energy = self._kernels.call_of("potential_energy")
        self._momentum = self._kernels.call_of("momentum")
        self._coordinate_rates = self._kernels.call_of("coordinate_rates")
        self._constraint_residual = self._kernels.call_of("constraint_residual")
        self._constraint_jacobian = self._kernels.call_of("constraint_jacobian")
        self._constraint_forces = self._kernels.call_of("constraint_forces")

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
        result: FloatArray = self._kernels.pose_of(frame).call(q, out)
        return result

    def frame_jacobian(self, q: ArrayLike, frame: str, *, out: FloatArray | None = None) -> FloatArray:
        """Jacobian of a frame (..., 6, nv): velocity of its origin, then angular velocity, both in the base frame."""
        result: FloatArray = self._kernels.jacobian_of(frame).call(q, out)
        return result

    # ---- constraints ----

    def constraint_residual(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """Residuals phi (..., k) of the equations of position, zero where loops are closed; see ``constraints``."""
        result: FloatArray = self._constraint_residual(q, out)
        return result

    def constraint_jacobian(self, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
        """The matrix A (..., m, nq) of the constraints on dq/dt: derivatives of phi, then equations of velocity."""
        result: FloatArray = self._constraint_jacobian(q, out)
        return result

    def constraint_forces(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, out: FloatArray | None = None
    ) -> FloatArray:
        """Forces that enforce the constraints in a motion, in the order of ``constraints.forces``.

        The multipliers of the m rows (zero for redundant ones), which act on the coordinates with A^T times them, then
        the forces that hold or drive prescribed joints [N m, N].
        """
        result: FloatArray = self._constraint_forces(q, v, a, out)
        return result

    def assemble(self, q: ArrayLike | None = None) -> FloatArray:
        """The configuration (nq,) nearest to q (nq,), home by default, in which the equations of position hold.

        It is the nearest one that goes downhill from q, at distance |q - q0| in the units of the coordinates.
        Raises AssemblyError, which says what stays open by how much.
        """
        start = self.home if q is None else single_state("assemble", "q", q, self.nq)
        report = self.constraints
        if report is None or not report.position:
            return start
        return assemble(self.name, report, self.constraint_residual, self.constraint_jacobian, start)

    @property
    def constraints(self) -> Constraints | None:
        """Names of the constraints, their rank, what is redundant; None where only joints determine the motion."""
        return self._manifest.constraints

    @property
    def body_coordinates(self) -> BodyCoordinates | None:
        """Names of bodies, joints and constraints; None for a robot without kernels in the coordinates of its bodies."""
        return self._manifest.body_coordinates

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
        found = self._kernels[kernel]
        check_count(found.spec, arrays)
        return found.call(*arrays, out)

    def bind(self, kernel: str) -> BoundKernel:
        """A kernel with buffers of its own, for control loops: ``step.q[:] = …; step(); step.tau``."""
        return self._kernels[kernel].bind()

    def kernel_address(self, kernel: str) -> int:
        """Address of the C function of a kernel.  Raises NotCompiledError for an interpreted robot.

        It stays valid as long as the process runs.
        """
        return self._backend.address(self._kernels[kernel].spec.function)

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
        """A robot of the same mechanism with other values of some live parameters.  Raises KanegenError, ValueError."""
        merged = merged_parameters(self.name, self._backend.parameters, values)
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
        """Names of the movable joints, in the order of the coordinates."""
        return self._manifest.joint_names

    @property
    def speed_names(self) -> tuple[str, ...]:
        """Names of the generalized speeds, in order: the joints whose rates they are, unless others were chosen."""
        return self._manifest.speed_names

    @property
    def home(self) -> FloatArray:
        """A configuration (nq,) in which the loops can be closed: zero unless the mechanism says otherwise."""
        return np.array(self._manifest.home)

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
            {name: spec.operation_counts for name, spec in self._manifest.kernels.items()}
        )

    @property
    def target(self) -> str | None:
        """The instruction set in use (baseline, avx2, avx512), or None when the robot is interpreted."""
        return self._backend.target

    def __repr__(self) -> str:
        """One line: name, degrees of freedom, kernels, how it computes."""
        how = f"compiled, {self.target}" if self.target else "interpreted"
        return f"<Robot {self.name!r}: {self.dof} degrees of freedom, {len(self._kernels)} kernels, {how}>"
