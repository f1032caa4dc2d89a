"""Operation counts of the Stanford Arm: what others published, and what the generated C counts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from kanegen.codegen.commands.published import PUBLISHED

REPOSITORY = Path(__file__).resolve().parents[1]
HISTORICAL_COUNTS = REPOSITORY / "tests" / "oracles" / "kane_levinson_1983_counts.json"
MANIFEST = REPOSITORY / "generated" / "stanford_arm" / "manifest.json"


@dataclass(frozen=True)
class OperationCount:
    """Operations of one evaluation; divisions are None where a source does not count them apart."""

    who: str
    multiplications: int
    additions: int
    divisions: int | None = None


def _recounted(who: str, key: str) -> OperationCount:
    """A count of the 1983 rows by this project's rules; the file counts divisions as multiplications."""
    count = json.loads(HISTORICAL_COUNTS.read_text(encoding="utf-8"))[key]
    divisions = count["div_included"]
    return OperationCount(who, count["mult"] - divisions, count["add"], divisions)


def earlier_counts(kernel: str) -> list[OperationCount]:
    """What was published, as Kane & Levinson (1983) quote it, each with the same method as written for this arm by this
    project's rules.
    """
    if kernel != "inverse_dynamics":
        return [_recounted("the algorithm of 1983 and a dense LDL^T", "[folded] forward incl dense LDL^T")]
    *earlier, last = PUBLISHED["stanford_arm", kernel]
    found = []
    for row in earlier:
        written = row.as_written("stanford_arm")
        found.append(OperationCount(row.who, row.multiplications, row.additions))
        found.append(
            OperationCount("the same as written for this arm", written.multiplications, written.additions, 0)
        )
    found.append(OperationCount(f"{last.who}, as published", last.multiplications, last.additions))
    key = "[const folded] C+Z(4..196)+X+torque + kin econ (Z1-3=qdot known)"
    return [*found, _recounted("the algorithm of 1983, given q, q', q''", key)]


def own_count(kernel: str) -> OperationCount | None:
    """The count in the manifest of the generated C; None where it has not been generated."""
    if not MANIFEST.exists():
        return None
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    counts = manifest["kernels"][kernel]["operation_counts"]
    who = f"kanegen ({manifest['generator']})"
    return OperationCount(who, counts["multiplications"], counts["additions"], counts["divisions"])
