"""Deriving kernels: each one searched, optimized, and compared with its plain derivation; what a search begins with.

What served the first kernel well is where the search for others begins, and some are searched less than others
(``Derivations``).
"""

from __future__ import annotations

import contextlib
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from kanegen.codegen.candidates import Beginning, Candidate, alike, best_candidate, decisions
from kanegen.codegen.certificate.blame import blame, error_in_doubles
from kanegen.codegen.certificate.comparison import (
    CERTIFIED_BOUND,
    TELLING,
    Configurations,
    all_configurations,
    bounds,
    random_configurations,
)
from kanegen.codegen.derivation.kernels.catalogue import CLOSED_LOOP, contract_of
from kanegen.codegen.derivation.placed_tree import inertial_gauge
from kanegen.codegen.derivation.recursive import motion
from kanegen.codegen.graph import Program, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.optimize import Step, factored_alone, optimize, with_equal_values_merged
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.resubstitution.recipe import FILE_NAME as RECIPES
from kanegen.codegen.passes.resubstitution.recipe import RecipeBook, built_in_recipes, read_recipes
from kanegen.codegen.passes.resubstitution.thorough import WORK_OF_A_SET, thorough, work_of
from kanegen.codegen.passes.search import Found
from kanegen.codegen.passes.verify import arguments_of, residual
from kanegen.errors import CertificateError, ModelError, NoInertiaError
from kanegen.options import Options
from kanegen.progress import Stage, silent
from kanegen.workers import Workers, pipes, usual_jobs

CONSTRAINED_BUDGET = 1
"""Derivations tried for each kernel of a constrained or flexible mechanism: programs are long, the tree's part is small."""

_WORTH_A_PROCESS = 0.5
"""Seconds after which what is left is shared with other processes: a mechanism with small kernels is done before."""

_HIDDEN = 0.01
"""What a live parameter is compared at that is 0 in the model."""


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
    start: Mapping[str, int]
    """What the search for another kernel begins with."""


@dataclass(frozen=True)
class DerivedKernels:
    """The kernels of a mechanism that were asked for, and why others that it might have were not made.

    ``without_inertia``: it resists not every motion; ``left_out``: for other reasons, such as the speeds asked for.
    ``recipes`` are what thorough searches found, if there were any.
    """

    kernels: Mapping[str, DerivedKernel]
    without_inertia: Mapping[str, str]
    left_out: Mapping[str, str]
    recipes: RecipeBook | None = None

    @property
    def programs(self) -> dict[str, Program]:
        """The program of each kernel."""
        return {name: kernel.program for name, kernel in self.kernels.items()}

    @property
    def bounds(self) -> dict[str, float]:
        """The largest difference of each kernel that is allowed from its plain derivation."""
        return {name: kernel.bound for name, kernel in self.kernels.items()}


Keep = Callable[[Callable[[], Mapping[str, int]]], Mapping[str, int]]
"""The decisions that were kept; where none were, those that it is given are found, and kept."""

Progress = Callable[[str, DerivedKernel], None]
"""Told of every kernel when it is derived."""


@dataclass(eq=False)
class Derivations:
    """The kernels of a mechanism, each derived when it is first asked for, and kept.

    The search for a kernel begins with the decisions that serve the mechanism's first one best, inverse dynamics, so that
    its program is the same whatever was derived before it; that for one on demand, with those of all named before it.  For
    one that is named there is another search, which begins with nothing.  Derivatives are not searched: they take the
    decisions of the first kernel, and origins of frames of their own.  Kernels are compared ``at`` these configurations.
    """

    sources: KernelSources
    at: Configurations
    known: tuple[str, ...] | None = None
    """The names, where they were found before."""
    book: RecipeBook | None = None
    """What thorough searches found, where they are asked for."""
    keep: Keep | None = None
    """Where the decisions that serve the first kernel best are found again."""
    made: dict[str, DerivedKernel] = field(default_factory=dict, init=False)
    optimized: dict[str, _Optimized] = field(default_factory=dict, init=False)
    unnamed: dict[str, Mapping[str, int]] = field(default_factory=dict, init=False)
    """The decisions that serve kernels best that were not named."""

    @classmethod
    def everywhere(cls, sources: KernelSources, known: tuple[str, ...] | None = None) -> Derivations:
        """Kernels that are compared at random and at special configurations."""
        return cls(sources, all_configurations(sources.kernel_set(helpers=TELLING)), known)

    @cached_property
    def refused(self) -> Mapping[str, ModelError]:
        """What is wrong with kernels that were not named and cannot be had.  Raises ModelError for one that was named."""
        found = {}
        for name in self.sources.wanted():
            try:
                self.sources.plain(name)
            except ModelError as error:
                if self.sources.options.kernels is not None:
                    raise
                found[name] = error
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The kernels that are asked for and can be had, in their order."""
        if self.known is not None:
            return self.known
        return tuple(name for name in self.sources.wanted() if name not in self.refused)

    @cached_property
    def _bounds(self) -> Mapping[str, float]:
        return bounds(self.sources.kernel_set(), self.names)

    def __getitem__(self, name: str) -> DerivedKernel:
        """A kernel of these names.  Raises CertificateError."""
        if name not in self.made and name == self.names[0] and self.keep is not None:
            self.keep(lambda: self._start(name))
        return self._derived(name)

    def _derived(self, name: str) -> DerivedKernel:
        if name not in self.made:
            share = 1.0 if self.book is None else self._share
            optimized = self._optimized(name)
            self.made[name] = _compared(
                self.sources, optimized, self._bounds[name], self.at, self.book, share
            )
            self.optimized.pop(name, None)
        return self.made[name]

    def _optimized(self, name: str) -> _Optimized:
        if name not in self.optimized:
            self.optimized[name] = _optimize(self.sources, name, self._beginnings(name))
        return self.optimized[name]

    @cached_property
    def _share(self) -> float:
        """Of what its thorough searches would take, what a whole set may take; those of named kernels may take all."""
        if self.sources.options.kernels is not None:
            return 1.0
        first = next(iter(self.sources.builds))
        work = sum(work_of(self._optimized(name).program, name == first) for name in self.names)
        return min(1.0, WORK_OF_A_SET / max(work, 1))

    def _start(self, name: str) -> Mapping[str, int]:
        """The decisions that a search for this kernel leaves for others."""
        return self.made[name].start if name in self.made else self._optimized(name).start

    @property
    def _first(self) -> str:
        """The kernel with whose decisions others begin."""
        return self.names[0] if self.sources.options.kernels is None else next(iter(self.sources.builds))

    def _beginnings(self, name: str) -> tuple[Beginning, ...]:
        """What searches for a kernel begin with; the last is that of the whole set."""
        sources, budget = self.sources, _budget(self.sources)
        if contract_of(name) is CLOSED_LOOP and "forward_dynamics" in sources.builds:
            # forward dynamics with other forces: it takes the decisions of that kernel as they are
            return (Beginning(self._decisions("forward_dynamics"), 1),)
        if name.endswith("_derivatives"):
            # as many operations as a search among them would find, in a fraction of its time
            given = self._decisions(self._first).items()
            own = (motion.GRADIENT, inertial_gauge.KEPT)
            kept = {point: answer for point, answer in given if not point.startswith(own)}
            return (Beginning(kept, 1, places=_allowed(sources) - 1),)
        others = self._decisions_of_others(name)
        if others and name in {law.name for law in sources.mechanism.laws}:
            return (Beginning(others, 1),)
        # what begins with the decisions of another kernel is near the best already, and many of a set take no inertia
        named = sources.options.kernels is not None
        shared = Beginning(others, budget, near=not others and (named or name == self._first))
        if named and others and budget > 1:
            return Beginning({}, budget, near=True), shared  # who names a kernel waits for the better
        return (shared,)

    def _decisions_of_others(self, name: str) -> Mapping[str, int]:
        """The decisions of other kernels that the search for one begins with.

        Those of the mechanism's first kernel, whether that is asked for or not, and none where no inertia enters; for a
        kernel on demand those of all that were named before it, and none where no search could leave them.
        """
        if name in self.sources.builds:
            feels = name != self._first and self.sources.deriver(name, searched=False).has_inertia()
            return self._decisions(self._first) if feels else {}
        found: Mapping[str, int] = {}
        if _budget(self.sources) == 1:
            return found
        for other in self.names[: self.names.index(name)]:
            found = {**self._decisions(other), **found}
        return found

    def _decisions(self, name: str) -> Mapping[str, int]:
        """The decisions that serve a kernel best, which need not be derived where they were kept, or it was not named."""
        if name not in self.names:
            if name not in self.unnamed:
                self.unnamed[name] = self._decisions_of_unnamed(name)
            return self.unnamed[name]
        if name in self.made or name != self.names[0] or self.keep is None:
            return self._start(name)
        return self.keep(lambda: self._start(name))

    def _decisions_of_unnamed(self, name: str) -> Mapping[str, int]:
        try:
            self.sources.plain(name)
        except ModelError:  # it cannot be had
            return {}
        beginning = self._beginnings(name)[-1]
        return decisions(self.sources, name, beginning) if _budget(self.sources) > 1 else {}

    def derived(
        self,
        names: Sequence[str] | None = None,
        progress: Progress | None = None,
        begin: Stage = silent,
        jobs: int | None = 1,
    ) -> DerivedKernels:
        """Those of these names, all where none are given, in so many processes at once (None: as many as cores).

        Raises ModelError for a named one, and CertificateError.
        """
        names = self.names if names is None else names
        lock = threading.Lock()

        def done(name: str, kernel: DerivedKernel) -> None:
            with lock:
                self.made[name] = kernel
                if progress is not None:
                    progress(name, kernel)

        def derive_here(name: str) -> None:
            begin(f"deriving {name}, {names.index(name) + 1} of {len(names)}")
            done(name, self[name])

        # What is under a law takes the decisions of forward dynamics, and is soon done.
        left = deque(name for name in names if contract_of(name) is not CLOSED_LOOP)
        jobs = usual_jobs() if jobs is None else jobs
        if self.sources.options.kernels is not None or self.book is not None:
            jobs = 1  # named ones wait for each other, and thorough searches for what each takes
        started = time.perf_counter()
        with contextlib.ExitStack() as processes:
            while left:
                derive_here(left.popleft())
                count = min(jobs, len(left)) - 1
                if count > 0 and time.perf_counter() - started > _WORTH_A_PROCESS:
                    jobs = 1  # they are started once
                    told = self.sources.mechanism, self.sources.options, self.names, self[self.names[0]]
                    known = self.sources.derivation
                    processes.enter_context(Workers(__name__, count, told, left, known, done))
        for name in names:
            if name not in self.made:
                derive_here(name)
        without_inertia = {k: str(x) for k, x in self.refused.items() if isinstance(x, NoInertiaError)}
        left_out = {k: str(x) for k, x in self.refused.items() if k not in without_inertia}
        return DerivedKernels(
            {name: self.made[name] for name in names},
            without_inertia,
            self.sources.laws_left_out | left_out,
            self.book,
        )


def serve() -> None:
    """In a process of ``Workers``: derive what it is told to, until nothing more comes or something fails."""
    tasks, results = pipes()
    mechanism, options, names, first = pickle.load(tasks)
    sources = KernelSources(mechanism, options)
    found = Derivations.everywhere(sources, names)
    found.made[names[0]] = first
    while True:
        try:
            name, plain = pickle.load(tasks)
        except EOFError:
            return
        sources.take(name, plain)
        pickle.dump(found[name], results)
        results.flush()


def derive_all(sources: KernelSources) -> DerivedKernels:
    """The kernels that are asked for, compared at random configurations.

    Raises ModelError for a kernel that was named and cannot be had, and CertificateError.
    """
    at = random_configurations(sources.kernel_set())
    return Derivations(sources, at, book=recipes(sources.options, None)).derived()


def recipes(options: Options, directory: Path | None) -> RecipeBook | None:
    """What thorough searches have found before: in the file that was named or in the directory, or of built-ins."""
    if not options.thorough:
        return None
    place = Path(options.recipes) if options.recipes else (directory or Path()) / RECIPES
    known = read_recipes([place, *built_in_recipes()])
    return RecipeBook(place, known, further=options.further)


def derive(
    sources: KernelSources,
    name: str,
    beginnings: Sequence[Beginning] = (),
    bound: float = CERTIFIED_BOUND,
    at: Configurations | None = None,
    book: RecipeBook | None = None,
) -> DerivedKernel:
    """Derive one kernel: search the choices from all ``beginnings``, optimize, and compare with the plain derivation.

    Where no beginning is given, a search begins with nothing, and tries as many derivations as the options say.  Programs
    are compared ``at`` these configurations; random ones where none are given.  With a ``book`` of recipes the search is
    thorough.

    Raises CertificateError where the two differ, and says whether the model or kanegen is at fault.
    """
    return _compared(sources, _optimize(sources, name, beginnings), bound, at, book)


@dataclass(frozen=True)
class _Optimized:
    """What a search found for a kernel, its program after all passes, and the decisions for other kernels to begin with."""

    name: str
    best: Candidate
    found: Found
    program: Program
    steps: tuple[Step, ...]
    start: Mapping[str, int]
    seconds: float


def _optimize(sources: KernelSources, name: str, beginnings: Sequence[Beginning]) -> _Optimized:
    started = time.perf_counter()
    plain = sources.plain(name)
    beginnings = beginnings or (Beginning({}, _budget(sources), near=True),)
    best, start = min(
        (best_candidate(sources, name, beginning) for beginning in beginnings),
        key=lambda found: found[0].price,
    )
    found, program, steps = best.found, best.program, best.steps
    if not sources.options.recursive:
        # a search counts before the passes, which gain more in what is written out body by body
        textbook, its_steps = optimize(plain)
        if cost(count(textbook)) < cost(count(program)):
            program, steps = textbook, its_steps
            found = replace(found, program=plain, answers={}, counts=count(plain))
    program, steps = with_equal_values_merged(program, steps)
    return _Optimized(name, best, found, program, steps, start, time.perf_counter() - started)


def _compared(
    sources: KernelSources,
    optimized: _Optimized,
    bound: float,
    at: Configurations | None,
    book: RecipeBook | None = None,
    share: float = 1.0,
) -> DerivedKernel:
    """The kernel, searched on where there is a ``book``, for a ``share`` of what that may take.  Raises CertificateError."""
    started = time.perf_counter()
    name, best, found = optimized.name, optimized.best, optimized.found
    program, steps = optimized.program, optimized.steps
    plain, mechanism = sources.plain(name), sources.mechanism
    if book is not None:
        deriver = sources.deriver(name, searched=True)
        first = name == next(iter(sources.builds))
        program, further = thorough(
            program, plain, book, lambda most: alike(best, deriver, most), first, share
        )
        steps = (*steps, *further)
    numbers = _telling_numbers(sources)
    at = at or random_configurations(sources.kernel_set())
    given, spread = {"q": at.q}, at.spread_of(name)
    written = contract_of(name) is CLOSED_LOOP or name in {law.name for law in mechanism.laws}
    difference = residual(
        program, plain, len(at.q), numbers, states_given=given, spread=spread, written=written
    )
    arguments = arguments_of(plain, len(at.q), states_given=given)
    if difference > bound:  # it may be the plain derivation that has no digits
        difference = error_in_doubles(program, plain, arguments, numbers, spread)
    if bound < difference <= 2 * error_in_doubles(program, program, arguments, numbers, spread):
        # sums were made of terms that cancel: the model's units are far apart, and coefficients do not tell sizes of terms
        program, steps = factored_alone(found.program)
        difference = error_in_doubles(program, plain, arguments, numbers, spread)
    if not difference <= bound:
        raise CertificateError(
            f"{name}: the optimized program differs from the plain derivation by {difference:.1e} of the largest "
            f"component; expected at most {bound:.0e}. "
            + blame(mechanism, {name: plain}, arguments, numbers, bound, spread)
        )
    history = (Step("plain", count(plain)), Step("search", found.counts), *steps)
    seconds = optimized.seconds + time.perf_counter() - started
    return DerivedKernel(
        program, history, difference, bound, seconds, found.derivations, found.answers, optimized.start
    )


def _telling_numbers(sources: KernelSources) -> dict[str, float]:
    """Numbers of the parameters at which kernels are compared: their own, and others than 0, which hides what it multiplies.

    Coordinates that equations tie together need not have a solution at other numbers than those of the model.
    """
    found = {p.name: float(p.value) for p in sources.mechanism.parameters}
    if not sources.trees.tied:
        for p in sources.mechanism.parameters:
            if (
                p.value == 0
            ):  # what must not be negative is larger than the rest: inertias stay those of bodies
                found[p.name] = _HIDDEN if p.least is None else 10 * _HIDDEN
    return found


def _budget(sources: KernelSources) -> int:
    """Derivations that may be tried for a kernel."""
    long = sources.trees.tied or sources.mechanism.flexible
    return min(_allowed(sources), CONSTRAINED_BUDGET) if long else _allowed(sources)


def _allowed(sources: KernelSources) -> int:
    """Derivations that the options allow for a kernel."""
    return sources.options.derivations if sources.options.free else 1
