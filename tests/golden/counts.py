"""Operations of all built-in mechanisms: every kernel of theirs, and of those for frames one of each family.

``python -m tests.golden.counts`` writes ``counts.json`` anew: where a count fell, or where a right value needs more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, replace
from pathlib import Path

from kanegen.codegen import pipeline
from kanegen.codegen.deriving import derive_all
from kanegen.codegen.graph import OperationCounts, count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import catalogue
from kanegen.codegen.pipeline import Options

FILE = Path(__file__).parent / "counts.json"
OF_ROWS = ("hand_", "operational_")
"""Those of rows of a frame's twist."""
FAMILIES = ("frame_", *OF_ROWS)
"""What the names of kernels begin with that exist for each frame."""
ALIKE = ("operational_bias_", "operational_gravity_", "hand_inertia_", "hand_damping_", "hand_stiffness_")
"""Those that take what other kernels take, and little besides."""

Counts = dict[str, OperationCounts]


class OneOfEachFamily(KernelSources):
    """The kernels of a mechanism, but those of one frame alone."""

    def wanted(self) -> tuple[str, ...]:
        found = super().wanted()
        kept = _one_of_each_family(sorted(found))
        return tuple(name for name in found if name in kept)


def counted(model: str, left_out: tuple[str, ...] = ()) -> Counts:
    """Operations of the kernels of a built-in mechanism, but for those on demand whose names begin as ``left_out`` says."""
    plain = Options()
    mechanism = pipeline.read(model, plain)
    sources = OneOfEachFamily(mechanism, plain)
    programs = derive_all(sources).programs
    on_demand = sorted(set(sources.builds_on_demand) - set(sources.builds))
    names = [name for name in _one_of_each_family(on_demand) if not name.startswith(left_out)]
    alone = [name for name in names if name.startswith(OF_ROWS)]  # as they are made when they are asked for
    for group in ([name for name in names if name not in alone], *([name] for name in alone)):
        if group:
            programs |= derive_all(KernelSources(mechanism, replace(plain, kernels=tuple(group)))).programs
    return {name: count(program) for name, program in programs.items()}


def _one_of_each_family(names: list[str]) -> tuple[str, ...]:
    """The last of those that differ in nothing but the frame."""
    names = [name for name in names if not name.startswith(ALIKE)]
    families = {name.rsplit("_", 1)[0] if name.startswith(FAMILIES) else name: name for name in names}
    return tuple(families.values())


def recorded() -> Mapping[str, Counts]:
    """What the table says: by mechanism and kernel."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        model: {kernel: OperationCounts(*row) for kernel, row in kernels.items()}
        for model, kernels in table.items()
    }


def write(table: Mapping[str, Counts]) -> None:
    """Multiplications, additions, divisions, square roots, sines with cosines, others if any: a line for each kernel."""
    models = [
        f'  "{model}": {{\n'
        + ",\n".join(f'    "{kernel}": {json.dumps(_short(row))}' for kernel, row in sorted(kernels.items()))
        + "\n  }"
        for model, kernels in table.items()
    ]
    FILE.write_text("{\n" + ",\n".join(models) + "\n}\n", encoding="utf-8")


def _short(counts: OperationCounts) -> tuple[int, ...]:
    row = astuple(counts)
    return row if any(row[5:]) else row[:5]


if __name__ == "__main__":
    write({model: counted(model) for model in catalogue.names()})
