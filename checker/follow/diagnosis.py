"""Why a log goes no further: what the spec can do where it ends, and how that differs from the next event."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import EverystateError, Where, below_here, place_of
from ..language.concrete import Step, StepFailed, attempts
from ..language.machine import Disabled
from ..language.state import State
from .candidates import Stepper
from .conditions import Condition
from .events import Event
from .sources import Followed, upcoming
from .values import as_plain, same

LOOKED_AT = 200
"""Candidates that are looked at on plain Python."""
SHOWN = 3
PACKAGE = str(Path(__file__).parents[2])
"""Where Everystate itself lies, on this machine."""


@dataclass(frozen=True)
class RefusedEvent:
    """An event that cannot be next: the reasons with the number of candidates that each stops, and the nearest step
    that the spec could take instead, with how it differs from the event."""

    event: Event
    reasons: tuple[tuple[str, int], ...]
    nearest: str = ""
    differs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Why:
    """Why a run goes no further: some of the states in which the spec can be, of how many, and the events refused."""

    candidates: tuple[State, ...]
    number: int
    looked_at: int
    refused: tuple[RefusedEvent, ...]


def why(followed: Followed, stepper: Stepper) -> Why:
    """What stops a run; E217 when plain Python can take a step that fits, and machine code could not."""
    layers = followed.end.layers
    rows = [(read, row) for read, of in layers.items() for states in of for row in states[:LOOKED_AT]][:LOOKED_AT]
    events: dict[tuple[int, int], tuple[Event, list[Any]]] = {}
    for read, row in rows:
        for number, event in upcoming(read, followed.sources, followed.order):
            events.setdefault((number, read[number]), (event, []))[1].append(row)
    refused = tuple(Judge(stepper, event).refused(states) for event, states in events.values())
    unpack = stepper.model.layout.unpack
    shown = tuple(State(stepper.spec.domains, unpack(row.tolist())) for _, row in rows[:SHOWN])
    return Why(shown, followed.end.size, len(rows), refused)


class Judge:
    """Tells why an event cannot be next."""

    def __init__(self, stepper: Stepper, event: Event) -> None:
        self.stepper, self.event, self.wanted = stepper, event, stepper.wanted(event)

    def refused(self, rows: list[Any]) -> RefusedEvent:
        """Why it cannot be next from some packed states."""
        reasons: Counter[str] = Counter()
        steps: list[tuple[int, str, tuple[str, ...]]] = []
        for row in rows:
            before = self._differences(self.wanted.before, row)
            reasons.update(set(before) or set(self._reasons(row)))
            steps.extend(self._near(row, len(before)))
        best = min(steps, default=(0, "", ()))
        return RefusedEvent(
            self.event, tuple(sorted(reasons.items(), key=lambda found: (-found[1], found[0]))), best[1], best[2]
        )

    def _differences(self, conditions: Any, row: Any) -> list[str]:
        reader = self.stepper.reader
        return [reader.difference(c, row) for c in conditions if not _holds(c, row)]

    def _reasons(self, row: Any) -> Iterator[str]:
        """What stops the instances of the event in a state where everything before it is as the log says."""
        for instance, step in self._steps(row, own=True):
            if isinstance(step, StepFailed):
                yield f"{instance} is an error of the spec there: {step.error.code} {step.error.what}"
            elif isinstance(step, str):
                yield f"{instance} {step}"
            else:
                found = self._differences(self.wanted.after, self._packed(step.state))
                if not found:
                    reason = f"{step.label} fits the log in\n{self._state(row)}\non plain values only"
                    raise EverystateError("E217", None, action=type(self.stepper.spec).__name__, reason=reason)
                yield f"after {step.label}, {' and '.join(found)}"

    def _steps(self, row: Any, own: bool) -> Iterator[tuple[str, Step | StepFailed | str]]:
        """What the instances (the event's own, or all) do in a state: steps, errors, or the guard that stops them."""
        if self.wanted.instances is None and own:
            return
        if own and not self.wanted.instances.any():
            yield " or ".join(self.event.actions), "can never be with these constants"
        for number, instance in enumerate(self.stepper.spec.instances):
            if own and not self.wanted.instances[number]:
                continue
            guards: list[str] = []
            found = list(attempts(self.stepper.spec, self._state(row), instance, _noting(guards)))
            yield from ((str(instance), step) for step in found)
            if not found:
                yield from ((str(instance), guard) for guard in dict.fromkeys(guards))

    def _near(self, row: Any, unmet: int) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """Every step from a state: how far it is from the event, its label, and how it differs."""
        for _, step in self._steps(row, own=False):
            if not isinstance(step, Step):
                continue
            other = step.action.name not in self.event.actions
            given = dict(step.action.arguments)
            arguments = [
                f"{name} is {as_plain(given[name])}, the log says {value}"
                for name, value in self.event.arguments.items()
                if name in given and not same(given[name], value)
            ]
            after = self._differences(self.wanted.after, self._packed(step.state))
            named = [f"the log says {' or '.join(self.event.actions)}"] if other and self.event.actions else []
            differs = (*named, *arguments, *after)
            yield 100 * other + 10 * unmet + len(differs), step.label, differs

    def _state(self, row: Any) -> State:
        return State(self.stepper.spec.domains, self.stepper.model.layout.unpack(row.tolist()))

    def _packed(self, state: State) -> Any:
        return np.array(self.stepper.model.layout.pack(state.cells), np.uint64)


def _holds(condition: Condition, row: Any) -> bool:
    return bool(condition.holds(row.reshape(1, -1))[0])


def _noting(guards: list[str]) -> Callable[[Disabled], None]:
    return lambda out: guards.append(_guard(out))


def _guard(out: Disabled) -> str:
    where = place_of(out.__traceback__)
    if out.by == Disabled.CONSTRAINT:
        return f"is excluded by the action constraint {out.name}"
    if out.by == Disabled.CHOICE:
        return f"has nothing to choose from{f' (line {where.line}: {where.source})' if where else ''}"
    return f"is not enabled: {where.source} ({shown_path(where)})" if where else "is not enabled"


def shown_path(where: Where) -> str:
    """A place as path:line: from here where it lies below, and by its package where it is Everystate's own."""
    path = below_here(where.path)
    ours = path == where.path and path.startswith(PACKAGE + os.sep)
    return f"{os.path.join('everystate', os.path.relpath(path, PACKAGE)) if ours else path}:{where.line}"


def summary(found: Why) -> Iterator[str]:
    """What stops a run, as lines of text."""
    number = found.number
    yield f"the spec can be in {number:,} state{'s' if number != 1 else ''} there" + (
        f"; {found.looked_at:,} of them were looked at" if found.looked_at < number else ""
    )
    for refused in found.refused:
        yield f"{refused.event.place}: {refused.event} is not possible here"
        for reason, count in itertools.islice(refused.reasons, 5):
            of = f" (in {count:,} of {found.looked_at:,} states)" if found.looked_at > 1 else ""
            yield f"  {reason}{of}"
        if len(refused.reasons) > 5:
            yield f"  and {len(refused.reasons) - 5} more reasons"
        if refused.nearest:
            differs = "; ".join(refused.differs)
            yield f"  nearest: {refused.nearest}{f', but {differs}' if differs else ''}"
