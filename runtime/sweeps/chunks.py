"""A chunk of runs, computed from the study and its number alone, as the bytes of a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from kanegen.arrays import FloatArray
from kanegen.errors import KanegenError
from kanegen.extras import install_command
from kanegen.simulation import Motions, Status, simulate_many
from kanegen.sweeps.study import Study


def chunk(arm: Any, study: Study, index: int, threads: int) -> bytes:
    """The runs of a chunk, simulated by the robot of the study.  Raises KanegenError, which says which runs fail."""
    pa, parquet = arrow()
    first, last = study.span(index)
    try:
        columns = list(_columns(arm, study, first, last, threads))
    except (KanegenError, ValueError) as error:
        raise KanegenError(
            f"runs {first} to {last - 1} of the sweep, row 0 being the first: {error}"
        ) from error
    fields, arrays = [], []
    for (name, unit), column in zip(study.units.items(), columns, strict=True):
        if isinstance(column, np.ndarray) and column.ndim == 2:
            column = pa.FixedSizeListArray.from_arrays(pa.array(column.ravel()), column.shape[1])
        arrays.append(column if isinstance(column, pa.Array) else pa.array(column))
        fields.append(pa.field(name, arrays[-1].type, metadata={"unit": unit} if unit else None))
    about = {"kanegen.study": study.digest}
    if study.settings.get("times") is not None:
        about["kanegen.times"] = json.dumps(study.settings["times"])
    stream = pa.BufferOutputStream()
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=about))
    parquet.write_table(table, stream, use_dictionary=["status"], compression="zstd")
    return bytes(stream.getvalue())


def _columns(arm: Any, study: Study, first: int, last: int, threads: int) -> Iterator[Any]:
    """The columns in the order of ``Study.units``."""
    given, count = study.given(first, last), last - first
    q0, v0 = (np.tile(state, (count, 1)) for state in (study.q0, study.v0))
    own: dict[str, FloatArray] = {}
    for column, values in given.items():
        kind, _, name = column.partition(".")
        if kind == "p":
            own[name] = values
        else:
            state, names = (q0, arm.coordinate_names) if kind == "q0" else (v0, arm.speed_names)
            state[:, names.index(name)] = values
    motions = simulate_many(
        arm, q0, v0, study.duration, study.controller, parameters=own, threads=threads, **study.settings
    )
    yield np.arange(first, last)
    yield from given.values()
    yield _statuses(motions)
    yield motions.reached
    for state in (motions.final_q, motions.final_v, motions.final_x):
        yield from state.T
    at_end = {"t": motions.reached, "q": motions.final_q, "v": motions.final_v, "x": motions.final_x}
    robot = arm.of_states(own, looks=False)
    for kernel, (spec, _) in arm.made_of(study.outputs)[1].items():
        found = robot.call(kernel, *(at_end[x.name] for x in spec.inputs), threads=threads)
        for values in found if isinstance(found, tuple) else (found,):
            yield from np.asarray(values, dtype=np.float64).reshape(count, -1).T
    yield from (motions.accepted, motions.rejected)
    if motions.drift is not None:
        yield motions.drift
    if study.settings.get("times") is not None:
        for rows in (motions.q, motions.v, motions.x, motions.tau):
            yield from np.moveaxis(rows, 2, 0)


def _statuses(motions: Motions) -> Any:
    """How each ended, by the names of ``Status``."""
    pa, _ = arrow()
    names = [status.name for status in Status]
    places = [names.index(status.name) for status in motions.status]
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int8()), names)


def arrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet.  Raises KanegenError where they are missing."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise KanegenError(
            f"sweeps need pyarrow, which is not installed. Install it: {install_command('tables', 'pyarrow')}"
        ) from None
    return pa, parquet
