"""From names, mechanisms and generated C to robots."""

from __future__ import annotations

import logging
import shutil
import sys
import types

import numpy as np
import pytest
import robots
from numpy.testing import assert_allclose

import kanegen
from kanegen import generator, identity
from kanegen.builds import extensions
from kanegen.codegen.mechanism import MechanismBuilder


def pendulum(name="pendulum", mass=2.0, gravity=(0.0, 0.0, -9.81)):
    """A bob at 0.5 m below a hinge about y."""
    builder = MechanismBuilder(name, gravity=gravity)
    builder.body("bob", mass=mass, center=(0, 0, -0.5), inertia=(0, 0, 0))
    builder.revolute("hinge", "base", "bob", axis=(0, 1, 0))
    return builder.build()


@pytest.fixture
def no_generation(monkeypatch):
    """Make whatever would generate or compile fail."""

    def refuse(*_):
        raise AssertionError("something was generated")

    def forbid():
        monkeypatch.setattr(generator, "generate", refuse)
        monkeypatch.setattr(extensions, "compile_extension", refuse)

    return forbid


@pytest.fixture
def builtin(tmp_path, monkeypatch):
    """An installed mechanism whose extension did not compile."""
    folder = tmp_path / "generated"
    shutil.copytree(robots.CART_POLE, folder / "cart_pole")
    monkeypatch.setattr(identity, "GENERATED", folder)
    monkeypatch.setattr(generator, "interpret", lambda model, options: robots.CartPoleEvaluator())
    return folder / "cart_pole"


def expected_torque(q, a, mass=2.0, gravity=9.81):
    return mass * 0.25 * a + mass * gravity * 0.5 * np.sin(q)


STATE = np.array([[0.3], [-1.2]]), np.array([[0.5], [2.0]]), np.array([[1.0], [-3.0]])


def test_a_mechanism_is_generated_and_compiled_once(cache, no_generation):
    arm = kanegen.load(pendulum())
    assert arm.target
    assert arm.joint_names == ("hinge",)
    assert_allclose(arm.inverse_dynamics(*STATE), expected_torque(STATE[0], STATE[2]), rtol=1e-14)
    no_generation()
    again = kanegen.load(pendulum())
    assert_allclose(again.inverse_dynamics(*STATE), arm.inverse_dynamics(*STATE), rtol=0)


def test_what_the_cache_tells_apart(cache):
    kernels = ["inverse_dynamics"]
    kanegen.load(pendulum(), kernels=kernels)
    heavy = kanegen.load(pendulum(mass=4.0), kernels=kernels)
    moon = kanegen.load(pendulum(), kernels=kernels, gravity=(0, 0, -1.62))
    both = kanegen.load(pendulum(), kernels=[*kernels, "mass_matrix"])
    assert_allclose(heavy.inverse_dynamics(*STATE), expected_torque(STATE[0], STATE[2], mass=4.0), rtol=1e-14)
    assert_allclose(
        moon.inverse_dynamics(*STATE), expected_torque(STATE[0], STATE[2], gravity=1.62), rtol=1e-14
    )
    assert moon.gravity == (0.0, 0.0, -1.62)
    assert set(both.kernels) == {"inverse_dynamics", "mass_matrix"}
    assert len([path for path in cache.iterdir() if path.is_dir()]) == 4


def test_interpreted_and_compiled_agree(cache):
    compiled, interpreted = kanegen.load(pendulum()), kanegen.load(pendulum(), interpreted=True)
    assert interpreted.target is None
    assert set(interpreted.kernels) == set(compiled.kernels)
    for robot in (compiled, interpreted):
        assert_allclose(
            robot.forward_dynamics(*STATE), (STATE[2] - 9.81 * np.sin(STATE[0])) / 0.5, rtol=1e-13
        )
    assert_allclose(interpreted.mass_matrix(STATE[0]), compiled.mass_matrix(STATE[0]), rtol=1e-15)


def test_a_wrong_kernel_leaves_nothing_behind(cache):
    with pytest.raises(kanegen.ModelError, match="has no kernel 'mass_matrx'"):
        kanegen.load(pendulum(), kernels=["mass_matrx"])
    assert [path for path in cache.iterdir() if path.is_dir()] == []


def test_what_leads_nowhere(cache):
    with pytest.raises(kanegen.UnknownModelError) as caught:
        kanegen.load("stanford_harm")
    message = str(caught.value)
    assert message.startswith("'stanford_harm' is neither a built-in mechanism nor a file. Built-in: ")
    assert "stanford_arm" in message
    with pytest.raises(kanegen.UnknownModelError):
        kanegen.generate("no/such/robot.urdf", cache / "out")
    assert not (cache / "out").exists()


@pytest.mark.parametrize("model", [3, None, ["stanford_arm"]])
def test_what_is_no_model(cache, model):
    with pytest.raises(TypeError, match="expected the name of a built-in, a path or a Mechanism, got"):
        kanegen.load(model)


def test_generate_writes_the_c_and_its_certificate_and_nothing_else(tmp_path, cache):
    out = tmp_path / "my robot ü"
    assert kanegen.generate(pendulum(), out, kernels=["inverse_dynamics"]) == out
    assert {path.name for path in out.iterdir()} == {
        "pendulum.c", "pendulum.h", "pendulum.cdef", "pendulum.pyi", "manifest.json", "certificate.json"
    }  # fmt: skip
    arm = kanegen.load(out)
    assert_allclose(arm.inverse_dynamics(*STATE), expected_torque(STATE[0], STATE[2]), rtol=1e-14)
    assert {path.name for path in out.iterdir()} >= {"manifest.json"}
    assert len(list(out.iterdir())) == 6


def test_generated_c_stays_as_it_is(cache):
    for options in ({"kernels": ["momentum"]}, {"gravity": (0, 0, 0)}, {"live_parameters": True}):
        with pytest.raises(kanegen.MissingKernelError, match="holds generated C, which stays as it is"):
            kanegen.load(robots.CART_POLE, **options)
    with pytest.raises(kanegen.NotCompiledError, match="there is nothing to interpret"):
        kanegen.load(robots.CART_POLE, interpreted=True)


# ---- built-ins ----


def test_a_builtin_without_its_extension_is_compiled_into_the_cache(builtin, cache, no_generation, caplog):
    with caplog.at_level(logging.INFO, logger="kanegen"):
        arm = kanegen.load("cart_pole")
    assert arm.target
    assert "the installed extension is not used" in caplog.text
    no_generation()
    assert kanegen.load("cart_pole", kernels=["mass_matrix"]).target


def test_a_builtin_without_its_extension_and_without_a_compiler(builtin, cache, no_compiler, caplog):
    arm = kanegen.load("cart_pole")
    assert arm.target is None
    assert "cart_pole is interpreted by NumPy" in caplog.text
    q, v, a = robots.states()
    assert_allclose(arm.inverse_dynamics(q, v, a), robots.inverse_dynamics(q, v, a))
    assert kanegen.load("cart_pole", interpreted=True).target is None


def test_an_installed_extension_is_used(builtin, no_generation, monkeypatch):
    module = robots.cart_pole()._backend._module
    monkeypatch.setitem(sys.modules, "kanegen.generated.cart_pole", types.ModuleType("cart_pole"))
    monkeypatch.setitem(sys.modules, "kanegen.generated.cart_pole._kernels", module)
    no_generation()
    assert kanegen.load("cart_pole")._backend._module is module


def test_an_extension_of_other_files_is_not_used(builtin, cache, monkeypatch, caplog):
    module = robots.cart_pole()._backend._module
    monkeypatch.setitem(sys.modules, "kanegen.generated.cart_pole", types.ModuleType("cart_pole"))
    monkeypatch.setitem(sys.modules, "kanegen.generated.cart_pole._kernels", module)
    text = (builtin / "manifest.json").read_text()
    (builtin / "manifest.json").write_text(text.replace('"generator": "hand"', '"generator": "another hand"'))
    with caplog.at_level(logging.INFO, logger="kanegen"):
        assert kanegen.load("cart_pole")._backend._module is not module
    assert "belong to another version of the generated files" in caplog.text


# ---- processes ----
