"""The folder of a sweep: its study, the chunks that are done with their hashes, and the table of all runs.

``study.json`` is the record of the study.  ``runs`` has a Parquet file for each chunk, which is written beside its place,
put on the disk and renamed; then a line with its hash is added to ``chunks.jsonl``.  So whatever interrupts it, a chunk
counts that is there whole, and another one is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kanegen.errors import FileError, KanegenError, did_you_mean
from kanegen.files import in_folders, write_new
from kanegen.json_records import from_json, to_json
from kanegen.simulation.motion import data_frames
from kanegen.sweeps.chunks import arrow
from kanegen.sweeps.study import Study

STUDY, DONE, RUNS = "study.json", "chunks.jsonl", "runs"


@dataclass(frozen=True)
class Done:
    """A chunk that is done: its number, and the size and SHA-256 of its file."""

    chunk: int
    size: int
    sha256: str


@dataclass(frozen=True, init=False)
class Sweep:
    """The runs of a sweep that are done, in the folder where they are kept: a table with a row for each.

    Columns: ``run``, its number from 0; what it was given, "p.NAME" for parameters and gains, "q0.NAME" and "v0.NAME" for
    where it began, as far as that differs; ``status``, a name of ``kanegen.simulation.Status``; ``t`` [s], the time reached,
    and the state there, "q.NAME", "v.NAME" and "x.NAME" for the states of a law; the outputs that were chosen; ``accepted``
    and ``rejected`` steps, and with constraints ``drift``.  With times, "rows.q.NAME", "rows.v.NAME", "rows.x.NAME" and
    "rows.tau.NAME" have a list of values for each run.  ``units`` has the units by column.
    """

    directory: Path

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        """The sweep in a folder."""
        object.__setattr__(self, "directory", Path(directory))

    @cached_property
    def study(self) -> Study:
        """What the numbers depend on.  Raises FileError, KanegenError."""
        path = self.directory / STUDY
        try:
            return from_json(Study, json.loads(_contents(path)))
        except ValueError as error:
            raise KanegenError(f"{path}: is no study of this version of kanegen ({error})") from None

    @property
    def done(self) -> dict[int, Done]:
        """The chunks that are done, by number.  Raises FileError."""
        return _done(self.directory)

    @property
    def complete(self) -> bool:
        """Whether all runs are there."""
        return len(self.done) == self.study.chunks

    @property
    def units(self) -> Mapping[str, str]:
        """The columns in order, with their units, "" where there is none."""
        return self.study.units

    @property
    def times(self) -> list[float]:
        """The times of the rows [s]; empty where none were asked for."""
        return list(self.study.settings.get("times") or [])

    def __len__(self) -> int:
        """The number of runs that are done."""
        spans = map(self.study.span, self.done)
        return sum(last - first for first, last in spans)

    def to_arrow(self, columns: Sequence[str] | None = None) -> Any:
        """The table of pyarrow, or some columns of it, in the order of the runs; units are in the metadata of its fields.

        Files are read from memory of Arrow's own: a thread of Arrow that lets go of an object of Python while Python ends
        ends the process by an abort (apache/arrow issue 34314).  Raises KanegenError for a column that is not there, and
        where a file is not what was written.
        """
        pa, parquet = arrow()
        for name in columns or ():
            if name not in self.units:
                cure = did_you_mean(name, self.units, f"There are {', '.join(self.units)}.")
                raise KanegenError(f"{self.directory}: there is no column {name!r}. {cure}")
        tables = []
        for _, one in sorted(self.done.items()):
            path = chunk_file(self.directory, one.chunk)
            content = _contents(path)
            if hashlib.sha256(content).hexdigest() != one.sha256:
                raise KanegenError(
                    f"{path}: it is not what was written there. Delete it, and sweep again: it is computed anew"
                )
            memory = pa.allocate_buffer(len(content))
            memoryview(memory).cast("B")[:] = content
            tables.append(parquet.read_table(pa.BufferReader(memory), columns=columns))
        if not tables:
            raise KanegenError(f"{self.directory}: no chunk of this sweep is done. Sweep again")
        return pa.concat_tables(tables)

    def to_pandas(self) -> Any:
        """A data frame of pandas, its index the numbers of the runs.  Raises KanegenError where pandas is missing."""
        data_frames()
        return self.to_arrow().to_pandas().set_index("run")

    def rows(self) -> Any:
        """The rows at ``times`` as a data frame of pandas under (run, t): columns "q.NAME", "v.NAME", "x.NAME", "tau.NAME".

        Raises KanegenError where no times were asked for, and where pandas is missing.
        """
        pd = data_frames()
        if not self.times:
            raise KanegenError(
                f"{self.directory}: the sweep has no rows. Sweep into another folder with times="
            )
        index = pd.MultiIndex.from_product([self["run"], self.times], names=["run", "t"])
        names = [name for name in self.units if name.startswith("rows.")]
        return pd.DataFrame({name.removeprefix("rows."): self[name].ravel() for name in names}, index=index)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column as an array, (runs,), or (runs, times) for rows.  Raises KanegenError for a name that is not there."""
        values = self.to_arrow([column])[column].combine_chunks()
        if column.startswith("rows."):
            return np.asarray(values.flatten()).reshape(len(values), len(self.times))
        return np.asarray(values.to_numpy(zero_copy_only=False))


def chunk_file(directory: Path, index: int) -> Path:
    """The file of a chunk."""
    return directory / RUNS / f"chunk-{index:08}.parquet"


def _contents(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}", error.errno) from error


def _done(directory: Path) -> dict[int, Done]:
    """What is recorded as done and there; a line that was not written to its end counts as none."""
    path = directory / DONE
    lines = _contents(path).split(b"\n")[:-1] if path.exists() else []
    found = {}
    for line in lines:
        with contextlib.suppress(ValueError):
            one = from_json(Done, json.loads(line))
            found[one.chunk] = one
    for one in list(found.values()):
        file = chunk_file(directory, one.chunk)
        if not file.is_file() or file.stat().st_size != one.size:
            del found[one.chunk]
    return found


@contextlib.contextmanager
def writing(directory: Path, study: Study) -> Iterator[Writer]:
    """What writes chunks of a study into a folder, where no other process writes meanwhile.

    An exception before the first chunk is there takes back what was made for it.  Raises KanegenError where the folder
    belongs to another study or to another process, FileError.
    """
    with in_folders(directory / RUNS), _locked(directory):
        fresh = not (directory / STUDY).exists()
        try:
            yield Writer(directory, study)
        except BaseException:
            for part in _parts(directory):
                part.unlink()
            if fresh and not any((directory / RUNS).iterdir()):
                (directory / STUDY).unlink(missing_ok=True)
            raise


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Keep other processes out of a folder.  The file by which it is done stays where there is a study."""
    from filelock import FileLock, Timeout

    place = directory / ".lock"
    lock = FileLock(place)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise KanegenError(
            f"{directory}: another process sweeps into this folder. Wait for it, or name another folder"
        ) from None
    try:
        yield
    finally:
        lock.release()
        if not (directory / STUDY).exists():
            place.unlink(missing_ok=True)


def _parts(directory: Path) -> list[Path]:
    """Files that were not written to their end."""
    return [*directory.glob(f"{STUDY}.part"), *(directory / RUNS).glob("*.part")]


class Writer:
    """Adds chunks to a folder, from any thread.  ``fresh``: whether the study was not there before."""

    def __init__(self, directory: Path, study: Study) -> None:
        self._directory = directory
        path = directory / STUDY
        self.fresh = not path.exists()
        if not self.fresh:
            _refuse_another(directory, study, Sweep(directory).study)
        elif any((directory / RUNS).iterdir()):
            raise KanegenError(
                f"{directory}: there are results without a study. Name another folder, or empty this one"
            )
        for part in _parts(directory):  # of a process that was killed
            part.unlink()
        log = directory / DONE
        if log.exists():
            whole = _contents(log).rpartition(b"\n")
            os.truncate(log, len(whole[0]) + len(whole[1]))
        self._study, self._adding = study, threading.Lock()

    def begin(self) -> None:
        """Record the study."""
        text = json.dumps(to_json(self._study) | {"digest": self._study.digest}, indent=1) + "\n"
        _place(self._directory / STUDY, text.encode())
        self.fresh = False

    def add(self, index: int, content: bytes) -> None:
        """A chunk that is computed: its file, then its line.  Raises OSError."""
        _place(chunk_file(self._directory, index), content)
        line = asdict(Done(index, len(content), hashlib.sha256(content).hexdigest()))
        with self._adding, (self._directory / DONE).open("ab") as log:
            log.write(json.dumps(line).encode() + b"\n")


def _place(path: Path, content: bytes) -> None:
    """A file that is there whole or not at all.

    Its content is on the disk before its name is.  A name, or a line of the record, that a failure of power takes back,
    makes a chunk one that is missing.
    """
    part = path.with_name(f"{path.name}.part")
    write_new(part, content)
    part.replace(path)


def _refuse_another(directory: Path, study: Study, there: Study) -> None:
    if there.digest == study.digest:
        return
    old, new = to_json(there), to_json(study)
    differ = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    told = {"target": f" ({there.target} there, {study.target} here)"}
    raise KanegenError(
        f"{directory}: it holds another study, which differs in {', '.join(x + told.get(x, '') for x in differ)}. Name "
        "another folder for this one, or go on with that study as it was"
    )
