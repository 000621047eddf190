"""Events: what one entry of a log says of one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import EverystateError, suggestion
from ..results.plain import steers

Json = Any
LATEST = 1e300
"""How large a time may be; a sum with what clocks differ by is still a number."""
KEYS = ("action", "arguments", "before", "after", "process", "run", "time", "undecided")


@dataclass(frozen=True)
class Place:
    """Where an event stands: a file and a line, or a row, counted from 1; `part` where a line tells several events."""

    path: str
    number: int
    row: bool = False
    part: int = 1

    def __str__(self) -> str:
        part = f" (its event {self.part})" if self.part > 1 else ""
        return f"{self.path}, {'row' if self.row else 'line'} {self.number}{part}"


@dataclass(frozen=True)
class Event:
    """One step of the system, as far as the log tells.

    The step is by one of `actions`, with some of its parameters; without actions no step is taken, and the event only
    says what is so. `before` and `after` are what held then: values by the path of a variable (`holder`,
    `queue[0].id`, `queue.length`), or by a method of the spec that takes nothing (`free()`). `process` and `run` tell
    which events of a file belong together, `time` when it was. `undecided` is a reason why
    nothing can be said from here on.
    """

    place: Place
    actions: tuple[str, ...] = ()
    arguments: Mapping[str, Json] = field(default_factory=dict)
    before: Mapping[str, Json] = field(default_factory=dict)
    after: Mapping[str, Json] = field(default_factory=dict)
    process: str = ""
    run: str = ""
    time: float | None = None
    undecided: str = ""

    def at(self, place: Place) -> Event:
        """The same, told at another place."""
        return replace(self, place=place)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        head = f"{' or '.join(self.actions)}({given})" if self.actions else "an observation"
        parts = [
            f"with {_pairs(values)} {when} it"
            for when, values in (("before", self.before), ("after", self.after))
            if values
        ]
        return ", ".join([head, *parts])


def _pairs(values: Mapping[str, Json]) -> str:
    return " and ".join(f"{path} = {value}" for path, value in values.items())


def event_of(data: Json, place: Place) -> Event:
    """An event from its JSON form; E440 for anything else.

    What is not understood is not ignored: with a mistyped key less would be compared than was meant.
    """
    if not isinstance(data, dict):
        raise no_event(place, f"it is {_kind(data)}, not an object")
    _check_texts(data, place)
    try:
        if steers(data):
            raise no_event(place, "it has control characters, which a terminal obeys")
    except RecursionError:
        raise no_event(place, "it is nested too deeply") from None
    for key in data:
        if key not in KEYS:
            raise no_event(place, f"it has the key {key!r}, which means nothing here{suggestion(key, KEYS)}")
    actions = data.get("action", [])
    actions = [actions] if isinstance(actions, str) else actions
    if not isinstance(actions, list) or not all(isinstance(name, str) for name in actions):
        raise no_event(place, f"its action is {_kind(data['action'])}, not a name or a list of names")
    objects = {}
    for key in ("arguments", "before", "after"):
        objects[key] = data.get(key, {})
        if not isinstance(objects[key], dict):
            raise no_event(place, f"its {key!r} is {_kind(objects[key])}, not an object")
        _check_texts(objects[key], place)
    if not actions and objects["arguments"]:
        raise no_event(place, "it has arguments, but no action")
    undecided = data.get("undecided", "")
    if not isinstance(undecided, str):
        raise no_event(place, f"its undecided is {_kind(undecided)}, not a reason")
    if not actions and not objects["before"] and not objects["after"] and not undecided:
        raise no_event(place, "it names no action, and no value that was observed")
    time = data.get("time")
    if time is not None and (isinstance(time, bool) or not isinstance(time, (int, float)) or time != time):
        raise no_event(place, f"its time is {_kind(time)}, not a number")
    if time is not None and not -LATEST <= time <= LATEST:
        raise no_event(place, "its time is beyond all clocks")
    names = {}
    for key in ("process", "run"):
        names[key] = data.get(key, "")
        if not isinstance(names[key], (str, int)) or isinstance(names[key], bool):
            raise no_event(place, f"its {key} is {_kind(names[key])}, not a name")
    process, run = str(names["process"]), str(names["run"])
    return Event(place, tuple(actions), process=process, run=run, time=time, undecided=undecided, **objects)


def _check_texts(data: Mapping[Any, Json], place: Place) -> None:
    """JSON has no other keys, and a file that translates a log may return any."""
    for key in data:
        if not isinstance(key, str):
            raise no_event(place, f"it has the key {key!r}, which is no string")


def no_event(place: Place, reason: str) -> EverystateError:
    """E440: what stands at a place is no event."""
    return EverystateError("E440", None, place=place, reason=reason, keys=", ".join(KEYS))


def _kind(data: Json) -> str:
    known = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return known.get(type(data), "null")
