"""Small models in all formats, which the mutations begin with."""

from __future__ import annotations

from pathlib import Path

import kanegen.generated
from tests.mechanism.importers import mjcf_models, toml_models
from tests.mechanism.importers.documents import INERTIAL, joint, link, robot
from tests.mechanism.importers.test_toml_beams import TEXT as BEAM

GENERATED = Path(kanegen.generated.__file__).parent / "stanford_arm"
"""C whose manifest is damaged."""

URDF = robot(
    link("a", ""),
    link("b", INERTIAL.replace('iyz="0"', 'iyz="0.1"')),
    link("c"),
    link("d"),
    joint("j1", "a", "b", '<origin xyz="0 0.1 1" rpy="1.5708 0 0.3"/><axis xyz="0 1 0"/>'),
    joint(
        "j2",
        "b",
        "c",
        '<limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics damping="0.1" friction="1"/>',
        "revolute",
    ),
    joint("j3", "c", "d", '<axis xyz="1 1 0"/><mimic joint="j1" multiplier="2" offset="0"/>', "prismatic"),
    name="arm",
)

XACRO = f"""<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="half" value="${{0.25 * 2}}"/>
<xacro:arg name="side" default="left"/>
<xacro:macro name="segment" params="name parent *origin">
  <link name="${{name}}">{INERTIAL}</link>
  <joint name="${{name}}_joint" type="continuous"><xacro:insert_block name="origin"/>
    <parent link="${{parent}}"/><child link="${{name}}"/></joint>
</xacro:macro>
<link name="$(arg side)"/>
<xacro:segment name="b" parent="$(arg side)"><origin xyz="0 0 ${{half}}"/></xacro:segment>
<xacro:if value="${{half > 0}}"><xacro:segment name="c" parent="b"><origin xyz="${{half/2}} 0 0"/></xacro:segment></xacro:if>
</robot>"""

SEEDS: dict[str, tuple[str, ...]] = {
    ".urdf": (URDF,),
    ".xacro": (XACRO,),
    ".toml": (
        toml_models.PENDULUM,
        toml_models.EVERY_JOINT,
        toml_models.PARAMETERS,
        toml_models.LINKAGE,
        toml_models.DISC + toml_models.DISC_SPEEDS,
        BEAM,
    ),
    ".xml": (
        mjcf_models.CHAIN,
        mjcf_models.BALLS,
        mjcf_models.COUPLED,
        mjcf_models.SPRUNG,
        mjcf_models.FOUR_BAR,
    ),
}
