"""Cylindrical joints: which ones are found, that they move alike, and what they save."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from kanegen.codegen.derivation.dual_vectors import forces
from kanegen.codegen.derivation.dual_vectors.cylindrical import Slide, with_cylindrical_joints
from kanegen.codegen.graph import Expression, Graph, Program, count, evaluate
from kanegen.codegen.mechanism import BASE, Mechanism, MechanismBuilder
from kanegen.codegen.mechanism.catalogue.agrawal_1988 import cylindrical_arm
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.records import JointKind
from kanegen.codegen.passes.optimize import optimize
from tests.derivation.comparison import Array, numbers, worst
from tests.derivation.force_programs import Expressions, newton_euler, program
from tests.derivation.trees import random_states

TOLERANCE = 1e-12
"""Some thousand roundings of 1.1e-16 on terms that are at most ten times the largest force."""

ARM = with_numbers(cylindrical_arm())


def separately(
    tree: Mechanism, graph: Graph, q: Expressions, v: Expressions, a: Expressions
) -> list[Expression]:
    """Hinges and slides as joints of their own."""
    return forces(tree, graph, q, v, a, cylindrical=False)


def motions(mechanism: Mechanism) -> dict[str, Array]:
    q, v, a, _ = random_states(11, 5, len(mechanism.coordinates))
    return {"q": q, "v": v, "a": a}


def two_joints(
    first: str = "revolute",
    second: str = "prismatic",
    first_axis: tuple[float, ...] = (0, 0, 1),
    second_axis: tuple[float, ...] = (0, 0, 1),
    offset: tuple[float, ...] = (0, 0, 0),
    rotation: tuple[float, ...] | None = None,
    sleeve_mass: float | None = None,
    sidearm: bool = False,
) -> Mechanism:
    """Two joints with a sleeve between, and a hinge with a further body beyond: the middle of a chain."""
    builder = MechanismBuilder("two_joints", gravity=(1.5, -2.5, -9))
    builder.body("root", mass=2, center=(0.1, 0.2, 0.1), inertia=(0.1, 0.12, 0.15, 0.01, 0.02, -0.01))
    builder.body("sleeve", mass=sleeve_mass)
    builder.body("link", mass=1.5, center=(0.2, -0.1, 0.3), inertia=(0.08, 0.1, 0.09, 0.01, -0.02, 0.01))
    builder.body("tip", mass=0.7, center=(0, 0.2, 0.1), inertia=(0.03, 0.02, 0.025, 0.004, 0.002, 0.003))
    builder.revolute("root", BASE, "root", (0, 1, 0))
    getattr(builder, first)(
        "first", "root", "sleeve", first_axis, position=(0.3, 0.1, -0.2), rotation=(0.4, 0, 0.2)
    )
    getattr(builder, second)("second", "sleeve", "link", second_axis, position=offset, rotation=rotation)
    builder.revolute("tip", "link", "tip", (1, 0, 0), position=(0.2, 0.1, 0.4), rotation=(0, 0.3, 0))
    if sidearm:
        builder.body("sidearm", mass=0.3)
        builder.revolute("sidearm", "sleeve", "sidearm", (1, 0, 0))
    return builder.build()


@pytest.mark.parametrize(
    ("tree", "slides"),
    [
        (two_joints(), {"first": Slide("second", 1)}),
        (two_joints("prismatic", "revolute"), {"second": Slide("first", 1)}),
        (two_joints(second_axis=(0, 0, -1)), {"first": Slide("second", -1)}),
        (two_joints("prismatic", "revolute", second_axis=(0, 0, -1)), {"second": Slide("first", -1)}),
        (two_joints(offset=(0.2, -0.1, 0.5)), {"first": Slide("second", 1)}),
        (two_joints("prismatic", "revolute", offset=(0.2, -0.1, 0.5)), {"second": Slide("first", 1)}),
        # the sleeve's frame is turned: its x axis becomes the hinge's z axis
        (
            two_joints(second_axis=(1, 0, 0), rotation=(0, -1.5707963267948966, 0), offset=(0.1, 0, 0.2)),
            {"first": Slide("second", 1)},
        ),
        # a direction of the sleeve that no coordinate axis has
        (
            two_joints(first_axis=(2, -1, 2), second_axis=(-2, 1, -2), offset=(0.3, 0.1, 0)),
            {"first": Slide("second", -1)},
        ),
        (two_joints(second_axis=(0, 1, 0)), {}),
        (two_joints(second_axis=(0, 0.6, 0.8)), {}),
        (two_joints("revolute", "revolute"), {}),
        (two_joints("prismatic", "prismatic", second_axis=(0, 1, 0)), {}),
        (two_joints(sleeve_mass=0.4), {}),
        (two_joints(sidearm=True), {}),
    ],
)
def test_found_and_equal_to_the_chain(tree: Mechanism, slides: dict[str, Slide]) -> None:
    found = with_cylindrical_joints(tree)
    assert found.slides == slides
    assert len(found.tree.joints) == len(tree.joints) - len(slides)
    at = motions(tree)
    assert worst(evaluate(program(tree), at)["tau"], evaluate(newton_euler(tree), at)["tau"]) <= TOLERANCE


def test_three_joints_along_one_line() -> None:
    """A joint has one slide; what is left over stays a joint of its own."""
    builder = MechanismBuilder("telescope")
    for name in ("one", "two", "three"):
        builder.body(name)
    builder.body("end", mass=1, center=(0.1, 0, 0), inertia=(0.1, 0.1, 0.2))
    builder.prismatic("s1", BASE, "one", (0, 0, 1))
    builder.revolute("h1", "one", "two", (0, 0, 1))
    builder.prismatic("s2", "two", "three", (0, 0, 1))
    builder.revolute("h2", "three", "end", (0, 0, -1), position=(0.2, 0, 0))
    tree = builder.build()
    assert with_cylindrical_joints(tree).slides == {"h1": Slide("s1", 1), "h2": Slide("s2", -1)}
    at = motions(tree)
    assert worst(evaluate(program(tree), at)["tau"], evaluate(newton_euler(tree), at)["tau"]) <= TOLERANCE


def test_arm_is_its_chain_of_hinges_and_slides() -> None:
    found = with_cylindrical_joints(ARM)
    assert found.slides == {f"theta{k}": Slide(f"l{k}", 1) for k in (1, 2, 3)}
    at = motions(ARM)
    expected = evaluate(newton_euler(ARM), at)["tau"]
    for method in (forces, separately):
        assert worst(evaluate(program(ARM, method), at)["tau"], expected) <= TOLERANCE


def test_arm_with_live_parameters() -> None:
    """Twists that are parameters leave the lines of the joints where they are."""
    arm = cylindrical_arm()
    assert len(with_cylindrical_joints(arm).slides) == 3
    parameters = dict(numbers(arm)) | {"alpha1": 0.4, "a2": -0.1}
    at = motions(arm)
    found = evaluate(program(arm), at, parameters)["tau"]
    expected = evaluate(newton_euler(arm, live_parameters=True), at, parameters)["tau"]
    assert worst(found, expected) <= TOLERANCE


def operations(found: Program) -> int:
    return count(optimize(found)[0]).total


def test_one_dual_angle_saves_operations() -> None:
    assert operations(program(ARM)) < operations(program(ARM, separately))


def test_slides_along_the_hinges_save_operations() -> None:
    """With slides inclined to the hinges every joint needs two dual partial velocities."""
    inclined = tuple(
        replace(joint, axis=(Fraction(3, 5), Fraction(0), Fraction(4, 5)))
        if joint.kind is JointKind.PRISMATIC
        else joint
        for joint in ARM.joints
    )
    tree = replace(ARM, joints=inclined)
    assert not with_cylindrical_joints(tree).slides
    at = motions(tree)
    assert worst(evaluate(program(tree), at)["tau"], evaluate(newton_euler(tree), at)["tau"]) <= TOLERANCE
    assert operations(program(ARM)) < 0.7 * operations(program(tree))


def test_equations_of_the_slides_come_with_those_of_the_turns() -> None:
    """The products that give the turns' equations in their dual parts hold the slides' in their real parts."""
    found = program(ARM)
    turns = [i for i, name in enumerate(ARM.coordinates) if name.startswith("theta")]
    half = replace(
        found,
        outputs=(replace(found.outputs[0], shape=(3,)),),
        results=(tuple(found.results[0][i] for i in turns),),
    )
    added = count(found).total - count(half).total
    # no turn needs the force along the base axis: m a* of the first link along it, and what the second adds to it
    assert added <= 6
    assert added < count(found).total / 50
