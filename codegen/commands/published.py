"""Operation counts that others have published, to print beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.graph import OperationCounts
from kanegen.codegen.studies import kane_levinson_1983

PUBLISHED: Mapping[tuple[str, str], tuple[tuple[int, int, str], ...]] = {
    ("stanford_arm", "inverse_dynamics"): (
        # 412 n - 277 and 320 n - 201 at n = 6
        (2195, 1719, "recursive Lagrangian, 3 x 3 (Hollerbach 1980, quoted by Kane & Levinson 1983)"),
        (1541, 1196, "Newton-Euler (Walker & Orin 1982, quoted by Kane & Levinson 1983)"),
        (852, 738, "Newton-Euler (Hollerbach, Silver; quoted by Kane & Levinson 1983)"),
        (646, 394, "Kane & Levinson 1983"),
    ),
}
"""By model and kernel: multiplications, additions, and who."""


def recounted(model: str, kernel: str) -> list[tuple[OperationCounts, str]]:
    """Published algorithms run through kanegen's own counter."""
    if (model, kernel) != ("stanford_arm", "inverse_dynamics"):
        return []
    counts = kane_levinson_1983.inverse_dynamics().as_written
    return [
        (
            counts,
            f"the 1983 algorithm, given q, dq/dt, d2q/dt2, by our rules (and {counts.divisions} divisions)",
        )
    ]
