"""Collecting the results of benchmarks: which files there are, which benchmark wrote each, what it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kanegen.codegen.commands.benchmark_corpus import corpus
from kanegen.codegen.commands.benchmark_json import DamagedError, Node, load, printable
from kanegen.codegen.commands.benchmark_kinds import sections
from kanegen.codegen.commands.benchmark_records import (
    Contents,
    Machine,
    NoResultsError,
    Report,
    Result,
    Unread,
)
from kanegen.errors import FileError

FOLDERS = (Path("benchmarks/results"), Path("figures"))
"""Where `make bench` and `make corpus` write, seen from the root of a checkout."""

KINDS: Mapping[str, Callable[[Node], Contents]] = {"all": sections, "corpus": corpus}
"""The benchmarks by name, in the order of the report."""

_HOW = (
    "make them in a checkout of kanegen with `make bench` (the table of model files: `make corpus`, hours), "
    "or name the folder that has them"
)


class _ForeignError(ValueError):
    """A JSON file that is no result, or that of a benchmark which this version does not know."""


def collect(paths: Sequence[Path] = ()) -> Report:
    """The report of result files, or of all JSON files in folders; of ``FOLDERS``, those that exist, where none is named.

    Files that are damaged or something else are listed in it.  Raises NoResultsError where there is nothing else, and
    FileError for a path that does not exist.
    """
    for path in paths:
        if not path.exists():
            raise FileError(f"{path}: no such file or folder; expected results of benchmarks: {_HOW}")
    folders = paths or FOLDERS
    results: list[Result] = []
    unread: list[Unread] = []
    for file in _files(folders):
        try:
            results.append(_result(file))
        except DamagedError as error:
            unread.append(Unread(printable(file.name), str(error), damaged=True))
        except _ForeignError as error:
            unread.append(Unread(printable(file.name), str(error), damaged=False))
    if not results:
        looked = " and ".join(printable(str(folder)) for folder in folders)
        found = "; ".join(f"{file.file}: {file.reason}" for file in unread)
        raise NoResultsError(f"no benchmark results in {looked}{f' ({found})' * bool(found)}: {_HOW}")
    order = tuple(KINDS)
    results.sort(key=lambda result: (order.index(result.benchmark), result.file))
    return Report(tuple(results), tuple(unread))


def _files(paths: Sequence[Path]) -> list[Path]:
    """Result files in order, each once; of the default folders, one or the other may be missing."""
    found = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    return list({file.resolve(): file for file in found if file.is_file()}.values())


def _result(file: Path) -> Result:
    """The result in a file.  Raises DamagedError, and _ForeignError where it is none."""
    document = load(file)
    benchmark = _benchmark(document)
    left_out, protocol = document.get("left_out"), document.get("protocol")
    return Result(
        file=printable(file.name),
        benchmark=benchmark,
        machine=_machine(document["environment"]),
        protocol={} if protocol is None else {name: node.scalar() for name, node in protocol.items()},
        contents=KINDS[benchmark](document),
        left_out=() if left_out is None else left_out.texts(),
    )


def _benchmark(document: Node) -> str:
    """The name of the benchmark that wrote a document; the table of the corpus says of itself nothing but its robots."""
    members = document.value if isinstance(document.value, dict) else {}
    if "benchmark" not in members:
        if isinstance(members.get("robots"), list) and "environment" in members:
            return "corpus"
        raise _ForeignError("no result of a benchmark")
    name = document["benchmark"].text()
    if name not in KINDS:
        raise _ForeignError(
            f"of benchmark {name!r}, which this version does not know; it knows {', '.join(KINDS)}"
        )
    return name


def _machine(node: Node) -> Machine:
    return Machine(
        processor=node["processor"].text(),
        cores=node["cores"].count(),
        vector_extensions=node["vector_extensions"].texts(),
        system=node["system"].text(),
        python=node["python"].text(),
        c_compiler=node["c_compiler"].text_or_none(),
        cpp_compiler=node["cpp_compiler"].text_or_none(),
        flags=node["flags"].texts(),
        packages={name: version.text() for name, version in node["packages"].items()},
    )
