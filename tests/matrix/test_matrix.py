"""Every kernel of every mechanism in every formulation, against witnesses that share nothing with the derivations.

A cell is a mechanism in a formulation; in it every kernel is derived once, as the textbook has it or with random answers
at the decision points, and evaluated in NumPy at random states.  Most are checked as a certificate checks them, against
Newton's and Euler's equations on the records; ``witnesses`` and ``body_coordinates`` have the rest.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from zlib import crc32

import numpy as np
import pytest

from kanegen.codegen.certificate.arrays import Array
from kanegen.codegen.certificate.certify import measured
from kanegen.codegen.certificate.evaluation import values
from kanegen.codegen.certificate.identities import applied
from kanegen.codegen.certificate.sample import KernelSet, Sample
from kanegen.codegen.derivation.derivatives import differentiate, through_the_tree
from kanegen.codegen.derivation.kernels import operational
from kanegen.codegen.derivation.kernels.catalogue import (
    BIAS_FORCES,
    CLOSED_LOOP,
    CONTRACTS,
    EQUATIONS_OF_MOTION,
    FORWARD_DYNAMICS,
    GRAVITY_FORCES,
    HAND_POWER,
    INVERSE_DYNAMICS,
    MASS_MATRIX,
    OPERATIONAL_BIAS,
    OPERATIONAL_INERTIA,
    OfRows,
    contract_of,
)
from kanegen.codegen.derivation.placed_tree.deriver import Build
from kanegen.codegen.graph import Program
from kanegen.codegen.graph.jacobian import Order
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.options import Options
from kanegen.rows import ROWS
from tests.derivation.structured_trees import derive_by_chance

from .definitions import RANK
from .models import Cell, cells
from .witnesses import further

STATES = 5
STEPS = 8
ROUNDING = 200 * 2**-53
"""Residuals are in units of the magnitudes that are added: a hundred roundings each in two evaluations, all adding up."""

SOLVED = {"compound_0-euler_parameters", "compound_2-euler_parameters"}
"""Forces come from a solve with the Jacobian of the joints, whose condition is up to a hundred with carriers in between."""

CELLS = cells()
ENOUGH = (
    "stanford_arm-kane",
    "sim_yoo_lee_robot-influence_coefficients",
    "excavator-euler_parameters",
    "stanford_arm-recursive-live",
    "four_bar-recursive",
    "flexible_one_link-recursive",
)
"""Cells that have all kernels between them."""

TRUNCATED = "book_1983_truncated"
"""Leaves out what Book's arms have beyond a first order: its equations are those of no arm, but agree with each other."""

OF_BOOK = {
    INVERSE_DYNAMICS,
    FORWARD_DYNAMICS,
    MASS_MATRIX,
    BIAS_FORCES,
    GRAVITY_FORCES,
    EQUATIONS_OF_MOTION,
    CLOSED_LOOP,
}
IDENTITIES = {
    "FD(q, v, ID(q, v, a)) = a",
    "ID = M a + h",
    "h = g where v = 0",
    "M = M^T",
    "forward dynamics of a law",
}

EACH = ("frame_", "influence_G_", "influence_H_")
"""Families of kernels for each frame: two frames are as good as many, one of a body and one with a place of its own."""

OF_ROWS = tuple(contract.named() for contract in CONTRACTS if contract.rows)
"""Those of rows of a twist: one frame is enough, with as many rows as are independent, all six or not."""


OF_CHANCE = (OPERATIONAL_BIAS, HAND_POWER)
"""Those in which all decisions of them are met."""


KNOWN = ("frames", "trees", "builds", "configurations", "_few", "_rows")
"""What sources know whatever kernels are asked for."""


class Sources(KernelSources):
    """The kernels of a cell, those on demand among them."""

    def __init__(self, cell: Cell, usual: Sources | None = None) -> None:
        """``usual`` has what kernels of rows have in common with the others."""
        chosen = None if cell.speeds is None else "the cell's own"
        kernels = None if usual is None else usual.of_rows()
        options = Options(
            kernels=kernels, formulation=cell.formulation, live_parameters=cell.live, speeds=chosen
        )
        super().__init__(cell.model() if usual is None else usual.mechanism, options)
        known = {} if usual is None else vars(usual)
        self.__dict__ |= {name: known[name] for name in KNOWN if name in known}
        self.__dict__ |= {"cell": cell, "_speeds": cell.speeds}

    @cached_property
    def every(self) -> dict[str, Build]:
        """All builds by name."""
        cell, found = self.__dict__["cell"], dict(self.builds)
        if cell.formulation == "recursive":
            of_rows = self.options.kernels or ()
            more = self.builds_on_demand.items()
            found |= {k: build for k, build in more if k in of_rows or not k.startswith(OF_ROWS)}
        return found

    def of_rows(self) -> tuple[str, ...]:
        """The kernels of rows of the frame that can be moved in most ways, of rows in another order than usual."""
        ways = []
        for identifier in self.frames.values():
            dependent = self.dependent(OfRows(OPERATIONAL_INERTIA, identifier))
            ways.append((identifier, tuple(row for row in reversed(ROWS) if row not in dependent)))
        identifier, rows = max(ways, key=lambda way: len(way[1]), default=("", ()))
        chosen = OF_CHANCE if self.__dict__["cell"].by_chance else [c for c in CONTRACTS if c.rows]
        return tuple(contract.named(identifier, rows) for contract in chosen if rows)


def sources_of(cell: Cell) -> Sources:
    """What the kernels of a cell are derived from, with those of rows of a frame's twist."""
    found = Sources(cell)
    return Sources(cell, found) if cell.formulation == "recursive" else found


def derived(cell: Cell) -> KernelSet:
    """The kernels of a cell."""
    sources, rng = sources_of(cell), np.random.default_rng(1)

    def by_chance(kernel: str) -> Program:
        return derive_by_chance(sources.deriver(kernel), rng)[0]

    left_out = tuple(f"_{name}" for name in list(sources.frames.values())[1:-1])
    kernels = [k for k in sources.every if not (k.startswith(EACH) and k.endswith(left_out))]
    programs = {k: by_chance(k) if cell.by_chance else sources.plain(k) for k in kernels}
    found = replace(sources.kernel_set(programs), approximate=False)
    return replace(found, configurations=closed(found)) if "constraint_residual" in programs else found


def closed(given: KernelSet) -> Array:
    """The first configurations of a kernel set on its own equations of position, by steps of Gauss and Newton."""
    assert given.configurations is not None
    q, numbers = given.configurations[:STATES], {p.name: float(p.value) for p in given.mechanism.parameters}
    residual, jacobian = (given.programs[f"constraint_{what}"] for what in ("residual", "jacobian"))
    for _ in range(STEPS):
        phi = values(residual, {"q": q}, numbers)["phi"]
        A = values(jacobian, {"q": q}, numbers)["A"][:, : phi.shape[1]]
        q = q - applied(np.linalg.pinv(A, rcond=RANK), phi)
        for at in given.mechanism.quaternions:
            q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1, keepdims=True)
    return q


@pytest.fixture(autouse=True)
def one_order(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Derivatives by one order of elimination in each cell, and by all between them: which is cheapest is no matter here."""
    order = tuple(Order)[crc32(request.node.name.encode()) % len(Order)]
    for user in (differentiate, through_the_tree, operational):
        monkeypatch.setattr(user, "cheapest", lambda build: build(order))


@pytest.mark.parametrize("name", CELLS)
def test_every_kernel_has_a_witness_that_agrees(name: str) -> None:
    cell = CELLS[name]
    sample = Sample(derived(cell), STATES)
    checks = [*measured(sample), *further(sample, cell.speeds)]
    assert {k for c in checks for k in c.kernels} >= set(sample.programs), "kernels without a witness"
    if cell.formulation == TRUNCATED:
        checks = [
            c for c in checks if c.name in IDENTITIES or OF_BOOK.isdisjoint(map(contract_of, c.kernels))
        ]
    bound = ROUNDING * (100 if name in SOLVED else 1)
    assert not {(c.name, c.kernels): c.residual for c in checks if not c.residual < bound}


def test_every_contract_is_that_of_a_kernel_in_the_matrix() -> None:
    found = set()
    for name in ENOUGH:
        found |= {contract_of(kernel) for kernel in sources_of(CELLS[name]).every}
    kernels = {contract.name for contract in found if contract is not None}
    assert kernels == {contract.name for contract in CONTRACTS}
