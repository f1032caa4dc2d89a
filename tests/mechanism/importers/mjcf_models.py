"""MJCF texts, each with features that could be read wrongly."""

from __future__ import annotations

BOX = '<geom type="box" size="0.05 0.08 0.15" pos="0.06 0.02 -0.1" euler="20 -30 40"/>'
BALL = '<geom size="0.06" pos="0.02 0.03 0.1"/>'
INERTIAL = '<inertial pos="0.05 -0.02 0.1" mass="1.3" fullinertia="0.03 0.04 0.05 0.001 -0.002 0.003"/>'


def mujoco(world: str, outside: str = "", options: str = "", compiler: str = "") -> str:
    """A document of these parts."""
    return (
        f'<mujoco model="m"><compiler {compiler}/><option {options}/>'
        f"<worldbody>{world}</worldbody>{outside}</mujoco>"
    )


CHAIN = mujoco(
    f"""<body name="a" pos="0.1 0.2 0.3" euler="10 20 30"><joint name="j1" axis="1 2 -1"/>{BOX}
      <body name="b" pos="0.3 0 0.1" quat="0.5 0.5 -0.5 0.5"><joint name="j2" type="slide" axis="0 1 1"/>{INERTIAL}
        <body name="c" pos="0 0.2 0" axisangle="1 1 0 50"><joint name="j3" axis="0 0 1" pos="0.1 -0.2 0.05"/>{BALL}
          <site name="tool" pos="0 0 0.1" euler="0 90 0"/></body></body></body>""",
    options='gravity="1 -2 -9"',
)
"""A hinge, a slide and a hinge off its body's origin; inertia from geoms and given; turned frames everywhere."""

REFERENCES = mujoco(
    f"""<body name="a"><joint name="j1" axis="0 1 0" ref="30" springref="-20" stiffness="3"/>{BOX}
      <body name="b" pos="0.3 0 0"><joint name="j2" type="slide" axis="1 0 1" ref="0.2" stiffness="50"/>{BALL}
        <body name="c" pos="0.1 0 0"><joint name="j3" axis="1 1 1" ref="-100" pos="0.1 0.1 0"/>{BOX}</body></body></body>"""
)
"""Coordinates that are not zero where the file places the bodies, with springs."""

SEVERAL = mujoco(
    f"""<body name="a" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <joint name="pitch" axis="0 1 0" pos="0 0 0.2"/><joint name="roll" axis="1 0 0" pos="0 0.1 0"/>{BOX}
      <body name="b" pos="0 0 0.4"><joint name="k1" axis="0 0 1" pos="0.05 0 0"/><joint name="k2" axis="0 1 0"/>{BALL}</body>
    </body>"""
)
"""Several joints in one body, with anchors of their own."""

BALLS = mujoco(
    f"""<body name="a" pos="0 0 1" euler="0 30 0"><joint name="ball" type="ball" pos="0.1 0.02 -0.03" armature="0.07"/>{BOX}
      <body name="b" pos="0.2 0 0.3"><joint name="mixed" axis="0 1 0"/>
        <joint name="wrist" type="ball" pos="0 0 0.05"/>{INERTIAL}</body></body>"""
)
"""Ball joints off the origin, after a hinge, with armature."""

FLOATING = mujoco(
    f"""<body name="trunk" pos="1 2 3" euler="40 50 60"><freejoint name="root"/>{BOX}
      <body name="left" pos="0 0.3 0"><joint name="l1" axis="0 1 0" armature="0.2"/>{BALL}
        <body name="foot" pos="0 0 -0.4" euler="5 0 0">{BALL}</body></body>
      <body name="right" pos="0 -0.3 0"><joint name="r1" axis="0 1 0"/>{INERTIAL}</body></body>
    <body name="pendulum"><joint name="p" axis="1 0 0"/>{BALL}</body>"""
)
"""A free body with branches and a welded foot, and another tree beside it."""

COUPLED = mujoco(
    f"""<body name="a"><joint name="j1" axis="0 0 1" ref="10"/>{BOX}
      <body name="b" pos="0.3 0 0"><joint name="j2" axis="0 1 0" ref="-20"/>{BALL}
        <body name="c" pos="0.3 0 0"><joint name="j3" type="slide" axis="1 0 0"/>{BOX}
          <body name="d" pos="0.1 0 0"><joint name="j4" axis="0 1 0"/>{BALL}</body></body></body></body>""",
    """<equality><joint joint1="j2" joint2="j1" polycoef="0.1 -2 0 0 0"/><joint joint1="j3" joint2="j2" polycoef="0 0.5"/>
      <joint joint1="j4" polycoef="0.3 0 0 0 0"/><joint joint1="j1" joint2="j4" active="false"/></equality>""",
)
"""A follower, a follower of the follower, a joint that is held, and an equality that does not hold."""

SPRUNG = mujoco(
    f"""<site name="wall" pos="0 0 2"/><body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0"/>
      {BOX}<site name="p" pos="0.2 0 0"/>
      <body name="b" pos="0.4 0 0"><joint name="j2" axis="0 1 0"/>{BALL}<site name="q" pos="0 0 -0.1"/></body></body>""",
    """<tendon><spatial name="t1" stiffness="40" damping="3" springlength="0.7"><site site="wall"/><site site="q"/></spatial>
      <spatial name="t2" stiffness="25"><site site="p"/><site site="q"/></spatial>
      <spatial name="t3"><site site="p"/><site site="wall"/><site site="q"/></spatial></tendon>""",
)
"""Springs along straight tendons; one more tendon without any force."""

DRIVEN = mujoco(
    f"""<body name="a"><joint name="j1" axis="0 0 1" damping="0.5" frictionloss="0.2" armature="0.1"
        range="-30 60" limited="true" actuatorfrclimited="true" actuatorfrcrange="-5 7"/>{BOX}
      <body name="b" pos="0.2 0 0"><joint name="j2" type="slide" axis="0 1 0" armature="0.3"/>{BALL}</body></body>""",
    """<actuator><motor joint="j1" gear="50"/><position joint="j2" kp="100"/></actuator>""",
)
"""Damping, friction, armature, limits, actuators."""

FOUR_BAR = mujoco(
    """<body name="crank"><joint name="crank" axis="0 1 0"/><inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.001"/>
      <body name="coupler" pos="0 0 0.2"><joint name="coupler" axis="0 1 0"/>
        <inertial pos="0.2 0 0" mass="1" diaginertia="0.001 0.01 0.01"/></body></body>
    <body name="rocker" pos="0.4 0 0"><joint name="rocker" axis="0 1 0"/>
      <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.001"/></body>""",
    """<equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.4 0 0"/></equality>
    <actuator><motor joint="rocker"/></actuator>""",
)
"""A parallelogram closed by a connect, redundant in space, driven at the rocker."""

TREES = {
    "chain": CHAIN,
    "references": REFERENCES,
    "several": SEVERAL,
    "balls": BALLS,
    "floating": FLOATING,
    "coupled": COUPLED,
    "sprung": SPRUNG,
    "driven": DRIVEN,
}
