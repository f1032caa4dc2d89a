"""Parameters and records that no body has (cases 67, 89, 97): every way in refuses what files refuse."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.cli import main
from kanegen.codegen.mechanism import Body, Inertia, Mechanism, MechanismBuilder, ModelError, catalogue
from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, from_dh
from kanegen.codegen.mechanism.flexible import Beam, Mode, Polynomial

Y = (0, 1, 0)


def pendulum(**parameters: float) -> MechanismBuilder:
    """A pendulum whose mass, central moment about the hinge, damping and spring are parameters."""
    builder = MechanismBuilder("pendulum")
    values = {"m": 2, "J": "0.3", "c": "0.1", "k": 5, "Ja": "0.1"} | parameters
    m, moment, c, k, rotor = (builder.parameter(name, value, "SI") for name, value in values.items())
    builder.body("rod", m, (0, 0, "-0.5"), (moment, moment, "0.01"))
    builder.revolute("hinge", "base", "rod", axis=Y, damping=c, rotor_inertia=rotor)
    builder.torsional_spring("coil", "hinge", k)
    return builder


UNPHYSICAL: list[tuple[dict[str, float], str]] = [
    ({"m": -1.0}, r"with m = -1\.0: body 'rod', mass: is negative, -1\.0 kg"),
    ({"J": -0.3}, "with J = -0.3: body 'rod', inertia: principal moments -0.3, -0.3, 0.01 kg m.2: one is"),
    ({"J": 0.001}, "the largest exceeds the sum of the others"),
    ({"c": -0.1}, "joint 'hinge', damping: is negative"),
    ({"Ja": -1e-9}, "joint 'hinge', rotor inertia: is negative"),
    ({"k": -5.0}, "spring 'coil': its stiffness is -5"),
    ({"m": -1.0, "J": -0.3}, "with m = -1.0, J = -0.3: "),
]


@pytest.fixture(params=["compiled", "from the cache", "interpreted"])
def live(request: pytest.FixtureRequest) -> kanegen.Robot:
    """The pendulum with live parameters, however it was obtained."""
    options: dict[str, Any] = {"kernels": ["inverse_dynamics"], "live_parameters": True, "friction": True}
    if request.param == "from the cache":
        kanegen.load(pendulum().build(), **options)
    return kanegen.load(pendulum().build(), interpreted=request.param == "interpreted", **options)


def test_parameters_that_no_body_has(live: kanegen.Robot) -> None:
    """Case 89: with_parameters refuses what a description with the same numbers is refused for; tau by hand."""

    def tau(m: float = 2, J: float = 0.3, c: float = 0.1, k: float = 5, Ja: float = 0.1) -> float:
        # q = 0, v = 2, a = 3, so that gravity and the spring are silent
        del k
        return (J + m * 0.25 + Ja) * 3 + c * 2

    for values, message in UNPHYSICAL:
        with pytest.raises(ModelError, match=message):
            live.with_parameters(values)
        with pytest.raises(ModelError):  # and so does the builder
            pendulum(**values).build()
        taken = live.with_parameters(values, allow_unphysical=True)
        # five terms of order one
        assert_allclose(taken.inverse_dynamics([0.0], [2.0], [3.0]), [tau(**values)], atol=1e-14)
    light = live.with_parameters({"m": 0.0, "c": 0.0})
    assert_allclose(light.inverse_dynamics([0.0], [2.0], [3.0]), [tau(m=0, c=0)], atol=1e-14)
    with pytest.raises(ModelError, match=r"with m = 0\.0, J = -1\.0, c = 0\.0: body 'rod'"):
        light.with_parameters({"J": -1.0})  # the values before are those of this robot


def test_unphysical_models_may_have_unphysical_parameters() -> None:
    """Case 89: a model for which that was allowed once needs no second word."""
    model = pendulum(m=-2.0).build(allow_unphysical=True)
    arm = kanegen.load(model, live_parameters=True, interpreted=True, kernels=["mass_matrix"])
    assert_allclose(arm.with_parameters({"m": -4.0}).mass_matrix([0.0]), [[0.3 - 1.0 + 0.1]], atol=1e-15)
    with pytest.raises(ModelError, match="damping: is negative"):
        kanegen.load(model, live_parameters=True, interpreted=True, friction=True).with_parameters(
            {"c": -1.0}
        )


TOML = """
parameters = { m = 2.0 }
body = [{ name = "rod", mass = "m", center = [0, 0, -0.5], inertia = [1, 1, 1] }]
joint = [{ name = "hinge", type = "revolute", parent = "base", child = "rod", axis = [0, 1, 0] }]
"""


def test_parameters_of_files_and_of_generated_code(tmp_path: Path) -> None:
    """Case 89: of a file that was changed nothing is known; of generated C neither, and it takes any numbers."""
    file = tmp_path / "rod.toml"
    file.write_text(TOML)
    arm = kanegen.load(file, live_parameters=True, kernels=["mass_matrix"])
    with pytest.raises(ModelError, match=r"with m = -1\.0: body 'rod', mass"):
        arm.with_parameters({"m": -1.0})
    allowed = kanegen.load(file, live_parameters=True, kernels=["mass_matrix"], allow_unphysical=True)
    assert_allclose(allowed.with_parameters({"m": -1.0}).mass_matrix([0.0]), [[0.75]], atol=1e-15)
    unread = kanegen.load(file, live_parameters=True, kernels=["mass_matrix"])
    file.write_text(TOML.replace("-0.5", "-0.6"))
    with pytest.raises(kanegen.KanegenError, match="the model has changed since this robot was loaded"):
        unread.with_parameters({"m": 3.0})
    assert_allclose(
        unread.with_parameters({"m": 3.0}, allow_unphysical=True).mass_matrix([0.0]), [[1.75]], atol=1e-15
    )
    code = kanegen.generate(
        pendulum().build(), tmp_path / "code", kernels=["mass_matrix"], live_parameters=True
    )
    bare = kanegen.load(code).with_parameters({"m": -2.0})
    assert_allclose(bare.mass_matrix([0.0]), [[0.3 - 0.5 + 0.1]], atol=1e-15)


def test_parameters_of_a_built_in_and_of_a_beam() -> None:
    """Case 89: built-ins and flexible links as well."""
    arm = kanegen.load("stanford_arm", live_parameters=True, interpreted=True, kernels=["mass_matrix"])
    with pytest.raises(ModelError, match=r"with mB = -6\.0: body 'B', mass: is negative"):
        arm.with_parameters({"mB": -6.0})
    builder = MechanismBuilder("boom")
    stiffness = builder.parameter("EI", 100, "N m^2")
    builder.flexible("link", Beam(1, 2, [Mode("d", y=Polynomial.of(0, 0, 1))], EI_z=stiffness))
    builder.revolute("hinge", "base", "link", axis=(0, 0, 1))
    boom = kanegen.load(builder.build(), live_parameters=True, interpreted=True, kernels=["inverse_dynamics"])
    with pytest.raises(ModelError, match=r"with EI = -1\.0: flexible link 'link', stiffness: resists not"):
        boom.with_parameters({"EI": -1.0})


def test_two_speeds_for_one_degree_of_freedom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Case 89: refused with the names of the speeds, by load and by doctor."""
    file = tmp_path / "tied.toml"
    file.write_text(
        'coordinates = ["x", "y"]\nspeeds = ["x", "y"]\n'
        'body = [{ name = "b", mass = 1 }, { name = "c", mass = 1 }]\n'
        'joint = [{ name = "x", type = "prismatic", parent = "base", child = "b", axis = [1, 0, 0] },\n'
        '  { name = "y", type = "prismatic", parent = "b", child = "c", axis = [0, 1, 0] }]\n'
        'equation = [{ name = "curve", position = "y - x" }]\n'
    )
    message = "has 1 degree of freedom (2 coordinates, 1 independent equation), but 2 generalized speeds: dx/dt, dy/dt"
    with pytest.raises(ModelError) as caught:
        kanegen.load(file, interpreted=True)
    assert message in str(caught.value)
    assert main(["doctor", str(file)]) != 0
    assert message in "".join(capsys.readouterr())


# -- case 97 -----------------------------------------------------------------------------------------------------------


def with_inertia(inertia: Inertia) -> Mechanism:
    """A pendulum whose body was made by hand, after all checks of the builder."""
    builder = MechanismBuilder("by hand")
    builder.body("rod", 1, inertia=(1, 1, 1))
    builder.revolute("hinge", "base", "rod", axis=Y)
    return replace(builder.build(), bodies=(Body("rod", inertia),))


def diagonal(x: int, y: int, z: int) -> Any:
    return tuple(tuple(Fraction(v if i == j else 0) for j in range(3)) for i, v in enumerate((x, y, z)))


ORIGIN = (Fraction(0),) * 3


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        (Inertia(Fraction(-1), ORIGIN, diagonal(1, 1, 1)), "body 'rod', mass: is negative"),
        (Inertia(Fraction(1), ORIGIN, diagonal(1, 1, -1)), "body 'rod', inertia: .* one is negative"),
        (Inertia(Fraction(1), ORIGIN, diagonal(1, 1, 5)), "the largest exceeds the sum of the others"),
    ],
)
def test_bodies_made_by_hand(inertia: Inertia, message: str, first: bool, tmp_path: Path) -> None:
    """Case 97: records are refused for what files are refused for, also after they were allowed once; M by hand."""
    model = with_inertia(inertia)
    moment = float(inertia.tensor[1][1])
    options: dict[str, Any] = {"kernels": ["mass_matrix"], "allow_unphysical": True}
    if first:
        assert_allclose(kanegen.load(model, **options).mass_matrix([0.0]), [[moment]])
        assert_allclose(kanegen.load(model, interpreted=True, **options).mass_matrix([0.0]), [[moment]])
    doors: list[Callable[[], object]] = [
        lambda: kanegen.load(model, kernels=["mass_matrix"]),
        lambda: kanegen.load(model, kernels=["mass_matrix"], interpreted=True),
        lambda: kanegen.generate(model, tmp_path / "c", kernels=["mass_matrix"]),
        lambda: pipeline.interpret(model),
        lambda: pipeline.generate(model, tmp_path / "c"),
    ]
    for door in doors:
        with pytest.raises(ModelError, match=message):
            door()
    assert not (tmp_path / "c").exists()


def test_what_was_allowed_where_it_was_made_still_loads() -> None:
    """Case 97: what build and from_dh made with allow_unphysical needs no second word, whatever is made of it."""
    builder = MechanismBuilder("built")
    builder.body("rod", -1, inertia=(1, 1, 1))
    builder.revolute("hinge", "base", "rod", axis=Y)
    built = builder.build(allow_unphysical=True)
    row = DHRow(mass=-1, inertia=(1, 1, 1))
    table = from_dh([row], name="table", allow_unphysical=True)
    for model in (built, table, replace(built, name="other"), replace(table, gravity=ORIGIN)):
        arm = kanegen.load(model, interpreted=True, kernels=["mass_matrix"])
        assert_allclose(arm.mass_matrix([0.0]), [[1.0]])
    with pytest.raises(ModelError, match="mass: is negative"):
        from_dh([row], name="table")


# -- case 67 -----------------------------------------------------------------------------------------------------------

NONE_TO_KEEP = "declares no parameters, so that none can be kept live"


def without_parameters() -> Mechanism:
    builder = MechanismBuilder("plain")
    builder.body("rod", 1, inertia=(1, 1, 1))
    builder.revolute("hinge", "base", "rod", axis=Y)
    return builder.build()


@pytest.mark.parametrize("which", ["records", "built-in", "file"])
def test_live_parameters_of_what_has_none(
    which: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Case 67: every kind of model, by every door; nothing is written."""
    file = tmp_path / "plain.toml"
    file.write_text(TOML.replace("parameters = { m = 2.0 }\n", "").replace('"m"', "2"))
    model: Any = {"records": without_parameters(), "built-in": "rx90_general", "file": file}[which]
    assert which != "built-in" or not catalogue.mechanism(model).parameters
    code = tmp_path / "code"
    for door in (
        lambda: kanegen.load(model, live_parameters=True),
        lambda: kanegen.load(model, live_parameters=True, interpreted=True, kernels=["mass_matrix"]),
        lambda: kanegen.generate(model, code, live_parameters=True),
    ):
        with pytest.raises(ModelError, match=NONE_TO_KEEP):
            door()
    if which != "records":
        with contextlib.suppress(SystemExit):
            assert main(["generate", str(model), "-o", str(code), "--live-parameters"]) != 0
        assert NONE_TO_KEEP in "".join(capsys.readouterr())
    assert not code.exists()
    arm = kanegen.load(model, kernels=["mass_matrix"], interpreted=True)
    with pytest.raises(kanegen.KanegenError, match=r"has no live parameter 'm'"):
        arm.with_parameters({"m": 1.0})
