"""Operation counts that others have published, to print beside ours, and those of their methods derived here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kanegen.codegen.derivation import historical
from kanegen.codegen.graph import OperationCounts
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.studies import kane_levinson_1983


class Published(NamedTuple):
    """Multiplications and additions as quoted, and who counted them.

    ``formulation`` is the same method here, with the ``kernels`` that the count is for; None for the algorithm of 1983.
    """

    multiplications: int
    additions: int
    who: str
    formulation: str | None = None
    kernels: tuple[str, ...] = ("inverse_dynamics",)

    def as_written(self, model: str) -> OperationCounts:
        """Every operation that the formulas of the method have for a built-in mechanism."""
        if self.formulation is None:
            return kane_levinson_1983.inverse_dynamics().as_written
        return historical.as_written(self.formulation, catalogue.mechanism(model))


PUBLISHED: Mapping[tuple[str, str], tuple[Published, ...]] = {
    ("stanford_arm", "inverse_dynamics"): (
        # 412 n - 277 and 320 n - 201 at n = 6
        Published(2195, 1719, "recursive Lagrangian, 3 x 3 (Hollerbach 1980)", "hollerbach_1980_3x3"),
        # (137 n - 22) + (12 n^2 + 56 n - 27) and (101 n - 11) + (7 n^2 + 67 n - 53)
        Published(
            1541,
            1196,
            "Newton-Euler and mass matrix (Walker & Orin 1982)",
            historical.WALKER_ORIN,
            ("bias_forces", "mass_matrix"),
        ),
        # 150 n - 48 and 131 n - 48
        Published(852, 738, "Newton-Euler (Luh, Walker & Paul 1980; Silver 1982)", "luh_walker_paul_1980"),
        Published(646, 394, "Kane & Levinson 1983"),
    ),
}
"""By model and kernel, as Kane & Levinson (1983) quote them."""
