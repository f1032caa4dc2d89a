"""kanegen compare MODEL --formulations: what each formulation was allowed, and that all agree."""

from __future__ import annotations

from kanegen.codegen.commands.compare import ALLOWED, compare_formulations, table
from kanegen.codegen.derivation.formulations import RIGID
from kanegen.codegen.mechanism import BASE, MechanismBuilder
from kanegen.options import FREE


def test_every_formulation_of_a_pendulum() -> None:
    builder = MechanismBuilder("pendulum")
    builder.body("rod", mass=2, center=(0, 0, "-0.3"), inertia=("0.1", "0.1", "0.01"))
    builder.revolute("hinge", BASE, "rod", (0, 1, 0))
    found = compare_formulations(builder.build())
    assert [c.formulation for c in found] == list(RIGID)
    for c in found:
        assert c.allowed == ("searched" if c.formulation in FREE else "as written")
        assert c.multiplications <= c.plain_multiplications
        assert c.difference < 1e-15  # some roundings of two terms
        assert c.nanoseconds > 0
    text = table(found)
    assert [word for word in ALLOWED if f"\n{word}: " in text] == ["searched", "as written"]
