"""The instructions of a code object in one vocabulary, whichever Python compiled it.

Each version of CPython has instructions that are others in one: two local names at once, a small number, an item as a
binary operation. Who reads bytecode reads it here, so that no version has an instruction that a question overlooks.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from dis import Instruction
from functools import lru_cache
from types import CodeType
from typing import Any

_RENAMED = {
    "LOAD_CLASSDEREF": "LOAD_DEREF",
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_FROM_DICT_OR_GLOBALS": "LOAD_NAME",
    "LOAD_FROM_DICT_OR_DEREF": "LOAD_DEREF",
}
"""What a version calls otherwise, by what it does to who asks."""
_PAIRS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
"""Two instructions in one, which has the place in the source of the first."""
_OTHERWISE = {*_RENAMED, *_PAIRS, "BINARY_OP", "LOAD_COMMON_CONSTANT", "LOAD_SMALL_INT"}
_NOTHING = {"CACHE", "EXTENDED_ARG", "NOP", "NOT_TAKEN", "PRECALL"}
_ENTERED: dict[str, Any] = {"label": 0} if "label" in Instruction._fields else {"is_jump_target": True}
"""What an instruction has to which a jump leads."""


@lru_cache(maxsize=1024)
def instructions(code: CodeType) -> tuple[Instruction, ...]:
    """All that do something; to read them costs more than anything that is asked about them."""
    return tuple(_read(code))


def _read(code: CodeType) -> Iterator[Instruction]:
    entered = False
    for step in dis.get_instructions(code):
        if step.opname in _NOTHING:
            entered |= step.is_jump_target  # what follows is where the jump leads
            continue
        if entered and not step.is_jump_target:
            step = step._replace(**_ENTERED)
        entered = False
        if step.opname in _OTHERWISE:
            yield from _in_words(step)
        else:
            yield step


def _in_words(step: Instruction) -> Iterator[Instruction]:
    if step.opname in _PAIRS:
        first, second = _PAIRS[step.opname]
        yield step._replace(opname=first, argval=step.argval[0])
        later: dict[str, Any] = {"opname": second, "argval": step.argval[1], "label": None}
        yield step._replace(**later) if second.startswith("STORE") else step._replace(**later, positions=None)
    elif step.opname == "LOAD_SMALL_INT":
        yield step._replace(opname="LOAD_CONST", arg=None, argrepr=repr(step.argval))  # no place among the constants
    elif step.opname == "BINARY_OP" and step.argrepr == "[]":
        yield step._replace(opname="BINARY_SUBSCR", argval=None, argrepr="")
    elif step.opname == "LOAD_COMMON_CONSTANT" and step.argrepr == "AssertionError":
        yield step._replace(opname="LOAD_ASSERTION_ERROR", argval=None, argrepr="")
    else:
        yield step._replace(opname=_RENAMED.get(step.opname, step.opname))
