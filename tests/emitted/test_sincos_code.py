"""The C text of the sine and cosine: no warnings, packed, inside its arrays, with reproducible numbers."""

from __future__ import annotations

import platform
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kanegen.codegen.emit.sincos import sincos_source

from .compilation import STRICT, run
from .derive_sincos_coefficients import DOUBLE, SINGLE, Format, derive
from .sincos_build import C_TYPES, any_compiler, rows_source
from .sincos_points import TYPES, Precision

X86 = platform.machine().lower() in ("x86_64", "amd64")

GUARDED = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
{routines}
static char *page_before_guard(size_t page)
{{
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_NONE) != 0) exit(2);
    return memory + page;
}}
int main(void)
{{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *x = page_before_guard(page), *s = page_before_guard(page), *c = page_before_guard(page);
{calls}
    puts("done");
    return 0;
}}
"""


@pytest.mark.skipif(platform.system() != "Linux", reason="guard pages are set up as on Linux")
@pytest.mark.parametrize(
    "flags", [("-O0",), ("-O3", "-march=native"), ("-O3", "-DKANEGEN_VECTOR_BYTES=64")], ids=" ".join
)
def test_stays_inside_its_arrays(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """Arrays that end where readable memory ends; many routines in one file, each under its own prefix."""
    routines, calls = [], []
    for count in range(1, 10):
        for precision in ("double", "single"):
            prefix, real = f"{precision}{count}", C_TYPES[precision]
            routines.append(rows_source(prefix, count, precision))
            arrays = ", ".join(
                f"({cast} *)(void *){name} - {count}"
                for cast, name in ((f"const {real}", "x"), (real, "s"), (real, "c"))
            )
            calls.append(f"    {prefix}_rows(1, {arrays});")
    source, program = tmp_path / "guarded.c", tmp_path / "guarded"
    source.write_text(GUARDED.format(routines="\n".join(routines), calls="\n".join(calls)))
    run([any_compiler(), *STRICT, "-std=gnu99", *flags, source, "-o", program, "-lm"])
    assert run([program]) == "done\n"


@pytest.mark.parametrize(
    "name", ["gcc -std=c99", "clang -std=c99", "g++ -std=c++11", "g++ -std=c++17", "clang++ -std=c++17"]
)
def test_no_warnings(tmp_path: Path, name: str) -> None:
    """Two counts, both precisions and the plain loop in one file, as C and as C++, at several widths."""
    driver, standard = name.split()
    found = shutil.which(driver)
    if found is None:
        pytest.skip(f"{driver} is not installed")
    source = tmp_path / ("all.cpp" if "++" in driver else "all.c")
    parts = (
        rows_source("one", 5, "double"),
        rows_source("two", 3, "single"),
        rows_source("three", 6, "double", "libm"),
        rows_source("four", 4, "single", "libm"),
    )
    source.write_text("\n".join(parts))
    warnings = [flag for flag in STRICT if not flag.startswith("-std")]
    for flags in (
        ("-O0",),
        ("-O3",),
        ("-O2", "-DKANEGEN_VECTOR_BYTES=64"),
        ("-O2", "-DKANEGEN_VECTOR_BYTES=8"),
    ):
        run([found, *warnings, standard, *flags, "-c", source, "-o", tmp_path / "all.o"])


@pytest.mark.parametrize("count", [100, 300, 1000])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_no_line_is_longer_than_compilers_must_take(count: int, precision: Precision) -> None:
    """Continued lines together, C99, 5.2.4.1, with the longest prefix."""
    text = sincos_source("a" * 63, count, precision, "vector").replace("\\\n", "")
    assert max(map(len, text.splitlines())) <= 4095


@pytest.mark.skipif(not X86, reason="names of x86 instructions")
@pytest.mark.parametrize("flags", [(), ("-ffp-contract=fast",)], ids=["plain", "fused"])
@pytest.mark.parametrize(("precision", "count"), [("double", 2), ("double", 6), ("single", 6), ("double", 8)])
def test_code_is_packed(tmp_path: Path, flags: tuple[str, ...], precision: Precision, count: int) -> None:
    """GCC keeps the lanes in vectors, also under a target pragma; no arithmetic on single numbers is left, nor in the other
    precision."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed")
    source = tmp_path / "packed.c"
    own, other = ("d", "s") if precision == "double" else ("s", "d")
    for pragma in ("", '#pragma GCC target("avx2,fma")\n'):
        source.write_text(pragma + rows_source("arm", count, precision))
        code = run([gcc, *STRICT, "-O3", *flags, "-S", source, "-o", "-"])
        assert re.search(rf"\bv?mulp{own}\b", code)
        assert not re.search(rf"\bv?(?:add|sub|mul|f\w*(?:add|sub)\d+)(?:s{own}|[sp]{other})\b|\bv?cvt", code)
        assert bool(pragma and count > 2) == ("%ymm" in code)
        assert bool(pragma and flags) == ("vfmadd" in code)


def test_one_test_on_data() -> None:
    """Apart from loops of fixed length the routine has one branch."""
    text = sincos_source("arm", 6, "double", "vector")
    text = re.sub(r"(?m:^#.*$)|(?s:/\*.*?\*/)", "", text)
    assert re.findall(r"\bif\b|\?|&&|\|\||\bwhile\b|\bswitch\b", text) == ["if"]


@pytest.mark.parametrize(("precision", "form"), [("double", DOUBLE), ("single", SINGLE)])
def test_coefficients_can_be_derived(precision: Precision, form: Format) -> None:
    """The numbers in the C text are those of the derivation, in the same order."""
    numbers = derive(form)
    text = sincos_source("arm", 6, precision, "vector")
    body = text[text.index("const lanes sum") : text.index("The quarter turns")]
    constants = [form.rounded(float(number)) for number in re.findall(r"-?\b\d+\.\d+(?:e[+-]\d+)?", body)]
    two_over_pi, shift, shift_again = constants[:3]
    assert two_over_pi == numbers.two_over_pi
    assert shift == shift_again == 1.5 / np.spacing(TYPES[precision](1.0))
    polynomials = [abs(c) for c in (*numbers.sine.coefficients, *numbers.cosine.coefficients)]
    assert [c for c in constants[3:] if c not in (0.0, 0.5, 1.0)] == [*numbers.pi_parts, *polynomials]
    assert numbers.sine.error < (2.0**-57 if precision == "double" else 2.0**-27.8)
    assert numbers.cosine.error < (2.0**-63 if precision == "double" else 2.0**-32.9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("1arm", 6, "double", "vector"), "prefix '1arm'"),
        (("arm", 0, "double", "vector"), "at least one angle, got 0"),
        (("arm", 6, "half", "vector"), "precision 'half'"),
        (("arm", 6, "double", "svml"), "library 'svml'"),
    ],
)
def test_wrong_requests(arguments: tuple[Any, ...], message: str) -> None:
    """What is wrong is named."""
    with pytest.raises(ValueError, match=re.escape(message)):
        sincos_source(*arguments)
