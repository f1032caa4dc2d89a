"""Decisions whose worth shows only in what the passes make of them."""

from __future__ import annotations

from kanegen.codegen.deriving import derive
from kanegen.codegen.graph import count
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism.importers import from_urdf
from kanegen.codegen.passes.optimize import optimize
from kanegen.codegen.passes.prices import cost
from kanegen.codegen.passes.search import search
from kanegen.options import Options

FINGER = """<robot name="finger">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="-0.079 0 0"/><mass value="0.14854"/>
    <inertia ixx="0.00003" ixy="0.00005" ixz="0" iyy="0.00041" iyz="0" izz="0.00041"/></inertial></link>
  <link name="middle"><inertial><origin xyz="0 -0.019 -0.079"/><mass value="0.14854"/>
    <inertia ixx="0.00041" ixy="0" ixz="0" iyy="0.00041" iyz="0.00005" izz="0.00003"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 -0.009 -0.089"/><mass value="0.0307"/>
    <inertia ixx="0.00012" ixy="0" ixz="0" iyy="0.00012" iyz="0" izz="0"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0 0 0"/><mass value="0.01"/>
    <inertia ixx="1.666667e-07" ixy="0" ixz="0" iyy="1.666667e-07" iyz="0" izz="1.666667e-07"/></inertial></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.283"/><axis xyz="-1 0 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="upper"/><child link="middle"/><origin xyz="0 -0.014 0"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="c" type="revolute"><parent link="middle"/><child link="lower"/><origin xyz="0 -0.03745 -0.16"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="f" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="0 -0.008 -0.16"/></joint>
</robot>"""
"""FingerEdu of the Open Dynamic Robot Initiative, its moving links: two parallel hinges, and a mass centre beside them."""


def test_levels_of_a_tip_are_compared_after_the_passes() -> None:
    """The count before them prefers one level of the last origin; after them the other one is cheaper."""
    options = Options(search=60)
    sources = KernelSources(from_urdf(FINGER), options)
    deriver = sources.deriver("inverse_dynamics", searched=True)
    before = search(deriver, {}, 60)
    late = [point for point, d in deriver(before.answers)[1].items() if d.late and d.coarse]
    assert late == ["origin of lower"]
    by_count = cost(count(optimize(before.program)[0]))
    found = count(derive(sources, "inverse_dynamics").program)
    assert cost(found) < by_count
    assert (found.multiplications, found.additions) == (59, 42)
