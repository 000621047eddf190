"""What an author has put where Python, or this checker, calls it unasked: a function for each line, another `all`.

No name in a spec leads there, and it could give variables of a traced function other values, or us other answers.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

from ..errors import EverystateError
from ..language.methods import function_of
from . import bytecode
from .reach import Reach

_CALLED = ("what Python calls by itself may change what a function holds", "leave it to debuggers, and remove it here")
_REPLACED = ("everybody in this process gets it in place of Python's own", "give it another name, in your own module")


def check(reach: Reach) -> None:
    """E232 for a trace or profile function, and for one among the builtins, that the modules of a spec have set."""
    files = {code.co_filename for code in reach.codes}
    for name, value, why in _places():
        code = getattr(function_of(value), "__code__", None)
        if isinstance(code, CodeType) and code.co_filename in files:
            where = bytecode.place(code, code.co_firstlineno)
            raise EverystateError("E232", where, expression=name, reason=why[0], remedy=why[1])


def _places() -> Iterator[tuple[str, Any, tuple[str, str]]]:
    yield "sys.settrace", sys.gettrace(), _CALLED
    yield "sys.setprofile", sys.getprofile(), _CALLED
    for name, value in list(vars(builtins).items()):
        yield f"builtins.{name}", value, _REPLACED
