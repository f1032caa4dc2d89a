"""Live parameters: two structs, a prepare step, and kernels that count as with numbers folded in."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kanegen.codegen.graph import count

from .c_operation_counter import count_operations
from .compilation import Library, build
from .live import VALUES, live_model
from .test_operation_counts import counted, kernels_of


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The compiled pendulum."""
    return build(live_model(), tmp_path_factory.mktemp("live"))


def prepared(library: Library, ending: str = "", **changes: float) -> object:
    """The prepared struct of a precision for changed parameters."""
    parameters = library.ffi.new("arm_parameters *")
    library.lib.arm_default_parameters(parameters)
    for name, value in changes.items():
        setattr(parameters, f"{name}_live", value)
    values = library.ffi.new(f"arm_prepared{ending} *")
    getattr(library.lib, f"arm_prepare{ending}")(parameters, values)
    return values


def test_defaults_are_the_values_of_the_model(library: Library) -> None:
    parameters = library.ffi.new("arm_parameters *")
    library.lib.arm_default_parameters(parameters)
    fields = [name for name, _ in library.ffi.typeof("arm_parameters").fields]
    assert fields == ["m_live", "l_live", "double_live", "tilt_live"]
    assert [getattr(parameters, name) for name in fields] == [float(value) for value in VALUES.values()]


@pytest.mark.parametrize(("ending", "digits"), [("", 1e-14), ("_f32", 1e-5)])
@pytest.mark.parametrize(("m", "l", "g", "tilt"), [(2.0, 0.75, 9.81, 0.1), (0.5, 2.0, 1.62, -1.0)])
def test_forces_against_the_equation(
    library: Library, m: float, l: float, g: float, tilt: float, ending: str, digits: float
) -> None:
    """Seven operations and four sines: some 15 unit roundoffs of the sum of the magnitudes of both terms."""
    values = prepared(library, ending, m=m, l=l, double=g, tilt=tilt)
    q, a = 0.5, -2.0
    found = library(f"arm_inverse_dynamics{ending}", {"q": [q], "a": [a]}, {"tau": 1}, values)["tau"][0]
    size = m * l * l * abs(a) + m * g * l
    assert abs(found - (m * l * l * a + m * g * l * math.sin(q + tilt))) <= digits * size
    batch = f"arm_inverse_dynamics_batch{ending}"
    rows = library(batch, {"q": [q] * 3, "a": [a] * 3}, {"tau": 1}, values, rows=3)["tau"]
    assert np.all(rows == found)


def test_result_that_depends_on_parameters_alone(library: Library) -> None:
    found = library("arm_period_squared", {"q": [0.0]}, {"y": 1}, prepared(library))["y"][0]
    assert found == pytest.approx(39.4784176 * 0.75 / 9.81, rel=1e-15)


def test_kernels_count_as_with_numbers_folded_in() -> None:
    """tau = (m l^2) a + (m g l) (cos(tilt) sin q + sin(tilt) cos q), the factors of parameters prepared."""
    generated = live_model()
    expected = {"multiplications": 4, "additions": 2, "divisions": 0, "square_roots": 0, "sincos": 1}
    assert counted(generated, "arm_inverse_dynamics") == expected
    assert count(generated.kernels[0].program).multiplications == 4


def test_prepare_is_parsed_too() -> None:
    """The work of the prepare step is in the prepare step."""
    operations = count_operations(kernels_of(live_model()), "arm_prepare")
    assert operations["sincos"] == 1
    assert operations["divisions"] == 1
