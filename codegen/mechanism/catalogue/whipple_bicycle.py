"""The Whipple bicycle with the benchmark parameters of Meijaard, Papadopoulos, Ruina & Schwab, Proc. R. Soc. A 463, 2007.

Frames and chain
    x of the base points forward, y to the right, z down; the road is z = 0.  In the nominal position, q = 0, the bicycle
    stands upright with its rear wheel on the origin, and all frames but H's are parallel to the base.  Slides x and y
    carry the rear point of contact, with the frame "contact"; "heading" turns there by yaw about z, "leaning" by lean
    about x.  At the rear hub, (0, 0, -rR) of "leaning", the rear frame B turns by pitch about y, and the rear wheel R by
    rear about y, both relative to "leaning".  The front assembly H turns by steer about the steer axis, which is (sin
    lam, 0, cos lam) and goes through the point w + c in front of the rear contact; H's origin is that point and its z
    the steer axis, so that its frame is turned by lam about y in the nominal position.  The front wheel F turns by front
    about y of H.

Constraints
    Both wheels are thin and roll without slip.  The rear one touches by the construction of the tree, the front one by
    an equation of position, which determines pitch.  The frame "ground" on the base has z up, since wheels are on the
    positive side of their ground.

Generalized speeds
    The rates of lean, steer and rear.  Rolling forward the rate of rear is negative: the wheels turn about +y, to the
    right, with the top towards -x.

Inertia
    Central tensors along the axes of the nominal position, with the products of inertia as entries of the tensor. IRzz =
    IRxx and IFzz = IFxx.
"""

from __future__ import annotations

from kanegen.codegen.graph import Expression
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import JointRate
from kanegen.codegen.mechanism.values import degrees

_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

_PARAMETERS = (
    ("w", "1.02", "m", "wheel base"),
    ("c", "0.08", "m", "trail"),
    ("lam", "0.3141592653589793", "rad", "tilt of the steer axis"),
    ("g", "9.81", "m/s^2", "acceleration of free fall, along z"),
    ("rR", "0.3", "m", "radius of the rear wheel"),
    ("mR", "2", "kg", "mass of the rear wheel"),
    ("IRxx", "0.0603", "kg m^2", "moment of inertia of the rear wheel across its axle"),
    ("IRyy", "0.12", "kg m^2", "moment of inertia of the rear wheel about its axle"),
    ("xB", "0.3", "m", "mass centre of the rear frame, forward of the rear contact"),
    ("zB", "-0.9", "m", "mass centre of the rear frame, down"),
    ("mB", "85", "kg", "mass of the rear frame and the rider"),
    ("IBxx", "9.2", "kg m^2", "moment of inertia of the rear frame about x"),
    ("IBxz", "2.4", "kg m^2", "entry xz of the inertia tensor of the rear frame"),
    ("IBzz", "2.8", "kg m^2", "moment of inertia of the rear frame about z"),
    ("IByy", "11", "kg m^2", "moment of inertia of the rear frame about y"),
    ("xH", "0.9", "m", "mass centre of the front assembly, forward of the rear contact"),
    ("zH", "-0.7", "m", "mass centre of the front assembly, down"),
    ("mH", "4", "kg", "mass of the front assembly: fork and handlebar"),
    ("IHxx", "0.05892", "kg m^2", "moment of inertia of the front assembly about x"),
    ("IHxz", "-0.00756", "kg m^2", "entry xz of the inertia tensor of the front assembly"),
    ("IHzz", "0.00708", "kg m^2", "moment of inertia of the front assembly about z"),
    ("IHyy", "0.06", "kg m^2", "moment of inertia of the front assembly about y"),
    ("rF", "0.35", "m", "radius of the front wheel"),
    ("mF", "3", "kg", "mass of the front wheel"),
    ("IFxx", "0.1405", "kg m^2", "moment of inertia of the front wheel across its axle"),
    ("IFyy", "0.28", "kg m^2", "moment of inertia of the front wheel about its axle"),
)


def whipple_bicycle() -> Mechanism:
    """The bicycle with all the benchmark's parameters live; v = the rates of lean, steer and rear."""
    bicycle = MechanismBuilder("whipple_bicycle")
    p = {name: bicycle.parameter(name, value, unit, text) for name, value, unit, text in _PARAMETERS}
    bicycle.gravity((0, 0, p["g"]))
    _add_bodies(bicycle, p)

    lam = p["lam"]
    hub = (0, 0, -p["rR"])
    bicycle.prismatic("x", BASE, "along", _X)
    bicycle.prismatic("y", "along", "sideways", _Y)
    bicycle.revolute("yaw", "sideways", "heading", _Z)
    bicycle.revolute("lean", "heading", "leaning", _X)
    bicycle.revolute("pitch", "leaning", "B", _Y, position=hub)
    bicycle.revolute("steer", "B", "H", _Z, position=(p["w"] + p["c"], 0, p["rR"]), rotation=(0, lam, 0))
    bicycle.revolute("front", "H", "F", _Y, position=_in_front(lam, -p["c"], -p["rF"]))
    bicycle.revolute("rear", "leaning", "R", _Y, position=hub)
    bicycle.coordinates(("x", "y", "yaw", "lean", "pitch", "steer", "rear", "front"))

    along_axle = (degrees(-90), 0, 0)
    bicycle.frame("ground", BASE, rotation=(degrees(180), 0, 0))
    bicycle.frame("contact", "heading")
    bicycle.frame("rear_axle", "R", rotation=along_axle)
    bicycle.frame("front_axle", "F", rotation=along_axle)
    bicycle.rolling("rear_contact", "rear_axle", p["rR"], ground="ground", contact="contact")
    bicycle.rolling("front_contact", "front_axle", p["rF"], ground="ground")
    bicycle.speeds(JointRate(joint) for joint in ("lean", "steer", "rear"))
    bicycle.home((0,) * 8)
    return bicycle.build()


def _add_bodies(bicycle: MechanismBuilder, p: dict[str, Expression]) -> None:
    """The four bodies, and those between the slides and turns of the rear contact, which have no inertia."""
    for carrier in ("along", "sideways", "heading", "leaning"):
        bicycle.body(carrier)
    bicycle.body(
        "B",
        mass=p["mB"],
        center=(p["xB"], 0, p["zB"] + p["rR"]),
        inertia=(p["IBxx"], p["IByy"], p["IBzz"], 0, p["IBxz"], 0),
    )
    bicycle.body(
        "H",
        mass=p["mH"],
        center=_in_front(p["lam"], p["xH"] - p["w"] - p["c"], p["zH"]),
        inertia=(p["IHxx"], p["IHyy"], p["IHzz"], 0, p["IHxz"], 0),
        inertia_rotation=(0, -p["lam"], 0),
    )
    bicycle.body("F", mass=p["mF"], inertia=(p["IFxx"], p["IFyy"], p["IFxx"]))
    bicycle.body("R", mass=p["mR"], inertia=(p["IRxx"], p["IRyy"], p["IRxx"]))


def _in_front(lam: Expression, x: Expression, z: Expression) -> tuple[Expression, int, Expression]:
    """A vector of the nominal position's xz plane, in the frame of the front assembly."""
    s, c = lam.sine(), lam.cosine()
    return c * x - s * z, 0, s * x + c * z
