"""The examples of README.md and of the guide run, and the counts quoted in README.md are those of the manifest.

The blocks of a page run one after another as one program, in a process and a folder of their own, with the data of the guide
beside it: ``python`` as it is, ``sh`` as commands, and a block with the name of a file, as ``toml arm.toml``, is that file.
README.md and pages that count operations derive and compile as users do; others do it ``quickly``, commands of kanegen in
the same process.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md")))
BLOCK = re.compile(r"^```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"c", "cpp", "python", "sh", "text", "toml"}
NEEDS = {
    "g++ ": shutil.which("g++"),
    "import pinocchio": find_spec("pinocchio"),
    "kanegen.sweep(": find_spec("pyarrow"),
}
"""What blocks may use that need not be here: a page is run up to the first that does."""
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
SOURCE = re.compile(
    f"(?:{re.escape(REPOSITORY)}/blob|{re.escape(REPOSITORY.replace('github.com', 'raw.githubusercontent.com'))})/main/"
)
"""Where links of README.md lead, which is read outside the repository, too."""
WITHOUT_PYTHON = {"command-line.md"}
QUICKLY = f"import sys; sys.path.append({str(ROOT)!r}); from tests import quickly; quickly.begin()"
"""The first line of a page of the guide."""
TIME_LIMIT = 600  # seconds; a page takes a few, and this is only there for one that hangs


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _program(page: Path) -> str:
    """The blocks of a page as Python, each on the lines where it stands there, so that tracebacks point to them."""
    text = page.read_text(encoding="utf-8")
    quickly = page.name != "README.md" and "operation_counts" not in text
    lines = [QUICKLY] if quickly else []
    for block in BLOCK.finditer(text):
        if any(word in block["text"] and not here for word, here in NEEDS.items()):
            break
        language, _, file = block["language"].partition(" ")
        if file:
            code = [f"open({file!r}, 'w', encoding='utf-8').write({block['text']!r})"]
        elif language == "sh":
            commands = block["text"].replace("\\\n", "").splitlines()
            code = [_command(command, quickly) for command in commands]
        elif language == "python":
            code = block["text"].splitlines()
        else:
            continue
        line = text.count("\n", 0, block.start("text"))
        lines += [""] * (line - len(lines)) + code
    return "\n".join(lines) + "\n"


def _command(command: str, here: bool) -> str:
    """A command of a shell as a line of Python; one of kanegen in this process where it is to be ``here``."""
    program, *arguments = shlex.split(command, comments=True)
    if here and program == "kanegen":
        return f"assert __import__('kanegen.codegen.cli', fromlist='main').main({arguments!r}) == 0"
    return f"__import__('subprocess').run({command!r}, shell=True, check=True)"


def _counts(kernel: str) -> dict[str, int]:
    manifest = json.loads((ROOT / "generated" / "stanford_arm" / "manifest.json").read_text(encoding="utf-8"))
    counts: dict[str, int] = manifest["kernels"][kernel]["operation_counts"]
    return counts


def _rows(pattern: str) -> list[tuple[str, ...]]:
    rows = re.findall(pattern, (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return [row if isinstance(row, tuple) else (row,) for row in rows]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_block_says_what_it_is(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("```") == 2 * len(BLOCK.findall(text))
    assert {block["language"].split(" ")[0] for block in BLOCK.finditer(text)} <= LANGUAGES


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in WITHOUT_PYTHON], ids=_name)
def test_the_examples_run(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "guide" / "data", tmp_path, dirs_exist_ok=True)
    program = tmp_path / f"{page.stem.replace('-', '_')}.py"
    program.write_text(_program(page), encoding="utf-8")
    assert program.read_text(encoding="utf-8").strip()
    done = subprocess.run(
        [sys.executable, program.name],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            source = SOURCE.match(target)
            assert (source is not None) == (page.name == "README.md"), f"{_name(page)}: {target}"
            place = page.parent / target if source is None else ROOT / target[source.end() :]
            assert place.exists(), f"{_name(page)}: {target}"


def test_the_first_example_prints_what_stands_there(tmp_path: Path) -> None:
    first, output = list(BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8")))[:2]
    assert (first["language"], output["language"]) == ("python", "text")
    assert len([line for line in first["text"].splitlines() if line]) == 3
    program = [sys.executable, "-c", first["text"]]
    done = subprocess.run(
        program, cwd=tmp_path, capture_output=True, text=True, timeout=TIME_LIMIT, check=True
    )
    assert done.stdout == output["text"]


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_count_beside_published_ones_is_that_of_the_manifest() -> None:
    counts = _counts("inverse_dynamics")
    assert _rows(r"^\| kanegen \| (\d+) \| (\d+) \|$") == [
        (str(counts["multiplications"]), str(counts["additions"]))
    ]
    assert _rows(r"^\| Kane's method written out, with kanegen's passes \| (\d+) \| (\d+) \|$") == [
        ("183", "129")
    ]  # test_tour.py


def test_the_counts_of_the_kernels_are_those_of_the_manifest() -> None:
    rows = _rows(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|$")
    assert len(rows) == 5
    for kernel, *quoted in rows:
        counts = _counts(kernel)
        assert list(map(int, quoted)) == [counts[k] for k in ("multiplications", "additions", "divisions")], (
            kernel
        )
