"""What the quantities of the derivations are called and mean: one row for each kind of quantity.

Rows are filled in with words: of bodies ``{0}`` is the body's name, ``{1}`` its parent's, ``{2}`` its number, ``{3}`` the
letter of its joint's axis, ``{4}`` its joint; ``{axes}`` are components as letters, ``{first}`` is the first as a number.
Names are those of variables in C, so they are plain identifiers if names of bodies are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from kanegen.codegen.graph import Expression, Graph, Kind
from kanegen.codegen.graph.meaning import Meaning, latex_name


class _Row(NamedTuple):
    name: str
    latex: str
    text: str
    unit: str


_INERTIA = "kg m^2"
_ALONG = "component {axes} along the axes of {0}"
_ALONG_OTHER = "component {axes} along the axes of {2}"

_QUANTITIES: Mapping[str, _Row] = {
    # geometry
    "position": _Row(
        "p_{0}_{axes}", r"p^{{{0}}}_{{{axes}}}", "position of the origin of {0} in {1}, component {axes}", "m"
    ),
    "rotation": _Row(
        "R_{0}_{axes}",
        r"R^{{{0}}}_{{{axes}}}",
        "entry {axes} of the rotation matrix of {0}, base from body",
        "1",
    ),
    "rotation before": _Row(
        "R_{0}_joint_{axes}",
        r"R^{{{0}}}_{{0,{axes}}}",
        "entry {axes} of the rotation matrix of the joint's frame of {0}, base from that frame",
        "1",
    ),
    "origin": _Row(
        "o_{0}_{axes}",
        r"o^{{{0}}}_{{{axes}}}",
        "position of the origin of {0} in the base, component {axes}",
        "m",
    ),
    "place": _Row(
        "r_{0}_{axes}", r"r^{{{0}}}_{{{axes}}}", "position of frame {0} in the base, component {axes}", "m"
    ),
    "direction": _Row(
        "R_{0}_{axes}",
        r"R^{{{0}}}_{{{axes}}}",
        "entry {axes} of the rotation matrix of frame {0}, base from frame",
        "1",
    ),
    # motion of a body
    "w": _Row("w_{0}_{axes}", r"\omega^{{{0}}}_{{{axes}}}", f"angular velocity of {{0}}, {_ALONG}", "rad/s"),
    "wj": _Row(
        "w_{1}_{2}_{first}",
        r"\omega^{{{1}}}_{{{0}\,{axes}}}",
        "angular velocity of {1}, component {axes} in the joint's frame of {0}",
        "rad/s",
    ),
    "alpha": _Row(
        "alpha_{0}_{axes}",
        r"\alpha^{{{0}}}_{{{axes}}}",
        f"angular acceleration of {{0}}, {_ALONG}",
        "rad/s^2",
    ),
    "alphaj": _Row(
        "alpha_{1}_{2}_{first}",
        r"\alpha^{{{1}}}_{{{0}\,{axes}}}",
        "angular acceleration of {1}, component {axes} in the joint's frame of {0}",
        "rad/s^2",
    ),
    "U": _Row(
        "U_{0}_{axes}",
        r"U^{{{0}}}_{{{axes}}}",
        "entry {axes} of U = skew(alpha) + skew(w) skew(w) of {0}, with which its points accelerate by a + U r",
        "1/s^2",
    ),
    "column": _Row(
        "U_{0}_{axes}{3}",
        r"U^{{{0}}}_{{{axes}{3}}}",
        "entry {axes}{3} of U of {0}, that of {1} too, since joint {4} turns about this axis",
        "1/s^2",
    ),
    "columnj": _Row(
        "U_{2}_{first}",
        r"U^{{{1}}}_{{{0}\,{axes}{3}}}",
        "entry {axes}{3} of U of {1}, in the joint's frame of {0}",
        "1/s^2",
    ),
    "v": _Row("v_{0}_{axes}", r"v^{{{0}}}_{{{axes}}}", f"velocity of the origin of {{0}}, {_ALONG}", "m/s"),
    "a": _Row(
        "a_{0}_{axes}",
        r"a^{{{0}}}_{{{axes}}}",
        f"acceleration of the origin of {{0}} less that of free fall, {_ALONG}",
        "m/s^2",
    ),
    "ac": _Row(
        "a_{0}_in_{1}_{axes}",
        r"a^{{{0}}}_{{{1}\,{axes}}}",
        "acceleration of the origin of {0} less that of free fall, component {axes} along the axes of {1}",
        "m/s^2",
    ),
    # forces at the joint of a body
    "force": _Row(
        "F_{0}_{axes}",
        r"F^{{{0}}}_{{{axes}}}",
        f"force that {{0}} and the bodies collected on it need, {_ALONG}",
        "N",
    ),
    "force in parent": _Row(
        "F_{0}_in_{1}_{axes}",
        r"F^{{{0}}}_{{{1}\,{axes}}}",
        "the same force, of {0}, component {axes} along the axes of {1}",
        "N",
    ),
    "moment": _Row(
        "N_{0}_{axes}",
        r"N^{{{0}}}_{{{axes}}}",
        f"moment about the origin of {{0}} that it and the bodies collected on it need, {_ALONG}",
        "N m",
    ),
    "force along": _Row("force_{0}", r"Q_{{{4}}}", "force of joint {4} along its axis", "N"),
    "moment along": _Row("moment_{0}", r"Q_{{{4}}}", "moment of joint {4} about its axis", "N m"),
    # momentum
    "linear momentum": _Row(
        "P_{0}_{axes}",
        r"p^{{{0}}}_{{{axes}}}",
        "linear momentum of {0} and what hangs on it, component {axes}",
        "kg m/s",
    ),
    "angular momentum": _Row(
        "L_{0}_{axes}",
        r"L^{{{0}}}_{{{axes}}}",
        "angular momentum of {0} and what hangs on it about its origin, component {axes}",
        "kg m^2/s",
    ),
    "own linear momentum": _Row(
        "p_{0}_{axes}", r"p^{{{0}}}_{{0,{axes}}}", f"linear momentum of {{0}} alone, {_ALONG}", "kg m/s"
    ),
    "own angular momentum": _Row(
        "l_{0}_{axes}",
        r"L^{{{0}}}_{{0,{axes}}}",
        f"angular momentum of {{0}} alone about its origin, {_ALONG}",
        "kg m^2/s",
    ),
    # composites: everything beyond the joint of a body, frozen to it
    "m": _Row("m_{0}_composite", r"m^{{{0}}}_{{c}}", "mass of {0} and everything beyond it", "kg"),
    "h": _Row(
        "h_{0}_{axes}",
        r"h^{{{0}}}_{{{axes}}}",
        "first moment of {0} and everything beyond it about its origin, component {axes}",
        "kg m",
    ),
    "ht": _Row(
        "h_{0}_turned_{axes}",
        r"h^{{{0}}}_{{{1}\,{axes}}}",
        "the same first moment of {0}, component {axes} along the axes of {1}",
        "kg m",
    ),
    "S": _Row(
        "S_{0}_{axes}",
        r"S^{{{0}}}_{{{axes}}}",
        "entry {axes} of the second moment (integral of r r^T dm) of {0} and everything beyond it",
        _INERTIA,
    ),
    "Sj": _Row(
        "S_{0}_turned_{axes}",
        r"S^{{{0}}}_{{0,{axes}}}",
        "entry {axes} of the same second moment of {0}, in its joint's frame",
        _INERTIA,
    ),
    "swing": _Row(
        "swing_{0}",
        r"\sigma^{{{0}}}",
        "what turning the second moment of {0} moves, over the sine of the turn",
        _INERTIA,
    ),
    "f": _Row(
        "f_{0}_{1}_{first}",
        r"f^{{{0}}}_{{{1}\,{axes}}}",
        "force at the joint of {1} for a unit acceleration of the joint of {0}, component {axes} along the axes of "
        "the parent of {1}",
        "",
    ),
    "n": _Row(
        "n_{0}_{1}_{first}",
        r"n^{{{0}}}_{{{1}\,{axes}}}",
        "moment about the origin of the parent of {1} for a unit acceleration of the joint of {0}, component {axes}",
        "",
    ),
    # moments of velocity
    "u": _Row(
        "u_{0}_{axes}",
        r"2u^{{{0}}}_{{{axes}}}",
        "twice the velocity of the origin of {0} relative to that of {1}",
        "m/s",
    ),
    "P": _Row(
        "P_{0}_{axes}", r"P^{{{0}}}_{{{axes}}}", "P = 2 integral of u dm of {0}, component {axes}", "kg m/s"
    ),
    "Pt": _Row(
        "P_{0}_turned_{axes}",
        r"P^{{{0}}}_{{{1}\,{axes}}}",
        "the same P of {0}, component {axes} in {1}",
        "kg m/s",
    ),
    "D": _Row(
        "D_{0}_{axes}",
        r"D^{{{0}}}_{{{axes}}}",
        "entry {axes} of D = 2 integral of u r^T dm of {0}",
        "kg m^2/s",
    ),
    "Dj": _Row(
        "D_{0}_turned_{axes}",
        r"D^{{{0}}}_{{0,{axes}}}",
        "entry {axes} of D of {0}, in its joint's frame",
        "kg m^2/s",
    ),
    "swing D": _Row(
        "swing_D_{0}",
        r"\sigma^{{{0}}}_D",
        "what turning D of {0} moves, over the sine of the turn",
        "kg m^2/s",
    ),
    # Kane's method: {1} is the number of a speed, {2} whose axes components are along
    "wr": _Row(
        "pw_{0}_{axes}_{1}",
        r"\omega^{{{0}}}_{{{1}\,{axes}}}",
        f"partial angular velocity {{1}} of {{0}}, {_ALONG}",
        "",
    ),
    "vr": _Row(
        "pv_{0}_{axes}_{1}",
        r"v^{{{0}}}_{{{1}\,{axes}}}",
        f"partial velocity {{1}} of the origin of {{0}}, {_ALONG}",
        "",
    ),
    "vr*": _Row(
        "pvc_{0}_{axes}_{1}",
        r"v^{{{0}^*}}_{{{1}\,{axes}}}",
        f"partial velocity {{1}} of the mass centre of {{0}}, {_ALONG_OTHER}",
        "",
    ),
    "v*": _Row(
        "vc_{0}_{axes}",
        r"v^{{{0}^*}}_{{{axes}}}",
        f"velocity of the mass centre of {{0}}, {_ALONG_OTHER}",
        "m/s",
    ),
    "a*": _Row(
        "ac_{0}_{axes}",
        r"a^{{{0}^*}}_{{{axes}}}",
        f"acceleration of the mass centre of {{0}} less that of free fall, {_ALONG_OTHER}",
        "m/s^2",
    ),
    "alpha0": _Row(
        "alpha_0_{0}_{axes}",
        r"\alpha^{{{0}}}_{{0\,{axes}}}",
        f"angular acceleration of {{0}} at constant rates of the joints, {_ALONG}",
        "rad/s^2",
    ),
    "T*": _Row("T_{0}_{axes}", r"T^{{*{0}}}_{{{axes}}}", f"inertia torque of {{0}}, {_ALONG}", "N m"),
    "R*": _Row(
        "R_{0}_{axes}", r"R^{{*{0}}}_{{{axes}}}", f"inertia force and weight of {{0}}, {_ALONG_OTHER}", "N"
    ),
    "T*s": _Row(
        "T_{0}_{axes}_{1}",
        r"T^{{*{0}}}_{{{1}\,{axes}}}",
        f"inertia torque of {{0}} for du{{1}}/dt = 1, {_ALONG}",
        "",
    ),
    "R*s": _Row(
        "R_{0}_{axes}_{1}",
        r"R^{{*{0}}}_{{{1}\,{axes}}}",
        f"inertia force of {{0}} for du{{1}}/dt = 1, {_ALONG_OTHER}",
        "",
    ),
    "K*": _Row("K_{1}", r"K_{{{1}}}", "generalized force {1} of inertia and weight", ""),
    # the same for du/dt = 0, and without weight
    "alpha t": _Row(
        "alpha_t_{0}_{axes}",
        r"\alpha^{{{0}}}_{{t\,{axes}}}",
        f"angular acceleration of {{0}} for du/dt = 0, {_ALONG}",
        "rad/s^2",
    ),
    "a t": _Row(
        "a_t_{0}_{axes}",
        r"a^{{{0}}}_{{t\,{axes}}}",
        f"acceleration of the origin of {{0}} for du/dt = 0, {_ALONG}",
        "m/s^2",
    ),
    "a* t": _Row(
        "ac_t_{0}_{axes}",
        r"a^{{{0}^*}}_{{t\,{axes}}}",
        f"acceleration of the mass centre of {{0}} for du/dt = 0, {_ALONG_OTHER}",
        "m/s^2",
    ),
    "U t": _Row(
        "U_t_{0}_{axes}",
        r"U^{{{0}}}_{{t\,{axes}}}",
        "entry {axes} of U = skew(alpha) + skew(w) skew(w) of {0} for du/dt = 0",
        "1/s^2",
    ),
    "T* t": _Row(
        "T_t_{0}_{axes}",
        r"T^{{*{0}}}_{{t\,{axes}}}",
        f"inertia torque of {{0}} for du/dt = 0, {_ALONG}",
        "N m",
    ),
    "R* t": _Row(
        "R_t_{0}_{axes}",
        r"R^{{*{0}}}_{{t\,{axes}}}",
        f"inertia force of {{0}} for du/dt = 0, {_ALONG_OTHER}",
        "N",
    ),
    "K* t": _Row("K_t_{1}", r"K^*_{{{1},t}}", "generalized inertia force {1} for du/dt = 0", ""),
    # Kane's method in tables: of bodies, of rotors, of the whole mechanism
    "free fall": _Row(
        "g_{0}_{axes}", r"g^{{{0}}}_{{{axes}}}", f"acceleration of free fall, {_ALONG}", "m/s^2"
    ),
    "weight": _Row("G_{0}_{axes}", r"G^{{{0}}}_{{{axes}}}", f"weight of {{0}}, {_ALONG_OTHER}", "N"),
    "alpha u": _Row(
        "alpha_{0}_{axes}",
        r"\alpha^{{{0}}}_{{{axes}}}",
        f"angular acceleration of {{0}}, {_ALONG}",
        "rad/s^2",
    ),
    "a* u": _Row(
        "ac_{0}_{axes}",
        r"a^{{{0}^*}}_{{{axes}}}",
        f"acceleration of the mass centre of {{0}}, {_ALONG_OTHER}",
        "m/s^2",
    ),
    "T* u": _Row("T_{0}_{axes}", r"T^{{*{0}}}_{{{axes}}}", f"inertia torque of {{0}}, {_ALONG}", "N m"),
    "R* u": _Row("R_{0}_{axes}", r"R^{{*{0}}}_{{{axes}}}", f"inertia force of {{0}}, {_ALONG_OTHER}", "N"),
    "K* of body": _Row(
        "Ki_{0}_{1}", r"(K^*_{{{1}}})_{{{0}}}", "contribution of {0} to the generalized inertia force {1}", ""
    ),
    "K of body": _Row(
        "Ka_{0}_{1}",
        r"(K_{{{1}}})_{{{0}}}",
        "contribution of the weight of {0} to the generalized active force {1}",
        "",
    ),
    "K* whole": _Row("Ki_{1}", r"K^*_{{{1}}}", "generalized inertia force {1}", ""),
    "K given": _Row(
        "Ka_{1}",
        r"K^g_{{{1}}}",
        "generalized active force {1} of all forces that are given: weight, springs, friction",
        "",
    ),
    "X": _Row(
        "X_{0}_{1}",
        r"X_{{{0}{1}}}",
        "what du{1}/dt is multiplied by in the generalized inertia force {0}",
        "",
    ),
    "rest": _Row(
        "rest_{1}", r"b_{{{1}}}", "right side {1} of X du/dt = b - tau: less what is there for du/dt = 0", ""
    ),
    "driving": _Row("tau_{1}", r"\tau_{{{1}}}", "generalized force {1} of the drives: K + K* = 0", ""),
    "resisting": _Row(
        "S_{0}",
        r"S_{{{0}}}",
        "force of springs and friction on joint {0}, with the sign of its coordinate",
        "",
    ),
    "auxiliary": _Row("Na_{0}_{1}", r"N_{{{0},{1}}}", "rate of {0} for the auxiliary speed u{1} = 1", ""),
    "constraint": _Row(
        "lambda_{0}", r"\lambda_{{{0}}}", "force of the constraint {0}, that of its auxiliary speed", ""
    ),
    # changes of forces
    "change": _Row(
        "{0}_{axes}",
        "{0}_{{{axes}}}",
        "change of the force f or moment n that a joint carries, component {axes}",
        "",
    ),
    # articulated bodies
    "articulated inertia": _Row(
        "IA_{0}_{axes}",
        r"I^{{{0}}}_{{A,{axes}}}",
        "entry {axes} (angular, then linear) of the articulated inertia of {0}",
        "",
    ),
    "articulated bias": _Row(
        "pA_{0}_{axes}",
        r"p^{{{0}}}_{{A,{axes}}}",
        "entry {axes} (moment, then force) of what the velocities need of {0} as an articulated body",
        "",
    ),
    "articulated pivot": _Row(
        "D_{0}_inverse",
        r"D_{{{0}}}^{{-1}}",
        "reciprocal of the articulated inertia about the axis of the joint of {0}",
        "",
    ),
    "articulated drive": _Row(
        "u_{0}",
        r"u_{{{0}}}",
        "force of the joint of {0} less what its articulated body needs for its velocity",
        "",
    ),
    "articulated acceleration": _Row(
        "qdd_{0}", r"\ddot q_{{{0}}}", "acceleration of the joint of {0} along its axis", ""
    ),
    # inertia of the description, where it depends on live parameters
    "mass": _Row("m_{0}", r"m_{{{0}}}", "mass of {0}", "kg"),
    "first moment": _Row(
        "mc_{0}_{axes}",
        r"h_{{{0}\,{axes}}}",
        "first moment of {0} alone about its origin, component {axes}",
        "kg m",
    ),
    "second moment": _Row(
        "ms_{0}_{axes}",
        r"S_{{{0}\,{axes}}}",
        "entry {axes} of the second moment (integral of r r^T dm) of {0} alone about its origin",
        _INERTIA,
    ),
    # maps of motion
    "equation": _Row("A_{1}_{0}", r"A_{{{1},{0}}}", "coefficient of the rate of {0} in the equation {1}", ""),
    "rate": _Row("rate_{0}", r"\dot{{{0}}}", "rate of the coordinate {0}", ""),
    "acceleration": _Row("accel_{0}", r"\ddot{{{0}}}", "second derivative of the coordinate {0}", ""),
    "drift": _Row(
        "drift_{0}", r"\ddot{{{0}}}_0", "second derivative of {0} where the free rates do not change", ""
    ),
    "required": _Row(
        "gamma_{0}",
        r"\gamma_{{{0}}}",
        "right side of the equation {0}, differentiated: A d2q/dt2 = gamma",
        "",
    ),
    "by free rate": _Row(
        "P_{0}_{1}", r"P_{{{0},{1}}}", "rate of {0} for a unit rate of {1}, a free coordinate", ""
    ),
    "speed by free rate": _Row("J_{0}_{1}", r"J_{{{0},{1}}}", "speed u{0} for a unit rate of {1}", ""),
    "by speed": _Row("N_{0}_{1}", r"N_{{{0},{1}}}", "rate of {0} for the speed u{1} = 1", ""),
    "on joint": _Row("Q_{0}", r"Q_{{{0}}}", "generalized force on the coordinate {0} of the tree", ""),
    "on free": _Row("K_{0}", r"K_{{{0}}}", "generalized force carried to the free coordinate {0}", ""),
    "multiplier": _Row("lambda_{0}", r"\lambda_{{{0}}}", "multiplier of the equation {0}", ""),
    # dual vectors
    "vdot": _Row(
        "vdot_{0}_{axes}",
        r"\dot v^{{{0}}}_{{{axes}}}",
        f"rate of a component of the velocity of the origin of {{0}} less that of free fall, {_ALONG}",
        "m/s^2",
    ),
    "own force": _Row(
        "R_{0}_{axes}", r"R^{{{0}}}_{{{axes}}}", f"force that {{0}} itself needs, {_ALONG}", "N"
    ),
    "own moment": _Row(
        "T_{0}_{axes}",
        r"T^{{{0}}}_{{{axes}}}",
        f"moment about its origin that {{0}} itself needs, {_ALONG}",
        "N m",
    ),
    # Euler parameters: components along the axes of the base, unless said otherwise
    "p of link": _Row("e{first}_{0}", r"e^{{{0}}}_{{{first}}}", "Euler parameter e{first} of {0}", "1"),
    "z of link": _Row(
        "z_{0}_{axes}", r"z^{{{0}}}_{{{axes}}}", "direction of the axis of {0}, component {axes}", "1"
    ),
    "d of link": _Row("d_{0}_{axes}", r"d^{{{0}}}_{{{axes}}}", "how far {0} has slid, component {axes}", "m"),
    "r of link": _Row("r_{0}_{axes}", r"r^{{{0}}}_{{{axes}}}", "mass centre of {0}, component {axes}", "m"),
    "zv of link": _Row(
        "zv_{0}_{axes}",
        r"(z\dot q)^{{{0}}}_{{{axes}}}",
        "rate of the joint of {0} along its axis, component {axes}",
        "",
    ),
    "w of link": _Row(
        "w_{0}_{axes}", r"\omega^{{{0}}}_{{{axes}}}", "angular velocity of {0}, component {axes}", "rad/s"
    ),
    "v of link": _Row(
        "v_{0}_{axes}", r"v^{{{0}}}_{{{axes}}}", "velocity of the mass centre of {0}, component {axes}", "m/s"
    ),
    "wdot of link": _Row(
        "alpha_{0}_{axes}",
        r"\alpha^{{{0}}}_{{{axes}}}",
        "angular acceleration of {0}, component {axes}",
        "rad/s^2",
    ),
    "w' of link": _Row(
        "w_own_{0}_{axes}",
        r"\bar{{\omega}}^{{{0}}}_{{{axes}}}",
        f"angular velocity of {{0}}, {_ALONG}",
        "rad/s",
    ),
    "w'dot of link": _Row(
        "alpha_own_{0}_{axes}",
        r"\bar{{\alpha}}^{{{0}}}_{{{axes}}}",
        f"angular acceleration of {{0}}, {_ALONG}",
        "rad/s^2",
    ),
    "a of link": _Row(
        "a_{0}_{axes}",
        r"a^{{{0}}}_{{{axes}}}",
        "acceleration of the mass centre of {0} less that of free fall, component {axes}",
        "m/s^2",
    ),
    # flexible links
    "axes": _Row(
        "B_{0}_{axes}", r"B^{{{0}}}_{{{axes}}}", "entry {axes} of B, which turns the axes of {0}", "1"
    ),
    "rate of axes": _Row(
        "dB_{0}_{axes}", r"\dot{{B}}^{{{0}}}_{{{axes}}}", "entry {axes} of dB/dt of {0}", "1/s"
    ),
    "second rate of axes": _Row(
        "ddB_{0}_{axes}", r"\ddot{{B}}^{{{0}}}_{{{axes}}}", "entry {axes} of d2B/dt2 of {0}", "1/s^2"
    ),
    "carried velocity": _Row(
        "v_{0}_{axes}", r"v^{{{0}}}_{{{axes}}}", "velocity of {0}, component {axes}", "m/s"
    ),
    "carried acceleration": _Row(
        "a_{0}_{axes}",
        r"a^{{{0}}}_{{{axes}}}",
        "acceleration of {0} less that of free fall, component {axes}",
        "m/s^2",
    ),
    "segment force": _Row("f_{0}_{axes}", r"f^{{{0}}}_{{{axes}}}", "force that the mass of {0} needs", "N"),
    "segment moments": _Row(
        "T_{0}_{axes}",
        r"T^{{{0}}}_{{{axes}}}",
        "entry {axes} of T, the integral of d2p/dt2 y^T dm over {0}",
        "N m",
    ),
    # linear systems
    "block inverse": _Row(
        "E_{0}_{1}",
        r"E_{{{0},{1}}}",
        "what the equation {1}, solved for its block of rates, gives the rate of {0}",
        "",
    ),
    "pivot": _Row("pivot_{0}_inverse", r"d_{{{0}}}^{{-1}}", "reciprocal of the pivot of unknown {0}", ""),
    "factor": _Row(
        "L_{0}_{1}", r"L_{{{0},{1}}}", "factor of the elimination of unknown {1} from row {0}", ""
    ),
    "reduced": _Row(
        "right_{0}", r"b_{{{0}}}", "right side of row {0} after the elimination of unknown {1}", ""
    ),
    "mass matrix": _Row(
        "M_{0}_{1}", r"M_{{{0},{1}}}", "entry {0}, {1} of the mass matrix, joints of the tree", ""
    ),
    # kinematic influence coefficients
    "g": _Row(
        "g_{0}_{1}_{axes}",
        r"g^{{{0}}}_{{{1},{axes}}}",
        "first-order coefficient of {0} for joint {1}, component {axes}",
        "",
    ),
    "g of rotation": _Row(
        "gr_{0}_{1}_{axes}",
        r"g^{{{0}}}_{{{1},{axes}}}",
        f"rotational coefficient of {{0}} for joint {{1}}, {_ALONG}",
        "",
    ),
    "g of translation": _Row(
        "gt_{0}_{1}_{axes}",
        r"\bar g^{{{0}}}_{{{1},{axes}}}",
        f"translational coefficient of the origin of {{0}} for joint {{1}}, {_ALONG}",
        "",
    ),
    "effective inertia": _Row(
        "I_{0}_{1}", r"I^*_{{{0}{1}}}", "effective inertia I* of joints {0} and {1}, (15)", ""
    ),
    "inertia power": _Row(
        "P_{0}_{1}_{2}",
        r"P^*_{{{0},{1}{2}}}",
        "inertia power P* of joint {0} for joints {1} and {2}, (16)",
        "",
    ),
    "hh": _Row(
        "h_{0}_{1}_{2}_{axes}",
        r"h^{{{0}}}_{{{1}{2},{axes}}}",
        "second-order coefficient of {0} for joints {1} and {2}, component {axes}",
        "",
    ),
}


@lru_cache(maxsize=2**14)
def meaning(quantity: str, components: tuple[int, ...], words: tuple[str, ...]) -> Meaning:
    """The meaning of a quantity, from its row; a search needs the same ones for every program."""
    row = _QUANTITIES[quantity]
    axes = "".join("xyz"[c] if c < 3 else str(c) for c in components)
    first = components[0] if components else ""
    plain, shown = (
        template.format(*given, axes=axes, first=first)
        for template, given in ((row.name, words), (row.latex, map(latex_name, words)))
    )
    return Meaning(plain, row.text.format(*words, axes=axes, first=first), row.unit, shown)


def mean(value: Expression, quantity: str, components: tuple[int, ...], *words: str) -> Expression:
    """The value, having said what it is."""
    return value.mean(meaning(quantity, components, words))


def mean_each(
    values: Sequence[Expression], quantity: str, names: Sequence[str], *words: str
) -> list[Expression]:
    """The values, each having said what it is of its name."""
    return [mean(x, quantity, (), name, *words) for x, name in zip(values, names, strict=True)]


def names_of_values(graph: Graph) -> dict[int, str]:
    """Names of all values with a meaning, as labels of a program; sines and what no variable holds have names already."""
    return {
        abs(ref): meant.name if ref > 0 else "-" + meant.name
        for ref, meant in graph.meanings.items()
        if graph.kinds[abs(ref)] not in (Kind.SINE, Kind.COSINE) and not graph.parametric[abs(ref)]
    }
