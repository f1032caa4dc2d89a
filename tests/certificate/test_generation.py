"""Certificates where kernel sets are generated, compiled and loaded."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen import generator
from kanegen.builds.compiler import find_compiler
from kanegen.codegen import candidates, pipeline
from kanegen.codegen.certificate import comparison
from kanegen.codegen.graph import evaluate
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.pipeline import Options
from kanegen.errors import CertificateError
from tests.certificate.sets import tampered

KERNELS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_forces")
QUICK = Options(kernels=KERNELS, search=1)


def arm(tip: str = "0.2") -> Mechanism:
    """Two links and a tip; ``tip`` is the moment of inertia of the last one."""
    builder = MechanismBuilder("arm", gravity=(0, 0, -9.81))
    builder.body("one", mass=3, center=(0.3, 0.1, 0), inertia=(0.3, 0.2, 0.4))
    builder.body("two", mass=2, center=(0.2, 0, 0.1), inertia=(0.2, 0.3, 0.2))
    builder.body("tip", mass=0, inertia=(tip, tip, tip))
    builder.revolute("q1", BASE, "one", (0, 0, 1), (0, 0, 1))
    builder.revolute("q2", "one", "two", (0, 1, 0), (1, 0, 0))
    builder.revolute("q3", "two", "tip", (1, 0, 0), (1, 0, 0))
    return builder.build()


def test_the_certificate_stands_beside_the_c(tmp_path: Path):
    generated = pipeline.generate(arm(), tmp_path, QUICK)
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert (
        certificate["model"]["name"] == "arm" and certificate["states"] == 102
    )  # zero, which is home, and a quarter
    assert set(certificate["against the plain derivation"]) == set(KERNELS)
    named = {check["check"] for check in certificate["checks"]}
    assert {"FD(q, v, ID(q, v, a)) = a", "ID = M a + h", "M = M^T"} <= named
    assert all(0 <= check["residual"] <= check["bound"] for check in certificate["checks"])
    assert certificate["compared with the plain derivation only"] == []
    assert (tmp_path / "certificate.json") in generated.files


def test_only_what_is_the_same_everywhere_stands_in_manifest_and_header(tmp_path: Path):
    pipeline.generate(arm(), tmp_path, QUICK)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert "certificate.json" not in manifest["files"]
    stated = manifest["certificate"]
    assert stated["checks"]["ID = M a + h"] == ["inverse_dynamics", "mass_matrix", "bias_forces"]
    assert stated["check_bound"] == 1e-11
    header = (tmp_path / "arm.h").read_text()
    assert "Checked besides" in header and "ID = M a + h" in header
    residuals = [c["residual"] for c in json.loads((tmp_path / "certificate.json").read_text())["checks"]]
    for text in (header, json.dumps(stated)):
        assert not any(repr(x) in text for x in residuals if x)


def with_error_in(monkeypatch, kernel):
    """Whatever is derived from now on, this kernel has an error."""
    right = KernelSources.build

    def wrong(sources, name):
        build = right(sources, name)
        return build if name != kernel else lambda *given: tampered(build(*given))

    monkeypatch.setattr(KernelSources, "build", wrong)


def test_an_error_of_a_derivation_is_refused_and_nothing_is_written(tmp_path: Path, monkeypatch):
    """The plain derivation has the error as well, so that comparing with it says nothing."""
    with_error_in(monkeypatch, "bias_forces")
    with pytest.raises(CertificateError, match="arm: the generated kernels fail the check"):
        pipeline.generate(arm(), tmp_path / "out", QUICK)
    assert not (tmp_path / "out").exists()
    with pytest.raises(CertificateError):
        pipeline.interpret(arm(), QUICK)


def test_an_error_of_a_pass_is_refused(tmp_path: Path, monkeypatch):
    right = candidates.optimize

    def wrong(program):
        found, steps = right(program)
        return tampered(found), steps

    monkeypatch.setattr(candidates, "optimize", wrong)
    with pytest.raises(CertificateError, match="differs from the plain derivation"):
        pipeline.generate(arm(), tmp_path, QUICK)


def test_bounds_grow_with_the_condition_in_steps_of_ten():
    for condition, expected in ((1.0, 1e-11), (999.0, 1e-11), (1001.0, 1e-10), (2e6, 1e-7), (1e40, 1e-3)):
        assert comparison.bound_of_solutions(condition) == expected
    assert comparison.bound_of_solutions(None) == comparison.CERTIFIED_BOUND


def test_a_robot_near_singular_is_generated_and_its_errors_are_noticed(tmp_path: Path, monkeypatch):
    """A tip of 1e-9 kg m^2: accelerations lose nine digits of sixteen, forces none."""
    generated = pipeline.generate(arm("1e-9"), tmp_path, QUICK)
    assert generated.record.condition is not None and generated.record.condition > 1e8
    assert generated.kernels["forward_dynamics"].bound > 1e-6
    assert generated.kernels["inverse_dynamics"].bound == comparison.CERTIFIED_BOUND
    with_error_in(monkeypatch, "forward_dynamics")
    with pytest.raises(CertificateError, match="forward_dynamics"):
        pipeline.generate(arm("1e-9"), tmp_path, QUICK)


def test_compiled_kernels_must_be_their_programs(tmp_path: Path):
    generated = pipeline.generate(arm(), tmp_path, QUICK)
    error = 0.0

    def call(name, inputs):
        program = generated.kernels[name].program
        names = [argument.name for argument in program.inputs]
        return [x * (1 + error) for x in evaluate(program, dict(zip(names, inputs, strict=True))).values()]

    assert set(generated.compiled_residuals(call).values()) == {0.0}
    error = 1e-9
    with pytest.raises(CertificateError, match="the compiled kernel differs from its program"):
        generated.compiled_residuals(call)


def test_what_fails_when_compiled_is_not_kept(tmp_path: Path, monkeypatch):
    if find_compiler() is None:
        pytest.skip("needs a C compiler")
    monkeypatch.setenv("KANEGEN_CACHE_DIR", str(tmp_path))
    right, seen = generator.generate, []

    def failing(model, options, directory, *how):
        verify = right(model, options, directory, *how)

        def wrong(call):
            verify(call)
            seen.append(call("gravity_forces", [np.zeros((4, 3))])[0].shape)
            raise CertificateError("the compiler is at fault")

        return wrong

    monkeypatch.setattr(generator, "generate", failing)
    with pytest.raises(CertificateError):
        kanegen.load(arm(), kernels=["gravity_forces"])
    assert seen == [(4, 3)]
    assert not list(tmp_path.glob("arm*/manifest.json"))
    monkeypatch.setattr(generator, "generate", right)
    assert kanegen.load(arm(), kernels=["gravity_forces"]).gravity_forces([0, 0, 0]).shape == (3,)
