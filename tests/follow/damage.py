"""Random logs of a system, and random damages to them."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from .plain import Fault, Plain, State, frozen, told
from .systems import PATHS

Event = dict[str, Any]


class Scribe:
    """Writes logs of one spec."""

    def __init__(self, plain: Plain, dice: Random) -> None:
        self.plain, self.dice = plain, dice
        self.paths = {path: name for name in plain.domains for path in PATHS[name]}
        self.hidden = frozenset(n for n in plain.parameters if dice.random() < 0.3)

    def log(self) -> list[Event]:
        """Events of a random behaviour, with times and processes."""
        dice, state, found = self.dice, self.dice.choice(sorted(self.plain.initial(), key=repr)), list[Event]()
        time = 0.0
        for _ in range(dice.randint(1, 12)):
            ways = [
                (number, there)
                for number in range(len(self.plain.instances))
                for _, there in self.plain.steps(state, number)[0]
                if there is not None
            ]
            if not ways:
                break
            number, there = dice.choice(ways)
            time += dice.choice([0.0, 0.25, 1.0])
            name = self.plain.instances[number][0]
            if dice.random() < (0.15 if name not in self.hidden else 0.75):
                state = there
                continue
            found.append({**self._event(number, state, there), "process": dice.randrange(3)})
            if dice.random() < 0.8:
                found[-1]["time"] = time
            state = there
        return found

    def _event(self, number: int, state: State, there: State) -> Event:
        dice, (name, given) = self.dice, self.plain.instances[number]
        before, after = (self._values(each) for each in (state, there))
        if dice.random() < 0.1 and after:
            return {"after": after}
        other = dice.choice(self.plain.instances)[0]
        event: Event = {"action": name if dice.random() < 0.85 else [name, other]}
        if given and dice.random() < 0.6 and isinstance(event["action"], str):
            event["arguments"] = {n: told(v) for n, v in given.items()}
        if dice.random() < 0.3:
            event["before"] = before
        if dice.random() < 0.7:
            event["after"] = after
        return event

    def _values(self, state: State) -> dict[str, Any]:
        found = {}
        for path in self.paths:
            if self.dice.random() < 0.25:
                try:
                    found[path] = self._said(path, state)
                except Fault:
                    continue
        return found

    def _said(self, path: str, state: State) -> Any:
        data = self.plain.value(state, PATHS[self.paths[path]][path])
        if path in ("members", "all_of_them()"):
            self.dice.shuffle(data)
        return [[k, v] for k, v in data.items()] if path == "stock" and self.dice.random() < 0.3 else data

    # -- damages -------------------------------------------------------------------------------------------

    def damaged(self, log: list[Event]) -> list[Event]:
        """The log with up to two damages."""
        log = deepcopy(log)
        for _ in range(self.dice.choice([0, 1, 1, 1, 2])):
            if not log:
                break
            at = self.dice.randrange(len(log))
            match self.dice.choice(["drop", "double", "swap", "action", "argument", "value", "value", "value"]):
                case "drop":
                    del log[at]
                case "double":
                    log.insert(at, deepcopy(log[at]))
                case "swap":
                    log[at : at + 2] = log[at : at + 2][::-1]
                case "action" if "action" in log[at]:
                    log[at].pop("arguments", None)
                    log[at]["action"] = self.dice.choice(sorted(self.plain.parameters))
                case "argument" if "arguments" in log[at]:
                    name = log[at]["action"]
                    log[at]["arguments"] = {
                        n: told(self.dice.choice(v)) for n, v in self.plain.parameters[name].items()
                    }
                case _:
                    self._lie(log[at])
        return log

    def _lie(self, event: Event) -> None:
        """Another value of a variable, or what a method would say elsewhere."""
        key = self.dice.choice(["before", "after"])
        path = self.dice.choice(sorted(self.paths))
        state = tuple(frozen(self.dice.choice(domain.all)) for domain in self.plain.domains.values())
        try:
            event.setdefault(key, {})[path] = self._said(path, state)
        except Fault:
            if not event.get(key):
                event.pop(key, None)


def in_time(log: list[Event], skew: float) -> list[Event]:
    """The log without times that go back by more than the clocks differ: these are an error."""
    latest = -1.0
    for event in log:
        if "time" in event and event["time"] < latest - skew:
            del event["time"]
        latest = max(latest, event.get("time", latest))
    return log
