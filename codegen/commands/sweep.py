"""``kanegen sweep STUDY.toml``: a study in a file, from words to ``kanegen.sweep``."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import kanegen
from kanegen.codegen.commands.model_simulation import start
from kanegen.codegen.commands.option_flags import named_law
from kanegen.codegen.commands.parser import Parser
from kanegen.codegen.commands.simulation_words import CHECKS, Words, table_file, words_of
from kanegen.errors import KanegenError, ModelError, counted, did_you_mean, shown
from kanegen.files import is_file
from kanegen.followers import cure_of_name
from kanegen.simulation import Status
from kanegen.sweeps.draws import draw
from kanegen.sweeps.run import SETTINGS

_TABLES: Mapping[str, tuple[str, ...] | None] = {
    "options": None,
    "draws": ("samples", "seed"),
    "parameters": None,
    "gains": None,
    "initial": ("q", "v"),
}
"""The tables of a study, with the words that each knows where these are not names."""

_TEXTS = ("model", "controller", "reference", "output")
_WORDS = (
    *_TEXTS,
    "duration",
    *(name for name in SETTINGS if name != "references"),
    "rows",
    "chunk",
    "outputs",
    *_TABLES,
)

_VARIED = {"parameters": "p", "gains": "p", "initial.q": "q", "initial.v": "v"}
"""By table what its names are those of."""


def arguments(parser: Parser) -> None:
    """The flags of the command."""
    parser.add_argument("study", type=Path, metavar="STUDY.toml", help="what is run, and what differs")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIRECTORY", help="of the results, in place of the study's"
    )
    parser.add_argument(
        "--executor",
        default="threads",
        metavar="threads|processes|ADDRESS",
        help="where: in this process (default), in processes of this machine, or workers of Dask (tcp://HOST:8786)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="of this process, or processes, or threads of a task (default %(default)s)",
    )


def run(given: argparse.Namespace) -> int:
    """Carry out the study in a file, as far as it is not done.  Raises KanegenError."""
    path = given.study
    said = _read(path)
    folder = given.output or path.parent / said.get("output", f"{path.stem}_results")
    controller, options = said.get("controller"), dict(said["options"])
    if controller is not None and "(" in controller:
        controller, law = named_law(controller)
        options["laws"] = {**options.get("laws", {}), controller: law}
    try:
        robot = _loaded(path, said, options)
        fixed, varied = _values(path, robot, said)
        settings = _settings(path, said)
        words = Words(q=fixed["q"], v=fixed["v"], t0=settings.get("t0"))
        q0, v0 = start(robot.with_parameters(fixed["p"]) if fixed["p"] else robot, words, print)
        found = kanegen.sweep(
            robot,
            CHECKS["time"](f"{path}, duration", said["duration"]),
            controller,
            output=folder,
            q0={**dict(zip(robot.coordinate_names, q0, strict=True)), **varied["q"]},
            v0={**dict(zip(robot.speed_names, v0, strict=True)), **varied["v"]},
            parameters={**fixed["p"], **varied["p"]},
            **said["draws"],
            **{name: said[name] for name in ("chunk", "outputs") if name in said},
            **settings,
            executor=given.executor,
            threads=given.threads,
        )
    except (TypeError, ValueError) as error:
        if isinstance(error, KanegenError):
            raise
        raise KanegenError(f"{path}: {error}") from None
    ends = Counter(found["status"].tolist())
    print(f"{counted(len(found), 'run')} of {robot.name} in {folder}")
    for status in Status:
        if ends[status.name]:
            print(f"{ends[status.name]:>14,} {status.name}: {status.value}")
    return 0


def _read(path: Path) -> dict[str, Any]:
    """What a study says, all its tables among it."""
    said = words_of(path, _WORDS, "study")
    for word in ("model", "duration"):
        if word not in said:
            raise KanegenError(f"{path}: {word} is missing. Give it")
    for word in _TEXTS:
        if word in said:
            CHECKS["law"](f"{path}, {word}", said[word])
    for name, known in _TABLES.items():
        said[name] = _table(path, name, said.get(name, {}), known)
    said |= {f"initial.{x}": _table(path, f"initial.{x}", said["initial"].get(x, {})) for x in ("q", "v")}
    twice = [name for name in said["gains"] if name in said["parameters"]]
    if twice:
        raise KanegenError(f"{path}: {twice[0]!r} is among parameters and gains. Leave it in one of them")
    if said["gains"] and "controller" not in said:
        raise KanegenError(f"{path}: there are gains and no controller. Name the law that has them")
    if "rows" in said and "times" in said:
        raise KanegenError(f"{path}: there are times and rows. Leave one of them out")
    return said


def _table(path: Path, name: str, given: Any, known: tuple[str, ...] | None = None) -> dict[str, Any]:
    """A table, in words that are known where there are any."""
    if not isinstance(given, dict):
        raise KanegenError(f"{path}, {name}: expected a table, got {shown(given)}")
    for word in given if known else ():
        if known is not None and word not in known:
            cure = did_you_mean(word, known, f"Known are {', '.join(known)}.")
            raise KanegenError(f"{path}, {name}: there is no word {word!r}. {cure}")
    return given


def _settings(path: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """What ``kanegen.sweep`` takes as it is, and tables over time."""
    found = {
        name: CHECKS[name](f"{path}, {name}", said[name]) if name in CHECKS else said[name]
        for name in SETTINGS
        if name in said
    }
    if "rows" in said:
        begin, count = found.get("t0", 0.0), CHECKS["rows"](f"{path}, rows", said["rows"])
        found["times"] = np.linspace(begin, begin + said["duration"], count)
    if "reference" in said:
        found["references"] = table_file(path.parent / said["reference"])
    return found


def _loaded(path: Path, said: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """The robot of a study.  Where the options do not say what is live, that is what the study has values of."""
    beside = path.parent / said["model"]
    live = [*said["parameters"], *said["gains"]]
    return kanegen.load(str(beside) if is_file(beside) else said["model"], **{"live": live, **options})


def _values(
    path: Path, robot: Any, said: Mapping[str, Any]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Values that are the same for all runs, and those that differ, by name, of p, q and v.  Raises KanegenError."""
    known = {"p": robot.parameters, "q": robot.coordinate_places, "v": robot.speed_places}
    fixed: dict[str, dict[str, Any]] = {kind: {} for kind in known}
    varied: dict[str, dict[str, Any]] = {kind: {} for kind in known}
    for table, kind in _VARIED.items():
        for name, value in said[table].items():
            where = f"{path}, {table}.{name}"
            if name not in known[kind]:
                there = f"one of {', '.join(known[kind])}" if known[kind] else "nothing"
                following = {} if kind == "p" else robot.followers
                cure = cure_of_name(name, known[kind], following, "Mend it, or have options.live name it.")
                raise ModelError(where, f"is not there in {robot.name}", there, cure)
            if isinstance(value, dict):
                draw(where, name, value)
                varied[kind][name] = value
            else:
                fixed[kind] |= CHECKS[kind](f"{path}, {table}", {name: value})
    return fixed, varied
