"""What code that makes a spec asks of its environment, so that the spec is made again in another one.

Names tell who takes an answer (`answers`), but not wherever Python may carry one: through a decorator, a generator, a
descriptor, a thread. This module only says where something is asked, and by which texts; whoever is told of a place
makes the spec again where other variables are set, and compares (`checker/ir/reproducibility.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, ModuleType

from ..errors import Where
from . import bytecode
from .questions import questions
from .sources import all_codes, body_of, is_function
from .takers import Code, Takers

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("PYTHON", "EVERYSTATE", "LD_", "DYLD_")
"""Variables by which Python itself starts, and its libraries are found, begin so."""
_SYSTEM = {"PATH", "SYSTEMROOT", "VIRTUAL_ENV"}


@dataclass(frozen=True)
class Asked:
    """Where something is asked first, and the texts beside it that may be names of variables."""

    place: Where
    names: frozenset[str]


def asked(takers: Takers) -> Asked | None:
    """What is asked by code that makes a spec, or may when its modules are loaded; None where nothing is."""
    if not takers.asking:
        return None
    codes = [*takers.making, *(found for module in takers.modules for found in _loading(module))]
    found = (question for code, names in codes for question in questions(code, names or {}))
    first = next((question for question in found if question.line not in _as_a_program(question.code)), None)
    return None if first is None else Asked(bytecode.place(first.code, first.line), frozenset(_texts(takers)))


def other(asked: Asked, variables: Mapping[str, str]) -> dict[str, str]:
    """An environment in which those that may be asked for are set where they are not, and not set where they are."""
    found = dict(variables)
    for name in asked.names:
        if name in variables:
            del found[name]
        else:
            found[name] = "1"
    return found


def _loading(module: ModuleType) -> Iterator[Code]:
    """The code that may be executed when a module is loaded: bodies, and functions that have a name that stands there,
    or one by which Python calls them."""
    body = body_of(module)
    todo, asleep = [] if body is None else [body], list[CodeType]()
    while todo:
        code = todo.pop()
        yield code, vars(module)
        for inner in (const for const in code.co_consts if isinstance(const, CodeType)):
            waits = is_function(inner) and not inner.co_name.startswith(("<", "__"))
            (asleep if waits and not is_function(code) else todo).append(inner)
        apart = _as_a_program(code)
        loads = (step for step in bytecode.steps_of(code) if step.opname.startswith("LOAD"))
        named = {str(step.argval) for step in loads if bytecode.line_at(step) not in apart}
        todo += [function for function in asleep if function.co_name in named]
        asleep = [function for function in asleep if function.co_name not in named]


def _as_a_program(code: CodeType) -> set[int]:
    """The lines below `if __name__ == "__main__":`, which another process does not execute."""
    if "__main__" not in code.co_consts:
        return set()
    steps, found, until = bytecode.steps_of(code), set[int](), -1
    for at, step in enumerate(steps):
        asked = [str(before.argval) for before in steps[max(at - 3, 0) : at]]
        if step.opname.endswith("IF_FALSE") and asked[:2] == ["__name__", "__main__"]:
            until = int(step.argval)
        elif step.offset < until:
            found.add(bytecode.line_at(step) or 0)
    return found


def _texts(takers: Takers) -> Iterator[str]:
    bodies = filter(None, map(body_of, takers.modules))
    for code in (code for body in bodies for code in all_codes(body)):
        for text in code.co_consts:
            if isinstance(text, str) and _NAME.fullmatch(text) and not text.startswith(_OURS) and text not in _SYSTEM:
                yield text
