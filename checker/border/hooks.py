"""What an author has put where Python, or this checker, calls it unasked: a function for each line, another `all`,
another method of the checker's own classes, a thread.

No name in a spec leads there, and it could give variables of a traced function other values, or us other answers.
"""

from __future__ import annotations

import builtins
import gc
import linecache
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping
from time import monotonic, sleep
from types import CodeType, ModuleType
from typing import Any

from ..frontend.unguarded import LIFTING
from ..errors import EverystateError, Where, describe, file_of, in_a_line, is_ours
from ..language.declarations import class_place
from ..language.integrity import LOADED, Borrowed, Notes, changed
from ..language.methods import function_of
from . import bytecode
from .ownership import module_file, package_module
from .reach import Reach
from .sources import written_in

_CALLED = ("what Python calls by itself may change what a function holds", "leave it to debuggers, and remove it here")
REPLACED = ("everybody in this process gets it in place of Python's own", "give it another name, in your own module")

PATCHED = ("it takes the place of what Everystate itself is made of", "give it another name, in your own module")
_CLAIMED = ("by it Python and Everystate know which module this is", "leave it as Python sets it")
_TIMERS = ("SIGALRM", "SIGVTALRM", "SIGPROF")
_DEEP = sys.getrecursionlimit()
"""Calls that were allowed before a target was loaded."""
PATIENCE = 2.0
"""Seconds that a thread beside a check may take until it checks as well, or ends."""
Place = tuple[str, Any, tuple[str, str]]


class _Examined(set[str]):
    """The files of the spec that was examined last."""


_EXAMINED = _Examined()


def check(reach: Reach, modules: Iterable[ModuleType]) -> None:
    """E232 for what the modules of a spec, and those that they import, have put among the builtins, or where Python
    calls it."""
    found = {code.co_filename for code in reach.codes}
    files = {path for path in found if not (bytecode.of_library(path) or is_ours(path))} | _files(modules)
    _EXAMINED.clear()
    _EXAMINED.update(files)
    check_again()
    _check_threads(files)


def check_again() -> None:
    """The same of the spec that was examined last, but for threads: a text for readers may have put it there."""
    check_places(_places(), _EXAMINED)


def check_replaced(module: ModuleType | None, notes: Notes, builtin: Mapping[str, Any] | None = None) -> None:
    """E232 where a module of the user has put anything in the place of what our own modules held, as the notes tell.

    So it is where it has done so to the builtins. These are put back first: no error can be told without them.
    """
    if LIFTING or package_module(module):
        return
    before = dict(builtin or {})
    now = {name: vars(builtins).get(name) for name in before}
    vars(builtins).update(before)
    others = [name for name in before if now[name] is not before[name]]
    if others:
        check_places(((f"builtins.{name}", now[name], REPLACED) for name in others), beside(module))
    vars(builtins).update(now)
    check_notes(notes, module)


def check_loaded() -> None:
    """E232 where a target has put anything in the place of what our own modules held, after it was loaded: what is
    executed for a reader only, as the text of narrate(...), nobody has examined."""
    if not LIFTING and not package_module(LOADED.module):
        check_notes(LOADED.notes, LOADED.module)
        check_again()


def of_target(error: BaseException) -> EverystateError | None:
    """E146 for what the code of a target has raised where it was asked by us; None for whatever is our own mistake."""
    if isinstance(error, RecursionError) and sys.getrecursionlimit() < _DEEP:
        return EverystateError("E146", None, error=in_a_line(error))
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if frame.filename not in {file_of(LOADED.module), *beside(LOADED.module)} - {""}:
        return None
    return EverystateError("E146", describe(frame.filename, frame.lineno or 0, frame.name), error=in_a_line(error))


def check_claims(module: ModuleType, before: Mapping[str, Any]) -> None:
    """E232 where the body of a module of the user has given it another name or file: by these we know whose it is."""
    for name, value in before.items():
        if vars(module).get(name) != value:
            where = _mention(rf"\b{name}\b", {before["__file__"]})
            raise EverystateError("E232", where, expression=name, reason=_CLAIMED[0], remedy=_CLAIMED[1])


def check_notes(notes: Notes, module: ModuleType | None) -> None:
    """E232 where anything that was noted stands no longer there, or holds something else; told of the files of the user
    beside a module."""
    for note in changed(notes):
        for name in note.replaced():
            why = REPLACED if isinstance(note, Borrowed) else PATCHED
            where = _mention(rf"[.'\"]{re.escape(name)}\b", beside(module))
            raise EverystateError("E232", where, expression=f"{note.name}.{name}", reason=why[0], remedy=why[1])


def beside(module: ModuleType | None) -> set[str]:
    """The files of the user that were imported from the folder of a module, or from below it; none for one of ours.

    A program on standard input, `<stdin>`, lies where it is executed.
    """
    path = file_of(module)
    if not path or package_module(module):
        return set()
    folder = os.path.dirname(os.path.abspath(path)) + os.sep
    known = [(m, file_of(m)) for m in list(sys.modules.values()) if not package_module(m)]
    near = [(m, file) for m, file in known if file == path or file.startswith(folder)]
    return _files(m for m, file in near if "site-packages" not in file.removeprefix(folder))


def _files(modules: Iterable[ModuleType]) -> set[str]:
    """The files of modules, and those that their code names, which are others where only bytecode is left."""
    return {file for module in modules for file in (file_of(module), written_in(module))}


def _mention(pattern: str, files: Collection[str]) -> Where | None:
    """The first line of the files that names what was replaced."""
    word = re.compile(pattern)
    for file in sorted(files):
        for number, line in enumerate(linecache.getlines(file), 1):
            if word.search(line):
                return describe(file, number, "<module>")
    return None


def check_places(places: Iterable[Place], files: Collection[str]) -> None:
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
    for function in _monitoring():
        yield "sys.monitoring", function, _CALLED
    for function in gc.callbacks:
        yield "gc.callbacks", function, _CALLED
    for name in _TIMERS:
        if hasattr(signal, name):
            yield f"signal.{name}", signal.getsignal(getattr(signal, name)), _CALLED
    for name, value in list(vars(builtins).items()):
        yield f"builtins.{name}", value, REPLACED


def _monitoring() -> Iterator[Any]:
    """What `sys.monitoring` calls, which it tells to whoever puts another function there; Python 3.11 has none."""
    monitoring: Any = getattr(sys, "monitoring", None)
    for tool in range(_TOOLS) if monitoring is not None else ():
        if monitoring.get_tool(tool) is not None:
            for event in _events(vars(monitoring.events)):
                found = monitoring.register_callback(tool, event, None)
                monitoring.register_callback(tool, event, found)
                yield found


_TOOLS = 6


def _events(named: Mapping[str, Any]) -> list[int]:
    """All events, each by itself; in Python 3.14 one of them stands for two others."""
    events = {name: event for name, event in named.items() if type(event) is int and event}
    return [event for name, event in events.items() if name != "BRANCH" or "BRANCH_LEFT" not in events]


def _check_threads(files: Collection[str]) -> None:
    """E232 for a thread of these files that goes on beside this one.

    Programs check in several threads: one that is about to begin with it, or has done so and is about to end, looks
    like any other, so a thread has a while to do either.
    """
    until = monotonic() + PATIENCE
    while True:
        try:
            return check_places((place for thread in threading.enumerate() for place in _called_by(thread)), files)
        except EverystateError:
            if monotonic() > until:
                raise
        sleep(0.01)


def _called_by(thread: threading.Thread) -> Iterator[Place]:
    """What a thread executes, unless that is a check, or a wait for one."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None and not is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        for name in ("_target", "function", "run"):
            yield f"the thread {thread.name}", getattr(thread, name, None), _CALLED
