"""Operations for mass matrix and right-hand side of arms with flexible links, counted from the C: fewer than Book's (1983).

Book counts his equations for n = 6 joints, n_f = 2 flexible links and m = 3 modes each: about 12,009 multiplications in the
text of section 6, 11,361 multiplications and 11,273 additions by its formula.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import kanegen
from benchmarks.flexible_counts import counted_arms
from benchmarks.mixed_modes import PARTS
from kanegen.codegen import pipeline
from kanegen.codegen.graph import Program, evaluate
from kanegen.codegen.mechanism import Mechanism
from kanegen.codegen.pipeline import Options
from kanegen.codegen.studies.book_1983 import KERNEL, SAYS, Size, counts, matrices
from tests.emitted.c_operation_counter import count_operations, functions
from tests.emitted.test_operation_counts import KERNELS


@cache
def arms() -> dict[str, Mechanism]:
    return {arm.name: arm for arm in counted_arms()}


SIX, MIXED = "flexible_six_axis", "flexible_six_axis_mixed"

# multiplications, additions, sines and cosines; there are no divisions and no roots
FOUND = {
    "flexible_one_link": (24, 21, 0),
    "flexible_two_link": (99, 77, 2),
    "flexible_two_link_spatial": (388, 265, 2),
    SIX: (1686, 1417, 5),
    MIXED: (2247, 2156, 5),
}


@cache
def made(arm: str) -> tuple[Program, dict[str, int], dict[str, int]]:
    """The program, the operations of its C, and those that the manifest tells."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        generated = pipeline.generate(arms()[arm], folder, Options(kernels=(KERNEL,)))
        text = (folder / f"{arm}.c").read_text(encoding="utf-8")
        declarations = (folder / f"{arm}.cdef").read_text(encoding="utf-8")
        entry = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["kernels"][KERNEL]
    defined = functions(declarations + text.partition(KERNELS)[2].replace(f"{arm.upper()}_API ", ""))
    counted = count_operations(defined, entry["function"])
    return generated.kernels[KERNEL].program, counted, entry["operation_counts"]


@pytest.mark.parametrize("arm", FOUND)
def test_counts_stay_what_they_are(arm: str) -> None:
    multiplications, additions, sincos = FOUND[arm]
    assert FOUND.keys() == arms().keys()
    _, counted, told = made(arm)
    assert counted == told
    assert counted == {
        "multiplications": multiplications,
        "additions": additions,
        "divisions": 0,
        "square_roots": 0,
        "sincos": sincos,
    }


def test_a_quarter_of_what_the_paper_says_and_a_sixth_of_its_formula() -> None:
    size = Size.of(arms()[SIX])
    assert size == Size(n=6, n_f=2, m=3)
    book = counts(size)
    assert (book.multiplications, book.additions) == (11_361, 11_273)
    _, counted, _ = made(SIX)
    assert SAYS == 12_009
    assert 4 * counted["multiplications"] <= SAYS
    assert 6 * counted["multiplications"] < book.multiplications
    assert 6 * counted["additions"] < book.additions


def test_a_quarter_with_every_modal_integral() -> None:
    """Book's count is of modes of any shape: in mixtures of bending both ways and twist, each couples with each."""
    arm = arms()[MIXED]
    assert Size.of(arm) == Size.of(arms()[SIX])
    for link in arm.flexible:
        assert all(all(x != 0 for row in link.stiffness for x in row) for row in link.stiffness)
        assert np.all(np.array(link.integrals.mode_products, dtype=float) != 0)
    _, counted, _ = made(MIXED)
    assert 4 * counted["multiplications"] <= counts(Size.of(arm)).multiplications


def test_mixtures_are_the_same_arm() -> None:
    """With z = S z', where S mixes the modes: M' = S^T M S and R' = S^T R, tau' = S^T tau."""
    arm = arms()[SIX]
    S = np.eye(arm.dof)
    for link in arm.flexible:
        places = [arm.coordinates.index(mode) for mode in link.modes]
        S[np.ix_(places, places)] = np.array(PARTS).T / 5
    random = np.random.default_rng(1983)
    q, v, tau = random.uniform(-0.2, 0.2, (3, 20, arm.dof))
    mixed = evaluate(made(MIXED)[0], {"q": q, "v": v, "tau": tau @ S})
    plain = evaluate(made(SIX)[0], {"q": q @ S.T, "v": v @ S.T, "tau": tau})
    shape = (-1, arm.dof, arm.dof)
    matrices, expected = mixed["M"].reshape(shape), S.T @ plain["M"].reshape(shape) @ S
    # Some 4,000 operations of 1.1e-16 each: 5e-13 of the largest entry were all roundings to add up.
    assert np.abs(matrices - expected).max() < 5e-13 * np.abs(expected).max()
    right = plain["R"] @ S
    assert np.abs(mixed["R"] - right).max() < 5e-13 * np.abs(right).max()


def test_books_matrices_stand_in_the_equations() -> None:
    """W, its rates, G, D, Q and P by name, each with its equation."""
    found = kanegen.equations("flexible_two_link", kernels=[KERNEL], formulation="book_1983")
    names = {str(symbol) for symbol, _ in found.definitions}
    assert {"W_2_22", "dW_2_22", "ddW_2_21", "D_11_33", "G_1_33", "Q_1_22", "P_1_2"} <= names
    (meaning,) = [text for symbol, text in found.meaning.items() if str(symbol) == "Q_1_22"]
    assert "eqs. 87, 88" in meaning


def test_matrices_of_a_link_are_integrals_of_its_shape() -> None:
    """y = 1.5 s^2 - 0.5 s^3 on 1.2 kg/m over 1 m: twice C_11 has the integrals of mu y and mu eta y, by hand."""
    found = matrices(arms()["flexible_two_link"], "link1")
    assert found["C_1"][0][:2] == (Fraction(3, 5), Fraction(3, 10))
    assert [row[2] for row in found["C_11"]][:2] == [Fraction(9, 40), Fraction(33, 200)]
    assert found["C_111"][2][2] == Fraction(6, 10) * Fraction(33, 140)
