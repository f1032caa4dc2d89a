"""The built-in mechanisms and their scenarios, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from kanegen.codegen.graph.late import Late
from kanegen.codegen.mechanism.catalogue.agrawal_1988 import cylindrical_arm, plate_disk, stanford_arm_rrp
from kanegen.codegen.mechanism.catalogue.cooperating_arms import cooperating_arms
from kanegen.codegen.mechanism.catalogue.flexible_arms import FLEXIBLE_ARMS, FLEXIBLE_SCENARIOS
from kanegen.codegen.mechanism.catalogue.khalil_arms import KHALIL_ARMS
from kanegen.codegen.mechanism.catalogue.planar_linkages import five_bar, four_bar, four_bar_tilted
from kanegen.codegen.mechanism.catalogue.rolling_disc import rolling_disc
from kanegen.codegen.mechanism.catalogue.sim_yoo_lee_robot import sim_yoo_lee_robot
from kanegen.codegen.mechanism.catalogue.stewart_platform import stewart_platform
from kanegen.codegen.mechanism.catalogue.whipple_bicycle import whipple_bicycle
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.scenarios import Scenario
from kanegen.codegen.mechanism.speeds import GeneralizedSpeed
from kanegen.errors import ModelError, did_you_mean

if TYPE_CHECKING:
    from kanegen.codegen.mechanism.catalogue import stanford_arm, two_link_space_arm
else:  # they have expressions
    stanford_arm = Late(f"{__name__}.stanford_arm")
    two_link_space_arm = Late(f"{__name__}.two_link_space_arm")

_MECHANISMS: Mapping[str, Callable[[], Mechanism]] = {
    "stanford_arm": lambda: stanford_arm.stanford_arm(),
    **KHALIL_ARMS,
    "cylindrical_arm": cylindrical_arm,
    "stanford_arm_rrp": stanford_arm_rrp,
    "two_link_space_arm": lambda: two_link_space_arm.two_link_space_arm(),
    "plate_disk": plate_disk,
    "rolling_disc": rolling_disc,
    "four_bar": four_bar,
    "four_bar_tilted": four_bar_tilted,
    "five_bar": five_bar,
    "cooperating_arms": cooperating_arms,
    "whipple_bicycle": whipple_bicycle,
    "stewart_platform": stewart_platform,
    "sim_yoo_lee_robot": sim_yoo_lee_robot,
    **FLEXIBLE_ARMS,
}
_SPEEDS: Mapping[str, Mapping[str, Callable[[], tuple[GeneralizedSpeed, ...]]]] = {
    "stanford_arm": {"kane_levinson": lambda: stanford_arm.kane_levinson_speeds}
}
_SCENARIOS: Mapping[str, Callable[[], tuple[Scenario, ...]]] = {
    "stanford_arm": lambda: stanford_arm.stanford_arm_scenarios(),
    "two_link_space_arm": lambda: two_link_space_arm.two_link_space_arm_scenarios(),
    **FLEXIBLE_SCENARIOS,
}


def names() -> tuple[str, ...]:
    """The names of the built-in mechanisms."""
    return tuple(_MECHANISMS)


def mechanism(name: str) -> Mechanism:
    """The built-in mechanism of that name.  Raises ModelError listing what there is."""
    if name not in _MECHANISMS:
        raise ModelError(
            f"mechanism {name!r}",
            "is not built in",
            f"one of {', '.join(_MECHANISMS)}",
            did_you_mean(name, _MECHANISMS, "Give one of these."),
        )
    return _MECHANISMS[name]()


def speeds_names(mechanism_name: str) -> tuple[str, ...]:
    """Names of the generalized speeds that a built-in mechanism brings along besides the rates of its coordinates."""
    return tuple(_SPEEDS.get(mechanism_name, {}))


def generalized_speeds(mechanism_name: str, speeds_name: str) -> tuple[GeneralizedSpeed, ...]:
    """Generalized speeds of a built-in mechanism, by name.  Raises ModelError listing what there is."""
    known = _SPEEDS.get(mechanism_name, {})
    if speeds_name not in known:
        raise ModelError(
            f"mechanism {mechanism_name!r}",
            f"has no generalized speeds called {speeds_name!r}",
            f"one of {', '.join(known)}" if known else "none but the joint rates",
            did_you_mean(speeds_name, known, "Leave the speeds out for the joint rates."),
        )
    return known[speeds_name]()


def scenarios(name: str) -> tuple[Scenario, ...]:
    """The scenarios of the mechanism of that name; none for any model that is not built in."""
    return _SCENARIOS[name]() if name in _SCENARIOS else ()


def scenario(mechanism_name: str, name: str) -> Scenario:
    """The scenario of that name.  Raises ModelError listing what there is."""
    found = scenarios(mechanism_name)
    for candidate in found:
        if candidate.name == name:
            return candidate
    expected = (
        f"one of {', '.join(candidate.name for candidate in found)}"
        if found
        else f"a mechanism with scenarios: {', '.join(_SCENARIOS)}"
    )
    cure = did_you_mean(name, [candidate.name for candidate in found], "Give one of these.")
    raise ModelError(f"scenario {name!r}", f"{mechanism_name!r} has none of this name", expected, cure)
