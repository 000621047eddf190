"""What an author has put where Python, or this checker, calls it unasked: a function for each line, another `all`,
another method of the checker's own classes, a thread.

No name in a spec leads there, and it could give variables of a traced function other values, or us other answers.
"""

from __future__ import annotations

import builtins
import gc
import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any

from ..errors import EverystateError, Where, is_ours
from ..language.declarations import class_place
from ..language.methods import function_of
from . import bytecode
from .ownership import module_file
from .reach import Reach

_CALLED = ("what Python calls by itself may change what a function holds", "leave it to debuggers, and remove it here")
_REPLACED = ("everybody in this process gets it in place of Python's own", "give it another name, in your own module")

_PATCHED = ("it takes the place of what Everystate itself is made of", "give it another name, in your own module")
_CHECKER = __name__.partition(".border")[0]
_TIMERS = ("SIGALRM", "SIGVTALRM", "SIGPROF")
Place = tuple[str, Any, tuple[str, str]]


def check(reach: Reach) -> None:
    """E232 for what the modules of a spec have put among the builtins, or where Python calls it."""
    files = {code.co_filename for code in reach.codes}
    _check(_places(), {path for path in files if not (bytecode.of_library(path) or is_ours(path))})


def check_replaced(files: Collection[str], builtin: Mapping[str, Any] | None = None) -> None:
    """E232 where files have put a function or class of theirs in the place of one of the checker's, or of the builtins.

    Given the builtins as they were, these are put back first: no error can be told without them. What is replaced by
    anything else, as in `marks.INVARIANT = "action"`, is not seen.
    """
    before = dict(builtin or {})
    now = {name: vars(builtins).get(name) for name in before}
    vars(builtins).update(before)
    _check(((f"builtins.{name}", now[name], _REPLACED) for name in before if now[name] is not before[name]), files)
    vars(builtins).update(now)
    for name, module in list(sys.modules.items()):
        if name == _CHECKER or name.startswith(f"{_CHECKER}."):
            _check(_of_ours(name, module), files)


def _check(places: Iterable[Place], files: Collection[str]) -> None:
    for name, value, why in places:
        code, cls = getattr(function_of(value), "__code__", None), value if isinstance(value, type) else type(value)
        if isinstance(code, CodeType) and code.co_filename in files:
            where: Where | None = bytecode.place(code, code.co_firstlineno)
        elif not isinstance(code, CodeType) and module_file(cls) in files:
            where = class_place(cls)
        else:
            continue
        raise EverystateError("E232", where, expression=name, reason=why[0], remedy=why[1])


def _places() -> Iterator[Place]:
    yield "sys.settrace", sys.gettrace(), _CALLED
    yield "sys.setprofile", sys.getprofile(), _CALLED
    for function in gc.callbacks:
        yield "gc.callbacks", function, _CALLED
    for name in _TIMERS:
        if hasattr(signal, name):
            yield f"signal.{name}", signal.getsignal(getattr(signal, name)), _CALLED
    for thread in threading.enumerate():
        yield from _called_by(thread)
    for name, value in list(vars(builtins).items()):
        yield f"builtins.{name}", value, _REPLACED


def _called_by(thread: threading.Thread) -> Iterator[Place]:
    """What a thread executes, unless that is a check, or a wait for one."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None and not is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        for name in ("_target", "function", "run"):
            yield f"the thread {thread.name}", getattr(thread, name, None), _CALLED


def _of_ours(name: str, module: ModuleType) -> Iterator[Place]:
    """What a module of the checker holds, and what its classes hold."""
    for key, value in list(vars(module).items()):
        yield f"{name}.{key}", value, _PATCHED
        if isinstance(value, type) and value.__module__ == name:
            for attribute, held in list(vars(value).items()):
                yield f"{name}.{key}.{attribute}", held, _PATCHED
