"""Scheduling: the last pass, from a graph to an ordered list of statements.

1.  variables.py decides which nodes get a variable.
2.  Sines and cosines are taken together: first of all angles that need no other sine or cosine, then of the
    angles computed from those, and so on.
3.  Two orders are tried, and the one with fewer moves between registers and memory is taken (registers.py):
    as derived, and depth first.  Depth first means outputs by the work that is left for them, operands by the
    number of values that their computation holds at once, the hungriest first (Sethi & Ullman 1970, "The
    Generation of Optimal Code for Arithmetic Expressions", applied to the graph as if it were a tree), so
    that values are used soon after they are made.
4.  Outputs may be the same arrays as inputs, hence no input may be read after the first output is written.
    The first output is written where this costs least: inputs read later are copied, outputs made earlier
    wait in variables.
5.  A long list is cut into parts where few values are alive (parts.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from kanegen.codegen.graph.graph import Kind, Ref
from kanegen.codegen.graph.program import Program
from kanegen.codegen.graph.schedule import (
    Assignment,
    Schedule,
    SineCosine,
    Statement,
    Store,
    expression_nodes,
    nodes_read,
)
from kanegen.codegen.passes.parts import cuts
from kanegen.codegen.passes.registers import spills
from kanegen.codegen.passes.variables import COMPUTED, choose_variables


@dataclass(frozen=True, slots=True)
class _Task:
    """A statement, the tasks it needs, and whether it leaves a value to be held in a register."""

    statement: Statement
    needs: tuple[int, ...]
    holds: bool


def schedule(program: Program) -> Schedule:
    """The program as ordered statements; the same values and operation count, whatever the order."""
    variables = frozenset(choose_variables(program))
    tasks = _tasks(program, variables)
    ordered = [tasks[index].statement for index in _order(tasks)]
    statements, variables = _write_outputs(program, ordered, variables)
    copies = _copies(program, statements, variables)
    return Schedule(program, statements, copies, cuts(program, statements, copies, variables))


# -- tasks and what they need --------------------------------------------------------------------------------


def _tasks(program: Program, variables: frozenset[int]) -> list[_Task]:
    """All statements, each after what it needs; outputs last."""
    graph = program.graph
    rounds = _rounds(program)
    tasks: list[_Task] = []
    variable_task: dict[int, int] = {}
    angle_task: dict[int, int] = {}

    def add(statement: Statement, refs: tuple[Ref, ...]) -> int:
        found: dict[int, None] = {}
        for node in expression_nodes(program, refs, variables):
            if node in variables:
                found.setdefault(variable_task[node])
            elif graph.kinds[node] in (Kind.SINE, Kind.COSINE):
                found.setdefault(angle_task[graph.payloads[node][0]])
        tasks.append(_Task(statement, tuple(found), isinstance(statement, Assignment)))
        return len(tasks) - 1

    assigned: dict[int, list[int]] = {}
    angles: dict[int, set[int]] = {}
    for node in rounds:
        if node in variables:
            assigned.setdefault(rounds[node], []).append(node)
        elif graph.kinds[node] in (Kind.SINE, Kind.COSINE):
            angles.setdefault(rounds[node], set()).add(graph.payloads[node][0])
    for round_ in range(max(rounds.values(), default=0) + 1):
        if round_ in angles:
            group = _in_order(program, angles[round_])
            angle_task |= dict.fromkeys(group, add(SineCosine(group), group))
        for node in assigned.get(round_, []):
            variable_task[node] = add(Assignment(node), graph.payloads[node])
    for output, refs in enumerate(program.results):
        for entry, ref in enumerate(refs):
            add(Store(output, entry, ref), (ref,))
    return tasks


def _rounds(program: Program) -> dict[int, int]:
    """For each node, how many sines or cosines of one another it is computed through."""
    graph = program.graph
    rounds: dict[int, int] = {}
    for index in graph.reachable(program.roots):
        kind = graph.kinds[index]
        if kind < Kind.SUM:
            rounds[index] = 0
        else:
            rounds[index] = max(rounds[abs(operand)] for operand in graph.payloads[index])
            rounds[index] += kind in (Kind.SINE, Kind.COSINE)
    return rounds


def _in_order(program: Program, nodes: set[int]) -> tuple[int, ...]:
    """Inputs by argument and entry, then the other nodes by creation."""
    graph = program.graph
    position = {argument.name: i for i, argument in enumerate(program.inputs)}

    def key(node: int) -> tuple[int, int]:
        if graph.kinds[node] is not Kind.INPUT:
            return len(position), node
        name, entry = graph.payloads[node]
        return position[name], entry

    return tuple(sorted(nodes, key=key))


# -- order ---------------------------------------------------------------------------------------------------


def _order(tasks: list[_Task]) -> list[int]:
    """Indices of the tasks in the better of the two orders."""
    first = [i for i, task in enumerate(tasks) if isinstance(task.statement, SineCosine)][:1]
    outputs = _outputs_by_work_left(tasks)
    derived = [i for i, task in enumerate(tasks) if not isinstance(task.statement, Store)]
    needs = [task.needs for task in tasks]
    holds = [task.holds for task in tasks]
    return min(
        (
            _depth_first(tasks, first + outputs),
            _depth_first(tasks, first + _with_outputs(tasks, derived, outputs)),
        ),
        key=lambda order: spills(order, needs, holds),
    )


def _with_outputs(tasks: list[_Task], derived: list[int], outputs: list[int]) -> list[int]:
    """Tasks as derived, each output as soon as all it needs is there; outputs without needs at the end."""
    position = {index: place for place, index in enumerate(derived)}
    ready: dict[int, list[int]] = {}
    for output in outputs:
        ready.setdefault(max((position[i] for i in tasks[output].needs), default=len(derived)), []).append(
            output
        )
    order: list[int] = []
    for place, index in enumerate(derived):
        order += [index, *ready.get(place, [])]
    return order + ready.get(len(derived), [])


def _depth_first(tasks: list[_Task], roots: list[int]) -> list[int]:
    """All tasks, each root as early as it comes, after what it needs."""
    held = _values_held(tasks)
    done = [False] * len(tasks)
    order: list[int] = []
    for root in roots:
        stack = [(root, False)]
        while stack:
            index, complete = stack.pop()
            if complete:
                order.append(index)
            elif not done[index]:
                done[index] = True
                stack.append((index, True))
                hungriest_last = sorted(tasks[index].needs, key=lambda i: (held[i], -i))
                stack.extend((needed, False) for needed in hungriest_last if not done[needed])
    return order


def _values_held(tasks: list[_Task]) -> list[int]:
    """Registers that each task would need were the graph a tree (Sethi & Ullman's number)."""
    held: list[int] = []
    for task in tasks:
        operands = sorted((held[i] for i in task.needs if tasks[i].holds), reverse=True)
        held.append(max([1] + [number + i for i, number in enumerate(operands)]))
    return held


def _outputs_by_work_left(tasks: list[_Task]) -> list[int]:
    """Store tasks: always the one with the fewest tasks still to do; those without any only at the end."""
    outputs = [i for i, task in enumerate(tasks) if isinstance(task.statement, Store)]
    cones = _cones(tasks)
    left = [i for i in outputs if tasks[i].needs]
    order: list[int] = []
    done = 0
    while left:
        best = min(left, key=lambda i: ((cones[i] & ~done).bit_count(), i))
        left.remove(best)
        order.append(best)
        done |= cones[best]
    return order + [i for i in outputs if not tasks[i].needs]


def _cones(tasks: list[_Task]) -> dict[int, int]:
    """For each Store, the set of tasks it needs, as the bits of an integer."""
    users = [0] * len(tasks)
    for task in tasks:
        for needed in task.needs:
            users[needed] += 1
    masks: dict[int, int] = {}
    for index, task in enumerate(tasks):
        mask = 1 << index
        for needed in task.needs:
            mask |= masks[needed]
            users[needed] -= 1
            if users[needed] == 0:
                del masks[needed]
        masks[index] = mask
    return masks


# -- outputs -------------------------------------------------------------------------------------------------


def _write_outputs(
    program: Program, ordered: list[Statement], variables: frozenset[int]
) -> tuple[tuple[Statement, ...], frozenset[int]]:
    """Let outputs wait until the place where writing the first one costs least."""
    start = _first_write(program, ordered, variables)
    held = set(variables)
    statements: list[Statement] = []
    waiting: list[Statement] = []
    for index, statement in enumerate(ordered):
        if index < start and isinstance(statement, Store):
            node = abs(statement.ref)
            if program.graph.kinds[node] in COMPUTED and node not in held:
                held.add(node)
                statements.append(Assignment(node))
            waiting.append(statement)
        else:
            statements.append(statement)
            if index >= start:
                statements += waiting
                waiting = []
    return tuple(statements + waiting), frozenset(held)


def _first_write(program: Program, ordered: list[Statement], variables: frozenset[int]) -> int:
    """Index from which outputs are written: least inputs read after it plus outputs ready before it."""
    read_later: set[int] = set()
    ready_before = sum(isinstance(statement, Store) for statement in ordered)
    best_cost, best = ready_before, len(ordered)
    for index in range(len(ordered) - 1, -1, -1):
        statement = ordered[index]
        if isinstance(statement, Store):
            ready_before -= 1
            cost = len(read_later) + ready_before
            if cost < best_cost:
                best_cost, best = cost, index
        read_later |= _inputs_read(program, statement, variables)
    return best


def _copies(
    program: Program, statements: tuple[Statement, ...], variables: frozenset[int]
) -> tuple[int, ...]:
    """Input nodes read after the first Store, in order of argument and entry."""
    read: set[int] = set()
    written = False
    for statement in statements:
        if written:
            read |= _inputs_read(program, statement, variables)
        written = written or isinstance(statement, Store)
    return _in_order(program, read)


def _inputs_read(program: Program, statement: Statement, variables: frozenset[int]) -> set[int]:
    kinds = program.graph.kinds
    return {node for node in nodes_read(program, statement, variables) if kinds[node] is Kind.INPUT}
