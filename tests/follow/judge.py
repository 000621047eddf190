"""A judge of logs that knows neither machine code nor fronts: plain Python, state by state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Event
from everystate.checker.follow.sources import Order
from everystate.checker.follow.values import as_plain, same
from everystate.checker.language.concrete import Step, attempts, initial_states
from everystate.checker.language.declarations import ActionInstance
from everystate.checker.language.spec import Spec
from everystate.checker.language.state import State

Place = tuple[tuple[int, ...], State]


def judged(spec: Spec, logs: Sequence[Sequence[Event]], unseen: UnseenActions, order: Order) -> tuple[int, bool]:
    """(how many events some behaviour explains, whether these are all)."""
    places: set[Place] = {((0,) * len(logs), state) for state in initial_states(spec)}
    done = 0
    while True:
        places = _with_unseen(spec, places, unseen)
        if any(all(n == len(log) for n, log in zip(read, logs, strict=True)) for read, _ in places):
            return done, True
        following = {found for place in places for found in _after(spec, place, logs, order)}
        if not following:
            return done, False
        places, done = following, done + 1


def _with_unseen(spec: Spec, places: set[Place], unseen: UnseenActions) -> set[Place]:
    for _ in range(unseen.at_most):
        places = places | {
            (read, step.state)
            for read, state in places
            for instance in spec.instances
            if instance.name in unseen.names
            for step in _steps(spec, state, instance)
        }
    return places


def _after(spec: Spec, place: Place, logs: Sequence[Sequence[Event]], order: Order) -> Iterable[Place]:
    read, state = place
    for number, log in enumerate(logs):
        if read[number] == len(log):
            continue
        event = log[read[number]]
        waiting = [e for n, other in enumerate(logs) if n != number for e in other[read[n] :]]
        earlier = [each.time for each in waiting if each.time is not None]
        if order.clock and event.time is not None and any(time < event.time - order.skew for time in earlier):
            continue
        following = (*read[:number], read[number] + 1, *read[number + 1 :])
        for after in _through(spec, state, event):
            yield following, after


def _through(spec: Spec, state: State, event: Event) -> Iterable[State]:
    if not all(same(getattr(state, name), value) for name, value in event.before.items()):
        return
    if not event.actions:
        if all(same(getattr(state, name), value) for name, value in event.after.items()):
            yield state
        return
    for instance in spec.instances:
        given = {name: as_plain(value) for name, value in instance.arguments}
        if instance.name in event.actions and all(given[n] == v for n, v in event.arguments.items()):
            for step in _steps(spec, state, instance):
                if all(same(getattr(step.state, name), value) for name, value in event.after.items()):
                    yield step.state


def _steps(spec: Spec, state: State, instance: ActionInstance) -> list[Step]:
    return [step for step in attempts(spec, state, instance) if isinstance(step, Step)]
