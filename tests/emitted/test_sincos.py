"""The emitted sine and cosine: accurate at every angle and under all flags, and safe beyond the limit."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import numpy as np
import pytest

from kanegen.codegen.emit.sincos import sincos_source

from .compilation import run
from .sincos_build import Routine, any_compiler, build, build_counts
from .sincos_points import LIMITS, TYPES, Judged, Precision, chosen_angles, nearest_to_zeros

X86 = platform.machine().lower() in ("x86_64", "amd64")

ACCURACY = 1.0
"""Largest error allowed, in ulp.

In double precision, with ulp of the result (2^-53 from 0.5 to 1), at |r| = pi/4 where it is worst:
sine: 1/2 for the last rounding, 1/16 for the sum that is subtracted from r (under 1/8), 0.31 for r^3 p(r^2)
(0.081, with roundings of r^2, r^3, p and their product, 3.9 halves of an ulp), 0.03 for the polynomial: 0.91;
cosine: 1/2 for the last rounding, 1/4 for half of r^2, 0.06 for r^4 q(r^2) (0.016), 0.04 for e r in place of
e sin r, 0.01 for the sum of the small terms: 0.86.
In single precision, with 2^-24 in place of 2^-53, k times the third part of pi/2 is up to 1.3 ulp, and e with it: e times
the difference of cos r and 1 - z/2 adds 0.03 to the sine, e times that of r and sin r 0.14 to the cosine, in place of
0.04.  The polynomial of the sine leaves 0.05.  So 0.96 for both.  Of all numbers up to the limit the worst has 0.856 with
fused multiply-add and 0.855 without (x86-64, GCC, against double precision).
"""


@pytest.fixture(scope="module")
def compiler() -> str:
    """A C compiler."""
    return any_compiler()


BUILDS = [
    *((f"-O{level}",) for level in range(4)),
    *((f"-O{level}", "-march=native", "-ffp-contract=fast") for level in range(4)),
    *((f"-O{level}", "-march=native", "-ffp-contract=off") for level in (0, 3)),
    *(("-O3", "-march=native", "-ffp-contract=fast", f"-DKANEGEN_VECTOR_BYTES={n}") for n in (8, 16, 32)),
]


def check_accuracy(routine: Routine, precision: Precision) -> None:
    """Errors at all angles of ``sincos_points`` stay below the bound, and signs of zero are kept."""
    angles = chosen_angles(precision)
    sine, cosine = routine(angles.x)
    assert angles.sine.errors(sine).max() < ACCURACY
    assert angles.cosine.errors(cosine).max() < ACCURACY
    assert np.array_equal(np.signbit(sine[angles.x == 0.0]), np.signbit(angles.x[angles.x == 0.0]))
    x, expected = nearest_to_zeros(precision)
    sine, cosine = routine(x)
    assert expected.errors(np.where(np.arange(1, len(x) + 1) % 2 == 0, sine, cosine)).max() < ACCURACY


@pytest.mark.parametrize("flags", BUILDS, ids=" ".join)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_accuracy(compiler: str, tmp_path: Path, flags: tuple[str, ...], precision: Precision) -> None:
    """The same bound at every optimisation level and vector width, with and without fused multiply-add."""
    check_accuracy(build(compiler, tmp_path, flags, 6, precision), precision)


@pytest.mark.parametrize("flags", [("-O2",), ("-O3", "-march=native")], ids=" ".join)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_accuracy_with_clang(tmp_path: Path, flags: tuple[str, ...], precision: Precision) -> None:
    """The other compiler with the same vector extension."""
    clang = shutil.which("clang")
    if clang is None:
        pytest.skip("clang is not installed")
    check_accuracy(build(clang, tmp_path, flags, 6, precision), precision)


@pytest.mark.parametrize("contraction", ["fast", "off"])
def test_accuracy_at_many_numbers_in_single_precision(
    compiler: str, tmp_path: Path, contraction: str
) -> None:
    """Two million numbers up to the limit, as dense near zero as they are, against double precision."""
    limit = np.float32(LIMITS["single"]).view(np.uint32)
    x = np.arange(0, limit + 1, 1021, dtype=np.uint32).view(np.float32)
    routine = build(
        compiler, tmp_path, ("-O3", "-march=native", f"-ffp-contract={contraction}"), 16, "single"
    )
    for angles in (x, -x):
        for found, right in zip(
            routine(angles), (np.sin(angles, dtype=float), np.cos(angles, dtype=float)), strict=True
        ):
            nearest = right.astype(np.float32)
            errors = Judged(nearest, right - nearest).errors(found)
            assert errors.max() < ACCURACY


UNSAFE = [("-O3", "-ffast-math"), *([("-O2", "-mfpmath=387")] if X86 else [])]


@pytest.mark.parametrize("flags", UNSAFE, ids=" ".join)
def test_arithmetic_that_would_break_the_reduction(
    compiler: str, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """Where sums may be rearranged or kept in wide registers, the C library computes, good to 1 ulp."""
    source = tmp_path / "probe.c"
    source.write_text(f"{sincos_source('arm', 2, 'double', 'vector')}\n")
    assert "arm_sincos_vector" not in run([compiler, *flags, "-E", "-P", source])
    routine = build(compiler, tmp_path, flags, 2, "double")
    sine, cosine = routine(chosen_angles("double").x)
    assert chosen_angles("double").sine.errors(sine).max() < ACCURACY
    assert chosen_angles("double").cosine.errors(cosine).max() < ACCURACY


@pytest.mark.parametrize("precision", ["double", "single"])
def test_every_count_and_width_gives_the_same_bits(
    compiler: str, tmp_path: Path, precision: Precision
) -> None:
    """Without fused multiply-add each lane does the same operations, whatever lies beside it."""
    x = chosen_angles(precision).x
    flags = ("-O1", "-ffp-contract=off")
    expected = build(compiler, tmp_path, (*flags, "-DKANEGEN_VECTOR_BYTES=8"), 1, precision)(x)
    for width in (8, 16, 32, 64):
        folder = tmp_path / str(width)
        folder.mkdir()
        at_width = (*flags, f"-DKANEGEN_VECTOR_BYTES={width}")
        routines = build_counts(compiler, folder, at_width, [1, 2, 3, 5, 8, 9, 17, 193], precision)
        for count, routine in routines.items():
            for found, right in zip(routine(x), expected, strict=True):
                assert found.tobytes() == right.tobytes(), (width, count)


@pytest.mark.parametrize(
    "flags", [("-O0",), ("-O3", "-march=native"), ("-O2", "-DKANEGEN_VECTOR_BYTES=8")], ids=" ".join
)
@pytest.mark.parametrize("count", [1, 3, 6, 11])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_large_and_not_finite(
    compiler: str, tmp_path: Path, flags: tuple[str, ...], count: int, precision: Precision
) -> None:
    """Infinities and NaN give NaN in their place only; larger angles give what the C library gives."""
    kind = TYPES[precision]
    routine = build(compiler, tmp_path, flags, count, precision)
    (tmp_path / "libm").mkdir()
    library = build(compiler, tmp_path / "libm", flags, count, precision, "libm")
    beyond = [
        float(np.nextafter(kind(LIMITS[precision]), kind(np.inf))),
        -1e6,
        1e22,
        float(np.finfo(kind).max),
    ]
    for special in (*beyond, np.nan, np.inf, -np.inf):
        for place in range(count):
            x = np.linspace(-2.0, 3.0, count).astype(kind)
            x[place] = special
            found, expected = routine(x), library(x)
            for values, right in zip(found, expected, strict=True):
                assert np.array_equal(values, right, equal_nan=True)
                assert np.isnan(values[place]) == (not np.isfinite(special))
                assert not np.isnan(np.delete(values, place)).any()
