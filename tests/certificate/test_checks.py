"""Checks of kernel sets: right ones pass, and every check notices an error in every kernel that it is about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanegen.codegen.certificate.certify import BOUND, certify
from kanegen.codegen.certificate.sample import Sample
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.graph import Program
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.passes.verify import random_arguments
from kanegen.errors import CertificateError
from kanegen.options import Options
from tests.certificate.sets import (
    MECHANISMS,
    STATES,
    Remembered,
    kernel_set,
    residuals,
    tampered,
    with_kernel,
)

ROUNDING = 200 * 2**-53
"""Residuals are in units of the magnitudes that are added: a hundred roundings each in two evaluations, all adding up."""

every_set = pytest.mark.parametrize("name", MECHANISMS)


@every_set
def test_every_check_notices_an_error_in_each_of_its_kernels(name):
    given, evaluate = kernel_set(name), Remembered()
    wanted = {
        (key, kernel)
        for key in residuals(given, evaluate)
        for kernel in key[1]
        if key[0] != "M is positive definite"
    }
    noticed = set()
    for kernel, program in given.programs.items():
        for output in range(len(program.outputs)):
            found = residuals(with_kernel(given, kernel, tampered(program, output)), evaluate)
            noticed |= {(key, kernel) for key, x in found.items() if kernel in key[1] and not x <= BOUND}
    assert wanted - noticed == set()


def test_a_mass_matrix_with_a_negative_direction_is_noticed():
    given = kernel_set("branched")
    program = given.programs["mass_matrix"]
    wrong = with_kernel(given, "mass_matrix", negative(program))
    assert residuals(wrong)["M is positive definite", ("mass_matrix",)] > BOUND


def negative(program: Program) -> Program:
    """Minus the mass matrix."""
    return replace(program, results=tuple(tuple(-ref for ref in refs) for refs in program.results))


@pytest.mark.parametrize("kernel", ["bias_forces", "forward_dynamics", "frame_jacobian_hand"])
def test_an_error_is_refused_in_one_sentence(kernel):
    given = kernel_set("branched")
    wrong = with_kernel(given, kernel, tampered(given.programs[kernel]))
    with pytest.raises(CertificateError, match=rf"branched: .* fail the check .*{kernel}.* error of kanegen"):
        certify(wrong, STATES)


def test_a_kernel_alone_is_checked_too():
    """Against the records, without any other kernel to compare with."""
    given = kernel_set("branched")
    for kernel in ("forward_dynamics", "inverse_mass_matrix", "forward_dynamics_derivatives", "regressor"):
        alone = replace(given, programs={kernel: tampered(given.programs[kernel])})
        with pytest.raises(CertificateError):
            certify(alone, STATES)


def test_states_are_those_at_which_programs_are_compared():
    given = kernel_set("branched")
    sample, program = Sample(given, STATES), given.programs["inverse_dynamics"]
    for name, values in random_arguments(program, STATES).items():
        assert np.array_equal(getattr(sample, name), values)


def test_rates_of_jacobians_beyond_balls_are_derived_one_way():
    """Coordinates of a ball's joints stay at zero, so that formulas have no derivatives by them."""
    mechanism, kernel = MECHANISMS["floating"](), "frame_jacobian_rate_head"
    sources = KernelSources(mechanism, Options())
    derive = Deriver(sources.trees.mechanism, sources.build(kernel), trees=sources.trees)
    found = with_kernel(kernel_set("floating"), kernel, derive({f"method of {kernel}": 1})[0])
    assert max(check.residual for check in certify(found, STATES).checks) < ROUNDING
