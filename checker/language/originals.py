"""What our own modules hold, and those of Python by which we see a spec, to see later whether somebody has put anything
else in its place."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

_OURS = __name__.partition(".")[0] + "."
_BY_PYTHON = {"__annotations__", "__annotations_cache__", "__slotnames__", "__warningregistry__"}
"""What Python itself adds to a class or a module: asked for annotations, copied, or with a warning."""


class Note(NamedTuple):
    """What a module, a class or a dictionary of a module held; `owner` is that, `now` what it holds at any time."""

    name: str
    owner: Any
    now: Mapping[str, Any]
    before: Mapping[str, Any]

    def replaced(self) -> list[str]:
        """The names that stand for something else now.

        To a class nothing may be added either, and to a module nothing but other modules: it may hide one of Python's.
        """
        now, before = self.now, self.before
        if len(now) == len(before) and all(map(operator.is_, now.values(), before.values())):
            return []
        found = [name for name, value in before.items() if name not in now or now[name] is not value]
        if isinstance(self.owner, dict):
            return found
        added = [name for name, value in now.items() if name not in before and not isinstance(value, ModuleType)]
        return found + [name for name in added if name not in _BY_PYTHON]

    def put_back(self) -> None:
        """Let the names stand for what they stood for."""
        for name in self.replaced():
            if isinstance(self.owner, dict):
                self.owner[name] = self.before[name]
            elif name in self.before:
                setattr(self.owner, name, self.before[name])
            else:
                delattr(self.owner, name)


class Borrowed(Note):
    """The same of a module that is not ours: of that only functions and classes stay what they were."""

    def replaced(self) -> list[str]:
        """Those that are something else now, or are missing."""
        found = [name for name, value in self.before.items() if self.now.get(name) is not value and callable(value)]
        return [name for name in found if name not in _OTHERS]


class Filled(NamedTuple):
    """What a list or set of a module held."""

    name: str
    key: str
    now: list[Any] | set[Any]
    before: list[Any] | set[Any]

    def replaced(self) -> list[str]:
        """Its name, where it holds something else now."""
        return [] if self.now == self.before else [self.key]

    def put_back(self) -> None:
        """Let it hold what it held."""
        self.now.clear()
        if isinstance(self.now, set):
            self.now.update(self.before)
        else:
            self.now.extend(self.before)


class Loaded:
    """The module of a target that was loaded, and what was noted before, and of what was loaded since."""

    def __init__(self) -> None:
        self.module: ModuleType | None = None
        self.notes: list[Note | Filled] = []


LOADED = Loaded()
"""Of the latest target of a command."""

RELIED_ON = (
    *("collections", "ctypes", "dis", "functools", "gc", "itertools", "llvmlite.binding", "numpy", "operator"),
    "sys",
)
"""The modules that are not ours by which a spec is examined, compiled and searched."""
_OTHERS = {"excepthook", "displayhook", "unraisablehook", "breakpointhook", "last_type"}
"""What Python offers to be replaced, or replaces itself at its prompt."""


def noted(beginning: str = _OURS) -> list[Note | Filled]:
    """What those of our modules hold that are loaded, and whose names begin so."""
    found = [(name, module) for name, module in list(sys.modules.items()) if name.startswith(beginning)]
    return [note for name, module in found for note in of_module(name, module)]


def borrowed() -> list[Borrowed]:
    """What those modules hold that are not ours."""
    return [borrowed_of(sys.modules[name]) for name in RELIED_ON if name in sys.modules]


def borrowed_of(module: ModuleType) -> Borrowed:
    """What one of them holds."""
    return Borrowed(module.__name__, module, vars(module), dict(vars(module)))


def of_module(name: str, module: ModuleType) -> Iterator[Note | Filled]:
    """What one module holds, with its classes, dictionaries, lists and sets.

    These are what a module is made of. What fills while we work is of a class of its own, as the meter of Spark is.
    """
    held = vars(module)
    yield Note(name, module, held, dict(held))
    for key, value in list(held.items()):
        if isinstance(value, type) and value.__module__ == name:
            yield Note(f"{name}.{key}", value, vars(value), dict(vars(value)))
        elif type(value) is dict and key != "__builtins__":
            yield Note(f"{name}.{key}", value, value, dict(value))
        elif type(value) is list or type(value) is set:
            yield Filled(name, key, value, value.copy())


def put_back(notes: Iterable[Note | Filled]) -> None:
    """Let all names stand for what they stood for."""
    for note in notes:
        note.put_back()
