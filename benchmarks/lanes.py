"""What do many states at once gain over the kernel for one state in a loop, from C, for each instruction set?

    python -m benchmarks.lanes [MODEL] [--kernels NAME ...] [--states N] [--output NAME.json] [--rounds N]

One run, the same flags as extensions are compiled with, the same random states for all, the protocol of
:mod:`benchmarks.protocol`.  ``MODEL`` is a built-in name or a model file, which is generated anew; or a folder of generated
files.  Times are those of the thread.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.drivers.build import FLAGS, BuildFailed, NativeProgram, build, compiler_command
from benchmarks.environment import environment
from benchmarks.protocol import Timing, command_line, measure, native_contestant
from benchmarks.report import number, table, write_json
from kanegen.builds.compiler import usable_variants
from kanegen.codegen import pipeline
from kanegen.extension_source import BASELINE, COMPILE_FLAGS, Variant
from kanegen.manifest import KernelSpec, Manifest, read_manifest
from kanegen.options import Options

WAYS = {"loop": "one state in a loop", "rows": "rows", "columns": "structure of arrays"}

NEEDED = {
    ("inverse_dynamics", "avx2"): 2.2,
    ("inverse_dynamics", "avx512"): 2.4,
    ("forward_dynamics", "avx2"): 2.9,
    ("forward_dynamics", "avx512"): 3.1,
}
"""What rows of the Stanford Arm are to gain in double precision."""


def program(folder: Path, manifest: Manifest, kernel: KernelSpec, variant: Variant) -> NativeProgram:
    """The timing program of a kernel for an instruction set."""
    driver, source = Path(__file__).parent / "drivers" / "time_lanes.c", folder / f"{manifest.prefix}.c"
    names = ("FIRST", "SECOND", "THIRD", "OUTPUT", "MORE")
    sizes = [f"-D{name}={a.size}" for name, a in zip(names, kernel.arguments, strict=False)]
    return NativeProgram(
        name=f"time_lanes_{kernel.function}_{variant.name}",
        compiler=compiler_command("CC", "cc"),
        arguments=(
            *(f"-m{feature}" for feature in ("arch=x86-64", *variant.features) if usable_variants()),
            *COMPILE_FLAGS,
            f'-DMODEL_SOURCE="{source.name}"',
            f"-DONE={kernel.function}",
            f"-DROWS={kernel.batch}",
            f"-DCOLUMNS={kernel.batch_soa}",
            f"-DNUMBER={ {'double': 'double', 'single': 'float'}[kernel.precision] }",
            *sizes,
            f"-I{folder}",
            str(driver),
            "-lm",
        ),
        inputs=(driver, source, source.with_suffix(".h")),
    )


def main() -> int:
    """The command line.  1 where the Stanford Arm gains less than is needed."""
    parser = command_line(__doc__, "lanes.json", states=1024, passes=200)
    parser.add_argument("model", nargs="?", default="stanford_arm", help="default: %(default)s")
    parser.add_argument("--kernels", nargs="+", default=["inverse_dynamics", "forward_dynamics"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(options.model)
        if not (folder / "manifest.json").is_file():
            folder = Path(made)
            pipeline.generate(options.model, folder, Options(kernels=tuple(options.kernels), float32=True))
        manifest = read_manifest(folder)
        found: dict[str, dict[str, Timing]] = {}
        rows, missed = [], 0
        for variant in (*usable_variants(), BASELINE):
            for kernel in manifest.kernels.values():
                if kernel.name.removesuffix("_f32") not in options.kernels or len(kernel.inputs) != 3:
                    continue
                try:
                    executable = build(program(folder, manifest, kernel, variant))
                except BuildFailed as reason:
                    print(f"left out: {reason}")
                    continue
                count, passes = str(options.states), str(options.passes)
                contestants = [native_contestant(way, (executable, way, count, passes)) for way in WAYS]
                timings = measure(contestants, options.rounds).timings
                found[f"{kernel.name}, {variant.name}"] = timings
                best = {way: timing.minimum for way, timing in timings.items()}
                gains = [best["loop"] / best[way] for way in ("rows", "columns")]
                need = NEEDED.get((kernel.name, variant.name)) if manifest.name == "stanford_arm" else None
                missed += need is not None and gains[0] < need
                rows.append(
                    [
                        f"{kernel.name}, {variant.name}",
                        *map(number, best.values()),
                        *map(number, gains),
                        "-" if need is None else number(need),
                    ]
                )
    print(table(["ns a state", *WAYS.values(), "rows gain", "columns gain", "needed"], rows))
    where = environment(compiler_command("CC", "cc"), compiler_command("CXX", "c++"), FLAGS)
    document = {
        "benchmark": "lanes",
        "model": manifest.name,
        "states": options.states,
        "environment": where.as_json(),
        "timings": {name: {way: asdict(t) for way, t in of.items()} for name, of in found.items()},
    }
    print(f"written: {write_json(options.output, document).name}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
