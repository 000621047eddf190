"""What the modules of a spec held before one was made: whoever makes a spec, or tells of one, leaves that to the next.

Commands and programs make many specs of one file, one for each variant of a matrix or choice of constants. Each must
be what it is where it is made alone: what `variables()`, an assumption or a text for readers changes outside of the
spec, and what an action or a property reads, would be another thing for those that are made later.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..language.spec import Spec
from .findings import Origin, any_code
from .heap import Heap, Held
from .ownership import is_a, module_of, package_module
from .reach import Reach

_REMEMBERED = {"_inverted_"}
"""What members of enum.Flag remember of themselves."""
_UNNAMED = (types.FunctionType, types.CellType)
_WHY = "it is not what it was before specs of its file were made: one that was made, or told of, has changed it"
_REMEDY = "keep in the spec what follows from its constants, self.name = ... in variables()"


@dataclass
class Before:
    """What hangs on a module of a user, whether specs that are made now must find that, and what checks have changed of
    it, which they must find as it was in any case."""

    module: types.ModuleType
    heap: Heap
    holds: bool = True
    changed: tuple[Held, ...] = ()


class _Known(dict[str, Before]):
    """Modules by their names: it fills while we work."""


_KNOWN = _Known()


def note(module: types.ModuleType | None) -> None:
    """Specs of a module will be made: from now on they must find what it holds now, or held when that began."""
    if module is None or package_module(module):
        return
    known = _known(module)
    if known is None or not (known.holds or known.heap.changed() is None):
        heap = Heap([(module.__name__, module)], frozenset())
        heap.keep(known.changed if known is not None else ())
        known = _KNOWN[module.__name__] = Before(module, heap)
    known.holds = True


@contextmanager
def noted(spec: type | None) -> Iterator[None]:
    """The same for the module of a spec that a program executes within this; outside of it, it may change the module
    itself, as tests do.

    What is changed within this stays noted as it was.
    """
    module = sys.modules.get(spec.__module__) if spec is not None else None
    known = _known(module)
    lasts = known is not None and known.holds
    note(module)
    try:
        yield
    finally:
        known = _known(module)
        if known is not None:
            known.holds, known.changed = lasts, tuple(held for held, _ in known.heap.changes())


def _known(module: types.ModuleType | None) -> Before | None:
    known = None if module is None else _KNOWN.get(module.__name__)
    return known if known is not None and known.module is module else None


def check(spec: Spec, reach: Reach) -> None:
    """E232 where what a spec can read when it is executed is no longer what was loaded."""
    known = _KNOWN.get(module_of(type(spec)))
    if known is None or not known.holds or known.heap.changed() is None:
        return
    for held, now in known.heap.changes():
        name = _read(held, now, reach)
        if name is not None:
            code = next((code for code in reach.codes if name in code.co_names), any_code(spec))
            raise Origin(code, name).error(_WHY, _REMEDY, "E232")


def _read(held: Held, now: list[Any], reach: Reach) -> str | None:
    """The name by which a spec reads what has changed in an object; None if it does not."""
    if is_a(held.place, dict) and held.place is not held.value:  # what a module, a class or an object holds by names
        return next((name for name in _changed_names(held.parts, now) if name in reach.names or reach.any_name), None)
    known = reach.data.get(id(held.value))
    if known is not None:
        return known[1].name
    if is_a(held.value, types.FunctionType) and _said(held.parts) == _said(now):
        return None
    return held.name if is_a(held.value, *_UNNAMED) and held.name in reach.names else None


def _said(parts: list[Any]) -> list[int]:
    """What a function refers to, without the dictionary of its attributes, which Python makes when it is asked for."""
    return [id(part) for part in parts if type(part) is not dict or part]


def _changed_names(before: list[Any], now: list[Any]) -> list[str]:
    """The names that stand for something else, but for modules that were loaded since, and what Python remembers."""
    was, held = dict(zip(before[::2], before[1::2], strict=True)), dict(zip(now[::2], now[1::2], strict=True))
    gone = was.keys() - held.keys()
    fresh = [n for n, v in held.items() if (n not in was and not is_a(v, types.ModuleType)) or was.get(n, v) is not v]
    return [name for name in (*gone, *fresh) if isinstance(name, str) and name not in _REMEMBERED]
