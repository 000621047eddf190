"""The machine of plain values: executes the statements of the language when a spec runs as plain Python."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import CheckedError, EverystateError, user_place
from .conditions import truth
from .domains import alternatives, chosen, fresh
from .machine import Disabled, Machine, current
from .values import RecordValue


class ConcreteMachine:
    """Executes the statements of the language on plain values, following a script of choices, without narration."""

    def __init__(self, script: list[int] | None = None) -> None:
        self.script = script
        self.aside: Callable[[], Any] = contextlib.nullcontext
        self.counts: list[int] = []
        self.chosen: list[Any] = []
        self.choices: list[Any] = []
        self.events: list[dict[str, Any]] = []

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

    def implies(self, left: Any, right: Any) -> Any:
        if not truth(left() if callable(left) else left):
            return True
        return truth(right() if callable(right) else right)

    def negated(self, value: Any) -> Any:
        return not value

    def narrate(self, event: dict[str, Any]) -> None:
        """Ignores narration, as a symbolic run does: texts are made for readers only."""

    def kept(self, cls: str, fields: dict[str, Any]) -> dict[str, Any]:
        return fields

    def equal_records(self, left: RecordValue, right: RecordValue) -> bool:
        mine, theirs = ({n: v for n, v in r.__dict__.items() if not n.startswith("_")} for r in (left, right))
        return type(left) is type(right) and mine == theirs


class Attempts:
    """The attempts of one action: every alternative of a choice is tried, by its position.

    One that chose equal values and did the same as an earlier attempt is not counted again. No other alternative is
    left out here, so a wrong rule for symbolic alternatives shows as a difference.
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


class NarratedRun(ConcreteMachine):
    """A run with the texts of what happens."""

    def __init__(self, script: list[int] | None = None) -> None:
        super().__init__(script)
        self.decided_by: dict[str, Any] = {}
        """The loop variables of the elements that decided any() and all()."""

    @contextlib.contextmanager
    def watching(self, names: dict[str, Any]) -> Iterator[None]:
        """Note in any() and all() of a module, given its global names, which element decides."""
        own = {"any": self._first(True), "all": self._first(False)}
        added = [name for name in own if name not in names]
        names.update({name: own[name] for name in added})
        try:
            yield
        finally:
            for name in added:
                del names[name]

    def _first(self, decisive: bool) -> Callable[[Iterable[Any]], bool]:
        def decided(items: Iterable[Any]) -> bool:
            iterator, earlier = iter(items), self.decided_by
            for item in iterator:
                if bool(item) is decisive:
                    self.decided_by = {**earlier, **_loop_variables(iterator), **self.decided_by}
                    return decisive
                self.decided_by = earlier  # the reason inside an element that decides nothing
            self.decided_by = earlier
            return not decisive

        return decided

    def narrate(self, event: dict[str, Any]) -> None:
        text = event["text"]
        text = self._made(text) if callable(text) else self._part_text(text)
        if text:
            self.events.append(
                {name: text if name == "text" else self._part_text(part) for name, part in event.items()}
            )

    def _part_text(self, part: Any) -> Any:
        """A part of a narration as a string, whatever was given for it."""
        return part if type(part) in _PLAIN else self._made(lambda: part)

    def _made(self, part: Callable[[], Any]) -> Any:
        """The result of a function for readers; it must have no effect, because searches do not call it."""
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
    """The loop variables of a generator expression at the element that it has just yielded."""
    frame = getattr(iterator, "gi_frame", None)
    if frame is None:
        return {}
    own = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars} - {".0", "self"}
    return {name: value for name, value in frame.f_locals.items() if name in own}


def machine() -> Machine:
    """The machine that executes at the moment; plain Python values outside any action."""
    return current() or ConcreteMachine()
