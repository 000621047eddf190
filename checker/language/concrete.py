"""The concrete run: a spec executed as the plain Python that it is, one step at a time.

This is what a debugger steps through, what replays a trace with its narration, and the semantics that every
other reader of the spec must agree with. Non-determinism is explored by running an action once for every
script of choices.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import CheckedError, EverystateError, place_of, user_place
from . import marks
from .conditions import check_returned, truth, with_article
from .declarations import class_place, method_place
from .domains import fresh, options, shown
from .machine import Disabled, executing
from .spec import ActionInstance, Spec
from .state import Opened, State

if TYPE_CHECKING:
    from .record import Record


@dataclass(frozen=True)
class Step:
    """One enabled step: the action instance, what it chose, what it said, and the state it leads to."""

    action: ActionInstance
    choices: tuple[Any, ...]
    state: State
    narration: tuple[dict[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """The action with its arguments and choices, as a trace names it."""
        return label(self.action, self.choices)

    def __str__(self) -> str:
        return f"{self.label}\n" + "\n".join(f"  {line}" for line in str(self.state).splitlines())

    __repr__ = __str__


IN_WORDS = "in words"
"""The key of a witness under which a property says itself what is broken."""


@dataclass
class Evaluation:
    """The value of a property in a state, with what decided it.

    `witness` holds the loop variables of the quantifier that failed and, as `in words`, what the property narrated;
    `reads` the variables that were looked at.
    """

    value: Any
    witness: dict[str, Any] = field(default_factory=dict)
    reads: tuple[str, ...] = ()


class StepFailed(Exception):
    """An action failed with a checked error of the spec; `action` and `choices` say which step it was."""

    def __init__(self, action: ActionInstance, choices: tuple[Any, ...], error: CheckedError) -> None:
        super().__init__(str(error))
        self.action, self.choices, self.error = action, choices, error


def label(action: ActionInstance, choices: tuple[Any, ...]) -> str:
    """An action instance with what it chose: `send(node=1) choosing 2, b`."""
    chosen = ", ".join(map(shown, choices))
    return f"{action} choosing {chosen}" if choices else str(action)


class ValuesFrame:
    """Variables as plain values."""

    def __init__(self, spec: Spec, values: dict[str, Any]) -> None:
        self.domains, self.values = spec.domains, values
        self.reads: set[str] = set()

    def read(self, name: str) -> Any:
        self.reads.add(name)
        return self.values[name]

    def write(self, name: str, value: Any) -> None:
        try:
            self.values[name] = self.domains[name].make(value)
        except CheckedError as error:
            if error.code != "E301":
                raise
            facts = {**error.facts, "value": f"{name} = {value!r}"}
            raise CheckedError("E301", error.where, **facts) from None


class Before:
    """The state before a step, as a step invariant reads it."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getattr__(self, name: str) -> Any:
        return self._frame.read(name)


class ConcreteMachine:
    """Executes the statements of the language on plain values, following a script of choices."""

    def __init__(self, script: list[int] | None = None) -> None:
        self.script = script
        self.aside: Callable[[], Any] = contextlib.nullcontext
        self.counts: list[int] = []
        self.chosen: list[Any] = []
        self.events: list[dict[str, Any]] = []
        self.witness: dict[str, Any] = {}

    def choose(self, given: Any) -> Any:
        if self.script is None:
            raise EverystateError("E214", user_place())
        members = options(given)
        if not members:
            raise Disabled(Disabled.CHOICE)
        at = len(self.counts)
        if at == len(self.script):
            self.script.append(0)
        self.counts.append(len(members))
        self.chosen.append(fresh(members[self.script[at]]))
        return members[self.script[at]]

    def merge(self, condition: Any, then: Any, otherwise: Any) -> Any:
        chosen = then if truth(condition) else otherwise
        return chosen() if callable(chosen) else chosen

    def quantify(self, kind: str, items: Iterable[Any], predicate: Callable[[Any], Any] | None) -> Any:
        held, all_of_them = 0, 0
        iterator = iter(items)
        decisive = kind != "all"
        decided = False
        for item in iterator:
            holds = truth(item if predicate is None else predicate(item))
            if holds == decisive and not decided:
                decided = True
                self.witness.update(_loop_variables(iterator))
            held += holds
            all_of_them += 1
        if kind == "count":
            return held
        return held == all_of_them if kind == "all" else held > 0 if kind == "any" else not held

    def implies(self, left: Any, right: Any) -> Any:
        if not truth(left() if callable(left) else left):
            return True
        return truth(right() if callable(right) else right)

    def pure(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    def narrate(self, event: dict[str, Any]) -> None:
        text = event["text"]
        told = self._made(text) if callable(text) else text
        if told:
            self.events.append({**event, "text": told})

    def _made(self, text: Callable[[], Any]) -> Any:
        """What a function says for a reader; it changes and decides nothing, for searches do not call it."""
        try:
            with self.aside():
                return text()
        except Exception as error:
            if isinstance(error, EverystateError) and not isinstance(error, CheckedError):
                raise
            return "" if isinstance(error, Disabled) else f"(no text: {error})"

    def equal_records(self, left: Record, right: Record) -> bool:
        mine, theirs = ({n: v for n, v in r.__dict__.items() if not n.startswith("_")} for r in (left, right))
        return type(left) is type(right) and mine == theirs


def _loop_variables(iterator: Any) -> dict[str, Any]:
    """The loop variables of a generator expression at the element it just yielded."""
    frame = getattr(iterator, "gi_frame", None)
    if frame is None:
        return {}
    own = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars} - {".0", "self"}
    return {name: value for name, value in frame.f_locals.items() if name in own}


def as_checked(error: BaseException) -> CheckedError:
    """A Python exception of a spec as an error of the catalogue; mistakes of programming are raised (E208, E223)."""
    where = place_of(error.__traceback__)
    if isinstance(error, CheckedError):
        return error
    if isinstance(error, AssertionError):
        first = str(error).partition("\n")[0]
        return CheckedError("E307", where, detail=f": {first}" if first else "")
    if isinstance(error, ZeroDivisionError):
        return CheckedError("E306", where)
    name = where.function if where else "the spec"
    text = f"{type(error).__name__}: {error}"
    if isinstance(error, RecursionError):
        raise EverystateError("E223", where, function=name) from None
    of_none = isinstance(error, (AttributeError, TypeError)) and "'NoneType'" in text  # where an Option is absent
    if isinstance(error, (NameError, AttributeError, TypeError, ImportError)) and not of_none:
        raise EverystateError("E208", where, action=name, error=text) from error
    return CheckedError("E308", where, error=text)


Stopped = Callable[[Disabled], None]
"""Hears of each attempt of an action that a guard has stopped."""


def run(
    spec: Spec, state: dict[str, Any] | State, body: Callable[[], Any], stopped: Stopped | None = None
) -> Iterator[tuple[ConcreteMachine, Any]]:
    """Execute `body` once for each script of choices; yields the machine and the values after, or the error."""
    script: list[int] = []
    while True:
        values = state.opened() if isinstance(state, State) else _copy(spec, state)
        machine = ConcreteMachine(script)
        machine.aside = functools.partial(_reading_aside, spec, values)
        found = _executed(spec, machine, values, body)
        if isinstance(found, Disabled):
            if stopped is not None:
                stopped(found)
        else:
            yield machine, found
        del script[len(machine.counts) :]
        while script and script[-1] + 1 == machine.counts[len(script) - 1]:
            script.pop()
        if not script:
            return
        script[-1] += 1


def _executed(spec: Spec, machine: ConcreteMachine, values: Any, body: Callable[[], Any]) -> Any:
    """The values after a run, its error, or where it was disabled."""
    try:
        with executing(machine), spec.reading(ValuesFrame(spec, values)):
            body()
    except Disabled as out:
        return out
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, EverystateError) and not isinstance(error, CheckedError):
            raise
        return as_checked(error)
    return values


def _reading_aside(spec: Spec, values: dict[str, Any]) -> contextlib.AbstractContextManager[None]:
    """Read a copy of values that are being changed."""
    copied = values.copy() if isinstance(values, Opened) else _copy(spec, values)
    return spec.reading(ValuesFrame(spec, copied))


def _copy(spec: Spec, values: dict[str, Any]) -> dict[str, Any]:
    return {name: spec.domains[name].make(value) for name, value in values.items()}


def attempts(
    spec: Spec, state: State, instance: ActionInstance, stopped: Stopped | None = None
) -> Iterator[Step | StepFailed]:
    """The steps of one action instance in a state, a StepFailed for each that is an error."""
    for machine, after in run(spec, state, spec.method(instance), stopped):
        choices = tuple(machine.chosen)
        if isinstance(after, CheckedError):
            yield StepFailed(instance, choices, after)
        else:
            yield Step(instance, choices, State.of(spec, after), tuple(machine.events))


def successors(spec: Spec, state: State) -> list[Step]:
    """All steps from a state; raises StepFailed at the first that is an error of the spec."""
    found: list[Step] = []
    for instance in spec.instances:
        for step in attempts(spec, state, instance):
            if isinstance(step, StepFailed):
                raise step
            found.append(step)
    return found


def declared_initials(spec: Spec) -> Iterator[dict[str, Any]]:
    """Every combination of the variables' own initial values."""
    import itertools

    names = list(spec.domains)
    for values in itertools.product(*(domain.initials() for domain in spec.domains.values())):
        yield dict(zip(names, values, strict=True))


def initial_states(spec: Spec) -> list[State]:
    """Every initial state in order, duplicates included (each counts as generated)."""
    hooks = spec.named(marks.INITIAL)
    found: list[State] = []
    for values in declared_initials(spec):
        frontier = [values]
        for name in hooks:
            following: list[dict[str, Any]] = []
            for start in frontier:
                for _, after in run(spec, start, spec.beginning(name)):
                    if isinstance(after, CheckedError):
                        raise after
                    following.append(after)
            frontier = following
        found.extend(State.of(spec, after) for after in frontier)
    if not found:
        raise EverystateError("E118", class_place(type(spec)), spec=type(spec).__name__)
    _check_constraints(spec, found)
    return found


def _check_constraints(spec: Spec, states: list[State]) -> None:
    """E134 when the constraints leave no initial state to begin with."""
    names = spec.named(marks.CONSTRAINT)
    if all(any(_excludes(spec, name, state) for name in names) for state in states):
        alone = [name for name in names if all(_excludes(spec, name, state) for state in states)][:1] or names
        said = f"the constraint {alone[0]} excludes" if len(alone) == 1 else f"{' and '.join(alone)} together exclude"
        where = method_place(getattr(type(spec), alone[0]))
        raise EverystateError("E134", where, constraints=said, spec=type(spec).__name__)


def _excludes(spec: Spec, name: str, state: State) -> bool:
    """Whether a constraint is false in a state; one that fails is a violation there, and told as such."""
    try:
        return not evaluate(spec, name, state).value
    except CheckedError:
        return False


def evaluate(
    spec: Spec, name: str, state: State, before: State | None = None, machine: ConcreteMachine | None = None
) -> Evaluation:
    """The value of a property; a checked error of the spec is raised as CheckedError."""
    machine, frame = machine or ConcreteMachine(), ValuesFrame(spec, state.opened())
    machine.aside = functools.partial(_reading_aside, spec, frame.values)
    earlier = None if before is None else ValuesFrame(spec, before.opened())
    arguments = () if earlier is None else (Before(earlier),)
    try:
        with executing(machine), spec.reading(frame):
            value = getattr(spec, name)(*arguments)
    except Disabled:
        raise disabled(spec, name) from None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | EverystateError) and not isinstance(error, CheckedError):
            raise
        checked = as_checked(error)
        checked.reads = _in_order(spec, frame)
        raise checked from error
    found = spec.declaration(name)
    check_returned(found.mark.kind, found.method, value)
    told = "; ".join(dict.fromkeys(str(event["text"]) for event in machine.events))
    witness = {**machine.witness, IN_WORDS: told} if told else machine.witness
    return Evaluation(value, witness, _in_order(spec, frame))


def disabled(spec: Spec, name: str) -> EverystateError:
    """E221 for a property that was disabled."""
    found = spec.declaration(name)
    return EverystateError("E221", method_place(found.method), name=name, kind=with_article(found.mark.kind))


def _in_order(spec: Spec, frame: ValuesFrame) -> tuple[str, ...]:
    return tuple(name for name in spec.domains if name in frame.reads)
