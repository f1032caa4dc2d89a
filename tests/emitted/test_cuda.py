"""CUDA: NVRTC has nothing to say of it, and on the host it gives what the interpreter gives, in every layout."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kanegen
from benchmarks.nvrtc import NoNvrtcError, compile_source
from kanegen.codegen import cli
from kanegen.codegen.derivation.placed_tree.deriver import Deriver
from kanegen.codegen.emit import Model, SineCosineLibrary
from kanegen.codegen.emit.languages.cuda import CUDA, columns
from kanegen.codegen.emit.listing import list_kernel
from kanegen.codegen.emit.specification import specify
from kanegen.codegen.graph import Graph, Program, inputs
from tests.derivation.tree_kernels import DYNAMICS

from .compilation import Library, run
from .cuda_host import build_cuda, header
from .live import live_model
from .programs import double_pendulum, every_operation, model, program
from .sincos_points import LIMITS, TYPES, Precision, Reals
from .test_functions import every_function
from .test_live_parameters import prepared
from .test_parts import chain, in_parts
from .test_sincos import check_accuracy
from .test_values import check, random_inputs

ENDINGS = {"double": "", "single": "_f32"}


def sine_and_cosine() -> Program:
    """Of one angle."""
    graph = Graph()
    (q,) = inputs(graph, "q", 1)
    return program("turn", graph, {"q": 1}, {"y": (q.sine(), q.cosine())})


def hostile() -> Program:
    """Arguments that are called like words of CUDA and of the generated text."""
    graph = Graph()
    names = ("threadIdx", "blockDim", "stride", "row", "count", "sin")
    values = [inputs(graph, name, 2)[1] for name in names]
    total = values[0].sine()
    for value in values[1:]:
        total = total * value + value.cosine()
    labels = {abs(total.ref): "gridDim"}
    return program("inverse_dynamics_soa", graph, dict.fromkeys(names, 2), {"y": (total, 2 * total)}, labels)


def made() -> Model:
    """Every operation and function, in both precisions."""
    kernels = (double_pendulum(), every_operation(), every_function(), sine_and_cosine(), hostile())
    return model(*kernels, single_precision=True)


MODELS: dict[str, Callable[[], Model]] = {
    "whole": made,
    "in parts": lambda: in_parts(made(), 3),
    "device library": lambda: replace(made(), sincos=SineCosineLibrary.LIBM),
    "live": lambda: in_parts(live_model(), 1),
}


@pytest.mark.parametrize("which", MODELS)
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_nvrtc_has_nothing_to_say(which: str, architecture: str) -> None:
    """Nothing is included, nothing is warned of, and every kernel is found by its name."""
    text = header(MODELS[which]())
    assert "#include" not in re.sub(r"(?s:/\*.*?\*/)", "", text)
    try:
        compiled = compile_source(text, architecture)
    except NoNvrtcError as error:
        pytest.skip(str(error))
    assert compiled.log == ""
    names = re.findall(r'extern "C" __global__ void (\w+)', text)
    assert names
    assert all(name.encode() in compiled.code for name in names)


def test_the_example_compiles(tmp_path: Path) -> None:
    """The program in the header's comment, with live parameters, by NVIDIA's own driver."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not installed")
    text = header(live_model())
    (tmp_path / "arm.cuh").write_text(text, encoding="ascii")
    example = text.partition(" * Example\n *\n")[2].partition(" */")[0]
    lines = [line.removeprefix(" *").strip() for line in example.splitlines()]
    (tmp_path / "example.cu").write_text("\n".join(lines), encoding="ascii")
    run([nvcc, "-arch=sm_90", "-c", tmp_path / "example.cu", "-o", tmp_path / "example.o"])


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Whole kernels on the host."""
    return build_cuda(made(), tmp_path_factory.mktemp("host"))


@pytest.mark.parametrize("ending", ["", "_f32"])
def test_functions_against_the_interpreter(host: Library, ending: str) -> None:
    """Within the rounding errors that it carries along."""
    for kernel in (double_pendulum(), every_operation(), hostile()):
        for seed in range(20):
            arguments = {"sin": "sin", **{a.name: a.name for a in kernel.inputs}}
            state = random_inputs(kernel, seed)
            check(host, kernel, {arguments[name]: value for name, value in state.items()}, ending)


@pytest.mark.parametrize("ending", ["", "_f32"])
@pytest.mark.parametrize("every", [None, 1, 3])
def test_layouts_give_the_bits_of_the_function(
    host: Library, tmp_path: Path, every: int | None, ending: str
) -> None:
    """Rows, and structures of arrays a stride apart, where nothing is written beside them; in parts as in one piece."""
    library = host if every is None else build_cuda(in_parts(made(), every), tmp_path)
    rows, stride = 8, 11
    spec = specify(library.model)
    names = {k.name: columns(spec, k) for k in spec.kernels}
    assert names["inverse_dynamics"] == "arm_inverse_dynamics_soa_2"  # since a kernel is called like that
    for kernel in (double_pendulum(), every_operation(), hostile()):
        (output,) = kernel.outputs
        states = [random_inputs(kernel, seed) for seed in range(rows)]
        name = f"arm_{kernel.name}"
        expected = np.array([host(f"{name}{ending}", s, {"y": output.size})["y"] for s in states])
        stacked = {a: np.array([state[a] for state in states]) for a in states[0]}
        found = library(f"{name}_batch{ending}", stacked, {"y": output.size}, rows=rows)["y"]
        assert found.tobytes() == expected.tobytes()
        arrays = {a: np.full((x.shape[1], stride), np.nan) for a, x in stacked.items()}
        for a, x in stacked.items():
            arrays[a][:, :rows] = x.T
        soa = names[kernel.name + ending]
        found = library(soa, arrays, {"y": output.size * stride}, rows, stride)["y"]
        found = found.reshape(output.size, stride)
        assert found[:, :rows].T.tobytes() == expected.tobytes()
        assert np.isnan(found[:, rows:]).all()


def turned(library: Library, ending: str) -> Callable[[Reals], tuple[Reals, Reals]]:
    """Sines and cosines of many angles, by a kernel over structures of arrays."""

    def routine(x: Reals) -> tuple[Reals, Reals]:
        found = library(f"arm_turn_soa{ending}", {"q": x}, {"y": 2 * len(x)}, len(x), len(x))["y"]
        return found[: len(x)], found[len(x) :]

    return routine


@pytest.mark.parametrize("flags", [(), ("-march=native", "-ffp-contract=fast")], ids=["plain", "fused"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_sines_are_as_good_as_those_of_the_c(
    tmp_path: Path, precision: Precision, flags: tuple[str, ...]
) -> None:
    """GPUs fuse multiplications and additions."""
    library = build_cuda(model(sine_and_cosine(), single_precision=True), tmp_path, *flags)
    check_accuracy(turned(library, ENDINGS[precision]), precision)


@pytest.mark.parametrize("precision", ["double", "single"])
def test_sines_beyond_the_range_are_those_of_the_library(
    host: Library, tmp_path: Path, precision: Precision
) -> None:
    """In double precision, rounded once."""
    kind = TYPES[precision]
    x = np.array(
        [
            np.nextafter(kind(LIMITS[precision]), kind(np.inf)),
            -1e6,
            1e22,
            np.finfo(kind).max,
            np.nan,
            np.inf,
            -np.inf,
        ],
        dtype=kind,
    )
    of_library = build_cuda(
        model(sine_and_cosine(), single_precision=True, sincos=SineCosineLibrary.LIBM), tmp_path
    )
    for found, expected in zip(
        turned(host, ENDINGS[precision])(x), turned(of_library, "")(x.astype(float)), strict=True
    ):
        assert np.array_equal(found, expected.astype(kind), equal_nan=True)
        assert np.array_equal(np.isnan(found), ~np.isfinite(x))


@pytest.mark.parametrize(("ending", "digits"), [("", 1e-14), ("_f32", 1e-5)])
@pytest.mark.parametrize("every", [None, 1])
def test_live_parameters(tmp_path: Path, ending: str, digits: float, every: int | None) -> None:
    """As in C: fifteen unit roundoffs of the sum of the magnitudes of both terms."""
    library = build_cuda(live_model() if every is None else in_parts(live_model(), every), tmp_path)
    m, l, g, tilt, q, a = 0.5, 2.0, 1.62, -1.0, 0.5, -2.0
    values = prepared(library, ending, m=m, l=l, double=g, tilt=tilt)
    expected = m * l * l * a + m * g * l * np.sin(q + tilt)
    for name, first in ((f"arm_inverse_dynamics{ending}", ()), (f"arm_inverse_dynamics_soa{ending}", (1, 1))):
        found = library(name, {"q": [q], "a": [a]}, {"tau": 1}, values, *first)["tau"][0]
        assert abs(found - expected) <= digits * (m * l * l * abs(a) + m * g * l)


def test_a_long_mass_matrix(tmp_path: Path) -> None:
    """From a mechanism to CUDA in several parts, within the rounding errors carried."""
    kernel, _ = Deriver(chain(9), DYNAMICS["mass_matrix"], gauge=False)({})
    generated = model(kernel)
    assert generated.kernels[0].cuts
    library = build_cuda(generated, tmp_path)
    for seed in range(3):
        check(library, kernel, random_inputs(kernel, seed))


def test_everything_is_read_before_anything_is_written() -> None:
    """Compilers of GPUs do not move a load over a store that may be to the same place."""
    spec = specify(made())
    for kernel in spec.kernels:
        (part,) = list_kernel(spec, kernel, frozenset(), CUDA.loads_first).parts
        read = {load.source for load in part.loads}
        graph, roots = kernel.schedule.program.graph, kernel.schedule.program.roots
        assert len(read) == sum(graph.kinds[i].name == "INPUT" for i in graph.reachable(roots))


@pytest.mark.parametrize("words", [["-o", "OUT"], ["--float32", "-o", "OUT"]])
def test_the_command_and_python_write_the_same_header(tmp_path: Path, words: Sequence[str]) -> None:
    kernels = ["gravity_forces", "mass_matrix"]
    given = [str(tmp_path / "a") if word == "OUT" else word for word in words]
    asked = ["generate", "stanford_arm", "--language", "cuda", "--search", "1", "--kernels", *kernels, *given]
    assert cli.main(asked) == 0
    folder = kanegen.generate(
        "stanford_arm",
        tmp_path / "b",
        language="cuda",
        search=1,
        kernels=kernels,
        float32="--float32" in words,
    )
    names = {path.name for path in folder.iterdir()}
    assert names == {"stanford_arm.cuh", "certificate.json"}
    assert all((tmp_path / "a" / name).read_bytes() == (folder / name).read_bytes() for name in names)


def test_what_is_not_c_is_not_loaded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(kanegen.errors.NotCompiledError, match="cuda"):
        kanegen.load("stanford_arm", language="cuda")
    assert cli.main(["generate", "stanford_arm", "--language", "cuda", "--verify", "-o", str(tmp_path)]) == 1
    assert "verify" in capsys.readouterr().err
    with pytest.raises(kanegen.errors.NotCompiledError, match="verify"):
        kanegen.generate("stanford_arm", tmp_path, language="cuda", verify=True)
    assert not list(tmp_path.iterdir())
