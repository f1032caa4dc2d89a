"""The map: from a mechanism to C text, room by room.

    mechanism    a built-in's name, a file or records  ->  Mechanism, validated                        reading
    derivation   Mechanism                             ->  one Program for each kernel                 kernel_sets
    passes       Program                               ->  Program, fewer operations, same values      derive
    certificate  all Programs, Mechanism               ->  Record of what they were checked for        checking
    passes       all Programs, Record                  ->  Model: hoisted, scheduled, named            assembly
    emit         Model                                 ->  C source, header, declarations, manifest    generated_files

What a user may ask is in ``options``, what comes out in ``results``.  Every stage hands frozen records to the next; nothing
else crosses.  ``generate`` walks the map from end to end; ``interpret`` stops before the C.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from kanegen.codegen import checking
from kanegen.codegen.assembly import assemble
from kanegen.codegen.certificate import certify
from kanegen.codegen.certificate.blame import blame, error_in_doubles
from kanegen.codegen.certificate.special_states import SpecialStates
from kanegen.codegen.checking import CERTIFIED_BOUND, CERTIFIED_STATES
from kanegen.codegen.derivation.formulations import BOOK
from kanegen.codegen.derivation.kernels.catalogue import CLOSED_LOOP, contract_of
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.placed_tree.deriver import Build, Deriver, Trees
from kanegen.codegen.emit.manifest import manifest
from kanegen.codegen.emit.writer import generated_files, write_files
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sets import available, optional, unavailable_laws, wanted
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.passes.optimize import Step, optimize
from kanegen.codegen.passes.search import search
from kanegen.codegen.passes.verify import arguments_of, residual
from kanegen.codegen.reading import MODEL_SUFFIXES, no_model, read
from kanegen.codegen.results import DerivedKernel, Generated, Interpretation, Missing, certificate
from kanegen.errors import CertificateError, ModelError, NoInertiaError, NotCompiledError
from kanegen.model_warnings import once
from kanegen.options import Options

CONSTRAINED_BUDGET = 1
"""Derivations tried for each kernel of a constrained or flexible mechanism: programs are long, the tree's part is small."""

Progress = Callable[[str, DerivedKernel], None]
"""Told of every kernel when it is derived."""

Stage = Callable[[str], None]
"""Told what begins."""


def _silent(stage: str) -> None:
    """Nobody looks."""
    del stage


def generate(
    model: str | os.PathLike[str] | Mechanism,
    directory: str | os.PathLike[str],
    options: Options | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
) -> Generated:
    """Write the C of a mechanism into a directory, and the certificate of its kernels.

    ``progress`` and ``stage`` are told of what is done and of what begins.

    Raises ModelError for a wrong model or an unknown kernel, NotCompiledError for a language that cannot be verified, and
    CertificateError where the kernels fail a check; nothing is written then.
    """
    options, begin = options or Options(), stage or _silent
    if options.verify and not options.loadable:
        raise NotCompiledError(
            f"verify compiles what is written, which is not done with {options.language!r}"
        )
    begin("reading the model")
    with once() as told:
        mechanism = read(model, options)
    special, at = _looked_at(mechanism, options)
    kernels, missing = _derive_all(mechanism, options, progress, begin, at)
    begin("checking the kernels against each other")
    record = _checked(mechanism, kernels, options, special)
    begin("ordering statements, and writing")
    assembled = assemble(mechanism, kernels, options, missing, record, tuple(told.heard))
    files = generated_files(assembled, options.language)
    files[certify.FILE_NAME] = certificate(assembled, kernels, record).text().encode("ascii")
    written = write_files(files, Path(directory))
    return Generated(assembled, kernels, record, written, at, partial(blame, mechanism))


def interpret(model: str | os.PathLike[str] | Mechanism, options: Options | None = None) -> Interpretation:
    """A mechanism for NumPy to evaluate; the textbook derivations, without a search.  Raises ModelError."""
    options = replace(options or Options(), search=1)
    mechanism = read(model, options)
    special, at = _looked_at(mechanism, options)
    kernels, missing = _derive_all(mechanism, options, at=at)
    record = _checked(mechanism, kernels, options, special)
    assembled = assemble(mechanism, kernels, options, missing, record)
    return Interpretation(manifest(assembled, {}), {name: kernel.program for name, kernel in kernels.items()})


def trees_of(mechanism: Mechanism, options: Options) -> Trees:
    """The trees from which the kernels of a mechanism are derived."""
    tree = derivation_tree(mechanism, options.live_parameters)
    return Trees(tree.mechanism, live_parameters=tree.live)


def derive(
    mechanism: Mechanism,
    name: str,
    build: Build,
    options: Options,
    start: Mapping[str, int] | None = None,
    trees: Trees | None = None,
    bound: float = CERTIFIED_BOUND,
    at: checking.Configurations | None = None,
) -> DerivedKernel:
    """Derive one kernel: search the choices from ``start`` on, optimize, and compare with the plain derivation.

    ``trees``, from ``trees_of``, has what the kernels of a mechanism share.  They are compared ``at`` these
    configurations; random ones where none are given.

    Raises CertificateError where the two differ, and says whether the model or kanegen is at fault.
    """
    started = time.perf_counter()
    trees = trees or trees_of(mechanism, options)
    plain = _plain(build, trees)
    budget = options.search if options.recursive else 1
    if mechanism.constrained or mechanism.flexible:
        budget = min(budget, CONSTRAINED_BUDGET)
    deriver = Deriver(trees.mechanism, build, gauge=options.recursive, searched=budget > 1, trees=trees)
    found = search(deriver, start=start, budget=budget)
    program, steps = optimize(found.program)
    numbers = {p.name: float(p.value) for p in mechanism.parameters}
    at = at or checking.random_configurations(mechanism)
    given, spread = {"q": at.q}, at.spread_of(name)
    written = contract_of(name) is CLOSED_LOOP or name in {law.name for law in mechanism.laws}
    difference = residual(
        program, plain, len(at.q), numbers, states_given=given, spread=spread, written=written
    )
    arguments = arguments_of(plain, len(at.q), states_given=given)
    if difference > bound:  # it may be the plain derivation that has no digits
        difference = error_in_doubles(program, plain, arguments, numbers, spread)
    if not difference <= bound:
        raise CertificateError(
            f"{name}: the optimized program differs from the plain derivation by {difference:.1e} of the largest "
            f"component; expected at most {bound:.0e}. "
            + blame(mechanism, {name: plain}, arguments, numbers, bound, spread)
        )
    history = (Step("plain", count(plain)), Step("search", found.counts), *steps)
    seconds = time.perf_counter() - started
    return DerivedKernel(program, history, difference, bound, seconds, found.derivations, found.answers)


def _derive_all(
    mechanism: Mechanism,
    options: Options,
    progress: Progress | None = None,
    begin: Stage = _silent,
    at: checking.Configurations | None = None,
) -> tuple[dict[str, DerivedKernel], Missing]:
    """The kernels asked for, compared ``at`` these configurations, and why others cannot be had.

    What served one kernel well is where the search for the next begins.
    """
    builds = wanted(mechanism, options, available(mechanism, options))
    kernels: dict[str, DerivedKernel] = {}
    missing = Missing({}, unavailable_laws(mechanism, options))
    answers: dict[str, int] = {}
    trees = trees_of(mechanism, options)
    kernel_set = _subject(mechanism, options, trees, programs={})
    bounds = checking.bounds(builds, lambda: checking.condition(kernel_set))
    without_search = replace(options, search=1)
    for number, (name, build) in enumerate(builds.items(), start=1):
        begin(f"deriving {name}, {number} of {len(builds)}")
        chosen: Options = options
        start: Mapping[str, int] = answers
        try:
            if contract_of(name) is CLOSED_LOOP and "forward_dynamics" in kernels:
                # forward dynamics with other forces: it takes the decisions of that kernel as they are
                chosen, start = without_search, kernels["forward_dynamics"].answers
            elif name.endswith("_derivatives"):
                # as many operations as a search among them would find, in a fraction of its time
                chosen, start = without_search, answers or _answers_of_forces(mechanism, options, trees)
            kernels[name] = derive(mechanism, name, build, chosen, start, trees, bounds[name], at)
        except ModelError as error:
            if options.kernels is not None:
                raise
            reasons = missing.without_inertia if isinstance(error, NoInertiaError) else missing.otherwise
            reasons[name] = str(error)
            continue
        answers = {**kernels[name].answers, **answers}
        if progress is not None:
            progress(name, kernels[name])
    return kernels, missing


def _answers_of_forces(mechanism: Mechanism, options: Options, trees: Trees) -> Mapping[str, int]:
    """The decisions that serve inverse dynamics best."""
    if mechanism.constrained or mechanism.flexible or options.search <= 1:
        return {}
    build = available(mechanism, options)["inverse_dynamics"]
    deriver = Deriver(trees.mechanism, build, gauge=options.recursive, trees=trees)
    return search(deriver, budget=options.search if options.recursive else 1).answers


def _plain(build: Build, trees: Trees) -> Program:
    """The textbook derivation of a kernel, without any choice."""
    program, _ = Deriver(trees.mechanism, build, gauge=False, trees=trees)({})
    return program


def _looked_at(mechanism: Mechanism, options: Options) -> tuple[SpecialStates, checking.Configurations]:
    """The special states of a mechanism, and the configurations that kernels are compared at.

    Kernels that tell how coordinates move that are tied together are derived for that.
    """
    kernel_set = _subject(mechanism, options, trees_of(mechanism, options), {}, checking.TELLING)
    special = checking.special_states_of(kernel_set)
    return special, checking.configurations_of(replace(kernel_set, special=special))


def _subject(
    mechanism: Mechanism,
    options: Options,
    trees: Trees,
    programs: Mapping[str, Program],
    also: Collection[str] = (),
) -> checking.KernelSet:
    """What is to be checked, with the plain derivations of kernels that this needs and that are not in the set."""
    projected = mechanism.constrained or options.speeds is not None
    builds = available(mechanism, options)
    return checking.kernel_set(
        mechanism,
        programs,
        projected,
        lambda name: _plain(builds[name], trees),
        approximate=BOOK.get(options.formulation, False),
        also=[name for name in also if name in builds],
    )


def _checked(
    mechanism: Mechanism,
    kernels: Mapping[str, DerivedKernel],
    options: Options,
    special: SpecialStates | None = None,
) -> certify.Record:
    """The record of a kernel set that passed all checks.  Raises CertificateError."""
    programs = {name: kernel.program for name, kernel in kernels.items()}
    kernel_set = _subject(mechanism, options, trees_of(mechanism, options), programs)
    return checking.checked(replace(kernel_set, special=special))


__all__ = [
    "CERTIFIED_BOUND",
    "CERTIFIED_STATES",
    "CONSTRAINED_BUDGET",
    "MODEL_SUFFIXES",
    "DerivedKernel",
    "Generated",
    "Interpretation",
    "Options",
    "Progress",
    "Stage",
    "assemble",
    "available",
    "derive",
    "generate",
    "interpret",
    "no_model",
    "optimize",
    "optional",
    "read",
    "trees_of",
]
