"""Events: where a function of time and state passes through zero, and a motion may end or go on in another way."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from kanegen.arrays import FloatArray, finite_number
from kanegen.boundary import calls_user
from kanegen.errors import KanegenError, shown
from kanegen.followers import Coupling
from kanegen.simulation.arm import SimulatedArm
from kanegen.simulation.calls_from_c import Callback
from kanegen.simulation.request import checked_configuration, checked_speeds, initial_rates

Function: TypeAlias = Callable[[float, FloatArray, FloatArray], Any]
"""``g(t, q, v)``: t in s, q (nq,), v (nv,); a number."""
Action: TypeAlias = Callable[[float, FloatArray, FloatArray], Any]
"""``action(t, q, v)``: the new q and v, or None where they stay as they are."""
Happened: TypeAlias = tuple[float, int, FloatArray, FloatArray]
"""t, the number of the event in the list that was given, and q (nq,), v (nv,) as they were when it happened."""

ENDS, CHANGES = 1, 2
"""What the C integrators are answered."""

_OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_NAMED = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "tanh")
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in _NAMED},
    **dict.fromkeys(("abs", "Abs"), abs),
}


@dataclass(frozen=True)
class Event:
    """An instant at which ``condition`` passes through zero.

    condition: ``g(t, q, v)``, a callable that returns a number; or an expression, as text or of SymPy, in ``t``, ``q.NAME``
    and ``v.NAME`` (or ``q[0]``, ``v[0]``, or the bare names of coordinates), with the functions of elementary mathematics.

    direction: 1 where only a passage from below counts, -1 from above, 0 for both.  terminal: whether the motion ends there.
    action: ``action(t, q, v)``, called there; it returns the state (q, v) to go on from, or None.
    """

    condition: Any
    direction: int = 0
    terminal: bool = False
    action: Action | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for what is no event."""
        if self.direction not in (-1, 0, 1):
            raise ValueError(f"Event, direction: expected -1, 0 or 1, got {shown(self.direction)}")
        if self.action is not None and not callable(self.action):
            raise ValueError(f"Event, action: expected a callable, got {shown(self.action)}")


def checked_events(arm: SimulatedArm, events: Sequence[Event]) -> tuple[tuple[Event, Function], ...]:
    """The events with their functions.  Raises ValueError."""
    for event in events:
        if not isinstance(event, Event):
            raise ValueError(f"events: expected a list of kanegen.Event, got {shown(event)}")
    return tuple((event, function_of(arm, event.condition, "Event, condition")) for event in events)


def function_of(arm: SimulatedArm, given: Any, where: str) -> Function:
    """A callable as it is, or an expression in t, q.NAME, v.NAME; ``where`` names it in errors.  Raises ValueError."""
    if callable(given) and not hasattr(given, "free_symbols"):
        return given  # type: ignore[no-any-return]  # what it returns is looked at when it is called
    try:
        tree = ast.parse(str(given), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise ValueError(f"{where}: {shown(str(given))} is no expression") from None
    return _Reader(arm, str(given), where).read(tree)


class _Reader:
    """Reads expressions; nothing of them is executed as a program."""

    def __init__(self, arm: SimulatedArm, text: str, where: str) -> None:
        self._text, self._where = text, where
        self._places = {"q": list(arm.coordinate_names), "v": list(arm.speed_names)}
        self._following: Mapping[str, Coupling] = getattr(arm, "followers", {})

    def read(self, node: ast.AST) -> Function:
        """The function of an expression.  Raises ValueError."""
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
        ):
            return self._constant(float(node.value))
        if isinstance(node, ast.Name) and node.id == "t":
            return lambda t, q, v: t
        if isinstance(node, ast.Name) and node.id == "pi":
            return self._constant(math.pi)
        if isinstance(node, ast.Name):
            return self._entry("q", node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self._entry(node.value.id, node.attr)
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and isinstance(node.slice, ast.Constant)
        ):
            return self._entry(node.value.id, node.slice.value)
        if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) in _OPERATORS:
            operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.operand,)
            return self._applied(_OPERATORS[type(node.op)], operands)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _FUNCTIONS
            and not node.keywords
        ):
            return self._applied(_FUNCTIONS[node.func.id], node.args)
        raise self._wrong(f"{shown(ast.unparse(node))} has no meaning")

    def _constant(self, value: float) -> Function:
        return lambda t, q, v: value

    def _applied(self, function: Callable[..., float], operands: Sequence[ast.AST]) -> Function:
        read = [self.read(operand) for operand in operands]
        return lambda t, q, v: function(*(operand(t, q, v) for operand in read))

    def _entry(self, group: str, name: Any) -> Function:
        names = self._places.get(group)
        if names is None:
            raise self._wrong(f"{group!r} is not known")
        if isinstance(name, str) and name in names:
            place = names.index(name)
        elif isinstance(name, int) and 0 <= name < len(names):
            place = name
        else:
            one = self._following.get(str(name))
            follows = "" if one is None else f". It follows {one.leader!r}: {name} = {one}. Write that"
            raise self._wrong(f"there is no {group}.{name}; {group} has {', '.join(names)}{follows}")
        return (lambda t, q, v: q[place]) if group == "q" else (lambda t, q, v: v[place])

    def _wrong(self, what: str) -> ValueError:
        return ValueError(
            f"{self._where} {shown(self._text)}: {what}. Write t, q.NAME, v.NAME, numbers, + - * / **, and functions "
            f"such as {', '.join(_NAMED[:3])}"
        )


class EventCalls(Callback):
    """Calls the functions and the actions of events, and keeps what happened."""

    def __init__(
        self, ffi: Any, arm: SimulatedArm, events: Sequence[tuple[Event, Function]], drift: float, stop: Any
    ) -> None:
        super().__init__(stop)
        self._move, self._arm, self._events, self._drift = ffi.memmove, arm, events, drift
        self.happened: list[Happened] = []

    def values(self, t: float, q: Any, v: Any, g: Any) -> None:
        """Write the functions at a state to g."""
        state = self._state(q, v)
        found = np.array([_number(k, function, t, *state) for k, (_, function) in enumerate(self._events)])
        self._move(g, found, found.nbytes)

    def meet(self, t: float, index: int, q: Any, v: Any, rates: Any) -> int:
        """Keep that an event happened, and do what it asks for."""
        event, _ = self._events[index]
        q_now, v_now = self._state(q, v)
        self.happened.append((t, index, q_now, v_now))
        answer = ENDS if event.terminal else 0
        changed = None if event.action is None else _acted(event.action, t, q_now.copy(), v_now.copy())
        if changed is None:
            return answer
        try:
            q_next, v_next = changed
        except (TypeError, ValueError):
            raise ValueError(
                f"event {index}, action: expected (q, v) or None, got {shown(changed)}"
            ) from None
        q_new = checked_configuration(self._arm, q_next)
        v_new = checked_speeds(self._arm, f"event {index}, action: v", v_next)
        half = initial_rates(self._arm, q_new, v_new, self._drift, t)
        for array, pointer in ((q_new, q), (v_new if half is None else half, rates)):
            self._move(pointer, array, array.nbytes)
        return answer | CHANGES

    def _state(self, q: Any, v: Any) -> tuple[FloatArray, FloatArray]:
        arrays = np.empty(self._arm.nq), np.empty(self._arm.nv)
        for array, pointer in zip(arrays, (q, v), strict=True):
            self._move(array, pointer, array.nbytes)
        return arrays


@calls_user
def _number(index: int, function: Function, t: float, q: FloatArray, v: FloatArray) -> float:
    try:
        return finite_number(f"event {index}: its condition", function(t, q, v))
    except (ZeroDivisionError, OverflowError) as error:
        raise KanegenError(
            f"event {index}: its condition cannot be computed at t = {t!r} s: {error}"
        ) from None


@calls_user
def _acted(action: Action, t: float, q: FloatArray, v: FloatArray) -> Any:
    return action(t, q, v)
