"""A behaviour that explains a log: backwards through the fronts, then once more on plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..engines.replay import trace_step
from ..errors import EverystateError
from ..language.concrete import StepFailed, attempts
from ..language.concrete_machine import NarratedRun
from ..language.state import State
from ..results.trace import Trace, TraceStep
from .candidates import ExpectedEvent, Frontier, Read, Stepper
from .events import Event
from .sources import Followed, advanced, upcoming


@dataclass(frozen=True)
class Move:
    """One step of a behaviour: the packed state before it and after it, and its event; None where it was not seen."""

    before: Any
    after: Any
    event: Event | None


@dataclass(frozen=True)
class ExplainedTrace:
    """A behaviour as a trace, with the event of each step (None: it was not seen)."""

    trace: Trace
    events: Sequence[Event | None]

    @property
    def unseen(self) -> int:
        """How many of its steps the log does not tell."""
        return sum(event is None for event in self.events)


def explained(
    followed: Followed, stepper: Stepper, target: str, last: int | None = None, **facts: Any
) -> ExplainedTrace:
    """The behaviour to the least state of the last front, of its end so many events only.

    Every step of it was taken on plain Python as well: E217 where machine code is the only one that can take it.
    """
    moves, first = _backwards(followed, stepper, last)
    unpack, spec = stepper.model.layout.unpack, stepper.spec
    initial = State(spec.domains, unpack(first.tolist()))
    steps, events = [], []
    for move in moves:
        if move.event is not None and not move.event.actions:
            continue
        before, after = (State(spec.domains, unpack(row.tolist())) for row in (move.before, move.after))
        steps.append(_taken(stepper, before, after, move.event))
        events.append(move.event)
    return ExplainedTrace(Trace(target, spec.constants, initial, tuple(steps), **facts), events)


def _backwards(followed: Followed, stepper: Stepper, last: int | None) -> tuple[list[Move], Any]:
    """The moves to the end in order, and the state that they begin in."""
    read, row = min((read, tuple(rows[0][0])) for read, rows in followed.fronts[-1].layers.items())
    state = followed.fronts[-1].layers[read][0][0]
    assert tuple(state) == row, "layers are sorted"
    moves: list[Move] = []
    most = len(followed.fronts) - 1
    for front in reversed(followed.fronts[most - min(most, most if last is None else last) : -1]):
        read, moved = _one_event(front, followed, stepper, read, state)
        moves.extend(moved)
        state = moves[-1].before
    moves.reverse()
    return moves, moves[0].before if moves else state


def _one_event(
    front: Frontier, followed: Followed, stepper: Stepper, read: Read, state: Any
) -> tuple[Read, list[Move]]:
    """The last event before a state, and the unseen steps before it, the last move first."""
    for wanted, event, earlier in _ways(front, followed, stepper, read):
        layers = front.layers[earlier]
        for depth, rows in enumerate(layers):
            before = stepper.before(rows, wanted, state)
            if before is not None:
                return earlier, [Move(before, state, event), *_unseen(stepper, layers, depth, before)]
    raise AssertionError("a front has a state that no state of the front before leads to")


def _ways(
    front: Frontier, followed: Followed, stepper: Stepper, read: Read
) -> Iterator[tuple[ExpectedEvent, Event, Read]]:
    """Each event that may have led to a front, and how much had been read before it."""
    for log in range(len(followed.sources)):
        earlier = advanced(read, log, -1)
        if earlier in front.layers:
            for number, event in upcoming(earlier, followed.sources, followed.order):
                if number == log:
                    yield stepper.wanted(event), event, earlier


def _unseen(stepper: Stepper, layers: Sequence[Any], depth: int, state: Any) -> Iterator[Move]:
    for rows in reversed(layers[:depth]):
        before = stepper.before_unseen(rows, state)
        yield Move(before, state, None)
        state = before


def _taken(stepper: Stepper, before: State, after: State, event: Event | None) -> TraceStep:
    instances = stepper.hidden if event is None else stepper.wanted(event).instances
    for number, instance in enumerate(stepper.spec.instances):
        if instances[number]:
            for step in attempts(stepper.spec, before, instance, kind=NarratedRun):
                if not isinstance(step, StepFailed) and step.state == after:
                    return trace_step(step)
    reason = f"no concrete step leads from\n{before}\nto\n{after}"
    raise EverystateError("E217", None, action=type(stepper.spec).__name__, reason=reason)
