"""Everystate itself, before a check from Python: that loads nothing, so a program may have changed our modules before.

What they hold is taken down as soon as `check` is loaded. What somebody has loaded before that, or loads on his own
later, is compared with what the text of the module says.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Collection, Iterator, Mapping
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any

from ..frontend.unguarded import LIFTING
from ..errors import modules_by_name
from ..language import ORIGINALS
from ..language.integrity import RELIED_ON, Held, Note, being_loaded, borrowed, functions_in, taken
from .bytecode import steps_of
from .hooks import PATCHED, REPLACED, Place, beside, check_again, check_notes, check_places
from .ownership import package_class
from .sources import body_of

_CHECKER = __name__.partition(".border")[0]
_PLAIN = {str, int, bool, tuple, dict, frozenset, ModuleType, type(None), GetSetDescriptorType, MemberDescriptorType}
_TOLD = (str, bytes, int, bool, float, range, type(None))
_HOLDING = (tuple, list, set, frozenset, dict)
_NOTHING = compile("", "", "exec")


def loaded() -> dict[str, ModuleType]:
    """Our modules that are there and whole."""
    ours = {name: m for name, m in modules_by_name() if name == _CHECKER or name.startswith(f"{_CHECKER}.")}
    return {name: m for name, m in ours.items() if not being_loaded(m)}


class Originals:
    """What our modules held when they were first looked at; those that somebody has loaded `before` are not trusted."""

    def __init__(self, before: Collection[str]) -> None:
        self._known = {name for name in loaded() if name not in before}
        language = f"{_CHECKER}.language"
        self._notes: list[Held] = [*ORIGINALS, *borrowed()]
        for name in self._known:
            if not name.startswith(language):
                self._notes.append(taken(name, sys.modules[name]))

    def add(self) -> None:
        """Take down what a check has loaded."""
        for name, module in loaded().items():
            if name not in self._known:
                self._known.add(name)
                self._notes.append(taken(name, module))

    def check(self, cls: type) -> None:
        """E232 where somebody has put anything in the place of what our modules held, or has changed a list of them."""
        if LIFTING:
            return
        user = sys.modules.get(cls.__module__)
        files = beside(user)
        check_notes(self._notes, user)
        for name, module in loaded().items():
            if name not in self._known:
                _compare(name, module, user)
            if files:
                check_places(_of_ours(name, module, files), files)
        if files:
            check_places(_relied_on(), files)
        check_again()
        self.add()


def _compare(name: str, module: ModuleType, user: ModuleType | None) -> None:
    """E232 where a module holds other plain values or functions than its text says; what it computes may depend on the
    place."""
    written, steps = _executed(name, module), steps_of(body_of(module) or _NOTHING)
    fixed = {after.argval for step, after in itertools.pairwise(steps) if step.opname == "LOAD_CONST"}
    told = {key: value for key, value in written.items() if key in fixed or type(value) in (list, set, frozenset, dict)}
    for key, value in told.items():
        now = vars(module).get(key)
        if not key.startswith("__") and _is_plain(value) and (type(now) is not type(value) or now != value):
            check_notes([Note(name, module, vars(module), {**vars(module), key: value})], user)
    check_notes(_otherwise(name, written, vars(module)), user)


def _otherwise(name: str, written: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Note]:
    """What stands in a module, or in its classes, for functions that are made of other code than its text says."""
    for key, value in list(now.items()):
        meant = written.get(key)
        if [*map(_made_of, functions_in(value))] != [*map(_made_of, functions_in(meant))]:
            yield Note(name, None, now, {**now, key: meant})
        elif isinstance(value, type) and isinstance(meant, type) and value.__module__ == meant.__module__ == name:
            yield from _otherwise(f"{name}.{key}", vars(meant), vars(value))


def _made_of(function: FunctionType) -> tuple[Any, ...]:
    """The code of a function, and its default values as far as they are plain."""
    return function.__code__, *(v for v in (function.__defaults__, function.__kwdefaults__) if _is_plain(v))


def _executed(name: str, module: ModuleType) -> dict[str, Any]:
    """What the text of a module makes; nothing where it cannot be executed once more."""
    body, fresh = body_of(module), ModuleType(name)
    vars(fresh).update({key: vars(module).get(key) for key in ("__file__", "__package__", "__spec__", "__loader__")})
    with contextlib.suppress(Exception):
        exec(body or "", vars(fresh))
        return vars(fresh)
    return {}


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, a text or the like, or holds nothing else."""
    if type(value) is dict:
        return all(map(_is_plain, [*value, *value.values()]))
    return type(value) in _TOLD or (type(value) in _HOLDING and all(map(_is_plain, value)))


def _relied_on() -> Iterator[Place]:
    """The functions in Python that are in the modules by which a spec is examined."""
    for name in RELIED_ON:
        for key, value in list(vars(sys.modules.get(name, sys)).items()):
            if type(value) is FunctionType:
                yield f"{name}.{key}", value, REPLACED


def _of_ours(name: str, module: ModuleType, files: Collection[str]) -> Iterator[Place]:
    """What a module of the checker holds, and what its classes hold, unless it is clearly not from these files."""
    for key, value in list(vars(module).items()):
        if _may_be_of(files, value):
            yield f"{name}.{key}", value, PATCHED
        elif isinstance(value, type) and value.__module__ == name:
            for attribute, held in list(vars(value).items()):
                if _may_be_of(files, held):
                    yield f"{name}.{key}.{attribute}", held, PATCHED


def _may_be_of(files: Collection[str], value: Any) -> bool:
    kind = type(value)
    if kind is FunctionType:
        return value.__code__.co_filename in files
    if kind in _PLAIN:
        return False
    return not (isinstance(value, type) and package_class(value))
