"""Which kernels a mechanism has: those of its formulation, those on demand, and those that a user asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanegen.codegen import facts
from kanegen.codegen.derivation.formulations import formulation, optional_kernels
from kanegen.codegen.derivation.kernels.laws import law_kernels
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.kernel_names import check_names_of_laws
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.errors import ModelError, nearest
from kanegen.options import Options


def available(mechanism: Mechanism, options: Options) -> dict[str, Build]:
    """All kernels of a mechanism by name: those of the formulation that its speeds ask for, and its control laws.

    Laws are written in the mechanism's own speeds, so they come with these alone: see ``unavailable_laws``.
    """
    builds = formulation(
        options.formulation,
        mechanism,
        _speeds(mechanism, options),
        options.live_parameters,
        c_names(facts.frame_names(mechanism)),
    )
    if options.speeds is not None or not mechanism.laws:
        return builds
    forward = builds["forward_dynamics"]
    return builds | law_kernels(mechanism, forward, live=options.live_parameters)


def unavailable_laws(mechanism: Mechanism, options: Options) -> dict[str, str]:
    """The control laws that a mechanism has and that these options leave out, with the reason."""
    if options.speeds is None:
        return {}
    reason = (
        f"it is a law in the rates of the joints; load {mechanism.name!r} without speeds={options.speeds!r}"
    )
    return {law.name: reason for law in mechanism.laws}


def optional(mechanism: Mechanism, options: Options) -> dict[str, Build]:
    """Kernels by name that are derived only when they are asked for: derivatives, regressors, matrices of the motion.

    They are on the speeds of the kernel set; a formulation makes no difference to them.
    """
    return optional_kernels(
        mechanism,
        options.live_parameters,
        c_names(facts.frame_names(mechanism)),
        _speeds(mechanism, options),
    )


def wanted(mechanism: Mechanism, options: Options, builds: Mapping[str, Build]) -> dict[str, Build]:
    """The kernels asked for, in the order of the ``builds`` available; these where none was named.

    Raises ModelError for a kernel that the mechanism does not have, and for a control law that is named like a kernel.
    """
    check_names_of_laws(mechanism)
    found = dict(builds)
    if options.kernels is None:
        return found
    if not set(options.kernels) <= set(found):
        found |= optional(mechanism, options)
    unknown = [k for k in options.kernels if k not in found]
    if unknown:
        near = nearest(unknown[0], found)
        raise ModelError(
            f"model {mechanism.name!r}",
            f"has no kernel {unknown[0]!r}",
            f"some of {', '.join(found)}",
            f"Did you mean {near!r}?" if near else "Ask for one of these.",
        )
    named = {*options.kernels, *(("constraint_residual",) if options.with_residual else ())}
    return {k: build for k, build in found.items() if k in named}


def _speeds(mechanism: Mechanism, options: Options) -> tuple[Any, ...] | None:
    if options.speeds is None:
        return None
    return catalogue.generalized_speeds(mechanism.name, options.speeds)
