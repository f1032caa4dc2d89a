"""What the kernels of a mechanism are derived from, made once for the mechanism and its options."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.codegen.certificate.at_frames import FEW_STATES, dependent_rows
from kanegen.codegen.certificate.comparison import CERTIFIED_STATES
from kanegen.codegen.certificate.sample import KernelSet, Sample
from kanegen.codegen.derivation.flexible_links.states import deflected_states
from kanegen.codegen.derivation.formulations import BOOK, formulation, optional_kernels
from kanegen.codegen.derivation.kernels.catalogue import (
    CLOSED_LOOP,
    CONSTRAINT_RESIDUAL,
    CONTRACTS,
    DEAD_CENTRE_MARGIN,
    OfRows,
    contract_of,
    of_rows,
    solves,
)
from kanegen.codegen.derivation.kernels.contract import BASE_AXES, BODY_AXES
from kanegen.codegen.derivation.kernels.laws import law_kernels
from kanegen.codegen.derivation.motion_maps import chart
from kanegen.codegen.derivation.motion_maps.plan import make_plan, same_equations
from kanegen.codegen.derivation.motion_maps.spanning_tree import derivation_tree
from kanegen.codegen.derivation.motion_maps.suitable_frames import in_suitable_frames
from kanegen.codegen.derivation.parameters.base_parameters import base_parameters
from kanegen.codegen.derivation.parameters.inertial_parameters import inertial_parameters
from kanegen.codegen.derivation.placed_tree.choices import Choices
from kanegen.codegen.derivation.placed_tree.deriver import Build, Derivation, Deriver, Trees
from kanegen.codegen.derivation.placed_tree.placement import PlacedTree
from kanegen.codegen.derivation.resistance.friction import SLIP_SPEED
from kanegen.codegen.graph import Program
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.names import frame_identifiers
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError, did_you_mean, nearest
from kanegen.manifest import NamedValue
from kanegen.options import Options
from kanegen.rows import ROWS


@dataclass(frozen=True, eq=False)
class KernelSources:
    """A mechanism and options, and what follows from them for all kernels: each is made when it is first asked for.

    ``turned`` is False where bodies keep the frames that they are described with.
    """

    mechanism: Mechanism
    options: Options
    turned: bool = True
    _plain: dict[str, Derivation] = field(default_factory=dict, init=False, repr=False)
    _rows: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False
    )

    @cached_property
    def frames(self) -> dict[str, str]:
        """The frames that have kernels, each with its name in these."""
        return frame_identifiers(self.mechanism)

    @cached_property
    def trees(self) -> Trees:
        """The placed trees that kernels are derived from."""
        tree = derivation_tree(self.mechanism, bool(self.options.live_names))
        shared = frozenset(name for mimic in self.mechanism.mimics for name in (mimic.joint, mimic.leader))
        return Trees(
            tree.mechanism,
            live_parameters=tree.live,
            tied=tree.tied,
            shared=shared,
            turns=self.turned,
        )

    @cached_property
    def builds(self) -> dict[str, Build]:
        """All kernels of the mechanism: those of the formulation that its speeds ask for, and its control laws.

        Laws are written in the mechanism's own speeds, so they come with these alone: see ``laws_left_out``.
        Raises ModelError.
        """
        options, mechanism = self.options, self.mechanism
        builds = formulation(
            options.formulation, mechanism, self._speeds, bool(options.live_names), self.frames
        )
        if options.speeds is not None or not mechanism.laws:
            return builds
        return builds | law_kernels(mechanism, self.build, live=bool(options.live_names))

    @cached_property
    def builds_on_demand(self) -> dict[str, Build]:
        """Kernels that are derived only when they are asked for: derivatives, regressors, matrices of the motion.

        They are on the speeds of the kernel set; a formulation makes no difference to them.  Those of rows of a frame's
        twist are there where they can be independent, and where they are asked for.
        """
        usual = self.builds if self.options.formulation == "recursive" else None
        laws = self.mechanism.laws if self.options.speeds is None else ()
        asked = {*(self.options.kernels or ()), *(q.kernel for law in laws for q in law.quantities())}
        found = optional_kernels(
            self.mechanism, bool(self.options.live_names), self.frames, self._speeds, usual, sorted(asked)
        )
        return {
            kernel: build for kernel, build in found.items() if kernel in asked or self._can_be_had(kernel)
        }

    def _can_be_had(self, kernel: str) -> bool:
        """Whether it is not of rows of a frame's twist that depend on one another everywhere."""
        of = of_rows(kernel, self.frames.values())
        return of is None or (len(of.rows) <= self.mechanism.dof and not self.dependent(of))

    def dependent(self, of: OfRows) -> tuple[str, ...]:
        """Those of the rows of a frame's twist that the rows before them determine in every configuration."""
        if not self.mechanism.dof:
            return of.rows
        key = of.identifier, of.rows
        if key not in self._rows:
            places = [*map(ROWS.index, of.rows)]
            self._rows[key] = dependent_rows(self._few, self.frame_of(of), of.rows, places)
        return self._rows[key]

    @cached_property
    def _few(self) -> Sample:
        """Some states of the mechanism, which show what is so in every configuration."""
        kernel_set, tied = self.kernel_set(), self.mechanism.constrained
        if tied:  # what closed loops hold moves a little where they are open
            closed = chart.configurations(self.mechanism, make_plan(self.mechanism).closed)
            kernel_set = replace(kernel_set, configurations=closed)
        return Sample(kernel_set, FEW_STATES)

    def frame_of(self, of: OfRows) -> str:
        """The name of the frame that a kernel is of."""
        return next(name for name, identifier in self.frames.items() if identifier == of.identifier)

    def require_independent(self, kernel: str) -> None:
        """Raise ModelError where a kernel is of rows of a frame's twist that no motion could tell apart."""
        of = of_rows(kernel, self.frames.values())
        if of is not None and (dependent := self.dependent(of)):
            kept = tuple(row for row in of.rows if row not in dependent)
            raise ModelError(
                f"kernel {kernel!r}",
                f"asks for rows of {self.frame_of(of)!r} of which {', '.join(dependent)} cannot be moved independently of "
                "the others in any configuration",
                "independent rows of the frame's Jacobian",
                f"Ask for others, such as {OfRows(of.contract, of.identifier, kept).kernel!r}, rows={kept}."
                if kept
                else "Ask for those of another frame: no speed moves this one.",
            )

    @property
    def laws_left_out(self) -> dict[str, str]:
        """The control laws that the mechanism has and that the options leave out, with the reason."""
        mechanism, speeds = self.mechanism, self.options.speeds
        if speeds is None:
            return {}
        reason = f"it is a law in the rates of the joints; load {mechanism.name!r} without speeds={speeds!r}"
        return {law.name: reason for law in mechanism.laws}

    def wanted(self) -> tuple[str, ...]:
        """The kernels asked for, in their order among all; those of the mechanism where none was named.

        Raises ModelError for a kernel that the mechanism does not have, and for a control law that is named like a kernel.
        """
        check_names_of_laws(self.mechanism)
        found, options = tuple(self.builds), self.options
        self._check_quantities_of_laws()
        if options.kernels is None:
            return found
        if not set(options.kernels) <= set(found):
            found += tuple(self.builds_on_demand)
            for kernel in options.kernels:
                self.require_independent(kernel)
        unknown = [k for k in options.kernels if k not in found]
        if unknown:
            near = nearest(unknown[0], found)
            raise ModelError(
                f"model {self.mechanism.name!r}",
                f"has no kernel {unknown[0]!r}",
                f"some of {', '.join(found)}",
                f"Did you mean {near!r}?" if near else "Ask for one of these.",
            )
        named = {*options.kernels, *(("constraint_residual",) if options.with_residual else ())}
        return tuple(name for name in found if name in named)

    def together(self, kernels: Iterable[str]) -> dict[str, str]:
        """By kernel, a name for those that are made together when one of them is asked for.

        Those are a kernel of all frames, which are small and share most of their work; a law and the motion under it; and
        what calls look at before they return.  Every other kernel is made alone.
        """
        laws = {CLOSED_LOOP.named(law.name): law.name for law in self.mechanism.laws}
        looked_at = {DEAD_CENTRE_MARGIN.name: CONSTRAINT_RESIDUAL.name}
        found = {}
        for kernel in kernels:
            contract = contract_of(kernel)
            family = contract.name if contract and contract.each and contract is not CLOSED_LOOP else kernel
            found[kernel] = (laws | looked_at).get(kernel, family)
        return found

    def _check_quantities_of_laws(self) -> None:
        """Raise ModelError for a control law that refers to a kernel that the mechanism does not have."""
        own = {name for law in self.mechanism.laws for name in (law.name, CLOSED_LOOP.named(law.name))}
        for law in self.mechanism.laws if self.options.speeds is None else ():
            for quantity in law.quantities():
                if quantity.kernel in self.builds or quantity.kernel in self.builds_on_demand:
                    self.require_independent(quantity.kernel)
                    known = contract_of(quantity.kernel) is not None
                    if known and not quantity.kernel.startswith(CLOSED_LOOP.named("")):
                        continue
                raise ModelError(
                    f"control law {law.name!r}",
                    f"refers to the kernel {quantity.kernel!r}, which the mechanism does not have",
                    "kernels of the mechanism such as gravity_forces, inverse_dynamics, frame_pose_<frame>",
                    did_you_mean(quantity.kernel, [x for x in self.builds if x not in own], "Mend the name."),
                )

    def _solves(self, kernel: str) -> bool:
        """Whether rounding errors of a kernel grow with the condition number of the mass matrix."""
        quantities = (q for law in self.mechanism.laws if law.name == kernel for q in law.quantities())
        return solves(kernel) or any(solves(quantity.kernel) for quantity in quantities)

    def build(self, kernel: str) -> Build:
        """How a kernel is derived, on demand or not."""
        return self.builds[kernel] if kernel in self.builds else self.builds_on_demand[kernel]

    def plain(self, kernel: str) -> Program:
        """The textbook derivation of a kernel, without any choice, in the frames of the description."""
        return self.derivation(kernel)[0]

    def derivation(self, kernel: str) -> Derivation:
        """The same with the decisions that were met."""
        if kernel not in self._plain:
            self._plain[kernel] = self._described_deriver(kernel).plain()
        return self._plain[kernel]

    def take(self, kernel: str, plain: Derivation) -> None:
        """Have the plain derivation of a kernel, made elsewhere."""
        self._plain[kernel] = plain

    def deriver(self, kernel: str, *, searched: bool = True) -> Deriver:
        """What derives a kernel in the formulation asked for, in the frames that suit it.

        ``searched`` where it will be derived for many answers.
        """
        suited = self.suited(kernel)
        if suited is self:
            return self._described_deriver(kernel, searched=searched)
        build, plain = suited.build(kernel), self.plain(kernel)

        def named(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
            found = build(tree, mechanism, choices)
            return replace(found, title=plain.title, inputs=plain.inputs, outputs=plain.outputs)

        return Deriver(suited.trees.mechanism, named, searched=searched, trees=suited.trees)

    def _described_deriver(self, kernel: str, *, searched: bool = True) -> Deriver:
        """The same in the frames of the description, whatever they cost."""
        return Deriver(
            self.trees.mechanism,
            self.build(kernel),
            gauge=self.options.free,
            searched=searched,
            trees=self.trees,
            plain=self._plain.get(kernel),
        )

    def suited(self, kernel: str) -> KernelSources:
        """The same mechanism in frames that suit the kernel; in these where none do, or its results belong to them."""
        contract = contract_of(kernel)
        if contract is None or contract.axes == BODY_AXES or not (self.turned and self.options.free):
            return self
        if contract is CLOSED_LOOP and any(law.quantities() for law in self.mechanism.laws):
            return self  # laws may ask for poses, or what else is along axes
        return self._on_base_axes if contract.axes == BASE_AXES else self._in_any_frames

    @cached_property
    def _in_any_frames(self) -> KernelSources:
        """For results that are the same in any frames."""
        found = self._moved(results_on_axes=False)
        return self._on_base_axes if found == self._on_base_axes.mechanism else self._of(found)

    @cached_property
    def _on_base_axes(self) -> KernelSources:
        """For results along the axes of the base, and equations in those of the bodies that they are written in."""
        return self._of(self._moved(results_on_axes=True))

    def _moved(self, results_on_axes: bool) -> Mechanism:
        """The mechanism itself where no other frames are better, or equations would be others in them."""
        if self.mechanism.plain_tree:
            return self.mechanism
        described = self.mechanism if self.options.live_names else with_numbers(self.mechanism)
        found = in_suitable_frames(described, results_on_axes)
        if found == described or not same_equations(described, found, one_by_one=results_on_axes):
            return self.mechanism
        return found

    def _of(self, mechanism: Mechanism) -> KernelSources:
        return self if mechanism is self.mechanism else KernelSources(mechanism, self.options)

    @cached_property
    def base_parameters(self) -> tuple[NamedValue, ...]:
        """Base parameters, in the order of the columns of the regressor."""
        tree = derivation_tree(self.mechanism, live=False)
        found = base_parameters(tree.mechanism, tree.live)
        return tuple(NamedValue(n, float(x)) for n, x in zip(found.names, found.values, strict=True))

    @cached_property
    def inertial_parameters(self) -> tuple[NamedValue, ...]:
        """Ten parameters of each moving body, in the order of the columns of the full regressor."""
        found = inertial_parameters(derivation_tree(self.mechanism, live=False).mechanism)
        return tuple(NamedValue(n, float(x)) for n, x in zip(found.names, found.values, strict=True))

    @cached_property
    def configurations(self) -> NDArray[np.float64] | None:
        """What ``configurations`` finds."""
        return configurations(self.mechanism)

    def kernel_set(
        self, programs: Mapping[str, Program] | None = None, helpers: Collection[str] = ()
    ) -> KernelSet:
        """What is to be checked: these programs, with plain derivations of kernels that this needs, and of ``helpers``.

        Mechanisms whose coordinates are tied together, by constraints or chosen speeds, have their motion from
        coordinate_rates, and helpers; derivatives that the records do not give are those of inverse_dynamics.
        """
        mechanism, programs = self.mechanism, programs or {}
        projected = self.trees.tied or self.options.speeds is not None
        needed = ["coordinate_rates", *(x for x in helpers if x in self.builds)] if projected else []
        if any(name.endswith("_derivatives" if projected else "_parameter_derivatives") for name in programs):
            needed.append("inverse_dynamics")
        coefficients = {}
        if "regressor" in programs:
            coefficients["regressor"] = tuple(p.value for p in self.base_parameters)
        if "full_regressor" in programs:
            coefficients["full_regressor"] = tuple(p.value for p in self.inertial_parameters)
        return KernelSet(
            mechanism=mechanism,
            programs=programs,
            nv=mechanism.dof,
            projected=projected,
            slip_speed=float(SLIP_SPEED),
            solves=self._solves,
            helpers={name: self.plain(name) for name in needed if name not in programs},
            frames={identifier: name for name, identifier in self.frames.items()},
            coefficients=coefficients,
            of_rows=self._of_rows(programs),
            configurations=self.configurations,
            independent=make_plan(mechanism).independent if self.trees.tied else (),
            approximate=BOOK.get(self.options.formulation, False),
        )

    def _of_rows(self, programs: Iterable[str]) -> dict[str, tuple[str, str, tuple[int, ...]]]:
        """Kernels of rows of a frame's twist: the kernel's own name, that of the frame, and the places of the rows."""
        named = (
            of_rows(kernel, self.frames.values()) for kernel in (*programs, *(self.options.kernels or ()))
        )
        return {
            of.kernel: (of.contract.name, self.frame_of(of), tuple(map(ROWS.index, of.rows)))
            for of in named
            if of is not None
        }

    @cached_property
    def _speeds(self) -> tuple[Any, ...] | None:
        if self.options.speeds is None:
            return None
        return catalogue.generalized_speeds(self.mechanism.name, self.options.speeds)


def configurations(mechanism: Mechanism) -> NDArray[np.float64] | None:
    """Configurations (states, nq) to check kernels at, where not all can be had or are meant; None elsewhere.

    Raises ModelError for loops that cannot be closed.
    """
    if mechanism.constrained:
        return chart.configurations(mechanism, make_plan(mechanism).states)
    return deflected_states(mechanism, CERTIFIED_STATES) if mechanism.flexible else None


RESERVED = frozenset(contract.name.lower() for contract in CONTRACTS if not contract.each)
"""Names of kernels in lower case."""

BEGINNINGS = tuple(contract.named("").lower() for contract in CONTRACTS if contract.each)
"""How the names of those begin of which there is one for each frame or law."""

_DERIVATIVES = "_derivatives"
"""How the names of kernels end that are taken for derivatives of others."""


def check_names_of_laws(mechanism: Mechanism) -> None:
    """Raise ModelError for a control law that is named like a kernel, of this mechanism or of any other."""
    closed = {CLOSED_LOOP.named(law.name).lower() for law in mechanism.laws}
    for law in mechanism.laws:
        name = law.name.lower()
        if name in RESERVED | closed or name.startswith(BEGINNINGS) or name.endswith(_DERIVATIVES):
            raise ModelError(
                f"control law {law.name!r}",
                "a kernel has this name, or its names begin or end like this",
                "another name",
                "Rename it, say, to feedback_law.",
            )
