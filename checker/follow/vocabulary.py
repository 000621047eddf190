"""The vocabulary of a system: a small Python file that translates its log into the words of a spec.

    unseen = {"expire"}          # actions that happen without a trace in the log
    at_most = 2                  # ... so many of them between two events

    def event(entry):            # an entry of the log: what JSON made of a line, or a row
        if entry["level"] == "debug":
            return None          # it says nothing of the spec
        return {"action": "acquire", "arguments": {"client": entry["who"]}}

`event` returns an event in its JSON form, None, or a list of events. A file that defines `line(text)` instead gets the
bare text of each line. Where an entry means something only after those before it, the file defines `log(lines)`: it
goes through the bare lines (or rows) of one log, and yields events.

    def holders(spec, room):     # what no variable and no method of the spec says
        return sum(holder == room for holder in spec.holder)

    observes = (holders,)        # "after": {"holders(3)": 1}
"""

from __future__ import annotations

import functools
import inspect
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import EverystateError
from .events import Event, Json, Place, event_of, no_event

LINE, LINES = 1_000, 10_000
"""How long lines may be, and how many, of which it is remembered what they say."""
Entry = tuple[Place, Any]
"""What stands at a place: the text of a line, or a row as an object."""


@dataclass(frozen=True)
class Vocabulary:
    """How entries of a log become events, and what the file of the user says of actions that are not seen."""

    path: str = ""
    event: Callable[[Any], Json] | None = None
    line: Callable[[str], Json] | None = None
    log: Callable[[Iterator[Any]], Iterable[Json]] | None = None
    observes: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    at_most: int | None = None
    needs: str = ""
    """Which lines of a log tell of events, for a log that has none."""
    constants: Callable[[Iterable[Iterator[Any]]], Mapping[str, Any]] | None = None
    """The constants of the spec, from the contents of the logs."""
    by_run: bool = False
    """Whether a log has several runs; the `run` of an event names its own."""
    impossible: str = "the next one is not allowed"
    """What it means that the spec cannot take an event."""

    def events(self, entries: Iterable[Entry]) -> Iterator[Event]:
        """The events of a log from its entries."""
        if self.log is not None:
            yield from self._narrated(self.log, entries)
            return
        if self.event is None and self.line is None:
            yield from _own_words(entries)
            return
        for place, content in entries:
            for part, data in enumerate(self._translated(place, content), 1):
                yield event_of(data, replace(place, part=part))

    def constants_of(self, logs: Iterable[tuple[str, Iterable[Entry]]]) -> dict[str, Any]:
        """The constants that the logs show; none where the file does not look for them."""
        if self.constants is None:
            return {}
        place, broken = Place(self.path, 1), False

        def contents(entries: Iterable[Entry]) -> Iterator[Any]:
            nonlocal place, broken
            broken = True  # a log that cannot be read is no error of the function
            for found, content in entries:
                place, broken = found, False
                yield content
                broken = True
            broken = False

        try:
            return dict(self.constants(contents(entries) for _, entries in logs))
        except Exception as error:
            if broken:
                raise
            raise self._failed(self.constants, place, error) from None

    def _translated(self, place: Place, content: Any) -> Iterable[Json]:
        if isinstance(content, str):
            if self.line is not None:
                return self._called(self.line, place, content)
            if not content.strip():
                return []
            content = parsed(content, place)
        assert self.event is not None
        return self._called(self.event, place, content)

    def _narrated(self, log: Callable[[Iterator[Any]], Iterable[Json]], entries: Iterable[Entry]) -> Iterator[Event]:
        """The events of a function that goes through a whole log; each stands where it has read to."""
        place, broken, part = Place(self.path, 1), False, 0

        def contents() -> Iterator[Any]:
            nonlocal place, broken, part
            broken = True  # an error of ours, such as a log that cannot be read, is not one of the function
            for found, content in entries:
                place, broken, part = found, False, 0
                yield content
                broken = True
            broken = False

        def recorded() -> Iterator[Json]:
            yield from log(contents())

        events = recorded()
        while True:
            try:
                data = next(events)
            except StopIteration:
                return
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if broken:
                    raise
                raise self._failed(log, place, error) from None
            part += 1
            yield event_of(data, replace(place, part=part))

    def _called(self, function: Callable[[Any], Json], place: Place, content: Any) -> Iterable[Json]:
        try:
            found = function(content)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._failed(function, place, error) from None
        if found is None:
            return []
        return found if isinstance(found, (list, tuple)) else [found]

    def _failed(self, function: Any, place: Place, error: BaseException) -> EverystateError:
        what = f"{type(error).__name__}: {' '.join(str(error).split())}"
        name = getattr(function, "__name__", "event")
        return EverystateError("E443", None, path=self.path, name=name, place=place, error=what)


def _own_words(entries: Iterable[Entry]) -> Iterator[Event]:
    """Entries that are events themselves; lines that are equal, of which a long log has many, are read once."""
    known: dict[str, Event] = {}
    for place, content in entries:
        if not isinstance(content, str):
            yield event_of(content, place)
        elif (found := known.get(content)) is not None:
            yield found.at(place)
        elif content.strip():
            found = event_of(parsed(content, place), place)
            if len(content) <= LINE and len(known) < LINES:
                known[content] = found
            yield found


def parsed(text: str, place: Place) -> Json:
    """The JSON value on a line; E440 when it is none."""
    try:
        return json.loads(text, object_pairs_hook=functools.partial(_once, place))
    except json.JSONDecodeError as error:
        raise no_event(place, f"it is not JSON: {error.msg[0].lower()}{error.msg[1:]} (column {error.colno})") from None
    except RecursionError:
        raise no_event(place, "it is nested too deeply") from None
    except ValueError as error:  # of a number with thousands of digits
        raise no_event(place, f"it is not JSON: {str(error).partition(':')[0].lower()}") from None


def _once(place: Place, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two values for one key, one would be ignored."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise no_event(place, "an object in it has a key twice")
    return found


def vocabulary_of(module: Any, path: str) -> Vocabulary:
    """The vocabulary that a module of the user defines; E444 when it defines none."""
    event, line, log = (getattr(module, name, None) for name in ("event", "line", "log"))
    unseen, at_most = getattr(module, "unseen", ()), getattr(module, "at_most", None)
    unseen = (unseen,) if isinstance(unseen, str) else unseen
    observes = getattr(module, "observes", ())

    def check(truth: bool, reason: str) -> None:
        if not truth:
            raise EverystateError("E444", None, path=path, reason=reason)

    forms = [
        name for name, form in (("event(entry)", event), ("line(text)", line), ("log(lines)", log)) if callable(form)
    ]
    check(bool(forms or unseen or observes), "it defines neither event(entry) nor line(text) nor log(lines)")
    check(len(forms) < 2, f"it defines {' and '.join(forms)}")
    names = isinstance(unseen, Collection) and all(isinstance(name, str) for name in unseen)
    check(names, "`unseen` is not a set of names")
    listed = isinstance(observes, (list, tuple)) and all(inspect.isfunction(each) for each in observes)
    check(listed, "`observes` is not a list of functions")
    twice = [name for name, number in Counter(each.__name__ for each in observes).items() if number > 1]
    check(not twice, f"`observes` has several functions with the name {', '.join(twice)}")
    wrong = at_most is not None and (isinstance(at_most, bool) or not isinstance(at_most, int) or at_most < 1)
    check(not wrong, "`at_most` is not a number from 1 on")
    needs = str(getattr(module, "needs", ""))
    observed = {each.__name__: each for each in observes}
    constants, by_run = getattr(module, "constants", None), bool(getattr(module, "by_run", False))
    check(constants is None or callable(constants), "`constants` is not a function")
    found = Vocabulary(path, event, line, log, observed, tuple(unseen), at_most, needs, constants, by_run)
    return replace(found, impossible=str(getattr(module, "impossible", found.impossible)))
