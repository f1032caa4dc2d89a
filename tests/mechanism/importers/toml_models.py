"""TOML texts of mechanisms."""

from __future__ import annotations

PENDULUM = """\
name = "pendulum"
[[body]]
name = "rod"
mass = 2
center = [0, 0, -0.5]
inertia = [0.1, 0.1, 0.01]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
"""

EVERY_JOINT = """\
name = "joints"
gravity = [0, -1, -9]
coordinates = ["slide", "turn", "ball", "flat_x", "flat_y", "flat_angle", "tube_angle", "tube_slide", "cross_1",
               "cross_2", "screw", "free"]
[[joint]]
name = "turn"
type = "continuous"
parent = "base"
child = "b1"
axis = [0, 0, 2]
position = [0.1, 0.2, 0.3]
rotation = [0.1, 0.2, "pi/2"]
limits = { lower = "-pi/2", upper = 1.5, velocity = 2, effort = 30 }
damping = 0.1
friction = 0.2
rotor_inertia = 1e-4
gear_ratio = 100
[[joint]]
name = "slide"
type = "prismatic"
parent = "b1"
child = "b2"
axis = [1, 0, 0]
rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
[[joint]]
name = "follower"
type = "revolute"
parent = "b2"
child = "b3"
axis = [0, 1, 0]
mimic = { joint = "turn", multiplier = -2, offset = 0.1 }
[[joint]]
name = "weld"
type = "fixed"
parent = "b3"
child = "b4"
position = [0, 0, 1]
[[joint]]
name = "ball"
type = "spherical"
parent = "b1"
child = "b5"
[[joint]]
name = "flat"
type = "planar"
parent = "b1"
child = "b6"
axis = [0, 0, 1]
[[joint]]
name = "tube"
type = "cylindrical"
parent = "b1"
child = "b7"
axis = [0, 0, 1]
[[joint]]
name = "cross"
type = "universal"
parent = "b1"
child = "b8"
axis = [1, 0, 0]
second_axis = [0, 1, 0]
[[joint]]
name = "screw"
type = "helical"
parent = "b1"
child = "b9"
axis = [0, 0, 1]
pitch = 0.01
[[joint]]
name = "free"
type = "floating"
parent = "base"
child = "b10"
[[body]]
name = "b10"
[[frame]]
name = "camera"
body = "b4"
position = [0, 0.1, 0]
rotation = [0, "pi", 0]
[[payload]]
name = "box"
frame = "camera"
mass = 3
center = [0, 0, 0.1]
inertia = [0.1, 0.2, 0.25, 0.01, 0, 0]
inertia_rotation = [0, 0, 0.3]
[[actuator]]
joint = "turn"
sign = -1
name = "motor"
""" + "".join(f'[[body]]\nname = "b{i}"\nmass = {i}\ninertia = [1, 1, 1]\n' for i in range(1, 10))

PARAMETERS = """\
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
m = { value = 2.5, unit = "kg", description = "mass of the rod" }
L = { value = "0.4", unit = "m" }
[[body]]
name = "rod"
mass = "m"
center = ["L*sin(30*deg)", 0, "-L/2"]
inertia = ["m*L**2/12", "m*(L**2)/12 - 0", "+1e-3"]
[[joint]]
name = "q"
type = "revolute"
parent = "base"
child = "rod"
axis = [0, 1, 0]
"""

LINKAGE = """\
speeds = ["crank"]
home = [0, 0, 0]
[parameters]
k = 5
[[body]]
name = "one"
mass = 1
[[body]]
name = "two"
mass = 1
[[body]]
name = "three"
mass = 1
[[joint]]
name = "crank"
type = "revolute"
parent = "base"
child = "one"
axis = [0, 1, 0]
[[joint]]
name = "coupler"
type = "revolute"
parent = "one"
child = "two"
axis = [0, 1, 0]
position = [0, 0, 0.2]
[[joint]]
name = "rocker"
type = "revolute"
parent = "base"
child = "three"
axis = [0, 1, 0]
position = [0.4, 0, 0]
[[frame]]
name = "tip"
body = "two"
position = [0.4, 0, 0]
[[frame]]
name = "top"
body = "three"
position = [0, 0, 0.2]
[[loop]]
name = "pin"
type = "spherical"
first = "tip"
second = "top"
[[spring]]
name = "return"
joint = "rocker"
stiffness = "2*k"
damping = 0.1
rest = 0.2
[[spring]]
name = "rubber"
first = "one"
second = "top"
stiffness = "k"
"""

DISC = """\
coordinates = ["x", "y", "yaw", "lean", "spin"]
home = [0, 0, 0, 0.2, 0]
[[joint]]
name = "x"
type = "prismatic"
parent = "base"
child = "a"
axis = [1, 0, 0]
[[joint]]
name = "y"
type = "prismatic"
parent = "a"
child = "b"
axis = [0, 1, 0]
[[joint]]
name = "yaw"
type = "revolute"
parent = "b"
child = "c"
axis = [0, 0, 1]
[[joint]]
name = "lean"
type = "revolute"
parent = "c"
child = "d"
axis = [1, 0, 0]
[[joint]]
name = "spin"
type = "revolute"
parent = "d"
child = "disc"
axis = [0, 1, 0]
position = [0, 0, 0.3]
[[body]]
name = "a"
[[body]]
name = "b"
[[body]]
name = "c"
[[body]]
name = "d"
[[body]]
name = "disc"
mass = 1
inertia = [0.01, 0.02, 0.01]
[[frame]]
name = "wheel"
body = "disc"
rotation = ["-pi/2", 0, 0]
[[rolling]]
name = "rolls"
wheel = "wheel"
radius = 0.3
contact = "d"
"""
DISC_SPEEDS = """\
[[speed]]
body = "disc"
direction = [0, 1, 0]
[[speed]]
joint = "yaw"
[[speed]]
joint = "lean"
"""

ROTOR = """\
[[body]]
name = "rotor"
mass = 1
[[joint]]
name = "spin"
type = "revolute"
parent = "base"
child = "rotor"
axis = [0, 0, 1]
"""

DH = """\
name = "arm"
gravity = [0, 0, -9.81]
[[dh]]
convention = "{convention}"
position = [0, 0, 0.5]
rotation = [0, 0, "pi/4"]
tool = {{ name = "gripper", position = [0, 0, 0.1], rotation = [0, "pi/2", 0] }}
[[dh.row]]
theta = 0.1
d = 0.3
a = 0.2
alpha = "pi/2"
mass = 2
center = [0.1, 0, 0]
inertia = [0.1, 0.2, 0.25]
[[dh.row]]
type = "prismatic"
joint = "reach"
link = "boom"
theta = "pi"
d = 0.4
alpha = "-90*deg"
mass = 1
inertia = [1, 1, 1]
about = "origin"
damping = 5
limits = {{ lower = 0, upper = 0.8 }}
"""
