"""The tables of a TOML file and their keys.  An exclamation mark stands for a key that must be there."""

from __future__ import annotations

_PLACED = "position rotation"
_DRIVEN = "limits damping friction rotor_inertia gear_ratio mimic"
_INERTIA = "mass center inertia inertia_rotation"

ROOT = (
    "name description gravity parameters coordinates home speeds "
    "body beam flexible joint frame payload loop rolling knife_edge equation prescribed spring bushing speed law actuator "
    "dh"
)
"""At the top: names and numbers, a table of parameters, and arrays of tables."""

PARAMETER = "value! unit description"
BODY = f"name! {_INERTIA} carrier"
_ALONG = "EI_y EI_z GJ section_y section_z stiffness damping_time damping"
BEAM = f"name! length! mass_per_length! mode! {_ALONG} appendage station"
MODE = "name! y z twist"
APPENDAGE = "at! mass! center inertia"
FLEXIBLE = "name! mode! mass! center inertia first_moment second_moment stiffness! damping end! station"
INTEGRALS = "name! first! mixed! products!"
STATION = "position! displacements! rotations!"
FRAME = f"name! body! {_PLACED}"
PAYLOAD = "name! frame! mass! center inertia inertia_rotation"
LIMITS = "lower upper velocity effort"
MIMIC = "joint! multiplier offset"
LOOP = "name! type! first! second!"
ROLLING = "name! wheel! radius! ground contact"
KNIFE_EDGE = "name! edge! ground"
EQUATION = "name! position velocity"
PRESCRIBED = "joint! rate motion table"
SPRING = (
    "name! joint first second path joints coefficients stiffness damping rest lower upper points beyond force energy "
    "resistance quadratic_damping cubic_damping friction static_friction stribeck_speed slip_speed stops dissipation"
)
BUSHING = "name! first! second! stiffness! damping"
SPEED = "joint body frame direction relative_to first second name velocity"
LAW = "name! forces! title source state references quantity"
LAW_STATE = "name! rate! initial"
LAW_QUANTITY = "name! kernel!"
"""And the inputs of the kernel."""
LAWS = {
    "pd": "name! type! kp! kd target gravity limit",
    "pid": "name! type! kp! ki! kd target gravity limit tracking_time",
    "computed_torque": "name! type! kp! kd! target",
    "impedance": "name! type! frame! stiffness! damping! target gravity",
}
"""Keys of a law of the library by its type."""
ACTUATOR = "joint! sign name"
DH = f"convention! parent {_PLACED} tool row!"
DH_TOOL = f"name {_PLACED}"
DH_ROW = "theta d a alpha type joint link mass center inertia about limits damping friction rotor_inertia gear_ratio"

JOINTS = {
    "fixed": _PLACED,
    "revolute": f"axis! {_PLACED} {_DRIVEN}",
    "prismatic": f"axis! {_PLACED} {_DRIVEN}",
    "spherical": _PLACED,
    "floating": _PLACED,
    "planar": f"axis! {_PLACED}",
    "cylindrical": f"axis! {_PLACED}",
    "universal": f"axis! second_axis! {_PLACED}",
    "helical": f"axis! pitch! {_PLACED}",
}
"""Keys of a joint by its type, beside ``JOINT``."""

JOINT = "name! type! parent! child!"

WORDS = {
    **dict.fromkeys(("hinge", "rotary", "rotational", "pin", "turn"), "revolute"),
    **dict.fromkeys(("slide", "slider", "linear", "translational"), "prismatic"),
    **dict.fromkeys(("ball", "socket"), "spherical"),
    **dict.fromkeys(("free", "freeflyer", "6dof"), "floating"),
    **dict.fromkeys(("cardan", "hooke", "gimbal"), "universal"),
    **dict.fromkeys(("screw",), "helical"),
    **dict.fromkeys(("weld", "welded", "rigid"), "fixed"),
}
"""What other programs and people call the types of joints."""
