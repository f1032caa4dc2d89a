"""What a cure says to install: the packages themselves, in a clone as elsewhere."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from kanegen.extras import install_command

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("extra", ["mujoco", "plots", "xacro", "corpus"])
def test_all_packages_of_an_extra_are_named(extra: str) -> None:
    names = [requirement.partition(";")[0] for requirement in EXTRAS[extra]]
    assert install_command(extra) == "pip install " + " ".join(f"'{name}'" for name in names)


def test_one_package_of_an_extra_is_named_alone() -> None:
    assert install_command("peers", "pin").startswith("pip install 'pin>=")


def test_what_nobody_installed_names_the_extra_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert install_command("xacro") == "pip install '.[xacro]'"
    assert install_command("peers", "pin") == "pip install pin"
