"""The statements of kernels, read as text."""

from __future__ import annotations

from emitted.programs import double_pendulum, model, program

from kanegen.codegen.emit import Model, c_source
from kanegen.codegen.graph import Graph, Program, inputs


def body(generated: Model, function: str) -> str:
    """The text between the braces of a static function, without indentation."""
    text = c_source(generated).partition(f"static inline void {function}(")[2].partition("{\n")[2]
    return "\n".join(line.strip() for line in text.partition("\n}\n")[0].splitlines())


def statements(*kernels: Program) -> str:
    """The statements of the first kernel."""
    return body(model(*kernels), f"arm_{kernels[0].name}_body")


def test_double_pendulum_reads_like_its_equations() -> None:
    assert (
        statements(double_pendulum())
        == """\
const double angles[3] = {q[0], q[1], q[0] - q[1]};
double sines[3], cosines[3];
arm_angles3_sincos(angles, sines, cosines);
const double sin_shoulder = sines[0];
const double sin_elbow = sines[1];
const double sin_shoulder_minus_elbow = sines[2], cos_shoulder_minus_elbow = cosines[2];

const double t0 = 0.3 * cos_shoulder_minus_elbow;
const double t1 = 0.3 * sin_shoulder_minus_elbow;
const double t2 = 2.3 * a[0] + a[1] * t0 + v[1] * (v[1] * t1);
const double tau_0 = 22.563 * sin_shoulder + t2;
const double t3 = 0.3 * a[1] + a[0] * t0 - v[0] * (v[0] * t1);
tau[1] = 2.943 * sin_elbow + t3;
tau[0] = tau_0;"""
    )


def test_names_of_angles() -> None:
    g = Graph()
    q, t = inputs(g, "q", 2), inputs(g, "t", 1)
    angles = (q[0], 2 * q[1], q[0] + q[1], t[0], q[0] * q[1], (q[0] * t[0]).sine() * q[1])
    outputs = [angle.sine() * angle.cosine() for angle in angles]
    labels = {abs(angles[4].ref): "slope"}
    text = statements(program("f", g, {"q": 2, "t": 1}, {"y": outputs}, labels))
    for name in (
        "sin_shoulder",
        "sin_2elbow",
        "sin_shoulder_plus_elbow",
        "s_t_0",
        "sin_slope",
        "s_angle6",
        "s_angle7",
    ):
        assert f"{name} = " in text
    assert text.count("_sincos(") == 2


def test_labels_with_a_minus_hold_the_negative() -> None:
    g = Graph()
    (q,) = inputs(g, "q", 1)
    node = q * q
    kernel = program("f", g, {"q": 1}, {"y": (node + 1, 3 * node)}, {node.ref: "-Z5"})
    assert statements(kernel) == "const double Z5 = -q[0] * q[0];\ny[0] = 1.0 - Z5;\ny[1] = -3.0 * Z5;"
