"""The kinds of benchmark results that time something, each from its document to claims and tables.

The smallest time of a contestant is the figure for ratios, as in the benchmarks themselves: noise only ever adds time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kanegen.codegen.commands.benchmark_json import Node
from kanegen.codegen.commands.benchmark_records import Cell, Claim, Column, Contents, Shown, Table

_NATIVE = ("C", "C++")
_COUNTED = ("multiplications", "additions", "divisions")
_COUNT_COLUMNS = tuple(Column(name, Shown.COUNT) for name in ("mult", "add", "div"))


def kernels(document: Node) -> Contents:
    """``kernels_stanford_arm``: operations beside published ones, and times from C and from Python."""
    tables: list[Table] = []
    for kernel, found in document["kernels"].items():
        tables.append(_published_counts(kernel, found["operation_counts"].elements()))
        tables += _times(kernel, found["timings"])
    return Contents(_kernel_claims(document), tuple(tables))


def closed_loops(document: Node) -> Contents:
    """``closed_loops``: linkages beside engines that know constraints."""
    tables: list[Table] = []
    operations = []
    for model, found in document["linkages"].items():
        kernel = found["kernel"].text()
        operations.append((model, kernel, *_counts(found["operation_counts"])))
        tables += _times(f"{model}, {kernel}", found["timings"])
    columns = (Column("model", Shown.TEXT), Column("kernel", Shown.TEXT), *_COUNT_COLUMNS)
    return Contents(
        _kernel_claims(document), (Table("operations of one call", columns, tuple(operations)), *tables)
    )


def robots(document: Node) -> Contents:
    """``robots``: robots from model files, every kernel with its ratio to each peer."""
    claims = []
    for verdict in document["claims"].elements():
        claim = verdict["claim"]
        what = f"{claim['robot'].text()}, {claim['kernel'].text()}: {claim['over'].text()} / kanegen"
        claims.append(Claim(what, verdict["ratio"].number_or_none(), claim["need"].number()))
    return Contents(tuple(claims), (_ratios_of_robots(document["robots"]), _robot_files(document["robots"])))


def simulation(document: Node) -> Contents:
    """``simulation_stanford_arm``: a whole motion at several tolerances."""
    aim = document["aim"].number()
    claims, rows = [], []
    for outcome in document["outcomes"].elements():
        name, ratio = outcome["name"].text(), outcome["over_own"].number_or_none()
        rtol, atol = outcome["rtol"].number(), outcome["atol"].number()
        times = (outcome["milliseconds"].duration(), outcome["median_milliseconds"].duration())
        rows.append((name, rtol, atol, *times, ratio, outcome["error"].number()))
        if not _is_own(name):
            claims.append(Claim(f"{name} / kanegen.simulate, rtol {rtol:g}", ratio, aim))
    columns = (
        Column("simulation", Shown.TEXT),
        Column("rtol", Shown.DIFFERENCE),
        Column("atol", Shown.DIFFERENCE),
        Column("min ms", Shown.NUMBER),
        Column("median ms", Shown.NUMBER),
        Column("over kanegen", Shown.RATIO),
        Column("error at the end", Shown.DIFFERENCE),
    )
    return Contents(tuple(claims), (Table("the motion, once", columns, tuple(rows)),))


def flexible_arms(document: Node) -> Contents:
    """``flexible_arms``: operations beside Book's, forward dynamics beside a rigid chain's, scenarios beside real time."""
    claims = tuple(
        Claim(claim["what"].text(), claim["measured"].number_or_none(), claim["need"].number())
        for claim in document["claims"].elements()
    )
    tables = [_operations_of_arms(document["operations"])]
    tables += _times("forward_dynamics", document["forward_dynamics"]["timings"])
    return Contents(claims, (*tables, _scenarios(document["scenarios"])))


def _kernel_claims(document: Node) -> tuple[Claim, ...]:
    claims = []
    for verdict in document["claims"].elements():
        claim = verdict["claim"]
        what = f"{claim['kernel'].text()}: {claim['time_of'].text()} / {claim['over_time_of'].text()}"
        ratio = verdict["ratio_of_minima"].number_or_none()
        claims.append(Claim(what, ratio, claim["aim"].number()))
    return tuple(claims)


def _published_counts(kernel: str, found: Sequence[Node]) -> Table:
    """Operations, the oldest first, and how often those of the last, which is kanegen, go into them."""
    counted = [(node["who"].text(), *_counts(node)) for node in found]
    own = sum(counted[-1][1:3]) if counted and _is_own(counted[-1][0]) else 0
    rows = tuple((who, m, a, d, (m + a) / own if own else None) for who, m, a, d in counted)
    columns = (
        Column("source", Shown.TEXT),
        *_COUNT_COLUMNS,
        Column("mult and add over kanegen's", Shown.RATIO),
    )
    return Table(f"{kernel}, operations of one call", columns, rows)


def _counts(node: Node) -> tuple[int, int, int | None]:
    multiplications, additions, divisions = (node[name] for name in _COUNTED)
    return multiplications.count(), additions.count(), divisions.count_or_none()


def _times(title: str, timings: Node) -> Iterable[Table]:
    """A table for calls from C and C++ and one for calls from Python, each with ratios to its first row.

    The language stands in the names: what is not called "…, C" or "…, C++" is called from Python.
    """
    contestants = dict(timings.items())
    native = {
        name: node for name, node in contestants.items() if name.split(", ")[1:2] in ([x] for x in _NATIVE)
    }
    python = {name: node for name, node in contestants.items() if name not in native}
    for language, group in (("from C and C++", native), ("from Python", python)):
        if group:
            yield _times_of(f"{title}, {language}", group)


def _times_of(title: str, group: Mapping[str, Node]) -> Table:
    first = next(iter(group.values()))["minimum"].duration()
    differences = {"difference": "largest_relative_difference"}
    if all(node.get("difference_from_multipliers") for node in group.values()):
        differences["from multipliers"] = "difference_from_multipliers"
    rows: list[tuple[Cell, ...]] = []
    for name, node in group.items():
        minimum = node["minimum"].duration()
        apart = (node[key].number() for key in differences.values())
        rows.append((name, minimum, node["median"].duration(), minimum / first, *apart))
    columns = (
        Column("contestant", Shown.TEXT),
        Column("min ns", Shown.NUMBER),
        Column("median ns", Shown.NUMBER),
        Column("over the first", Shown.RATIO),
        *(Column(heading, Shown.DIFFERENCE) for heading in differences),
    )
    return Table(title, columns, tuple(rows))


def _ratios_of_robots(found: Node) -> Table:
    """One row for each kernel of each robot, two columns for each peer."""
    measured = [
        (robot, kernel, node) for robot, about in found.items() for kernel, node in about["kernels"].items()
    ]
    peers = dict.fromkeys(
        name for _, _, node in measured for name, _ in node["timings"].items() if not _is_own(name)
    )
    rows = []
    for robot, kernel, node in measured:
        times = {name: timing["minimum"].duration() for name, timing in node["timings"].items()}
        own = next((time for name, time in times.items() if _is_own(name)), None)
        beside: list[Cell] = []
        for peer in peers:
            theirs = times.get(peer)
            beside += [theirs, None if theirs is None or own is None else theirs / own]
        differences = [difference.number() for _, difference in node["largest_relative_differences"].items()]
        counts = _counts(node["operation_counts"])
        rows.append((robot, kernel, *counts, own, *beside, max(differences, default=None)))
    columns = [Column("robot", Shown.TEXT), Column("kernel", Shown.TEXT), *_COUNT_COLUMNS]
    columns.append(Column("kanegen ns", Shown.NUMBER))
    for peer in peers:
        columns += [Column(f"{peer} ns", Shown.NUMBER), Column(f"{peer} / kanegen", Shown.RATIO)]
    columns.append(Column("difference", Shown.DIFFERENCE))
    return Table("operations and nanoseconds of one call from C and C++", tuple(columns), tuple(rows))


def _operations_of_arms(found: Node) -> Table:
    """One row for each arm and source, the last of which is kanegen."""
    rows: list[tuple[Cell, ...]] = []
    for arm, about in found.items():
        size = tuple(about["size"][name].count() for name in ("n", "n_f", "m"))
        counted = [(node["who"].text(), *_counts(node)) for node in about["operation_counts"].elements()]
        own = counted[-1][1] if counted and _is_own(counted[-1][0]) else 0
        for who, multiplications, *others in counted:
            ratio = multiplications / own if own else None
            rows.append((arm, *size, who, multiplications, *others, ratio))
    columns = (
        Column("arm", Shown.TEXT),
        Column("joints", Shown.COUNT),
        Column("flexible links", Shown.COUNT),
        Column("modes of each", Shown.COUNT),
        Column("source", Shown.TEXT),
        *_COUNT_COLUMNS,
        Column("mult over kanegen's", Shown.RATIO),
    )
    return Table("operations for mass matrix and right-hand side", columns, tuple(rows))


def _scenarios(found: Node) -> Table:
    columns = (
        Column("arm", Shown.TEXT),
        Column("scenario", Shown.TEXT),
        Column("motion s", Shown.NUMBER),
        Column("min ms", Shown.NUMBER),
        Column("median ms", Shown.NUMBER),
        Column("steps", Shown.COUNT),
        Column("over real time", Shown.RATIO),
    )
    rows = tuple(
        (
            motion["arm"].text(),
            motion["scenario"].text(),
            motion["duration"].duration(),
            motion["milliseconds"].duration(),
            motion["median_milliseconds"].duration(),
            motion["steps"].count(),
            motion["over_real_time"].number(),
        )
        for motion in found.elements()
    )
    return Table("scenarios, simulated from beginning to end", columns, rows)


def _robot_files(found: Node) -> Table:
    columns = (
        Column("robot", Shown.TEXT),
        Column("package", Shown.TEXT),
        Column("file", Shown.TEXT),
        Column("dof", Shown.COUNT),
        Column("derivations, at most", Shown.COUNT),
    )
    rows = tuple(
        (
            robot,
            about["package"].text(),
            about["file"].text(),
            about["dof"].count(),
            about["search_budget"].count(),
        )
        for robot, about in found.items()
    )
    return Table("the robots' files", columns, rows)


def _is_own(name: str) -> bool:
    return name.startswith("kanegen")
