"""Small URDF texts for the tests."""

from __future__ import annotations

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def robot(*parts: str, name: str = "r") -> str:
    """A robot of these elements, each on a line of its own; the first is on line 2."""
    return "\n".join([f'<robot name="{name}">', *parts, "</robot>"])


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, inside: str = "", kind: str = "continuous") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def pendulum(inside: str = "", kind: str = "continuous", body: str = INERTIAL) -> str:
    """A root link "a" and a joint "j" (line 4) with a link "b" (line 3)."""
    return robot(link("a", ""), link("b", body), joint("j", "a", "b", inside, kind))
