"""What every part of a robot needs: its manifest, its kernels by name, live parameters, and what it says of itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, Self, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from kanegen.arrays import FloatArray, Values, check_count, real_array, single_state
from kanegen.by_name import Places, array_of, places
from kanegen.errors import KanegenError, NotCompiledError, counted, shown
from kanegen.followers import Coupling, ends_of, followers
from kanegen.kernels.checks import TELLING, Told
from kanegen.kernels.kernel import Backend, BoundKernel, Columns
from kanegen.kernels.live_parameters import StateValues, merged_parameters, varied_parameters
from kanegen.kernels.table import (
    ArrayCall,
    KernelSet,
    KernelTable,
    More,
)
from kanegen.manifest import (
    Argument,
    JointLimits,
    KernelSpec,
    LawRecord,
    LinkEnds,
    Manifest,
    OperationCounts,
    Parameter,
)
from kanegen.skeleton import Skeleton

SkeletonOf: TypeAlias = Callable[[], Skeleton]
"""What a picture needs to know of the model.  Raises KanegenError."""

QuantitiesOf: TypeAlias = Callable[
    [str, str], Callable[[Mapping[str, FloatArray], Mapping[str, float]], dict[str, FloatArray]]
]
"""By formulation and kernel, what gives intermediate quantities for q, v, a, t and parameters.  Raises KanegenError."""

Varied: TypeAlias = Mapping[str, ArrayLike]
"""Live parameters that have values of their own for each state of a batch, by name: (...), or a number for all."""

ParameterCheck: TypeAlias = Callable[..., object]
"""Raises ModelError for values of the live parameters that the model cannot have; given those that differ, by name (...)
as arrays, and the sum of all squares of these, after the values of all, for the first of them.
"""


class LookedUpOnce:
    """A call looked up by an attribute's name, without its underscore, when it is first used; then it is the attribute."""

    def __init__(self, look_up: Callable[[Any, str], ArrayCall]) -> None:
        self._look_up = look_up

    def __set_name__(self, owner: type, name: str) -> None:
        """Remember the attribute."""
        self._name = name

    @overload
    def __get__(self, of: None, owner: type) -> Self: ...

    @overload
    def __get__(self, of: object, owner: type) -> ArrayCall: ...

    def __get__(self, of: object, owner: type) -> Self | ArrayCall:
        """Raises what looking it up raises."""
        if of is None:
            return self
        found = self._look_up(of, self._name[1:])
        setattr(of, self._name, found)
        return found


class Core:
    """A manifest, the backend that evaluates its kernels, what obtains further ones, and what checks values of parameters.

    Without ``more`` there are no further kernels, without ``check`` any finite numbers will do, without ``skeleton``
    pictures show frames alone, and without ``quantities`` there are none between inputs and outputs.
    """

    def __init__(
        self,
        manifest: Manifest,
        backend: Backend,
        more: More | None = None,
        check: ParameterCheck | None = None,
        skeleton: SkeletonOf | None = None,
        quantities: QuantitiesOf | None = None,
    ) -> None:
        self._manifest = manifest
        self._check = check
        self._skeleton_of, self._quantities_of = skeleton, quantities
        self._kernels = KernelTable(KernelSet(manifest, backend), more)
        self._t: ArrayLike | None = 0.0 if manifest.depends_on_time else None

    def _obtained(self, name: str) -> ArrayCall:
        """The call of a kernel with one output at this robot's time, obtained if it is not there yet.

        Raises MissingKernelError; ModelError or BuildError where it cannot be made.
        """
        return self._now(self._kernels[name].call)

    # Called often, so that they are looked up once.
    _inverse_dynamics = LookedUpOnce(_obtained)
    _forward_dynamics = LookedUpOnce(_obtained)
    _bias_forces = LookedUpOnce(_obtained)
    _gravity_forces = LookedUpOnce(_obtained)
    _mass_matrix = LookedUpOnce(_obtained)
    _kinetic_energy = LookedUpOnce(_obtained)
    _potential_energy = LookedUpOnce(_obtained)
    _momentum = LookedUpOnce(_obtained)
    _coordinate_rates = LookedUpOnce(_obtained)
    _constraint_residual = LookedUpOnce(_obtained)
    _constraint_jacobian = LookedUpOnce(_obtained)
    _constraint_forces = LookedUpOnce(_obtained)

    def _of_frame(self, what: str, frame: str) -> ArrayCall:
        """The same for a kernel of a frame, ``what`` being "frame_pose", "frame_jacobian", and so on."""
        return self._obtained(self._kernels.name_for(what, frame))

    def _of_rows(self, what: str, frame: str, rows: Sequence[str] | None) -> ArrayCall:
        """The same for rows of a frame's twist.  Raises ModelError, too, for rows that depend on one another."""
        return self._now(self._kernels.of_rows(what, frame, rows).call)

    def _now(self, call: ArrayCall) -> ArrayCall:
        """The call of a kernel, which is given the time where there is any."""
        taken = call if self._t is None else functools.partial(call, self._t)
        return taken if self.nv else functools.partial(self._without_speeds, taken)

    def _without_speeds(self, call: ArrayCall, q: Values, *given: Any) -> FloatArray:
        """Call a kernel of a mechanism without speeds, which takes none; ``given`` has arrays (..., 0) in their places."""
        *speeds, out, threads = given
        lead = np.broadcast_shapes(*(self._array(self.name, "v", 0, x).shape[:-1] for x in speeds))
        if lead:
            configurations = self._array(self.name, "q", self.nq, q)
            batch = np.broadcast_shapes(lead, configurations.shape[:-1])
            q = np.broadcast_to(configurations, (*batch, self.nq))
        return call(q, out, threads)

    def at(self, t: ArrayLike) -> Self:
        """The robot at a time [s], or at times of the shape of a batch, which its calls take from here, but for ``call``.

        The robot itself where nothing depends on time.
        """
        return self._at(t) if self._manifest.depends_on_time else self

    def _at(self, t: ArrayLike) -> Self:
        """The robot at a time [s], or at times of the shape of a batch.  Raises TypeError where nothing depends on it."""
        return self._given(t, None)

    def _given(
        self, t: ArrayLike | None, parameters: Varied | None, *, looks: bool = True, rows: int | None = None
    ) -> Self:
        """The robot at a time, with parameters of their own for each state: what calls are told by keyword."""
        if t is not None and not self._manifest.depends_on_time:
            raise TypeError(f"{self._manifest.name}: nothing of it depends on time, so that calls take no t")
        kernels = self._kernels
        if parameters or not looks:
            present = self._backend.parameters
            values, squares = varied_parameters(self.name, present, parameters or {})
            if values and self._check is not None:
                self._check(present, values, squares)
            if values and rows is not None:
                values = StateValues.of({k: np.broadcast_to(x, rows)[:, None] for k, x in values.items()})
            kernels = kernels.varied(values, looks=looks)
        return self._with(kernels, self._t if t is None else t)

    def with_open_loops(self, told: Told) -> Self:
        """A robot of the same mechanism that tells in another way of configurations that do not close its loops.

        "warn" (the default): every call whose q violates an equation of position by more than 1e-6 of the lengths in its
        loop, or radians, warns with a ``ModelWarning``, which names the worst row of a batch.  "error": it raises
        InconsistentStateError.  "ignore": nothing is looked at.  Bound kernels do not look.  Raises ValueError.
        """
        if told not in TELLING:
            raise ValueError(
                f"with_open_loops: expected one of {', '.join(map(repr, TELLING))}, got {shown(told)}"
            )
        return self._with(self._kernels.of_backend(self._backend, told), self._t)

    def _with(self, kernels: KernelTable, t: ArrayLike | None) -> Self:
        """A robot of the same mechanism with these kernels at this time.

        It has as few objects as can be: each one that is kept is visited by every full collection of garbage.
        """
        robot = object.__new__(type(self))
        robot._manifest, robot._check = self._manifest, self._check
        robot._skeleton_of, robot._quantities_of = self._skeleton_of, self._quantities_of
        robot._kernels, robot._t = kernels, t
        return robot

    @property
    def _backend(self) -> Backend:
        """What evaluates the kernels that the robot was loaded with."""
        return self._kernels.backend

    def __copy__(self) -> Self:
        """The robot itself: nothing in it changes."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """The robot itself: nothing in it changes."""
        del memo
        return self

    def __reduce__(self) -> NoReturn:
        """Raises TypeError: compiled functions are in this process alone."""
        raise TypeError(
            f"{self._manifest.name}: a robot cannot be pickled. Load it in every process: kanegen.load(model) takes it from "
            "the cache"
        )

    # ---- kernels by name, their C functions, and live parameters ----

    def call(
        self,
        kernel: str,
        *arrays: ArrayLike,
        out: Any = None,
        threads: int = 1,
        parameters: Varied | None = None,
    ) -> Any:
        """Evaluate any kernel by name, such as a feedback law compiled with the dynamics.

        Takes its inputs in order, t first where it has that; returns its output, or a tuple of them when there are several
        (``out`` likewise).  ``threads``, here and in all calls: how many threads may work on a batch; -1 for all processors
        that this process may use.  Results do not depend on it.

        ``parameters``, here and in all calls for batches of states: by the names that ``with_parameters`` takes, values of
        live parameters for each state, as arrays that broadcast with the leading dimensions of the others, or numbers for
        all states.  They are checked as ``with_parameters`` checks them; errors name the row.
        """
        if parameters is not None:
            return self._given(None, parameters).call(kernel, *arrays, out=out, threads=threads)
        found = self._kernels[kernel]
        check_count(found.spec, arrays)
        return found.call(*arrays, out, threads)

    def bind(self, kernel: str) -> BoundKernel:
        """A kernel with buffers of its own, for control loops: ``step.q[:] = …; step(); step.tau``."""
        self._require_one_set("bound kernels")
        return self._kernels[kernel].bind()

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that this robot has, those included that are made when they are first called."""
        return tuple(self._kernels)

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Names of kernels that this mechanism cannot have, with the reasons."""
        return MappingProxyType(dict(self._manifest.unavailable))

    @property
    def optional_kernels(self) -> tuple[str, ...]:
        """Names of the kernels beside ``kernels`` that it gets when they are first asked for."""
        return self._kernels.obtainable

    @property
    def operation_counts(self) -> Mapping[str, OperationCounts]:
        """Operations of one evaluation of each kernel that this robot has; those that wait are made now."""
        return MappingProxyType({name: self._kernels[name].spec.operation_counts for name in self._kernels})

    def made_of(self, kernels: Iterable[str]) -> tuple[Manifest, Mapping[str, tuple[KernelSpec, Path]]]:
        """The manifest, and by name what kernels take and give, with the folder of the C that each was compiled from.

        Raises MissingKernelError, and NotCompiledError for an interpreted robot.
        """
        found = {}
        for name in kernels:
            spec, folder = self._kernels[name].spec, self._kernels.set_of(name).backend.directory
            if folder is None:
                raise NotCompiledError(
                    f"{self.name} is interpreted. Install a C compiler and load it without interpreted=True"
                )
            found[name] = spec, folder
        return self._manifest, found

    def frame_kernel(self, what: str, frame: str) -> str:
        """The name of a kernel of a frame, ``what`` being "frame_pose", "frame_jacobian", …, whether it is there or not.

        Raises MissingKernelError where there is no such frame.
        """
        return self._kernels.name_for(what, frame)

    def kernel_address(self, kernel: str) -> int:
        """Address of the C function of a kernel.  Raises NotCompiledError for an interpreted robot.

        It stays valid as long as the process runs.
        """
        spec = self._kernels[kernel].spec
        return self._kernels.set_of(kernel).backend.address(spec.function)

    @property
    def prepared_address(self) -> int | None:
        """Address of the struct that the C functions in double precision take first; None without live parameters.

        It stays valid as long as this robot exists.  Raises NotCompiledError for an interpreted robot.  A kernel of
        ``optional_kernels``, or in single precision, has a struct of its own: ``prepared_address_of``.
        """
        self._require_one_set("prepared values")
        return self._backend.prepared_address()

    def prepared_address_of(self, kernel: str) -> int | None:
        """Address of the struct that the C function of this kernel takes first; the rest as ``prepared_address``."""
        self._require_one_set("prepared values")
        precision = self._kernels[kernel].spec.precision
        return self._kernels.set_of(kernel).backend.prepared_address(precision)

    def of_states(self, parameters: Varied, *, looks: bool = True, rows: int | None = None) -> Self:
        """The robot whose calls take live parameters that differ from state to state: see ``call``.

        What has one set of parameters, such as a bound kernel and ``simulate``, is not to be had of it.

        ``looks``: whether they look for dead centres and open loops.  ``rows``: parameters are (rows,), or numbers, and each
        of them is that of a row of states, so that calls take (rows, k, …).
        """
        return self._given(None, parameters, looks=looks, rows=rows)

    def _require_one_set(self, what: str) -> None:
        """Raise KanegenError where parameters have values for each state, and what is asked for knows one alone."""
        varying = self._kernels.varying
        if varying:
            raise KanegenError(
                f"{self.name}: {', '.join(map(repr, varying))} may differ from state to state in this robot (of_states), so "
                f"that it has no {what}. Take with_parameters"
            )

    def columns(self, kernel: str) -> Columns:
        """A kernel's C function for many states as columns, with the live parameters of each, for simulations of many.

        Raises NotCompiledError for an interpreted robot.
        """
        return self._kernels.columns(kernel)

    @property
    def target(self) -> str | None:
        """The instruction set in use (baseline, avx2, avx512), or None when the robot is interpreted.

        A robot whose kernels wait makes the first of them to tell.
        """
        return self._kernels.target

    @property
    def parameters(self) -> Mapping[str, float]:
        """Values of the live parameters; empty for a robot loaded without them."""
        self._require_one_set("values of parameters alone")
        return MappingProxyType(dict(self._backend.parameters))

    @property
    def parameter_table(self) -> Mapping[str, Parameter]:
        """The live parameters by name: ``.value``, ``.unit``, ``.meaning`` and ``.limits``, the least and greatest values.

        Masses, moments of inertia and losses have the least value 0.  What bodies allow together, such as the triangle
        inequality of moments, is checked by ``with_parameters``.
        """
        values = self.parameters
        return MappingProxyType({p.name: replace(p, value=values[p.name]) for p in self._manifest.parameters})

    def with_parameters(self, values: Mapping[str, float], *, allow_unphysical: bool = False) -> Self:
        """A robot of the same mechanism with other values of some live parameters.

        They are checked as a model file with these numbers would be: masses and inertias are those of real bodies,
        springs resist, beams are stiff.  The first check reads the model, which takes a second, each one then some
        milliseconds; ``allow_unphysical=True`` takes any finite numbers as they are, in microseconds.  A robot of generated
        C has no model to check against, and does the same.

        Raises KanegenError for a name that is no live parameter, ValueError for what is no finite number, and ModelError,
        which is both, for values that the model cannot have.
        """
        kernels = self._kernels
        backend = kernels.backend
        merged = merged_parameters(self._manifest.name, backend.parameters, values)
        if self._check is not None and not allow_unphysical:
            self._check(merged)
        return self._with(kernels.of_backend(backend.with_parameters(merged), kernels.told, values), self._t)

    # ---- what a robot says of itself ----

    @property
    def laws(self) -> Mapping[str, LawRecord]:
        """The control laws that have states of their own or follow signals, by name: these, in order."""
        return MappingProxyType(dict(self._manifest.laws))

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return self._manifest.name

    @property
    def depends_on_time(self) -> bool:
        """Whether prescribed motions or constraints contain time, so that calls take ``t=`` [s]."""
        return self._manifest.depends_on_time

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
    def mode_names(self) -> tuple[str, ...]:
        """Names of the coordinates that are amplitudes of modes of flexible links, in order."""
        return tuple(self._manifest.modes)

    @property
    def mode_amplitudes(self) -> Mapping[str, float]:
        """For each mode of a flexible link an amplitude that turns its end by 0.2 rad, or moves it by 0.2 of the length."""
        return MappingProxyType(dict(self._manifest.modes))

    @property
    def link_ends(self) -> LinkEnds:
        """By flexible link and mode, what an amplitude of 1 does to the link's end: see ``LinkEnds``."""
        return MappingProxyType(dict(self._manifest.link_ends))

    @property
    def speeds_are_rates(self) -> bool:
        """Whether v = dq/dt, so that ``coordinate_rates`` has nothing to tell."""
        manifest = self._manifest
        known = manifest.speed_names in (manifest.coordinate_names, manifest.joint_names)
        return manifest.nq == manifest.nv and known and not manifest.speeds_chosen

    @property
    def lossless(self) -> bool:
        """Whether only works of forces change its energy: nothing dissipates, and no motion is prescribed but rest."""
        return self._manifest.lossless

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of the frames."""
        return self._manifest.frame_names

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of free fall in the base frame [m/s^2], also where it is live (``live=["gravity"]``)."""
        live = self._backend.parameters
        return tuple(
            live.get(f"gravity_{axis}", g) for axis, g in zip("xyz", self._manifest.gravity, strict=True)
        )

    @property
    def joint_limits(self) -> Mapping[str, JointLimits]:
        """What the model says that joints must not exceed, by their names: data, which nothing here enforces.

        ``.lower``, ``.upper`` [rad, m], ``.velocity`` [rad/s, m/s], ``.effort`` [N m, N]; None where the model says nothing.
        ``.stops_below``, ``.stops_above``: whether the model has an elastic stop at that end, which gives way.
        """
        none = {name: JointLimits() for name in self._manifest.joint_names}
        return MappingProxyType(none | dict(self._manifest.limits))

    @property
    def followers(self) -> Mapping[str, Coupling]:
        """The joints that follow others and are no coordinates, by their names, as live parameters are.

        ``.leader`` is the coordinate that a joint follows; it stands at ``.multiplier`` * leader + ``.offset`` [rad, m].
        """
        return MappingProxyType(followers(self._manifest, self._backend.parameters))

    @property
    def coordinate_limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest value (nq,) of each coordinate [rad, m] by the limits of its joint and its followers.

        Infinite where there is none.  Limits of followers that leave nothing of a range do not count.
        """
        names, limits = list(self.coordinate_names), self._manifest.limits
        low, high = np.full(self.nq, -np.inf), np.full(self.nq, np.inf)
        for name in limits.keys() & set(names):
            low[names.index(name)], high[names.index(name)] = ends_of(limits[name])
        for joint, one in self.followers.items():
            place = names.index(one.leader)
            least, most = one.range_of_leader(*ends_of(limits.get(joint, JointLimits())))
            if max(least, low[place]) <= min(most, high[place]):
                low[place], high[place] = max(least, low[place]), min(most, high[place])
        return low, high

    @property
    def coordinate_places(self) -> Places:
        """Where coordinates are in q, by their names: those of ball and floating joints under the joint's name as well."""
        return MappingProxyType(dict(places(self._manifest)[0]))

    @property
    def speed_places(self) -> Places:
        """The same for speeds, accelerations and forces."""
        return MappingProxyType(dict(places(self._manifest)[1]))

    def configuration(self, q: Values | None = None) -> FloatArray:
        """The configuration (..., nq) with these values by name [rad, m], home for others: ``{"elbow": 0.3}``.

        Names are those of ``coordinate_places``; a ball joint has a quaternion (x, y, z, w), a floating one (x, y, z) before
        it.  All calls of a robot take q in this form, and v, a and tau by names of ``speed_places``, the others being 0.
        Raises TypeError for what are no numbers, ValueError for unknown names and wrong shapes.
        """
        given = np.array(self._manifest.home) if q is None else self._array(self.name, "q", self.nq, q)
        return np.array(given, dtype=np.float64)

    def speeds(self, v: Values | None = None) -> FloatArray:
        """Speeds (..., nv) with these values by name [rad/s, m/s], 0 for others, as ``configuration`` does for q."""
        given = np.zeros(self.nv) if v is None else self._array(self.name, "v", self.nv, v)
        return np.array(given, dtype=np.float64)

    def _array(self, caller: str, name: str, length: int, value: Any) -> FloatArray:
        """An argument as an array (..., length) of doubles, given as one or by name.  Raises TypeError, ValueError."""
        given = array_of(self._manifest, caller, name, value)
        return np.asarray(real_array(caller, Argument(name, (length,), "", ""), given), dtype=np.float64)

    def _one_configuration(self, caller: str, q: Any) -> FloatArray:
        """One configuration (nq,), home for None.  Raises TypeError, ValueError."""
        if q is None:
            return np.array(self._manifest.home)
        return single_state(caller, "q", array_of(self._manifest, caller, "q", q), self._manifest.nq)

    def to_actuator(self, tau: Values) -> FloatArray:
        """Actuator forces (..., nv) for generalized forces ``tau``, by the sign conventions of the mechanism.

        Where the mechanism declares no actuators, each acts along its speed and the forces are the same.
        """
        return self._signed("to_actuator", "tau", tau)

    def from_actuator(self, forces: Values) -> FloatArray:
        """Generalized forces (..., nv) for actuator forces: the inverse of ``to_actuator``."""
        return self._signed("from_actuator", "forces", forces)

    def _signed(self, caller: str, name: str, forces: Values) -> FloatArray:
        """Forces times the signs of the actuators, which are their own inverse."""
        result: FloatArray = self._array(caller, name, self.nv, forces) * (
            self._manifest.actuator_signs or 1.0
        )
        return result

    def __repr__(self) -> str:
        """One line: name, degrees of freedom, kernels, how it computes."""
        becoming = self._kernels.becoming
        if becoming:
            how = f"{becoming} when they are called"
        else:
            how = f"compiled, {self.target}" if self.target else "interpreted"
        freedom = counted(self.dof, "degree of freedom", "degrees of freedom")
        return f"<Robot {self.name!r}: {freedom}, {counted(len(self._kernels), 'kernel')}, {how}>"
