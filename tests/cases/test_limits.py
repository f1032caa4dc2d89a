"""Numbers and names of any size (CASES 99 and 100): one range in all formats, a budget of digits, short messages."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.denavit_hartenberg import DHRow, from_dh
from kanegen.codegen.mechanism.importers import read_file
from kanegen.limits import LARGEST_NUMBER, MOST_DIGITS
from tests.mechanism.importers.documents import joint, link, pendulum, robot
from tests.mechanism.importers.toml_models import PENDULUM

from .files import LoadText, inertial

POWERS = (
    "((((1.1**16)**16)**16)**16)**16",
    "(((9**16)**16)**16)**16",
    "1/((((1.1**16)**16)**16)**16)",
    "sqrt((((2.5**16)**16)**16)**16)",
)
EQUATION = 'coordinates = ["q"]\n' + PENDULUM + '[[equation]]\nname = "e"\nposition = "q - {}"\n'


@pytest.mark.parametrize("text", [PENDULUM.replace("mass = 2", 'mass = "{}"'), EQUATION])
@pytest.mark.parametrize("power", POWERS)
def test_exact_numbers_have_a_budget(power: str, text: str, tmp_path: Path) -> None:
    """Case 99: powers of powers are refused in a moment, by the digits that they would have."""
    path = tmp_path / "model.toml"
    path.write_text(text.replace("{}", power))
    started = time.process_time()
    with pytest.raises(kanegen.ModelError, match=f"more than {MOST_DIGITS.value} digits") as caught:
        read_file(path)
    assert time.process_time() - started < 2.0  # it takes milliseconds; without a budget, minutes
    assert str(path) in str(caught.value)


def test_powers_within_the_budget_are_exact(load_text: LoadText) -> None:
    """Case 99: 1.1^16 as it was: exact, rounded once."""
    arm = load_text(PENDULUM.replace("mass = 2", 'mass = "1.1**16"'), "mass_matrix", suffix=".toml")
    # the moment of inertia about the hinge: 0.1 + m 0.5^2
    assert arm.mass_matrix([0.0])[0, 0] == pytest.approx(0.1 + 0.25 * 11**16 / 10**16, rel=1e-15)


def _urdf(number: str, folder: Path) -> None:
    (folder / "m.urdf").write_text(pendulum(body=inertial(mass=number)))
    read_file(folder / "m.urdf")


def _toml(number: str, folder: Path) -> None:
    (folder / "m.toml").write_text(PENDULUM.replace("mass = 2", f"mass = {number}"))
    read_file(folder / "m.toml")


def _mjcf(number: str, folder: Path) -> None:
    pytest.importorskip("mujoco")
    (folder / "m.xml").write_text(
        '<mujoco><worldbody><body name="b"><joint name="j"/>'
        f'<inertial pos="0 0 0" mass="{number}" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    read_file(folder / "m.xml")


def _table(number: str, folder: Path) -> None:
    from_dh([DHRow(mass=number, inertia=(1, 1, 1))])


def _builder(number: str, folder: Path) -> None:
    builder = MechanismBuilder("arm")
    builder.body("b", mass=float(number), center=(0, 0, 0), inertia=(1, 1, 1))
    builder.revolute("j", "base", "b", (0, 0, 1))
    builder.build()


@pytest.mark.parametrize("read", [_urdf, _toml, _mjcf, _table, _builder])
def test_one_range_for_all_formats(read: Callable[[str, Path], None], tmp_path: Path) -> None:
    """Case 100: what is below 1e60 is taken, what is not is refused where it stands, whatever the format."""
    assert LARGEST_NUMBER.value == 10**60
    read("9e59", tmp_path)
    for number in ("1e60", "1e300"):
        with pytest.raises(kanegen.ModelError, match="mass"):
            read(number, tmp_path)


def test_numbers_of_very_different_magnitudes_multiply(load_text: LoadText) -> None:
    """Case 100: a mass of 1e59 kg gives forces, not an error of kanegen: m g l = 1e59 * 9.81 * 0.5 at a right angle."""
    arm = load_text(PENDULUM.replace("mass = 2", "mass = 1e59"), "gravity_forces", suffix=".toml")
    force = abs(arm.gravity_forces([1.5707963267948966])[0])
    assert force == pytest.approx(1e59 * 9.81 * 0.5, rel=1e-14)


LONG = "n" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        robot(link("a", ""), link(LONG), joint("j", "a", "b")),
        robot(link("a", ""), link("b"), joint(LONG, "a", "b", '<axis xyz="0 0 0"/>')),
        robot(link("a", ""), link("b"), joint("j", "a", "b", kind=LONG)),
        robot(link("a", ""), link("b"), joint("j", "a", "b", f'<axis xyz="{LONG}"/>')),
        robot(*(link(f"{LONG}{k}", "") for k in range(20)), joint("j", "a", "b")),
    ],
)
def test_long_names_are_shortened_in_messages(text: str, tmp_path: Path) -> None:
    """Case 100: beginning and end of a name of a hundred thousand letters tell which it is."""
    path = tmp_path / "long.urdf"
    path.write_text(text)
    with pytest.raises(kanegen.ModelError) as caught:
        read_file(path)
    assert len(str(caught.value)) < 3000
    assert str(path) in str(caught.value)
