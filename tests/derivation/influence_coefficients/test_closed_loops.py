"""From closed loops to their inputs: the five-bar, and two arms that hold one object."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from kanegen.codegen.derivation.influence_coefficients import (
    Influence,
    Model,
    closed_loop,
    dynamic_model,
    frame_influence,
    from_matrix,
    reversed_influence,
    side_by_side,
    stacked,
    transferred,
    transferred_influence,
)
from kanegen.codegen.derivation.influence_coefficients.equations import motion_at
from kanegen.codegen.derivation.recursive.kinematics import Kinematics
from kanegen.codegen.graph import Expression, Graph, Program, evaluate, inputs
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.mechanism import Mechanism, numeric
from kanegen.codegen.mechanism.catalogue.cooperating_arms import cooperating_arms
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.options import Options
from tests.derivation.comparison import derived
from tests.derivation.tree_kernels import inverse_dynamics

from .support import (
    DERIVATIVE,
    DIGITS,
    derivative,
    exact_numbers,
    flat,
    frame_of,
    gap,
    influence_results,
    model_results,
    open_tree,
    placed,
    program,
    values,
)

ARMS = with_numbers(open_tree(cooperating_arms()))
BAR = with_numbers(open_tree(five_bar()))

LOOPS = [
    pytest.param(BAR, ("outer1_tip", "outer2_tip"), (0, 1), (0, 2), id="five_bar"),
    pytest.param(ARMS, ("far_grip", "grip2"), (0, 1, 5), (0, 1, 2), id="cooperating_arms"),
]
"""Trees, the frames that the loop joins, the equations that are not redundant, and the inputs."""


def relative_influence(kinematics: Kinematics, pair: tuple[str, str], rows: tuple[int, ...]) -> Influence:
    """Of all coordinates on what the loop keeps zero: the second frame's motion less the first's."""
    first, second = (frame_influence(kinematics, frame_of(kinematics.tree, name)) for name in pair)
    return Influence(
        [vec.subtract(second.G[r], first.G[r]) for r in rows],
        [[vec.subtract(s, f) for s, f in zip(second.H[r], first.H[r], strict=True)] for r in rows],
    )


class Loop:
    """A closed loop in its inputs: the transfer, and the model of the tree moved to the inputs, in one program."""

    def __init__(
        self, tree: Mechanism, pair: tuple[str, str], rows: tuple[int, ...], independent: tuple[int, ...]
    ) -> None:
        self.n, self.k = len(tree.coordinates), len(independent)
        placed_tree, graph = placed(tree), Graph()
        q = inputs(graph, "q", self.n)
        kinematics = Kinematics(placed_tree, motion_at(placed_tree, graph, q))
        equations = relative_influence(kinematics, pair, rows)
        u = closed_loop(graph, equations, independent)
        differentiated = from_matrix(graph, q, u.G)
        moved = transferred(graph, dynamic_model(tree, graph, q), u)
        self.program = program(
            graph,
            {"q": self.n},
            **influence_results(u),
            differentiated=flat(differentiated.H),
            A=flat(equations.G),
            **{f"moved_{name}": found for name, found in model_results(moved).items()},
        )

    def at(self, q: Any) -> dict[str, Any]:
        n, k = self.n, self.k
        shapes = {"G": (n, k), "H": (n, k, k), "differentiated": (n, k, k), "A": (-1, n)}
        shapes |= {"moved_I": (k, k), "moved_P": (k, k, k)}
        return {
            name: x.reshape(shapes[name]) if name in shapes else x
            for name, x in values(self.program, q=q).items()
        }


def home(mechanism: Mechanism) -> list[float]:
    return [float(numeric(x, mechanism)) for x in mechanism.home]


def configuration(mechanism: Mechanism, seed: int) -> list[Any]:
    """A configuration off home.  What is tested holds in open loops too: rates that would keep any gap as it is."""
    (shift,) = exact_numbers(seed, len(mechanism.coordinates))
    return [mpmath.mpf(x) + s / 10 for x, s in zip(home(mechanism), shift, strict=True)]


def quadratic(array: Any, x: Any) -> Any:
    return np.array([x @ plane @ x for plane in array], dtype=object)


@pytest.mark.parametrize(("tree", "pair", "rows", "independent"), LOOPS)
def test_transfer_to_the_inputs(
    tree: Mechanism, pair: tuple[str, str], rows: tuple[int, ...], independent: tuple[int, ...]
) -> None:
    """Rates keep the loop closed, H is N's derivative, and tau = N^T Q with Q from recursive Newton-Euler."""
    loop = Loop(tree, pair, rows, independent)
    closed = five_bar() if tree is BAR else cooperating_arms()
    with mpmath.workdps(DIGITS):
        q = configuration(closed, 21)
        phi, dphi = (np.array(x, dtype=object) for x in exact_numbers(22, loop.k, loop.k))
        m = loop.at(q)
        assert gap(m["G"][list(independent)], np.eye(loop.k)) == 0
        assert gap(m["A"] @ m["G"], np.zeros((len(rows), loop.k))) < DERIVATIVE
        assert gap(m["H"], m["differentiated"]) < DERIVATIVE
        v, a = m["G"] @ phi, m["G"] @ dphi + quadratic(m["H"], phi)
        along = derivative(loop.program, list(v), q=q)["A"].reshape(m["A"].shape)
        assert gap(m["A"] @ a + along @ v, np.zeros(len(rows))) < DERIVATIVE
        Q = values(derived(inverse_dynamics, tree), q=q, v=v, a=a)["tau"]
        found = m["moved_I"] @ dphi + quadratic(m["moved_P"], phi) - m["moved_loads"]
        assert gap(found, m["G"].T @ Q) < DERIVATIVE


def cooperating_program() -> Program:
    """Each arm in the object's coordinates, added there, and from there to arm 1's joints; beside it, the loop closed."""
    graph = Graph()
    q = inputs(graph, "q", 6)
    tree = placed(ARMS)
    kinematics = Kinematics(tree, motion_at(tree, graph, q))
    hold = [
        rows_of(frame_influence(kinematics, frame_of(tree, name)), (0, 1, 5), joints)
        for name, joints in (("far_grip", (0, 1, 2)), ("grip2", (3, 4, 5)))
    ]
    whole = dynamic_model(ARMS, graph, q)
    arms = side_by_side(graph, [part_of(whole, joints) for joints in ((0, 1, 2), (3, 4, 5))])
    joints_of_object = stacked([reversed_influence(graph, arm) for arm in hold])
    at_object = transferred(graph, arms, joints_of_object)
    at_joints = transferred(graph, at_object, hold[0])
    chained = transferred_influence(graph, joints_of_object, hold[0])
    equations = relative_influence(kinematics, ("far_grip", "grip2"), (0, 1, 5))
    direct = closed_loop(graph, equations, (0, 1, 2))
    closed = transferred(graph, whole, direct)
    results: dict[str, list[Expression]] = {
        **model_results(at_joints),
        **influence_results(chained),
        **{f"closed_{name}": found for name, found in model_results(closed).items()},
        **{f"closed_{name}": found for name, found in influence_results(direct).items()},
    }
    return program(graph, {"q": 6}, **results)


def rows_of(influence: Influence, rows: tuple[int, ...], joints: tuple[int, ...]) -> Influence:
    return Influence(
        [[influence.G[r][j] for j in joints] for r in rows],
        [[[influence.H[r][i][j] for j in joints] for i in joints] for r in rows],
    )


def part_of(model: Model, joints: tuple[int, ...]) -> Model:
    """The model of one of several separate arms."""
    return Model(
        [[model.inertia[i][j] for j in joints] for i in joints],
        [[[model.power[k][i][j] for j in joints] for i in joints] for k in joints],
        [model.loads[i] for i in joints],
    )


def test_two_arms_with_one_object() -> None:
    """Added in the object's coordinates or closed as a loop: one model."""
    both = cooperating_program()
    with mpmath.workdps(DIGITS):
        q = configuration(cooperating_arms(), 23)
        m = values(both, q=q)
        for name in ("I", "loads", "G", "H"):
            assert gap(m[name], m[f"closed_{name}"]) < DERIVATIVE, name
        P, closed_P = (m[name].reshape(3, 3, 3) for name in ("P", "closed_P"))
        # H of an object's angle alone is no derivative of coordinates, yet all are in the plane: P* stays symmetric
        assert gap(P, closed_P) < DERIVATIVE


def test_the_arms_hold_the_object_at_home() -> None:
    mechanism = cooperating_arms()
    assert mechanism.dof == 3
    assert len(mechanism.coordinates) == 6
    tree, graph = placed(ARMS), Graph()
    q = inputs(graph, "q", 6)
    kinematics = Kinematics(tree, motion_at(tree, graph, q))
    entries = []
    for name in ("far_grip", "grip2"):
        frame = frame_of(tree, name)
        rotation = [kinematics.frame_rotation(frame, m, c) for m in range(3) for c in range(3)]
        entries.append([*rotation, *(kinematics.frame_origin(frame, m) for m in range(3))])
    found = values(program(graph, {"q": 6}, first=entries[0], second=entries[1]), q=home(mechanism))
    # home is in double precision: six angles of 2e-16 each, through arms of 1 m
    assert gap(found["first"], found["second"]) < 1e-14
    assert gap(found["first"][9:], [0.65, 0.6, 0]) < 1e-14


def test_friction_has_no_part_in_the_inertia_power() -> None:
    """It is no quadratic form of the speeds: its slopes would stand in P*, and ask for speeds."""
    smooth = five_bar()
    rough = replace(smooth, joints=tuple(replace(joint, friction=Fraction(1, 2)) for joint in smooth.joints))
    options = Options(friction=True, formulation="influence_coefficients")
    home = {"q": [[float(x) for x in smooth.home]]}
    found = [evaluate(KernelSources(m, options).plain("inertia_power"), home)["P"] for m in (smooth, rough)]
    np.testing.assert_array_equal(found[0], found[1])
