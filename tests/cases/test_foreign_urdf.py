"""Case 65: loop closures, rotors and forces that other programs write into URDF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen.codegen import pipeline
from kanegen.codegen.commands.doctor import diagnose
from kanegen.codegen.mechanism import JointRate, LoopKind, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.findings import Severity
from kanegen.codegen.mechanism.importers import from_urdf, read_file
from tests.mechanism.importers.documents import link, robot

BODY = (
    '<inertial><origin xyz=".25 0 0"/><mass value="1"/>'
    '<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>'
)
ORIGINS = {"j1": ("w", "a", "0 0 0"), "j2": ("a", "b", ".5 0 0"), "j3": ("w", "c", "0 0 .3")}
ROTOR = """<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j1"/>
<actuator name="m"><drake:rotor_inertia value="1e-3"/><drake:gear_ratio value="100"/></actuator></transmission>"""
BALL = """<drake:ball_constraint><drake:ball_constraint_body_A name="b"/><drake:ball_constraint_p_AP value=".5 0 0"/>
<drake:ball_constraint_body_B name="c"/><drake:ball_constraint_p_BQ value=".5 0 0"/></drake:ball_constraint>"""
LOOP = """<loop_joint name="close" type="continuous"><link1 link="b" xyz=".5 0 0"/><link2 link="c" xyz=".5 0 0"/>
<axis xyz="0 1 0"/></loop_joint>"""
SPRING = """<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="w"/>
<drake:linear_spring_damper_p_AP value="0 0 1"/><drake:linear_spring_damper_body_B name="b"/>
<drake:linear_spring_damper_p_BQ value=".5 0 0"/><drake:linear_spring_damper_free_length value="0.4"/>
<drake:linear_spring_damper_stiffness value="30"/><drake:linear_spring_damper_damping value="2"/>
</drake:linear_spring_damper>"""


def linkage(*more: str, in_j1: str = "") -> str:
    """Two rods in a row and one beside them, all on hinges about y; ``more`` are elements of the robot, from line 9 on."""
    joints = [
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at}"/><axis xyz="0 1 0"/>{in_j1 if name == "j1" else ""}</joint>'
        for name, (parent, child, at) in ORIGINS.items()
    ]
    return robot(link("w", ""), *(link(name, BODY) for name in "abc"), *joints, *more)


def by_hand(rotor: bool = False) -> MechanismBuilder:
    """The same tree with the builder."""
    builder = MechanismBuilder("r")
    for name in "wabc":
        if name == "w":
            builder.body(name)
        else:
            builder.body(name, mass=1, center=(".25", 0, 0), inertia=(".01", ".02", ".02"))
    builder.fixed("root_joint", "base", "w")
    drive = {"rotor_inertia": "1e-3", "gear_ratio": 100} if rotor else {}
    builder.revolute("j1", "w", "a", (0, 1, 0), **drive)
    builder.revolute("j2", "a", "b", (0, 1, 0), position=(".5", 0, 0))
    builder.revolute("j3", "w", "c", (0, 1, 0), position=(0, 0, ".3"))
    return builder


def matrix(mechanism: Mechanism, kernel: str = "mass_matrix", *arguments: np.ndarray) -> np.ndarray:
    found = kanegen.load(mechanism, kernels=[kernel], interpreted=True).call(kernel, *arguments)
    return np.asarray(found)


def test_a_rotor_of_drakes() -> None:
    """Case 65: 100^2 x 1e-3 = 10 kg m^2 on the joint, by hand; and the model by hand agrees to rounding."""
    q = np.array([0.3, -0.4, 0.9])
    found, without = (
        matrix(from_urdf(linkage(ROTOR)), "mass_matrix", q),
        matrix(from_urdf(linkage()), "mass_matrix", q),
    )
    # the entry is below 12 kg m^2, whose doubles are 1.8e-15 apart
    assert found[0, 0] - without[0, 0] == pytest.approx(10.0, abs=1e-14)
    np.testing.assert_array_equal((found - without)[1:], 0)
    np.testing.assert_allclose(found, matrix(by_hand(rotor=True).build(), "mass_matrix", q), rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("SimpleTransmission", "FourBarLinkageTransmission"), "belongs to a transmission of type"),
        (('gear_ratio value="100"', 'gear_ratio value="0"'), ""),
        (('<drake:gear_ratio value="100"/>', ""), ""),
    ],
)
def test_rotors_as_drake_takes_them(change: tuple[str, str], what: str) -> None:
    """Case 65: another transmission has no actuator in Drake; the ratio is 1 by default."""
    text = linkage(ROTOR.replace(*change))
    if what:
        with pytest.warns(kanegen.ModelWarning, match=what):
            mechanism = from_urdf(text)
    else:
        mechanism = from_urdf(text)
    expected = 1e-3 if change[1] == "" else 0.0
    assert float(mechanism.joint("j1").rotor_inertia) == expected


def test_a_rotor_without_effort_has_no_actuator() -> None:
    """Case 65: Drake skips a transmission whose joint has the effort limit 0."""
    with pytest.warns(kanegen.ModelWarning, match="whose effort limit is 0: it is left out"):
        mechanism = from_urdf(linkage(ROTOR, in_j1='<limit effort="0" velocity="1"/>'))
    assert mechanism.joint("j1").rotor_inertia == 0


@pytest.mark.parametrize(
    ("closure", "kind"),
    [
        (BALL, LoopKind.SPHERICAL),
        (LOOP, LoopKind.REVOLUTE),
        (LOOP.replace("continuous", "spherical"), LoopKind.SPHERICAL),
    ],
)
def test_closures_of_drakes(tmp_path: Path, closure: str, kind: LoopKind) -> None:
    """Case 65: one degree of freedom and not three; forces are those of the linkage closed by hand."""
    path = tmp_path / "linkage.urdf"
    path.write_text(linkage(closure))
    robot = kanegen.load(path, kernels=["inverse_dynamics"], interpreted=True)
    assert (robot.nq, robot.nv, robot.speed_names) == (3, 1, ("j1",))
    builder = by_hand()
    turned = ((1, 0, 0), (0, 0, 1), (0, -1, 0))  # takes z to y
    for name, body in (("first", "b"), ("second", "c")):
        builder.frame(name, body, (".5", 0, 0), turned)
    builder.loop("close", kind, "first", "second")
    builder.speeds([JointRate("j1")])
    builder.home(robot.home)
    other = kanegen.load(builder.build(), kernels=["inverse_dynamics"], interpreted=True)
    q = robot.home
    ends = [0.5 * np.array([np.cos(q[0]) + np.cos(q[0] + q[1]), -np.sin(q[0]) - np.sin(q[0] + q[1])]),
            np.array([0.5 * np.cos(q[2]), 0.3 - 0.5 * np.sin(q[2])])]  # fmt: skip
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-12)  # home closes the loop
    # rates of the other joints by hand, from the derivative of the two ends, and the mass that j1 feels: G^T M G
    to = np.array([
        [-0.5 * (np.sin(q[0]) + np.sin(q[0] + q[1])), -0.5 * np.sin(q[0] + q[1]), 0.5 * np.sin(q[2])],
        [-0.5 * (np.cos(q[0]) + np.cos(q[0] + q[1])), -0.5 * np.cos(q[0] + q[1]), 0.5 * np.cos(q[2])],
    ])  # fmt: skip
    rates = np.concatenate([[1.0], -np.linalg.solve(to[:, 1:], to[:, 0])])
    mass = rates @ matrix(from_urdf(linkage()), "mass_matrix", q) @ rates
    felt = robot.inverse_dynamics(q, [0.0], [1.0]) - robot.inverse_dynamics(q, [0.0], [0.0])
    assert felt == pytest.approx(mass, rel=1e-12)
    for v, a in ((0.0, 0.0), (0.7, -0.3)):
        found = robot.inverse_dynamics(q, [v], [a])
        # conditioning of this linkage at home is below 10; forces are some 10 N m
        np.testing.assert_allclose(found, other.inverse_dynamics(q, [v], [a]), rtol=1e-12, atol=1e-12)


def test_a_driven_joint_stays_independent() -> None:
    """Case 65: of two joints that could, the one with a transmission is the speed."""
    drive = '<transmission name="t"><type>SimpleTransmission</type><joint name="j3"/><actuator name="m"/></transmission>'
    mechanism = from_urdf(linkage(BALL, drive))
    assert mechanism.speeds == (JointRate("j3"),)


def test_a_spring_with_damper_of_drakes() -> None:
    """Case 65: k (d - l) + c d' along the line, by hand in the plane: forces of the virtual work tau = f dd/dq."""
    spring = from_urdf(linkage(SPRING))
    plain = from_urdf(linkage())
    q, v = np.array([0.3, -0.8, 0.2]), np.array([0.5, -0.2, 0.1])
    state = (q, v, np.zeros(3))
    added = matrix(spring, "inverse_dynamics", *state) - matrix(plain, "inverse_dynamics", *state)
    p = 0.5 * np.array([np.cos(q[0]) + np.cos(q[0] + q[1]), -np.sin(q[0]) - np.sin(q[0] + q[1])])
    jacobian = 0.5 * np.array([
        [-np.sin(q[0]) - np.sin(q[0] + q[1]), -np.sin(q[0] + q[1])],
        [-np.cos(q[0]) - np.cos(q[0] + q[1]), -np.cos(q[0] + q[1])],
    ])  # fmt: skip
    line = p - np.array([0.0, 1.0])
    d = np.linalg.norm(line)
    rate = line @ jacobian @ v[:2] / d
    force = 30 * (d - 0.4) + 2 * rate
    # forces are some 40 N m in size, and each of these two models is right to rounding
    np.testing.assert_allclose(added[:2], force * line @ jacobian / d, rtol=0, atol=1e-13)
    assert added[2] == 0


def test_a_ball_joint_of_drakes() -> None:
    """Case 65: <drake:joint type="ball"> is a spherical joint."""
    text = robot(link("a", ""), link("b", BODY),
                 '<drake:joint name="s" type="ball"><parent link="a"/><child link="b"/></drake:joint>')  # fmt: skip
    assert from_urdf(text).dof == 3


REFUSED = {
    '<gazebo><joint name="c" type="revolute"><parent>b</parent><child>c</child></joint></gazebo>': "adds a joint in Gazebo",
    '<gazebo><joint name="c" type="gearbox"><parent>b</parent><child>c</child></joint></gazebo>': "adds a joint in Gazebo",
    '<gazebo reference="b"><link name="extra"/></gazebo>': "adds a link in Gazebo",
    '<gazebo><include><uri>model://arm</uri></include></gazebo>': "adds an include in Gazebo",
    '<loop_joint name="c" type="prismatic"><link1 link="b"/><link2 link="c"/></loop_joint>': "its type is 'prismatic'",
    '<loop_joint name="c" type="revolute"><link1 link="b"/><link2 link="c"/></loop_joint>': "has no <axis>",
    '<loop_joint name="c" type="continuous"><link1 link="b"/><link2 link="nobody"/><axis xyz="0 1 0"/></loop_joint>':
        "'nobody' is no link",
    '<constraint name="c" type="weld"><parent link="b"/><child link="c"/></constraint>': "element <constraint>",
    '<drake:linear_bushing_rpy><drake:bushing_frameA name="b"/></drake:linear_bushing_rpy>': "<drake:linear_bushing_rpy>",
    '<drake:tendon_constraint/>': "<drake:tendon_constraint>",
    '<force_element name="f"><linear_spring_damper/></force_element>': "<force_element>",
    '<equality name="e"><joint1 name="j1"/></equality>': "<equality>",
    '<isaac:closing_joint name="c"/>': "<isaac:closing_joint>",
    '<include filename="other.urdf"/>': "element <include>",
    '<drake:joint name="u" type="universal"><parent link="c"/><child link="d"/></drake:joint><link name="d"/>':
        "its type is 'universal'",
    '<link name="d"><joint name="k" type="fixed"><parent link="c"/><child link="d"/></joint></link>': "element <joint>",
    BALL.replace('name="c"', 'name="nobody"'): "'nobody' is no link",
    SPRING.replace('value="0.4"', 'value="0"'): "is 0",
    ROTOR.replace('"1e-3"', '"-1e-3"'): "is negative, -0.001",
    ROTOR.replace('"j1"', '"j9"'): "drives the joint 'j9', which is unknown",
}  # fmt: skip
WARNED = {
    '<gazebo reference="j1"><springStiffness>10</springStiffness></gazebo>': "adds a spring in Gazebo",
    '<gazebo reference="b"><turnGravityOff>true</turnGravityOff></gazebo>': "takes the weight away",
    '<gazebo reference="b"><gravity>0</gravity></gazebo>': "takes the weight away",
    '<gazebo reference="b"><mass>3</mass></gazebo>': "changes the mass",
    '<gazebo reference="b"><dampingFactor>0.2</dampingFactor></gazebo>': "adds damping",
    "<gazebo><static>true</static></gazebo>": "lets nothing move",
    '<gazebo><plugin filename="libmimic.so"><joint>j1</joint><mimicJoint>j2</mimicJoint></plugin></gazebo>':
        "lets a joint follow another in Gazebo",
    '<gazebo><plugin filename="libLiftDragPlugin.so"/></gazebo>': "adds forces in Gazebo",
    '<ros2_control><joint name="j2"><param name="mimic">j1</param></joint></ros2_control>': "lets a joint follow another",
    '<transmission name="t"><actuator name="m"><rotorInertia>0.1</rotorInertia></actuator></transmission>':
        "no fixed meaning",
    '<transmission name="t"><drake:rotor_inertia value="0.1"/></transmission>': "no fixed meaning",
    '<mujoco><compiler inertiafromgeom="true"/></mujoco>': "changes masses and inertias in MuJoCo",
    '<drake:rotor_inertia value="0.1"/>': "Drake reads it in <transmission>",
    '<mujoco><option gravity="0 0 0"/></mujoco>': "changes gravity in MuJoCo",
    '<gazebo reference="j2"><mimic joint="j1"><multiplier>2</multiplier></mimic></gazebo>': "lets a joint follow another",
    '<ros2_control name="c"><joint name="j2"><mimic joint="j1" multiplier="2"/></joint></ros2_control>':
        "lets a joint follow another in ros2_control",
    '<ros2_control name="c"><joint name="j2" mimic="true"/></ros2_control>': "lets a joint follow another",
    '<ros2_control name="c"><joint name="j2"><param name="rotor_inertia">1</param></joint></ros2_control>':
        "no fixed meaning",
    '<mujoco><equality><connect body1="b" body2="c" anchor="0 0 0"/></equality></mujoco>': "ties bodies or joints",
    '<mujoco><tendon><fixed><joint joint="j1" coef="1"/></fixed></tendon></mujoco>': "adds tendons",
    '<mujoco><worldbody><body name="d"/></worldbody></mujoco>': "adds bodies",
    '<mujoco><default><joint armature="0.1" damping="2"/></default></mujoco>': "adds inertia or forces",
    '<mujoco><option><flag gravity="disable"/></option></mujoco>': "changes gravity",
    '<mujoco><option density="1000"/></mujoco>': "adds forces of a medium",
    '<gazebo><plugin filename="gz-sim-detachable-joint-system" name="gz::sim::systems::DetachableJoint">'
    '<parent_link>b</parent_link><child_model>c</child_model></plugin></gazebo>': "joins links in Gazebo",
    '<gazebo><plugin filename="x" name="gz::sim::systems::Buoyancy"/></gazebo>': "adds forces in Gazebo",
    '<gazebo><plugin filename="x"><spring_stiffness>3</spring_stiffness></plugin></gazebo>': "adds forces in Gazebo",
    '<gazebo reference="a"><inertial><mass>9</mass></inertial></gazebo>': "changes the inertia",
    '<gazebo reference="b"><inertial><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial></gazebo>':
        "changes the inertia",
    '<gazebo reference="j1"><axis><dynamics><spring_stiffness>40</spring_stiffness></dynamics></axis></gazebo>':
        "adds a spring",
    '<gazebo reference="j1"><axis><dynamics><friction>4</friction></dynamics></axis></gazebo>': "adds friction",
    '<gazebo reference="b"><velocity_decay><linear>0.1</linear></velocity_decay></gazebo>': "adds damping",
    '<transmission name="t"><joint name="j1"/><actuator name="m" rotor_inertia="1e-3"/></transmission>': "no fixed meaning",
    '<transmission name="t"><joint name="j1"/><actuator name="m"><x:armature>1</x:armature></actuator></transmission>':
        "no fixed meaning",
}  # fmt: skip
IN_JOINT = {
    '<dynamics spring_stiffness="3"/>': "unknown attribute 'spring_stiffness'",
    '<dynamics armature="0.1"/>': "unknown attribute 'armature'",
    '<rotor inertia="0.1"/>': "element <rotor>",
    "<drake:rotor_inertia value='0.1'/>": "element <drake:rotor_inertia>",
    '<dynamics><spring stiffness="4"/></dynamics>': "element <spring>",
    '<limit effort="1" velocity="1"><x><spring_stiffness>4</spring_stiffness></x></limit>': "element <x>",
    "<physics><actuator><armature>1</armature></actuator></physics>": "element <physics>",
}
IN_LINK = {
    '<added_mass value="7"/>': "element <added_mass>",
    '<fluid_added_mass xx="1"/>': "element <fluid_added_mass>",
    '<extra><inertia_of_motor value="1"/></extra>': "element <extra>",
    '<contact><stiffness value="1e4"/><inertia_scaling value="3"/></contact>': "element <contact>",
}
SOFT = """<link name='d'><contact><stiffness value='1e4'/><damping value='1'/></contact></link>
<joint name='k' type='fixed'><parent link='c'/><child link='d'/></joint>"""
FT_SENSOR = """<gazebo reference="b"><sensor name="f" type="force_torque"><force_torque><frame>child</frame></force_torque>
</sensor></gazebo>"""
UNSPRUNG = """<gazebo reference="j1"><axis><dynamics><spring_reference>1</spring_reference><damping>0.0</damping></dynamics>
</axis></gazebo>"""
SILENT = [
    '<gazebo><plugin filename="libgazebo_ros_force.so"><bodyName>b</bodyName></plugin></gazebo>',
    '<gazebo><plugin filename="libgazebo_ros_ft_sensor.so"><jointName>j1</jointName></plugin></gazebo>',
    FT_SENSOR,
    '<gazebo reference="b"><collision><surface><friction><ode><mu>1</mu></ode></friction></surface></collision></gazebo>',
    UNSPRUNG,
    '<ros2_control name="c"><joint name="j2" mimic="false"/></ros2_control>',
    "<mujoco><equality/><actuator><motor joint='j1' gear='3'/></actuator></mujoco>",
    SOFT,
    '<gazebo reference="j1"><implicitSpringDamper>1</implicitSpringDamper><provideFeedback>true</provideFeedback></gazebo>',
    '<gazebo reference="b"><mu1>0.2</mu1><kp>1e6</kp><turnGravityOff>false</turnGravityOff><gravity>1</gravity></gazebo>',
    '<transmission name="t"><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>',
    '<gazebo reference="j1"><springStiffness>0</springStiffness></gazebo>',
    '<frame name="tip" link="b" xyz="0.5 0 0"/>',
    "<drake:collision_filter_group name='g'/>",
    '<mujoco><compiler discardvisual="true"/></mujoco>',
]


def told(folder: Path, text: str) -> tuple[Path, set[Severity]]:
    path = folder / "linkage.urdf"
    path.write_text(text)
    return path, {f.severity for f in diagnose(str(path)) if f.severity in (Severity.ERROR, Severity.WARNING)}


@pytest.mark.parametrize("element", REFUSED)
def test_what_makes_another_mechanism_is_refused(tmp_path: Path, element: str) -> None:
    """Case 65: a joint, a body or a constraint more, whose meaning is not fixed, is an error for load and doctor alike."""
    path, severities = told(tmp_path, linkage(element))
    assert Severity.ERROR in severities
    with pytest.raises(kanegen.ModelError, match=REFUSED[element]) as caught:
        kanegen.load(path)
    line = int(caught.value.where.removeprefix(f"{path}:").partition(":")[0])
    assert 9 <= line <= 9 + element.count("\n")


@pytest.mark.parametrize("element", WARNED)
def test_what_changes_the_motion_is_a_warning(tmp_path: Path, element: str) -> None:
    """Case 65: a force, an inertia or a coupling that is left out is told by load, once, and by doctor."""
    path, severities = told(tmp_path, linkage(element))
    assert severities == {Severity.WARNING}
    with pytest.warns(kanegen.ModelWarning, match=WARNED[element]) as caught:
        mechanism = pipeline.read(path, pipeline.Options())
    assert len(caught) == 1
    assert f"{path}:9: " in str(caught[0].message)
    assert mechanism == read_file(path).mechanism


@pytest.mark.parametrize("element", IN_JOINT)
def test_what_stands_in_a_joint(tmp_path: Path, element: str) -> None:
    """Case 65: springs and rotors of no known dialect."""
    path, severities = told(tmp_path, linkage(in_j1=element))
    assert severities == {Severity.WARNING}
    with pytest.warns(kanegen.ModelWarning, match=IN_JOINT[element]):
        pipeline.read(path, pipeline.Options())


@pytest.mark.parametrize("element", IN_LINK)
def test_what_stands_in_a_link(tmp_path: Path, element: str) -> None:
    """Case 65: masses and inertias of no known dialect, at any depth."""
    path, severities = told(
        tmp_path, linkage().replace("</inertial></link>", f"</inertial>{element}</link>", 1)
    )
    assert severities == {Severity.WARNING}
    with pytest.warns(kanegen.ModelWarning, match=IN_LINK[element]):
        pipeline.read(path, pipeline.Options())


@pytest.mark.parametrize("prefix", ["d", "drake"])
@pytest.mark.parametrize("uri", ["http://drake.mit.edu", "http://drake.mit.edu/"])
def test_namespaces_are_known_by_their_name_and_not_by_their_prefix(prefix: str, uri: str) -> None:
    """Case 65: a rotor, a ball constraint and a spring under any prefix, declared anywhere, are the same mechanism."""
    for element in (ROTOR, BALL, SPRING):
        other = linkage(element.replace("drake:", f"{prefix}:"))
        assert from_urdf(other.replace("<robot ", f'<robot xmlns:{prefix}="{uri}" ')) == from_urdf(
            linkage(element)
        )
    inner = ROTOR.replace("drake:", f"{prefix}:").replace("<actuator ", f'<actuator xmlns:{prefix}="{uri}" ')
    assert from_urdf(linkage(inner)) == from_urdf(linkage(ROTOR))


@pytest.mark.parametrize("element", SILENT)
def test_what_changes_nothing_is_no_warning(tmp_path: Path, element: str) -> None:
    """Case 65: ordinary robots load without a word."""
    path, severities = told(tmp_path, linkage(element))
    assert not severities
    pipeline.read(path, pipeline.Options())


def test_a_mimic_that_the_joint_has_as_well_is_idle(tmp_path: Path) -> None:
    """Case 65: blocks for Gazebo and ros2_control repeat what <mimic> says."""
    more = (
        '<gazebo><plugin filename="libmimic.so"><joint>j3</joint><mimicJoint>j1</mimicJoint></plugin></gazebo>',
        '<ros2_control><joint name="j1"><param name="mimic">j3</param></joint></ros2_control>',
    )
    _, severities = told(tmp_path, linkage(*more, in_j1='<mimic joint="j3"/>'))
    assert not severities
