"""The errors of the catalogue as Python raises them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache, partial
from importlib import import_module
from typing import Any

from everystate.parts import ERRORS

from . import files, language, loading, machine, spark, states
from .entry import Entry
from .place import Where

CATALOGUE: dict[str, Entry] = {
    code: entry for part in (loading, language, states, files, machine, spark) for code, entry in part.ENTRIES.items()
}
"""Every kind of error of the checker by its code."""


@cache
def catalogue() -> dict[str, Entry]:
    """Every kind of error by its code, with those of the other packages, which are loaded for it."""
    return CATALOGUE | {code: entry for part in ERRORS for code, entry in import_module(part).ENTRIES.items()}


def _entry(code: str) -> Entry | None:
    return CATALOGUE.get(code) or catalogue().get(code)


class EverystateError(Exception):
    """An error of the catalogue; `code`, `what`, `where`, `why` and `remedy` are its facts."""

    def __init__(self, code: str, where: Where | None = None, **facts: object) -> None:
        entry = CATALOGUE.get(code) or catalogue()[code]
        self.code = code
        self.facts = facts
        self.what = entry.what.format(**facts)
        self.why = entry.why.format(**facts)
        self.remedy = entry.remedy.format(**facts)
        self.where = where
        super().__init__(f"{code} {self.what}")

    def __str__(self) -> str:
        return f"{self.code} {self.what}"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), self.code, self.where, **self.facts), (), self.__dict__

    @property
    def exit_code(self) -> int:
        """That of its entry."""
        return exit_code_of(self)

    def explain(self) -> str:
        """The error as a person reads it: what, where, why, what to do."""
        lines = [f"error {self.code}: {self.what}"]
        if self.where is not None:
            lines.append(f"  where: {self.where}")
        lines.append(f"  why: {self.why}")
        lines.append(f"  do: {self.remedy}")
        if self.code in ("E301", "E302") and self.where is not None and self.where.path.endswith(".tla"):
            lines.append("      or give the variable of Nat, Int or Seq another bound: --bound NAME=N")
        lines.append(f"  see: everystate errors {self.code}")
        return "\n".join(lines)


class CheckedError(EverystateError):
    """An error of the spec that happens in a state (E3); the checker reports it with the trace that leads there.

    `reads` are the variables that a property had looked at when it failed.
    """

    reads: tuple[str, ...] = ()

    def __new__(cls, code: str = "", *_: Any, **__: Any) -> CheckedError:
        """Errors that Python itself has are of Python's class, too, so that `except` finds them."""
        kinds = {"E304": OutsideError, "E305": AbsentKey, "E309": AbsentKey}
        return super().__new__(kinds.get(code, cls) if cls is CheckedError else cls)


class OutsideError(CheckedError, IndexError):
    """E303 of an index, as Python raises it: iteration over a class with nothing but `__getitem__` ends there."""


class AbsentValue(CheckedError, ValueError):
    """E303 of a value that is no element."""


class AbsentKey(CheckedError, KeyError):
    """E305, E309."""


def exit_code_of(error: EverystateError) -> int:
    """That of its entry, whatever an error says that a spec has made and raised; none is that of a verdict."""
    entry = _entry(getattr(error, "code", ""))
    return CATALOGUE["E503"].exit_code if entry is None else entry.exit_code


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when a known name is close, else nothing."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def in_a_line(error: BaseException) -> str:
    """What an exception is and says, whose class may be an author's and fail when it is asked."""
    try:
        said = " ".join(str(error).split()) + meant(error)
    except Exception:
        said = ""
    return (f"{type(error).__name__}: {said}" if said else type(error).__name__)[:300]


def meant(error: BaseException) -> str:
    """`; did you mean 'x'?` for a name or an attribute that does not exist, when one is close; else nothing."""
    name = getattr(error, "name", None)
    if not isinstance(name, str):
        return ""
    if isinstance(error, AttributeError):
        return suggestion(name, [known for known in dir(error.obj) if not known.startswith("_")])
    trace = error.__traceback__
    if not isinstance(error, NameError) or trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    frame = trace.tb_frame
    exported = getattr(sys.modules.get("everystate.checker"), "__all__", ())  # what an author may have forgotten
    return suggestion(name, [*frame.f_locals, *frame.f_globals, *frame.f_builtins, *exported])
