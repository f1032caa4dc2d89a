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

_VARIED = """
/* Live parameters that differ from state to state: values[k][i] is that of state i for the number places[k] of the
 * parameters, which are the others'. A block of states is prepared at a time, in so many bytes. */
struct kanegen_varied {
    const void *parameters;
    size_t varied;
    const size_t *places;
    double **values;
    size_t block, bytes;
    int failed; /* for want of memory */
};
"""

_ROOM = """
/* Room for what is prepared of a block, aligned as vectors are, and its values behind that; NULL, and it has failed, where
 * there is no memory. */
static inline void *kanegen_room(struct kanegen_varied *own, void **memory)
{
    *memory = malloc(own->bytes + own->varied * own->block * sizeof(double) + 64);
    if (*memory == NULL) own->failed = 1;
    return *memory == NULL ? NULL : (char *)*memory + (64 - (uintptr_t)*memory % 64);
}
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
        jumps.append(_some_source(manifest, name))
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
        varied=_VARIED + _ROOM,
        jumps="\n".join(jumps),
    )
    return _shared(manifest) + main


def _rows_of(record: Mapping[str, Any], before: int, row: str) -> str:
    """Pointers to that row of all arrays of a kernel, which stand in an array of pointers after so many others."""
    number = {"double": "double", "single": "float"}[record["precision"]]
    sizes = [math.prod(argument["shape"]) for argument in (*record["inputs"], *record["outputs"])]
    return ", ".join(f"({number} *)arrays[{i}] + {size} * {row}" for i, size in enumerate(sizes, before))


def _some_source(manifest: Mapping[str, Any], kernel: str) -> str:
    """The definition of the function for some rows of a kernel's arrays."""
    record = manifest["kernels"][kernel]
    before = int(bool(manifest["parameters"]))
    leading = "arrays[0], " * before
    return f"""static void {some_function(kernel)}(void *context, size_t first, size_t last)
{{
    void **arrays = context;
    kanegen_active.{record["batch"]}({leading}last - first, {_rows_of(record, before, "first")});
}}
"""


def _varied_source(manifest: Mapping[str, Any], kernel: str) -> str:
    """The definition of the function for some rows that have live parameters of their own, prepared block by block."""
    prefix, record = manifest["model"]["prefix"], manifest["kernels"][kernel]
    prepare = f"{prefix}_prepare_batch{PRECISION_ENDINGS[record['precision']]}"
    return f"""static void {varied_function(kernel)}(void *context, size_t first, size_t last)
{{
    void **arrays = context;
    struct kanegen_varied *own = arrays[0];
    void *memory, *room = kanegen_room(own, &memory);
    double *const values = (double *)((char *)room + own->bytes);
    for (size_t row = first; room && row < last; row += own->block) {{
        const size_t some = last - row < own->block ? last - row : own->block;
        for (size_t k = 0; k < own->varied; k++)
            memcpy(values + k * own->block, own->values[k] + row, some * sizeof *values);
        kanegen_active.{prepare}(own->parameters, own->varied, own->places, values, some, own->block, room);
        kanegen_active.{record["batch_varied"]}(room, some, 0, {_rows_of(record, 1, "row")});
    }}
    free(memory);
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


def some_function(kernel: str) -> str:
    """Name of the function that takes such pointers, to rows of many states, and does the states first <= i < last."""
    return f"kanegen_some_{kernel}"


def varied_function(kernel: str) -> str:
    """Name of the same for states with live parameters of their own; the first pointer is to a ``struct kanegen_varied``."""
    return f"kanegen_varied_{kernel}"


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
        f"void {bound_function(name)}(void **arguments);\n"
        + "".join(
            f"void {f}(void **arrays, size_t count, size_t stride);\n" for _, f in _columns(kernel, name)
        )
        + "".join(
            f"void {function(name)}(void *context, size_t first, size_t last);\n"
            for function in (some_function, *([varied_function] if kernel.get("batch_varied") else []))
        )
        for name, kernel in manifest["kernels"].items()
    )
    builder = FFI()
    builder.cdef((directory / f"{prefix}.cdef").read_text(encoding="ascii") + _DECLARATIONS + _VARIED + own)
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
