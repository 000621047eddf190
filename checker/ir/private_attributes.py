"""Attributes of ours that a spec must not see: symbols have them, and the values that they stand for do not.

Nobody writes `self.n._term` by accident, and methods of a spec may have any of these names. So only where such a name
is mentioned, or a name is computed, does asking for one look who asks; elsewhere it costs nothing. Where names are
computed for getattr(...) alone, it is getattr that looks.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..border import Outside
from ..border.policy import UNLIKE
from ..errors import EverystateError, is_ours, user_place
from ..language.methods import Bound
from ..language.record import Record
from ..language.spec import Spec
from .collection import View, Walk
from .maps import Lazily
from .symbols import Member, Symbol

_FIELDS: dict[type, str] = {
    Symbol: "_term _tracer _members",
    View: "_domain _place _tracer",
    Walk: "_items _view _plain _taken",
    Lazily: "_map _read _plain",
    Record: "_binding",
    Spec: "_frame _declared _variables _constants",
    Bound: "_method",
}

_SYMBOLS = (Symbol, View, Walk, Lazily)


def _names(cls: type, fields: str) -> frozenset[str]:
    """The fields of a class, and the methods of it and of those that derive from it, as far as these are ours."""
    ours = () if cls in (Record, Spec) else (cls, *_below(cls))
    return frozenset(fields.split()).union(*map(_private, ours))


@functools.lru_cache(maxsize=1024)
def _private(cls: type) -> frozenset[str]:
    return frozenset(name for name in vars(cls) if name.startswith("_") and not name.startswith("__"))


def _below(cls: type) -> Iterator[type]:
    """Those that derive from a class; what is made for each enum of a spec has special methods only."""
    below: list[type] = cls.__subclasses__()
    for one in below:
        yield one
        if one is not Member:
            yield from _below(one)


@contextlib.contextmanager
def guarded(outside: Outside) -> Iterator[None]:
    """In the body E230 for a spec that asks for one of these attributes."""
    names = {cls: _names(cls, fields) for cls, fields in _FIELDS.items()}
    if outside.any_name:
        names |= {cls: names[cls] | UNLIKE for cls in _SYMBOLS}
    asked = [cls for cls in names if outside.any_hidden or not names[cls].isdisjoint(outside.names)]
    functions = (getattr, hasattr, setattr, delattr) if outside.any_name and not outside.any_hidden else ()
    for cls in asked:
        cls.__getattribute__ = _looking(names[cls])  # type: ignore[method-assign, assignment]
    for function in functions:
        setattr(builtins, function.__name__, _asking(function, frozenset().union(*names.values())))
    try:
        yield
    finally:
        for function in functions:
            setattr(builtins, function.__name__, function)
        for cls in asked:
            del cls.__getattribute__


def _looking(names: frozenset[str]) -> Callable[[Any, str], Any]:
    def get(self: Any, name: str) -> Any:
        if name in names and not is_ours(sys._getframe(1).f_code.co_filename):
            raise _ours(name)
        return object.__getattribute__(self, name)

    return get


def _asking(function: Callable[..., Any], names: frozenset[str]) -> Callable[..., Any]:
    """getattr and its like for as long as a spec is traced that computes names."""

    def refused(value: Any, name: str) -> bool:
        return name in names and (name not in UNLIKE or issubclass(type(value), _SYMBOLS))

    @functools.wraps(function)
    def ask(value: Any, name: Any, *rest: Any) -> Any:
        if type(name) is str and name not in names:
            return function(value, name, *rest)
        asked = isinstance(name, str) and refused(value, str.__str__(name))
        if asked and not is_ours(sys._getframe(1).f_code.co_filename):
            raise _ours(name)
        return function(value, name, *rest)

    return ask


def _ours(name: str) -> EverystateError:
    reason, remedy = "it belongs to how a spec is executed", "use the values themselves"
    return EverystateError("E230", user_place(), expression=f".{name}", reason=reason, remedy=remedy)
