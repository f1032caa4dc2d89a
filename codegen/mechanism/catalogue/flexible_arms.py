"""Arms with flexible links, after Book (1983): one link that slews, planar and spatial arms of two, six axes with two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kanegen.codegen.graph.late import sympy
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.flexible import Appendage, Beam, BeamFunction, Mode, RodFunction
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.scenarios import ControlledMotion, Scenario
from kanegen.codegen.mechanism.values import Scalar

_SIX = ("q1", "q2", "d21", "d22", "d23", "q3", "d31", "d32", "d33", "q4", "q5", "q6")
"""The coordinates of the arm with six axes."""

_REACH = {"q1": "1", "q2": "-0.6", "q3": "0.9", "q4": "0.5", "q5": "-0.7", "q6": "0.3"}
"""Where its feedback moves it [rad]."""

_CUBIC = (0, 0, "1.5", "-0.5")
"""Deflection of a cantilever under a load at its end, 1 there."""


def flexible_one_link() -> Mechanism:
    """A hub that turns about the vertical, and an aluminium strip with a load at its end; three clamped-free modes."""
    b = MechanismBuilder("flexible_one_link")
    length = b.parameter("l", "1.2", "m", "length of the strip")
    density = b.parameter("mu", "0.54", "kg/m", "mass of the strip per length")
    stiffness = b.parameter("EI", "36", "N m^2", "stiffness of the strip against bending")
    load = b.parameter("m_load", "0.1", "kg", "mass of the load at the end")
    strip = Beam(
        length,
        density,
        tuple(Mode(f"d1{k}", y=BeamFunction("clamped-free", k)) for k in (1, 2, 3)),
        EI_z=stiffness,
        damping_time="0.0002",
        appendages=(Appendage(0, 1, inertia=("0.01", "0.01", "0.02")), Appendage(length, load)),
    )
    b.flexible("link1", strip)
    b.revolute("q1", "base", "link1", (0, 0, 1))
    b.frame("tip", "link1", (length, 0, 0))
    _slew_law(b)
    return b.build()


def _two_links(
    name: str, gravity: Sequence[Scalar], twists: Sequence[Scalar], modes: Callable[[int], Sequence[Mode]]
) -> MechanismBuilder:
    """Two flexible links with hinges about z, whose joint frames are turned about x by ``twists`` [rad]."""
    b = MechanismBuilder(name, gravity=gravity)
    last: str = "base"
    end: Scalar = 0
    for i, (length, density) in enumerate((("1", "1.2"), ("0.8", "0.9")), start=1):
        l_i = b.parameter(f"l{i}", length, "m", f"length of link {i}")
        mu_i = b.parameter(f"mu{i}", density, "kg/m", f"mass of link {i} per length")
        EI_z = b.parameter(f"EIz{i}", 40, "N m^2", f"stiffness of link {i} against bending in y")
        EI_y: Scalar = 0
        GJ: Scalar = 0
        if len(modes(i)) > 1:
            EI_y = b.parameter(f"EIy{i}", 60, "N m^2", f"stiffness of link {i} against bending in z")
            GJ = b.parameter(f"GJ{i}", 30, "N m^2", f"stiffness of link {i} against twist")
        b.flexible(f"link{i}", Beam(l_i, mu_i, modes(i), EI_y, EI_z, GJ))
        b.revolute(f"q{i}", last, f"link{i}", (0, 0, 1), position=(end, 0, 0), rotation=(twists[i - 1], 0, 0))
        last, end = f"link{i}", l_i
    b.frame("tip", last, (end, 0, 0))
    return b


def flexible_two_link() -> Mechanism:
    """A planar arm of two links, each with the shape of a cantilever under a load at its end, in gravity along -y."""
    b = _two_links("flexible_two_link", (0, "-9.81", 0), (0, 0), lambda i: (Mode(f"d{i}1", y=_CUBIC),))
    return b.build()


def flexible_two_link_spatial() -> Mechanism:
    """A spatial arm of two links, each with a mode in y and one that bends in z while it twists."""
    b = _two_links(
        "flexible_two_link_spatial",
        (1, -9, -3),
        ("0.3", "1.1"),
        lambda i: (Mode(f"d{i}1", y=_CUBIC), Mode(f"d{i}2", z=(0, 0, 1), twist=(0, "0.7"))),
    )
    return b.build()


def flexible_six_axis() -> Mechanism:
    """Six axes; upper arm and forearm bend in two directions and twist: twelve coordinates (n = 6, n_f = 2, m = 3)."""
    b = MechanismBuilder("flexible_six_axis")

    def tube(number: int, length: Scalar, density: Scalar, EI: Scalar, GJ: Scalar, end: Scalar) -> Beam:
        bending, twist = BeamFunction("clamped-free", 1), RodFunction(1)
        modes = (
            Mode(f"d{number}1", y=bending),
            Mode(f"d{number}2", z=bending),
            Mode(f"d{number}3", twist=twist),
        )
        return Beam(
            length,
            density,
            modes,
            EI_y=EI,
            EI_z=EI,
            GJ=GJ,
            section_y="0.004",
            section_z="0.004",
            damping_time="0.0002",
            appendages=(
                Appendage(0, 4, (0, "0.04", 0), ("0.03", "0.02", "0.03")),
                Appendage(length, end, (0, 0, 0), ("0.012", "0.01", "0.012")),
            ),
        )

    b.body("turret", 12, (0, 0, "0.1"), ("0.3", "0.3", "0.2"))
    b.flexible("upper_arm", tube(2, "1.2", "4.1", 9000, 7000, 4))
    b.flexible("forearm", tube(3, 1, "2.5", 4000, 3200, 2))
    b.body("wrist", "1.5", ("0.03", 0, 0), ("0.006", "0.005", "0.005"))
    b.body("fork", "1.1", (0, 0, 0), ("0.003", "0.003", "0.003"))
    b.body("hand", 2, ("0.1", "0.02", 0), ("0.005", "0.009", "0.01"))
    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    b.revolute("q1", "base", "turret", z, position=(0, 0, "0.4"))
    b.revolute("q2", "turret", "upper_arm", y, position=(0, 0, "0.3"))
    b.revolute("q3", "upper_arm", "forearm", y, position=("1.2", 0, 0))
    b.revolute("q4", "forearm", "wrist", x, position=(1, 0, 0))
    b.revolute("q5", "wrist", "fork", y, position=("0.08", 0, 0))
    b.revolute("q6", "fork", "hand", x)
    b.frame("tool", "hand", ("0.2", 0, 0))
    gains = {
        "q1": (900, 150),
        "q2": (4000, 250),
        "q3": (1500, 80),
        "q4": (60, 3),
        "q5": (60, 4),
        "q6": (20, 1),
    }
    law = {name: (k, c, _REACH[name]) for name, (k, c) in gains.items()}
    _law(b, "hold_law", _SIX, law, "positions of the joints to a target, and their rates")
    return b.build()


def _slew_law(b: MechanismBuilder) -> None:
    """A stiff hub that follows theta(t) = 60 degrees t^4 / (t^4 + T^4), T = 0.6 s: within a second, without a corner."""
    t, q, v = sympy.Symbol("t"), sympy.symbols("q1 d11 d12 d13"), sympy.symbols("v_q1 v_d11 v_d12 v_d13")
    theta = sympy.pi / 3 * t**4 / (t**4 + sympy.Rational("0.6") ** 4)
    torque = 400 * (theta - q[0]) + 30 * (theta.diff(t) - v[0])
    title = "the hub follows a smooth slew to 60 degrees"
    source = "proportional and derivative feedback"
    b.law("slew_law", [torque, 0, 0, 0], t, q, v, title=title, source=source)


def _law(
    b: MechanismBuilder,
    name: str,
    coordinates: Sequence[str],
    gains: Mapping[str, tuple[int, int, sympy.Expr | str]],
    what: str,
) -> None:
    """A law tau = stiffness (target - q) - damping v for some coordinates; the others bear no load."""
    t, q = sympy.Symbol("t"), sympy.symbols(list(coordinates))
    v = sympy.symbols([f"v_{coordinate}" for coordinate in coordinates])
    forces = []
    for coordinate, position, rate in zip(coordinates, q, v, strict=True):
        k, c, target = gains.get(coordinate, (0, 0, sympy.Integer(0)))
        aim = sympy.Rational(target) if isinstance(target, str) else target
        forces.append(k * (aim - position) - c * rate)
    b.law(name, forces, t, q, v, title=f"feedback of {what}", source="proportional and derivative feedback")


FLEXIBLE_ARMS: Mapping[str, Callable[[], Mechanism]] = {
    "flexible_one_link": flexible_one_link,
    "flexible_two_link": flexible_two_link,
    "flexible_two_link_spatial": flexible_two_link_spatial,
    "flexible_six_axis": flexible_six_axis,
}

_SOURCE = "arms with flexible links: Book, Recursive Lagrangian Dynamics, CMU-RI-TR-83-23, 1983"


def _motion(
    name: str,
    title: str,
    duration: float,
    start: Sequence[float],
    targets: Sequence[float | None],
    deflected: tuple[str, ...],
    watched: tuple[str, ...],
    law: str | None = None,
) -> ControlledMotion:
    return ControlledMotion(
        name=name,
        title=title,
        source=_SOURCE,
        duration=duration,
        law=law,
        start=tuple(start),
        targets=tuple(targets),
        watched=watched,
        rtol=1e-6,
        atol=1e-8,
        deflected=deflected,
    )


def flexible_one_link_scenarios() -> tuple[Scenario, ...]:
    """``slew``: the hub turns within a second, and the strip rings."""
    targets = (float(sympy.pi / 3), 0.0, 0.0, 0.0)
    title = "a slew by 60 degrees, and the ringing of the end"
    return (_motion("slew", title, 5.0, [0.0] * 4, targets, ("link1",), ("q1",), "slew_law"),)


def flexible_two_link_scenarios() -> tuple[Scenario, ...]:
    """``fall``: from the horizontal, straight and at rest."""
    watched, title = ("q1", "q2"), "a fall from the horizontal, straight and at rest"
    return (_motion("fall", title, 5.0, [0.0] * 4, [None] * 4, ("link1", "link2"), watched),)


def flexible_two_link_spatial_scenarios() -> tuple[Scenario, ...]:
    """``fall``: from rest, straight."""
    title = "a fall from rest, straight"
    return (_motion("fall", title, 5.0, [0.0] * 6, [None] * 6, ("link1", "link2"), ("q1", "q2")),)


def flexible_six_axis_scenarios() -> tuple[Scenario, ...]:
    """``reach``: feedback on the joints to a target."""
    targets = [float(_REACH[name]) if name in _REACH else None for name in _SIX]
    title = "feedback of the six joints; weight and motion bend upper arm and forearm"
    watched = ("q1", "q2", "q3", "q5")
    return (_motion("reach", title, 3.0, [0.0] * 12, targets, ("upper_arm", "forearm"), watched, "hold_law"),)


FLEXIBLE_SCENARIOS: Mapping[str, Callable[[], tuple[Scenario, ...]]] = {
    "flexible_one_link": flexible_one_link_scenarios,
    "flexible_two_link": flexible_two_link_scenarios,
    "flexible_two_link_spatial": flexible_two_link_spatial_scenarios,
    "flexible_six_axis": flexible_six_axis_scenarios,
}
