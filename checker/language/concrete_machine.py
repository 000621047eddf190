"""The machine of plain values: what the statements of the language mean when a spec runs as it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import CheckedError, EverystateError, user_place
from .conditions import truth
from .domains import alternatives, chosen, fresh
from .machine import Disabled, Machine, current
from .values import RecordValue


class ConcreteMachine:
    """Executes the statements of the language on plain values, following a script of choices; it tells nothing."""

    def __init__(self, script: list[int] | None = None) -> None:
        self.script = script
        self.aside: Callable[[], Any] = contextlib.nullcontext
        self.counts: list[int] = []
        self.chosen: list[Any] = []
        self.choices: list[Any] = []
        self.events: list[dict[str, Any]] = []
        self.witness: dict[str, Any] = {}

    def begin(self, script: list[int] | None) -> None:
        """Execute once more."""
        self.script, self.counts, self.chosen, self.choices = script, [], [], []

    def choose(self, given: Any) -> Any:
        if self.script is None:
            raise EverystateError("E214", user_place())
        members = alternatives(given)
        if not members:
            raise Disabled(Disabled.CHOICE)
        at = len(self.counts)
        if at == len(self.script):
            self.script.append(0)
        self.counts.append(len(members))
        self.chosen.append(fresh(members[self.script[at]]))
        self.choices.append(chosen(members[self.script[at]], self.script[at]))
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
        """Tells nothing, as a run on symbols does not: what a text does for a reader is done for readers only."""

    def kept(self, cls: str, fields: dict[str, Any]) -> dict[str, Any]:
        return fields

    def equal_records(self, left: RecordValue, right: RecordValue) -> bool:
        mine, theirs = ({n: v for n, v in r.__dict__.items() if not n.startswith("_")} for r in (left, right))
        return type(left) is type(right) and mine == theirs


class Attempts:
    """The attempts of one action: every alternative of a choice is tried, by its position.

    One that chose equal values and did the same as an earlier attempt is not counted again. Nobody else leaves an
    alternative out on this side, so a wrong rule for what is an alternative on symbols shows as a difference.
    """

    def __init__(self) -> None:
        self._known: set[Any] = set()

    def is_new(self, machine: ConcreteMachine, result: Any) -> bool:
        """Whether an attempt with this result is to be counted."""
        if not machine.choices:
            return True
        before, key = len(self._known), (*machine.choices, result)
        self._known.add(key)
        return len(self._known) > before


class Telling(ConcreteMachine):
    """A run for a reader, with the texts of what happens."""

    def narrate(self, event: dict[str, Any]) -> None:
        text = event["text"]
        told = self._made(text) if callable(text) else self._told(text)
        if told:
            self.events.append({name: told if name == "text" else self._told(part) for name, part in event.items()})

    def _told(self, part: Any) -> Any:
        """A part of what is told as readers get it: a text, whatever was given for one."""
        return part if type(part) in _PLAIN else self._made(lambda: part)

    def _made(self, part: Callable[[], Any]) -> Any:
        """What a function says for a reader; it changes and decides nothing, for searches do not call it."""
        try:
            with self.aside():
                made = part()
                return made if type(made) in _PLAIN else str(made)
        except Disabled:
            return ""
        except Exception as error:
            if isinstance(error, EverystateError) and not isinstance(error, CheckedError):
                raise
            return f"(no text: {error})"


_PLAIN = (str, bool, type(None))


def _loop_variables(iterator: Any) -> dict[str, Any]:
    """The loop variables of a generator expression at the element it just yielded."""
    frame = getattr(iterator, "gi_frame", None)
    if frame is None:
        return {}
    own = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars} - {".0", "self"}
    return {name: value for name, value in frame.f_locals.items() if name in own}


def machine() -> Machine:
    """The machine that executes at the moment; plain Python values outside any action."""
    return current() or ConcreteMachine()
