"""What the certificate would refuse because of the model is refused as the model's, with the reason (case 79)."""

from __future__ import annotations

import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder, ModelError
from kanegen.codegen.mechanism.records import Mechanism


def hinge(rest: float, damping: float, end: tuple[float, float, float] = (0, 0.1, 0)) -> Mechanism:
    """A spring between two points that coincide at q = 0, on the axis y of a hinge or beside it."""
    b = MechanismBuilder("hinge", gravity=(0, 0, 0))
    b.body("arm", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    b.revolute("j", "base", "arm", (0, 1, 0))
    b.frame("p", "arm", end)
    b.frame("w", "base", end)
    b.translational_spring("s", "w", "p", 30, damping, rest)
    return b.build()


def test_a_spring_on_the_axis_of_its_hinge() -> None:
    """Case 79: no joint moves its ends apart, so that it never has a direction; with rest length zero it needs none."""
    for rest, damping in ((0.05, 0.0), (0.0, 2.0), (0.05, 2.0)):
        with pytest.raises(ModelError, match=r"spring 's': its ends 'w' and 'p' meet in every configuration"):
            hinge(rest, damping)
    arm = kanegen.load(hinge(0.0, 0.0), interpreted=True)
    assert arm.inverse_dynamics([0.3], [1.0], [2.0]).tolist() == [2.0 * (0.01 + 0.01)]
    assert kanegen.load(hinge(0.05, 0.0, (0.3, 0, 0)), interpreted=True).inverse_dynamics([0.3], [0.0], [0.0])
