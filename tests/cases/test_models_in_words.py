"""Words and wishes that a model cannot take as they are (cases 67 and 91): the message says what is meant."""

from __future__ import annotations

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.toml import from_toml

from .files import LoadText

LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="one"><link name="base"/><link name="b">{LINK}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""


def test_live_parameters_of_a_file_without_any(load_text: LoadText) -> None:
    """Case 67: asked for live parameters of a URDF, which can declare none, load says so."""
    with pytest.raises(ModelError, match="declares no parameters, so that none can be kept live"):
        load_text(URDF, "mass_matrix", live_parameters=True)


def test_powers_with_a_circumflex() -> None:
    """Case 91: L^2 is met with how a power is written."""
    with pytest.raises(ModelError, match=r"a power is written with \*\*, as in L\*\*2"):
        from_toml('parameters = { L = 2 }\nbody = [{ name = "b", mass = "L^2" }]\n')
