"""The linter: every kind of doubt is found, named, and nothing sound is doubted."""

from __future__ import annotations

import numpy as np
import pytest

from kanegen.codegen.mechanism import MechanismBuilder, catalogue
from kanegen.codegen.mechanism.doctor import examine, examine_urdf
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.xml_tree import parse_text
from tests.mechanism.importers.documents import joint, link, pendulum, robot

LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'
SOUND = (
    '<inertial><origin xyz="0 0 0.2"/><mass value="2"/>'
    '<inertia ixx="0.03" iyy="0.03" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def body(
    mass: str = "2", moments: tuple[str, ...] = ("0.03", "0.03", "0.002", "0", "0", "0"), at: str = "0 0 0.2"
) -> str:
    entries = " ".join(
        f'{name}="{value}"'
        for name, value in zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), moments, strict=True)
    )
    return f'<inertial><origin xyz="{at}"/><mass value="{mass}"/><inertia {entries}/></inertial>'


def examined(text: str, **options: bool) -> tuple[Finding, ...]:
    return examine_urdf(parse_text(text), **options)


def one(text: str, what: str) -> Finding:
    (finding,) = [finding for finding in examined(text) if what in finding.what]
    return finding


def sound(inside: str = LIMIT, inertial: str = SOUND, kind: str = "revolute") -> str:
    return pendulum(inside, kind=kind, body=inertial)


def test_a_sound_model_raises_no_doubt() -> None:
    assert examined(sound()) == ()


@pytest.mark.parametrize("name", catalogue.names())
def test_built_in_mechanisms_have_no_errors(name: str) -> None:
    assert all(f.severity is not Severity.ERROR for f in examine(catalogue.mechanism(name)))


@pytest.mark.parametrize(
    ("inertial", "severity", "where", "what"),
    [
        (body("-2"), Severity.ERROR, "mass", "is negative, -2 kg"),
        (body("2", ("1", "1", "5", "0", "0", "0")), Severity.ERROR, "inertia", "moments 1, 1, 5 kg m^2: the largest"),
        (body("2", ("1", "1", "1", "2", "0", "0")), Severity.ERROR, "inertia", "moments -1, 1, 3 kg m^2: one is neg"),
        (body("0"), Severity.DOUBT, "mass", "is 0 with principal moments"),
        (body("2e6"), Severity.DOUBT, "mass", "is 2e+06 kg"),
        (body("1e-7", ("0", "0", "0", "0", "0", "0")), Severity.NOTE, "mass", "moves nothing"),
        (body("2", ("1", "1", "1", "0", "0", "0")), Severity.DOUBT, "inertia", "is the unit matrix"),
        (body("2", ("30", "30", "30", "0", "0", "0")), Severity.DOUBT, "inertia", "thinner than air"),
        (body("2", ("3e-6", "3e-6", "3e-6", "0", "0", "0")), Severity.DOUBT, "inertia", "denser than any metal"),
        (body("2", at="0 200 0"), Severity.DOUBT, "mass centre", "is 200 m from the origin of a body of 0.37 m"),
    ],
)  # fmt: skip
def test_masses_and_inertias(inertial: str, severity: Severity, where: str, what: str) -> None:
    """Case 12, and what else a body cannot or would not have."""
    finding = one(sound(inertial=inertial), what)
    assert (finding.severity, finding.line) == (severity, 3)
    assert finding.where == f"link 'b', {where}"


def test_every_error_is_found_in_one_run() -> None:
    text = robot(
        link("a", ""),
        link("b", body("-1")),
        link("c", body("2", ("1", "1", "5", "0", "0", "0"))),
        joint("j", "a", "b", '<origin xyz="0,1 0 0"/><axis xyz="0 0 0"/>'),
        joint("k", "b", "d", kind="hinge"),
    )
    errors = [(f.line, f.where) for f in examined(text) if f.severity is Severity.ERROR]
    assert errors == [
        (3, "link 'b', mass"),
        (4, "link 'c', inertia"),
        (5, "joint 'j', <origin> xyz"),
        (5, "joint 'j', <axis> xyz"),
        (6, "joint 'k'"),
    ]


@pytest.mark.parametrize(
    ("inside", "severity", "what"),
    [
        ("", Severity.NOTE, "are not given for 'j'"),
        ('<limit lower="1" upper="1" velocity="2" effort="3"/>', Severity.DOUBT, "lower and upper are both 1 rad"),
        ('<limit lower="2" upper="1" velocity="2" effort="3"/>', Severity.WARNING, "2.0 is above the upper one"),
        ('<limit lower="-170" upper="170" velocity="2" effort="3"/>', Severity.NOTE, "degrees?"),
        ('<limit lower="-1" upper="1" velocity="0" effort="3"/>', Severity.NOTE, "the limit of velocity is 0 for 'j'"),
        (LIMIT + '<dynamics damping="0.1"/>', Severity.NOTE, "damping or friction in 'j', which is left out by default"),
        (LIMIT + '<axis xyz="0 0 2"/>', Severity.NOTE, "has the length 2"),
        (LIMIT + '<dynamics dampng="1"/>', Severity.WARNING, "unknown attribute 'dampng' in 1 place (line 4) is ignored"),
        (LIMIT + '<dynamics D="1"/>', Severity.NOTE, "unknown attribute 'D'"),
        (LIMIT + '<origin xyx="0 0 1"/>', Severity.WARNING, "unknown attribute 'xyx'"),
        (LIMIT + '<origin position="0 0 1"/>', Severity.WARNING, "unknown attribute 'position'"),
        (LIMIT + '<origin xyx="0 0 0"/>', Severity.NOTE, "unknown attribute 'xyx'"),
        (LIMIT + '<origin a:position="0 0 1"/>', Severity.NOTE, "unknown attribute 'a:position'"),
        (LIMIT + '<origin comment="as built"/>', Severity.NOTE, "unknown attribute 'comment'"),
        (LIMIT + '<orgin xyz="0 0 1"/>', Severity.WARNING, "unknown element <orgin> in 1 place (line 4) is ignored"),
        (LIMIT + "<inertial/>", Severity.WARNING, "element <inertial> in 1 place (line 4) is ignored here"),
        (LIMIT + "<something/>", Severity.NOTE, "element <something>"),
        (LIMIT + '<origin rpy="1.5708 0 0"/>', Severity.NOTE, "3.7e-06 rad from pi/2 (1.5708), in 1 place (line 4)"),
        (LIMIT + '<origin rpy="0 3.14 0"/>', Severity.NOTE, "0.0016 rad from pi (3.14)"),
        (LIMIT + '<origin rpy="90 0 0"/>', Severity.WARNING, "more than a whole turn, '90 0 0'"),
        (LIMIT + '<origin xyz="0 1e-17 1"/>', Severity.NOTE, "below a nanometre, such as 1e-17 m"),
    ],
)  # fmt: skip
def test_joints(inside: str, severity: Severity, what: str) -> None:
    assert one(sound(inside), what).severity is severity


def test_the_tolerance_for_an_angle_is_one_that_works() -> None:
    text = sound(LIMIT + '<origin rpy="1.5708 0 0"/>')
    note = one(text, "from pi/2")
    assert "angle_tolerance=4e-6" in note.cure
    found = examine_urdf(parse_text(text), angle_tolerance=4e-6)
    assert [finding.what for finding in found if "pi/2" in finding.what] == [
        "the roll 1.5708 was taken for pi/2, 3.7e-06 rad away"
    ]


def test_many_places_are_one_note() -> None:
    joints = [
        joint(f"j{i}", "a" if i == 0 else f"l{i - 1}", f"l{i}", '<origin rpy="1.571 0 0"/>') for i in range(9)
    ]
    note = one(robot(link("a", ""), *(link(f"l{i}", SOUND) for i in range(9)), *joints), "from pi/2")
    assert "up to 0.0002 rad from pi/2 (1.571), in 9 places (lines 12, 13, 14, 15, 16, 17, ...)" in note.what


def test_names() -> None:
    """Case 13."""
    text = robot(
        link("a", ""), link("b 1", SOUND), joint("lambda", "a", "b 1", LIMIT, kind="revolute"), name="try"
    )
    told = {f.where: f.what.split("'")[1] for f in examined(text) if f.where.endswith("name")}
    assert told == {
        "robot 'try', name": "try_1",
        "link 'b 1', name": "b_1",
        "joint 'lambda', name": "lambda_1",
    }
    spaced = sound().replace('"b"', '"b "')
    assert one(spaced, "white space").severity is Severity.DOUBT


def test_mimics() -> None:
    text = robot(
        *(link(name, SOUND) for name in "abcd"),
        joint("j", "a", "b"),
        joint("k", "b", "c", '<mimic joint="j"/>'),
        joint("l", "c", "d", '<mimic joint="k"/>'),
    )
    assert one(text, "itself follows").where == "joint 'l', mimic"
    assert one(text, "joints that others move").severity is Severity.NOTE


def test_what_other_programs_would_add() -> None:
    text = sound().replace(
        "</robot>",
        '<gazebo reference="b"><turnGravityOff>true</turnGravityOff></gazebo>'
        "<transmission name='t'><actuator name='m'><mechanicalReduction>50</mechanicalReduction></actuator></transmission>"
        "</robot>",
    )
    assert one(text, "<turnGravityOff>").severity is Severity.WARNING
    assert one(text, "<mechanicalReduction>").severity is Severity.NOTE


def test_a_joint_that_nothing_resists() -> None:
    """Case 8."""
    text = robot(link("a", ""), link("b", SOUND), link("c", ""), joint("j", "a", "b"), joint("k", "b", "c"))
    finding = one(text, "forward dynamics is undefined")
    assert (finding.severity, finding.where, finding.line) == (Severity.DOUBT, "joint 'k'", 6)
    assert one(text, "moves bodies without inertia: 'c'").severity is Severity.NOTE


def test_a_mass_on_the_axis_resists_nothing() -> None:
    point = '<inertial><mass value="2"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = robot(link("a", ""), link("b", point), joint("j", "a", "b"))
    finding = one(text, "forward dynamics is undefined")
    assert (finding.severity, finding.where) == (Severity.DOUBT, "joint 'j'")


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_resistance_of_joints_of_several_freedoms_is_not_dropped_in_silence(kind: str) -> None:
    text = robot(link("a", ""), link("b", SOUND), joint("j", "a", "b", '<dynamics damping="1"/>', kind=kind))
    assert one(text, f"damping and friction of a {kind} joint").severity is Severity.WARNING


def test_limits_of_endless_joints() -> None:
    limit = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'
    text = robot(link("a", ""), link("b", SOUND), joint("j", "a", "b", limit, kind="continuous"))
    assert one(text, "lower and upper of a continuous joint").severity is Severity.NOTE


def test_two_joints_on_one_axis() -> None:
    text = robot(link("a", ""), link("b", ""), link("c", SOUND), joint("j", "a", "b"), joint("k", "b", "c"))
    assert "that the joints beyond it could not leave at rest" in one(text, "undefined").what


@pytest.mark.parametrize("kind", ["floating", "spherical", "planar"])
def test_joints_of_several_freedoms_are_resisted_or_not(kind: str) -> None:
    heavy, light = (
        robot(link("a", ""), link("b", inside), joint("j", "a", "b", kind=kind)) for inside in (SOUND, "")
    )
    assert not [f for f in examined(heavy) if f.severity is not Severity.NOTE]
    assert one(light, "nothing that moves has a mass").severity is Severity.DOUBT


def test_a_follower_shares_the_inertia_of_its_leader() -> None:
    """Without inertia of its own the follower is no coordinate, and the leader carries it."""
    text = robot(
        *(link(name, inside) for name, inside in (("a", ""), ("b", SOUND), ("c", ""))),
        joint("j", "a", "b"),
        joint("k", "b", "c", '<mimic joint="j" multiplier="2"/>'),
    )
    assert not [f for f in examined(text) if "undefined" in f.what]


def test_rotor_inertia_resists() -> None:
    builder = MechanismBuilder("driven")
    builder.body("b")
    builder.revolute("j", "base", "b", (0, 0, 1), rotor_inertia="1e-4", gear_ratio=100)
    assert not [f for f in examine(builder.build()) if "undefined" in f.what]


def test_a_mechanism_without_a_file() -> None:
    builder = MechanismBuilder("None")
    builder.body("b", mass=1, inertia=(1, 1, 5))
    builder.revolute("j 1", "base", "b", (0, 0, 1))
    found = examine(builder.build(allow_unphysical=True))
    assert [(f.severity, f.where) for f in found] == [
        (Severity.NOTE, "mechanism 'None', name"),
        (Severity.NOTE, "coordinate 'j 1', name"),
        (Severity.ERROR, "body 'b', inertia"),
    ]


@pytest.mark.parametrize(
    ("name", "spelled"), [("math", "math_1"), ("kanegen", "model_kanegen"), ("sound", None)]
)
def test_names_of_models_are_names_of_files(name: str, spelled: str | None) -> None:
    """Case 96, a relative: math.h is a header of C, and what kanegen adds to a model's C begins with its own name."""
    builder = MechanismBuilder(name)
    builder.body("b", mass=1, inertia=(1, 1, 1))
    builder.revolute("j", "base", "b", (0, 0, 1))
    notes = [f.what for f in examine(builder.build()) if f.where == f"mechanism '{name}', name"]
    assert notes == ([] if spelled is None else [f"becomes '{spelled}' in the names of files and in C"])


def test_the_base_of_a_fixed_robot_may_have_no_mass() -> None:
    assert not [f for f in examined(sound()) if "without inertia" in f.what]
    assert [f for f in examined(sound(), floating_base=True) if "without inertia: 'a'" in f.what]


def test_random_bodies_are_not_doubted() -> None:
    """Homogeneous boxes of 1 cm to 1 m and of 300 to 8000 kg/m^3."""
    random = np.random.default_rng(0)
    for _ in range(50):
        sides = 10 ** random.uniform(-2, 0, 3)
        mass = random.uniform(300, 8000) * sides.prod()
        xx, yy, zz = (mass / 12 * (sides @ sides - side**2) for side in sides)
        text = sound(
            inertial=body(
                repr(float(mass)), (*(repr(float(i)) for i in (xx, yy, zz)), "0", "0", "0"), "0 0 0"
            )
        )
        assert examined(text) == ()
