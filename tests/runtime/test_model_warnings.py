"""What was changed while a model was read is a ``ModelWarning``: once for each load, at the user's line."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import kanegen
from kanegen.model_warnings import Told, once, warn
from tests.mechanism.importers.documents import pendulum

KERNELS = ["kinetic_energy"]


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    path = tmp_path / "twice.urdf"
    path.write_text(pendulum('<axis xyz="0 0 1"/>' * 2))
    return path


def messages(told: pytest.WarningsRecorder) -> list[str]:
    return [str(warning.message) for warning in told if warning.category is kanegen.ModelWarning]


def test_each_load_warns_once_at_the_line_of_the_user(doubtful: Path) -> None:
    """The first load may read the file, the second finds kernels in the cache and does not: both say the same."""
    for _ in range(2):
        with pytest.warns(kanegen.ModelWarning) as told:
            kanegen.load(doubtful, kernels=KERNELS)
        (message,) = messages(told)
        assert message.startswith(f"{doubtful}:4: joint 'j': has 2 elements <axis>")
        assert {warning.filename for warning in told} == {__file__}


def test_a_file_that_is_read_for_its_identity_as_well_warns_once(doubtful: Path) -> None:
    """A file with included parts is read to be found in the cache, and again to be derived."""
    text = doubtful.read_text().replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    path = doubtful.with_suffix(".urdf.xacro")
    path.write_text(text.replace("</robot>", '<xacro:property name="n" value="1"/></robot>'))
    for _ in range(2):
        with pytest.warns(kanegen.ModelWarning) as told:
            kanegen.load(path, kernels=KERNELS)
        assert len(messages(told)) == 1


def test_further_kernels_of_a_robot_say_nothing_again(doubtful: Path) -> None:
    with pytest.warns(kanegen.ModelWarning):
        robot = kanegen.load(doubtful, interpreted=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert robot.call("center_of_mass", [0.3]).shape == (3,)


def test_generated_code_keeps_what_was_said(doubtful: Path, tmp_path: Path) -> None:
    with pytest.warns(kanegen.ModelWarning, match="has 2 elements") as told:
        written = kanegen.generate(doubtful, tmp_path / "c", kernels=KERNELS)
    assert len(messages(told)) == 1
    with pytest.warns(kanegen.ModelWarning, match=r"^twice\.urdf:4: joint 'j': has 2 elements <axis>"):
        kanegen.load(written)


def test_notes_are_no_warnings(tmp_path: Path) -> None:
    path = tmp_path / "long.urdf"
    path.write_text(pendulum('<axis xyz="0 0 2"/>'))
    kanegen.load(path, kernels=KERNELS, interpreted=True)


def test_messages_are_heard_by_all_that_encloses_them() -> None:
    scopes: list[Told] = []

    @once()
    def said_twice() -> None:
        for _ in range(2):
            with once() as inner:
                warn("said", "kept")
            scopes.append(inner)

    with pytest.warns(kanegen.ModelWarning) as told:
        said_twice()
    assert [list(x.heard) for x in scopes] == [["kept"]] * 2
    assert messages(told) == ["said"]
