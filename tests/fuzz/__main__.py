"""``python -m tests.fuzz [COUNT [FIRST]]``: that many damaged inputs, by seeds from FIRST on; exit code 1 for a failure."""

# ruff: noqa: T201
from __future__ import annotations

import faulthandler
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from .readers import fuzz

BATCH = 500


def main() -> int:
    """Run the inputs, and print what came of them."""
    count, first = (int(text) for text in (*sys.argv[1:], *("20000", "0")[len(sys.argv) - 1 :]))
    counts: Counter[str] = Counter()
    failures: list[tuple[int, str, str]] = []
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for begin in range(first, first + count, BATCH):
            faulthandler.dump_traceback_later(600, exit=True)  # a library that hangs in C
            found = fuzz(begin, min(BATCH, first + count - begin), Path(folder))
            counts += found.counts
            failures += found.failures
            for seed, kind, what in found.failures:
                print(f"seed {seed}, {kind}: {what}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    for kind, number in sorted(counts.items()):
        print(f"{kind:20} {number}")
    print(f"{count} inputs in {time.monotonic() - started:.0f} s, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
