"""What is checked: the final programs of a kernel set, states, and the same quantities from the records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.evaluation import Evaluate, slope, stepped, values
from kanegen.codegen.certificate.flexible_reference import FlexibleReference
from kanegen.codegen.certificate.numeric_tree import numeric_tree
from kanegen.codegen.certificate.point_masses import flexible_arm
from kanegen.codegen.certificate.reference import Reference
from kanegen.codegen.certificate.special_states import SpecialStates
from kanegen.codegen.certificate.speeds import ProjectedSpeeds, Speeds, TreeSpeeds
from kanegen.codegen.graph import Program
from kanegen.codegen.graph.evaluate import UNIT_ROUNDOFF, rounding_errors
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.verify import parted, random_values


@dataclass(frozen=True, eq=False)
class KernelSet:
    """The kernels of a mechanism, to be checked, with what is handed in from their derivation.

    ``programs`` are the final ones, by name.  ``helpers`` are plain derivations of kernels that are needed for checking but
    are not in the set: coordinate_rates where ``projected`` (constraints or chosen speeds tie the joints together), and
    inverse_dynamics for derivatives then.  ``solves`` tells of a kernel whether its rounding errors grow with the condition
    number of the mass matrix.  ``frames`` maps the identifiers in names of kernels to the names of frames, ``coefficients``
    regressors by name to the values that belong to their columns.  ``of_rows`` has kernels of rows of a frame's twist, each
    with its own name, that of the frame, and the places of the rows.  ``configurations`` (states, nq) are given where not
    every configuration can be had, and ``independent`` are then the equations of velocity that hold in them.  ``special``
    are the states to look at beside these.  ``slip_speed`` [rad/s, m/s] belongs to Coulomb friction.  An ``approximate`` set
    is known to fulfil no law exactly.
    """

    mechanism: Mechanism
    programs: Mapping[str, Program]
    nv: int
    projected: bool
    slip_speed: float
    solves: Callable[[str], bool]
    helpers: Mapping[str, Program] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    coefficients: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    of_rows: Mapping[str, tuple[str, str, tuple[int, ...]]] = field(default_factory=dict)
    configurations: Array | None = None
    independent: tuple[int, ...] = ()
    approximate: bool = False
    special: SpecialStates | None = None


class Sample:
    """A kernel set in ``states`` random states: q, v, a and tau, as programs are compared at; and in those ``also``.

    Where the mechanism depends on time, it is the last entry of q, and rates of q end with 1.

    ``also`` are further q (k, nq), with random v, a and tau.  ``evaluate`` is how programs are, a ``Precisely`` where
    doubles have few digits.
    """

    def __init__(
        self, kernel_set: KernelSet, states: int, also: Array | None = None, evaluate: Evaluate = values
    ) -> None:
        self.kernel_set, self.random, self.nv, self.evaluate = kernel_set, states, kernel_set.nv, evaluate
        self.programs = kernel_set.programs
        self.parameters = {p.name: float(p.value) for p in kernel_set.mechanism.parameters}
        given = kernel_set.configurations
        if kernel_set.special is not None and kernel_set.special.usual is not None:
            given = kernel_set.special.usual
        self.nq = len(kernel_set.mechanism.coordinates)
        self.timed = kernel_set.mechanism.depends_on_time
        self.q: Array = random_values("q", (self.nq,), states) if given is None else given[:states]
        if also is not None and len(also):
            self.q = np.concatenate([self.q, also])
        self.states = len(self.q)
        self.v, self.a, self.tau = (
            random_values(name, (self.nv,), self.states) for name in ("v", "a", "tau")
        )
        self.reference = self._reference()
        self._known: dict[str, dict[str, Array]] = {}

    def _reference(self) -> Reference | FlexibleReference:
        mechanism, slip_speed = self.kernel_set.mechanism, self.kernel_set.slip_speed
        if mechanism.flexible:
            return FlexibleReference(flexible_arm(mechanism), TreeSpeeds(mechanism), slip_speed)
        return Reference(numeric_tree(mechanism), self._speeds(), self.nv, slip_speed)

    def _speeds(self) -> Speeds:
        kernel_set = self.kernel_set
        if not kernel_set.projected:
            return TreeSpeeds(kernel_set.mechanism)
        rates = self.program("coordinate_rates")
        assert rates is not None, "a helper where it is no kernel of the set"
        return ProjectedSpeeds(kernel_set.mechanism, rates, self.parameters, self.evaluate)

    def program(self, kernel: str) -> Program | None:
        """A kernel of the set, or its plain derivation, or None."""
        return self.programs.get(kernel) or self.kernel_set.helpers.get(kernel)

    def has(self, *kernels: str) -> bool:
        """Whether all of these are in the set."""
        return all(kernel in self.programs for kernel in kernels)

    def at(self, kernel: str, **given: Array) -> Array:
        """The first output of a kernel in the states, some inputs replaced by others."""
        return next(iter(self.outputs(kernel, **given).values()))

    def outputs(self, kernel: str, **given: Array) -> dict[str, Array]:
        """All outputs of a kernel in the states, some inputs replaced by others."""
        if not given and kernel in self._known:
            return self._known[kernel]
        found = self._evaluated(self._there(kernel), given)
        if not given:
            self._known[kernel] = found
        return found

    def _there(self, kernel: str) -> Program:
        program = self.program(kernel)
        assert program is not None, "checks ask for the kernels that are there"
        return program

    def _evaluated(
        self,
        program: Program,
        given: Mapping[str, Array],
        parameters: Mapping[str, Any] | None = None,
        evaluate: Evaluate | None = None,
    ) -> dict[str, Array]:
        arguments = {x.name: self.input(x.name, x.shape) for x in program.inputs if x.name not in given}
        if self.timed:
            arguments.pop("t", None)  # which q tells
        evaluate = evaluate or self.evaluate
        return evaluate(program, {**arguments, **given}, parameters or self.parameters)

    def input(self, name: str, shape: tuple[int, ...]) -> Array:
        """An input in the states (states, *shape)."""
        own = {"q": self.q, "v": self.v, "a": self.a, "tau": self.tau}
        if self.timed:
            own["t"] = self.q[..., -1]
        return own[name] if name in own else random_values(name, shape, self.states)

    def terms(self, kernel: str) -> Array:
        """What the first output of a kernel amounts to before terms cancel, by its rounding errors in these states."""
        program = self.programs[kernel]
        arguments = {x.name: self.input(x.name, x.shape) for x in program.inputs}
        errors = rounding_errors(program, parted(program, arguments), self.parameters)
        return next(iter(errors.values())) / UNIT_ROUNDOFF

    def along(self, kernel: str, given: Mapping[str, Array] | None = None, **directions: Array) -> Array:
        """The derivative of a kernel's first output along directions of its inputs, in doubles; batches broadcast."""
        at = {name: self.input(name, step.shape[-1:]) for name, step in directions.items()} | dict(
            given or {}
        )
        moved = {name: stepped(at[name], step) for name, step in directions.items()}
        found = self._evaluated(self._there(kernel), {**at, **moved}, evaluate=values)
        return slope(next(iter(found.values())))

    def by_parameters(self, kernel: str, a: Array) -> Array:
        """Derivatives of a kernel's first output by the live parameters (states, ..., np), at these a."""
        program = self._there(kernel)
        slopes = []
        for name, value in self.parameters.items():
            moved = {**self.parameters, name: stepped(np.array(value), np.array(1.0))}
            slopes.append(slope(next(iter(self._evaluated(program, {"a": a}, moved).values()))))
        return np.stack(slopes, axis=-1)

    @cached_property
    def forces(self) -> Array:
        """Generalized forces (states, nv) of the motion, from the records."""
        return np.asarray(self.reference.inverse_dynamics(self.q, self.v, self.a).value)

    @cached_property
    def rates(self) -> Array:
        """dq/dt (states, nq), of q with the time where that is in it."""
        return self.reference.speeds.rates(self.q, self.v)

    @cached_property
    def columns(self) -> Array:
        """Unit steps of q, (nv, states, nq)."""
        return np.moveaxis(self.reference.speeds.columns(self.q), -1, 0)

    @cached_property
    def units(self) -> Array:
        """Unit vectors of speeds, (nv, 1, nv)."""
        return np.eye(self.nv)[:, None, :]

    @cached_property
    def inverse_norm(self) -> Array:
        """The norm of the inverse of the mass matrix (states,): what an error of a force is in an acceleration.

        Infinite where the matrix in doubles is not farther from a singular one than its rounding errors: an error of its
        entries moves its singular values by nv times as much at most, so that nothing is known of the smallest one then.
        """
        M = self.reference.mass_matrix(self.q)
        smallest = np.linalg.svd(M.value, compute_uv=False)[..., -1]
        known = smallest > self.nv * np.finfo(np.float64).eps * M.scale
        return np.where(known, 1 / np.where(known, smallest, 1.0), np.inf)

    @property
    def invertible(self) -> bool:
        """Whether errors of accelerations are known in some state.  What solves is put back into the equations in any."""
        return self.nv > 0 and bool(np.isfinite(self.inverse_norm).any())

    @property
    def untold(self) -> bool:
        """Whether bodies move in ways that q does not tell of: joints of constant rates do."""
        return any(rate != 0 for rate in self.kernel_set.mechanism.steady_joints.values())

    @property
    def drifts(self) -> bool:
        """Whether bodies move where all speeds are zero: joints are prescribed, or speeds have terms without a rate."""
        return self.untold or self.timed or self.kernel_set.mechanism.speeds_at_rest
