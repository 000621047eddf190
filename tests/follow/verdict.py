"""What must be answered to a log, from `plain` alone: all behaviours, all orders, all unseen steps, one by one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .plain import Fault, Plain, State, told
from .systems import PATHS

Event = dict[str, Any]
Read = tuple[int, ...]
Layers = list[set[State]]
READERS = {path: read for paths in PATHS.values() for path, read in paths.items()}


@dataclass(frozen=True)
class Asked:
    """What may happen unseen, and how far logs are ordered."""

    unseen: frozenset[str]
    at_most: int
    clock: bool = False
    skew: float = 0.0


@dataclass
class Verdict:
    """How many events are explained, whether all, the states at the end, and what stops each event there."""

    done: int
    whole: bool
    end: dict[Read, Layers]
    refused: dict[str, Counter[str]] = field(default_factory=dict)


class Court:
    """Judges logs of one spec."""

    def __init__(self, plain: Plain, logs: Sequence[Sequence[Event]], asked: Asked) -> None:
        self.plain, self.logs, self.asked = plain, logs, asked

    def verdict(self) -> Verdict:
        front: dict[Read, set[State]] = {(0,) * len(self.logs): self.plain.initial()}
        for done in range(sum(map(len, self.logs)) + 1):
            layers = {read: self._unseen(states) for read, states in front.items()}
            if all(self._ended(read) for read in front):
                return Verdict(done, True, layers)
            following: dict[Read, set[State]] = {}
            for read, mine in layers.items():
                for number in self.next(read):
                    event = self.logs[number][read[number]]
                    after = {there for states in mine for state in states for there in self.through(state, event)}
                    if after:
                        following.setdefault(advanced(read, number), set()).update(after)
            if not following:
                return self._refused(Verdict(done, False, layers))
            front = following
        raise AssertionError("there are no more events")

    def _ended(self, read: Read) -> bool:
        return all(n == len(log) for n, log in zip(read, self.logs, strict=True))

    def next(self, read: Read) -> Iterator[int]:
        """The logs whose event may be next: nothing that is left in another one is earlier by more than the clock."""
        for number, log in enumerate(self.logs):
            if read[number] < len(log):
                time = log[read[number]].get("time")
                others = [e for n, other in enumerate(self.logs) if n != number for e in other[read[n] :]]
                left = [event["time"] for event in others if "time" in event]
                if not self.asked.clock or time is None or not any(t < time - self.asked.skew for t in left):
                    yield number

    def _unseen(self, states: set[State]) -> Layers:
        layers, known = [states], set(states)
        for _ in range(self.asked.at_most):
            found = {
                there
                for state in layers[-1]
                for number, (name, _) in enumerate(self.plain.instances)
                if name in self.asked.unseen
                for _, there in self.plain.steps(state, number)[0]
                if there is not None
            } - known
            if not found:
                break
            known |= found
            layers.append(found)
        return layers

    def through(self, state: State, event: Event) -> Iterator[State]:
        """Where an event leads to from a state."""
        if self.differences(state, self.before(event)):
            return
        if "action" not in event:
            yield state
            return
        for number in self.mine(event):
            for _, there in self.plain.steps(state, number)[0]:
                if there is not None and not self.differences(there, event.get("after", {})):
                    yield there

    def before(self, event: Event) -> list[tuple[str, Any]]:
        both = [*event.get("before", {}).items()]
        return both if "action" in event else [*both, *event.get("after", {}).items()]

    def mine(self, event: Event) -> list[int]:
        names = [event["action"]] if isinstance(event["action"], str) else event["action"]
        return [
            number
            for number, (name, given) in enumerate(self.plain.instances)
            if name in names and all(text(told(given[n])) == text(v) for n, v in event.get("arguments", {}).items())
        ]

    def differences(self, state: State, values: Any) -> list[str]:
        """How a state differs from what is told, in words."""
        found = []
        for path, data in values.items() if isinstance(values, dict) else values:
            try:
                raw = READERS[path](self.plain.opened(state))
            except IndexError:
                found.append(f"{path} fails" if path.endswith(")") else f"{path} is null, the log says {brief(data)}")
                continue
            except (Fault, KeyError, TypeError, AttributeError):
                found.append(f"{path} fails")
                continue
            value, said = told(raw), data
            if isinstance(raw, set):
                value, said = sorted(value), sorted(said)
            if isinstance(raw, dict) and isinstance(said, list):
                said = dict(said)
            if text(value) != text(said):
                found.append(f"{path} is {brief(told(raw))}, the log says {brief(data)}")
        return found

    # -- why -----------------------------------------------------------------------------------------------

    def _refused(self, verdict: Verdict) -> Verdict:
        for read, layers in verdict.end.items():
            for number in self.next(read):
                event = self.logs[number][read[number]]
                place = f"log {number}, line {read[number] + 1}"
                reasons = verdict.refused.setdefault(place, Counter())
                for state in (state for states in layers for state in states):
                    before = self.differences(state, self.before(event))
                    reasons.update(set(before) or set(self._reasons(state, event)))
        return verdict

    def _reasons(self, state: State, event: Event) -> Iterator[str]:
        for number in self.mine(event):
            found, stops = self.plain.steps(state, number)
            for chosen, there in found:
                if there is None:
                    yield f"{self.label(number)} is an error of the spec there"
                else:
                    differs = self.differences(there, event.get("after", {}))
                    yield f"after {self.label(number, chosen)}, {' and '.join(differs)}"
            for stop in stops if not found else ():
                source = self.plain.lines[stop.line - 1].strip()
                if stop.choice:
                    yield f"{self.label(number)} has nothing to choose from (line {stop.line}: {source})"
                elif stop.line:
                    yield f"{self.label(number)} is not enabled: {source} (generated.py:{stop.line})"
                else:
                    yield f"{self.label(number)} is excluded by the action constraint bounded"

    def label(self, number: int, chosen: Sequence[Any] = ()) -> str:
        name, given = self.plain.instances[number]
        head = f"{name}({', '.join(f'{n}={shown(v)}' for n, v in given.items())})"
        return f"{head} choosing {', '.join(map(shown, chosen))}" if chosen else head


def advanced(read: Read, number: int) -> Read:
    return (*read[:number], read[number] + 1, *read[number + 1 :])


def shown(value: Any) -> str:
    return str(getattr(value, "name", value))


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def brief(value: Any) -> str:
    found = json.dumps(value)
    return found if len(found) <= 60 else f"{found[:57]}..."
