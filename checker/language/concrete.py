"""Executes a spec as the plain Python that it is, one step at a time.

This is what a debugger steps through, what replays a trace with its narration, and the semantics that every other
reader of the spec must agree with. Non-determinism is explored by running an action once for every script of choices.
"""

from __future__ import annotations

import bdb
import contextlib
import functools
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import CheckedError, EverystateError, is_ours, meant, place_of, user_place
from . import marks
from .concrete_machine import Attempts, ConcreteMachine, NarratedRun
from .conditions import check_returned, with_article
from .declarations import ActionInstance, Declared, class_place, method_place
from .domains import is_frozen_dataclass, shown
from .machine import Disabled, Frame, executing
from .refinement import Refinement
from .state import Copied, HasVariables, State


class Runnable(HasVariables, Protocol):
    """The part of a spec that this module uses."""

    instances: list[ActionInstance]

    _step_bounds: tuple[str, ...]

    _refinements: dict[str, Refinement]

    def _named(self, kind: str) -> list[str]: ...

    def _declaration(self, name: str) -> Declared: ...

    def _question(self, name: str) -> Callable[..., Any]: ...

    def _method(self, instance: ActionInstance) -> Callable[[], None]: ...

    def _beginning(self, name: str) -> Callable[[], None]: ...

    def _reading(self, frame: Frame) -> contextlib.AbstractContextManager[None]: ...


@dataclass(frozen=True)
class Step:
    """One enabled step: the action instance, its choices, its narration, and the state it leads to."""

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
"""The key of a witness for the text in which a property reports its violation."""


@dataclass
class Evaluation:
    """The value of a property in a state, and the reasons for it.

    `witness` holds, for a reader, the loop variables of the elements that decided any() and all() and, as `in words`,
    the narration of the property; `reads` are the variables that were read.
    """

    value: Any
    witness: dict[str, Any] = field(default_factory=dict)
    reads: tuple[str, ...] = ()


class StepFailed(Exception):
    """An action failed with a checked error of the spec; `action` and `choices` identify the step."""

    def __init__(self, action: ActionInstance, choices: tuple[Any, ...], error: CheckedError) -> None:
        super().__init__(str(error))
        self.action, self.choices, self.error = action, choices, error


def label(action: ActionInstance, choices: tuple[Any, ...]) -> str:
    """An action instance with its choices: `send(node=1) choosing 2, b`."""
    chosen = ", ".join(map(shown, choices))
    return f"{action} choosing {chosen}" if choices else str(action)


class ValuesFrame:
    """Variables as plain values."""

    def __init__(self, spec: Runnable, values: dict[str, Any]) -> None:
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


class _Read:
    """Read-only variables."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def read(self, name: str) -> Any:
        return self._frame.read(name)

    def write(self, name: str, value: Any) -> None:
        raise EverystateError("E210", user_place())


def before_step(spec: Any, frame: Frame) -> Any:
    """The spec in the state before a step, as action properties read it: all its methods read that state. Assigning is
    E210."""
    before = object.__new__(type(spec))
    before.__dict__.update(vars(spec), _frame=_Read(frame))
    return before


def as_checked(error: BaseException) -> CheckedError:
    """A Python exception of a spec as an error of the catalogue; a name that does not exist is raised (E208, E223).

    Other errors depend on values: they are steps of a trace, and no error where no state leads to them.
    """
    where = place_of(error.__traceback__)
    if isinstance(error, CheckedError):
        return error
    if isinstance(error, bdb.BdbQuit):  # `quit` in the debugger
        raise KeyboardInterrupt from None
    if isinstance(error, AssertionError):
        first = str(error).partition("\n")[0]
        return CheckedError("E307", where, detail=f": {first}" if first else "")
    if isinstance(error, ZeroDivisionError):
        return CheckedError("E306", where)
    name = where.function if where else "the spec"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, RecursionError):
        raise EverystateError("E223", where, function=name) from None
    of_none = isinstance(error, AttributeError) and "'NoneType'" in text  # where an Option is absent
    unbound = isinstance(error, UnboundLocalError)  # the branch that assigns the name was not taken
    mistakes = (NameError, AttributeError, ImportError)
    if isinstance(error, mistakes) and not (of_none or unbound or _of_another_kind(error)):
        raise EverystateError("E208", where, action=name, error=text + meant(error)) from error
    return CheckedError("E308", where, error=text)


def _of_another_kind(error: BaseException) -> bool:
    """Whether a value has no attribute that a class of the spec has: it is one of several kinds of values, as in
    `ListedValues([None, 1, Request("read")])`, and the name is written well."""
    if not isinstance(error, AttributeError):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if not is_ours(frame.f_code.co_filename)]
    classes = [c for frame in frames for c in frame.f_globals.values() if is_frozen_dataclass(c)]
    return any(error.name in c.__annotations__ for c in classes)


Stopped = Callable[[Disabled], None]
"""Called after each attempt of an action that a guard has stopped, while its values can still be read."""


def run(
    spec: Runnable,
    state: dict[str, Any] | State,
    body: Callable[[], Any],
    stopped: Stopped | None = None,
    kind: type[ConcreteMachine] = ConcreteMachine,
) -> Iterator[tuple[ConcreteMachine, State | CheckedError]]:
    """Execute `body` once for each script of choices; yields the machine and the state after, or the error.

    Traces use the machine `NarratedRun`: no other machine makes texts.
    """
    script: list[int] = []
    tried = Attempts()
    while True:
        values = state.opened() if isinstance(state, State) else _copy(spec, state)
        machine = kind(script)
        machine.aside = functools.partial(_reading_aside, spec, values)
        with executing(machine), spec._reading(ValuesFrame(spec, values)):
            out = outcome(body)
            if isinstance(out, Disabled) and stopped is not None and tried.is_new(machine, came_to(out)):
                stopped(out)
        if not isinstance(out, Disabled):
            result = State.of(spec, values) if out is None else out
            if tried.is_new(machine, result.cells if isinstance(result, State) else came_to(result)):
                yield machine, result
        del out  # its traceback holds this frame: together they would wait for the garbage collector
        if not following(script, machine.counts):
            return


def outcome(body: Callable[[], Any]) -> Disabled | CheckedError | None:
    """Execute a body: how it was disabled, or the error of the spec with which it ended."""
    try:
        body()
    except Disabled as out:
        return out
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, EverystateError) and not isinstance(error, CheckedError):
            raise
        return as_checked(error)
    return None


def came_to(out: Disabled | CheckedError) -> tuple[Any, ...]:
    """The outcome of an attempt that made no step, to compare it with others."""
    if isinstance(out, CheckedError):
        return out.code, out.where
    return out.by, place_of(out.__traceback__)


def following(script: list[int], counts: list[int]) -> bool:
    """Move on to the next script of choices, of as many alternatives; False after the last one."""
    del script[len(counts) :]
    while script and script[-1] + 1 == counts[len(script) - 1]:
        script.pop()
    if script:
        script[-1] += 1
    return bool(script)


def _reading_aside(spec: Runnable, values: dict[str, Any]) -> contextlib.AbstractContextManager[None]:
    """Read copies of values that are being changed."""
    return spec._reading(ValuesFrame(spec, Copied(spec, values)))


def _copy(spec: Runnable, values: dict[str, Any]) -> dict[str, Any]:
    return {name: spec.domains[name].make(value) for name, value in values.items()}


def attempts(
    spec: Runnable,
    state: State,
    instance: ActionInstance,
    stopped: Stopped | None = None,
    kind: type[ConcreteMachine] = ConcreteMachine,
) -> Iterator[Step | StepFailed]:
    """The steps of one action instance in a state, a StepFailed for each that is an error."""
    for machine, after in run(spec, state, spec._method(instance), stopped, kind):
        choices = tuple(machine.chosen)
        if isinstance(after, CheckedError):
            yield StepFailed(instance, choices, after)
        else:
            by = next((name for name in spec._step_bounds if not _allows(spec, name, state, after)), None)
            if by is None:
                yield Step(instance, choices, after, tuple(machine.events))
            elif stopped is not None:
                stopped(Disabled(Disabled.CONSTRAINT, by))


def _allows(spec: Runnable, name: str, before: State, after: State) -> bool:
    """Whether an action constraint allows a step; one that fails does, and the failure is reported as its error."""
    try:
        return bool(evaluate(spec, name, after, before).value)
    except CheckedError:
        return True


def successors(spec: Runnable, state: State) -> list[Step]:
    """All steps from a state; raises StepFailed at the first that is an error of the spec."""
    found: list[Step] = []
    for instance in spec.instances:
        for step in attempts(spec, state, instance, kind=NarratedRun):
            if isinstance(step, StepFailed):
                raise step
            found.append(step)
    return found


def declared_initials(spec: Runnable) -> Iterator[dict[str, Any]]:
    """Every combination of the variables' own initial values."""
    import itertools

    names = list(spec.domains)
    for values in itertools.product(*(domain.initials() for domain in spec.domains.values())):
        yield dict(zip(names, values, strict=True))


def each_initial(spec: Runnable) -> Iterator[State]:
    """The initial states as they are needed, in order, with duplicates."""
    return (State.of(spec, after) for values in declared_initials(spec) for after in _completions(spec, values))


def initial_states(spec: Runnable) -> list[State]:
    """Every initial state in order, duplicates included (each counts as generated)."""
    found = list(each_initial(spec))
    if not found:
        raise none_begins(spec)
    check_constraints(spec, found)
    return found


def begun(spec: Runnable, cells: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The initial states, as cells, that come of one combination of declared values."""
    return [State.of(spec, after).cells for after in _completions(spec, State(spec.domains, cells).values())]


def begins_soon(spec: Runnable, most: int) -> bool:
    """Try combinations of declared values: whether they and the resulting states are at most so many, and what an
    @initial method refuses at most twenty times as many."""
    left, refused = most, 20 * most

    def refuse(_: Disabled) -> None:
        nonlocal refused
        refused -= 1
        if refused < 0:
            raise _Many

    try:
        for values in declared_initials(spec):
            left -= 1
            for _ in _completions(spec, values, stopped=refuse):
                left -= 1
                if left < 0:
                    raise _Many
    except _Many:
        return False
    return left >= 0


class _Many(Exception):
    """There are more attempts than should be made."""


def _completions(
    spec: Runnable, values: dict[str, Any], done: int = 0, stopped: Stopped | None = None
) -> Iterator[dict[str, Any]]:
    """Declared values completed by the @initial methods from one on, one method after the other, as they are needed."""
    names = list(spec._named(marks.INITIAL))[done:]
    if not names:
        yield values
        return
    for _, after in run(spec, values, spec._beginning(names[0]), stopped):
        if isinstance(after, CheckedError):
            raise after
        yield from _completions(spec, after.values(), done + 1, stopped)


def none_begins(spec: Runnable) -> EverystateError:
    """E118 for a spec without initial states."""
    return EverystateError("E118", class_place(type(spec)), spec=type(spec).__name__)


def check_constraints(spec: Runnable, states: Iterable[State]) -> None:
    """E134 when the constraints exclude every initial state; the states are iterated more than once."""
    names = spec._named(marks.CONSTRAINT)
    if not names:
        return
    if all(any(_excludes(spec, name, state) for name in names) for state in states):
        alone = [name for name in names if all(_excludes(spec, name, state) for state in states)][:1] or names
        said = f"the constraint {alone[0]} excludes" if len(alone) == 1 else f"{' and '.join(alone)} together exclude"
        where = method_place(getattr(type(spec), alone[0]))
        raise EverystateError("E134", where, constraints=said, spec=type(spec).__name__)


def _excludes(spec: Runnable, name: str, state: State) -> bool:
    """Whether a constraint is false in a state; one that fails is a violation there."""
    try:
        return not evaluate(spec, name, state).value
    except CheckedError:
        return False


def outside(spec: Runnable, state: State) -> list[str]:
    """The constraints that exclude a state; a search takes no steps from there.

    A constraint that fails counts as one, and is reported as a violation.
    """
    return [name for name in spec._named(marks.CONSTRAINT) if not holds(spec, name, state)]


def holds(spec: Runnable, name: str, state: State) -> bool:
    """Whether a condition is true in a state; one that cannot be evaluated is not."""
    try:
        return bool(evaluate(spec, name, state).value)
    except CheckedError:
        return False


def evaluate(
    spec: Runnable, name: str, state: State, before: State | None = None, machine: ConcreteMachine | None = None
) -> Evaluation:
    """The value of a property; a checked error of the spec is raised as CheckedError."""
    machine, frame = machine or ConcreteMachine(), ValuesFrame(spec, state.opened())
    machine.aside = functools.partial(_reading_aside, spec, frame.values)
    earlier = None if before is None else ValuesFrame(spec, before.opened())
    try:
        with executing(machine), spec._reading(frame), _watching(spec, name, machine):
            value = judged(spec, name, earlier)
    except CheckedError as error:
        error.reads = _in_order(spec, frame)
        raise
    words = "; ".join(dict.fromkeys(str(event["text"]) for event in machine.events))
    witness = {**machine.decided_by} if isinstance(machine, NarratedRun) else {}
    if words:
        witness[IN_WORDS] = words
    return Evaluation(value, witness, _in_order(spec, frame))


def _watching(spec: Runnable, name: str, machine: ConcreteMachine) -> contextlib.AbstractContextManager[None]:
    """For a reader: notes which elements decide a property."""
    if not isinstance(machine, NarratedRun):
        return contextlib.nullcontext()
    return machine.watching(spec._declaration(name).method.__globals__)


def judged(spec: Runnable, name: str, before: Frame | None = None) -> Any:
    """The result of a property; an error of the spec is raised as CheckedError."""
    refined = spec._refinements.get(name)
    try:
        if refined is not None:
            return _refines(spec, refined, before)
        value = spec._question(name)(*(() if before is None else (before_step(spec, before),)))
    except Disabled:
        raise disabled(spec, name) from None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | EverystateError) and not isinstance(error, CheckedError):
            raise
        raise as_checked(error) from error
    found = spec._declaration(name)
    check_returned(found.mark.kind, found.method, value)
    return value


def _refines(spec: Runnable, refined: Refinement, before: Frame | None) -> bool:
    """Whether a step is one of the abstract spec or none there; for a first state, whether it is initial there."""
    after = mapped(spec, refined)
    if before is None:
        return after.cells in beginnings(refined)
    with spec._reading(before):
        start = mapped(spec, refined)
    if start.cells not in refined.goes_on:
        steps = (attempts(refined.abstract, start, instance) for instance in refined.abstract.instances)
        found = frozenset(s.state.cells for each in steps for s in each if not isinstance(s, StepFailed))
        refined.goes_on[start.cells] = found | {start.cells}
    return after.cells in refined.goes_on[start.cells]


def beginnings(refined: Refinement) -> set[tuple[int, ...]]:
    """The cells of the initial states of an abstract spec; or its own error when it has none."""
    if not refined.begins:
        refined.begins.update(state.cells for state in initial_states(refined.abstract))
    return refined.begins


def mapped(spec: Runnable, refined: Refinement) -> State:
    """The abstract state of the state that is being read."""
    return refined.state(getattr(spec, refined.name)())


def abstract_state(spec: Runnable, name: str, state: State) -> State | None:
    """The abstract state of a state under a mapping; None where the mapping fails."""
    try:
        with executing(ConcreteMachine()), spec._reading(ValuesFrame(spec, state.opened())):
            return mapped(spec, spec._refinements[name])
    except (Exception, Disabled) as error:
        if isinstance(error, EverystateError) and not isinstance(error, CheckedError):
            raise
        return None


def disabled(spec: Runnable, name: str) -> EverystateError:
    """E221 for a property that was disabled."""
    found = spec._declaration(name)
    return EverystateError("E221", method_place(found.method), name=name, kind=with_article(found.mark.kind))


def _in_order(spec: Runnable, frame: ValuesFrame) -> tuple[str, ...]:
    return tuple(name for name in spec.domains if name in frame.reads)
