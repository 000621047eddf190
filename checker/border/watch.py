"""What really runs while symbols are at work: every function of Python is examined before its first line is.

`reach` finds by names what a spec can execute before anything is executed. Python has more ways to a function than
names: properties, descriptors, class patterns, format strings, functions kept in objects of libraries. A watch sees
each function that begins, however it was come by, and examines those that no name led to. It costs as much again as
tracing, so it is kept only over specs whose modules have something to hide (`unexamined`).
"""

from __future__ import annotations

import functools
import importlib.machinery
import os
import sys
import types
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, ModuleType
from typing import Any

from ..errors import is_ours
from . import bytecode
from .bytecode import of_library
from .policy import COMPUTING, TRUSTED
from .reach import Reach


class Watch:
    """Calls `met` with the frame of each function that begins for the first time.

    An explorer turns it off where a run repeats what an earlier one has done: nothing new begins there.
    """

    def __init__(self, met: Callable[[FrameType], None] | None) -> None:
        self._met = met
        self._known: dict[int, CodeType] = {}
        self._profiler: Any = None
        self.on = False

    def __enter__(self) -> Watch:
        self.turn(True)
        return self

    def __exit__(self, *_: object) -> None:
        self.turn(False)

    def turn(self, on: bool) -> None:
        """Watch from here on, or do not; a watch without `met` is never on."""
        if on is self.on or self._met is None:
            return
        self.on = on
        if on:
            profiler = sys.getprofile()
            self._profiler = profiler if callable(profiler) else None  # one in C cannot be set again
        sys.setprofile(self._profile if on else self._profiler)

    def _profile(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and id(frame.f_code) not in self._known:
            assert self._met is not None, "a watch without it is never on"
            self._known[id(frame.f_code)] = frame.f_code
            self._met(frame)


_QUIET = TRUSTED | COMPUTING | {"__future__"}


def unexamined(reach: Reach) -> bool:
    """Whether the modules of a spec hold functions that would be refused if something led to them, or that cannot be
    looked at."""
    modules = _modules(reach)
    if modules is None:
        return True
    others = [(code, vars(module)) for module, codes in modules for code in codes if code not in reach.codes]
    if any(bytecode.hazards(code, True, False) for code, _ in others):
        return True
    beside = reach.copy()
    return any(beside.examine(code, names) for code, names in others)


def _modules(reach: Reach) -> list[tuple[ModuleType, list[CodeType]]] | None:
    """The modules of who wrote a spec, with the functions in them.

    None where one cannot be read, or has something to do with libraries that nobody has read.
    """
    files = {code.co_filename for code in reach.codes}
    todo: list[Any] = [m for m in list(sys.modules.values()) if getattr(m, "__file__", None) in files]
    found: dict[str, tuple[ModuleType, list[CodeType]]] = {}
    while todo:
        module = todo.pop()
        path = getattr(module, "__file__", None) or ""
        if module.__name__ in found or module.__name__ in _QUIET or is_ours(path):
            continue
        codes = None if of_library(path) else _written_in(module, path)
        if codes is None:
            return None
        found[module.__name__] = (module, codes)
        for name, value in list(vars(module).items()):
            home = value if isinstance(value, ModuleType) else sys.modules.get(str(getattr(value, "__module__", "")))
            if home is not None and not name.startswith("__"):
                todo.append(home)
    return list(found.values())


def _written_in(module: ModuleType, path: str) -> list[CodeType] | None:
    """The functions in the source of a module; None where there is no source of it."""
    loader = getattr(module.__spec__, "loader", None)
    name = loader.name if isinstance(loader, importlib.machinery.SourceFileLoader) else None
    try:
        return _read(path, name, os.stat(path).st_mtime_ns)
    except (OSError, ImportError, SyntaxError, ValueError):
        return None


@functools.lru_cache(maxsize=256)
def _read(path: str, name: str | None, _: int) -> list[CodeType]:
    """The same of a file of some age, with what Python has compiled and kept of it where there is a name for that."""
    if name is not None:
        return list(_functions(importlib.machinery.SourceFileLoader(name, path).get_code(name)))
    with open(path, "rb") as source:
        return list(_functions(compile(source.read(), path, "exec", dont_inherit=True)))


def _functions(code: CodeType | None) -> Iterator[CodeType]:
    """The functions, lambdas and comprehensions in a code object; what stands in a class runs when it is made."""
    for inner in code.co_consts if code is not None else ():
        if isinstance(inner, types.CodeType):
            if inner.co_flags & 0x1:  # CO_OPTIMIZED: with variables of its own
                yield inner
            yield from _functions(inner)
