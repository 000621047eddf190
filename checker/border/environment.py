"""What code that makes a spec asks of its environment, so that the spec is made again in another one.

Names tell who takes an answer (`answers`), but not wherever Python may carry one: through a decorator, a generator, a
descriptor, a thread; nor who is asked where a name is computed, or a library asks for the author. This module only says
where something is asked, or may be, and by which texts; whoever is told of a place makes the spec again where no
variables are set, and where others are, and compares (`checker/ir/reproducibility.py`). What was compared with the
first of these is the same in all environments in which it is not refused.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from types import CodeType, ModuleType

from ..errors import Where
from . import bytecode
from .questions import LOADS, Names, questions
from .sources import all_codes, body_of, body_or_empty, is_function
from .takers import ATTRIBUTES, Code, Takers

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_OURS = ("PYTHON", "EVERYSTATE", "LD_", "DYLD_")
"""Variables by which Python itself starts, and its libraries are found, begin so."""
_SYSTEM = {"PATH", "SYSTEMROOT", "VIRTUAL_ENV"}
_FINDING = {"PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONSAFEPATH"}
"""Those of Python's that say where something lies; the others say how it behaves."""
_LIBRARIES = "getcwd getcwdb cwd home expanduser which get_exec_path tempfile gettext webbrowser getproxies setlocale"
_LIBRARIES += " getproxies_environment fromtimestamp astimezone flags warnoptions _xoptions getrecursionlimit modules"
_LIBRARIES += " getfilesystemencoding _getframe currentframe"
BY_LIBRARIES = frozenset(_LIBRARIES.split())
"""By these names a library, or Python itself, is asked for what it was told by the environment."""
_WAYS = "vars getattr __dict__ attrgetter methodcaller exec eval compile import_module __import__ run_path run_module"
BY_ANY_NAME = frozenset(f"{_WAYS} exec_module load_module ctypes cffi pickle marshal".split())
"""By these, somebody is asked whose name stands nowhere."""
_NAMING = (*LOADS, *ATTRIBUTES, "IMPORT_FROM")


@dataclass(frozen=True)
class Asked:
    """Where something is asked first, and the texts beside it that may be names of variables."""

    place: Where
    names: frozenset[str]


@dataclass(frozen=True)
class World:
    """An environment to make a spec in: its variables, those that an author does not find there, what he finds for any
    other name, and the folder."""

    variables: Mapping[str, str]
    unset: frozenset[str] = frozenset()
    default: str | None = None
    folder: str | None = None


def asked(takers: Takers) -> Asked | None:
    """What is asked by code that makes a spec, or may when its modules are loaded; None where nothing is."""
    loaded = (found for module in takers.modules if takers.asking or _may_reach(module) for found in _loading(module))
    making = ((code, line) for code, names in takers.making for line in _lines(code, names or {}, BY_LIBRARIES))
    loading = ((code, line) for code, names in loaded for line in _lines(code, names or {}, BY_LIBRARIES | BY_ANY_NAME))
    asking = ((code, line) for code, line in itertools.chain(making, loading) if line not in _as_a_program(code))
    place = next((bytecode.place(code, line) for code, line in asking), None)
    return None if place is None else Asked(place, frozenset(_texts(takers)))


def _may_reach(module: ModuleType) -> bool:
    """Whether a module names what `_lines` looks for; to read its instructions takes much longer."""
    return any(not (BY_LIBRARIES | BY_ANY_NAME).isdisjoint(code.co_names) for code in all_codes(body_or_empty(module)))


def _lines(code: CodeType, names: Names, words: Set[str]) -> Iterator[int]:
    """Where a code object asks somebody, or names what may."""
    yield from (question.line for question in questions(code, names))
    if words.isdisjoint(code.co_names):
        return
    line, before = code.co_firstlineno, None
    for step in bytecode.steps_of(code):
        line = bytecode.line_at(step) or line
        listing = step.opname == "IMPORT_NAME" and before is not None  # a module whose own name stands nowhere else
        if isinstance(step.argval, str) and (listing or step.opname in _NAMING) and step.argval in words:
            yield line
        before = step.argval


def bare(variables: Mapping[str, str]) -> World:
    """One in which an author finds nothing set, and what he imports only that by which Python starts and finds it."""
    left = {n: value for n, value in variables.items() if n in _SYSTEM | _FINDING or n.startswith(_OURS[1:])}
    return World(left, frozenset({*left, "PYTHONHASHSEED"}), None, os.path.abspath(os.sep))


def other(asked: Asked, variables: Mapping[str, str]) -> World:
    """One in which what may be asked for is set where it is not, and not set where it is."""
    left = {name: value for name, value in variables.items() if name not in asked.names}
    more = dict.fromkeys(asked.names - variables.keys(), "1")
    return World({**left, **more}, frozenset({*variables, "PYTHONHASHSEED"}), "1")


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
