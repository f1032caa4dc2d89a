"""C source of the extension module around a generated mechanism: instruction sets, their choice, calls for Python.

The generated C is compiled once for each instruction set, as one translation unit each (a *variant*), with all its
functions static; what a variant shows is one table of function pointers.  The main unit copies the table that fits the
processor when the module is loaded, and defines every function of the mechanism under its own name as a jump through
that copy.  So one binary serves every processor of an architecture, at the cost of one predicted indirect jump.

The skeletons of these units are the templates in ``csrc``.

This file is also loaded by path from ``generated/build_extensions.py``, in builds that cannot import the project:
it uses nothing but the standard library and cffi.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cffi import FFI

COMPILE_FLAGS: tuple[str, ...] = (
    ()
    if sys.platform == "win32"
    else (
        "-O3",
        "-fno-math-errno",
        "-ffp-contract=fast",
        "-fno-tree-slp-vectorize",
        "-fvisibility=hidden",
    )
)
"""Flags of every compilation.  Nothing that changes results beyond contraction, and nothing for one processor.

Statements are not put together into vectors: that gains nothing on kernels, and what is contracted would depend on it, so
that kernels in lanes would not be right to the bit of those for one state.
"""


@dataclass(frozen=True, slots=True)
class Variant:
    """An instruction set: its name, the processor features it needs, by the compilers' names, and its vectors' bytes.

    The bytes are told to the generated C by a macro, since Clang does not define ``__AVX2__`` and the like where only
    some functions are compiled for that target.
    """

    name: str
    features: tuple[str, ...] = ()
    vector_bytes: int = 0

    @property
    def file_name(self) -> str:
        """Name of its translation unit; no file of a mechanism begins with an underscore."""
        return f"_kernels_{self.name}.c"


BASELINE = Variant("baseline")
X86_VARIANTS = (
    Variant("avx512", ("avx512f", "avx512dq", "avx512vl", "avx512bw", "avx2", "fma"), 64),
    Variant("avx2", ("avx2", "fma"), 32),
)
"""Best first.  They exist on x86-64 with GCC or Clang; elsewhere the baseline is alone."""

VARIANTS = (*X86_VARIANTS, BASELINE)

TARGET_VARIABLE = "KANEGEN_TARGET"
"""Environment variable that forces an instruction set: baseline, avx2 or avx512."""

_FOLDER = Path(__file__).parent / "csrc"


def _template(name: str) -> Template:
    return Template((_FOLDER / f"extension_{name}.c.template").read_text(encoding="ascii"))


_DECLARATIONS = """
const char *kanegen_manifest_digest(void);
const char *kanegen_extension_digest(void);
const char *kanegen_target(void);
int kanegen_select_target(const char *name);
"""


@functools.cache
def extension_digest() -> str:
    """SHA-256 of this file and of the skeletons: what is around the generated C in an extension."""
    found = hashlib.sha256(Path(__file__).read_bytes())
    for template in sorted(_FOLDER.glob("*.template")):
        found.update(template.read_bytes())
    return found.hexdigest()


PRECISION_ENDINGS = {"double": "", "single": "_f32"}
"""What ends the names of functions and types of each precision."""


@dataclass(frozen=True, slots=True)
class _Function:
    """A C function of the mechanism: its name, and its parameters as the manifest has them."""

    name: str
    signature: str

    @property
    def arguments(self) -> str:
        """The names of its parameters."""
        return ", ".join(self.names)

    @property
    def names(self) -> list[str]:
        return re.findall(r"(\w+)(?:\[\d+\])?(?:,|$)", self.signature)


def _functions(manifest: Mapping[str, Any]) -> list[_Function]:
    """Every function of the mechanism."""
    return [_Function(name, signature) for name, signature in manifest["functions"].items()]


def _shared(manifest: Mapping[str, Any]) -> str:
    return _template("shared").substitute(api=f"{manifest['model']['prefix'].upper()}_API")


def _members(manifest: Mapping[str, Any]) -> str:
    return "".join(f"    void (*{f.name})({f.signature});\n" for f in _functions(manifest))


def variant_source(manifest: Mapping[str, Any], variant: Variant) -> str:
    """The translation unit of one instruction set."""
    body = _template("variant").substitute(
        prefix=manifest["model"]["prefix"],
        variant=variant.name,
        members=_members(manifest),
        functions="".join(f"    {f.name},\n" for f in _functions(manifest)),
    )
    if variant.features:
        body = _template("x86_variant").substitute(
            features=",".join(variant.features),
            vector_bytes=variant.vector_bytes,
            variant=variant.name,
            body=body,
        )
    return _shared(manifest) + body


def main_source(manifest: Mapping[str, Any], digest: str, variants: Sequence[Variant] = VARIANTS) -> str:
    """The part of the main translation unit that stands before the code of cffi.

    ``variants`` are the instruction sets it chooses from, best first; outside x86-64 the baseline is among them.
    """
    jumps = [
        f"static void {f.name}({f.signature})\n{{\n    kanegen_active.{f.name}({f.arguments});\n}}\n"
        for f in _functions(manifest)
    ]
    for name, kernel in manifest["kernels"].items():
        scalar = _Function(kernel["function"], manifest["functions"][kernel["function"]])
        arguments = ", ".join(f"arguments[{i}]" for i in range(len(scalar.names)))
        jumps.append(
            f"static void {bound_function(name)}(void **arguments)\n"
            f"{{\n    kanegen_active.{scalar.name}({arguments});\n}}\n"
        )
        jumps.append(_apart_source(manifest, name))
        for field, function in _columns(kernel, name):
            jumps.append(_columns_source(manifest, name, field, function))
        if kernel.get("batch_varied"):
            jumps.append(_varied_source(manifest, name))
    names = [variant.name for variant in variants]
    detection = []
    for index, variant in enumerate(variants):
        tests = (
            "\n        && ".join(f'__builtin_cpu_supports("{feature}")' for feature in variant.features)
            or "1"
        )
        detection.append(f"    kanegen_targets[{index}].supported = {tests};")
    main = _template("main").substitute(
        prefix=manifest["model"]["prefix"],
        members=_members(manifest),
        externals="\n".join(
            f"extern KANEGEN_HIDDEN const struct kanegen_table kanegen_table_{name};" for name in names
        ),
        targets="".join(f'    {{"{name}", &kanegen_table_{name}, 0}},\n' for name in names),
        detection="\n".join(detection),
        digest=digest,
        extension_digest=extension_digest(),
        jumps="\n".join(jumps),
    )
    return _shared(manifest) + main


def apart_function(kernel: str) -> str:
    """Name of the function for rows that gives 0 where an output overlaps an input other than as the same array."""
    return f"kanegen_apart_{kernel}"


def _apart_declaration(manifest: Mapping[str, Any], kernel: str) -> str:
    batch = manifest["kernels"][kernel]["batch"]
    return f"int {apart_function(kernel)}({manifest['functions'][batch]})"


def _apart_source(manifest: Mapping[str, Any], kernel: str) -> str:
    """The definition of that function."""
    record = manifest["kernels"][kernel]
    batch = _Function(record["batch"], manifest["functions"][record["batch"]])
    names, inputs = batch.names, record["inputs"]
    arrays = names[len(names) - len(inputs) - len(record["outputs"]) :]
    sizes = [math.prod(argument["shape"]) for argument in (*inputs, *record["outputs"])]
    rows = list(zip(arrays, sizes, strict=True))
    count = names[names.index(arrays[0]) - 1]
    tests = "".join(
        f"    if (kanegen_overlap({x}, {n} * sizeof *{x}, {y}, {m} * sizeof *{y}, {count})) return 0;\n"
        for y, m in rows[len(inputs) :]
        for x, n in rows[: len(inputs)]
    )
    call = f"    kanegen_active.{batch.name}({batch.arguments});\n    return 1;\n"
    return f"static {_apart_declaration(manifest, kernel)}\n{{\n{tests}{call}}}\n"


def varied_function(kernel: str) -> str:
    """Name of the function for rows of states with live parameters of their own, prepared block by block."""
    return f"kanegen_varied_{kernel}"


def _varied_declaration(manifest: Mapping[str, Any], kernel: str) -> str:
    prefix, record = manifest["model"]["prefix"], manifest["kernels"][kernel]
    _, _, rows = manifest["functions"][record["batch"]].partition(", ")
    return (
        f"void {varied_function(kernel)}(const {prefix}_parameters *parameters, size_t varied, const size_t *places, "
        f"const double *values, size_t stride, void *room, size_t block, {rows})"
    )


def _varied_source(manifest: Mapping[str, Any], kernel: str) -> str:
    """The definition of that function; values[k stride + i] belongs to row i, and a block of prepared values has room."""
    prefix, record = manifest["model"]["prefix"], manifest["kernels"][kernel]
    names = _Function(record["batch"], manifest["functions"][record["batch"]]).names
    arrays = names[len(names) - len(record["inputs"]) - len(record["outputs"]) :]
    sizes = [math.prod(argument["shape"]) for argument in (*record["inputs"], *record["outputs"])]
    rows = ", ".join(f"{name} + {size} * row" for name, size in zip(arrays, sizes, strict=True))
    prepare = f"{prefix}_prepare_batch{PRECISION_ENDINGS[record['precision']]}"
    return f"""static {_varied_declaration(manifest, kernel)}
{{
    for (size_t row = 0; row < count; row += block) {{
        const size_t some = count - row < block ? count - row : block;
        kanegen_active.{prepare}(parameters, varied, places, values + row, some, stride, room);
        kanegen_active.{record["batch_varied"]}(room, some, 0, {rows});
    }}
}}
"""


def columns_function(kernel: str, varied: bool) -> str:
    """Name of the function that takes such pointers, to columns of many states; ``varied``: with prepared values of each."""
    return f"kanegen_{'varied_' * varied}columns_{kernel}"


def _columns(record: Mapping[str, Any], kernel: str) -> list[tuple[str, str]]:
    """Functions over columns by the field of the manifest that names what they call."""
    return [
        (field, columns_function(kernel, field == "batch_varied"))
        for field in ("batch_soa", "batch_varied")
        if record.get(field)
    ]


def _columns_source(manifest: Mapping[str, Any], kernel: str, field: str, function: str) -> str:
    called = _Function(name := manifest["kernels"][kernel][field], manifest["functions"][name])
    places = iter(range(len(called.names)))
    given = [name if name in ("count", "stride") else f"arrays[{next(places)}]" for name in called.names]
    return (
        f"static void {function}(void **arrays, size_t count, size_t stride)\n"
        f"{{\n    kanegen_active.{called.name}({', '.join(given)});\n}}\n"
    )


def bound_function(kernel: str) -> str:
    """Name of the function that takes all arguments of a kernel as one array of pointers: a cheap call for Python."""
    return f"kanegen_bound_{kernel}"


def manifest_and_digest(directory: Path) -> tuple[dict[str, Any], str]:
    """The manifest of generated files, and the SHA-256 by which the extension will know it."""
    content = (directory / "manifest.json").read_bytes()
    manifest: dict[str, Any] = json.loads(content)
    return manifest, hashlib.sha256(content).hexdigest()


def _write_if_changed(path: Path, text: str) -> None:
    """Write a file, leaving one that has this text already alone, so that nothing is compiled again for it."""
    if not path.exists() or path.read_text(encoding="ascii") != text:
        path.write_text(text, encoding="ascii")


def extension_builder(
    module_name: str,
    directory: Path,
    work: Path,
    *,
    optional: bool,
    variants: Sequence[Variant] = VARIANTS,
) -> FFI:
    """The cffi builder of the extension around the generated files in ``directory``.

    The translation units of the variants are written to ``work``.  Paths relative to the current
    directory stay relative, as setuptools demands.  A package installs without an ``optional`` extension that does not
    compile.
    """
    from cffi import FFI  # here, so that loading a compiled robot does not load a parser of C

    manifest, digest = manifest_and_digest(directory)
    prefix = manifest["model"]["prefix"]
    work.mkdir(parents=True, exist_ok=True)
    units = []
    for variant in variants:
        _write_if_changed(work / variant.file_name, variant_source(manifest, variant))
        units.append(str(work / variant.file_name))
    own = "".join(
        f"void {bound_function(name)}(void **arguments);\n{_apart_declaration(manifest, name)};\n"
        + "".join(
            f"void {f}(void **arrays, size_t count, size_t stride);\n" for _, f in _columns(kernel, name)
        )
        + (f"{_varied_declaration(manifest, name)};\n" if kernel.get("batch_varied") else "")
        for name, kernel in manifest["kernels"].items()
    )
    builder = FFI()
    builder.cdef((directory / f"{prefix}.cdef").read_text(encoding="ascii") + _DECLARATIONS + own)
    builder.set_source(
        module_name,
        main_source(manifest, digest, variants),
        sources=units,
        include_dirs=[str(directory)],
        depends=[str(directory / name) for name in (f"{prefix}.c", f"{prefix}.h", "manifest.json")],
        extra_compile_args=list(COMPILE_FLAGS),
        libraries=[] if sys.platform == "win32" else ["m"],
        optional=optional,
    )
    return builder
