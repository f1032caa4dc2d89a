"""Kernels of influence coefficients: G and H of frames, I*, P*, C*, K*, and models in hand coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from kanegen.codegen.derivation.choices import Choices
from kanegen.codegen.derivation.influence_coefficients.arrays import Array, Matrix
from kanegen.codegen.derivation.influence_coefficients.coefficients import frame_influence
from kanegen.codegen.derivation.influence_coefficients.equations import augmented_model
from kanegen.codegen.derivation.influence_coefficients.hand import ROWS, forces_at_hand, hand_model
from kanegen.codegen.derivation.influence_coefficients.springs import Springs
from kanegen.codegen.derivation.kernel_arguments import force_argument, position_input, rate_input
from kanegen.codegen.derivation.kinematics import Kinematics, frames_of, start
from kanegen.codegen.derivation.placement import PlacedTree
from kanegen.codegen.derivation.standard import Build
from kanegen.codegen.graph import Argument, Expression, Graph, Program, inputs
from kanegen.codegen.mechanism.records import Frame, Mechanism

SOURCE = "influence coefficients (Freeman & Tesar 1988)"

Hand = tuple[Frame, tuple[int, ...]]
"""A frame and the controlled rows of its twist, by place in ``hand.ROWS``."""


def kernels(
    tree: PlacedTree,
    identifiers: Mapping[str, str],
    *,
    hands: Iterable[Hand] = (),
    live_parameters: bool = False,
) -> dict[str, Build]:
    """The kernels of a plain tree, springs and dampers allowed, by name; ``identifiers`` gives the frames' names in C.

    influence_G_<frame>, influence_H_<frame>, effective_inertia, inertia_power, effective_damping, effective_stiffness,
    spring_forces, and for each of ``hands`` hand_inertia_<frame>, hand_power_<frame>, hand_forces_<frame>.
    """
    found: dict[str, Build] = {
        "effective_inertia": effective_inertia,
        "inertia_power": inertia_power,
        "effective_damping": partial(effective_damping, live_parameters=live_parameters),
        "effective_stiffness": partial(effective_stiffness, live_parameters=live_parameters),
        "spring_forces": partial(spring_forces, live_parameters=live_parameters),
    }
    for frame in frames_of(tree):
        first, second = (f"influence_{order}_{identifiers[frame.name]}" for order in "GH")
        found[first] = partial(influence_G, frame=frame, kernel=first)
        found[second] = partial(influence_H, frame=frame, kernel=second)
    builds = {"inertia": hand_inertia, "power": hand_power, "forces": hand_forces}
    for frame, rows in hands:
        for what, build in builds.items():
            name = f"hand_{what}_{identifiers[frame.name]}"
            found[name] = partial(build, frame=frame, rows=rows, kernel=name)
    return found


def influence_G(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, kernel: str
) -> Program:
    """First-order influence coefficients of a frame (2): its twist for unit rates of the coordinates."""
    kinematics = start(tree, choices)
    output = Argument(
        "G",
        (6, len(tree.bodies)),
        "m, 1",
        f"velocity of the origin of {frame.name}, then its angular velocity, in the base frame, for a unit rate of each"
        " coordinate",
    )
    title = f"first-order influence coefficients of the frame {frame.name}"
    return _of_matrix(kernel, title, kinematics, mechanism, output, frame_influence(kinematics, frame).G)


def influence_H(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, kernel: str
) -> Program:
    """Second-order influence coefficients of a frame (7): H_pmn = dG_pn/dq_m."""
    kinematics = start(tree, choices)
    n = len(tree.bodies)
    output = Argument(
        "H",
        (6, n, n),
        "m, 1",
        f"H[p][m][n] = dG[p][n]/dq[m]: acceleration of the origin of {frame.name}, then its angular acceleration, in the"
        " base frame, are G a + v^T H v; planes 0 to 2 are symmetric",
    )
    title = f"second-order influence coefficients of the frame {frame.name}"
    return _of_array(kernel, title, kinematics, mechanism, output, frame_influence(kinematics, frame).H)


def effective_inertia(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """I* of (15)."""
    kinematics = start(tree, choices)
    output = Argument(
        "I",
        (len(tree.bodies),) * 2,
        "kg m^2, kg m, kg",
        "effective inertia matrix, in the order of the coordinates",
    )
    model = augmented_model(tree, kinematics.motion.graph, _q(kinematics))
    return _of_matrix("effective_inertia", "effective inertia", kinematics, mechanism, output, model.inertia)


def inertia_power(tree: PlacedTree, mechanism: Mechanism, choices: Choices) -> Program:
    """P* of (16), symmetric in its last two indices."""
    kinematics = start(tree, choices)
    output = Argument(
        "P",
        (len(tree.bodies),) * 3,
        "kg m^2, kg m, kg",
        "inertia power array: generalized forces v^T P[k] v at constant rates v, without gravity; planes are symmetric",
    )
    model = augmented_model(tree, kinematics.motion.graph, _q(kinematics))
    return _of_array("inertia_power", "inertia power array", kinematics, mechanism, output, model.power)


def effective_damping(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, live_parameters: bool = False
) -> Program:
    """C* of (18)."""
    kinematics = start(tree, choices)
    output = Argument(
        "C",
        (len(tree.bodies),) * 2,
        "N m s, N s, N s/m",
        "effective damping: the dampers oppose C v to the rates v",
    )
    matrix = Springs(kinematics, mechanism, live_parameters).effective_damping()
    return _of_matrix("effective_damping", "effective damping", kinematics, mechanism, output, matrix)


def effective_stiffness(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, live_parameters: bool = False
) -> Program:
    """K* of (25)."""
    kinematics = start(tree, choices)
    output = Argument(
        "K",
        (len(tree.bodies),) * 2,
        "N m, N, N/m",
        "effective spring rate: derivative by q of the generalized forces that the springs oppose",
    )
    matrix = Springs(kinematics, mechanism, live_parameters).effective_stiffness()
    return _of_matrix("effective_stiffness", "effective spring rate", kinematics, mechanism, output, matrix)


def spring_forces(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, live_parameters: bool = False
) -> Program:
    """(19) and (23): what springs and dampers oppose to the drives."""
    kinematics = start(tree, choices)
    v = inputs(kinematics.motion.graph, "v", len(tree.bodies))
    loads = Springs(kinematics, mechanism, live_parameters).loads(v)
    return Program(
        name="spring_forces",
        title="generalized forces that springs and dampers oppose",
        source=SOURCE,
        inputs=(position_input(mechanism), rate_input(mechanism)),
        outputs=(
            force_argument(mechanism, "tau", "generalized forces that hold and move the springs and dampers"),
        ),
        graph=kinematics.motion.graph,
        results=(tuple(x.ref for x in loads),),
    )


def hand_inertia(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, rows: Sequence[int], kernel: str
) -> Program:
    """I* transferred to the rows of a hand."""
    kinematics = start(tree, choices)
    model = hand_model(tree, kinematics.motion.graph, _q(kinematics), frame, rows)
    output = Argument(
        "I", (len(rows),) * 2, "kg, kg m, kg m^2", f"effective inertia on {_twist(frame, rows)}"
    )
    title = f"effective inertia at the frame {frame.name}"
    return _of_matrix(kernel, title, kinematics, mechanism, output, model.inertia)


def hand_power(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, rows: Sequence[int], kernel: str
) -> Program:
    """P* transferred to the rows of a hand."""
    kinematics = start(tree, choices)
    model = hand_model(tree, kinematics.motion.graph, _q(kinematics), frame, rows)
    output = Argument(
        "P",
        (len(rows),) * 3,
        "kg, kg m, kg m^2",
        f"inertia power array: forces e^T P[k] e at constant e = {_twist(frame, rows)}",
    )
    title = f"inertia power array at the frame {frame.name}"
    return _of_array(kernel, title, kinematics, mechanism, output, model.power)


def hand_forces(
    tree: PlacedTree, mechanism: Mechanism, choices: Choices, frame: Frame, rows: Sequence[int], kernel: str
) -> Program:
    """Inverse dynamics in hand coordinates (17)."""
    del choices
    graph = Graph()
    q, e, de = (
        inputs(graph, name, n) for name, n in (("q", len(tree.bodies)), ("e", len(rows)), ("de", len(rows)))
    )
    forces = forces_at_hand(tree, graph, q, frame, rows, e, de)
    twist = _twist(frame, rows)
    return Program(
        name=kernel,
        title=f"forces at the frame {frame.name} that move the arm",
        source=SOURCE,
        inputs=(
            position_input(mechanism),
            Argument("e", (len(rows),), "m/s, rad/s", twist),
            Argument("de", (len(rows),), "m/s^2, rad/s^2", f"derivative of e = {twist}"),
        ),
        outputs=(Argument("F", (len(rows),), "N, N m", f"forces (power = F . e) on e = {twist}"),),
        graph=graph,
        results=(tuple(x.ref for x in forces),),
    )


def _q(kinematics: Kinematics) -> tuple[Expression, ...]:
    return inputs(kinematics.motion.graph, "q", len(kinematics.tree.bodies))


def _twist(frame: Frame, rows: Sequence[int]) -> str:
    return f"({', '.join(ROWS[r] for r in rows)}) of {frame.name} in the base frame"


def _of_matrix(
    name: str, title: str, kinematics: Kinematics, mechanism: Mechanism, output: Argument, matrix: Matrix
) -> Program:
    return _of_array(name, title, kinematics, mechanism, output, [matrix])


def _of_array(
    name: str, title: str, kinematics: Kinematics, mechanism: Mechanism, output: Argument, array: Array
) -> Program:
    return Program(
        name=name,
        title=title,
        source=SOURCE,
        inputs=(position_input(mechanism),),
        outputs=(output,),
        graph=kinematics.motion.graph,
        results=(tuple(x.ref for plane in array for row in plane for x in row),),
    )
