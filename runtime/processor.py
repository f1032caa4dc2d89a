"""The instruction sets of the processor on which Python runs, as far as the system tells."""

from __future__ import annotations

import functools
import platform
from pathlib import Path

from kanegen.extension_source import X86_VARIANTS, Variant

_INFORMATION = Path("/proc/cpuinfo")


@functools.cache
def usable_variants() -> tuple[Variant, ...]:
    """Instruction sets beyond the baseline that this processor has, best first.

    All there are, where the system does not say; the compiled module asks the processor itself when it is loaded.
    """
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return ()
    features = _features()
    return (
        X86_VARIANTS
        if features is None
        else tuple(v for v in X86_VARIANTS if features.issuperset(v.features))
    )


def chosen_variants(wanted: str | None) -> tuple[Variant, ...]:
    """The instruction sets to compile for this processor alone: its best one, and the one wanted if it is another."""
    usable = usable_variants()
    if platform.machine().lower() in ("x86_64", "amd64") and _features() is None:
        return usable
    return tuple(v for i, v in enumerate(usable) if i == 0 or v.name == wanted)


@functools.cache
def _features() -> frozenset[str] | None:
    """Names of the features of an x86-64 processor that the system has switched on; None where it does not say."""
    try:
        text = _INFORMATION.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return frozenset(value.split())
    return None
