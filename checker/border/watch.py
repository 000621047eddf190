"""What really runs while symbols are at work: every function of Python is examined before its first line is.

`reach` finds by names what a spec can execute before anything is executed. Python has more ways to a function than
names: properties, descriptors, class patterns, format strings, functions kept in objects of libraries. A watch sees
each function that begins, however it was come by, and examines those that no name led to. It costs as much again as
tracing, so it is kept only over specs whose modules have something to hide (`unexamined`).
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from ..errors import file_of, is_ours, name_of
from . import bytecode
from .bytecode import of_library
from .ownership import beside, is_a
from .policy import COMPUTING, TRUSTED
from .reach import Reach
from .sources import all_codes, body_of, is_function, is_module


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


def unexamined(reach: Reach, homes: Iterable[ModuleType], met: Iterable[FunctionType] = ()) -> bool:
    """Whether the modules of a spec, to which its `homes` lead, hold functions that would be refused if something led
    there, or that cannot be looked at; so may those `met` in what they hold, which stand in no module where exec() made
    them."""
    modules = _modules(homes)
    if modules is None:
        return True
    written = {code for _, codes in modules for code in codes}
    others = [(code, vars(module)) for module, codes in modules for code in codes if code not in reach.codes]
    for function in met:
        code = function.__code__
        if code not in written and code not in reach.codes and not beside(code, function.__globals__):
            others += [(inner, function.__globals__) for inner in all_codes(code)]
    if any(bytecode.hazards(code, True, False) for code, _ in others):
        return True
    further = reach.copy()
    return any(further.examine(code, names) for code, names in others)


def _modules(homes: Iterable[ModuleType]) -> list[tuple[ModuleType, list[CodeType]]] | None:
    """The modules of who wrote a spec, from some of them on, with the functions in them.

    None where one cannot be read, or has something to do with libraries that nobody has read.
    """
    todo: list[Any] = list(homes)
    found: dict[str, tuple[ModuleType, list[CodeType]]] = {}
    while todo:
        module = todo.pop()
        path, called = file_of(module), name_of(module)
        if called in found or called in _QUIET or is_ours(path):
            continue
        body = None if of_library(path) or not is_module(module) else body_of(module)
        if body is None:
            return None
        found[called] = (module, list(_functions(body)))
        for name, value in list(vars(module).items()):
            home = value if is_a(value, ModuleType) else sys.modules.get(str(getattr(value, "__module__", "")))
            if home is not None and not name.startswith("__"):
                todo.append(home)
    return list(found.values())


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The functions, lambdas and comprehensions in a code object; what stands in a class runs when it is made."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            if is_function(inner):
                yield inner
            yield from _functions(inner)
