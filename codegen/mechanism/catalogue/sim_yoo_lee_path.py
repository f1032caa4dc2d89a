"""The straight line of Sim, Yoo & Lee 1985: the motion of the hand, and of the joints of sim_yoo_lee_robot with it.

The hand's point goes straight from the first point of table 2 to the second, at 1.27 m/s but for the first and last
0.25 s, in which its speed grows and falls uniformly.  Its z-x-z Euler angles change in proportion to the way gone.  The
elbow is up.

Joint angles follow in closed form: the end of link 4 lies in the vertical plane of the arm, which gives q1; the hand's
axis zeta, which is the axis of link 6, gives the common pitch of links 2 to 4 and the yaw q5; links 2 and 3 are the sides
of a triangle; the hand's axis xi gives the roll q6.  Rates and accelerations solve the hand's velocity and acceleration
for those of the joints with the robot's Jacobian.

Accelerations jump at the ends of the ramps, so the motion has three phases, and each is smooth with its ends included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.catalogue.sim_yoo_lee_robot import sim_yoo_lee_robot
from kanegen.codegen.mechanism.records import BASE, Mechanism
from kanegen.codegen.mechanism.speeds import JointRate

FloatArray = NDArray[np.float64]

START, END = np.array([2.03, 0.0, 1.02]), np.array([0.0, 1.52, 2.54])
"""Points [m] of table 2."""
START_ANGLES, END_ANGLES = np.radians([90.0, 90.0, 0.0]), np.radians([180.0, 90.0, 90.0])
"""Orientations of table 2: psi, theta, phi [rad]."""
SPEED = 1.27
"""Speed [m/s] between the ramps."""
RAMP = 0.25
"""Duration [s] of each ramp."""

_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class HandMotion:
    """Motion of the hand in the base frame at k times.

    point (k, 3) [m], velocity, acceleration; axes (k, 3, 3) with columns xi, eta, zeta; angular velocity [rad/s] and
    angular acceleration (k, 3).
    """

    point: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    axes: FloatArray
    angular_velocity: FloatArray
    angular_acceleration: FloatArray


@dataclass(frozen=True)
class StraightLine:
    """The motion along the line, from t = 0 to ``duration``, for links of the given lengths l1 ... l6 [m]."""

    lengths: tuple[float, ...]

    @classmethod
    def of_the_paper(cls) -> StraightLine:
        """With the lengths of table 1."""
        numbers = {parameter.name: float(parameter.value) for parameter in sim_yoo_lee_robot().parameters}
        return cls(tuple(numbers[f"l{k}"] for k in range(1, 7)))

    @property
    def length(self) -> float:
        """Length of the line [m]."""
        return float(np.linalg.norm(END - START))

    @property
    def duration(self) -> float:
        """Duration [s]: a ramp takes twice as long as its way takes at full speed."""
        return self.length / SPEED + RAMP

    @cached_property
    def breaks(self) -> tuple[float, float, float, float]:
        """Times [s] at which the phases begin and end."""
        return 0.0, RAMP, self.duration - RAMP, self.duration

    def phases(self, t: ArrayLike) -> NDArray[np.intp]:
        """The phase 0, 1 or 2 of each time; where two phases meet, the later one."""
        return np.searchsorted(self.breaks[1:-1], np.asarray(t, dtype=np.float64), side="right")

    def fraction(self, t: ArrayLike, phase: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The part of the way gone (k,), with its first and second derivative in time [1/s, 1/s^2].

        ``phase`` says which phase's law holds at all of ``t``; by default each time has its own.
        """
        time = np.atleast_1d(np.asarray(t, dtype=np.float64))
        which = self.phases(time) if phase is None else np.full(time.shape, phase)
        full = SPEED / self.length
        slope = full / RAMP
        left = self.duration - time
        laws = (
            (slope * time**2 / 2, slope * time, slope + 0 * time),
            (full * (time - RAMP / 2), full + 0 * time, 0 * time),
            (1 - slope * left**2 / 2, slope * left, -slope + 0 * time),
        )
        value, rate, change = (np.choose(which, [law[k] for law in laws]) for k in range(3))
        return value, rate, change

    def hand(self, t: ArrayLike, phase: int | None = None) -> HandMotion:
        """Motion of the hand at times t (k,) [s]."""
        f, rate, change = (column[:, None] for column in self.fraction(t, phase))
        way = END - START
        turn = END_ANGLES - START_ANGLES
        psi, theta, phi = (START_ANGLES + f * turn).T
        ones = np.ones_like(psi)
        node = np.stack([np.cos(psi), np.sin(psi), 0 * psi], axis=1)
        zeta = np.stack([np.sin(theta) * np.sin(psi), -np.sin(theta) * np.cos(psi), np.cos(theta)], axis=1)
        across = np.cross(zeta, node)
        cosine, sine = np.cos(phi)[:, None], np.sin(phi)[:, None]
        axes = np.stack([cosine * node + sine * across, cosine * across - sine * node, zeta], axis=2)
        # Euler angles turn about the axes z, node and zeta; the second and the third are carried by those before.
        psi_axis = ones[:, None] * _UP
        twist = turn[0] * psi_axis + turn[1] * node + turn[2] * zeta
        carried = np.cross(turn[0] * psi_axis, turn[1] * node)
        carried += np.cross(turn[0] * psi_axis + turn[1] * node, turn[2] * zeta)
        return HandMotion(
            START + f * way, rate * way, change * way, axes, rate * twist, change * twist + rate**2 * carried
        )

    def joints(self, t: ArrayLike, phase: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """q, v, a (k, 6) of the robot's joints at times t (k,): rad, rad/s, rad/s^2."""
        hand = self.hand(t, phase)
        q = self._angles(hand)
        axes, points = self._joint_axes(q)
        arms = hand.point[:, None] - points
        levers = np.cross(axes, arms)
        jacobian = np.concatenate([levers, axes], axis=2).transpose(0, 2, 1)
        v = _solved(jacobian, hand.velocity, hand.angular_velocity)
        turning = v[:, :, None] * axes
        carried = np.cumsum(turning, axis=1) - turning  # angular velocity of the link before each joint
        axis_rates = np.cross(carried, axes)
        steps = np.diff(points, axis=1, prepend=np.zeros((len(q), 1, 3)))
        point_rates = np.cumsum(np.cross(carried, steps), axis=1)
        arm_rates = hand.velocity[:, None] - point_rates
        lever_rates = np.cross(axis_rates, arms) + np.cross(axes, arm_rates)
        a = _solved(
            jacobian,
            hand.acceleration - np.einsum("kij,ki->kj", lever_rates, v),
            hand.angular_acceleration - np.einsum("kij,ki->kj", axis_rates, v),
        )
        return q, v, a

    def _angles(self, hand: HandMotion) -> FloatArray:
        """q (k, 6) from the hand's pose."""
        l1, l2, l3, l4, l5, l6 = self.lengths
        xi, zeta = hand.axes[:, :, 0], hand.axes[:, :, 2]
        wrist = hand.point - (l5 + l6) * zeta
        q1 = np.arctan2(wrist[:, 1], wrist[:, 0])
        outwards = np.stack([np.cos(q1), np.sin(q1), 0 * q1], axis=1)
        sidewards = np.stack([-np.sin(q1), np.cos(q1), 0 * q1], axis=1)
        across = _dot(zeta, sidewards)
        in_plane = zeta - across[:, None] * sidewards
        size = np.linalg.norm(in_plane, axis=1)
        q5 = np.arctan2(across, size)
        link4 = in_plane / size[:, None]
        pitch = np.arctan2(-link4[:, 2], _dot(link4, outwards))
        end3 = wrist - l4 * link4
        x, z = _dot(end3, outwards), end3[:, 2] - l1
        q3 = np.arccos((x**2 + z**2 - l2**2 - l3**2) / (2 * l2 * l3))
        q2 = -np.arctan2(z, x) - np.arctan2(l3 * np.sin(q3), l2 + l3 * np.cos(q3))
        y5 = np.cos(q5)[:, None] * sidewards - np.sin(q5)[:, None] * link4
        z5 = np.cross(zeta, y5)
        q6 = np.arctan2(_dot(xi, z5), _dot(xi, y5))
        return np.stack([q1, q2, q3, pitch - q2 - q3, q5, q6], axis=1)

    def _joint_axes(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Directions of the joints' axes and points on them (k, 6, 3), in the base frame."""
        l1, l2, l3, l4, l5, _ = self.lengths
        q1, q5 = q[:, 0], q[:, 4]
        outwards = np.stack([np.cos(q1), np.sin(q1), 0 * q1], axis=1)
        sidewards = np.stack([-np.sin(q1), np.cos(q1), 0 * q1], axis=1)
        up = np.broadcast_to(_UP, outwards.shape)
        pitches = np.cumsum(q[:, 1:4], axis=1)
        links = [np.cos(pitch)[:, None] * outwards - np.sin(pitch)[:, None] * up for pitch in pitches.T]
        normal4 = np.cross(links[2], sidewards)
        link5 = np.cos(q5)[:, None] * links[2] + np.sin(q5)[:, None] * sidewards
        axes = [up, sidewards, sidewards, sidewards, normal4, link5]
        points = [0 * up, l1 * up]
        for length, link in zip((l2, l3, l4, l5), (*links, link5), strict=True):
            points.append(points[-1] + length * link)
        return np.stack(axes, axis=1), np.stack(points, axis=1)


def _solved(jacobian: FloatArray, linear: FloatArray, angular: FloatArray) -> FloatArray:
    """Joint rates (k, 6) for the hand's linear and angular parts (k, 3)."""
    solution: FloatArray = np.linalg.solve(jacobian, np.concatenate([linear, angular], axis=1)[:, :, None])
    return solution[:, :, 0]


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = np.einsum("ki,ki->k", a, b)
    return product


def robot_on_its_line() -> Mechanism:
    """The robot with driving constraints on its hand: coordinates q1 to q6 and s, the part of the line gone.

    s is the coordinate of a body without mass.  Three equations lead the hand's point along the line, three its axes along
    what the Euler angles psi and phi say, which grow in proportion to s while theta stays pi/2.
    """
    robot = MechanismBuilder.from_mechanism(sim_yoo_lee_robot())
    robot.body("marker", 0)
    robot.prismatic("s", BASE, "marker", (1, 0, 0))
    drive_hand(robot, "s")
    robot.speeds([JointRate("s")])
    line = StraightLine.of_the_paper()
    (middle,), _, _ = line.joints(line.duration / 2)
    robot.home({**{f"q{k}": x for k, x in enumerate(middle, start=1)}, "s": "0.5"})
    return robot.build()


def drive_hand(robot: MechanismBuilder, s: str) -> None:
    """Lead the hand along the line by six equations; ``s`` is the part of it gone, as text."""
    for axis, begin, end in zip("xyz", START, END, strict=True):
        robot.position_constraint(f"hand {axis}", f"hand.{axis} = {begin} + ({end} - {begin})*{s}")
    psi, phi = f"(pi/2 + pi/2*{s})", f"(pi/2*{s})"
    xi = (f"cos{phi}*cos{psi}", f"cos{phi}*sin{psi}", f"sin{phi}")
    robot.position_constraint("hand level", "hand.R33 = 0")
    robot.position_constraint("hand heading", f"hand.R13*cos{psi} + hand.R23*sin{psi} = 0")
    robot.position_constraint(
        "hand roll", " + ".join(f"hand.R{k}2*{x}" for k, x in zip("123", xi, strict=True))
    )
