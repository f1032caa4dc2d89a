"""The algorithm of 1983 itself, row by row: a historical program beside today's derivations.

Kane & Levinson, "The Use of Kane's Dynamical Equations in Robotics", IJRR 2(3), 1983, give the Stanford Arm's
equations as Z1 ... Z196 (Appendix 1), X_rs (Appendix 2), the angular momentum W1 ... W31 (Appendix 4), C_ij
(eqs 37 - 39) and eqs 118 - 126.  ``data/kane_levinson_1983.json`` has these rows with the errata of the
available text corrected, the printed form beside each correction.

Every row says what it means, in which unit, and which equations introduce it; ``quantities`` gives the values of all.

Four programs are made of them.  The forces from a motion, given q, q' and q'' or given q, u and u'; the
motion from forces (u' and q'), with the linear equations solved by a dense L D L^T, as the paper leaves to a
library; and W31.  Each comes with its rows and the count of the rows as they stand
(``written_rows.count_as_written``); the program's own count, after sharing in the graph, is lower.  The paper
counts 646 multiplications and 394 additions for its forces.  Its counting rules are not given; by ours, and
with speeds and their derivatives found from q' and q'' with least effort, the same rows are 641
multiplications, 407 additions and 4 divisions.

It knows one mechanism: it is that arm's history.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from kanegen.codegen.derivation.kernels.catalogue import ACTUATOR_FORCES, QDOT, A, Q, V
from kanegen.codegen.derivation.kernels.contract import Arguments, Slot
from kanegen.codegen.graph import Argument, Expression, Graph, OperationCounts, Program, constant, inputs
from kanegen.codegen.mechanism.catalogue.stanford_arm import kane_levinson_speeds, stanford_arm
from kanegen.codegen.studies.written_rows import Evaluation, Row, count_as_written, needed

SOURCE = "Kane & Levinson 1983, as written"
PUBLISHED = OperationCounts(multiplications=646, additions=394)
"""The paper's own figures for the forces from a given motion."""

_COORDINATES = range(1, 7)

SPEEDS_FROM_RATES = (
    Row("k", "qd1*s2"),
    Row("p", "qd1*c2"),
    Row("kappa", "qdd1*s2+p*qd2", note="dk/dt"),
    Row("u1", "k*s3+qd2*c3", note="eq 5"),
    Row("u2", "p+qd3", note="eq 6"),
    Row("u3", "qd2*s3-k*c3", note="eq 7"),
    *(Row(f"u{r}", f"qd{r}", note="eq 3") for r in (4, 5, 6)),
    Row("ud1", "kappa*s3+qdd2*c3-qd3*u3", note="derivative of eq 5"),
    Row("ud2", "qdd1*c2-k*qd2+qdd3", note="derivative of eq 6"),
    Row("ud3", "qdd2*s3-kappa*c3+qd3*u1", note="derivative of eq 7"),
    *(Row(f"ud{r}", f"qdd{r}", note="derivative of eq 3") for r in (4, 5, 6)),
    *(Row(f"Z{r}", f"qd{r}", note="eq 12") for r in (1, 2, 3)),
)
"""u, u' and Z1 ... Z3 from q' and q'': eqs 3, 5 - 7, 12 and derivatives, with few operations."""

FORCES = (
    Row("tau3", "X12*ud1+X22*ud2+X23*ud3+X24*ud4+X25*ud5+Z193+Z183", note="eq 119"),
    Row("tau4", "X14*ud1+X24*ud2+X34*ud3+X44*ud4+X46*ud6+Z195+Z185", note="eq 121"),
    Row("tau5", "X25*ud2+X35*ud3+X55*ud5+Z186", note="eq 122"),
    Row("sigma", "X16*ud1+X36*ud3+X46*ud4+X66*ud6+Z196+Z187", note="eq 123"),
    Row("Y1", "X11*ud1+X12*ud2+X13*ud3+X14*ud4+X16*ud6+tau3*Z6+Z192+Z182", note="eq 124"),
    Row("Y2", "X13*ud1+X23*ud2+X33*ud3+X34*ud4+X35*ud5+X36*ud6+tau3*Z7+Z194+Z184", note="eq 125"),
    Row("tau1", "s2*(-Y1*s3+Y2*c3)", note="eq 126"),
    Row("tau2", "Y1*c3+Y2*s3", note="eq 126"),
)
"""The forces from u', where the X_rs that vanish are left out."""

RIGHT_HAND_SIDES = (
    Row("R1", "-tau1*Z4+tau2*c3-tau3*Z6-Z192-Z182", note="eq 118"),
    Row("R2", "tau3-Z193-Z183", note="eq 119"),
    Row("R3", "-tau1*Z5+tau2*s3-tau3*Z7-Z194-Z184", note="eq 120"),
    Row("R4", "tau4-Z195-Z185", note="eq 121"),
    Row("R5", "tau5-Z186", note="eq 122"),
    Row("R6", "sigma-Z196-Z187", note="eq 123"),
)

ACTUATORS = ("tau1", "tau2", "tau3", "tau4", "tau5", "sigma")


@dataclass(frozen=True)
class HistoricalProgram:
    """A program, the rows that it is, and their operations as written."""

    program: Program
    rows: tuple[Row, ...]
    as_written: OperationCounts


@cache
def appendix_rows() -> tuple[Row, ...]:
    """C_ij, Z1 ... Z196 and X_rs, corrected."""
    return _read("rows")


@cache
def momentum_rows() -> tuple[Row, ...]:
    """W1 ... W31, corrected."""
    return _read("momentum")


def _read(section: str) -> tuple[Row, ...]:
    text = resources.files("kanegen.codegen.studies").joinpath("data/kane_levinson_1983.json")
    return tuple(Row(**row) for row in json.loads(text.read_text(encoding="utf-8"))[section])


def inverse_dynamics() -> HistoricalProgram:
    """The forces of the actuators from q, q' and q''.  Singular where sin q2 = 0."""
    return _finished(
        "inverse_dynamics_1983",
        "actuator forces from joint accelerations",
        _arguments(Q, V, A, speeds=False),
        {"v": "qd", "a": "qdd"},
        (_forces(),),
        (*SPEEDS_FROM_RATES, *_without_rates(appendix_rows()), *FORCES),
    )


def inverse_dynamics_from_speeds(as_printed: Collection[str] = ()) -> HistoricalProgram:
    """The forces of the actuators from q, u and u'.  Singular where sin q2 = 0.

    Rows in ``as_printed`` are taken as the available text has them, errata and all.
    """
    return _finished(
        "inverse_dynamics_from_speeds_1983",
        "actuator forces from derivatives of the generalized speeds",
        _arguments(Q, V, A),
        {"v": "u", "a": "ud"},
        (_forces(),),
        (*_printed(appendix_rows(), as_printed), *FORCES),
    )


def forward_dynamics(*, solve: bool = True) -> HistoricalProgram:
    """u' and q' from q, u and the forces of the actuators.  Singular where sin q2 = 0.

    Without ``solve`` the program ends with what the linear equations are made of: X (6 x 6) and right-hand
    sides.
    """
    given = _arguments(Q, V, *ACTUATOR_FORCES.gives)
    rows: tuple[Row, ...] = (*appendix_rows(), *RIGHT_HAND_SIDES)
    (qdot,) = _arguments(QDOT)
    rates = (qdot, ("Z1", "Z2", "Z3", "u4", "u5", "u6"))
    results: tuple[tuple[Argument, tuple[str, ...]], ...]
    if solve:
        rows += dense_solution(6)
        (u_dot,) = _arguments(A)
        results = ((u_dot, tuple(f"ud{r}" for r in _COORDINATES)), rates)
    else:
        present = {row.name for row in rows}
        entries = [_entry(r, s) for r in _COORDINATES for s in _COORDINATES]
        matrix = Argument("X", (6, 6), "kg m^2, kg m, kg", "X_rs of eq 88: X du/dt = right-hand side")
        right = Argument("right_hand_side", (6,), "N m, N", "right-hand sides of eqs 118 - 123")
        results = (
            (matrix, tuple(x if x in present else "zero" for x in entries)),
            (right, tuple(row.name for row in RIGHT_HAND_SIDES)),
            rates,
        )
    title = "derivatives of the generalized speeds from actuator forces"
    name = "forward_dynamics_1983" if solve else "equations_of_motion_1983"
    return _finished(name, title, given, {"v": "u"}, results, rows)


def angular_momentum(as_printed: Collection[str] = ()) -> HistoricalProgram:
    """W31, the angular momentum about A* along n2, from q and u (eqs 134 - 138).

    Singular where sin q2 = 0.  Rows in ``as_printed`` are taken as the available text has them.
    """
    output = Argument("W31", (), "kg m^2/s", "angular momentum about A*, component along n2")
    return _finished(
        "angular_momentum_1983",
        "angular momentum about the first axis",
        _arguments(Q, V),
        {"v": "u"},
        ((output, ("W31",)),),
        needed(_printed((*appendix_rows(), *momentum_rows()), as_printed), ("W31",)),
    )


def quantities(*, speeds: bool = True) -> HistoricalProgram:
    """Every row: C_ij, Z1 ... Z196, X_rs and W1 ... W31, in this order, from q and u, or from q and q'.

    Singular where sin q2 = 0.
    """
    listed = (*appendix_rows(), *momentum_rows())
    names = tuple(row.name for row in listed)
    kinematics = () if speeds else needed(SPEEDS_FROM_RATES, [f"u{r}" for r in _COORDINATES])
    return _finished(
        "quantities_1983",
        "intermediate quantities",
        _arguments(Q, V, speeds=speeds),
        {"v": "u" if speeds else "qd"},
        ((Argument("rows", (len(names),), "", "one for each row"), names),),
        (*kinematics, *listed),
    )


def erratum(row: Row) -> str:
    """What is wrong with a row in the available text; empty where it is right."""
    found = {
        "ok": "",
        "lost": "illegible in the available text, reconstructed",
        "ocr": "garbled",
        "sus": "wrong",
    }
    return f"{found[row.cls]}: {row.note}" if row.note and row.cls in ("ocr", "sus") else found[row.cls]


def _arguments(*slots: Slot, speeds: bool = True) -> tuple[Argument, ...]:
    """Arguments of the arm, on the speeds of the paper or on joint rates."""
    return tuple(map(Arguments.of(stanford_arm(), kane_levinson_speeds if speeds else None), slots))


def _forces() -> tuple[Argument, tuple[str, ...]]:
    (forces,) = _arguments(*ACTUATOR_FORCES.gives)
    return forces, ACTUATORS


def _printed(rows: Sequence[Row], names: Collection[str]) -> tuple[Row, ...]:
    """The rows, those of these names as the available text has them."""
    return tuple(replace(row, expr=row.printed) if row.name in names else row for row in rows)


def _without_rates(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(row for row in rows if row.name not in ("Z1", "Z2", "Z3"))


def dense_solution(n: int) -> tuple[Row, ...]:
    """Rows that solve sum_s X_rs ud_s = R_r by L D L^T with no regard to entries that vanish."""
    rows = [Row(name, "0", note="not in Appendix 2: vanishes") for name in ("X15", "X26", "X45", "X56")]
    entry = {(r, s): f"X{r}{s}" for r in range(1, n + 1) for s in range(r, n + 1)}
    right = {r: f"R{r}" for r in range(1, n + 1)}
    for k in range(1, n + 1):
        for i in range(k + 1, n + 1):
            rows.append(Row(f"L{i}{k}", f"{entry[k, i]}/{entry[k, k]}"))
        for i in range(k + 1, n + 1):
            for j in range(i, n + 1):
                rows.append(Row(f"X{i}{j}_{k}", f"{entry[i, j]}-L{i}{k}*{entry[k, j]}"))
                entry[i, j] = f"X{i}{j}_{k}"
            rows.append(Row(f"R{i}_{k}", f"{right[i]}-L{i}{k}*{right[k]}"))
            right[i] = f"R{i}_{k}"
    for k in range(n, 0, -1):
        products = "".join(f"-L{i}{k}*ud{i}" for i in range(k + 1, n + 1))
        rows.append(Row(f"ud{k}", f"{right[k]}/{entry[k, k]}{products}"))
    return tuple(rows)


def _entry(r: int, s: int) -> str:
    return f"X{min(r, s)}{max(r, s)}"


def _finished(
    name: str,
    title: str,
    given: tuple[Argument, ...],
    names: dict[str, str],
    results: Sequence[tuple[Argument, tuple[str, ...]]],
    rows: tuple[Row, ...],
) -> HistoricalProgram:
    """Rows evaluated in a graph; ``names`` says how the rows call the entries of the inputs v and a."""
    graph = Graph()
    values = {"zero": constant(graph, 0)}
    for argument in given:
        entries = inputs(graph, argument.name, argument.size)
        if argument.name == "q":
            values |= {f"q{r}": x for r, x in zip(_COORDINATES, entries, strict=True)}
            values |= {f"s{r}": entries[r - 1].sine() for r in range(2, 6)}
            values |= {f"c{r}": entries[r - 1].cosine() for r in range(2, 6)}
        elif argument.name == "forces":
            values |= dict(zip(ACTUATORS, entries, strict=True))
        else:
            values |= {f"{names[argument.name]}{r}": x for r, x in zip(_COORDINATES, entries, strict=True)}
    parameters = appendix_3(graph)
    evaluation = Evaluation(graph, values | parameters)
    evaluation.run(rows)
    program = Program(
        name=name,
        title=title,
        source=SOURCE,
        inputs=given,
        outputs=tuple(argument for argument, _ in results),
        graph=graph,
        results=tuple(tuple(evaluation[entry].ref for entry in entries) for _, entries in results),
        labels=evaluation.labels,
    )
    return HistoricalProgram(program, rows, count_as_written(rows, parameters))


def appendix_3(graph: Graph) -> dict[str, Expression]:
    """Appendix 3.  The rows call body C's moments of inertia CC1 ... CC3: C_ij are direction cosines."""
    found = {}
    for parameter in stanford_arm().parameters:
        name = f"C{parameter.name}" if parameter.name in ("C1", "C2", "C3") else parameter.name
        found[name] = constant(graph, parameter.value)
    return found
