"""The map: from a mechanism to C text, room by room.

    mechanism    a built-in's name or records   ->  Mechanism, validated                        read
    derivation   Mechanism                      ->  one Program for each kernel                 formulations
    passes       Program                        ->  Program, fewer operations, same values      derive, hoist, schedule
    certificate  all Programs, Mechanism        ->  Record of what they were checked for        checking
    emit         Model (scheduled Programs)     ->  C source, header, declarations, manifest    assemble, write_model

Every stage hands frozen records to the next; nothing else crosses.  ``generate`` walks the map from end to end;
``interpret`` stops before the C.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen import checking, facts
from kanegen.codegen.certificate import certify, compiled
from kanegen.codegen.certificate.errors import CertificateError
from kanegen.codegen.derivation.constraints.plan import make_plan
from kanegen.codegen.derivation.control_law import CLOSED_LOOP, law_kernels
from kanegen.codegen.derivation.formulations import formulation, optional_kernels
from kanegen.codegen.derivation.kernels import Deriver, Trees
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.derivation.tree import derivation_tree
from kanegen.codegen.emit import manifest as manifest_room
from kanegen.codegen.emit.model import (
    Certificate,
    FrameKernels,
    LiveParameter,
    Model,
    SineCosineLibrary,
)
from kanegen.codegen.emit.writer import generated_files, write_files
from kanegen.codegen.graph import Program, count, evaluate
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.errors import ModelError
from kanegen.codegen.mechanism.fingerprint import fingerprint
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.reduction import without_friction
from kanegen.codegen.mechanism.values import numeric, to_value
from kanegen.codegen.model_files import read_model
from kanegen.codegen.passes.hoist import hoist
from kanegen.codegen.passes.optimize import Step, optimize
from kanegen.codegen.passes.schedule import schedule
from kanegen.codegen.passes.search import search
from kanegen.codegen.passes.verify import residual

CERTIFIED_STATES = 100
CERTIFIED_BOUND = 1e-11
"""Largest relative difference allowed between an optimized program and the plain textbook derivation.

What solves with the mass matrix may differ by more where that is ill-conditioned: see ``checking.bound_of``.
"""

CONSTRAINED_BUDGET = 1
"""Derivations tried for each kernel of a constrained mechanism: its programs are long, and the tree's part is small."""

MODEL_SUFFIXES = (".urdf", ".xacro", ".xml", ".mjcf", ".toml", ".sdf")


@dataclass(frozen=True)
class Options:
    """What a user may ask of a generation.

    ``kernels`` None stands for all.  ``formulation`` is one of derivation.formulations.FORMULATIONS.  ``speeds`` names
    generalized speeds of the mechanism, None the joint rates.  ``gravity`` [m/s^2] replaces the mechanism's own.
    ``search_budget`` bounds the derivations tried for each kernel.  ``friction`` puts damping and friction of joints into
    inverse and forward dynamics alike.  For model files: ``floating_base`` lets the root link move freely,
    ``allow_unphysical`` lets inertias through that no body has, angles within ``angle_tolerance`` [rad] of multiples of
    pi/2 count as these (None: only rounding errors).
    """

    kernels: tuple[str, ...] | None = None
    formulation: str = "recursive"
    speeds: str | None = None
    gravity: tuple[float, float, float] | None = None
    live_parameters: bool = False
    single_precision: bool = False
    sincos: str = "vector"
    search_budget: int = 1200
    friction: bool = False
    floating_base: bool = False
    allow_unphysical: bool = False
    angle_tolerance: float | None = None


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
class Generated:
    """What ``generate`` did: the model, its kernels' histories, what was checked, and the files.

    ``configurations`` (states, nq) are what kernels are to be tried at where not every configuration can be had.
    """

    model: Model
    kernels: Mapping[str, DerivedKernel]
    record: certify.Record
    files: tuple[Path, ...]
    configurations: NDArray[np.float64] | None = None

    @property
    def certificate(self) -> certify.Certificate:
        """What stands in certificate.json."""
        return _certificate(self.model, self.kernels, self.record)

    def compiled_residuals(self, call: compiled.Call) -> dict[str, float]:
        """How far compiled kernels are from their programs, one batch of each.

        Raises CertificateError where that is more than rounding.
        """
        found = compiled.compiled_residuals(
            {name: kernel.program for name, kernel in self.kernels.items()},
            {parameter.name: float(parameter.value) for parameter in self.model.parameters},
            call,
            CERTIFIED_STATES,
            self.configurations,
        )
        compiled.require_compiled(found, {name: kernel.bound for name, kernel in self.kernels.items()})
        return found


@dataclass(frozen=True)
class Interpretation:
    """A mechanism without C: programs that NumPy evaluates, and the manifest that they would have."""

    manifest: Mapping[str, Any]
    programs: Mapping[str, Program]

    def evaluate(
        self, kernel: str, arrays: Mapping[str, NDArray[Any]], parameters: Mapping[str, float]
    ) -> dict[str, NDArray[np.float64]]:
        """Outputs of a kernel, (*batch, *shape) by name, from inputs (*batch, *shape) by name."""
        return evaluate(self.programs[kernel], arrays, parameters)


Progress = Callable[[str, DerivedKernel], None]
"""Told of every kernel when it is derived."""

Stage = Callable[[str], None]
"""Told what begins."""


def read(model: str | os.PathLike[str] | Mechanism, options: Options) -> Mechanism:
    """The mechanism that a built-in's name, a file or records stand for, with the gravity and friction asked for.

    Raises ModelError.
    """
    if isinstance(model, Mechanism):
        mechanism = model
    elif str(model) in catalogue.names():
        mechanism = catalogue.mechanism(str(model))
    elif Path(model).suffix.lower() in MODEL_SUFFIXES or Path(model).exists():
        mechanism = read_model(
            Path(model),
            floating_base=options.floating_base,
            allow_unphysical=options.allow_unphysical,
            angle_tolerance=options.angle_tolerance,
        )
    else:
        mechanism = catalogue.mechanism(str(model))
    if options.gravity is not None:
        x, y, z = (to_value(g) for g in options.gravity)
        mechanism = replace(mechanism, gravity=(x, y, z))
    return mechanism if options.friction else without_friction(mechanism)


def available(mechanism: Mechanism, options: Options) -> dict[str, Build]:
    """All kernels of a mechanism by name: those of the formulation that its speeds ask for, and its control laws.

    Laws are written in joint rates, so they come with these alone.
    """
    builds = formulation(
        options.formulation,
        mechanism,
        _speeds(mechanism, options),
        options.live_parameters,
        c_names(facts.frame_names(mechanism)),
    )
    wanted = options.speeds is None and mechanism.plain_tree
    laws = law_kernels(mechanism, live=options.live_parameters) if wanted else {}
    return builds | laws


def optional(mechanism: Mechanism, options: Options) -> dict[str, Build]:
    """Kernels by name that are derived only when they are asked for: derivatives, regressors, matrices of the motion.

    They are on the joint rates, or on the mechanism's own speeds; a formulation makes no difference to them.
    """
    if options.speeds is not None:
        return {}
    return optional_kernels(mechanism, options.live_parameters, c_names(facts.frame_names(mechanism)))


def derive(
    mechanism: Mechanism,
    name: str,
    build: Build,
    options: Options,
    start: Mapping[str, int] | None = None,
    trees: Trees | None = None,
    bound: float = CERTIFIED_BOUND,
) -> DerivedKernel:
    """Derive one kernel: search the choices from ``start`` on, optimize, and compare with the plain derivation.

    ``trees``, from ``trees_of``, has what the kernels of a mechanism share.

    Raises CertificateError where the two differ; that would be an error of kanegen.
    """
    started = time.perf_counter()
    trees = trees or trees_of(mechanism, options)
    plain, _ = Deriver(trees.mechanism, build, gauge=False, trees=trees)({})
    # Kane's method reads inertias as described: no gauge, and little to search for
    rates = options.speeds is None and options.formulation == "recursive"
    budget = options.search_budget if rates else 1
    if mechanism.constrained:
        budget = min(budget, CONSTRAINED_BUDGET)
    deriver = Deriver(trees.mechanism, build, gauge=rates, searched=budget > 1, trees=trees)
    found = search(deriver, start=start, budget=budget)
    program, steps = optimize(found.program)
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    states = {"q": make_plan(mechanism).states} if mechanism.constrained else {}
    difference = residual(program, plain, CERTIFIED_STATES, numbers, states_given=states)
    if not difference <= bound:
        raise CertificateError(
            f"{name}: the optimized program differs from the plain derivation by {difference:.1e} of the largest "
            f"component; expected at most {bound:.0e}. This is an error of kanegen, not of the model"
        )
    history = (Step("plain", count(plain)), Step("search", found.counts), *steps)
    seconds = time.perf_counter() - started
    return DerivedKernel(program, history, difference, bound, seconds, found.derivations, found.answers)


def trees_of(mechanism: Mechanism, options: Options) -> Trees:
    """The trees from which the kernels of a mechanism are derived."""
    tree = derivation_tree(mechanism, options.live_parameters)
    return Trees(tree.mechanism, live_parameters=tree.live)


def generate(
    model: str | os.PathLike[str] | Mechanism,
    directory: str | os.PathLike[str],
    options: Options | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
) -> Generated:
    """Write the C of a mechanism into a directory, and the certificate of its kernels.

    ``progress`` and ``stage`` are told of what is done and of what begins.

    Raises ModelError for a wrong model or an unknown kernel, and CertificateError where the kernels fail a check, which is
    an error of kanegen; nothing is written then.
    """
    options, begin = options or Options(), stage or _silent
    begin("reading the model")
    mechanism = read(model, options)
    kernels, unavailable = _derive_all(mechanism, options, progress, begin)
    begin("checking the kernels against each other")
    record = _checked(mechanism, kernels, options)
    begin("ordering statements, and writing")
    result = assemble(mechanism, kernels, options, unavailable, record)
    files = generated_files(result)
    files[certify.FILE_NAME] = _certificate(result, kernels, record).text().encode("ascii")
    states = make_plan(mechanism).states if mechanism.constrained else None
    return Generated(result, kernels, record, write_files(files, Path(directory)), states)


def _silent(stage: str) -> None:
    """Nobody looks."""
    del stage


def interpret(model: str | os.PathLike[str] | Mechanism, options: Options | None = None) -> Interpretation:
    """A mechanism for NumPy to evaluate; the textbook derivations, without a search.  Raises ModelError."""
    options = replace(options or Options(), search_budget=1)
    mechanism = read(model, options)
    kernels, unavailable = _derive_all(mechanism, options, None)
    assembled = assemble(mechanism, kernels, options, unavailable, _checked(mechanism, kernels, options))
    programs = {name: kernel.program for name, kernel in kernels.items()}
    return Interpretation(manifest_room.manifest(assembled, {}), programs)


def assemble(
    mechanism: Mechanism,
    kernels: Mapping[str, DerivedKernel],
    options: Options,
    unavailable: Mapping[str, str] | None = None,
    record: certify.Record | None = None,
) -> Model:
    """The record that emission prints."""
    hoisted = hoist([kernel.program for kernel in kernels.values()])
    frames = facts.frame_names(mechanism)
    identifiers = c_names(frames)
    prefix = c_names([mechanism.name])[mechanism.name]
    mangled = {**c_names(mechanism.coordinates), **identifiers, mechanism.name: prefix}
    frame_kernels = {}
    for frame in frames:
        pose, jacobian = (f"{what}_{identifiers[frame]}" for what in ("frame_pose", "frame_jacobian"))
        frame_kernels[frame] = FrameKernels(
            pose if pose in kernels else None, jacobian if jacobian in kernels else None
        )
    signs = {actuator.joint: actuator.sign for actuator in mechanism.actuators}
    gravity = tuple(float(numeric(g, mechanism)) for g in mechanism.gravity)
    live = hoisted.prepare is not None
    return Model(
        name=mechanism.name,
        prefix=prefix,
        hash=fingerprint(mechanism),
        nq=len(mechanism.coordinates),
        nv=mechanism.dof,
        speed_names=facts.speed_names(mechanism),
        home=None if mechanism.plain_tree else facts.home(mechanism),
        quaternions=facts.quaternions(mechanism),
        base_parameters=facts.base_parameters_of(mechanism) if "regressor" in kernels else (),
        inertial_parameters=facts.inertial_parameters_of(mechanism) if "full_regressor" in kernels else (),
        optional_kernels=tuple(name for name in optional(mechanism, options) if name not in kernels),
        limits=facts.limits(mechanism),
        constraints=facts.constraints(mechanism),
        body_coordinates=facts.body_coordinates(mechanism)
        if options.formulation == "euler_parameters"
        else None,
        coordinate_names=mechanism.coordinates,
        joint_names=facts.joint_names(mechanism),
        body_names=tuple(body.name for body in mechanism.bodies if not body.carrier),
        frame_names=frames,
        gravity=(gravity[0], gravity[1], gravity[2]),
        kernels=tuple(schedule(program) for program in hoisted.kernels),
        mangled={original: new for original, new in mangled.items() if original != new},
        options={
            "live_parameters": options.live_parameters,
            "search_budget": options.search_budget,
            "formulation": options.formulation if options.speeds is None else "kane",
            "speeds": options.speeds,
        },
        actuator_signs=tuple(signs.get(joint, 1) for joint in facts.driven_joints(mechanism))
        if signs
        else None,
        parameters=tuple(
            LiveParameter(p.name, p.value, p.unit, p.description) for p in mechanism.parameters if live
        ),
        prepare=schedule(hoisted.prepare) if hoisted.prepare is not None else None,
        frames=frame_kernels,
        certificate=Certificate(
            {name: kernel.bound for name, kernel in kernels.items()},
            CERTIFIED_STATES,
            checks={} if record is None else record.names,
            check_bound=certify.BOUND,
        ),
        single_precision=options.single_precision,
        sincos=SineCosineLibrary(options.sincos),
        unavailable=unavailable or {},
    )


def _derive_all(
    mechanism: Mechanism, options: Options, progress: Progress | None, begin: Stage = _silent
) -> tuple[dict[str, DerivedKernel], dict[str, str]]:
    """The kernels asked for, and why others cannot be had.

    What served one kernel well is where the search for the next begins.  A law closed over the dynamics is forward
    dynamics with other forces: it takes the decisions of that kernel as they are.
    """
    builds = _wanted(mechanism, options)
    kernels: dict[str, DerivedKernel] = {}
    unavailable: dict[str, str] = {}
    answers: dict[str, int] = {}
    trees = trees_of(mechanism, options)
    bounds = _bounds(mechanism, options, trees, tuple(builds))
    for number, (name, build) in enumerate(builds.items(), start=1):
        begin(f"deriving {name}, {number} of {len(builds)}")
        try:
            dynamics = kernels.get("forward_dynamics")
            if name.startswith(CLOSED_LOOP) and dynamics is not None:
                kernels[name] = derive(
                    mechanism,
                    name,
                    build,
                    replace(options, search_budget=1),
                    dynamics.answers,
                    trees,
                    bounds[name],
                )
            elif name.endswith("_derivatives"):
                # as many operations as a search among them would find, in a fraction of its time
                start = answers or _answers_of_forces(mechanism, options, trees)
                chosen = replace(options, search_budget=1)
                kernels[name] = derive(mechanism, name, build, chosen, start, trees, bounds[name])
            else:
                kernels[name] = derive(mechanism, name, build, options, answers, trees, bounds[name])
        except ModelError as error:
            if options.kernels is not None:
                raise
            unavailable[name] = str(error)
            continue
        answers = {**kernels[name].answers, **answers}
        if progress is not None:
            progress(name, kernels[name])
    return kernels, unavailable


def _answers_of_forces(mechanism: Mechanism, options: Options, trees: Trees) -> Mapping[str, int]:
    """The decisions that serve inverse dynamics best."""
    if mechanism.constrained or options.search_budget <= 1:
        return {}
    build = available(mechanism, options)["inverse_dynamics"]
    rates = options.speeds is None and options.formulation == "recursive"
    deriver = Deriver(trees.mechanism, build, gauge=rates, trees=trees)
    return search(deriver, budget=options.search_budget if rates else 1).answers


def _subject(
    mechanism: Mechanism, options: Options, trees: Trees, programs: Mapping[str, Program]
) -> checking.Subject:
    """What is to be checked, with the plain derivations of kernels that this needs and that are not in the set."""
    projected = mechanism.constrained or options.speeds is not None

    def plain(name: str) -> Program:
        build = available(mechanism, options)[name]
        return Deriver(trees.mechanism, build, gauge=False, trees=trees)({})[0]

    return checking.subject(mechanism, programs, projected, plain)


def _checked(mechanism: Mechanism, kernels: Mapping[str, DerivedKernel], options: Options) -> certify.Record:
    """The record of a kernel set that passed all checks.  Raises CertificateError."""
    programs = {name: kernel.program for name, kernel in kernels.items()}
    subject = _subject(mechanism, options, trees_of(mechanism, options), programs)
    return certify.certify(subject, CERTIFIED_STATES)


def _bounds(
    mechanism: Mechanism, options: Options, trees: Trees, kernels: tuple[str, ...]
) -> dict[str, float]:
    """For each kernel the largest difference allowed from its plain derivation."""
    condition = None
    if any(checking.solves(name) for name in kernels):
        condition = certify.condition(_subject(mechanism, options, trees, {}), CERTIFIED_STATES)
    return {name: checking.bound_of(name, CERTIFIED_BOUND, condition) for name in kernels}


def _certificate(
    model: Model, kernels: Mapping[str, DerivedKernel], record: certify.Record
) -> certify.Certificate:
    return certify.Certificate(
        model.name,
        model.hash,
        record,
        {name: kernel.bound for name, kernel in kernels.items()},
        {name: kernel.residual for name, kernel in kernels.items()},
    )


def _speeds(mechanism: Mechanism, options: Options) -> tuple[Any, ...] | None:
    if options.speeds is None:
        return None
    return catalogue.generalized_speeds(mechanism.name, options.speeds)


def _wanted(mechanism: Mechanism, options: Options) -> dict[str, Build]:
    """The kernels asked for, in the order of the formulation; all but the optional ones where none was named."""
    builds = available(mechanism, options)
    if options.kernels is None:
        return builds
    if not set(options.kernels) <= set(builds):
        builds |= optional(mechanism, options)
    name = mechanism.name
    unknown = [k for k in options.kernels if k not in builds]
    if unknown:
        raise ModelError(
            f"model {name!r}",
            f"has no kernel {unknown[0]!r}",
            f"some of {', '.join(builds)}",
            "Ask for one of these.",
        )
    return {k: build for k, build in builds.items() if k in options.kernels}
