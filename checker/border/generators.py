"""Generator expressions: all_of(a[i] or b[i] for i in range(3)) is a predicate and what it ranges over.

Python hands over an iterator, which can be read once only. The function that makes it is still known, and can be called
again for one element, as often as that has paths.
"""

from __future__ import annotations

import gc
import inspect
from functools import lru_cache
from types import CodeType, FunctionType, GeneratorType
from typing import Any

from . import bytecode


def maker(items: Any) -> FunctionType | None:
    """The function that makes a generator expression, given what it ranges over.

    None for anything else, for one that has begun, and for one that assigns outer variables (:=).
    """
    if type(items) is not GeneratorType or items.gi_code.co_name != "<genexpr>" or _assigns(items.gi_code):
        return None
    if inspect.getgeneratorstate(items) != inspect.GEN_CREATED:
        return None
    held = (part for part in gc.get_referents(items) if type(part) is FunctionType)
    return next((made for made in held if made.__code__ is items.gi_code), None)


def ranged_over(items: GeneratorType[Any, Any, Any]) -> Any:
    """What the outermost loop of a generator expression ranges over."""
    return items.gi_frame.f_locals[".0"]  # type: ignore[union-attr]


@lru_cache(maxsize=1024)
def _assigns(code: CodeType) -> bool:
    stored = (s.argval for s in bytecode.steps_of(code) if s.opname in ("STORE_DEREF", "STORE_GLOBAL"))
    return any(name in code.co_freevars or name in code.co_names for name in stored)
