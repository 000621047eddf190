"""What code that makes a spec asks of its environment, so that the spec is made again in another one.

Names tell who takes an answer (`answers`), but not wherever Python may carry one: through a decorator, a generator, a
descriptor, a thread; nor who is asked where a name is computed, or a library asks for the author. This module only says
where something is asked, or may be, and by which texts; whoever is told of a place makes the spec again where no
variables are set, and where others are, and compares (`checker/ir/reproducibility.py`). What was compared with the
first of these is the same in all environments in which it is not refused.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from ..errors import Where, file_of
from ..language.spec import Spec
from . import bytecode
from .imports import below, names_in
from .questions import LOADS, Names, questions
from .sources import all_codes, body_of, body_or_empty, is_function, is_module
from .takers import ATTRIBUTES, Takers

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
_QUIET = {"apport_python_hook", "everystate", "hypothesis", "numpy", "pytest"}
"""Libraries that tell a spec nothing of what they read."""
_FIRST = ("sitecustomize", "usercustomize")
"""Modules that Python imports when it starts: what they leave in others is there for every spec."""
_PRECEDENCE = "enabled and __import__('_distutils_hack').add_shim();"
_COVERAGE = r"""import os\n\nif os.getenv("COVERAGE_PROCESS_START") or os.getenv("COVERAGE_PROCESS_CONFIG"):\n try:\n"""
_COVERAGE += r"""  import coverage\n except:\n  pass\n else:\n  coverage.process_startup(slug="pth")"""
_KNOWN = {
    *(
        f"import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, {by!r}) == 'local'; {_PRECEDENCE}"
        for by in ("local", "stdlib")
    ),
    "import _virtualenv",
    "import coverage; coverage.process_startup()",
    f"import sys; exec('{_COVERAGE}')",
    rf"import sys; exec('\n\n\n\n\n\n{_COVERAGE}\n')",
}
_FINDER = re.compile(r"import (__editable___\w+_finder); \1\.install\(\)")
"""Lines of `.pth` files, which Python executes when it starts, that many environments have: what they read is told no
spec. They are compared whole."""
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
    executed = _executed_lines(tuple(sys.path))
    first, lines = _first(executed.values()), [code for line, code in executed.items() if not _known(line)]
    if not (takers.asking or first or lines or any(map(_may_reach, takers.modules))):
        return None
    making = ((code, line) for code, names in takers.making for line in _lines(code, names or {}, BY_LIBRARIES))
    loading = (
        (code, line)
        for code, names in [*_loading([*takers.modules, *first]), *((code, dict[str, Any]()) for code in lines)]
        for line in _lines(code, names, BY_LIBRARIES | BY_ANY_NAME)
    )
    asking = ((code, line) for code, line in itertools.chain(making, loading) if line not in _as_a_program(code))
    place = next((bytecode.place(code, line) for code, line in asking), None)
    bodies = [*filter(None, map(body_of, [*takers.modules, *first])), *lines]
    return None if place is None else Asked(place, frozenset(_texts(bodies)))


def _first(lines: Iterable[CodeType]) -> list[ModuleType]:
    """The modules of `_FIRST`, and those of an author's that they or some lines import."""
    first = [module for module in map(sys.modules.get, _FIRST) if module is not None]
    codes = (inner for code in (*lines, *map(body_or_empty, first)) for inner in all_codes(code))
    named = (sys.modules.get(name) for code in codes for name in names_in(code))
    return [*first, *below([module for module in named if module is not None and is_module(module)])]


@functools.cache
def _executed_lines(folders: tuple[str, ...]) -> Mapping[str, CodeType]:
    """The lines of `.pth` files in some folders of the path that Python has executed when it started."""
    found = dict[str, CodeType]()
    for path in (path for folder in folders for path in sorted(Path(folder or os.curdir).glob("*.pth"))):
        with suppress(OSError, UnicodeDecodeError):
            for number, line in enumerate(path.read_text("utf-8-sig").splitlines()):
                if line.startswith(("import ", "import\t")):
                    with suppress(SyntaxError, ValueError):
                        found.setdefault(line.strip(), compile("\n" * number + line, str(path), "exec"))
    return found


def _known(line: str) -> bool:
    return line in _KNOWN or _FINDER.fullmatch(line) is not None


def _may_reach(module: ModuleType) -> bool:
    """Whether a module names what `_lines` looks for; to read its instructions takes much longer."""
    codes = [*all_codes(body_or_empty(module))]
    named = any(not (BY_LIBRARIES | BY_ANY_NAME).isdisjoint(code.co_names) for code in codes)
    return named or any(_may_answer(name) for code in codes for name in names_in(code))


def _lines(code: CodeType, names: Names, words: Set[str]) -> Iterator[int]:
    """Where a code object asks somebody, or names what may."""
    yield from (question.line for question in questions(code, names))
    answering = {name for name in names_in(code) if _may_answer(name)}
    if words.isdisjoint(code.co_names) and not answering:
        return
    line, before = code.co_firstlineno, None
    for step in bytecode.steps_of(code):
        line, word = bytecode.line_at(step) or line, step.argval
        importing = step.opname == "IMPORT_NAME"
        listing = importing and before is not None and word in words  # a module whose own name stands nowhere else
        if listing or (importing and word in answering) or (step.opname in _NAMING and word in words):
            yield line
        before = word


def _may_answer(name: str) -> bool:
    """Whether an import gives an installed library, which may read variables for the author, or something else in the
    place of a module: nobody knows where the body is that has put it there."""
    found, top = sys.modules.get(name), name.partition(".")[0]
    if found is None or not is_module(found):
        return found is not None
    return top not in sys.stdlib_module_names | _QUIET and bytecode.of_library(file_of(found))


def bare(variables: Mapping[str, str]) -> World:
    """One in which an author finds nothing set, and what he imports only that by which Python starts and finds it."""
    left = {n: value for n, value in variables.items() if n in _SYSTEM | _FINDING or n.startswith(_OURS[1:])}
    return World(left, frozenset({*left, "PYTHONHASHSEED"}), None, os.path.abspath(os.sep))


def other(asked: Asked, variables: Mapping[str, str]) -> World:
    """One in which what may be asked for is set where it is not, and not set where it is."""
    left = {name: value for name, value in variables.items() if name not in asked.names}
    more = dict.fromkeys(asked.names - variables.keys(), "1")
    return World({**left, **more}, frozenset({*variables, "PYTHONHASHSEED"}), "1")


def _loading(modules: Iterable[ModuleType]) -> Iterator[tuple[CodeType, Names]]:
    """The code that may be executed when modules are loaded: bodies, functions that have a name that stands there, or
    one by which Python calls them, and methods of whatever is no spec: who has an object calls them."""
    todo = [(body_or_empty(module), module) for module in modules]
    asleep, named = list[tuple[CodeType, ModuleType]](), set[str]()
    while todo:
        code, module = todo.pop()
        yield code, vars(module)
        for inner in (const for const in code.co_consts if isinstance(const, CodeType)):
            waits = is_function(inner) and not inner.co_name.startswith(("<", "__")) and _waits(code, module)
            (asleep if waits else todo).append((inner, module))
        apart = _as_a_program(code)
        loads = (step for step in bytecode.steps_of(code) if step.opname.startswith(("LOAD", "IMPORT_FROM")))
        named |= {str(step.argval) for step in loads if bytecode.line_at(step) not in apart}
        todo += [(function, home) for function, home in asleep if function.co_name in named]
        asleep = [(function, home) for function, home in asleep if function.co_name not in named]


def _waits(code: CodeType, module: ModuleType) -> bool:
    """Whether nobody calls the functions in a body unless he names them: those of a module, and methods of a spec."""
    if is_function(code):
        return False
    found: Any = module
    for part in code.co_qualname.split(".") if code.co_name != "<module>" else ():
        found = getattr(found, part, None)
    return code.co_name == "<module>" or (isinstance(found, type) and issubclass(found, Spec))


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


def _texts(bodies: Iterable[CodeType]) -> Iterator[str]:
    for code in (code for body in bodies for code in all_codes(body)):
        for text in code.co_consts:
            if isinstance(text, str) and _NAME.fullmatch(text) and not text.startswith(_OURS) and text not in _SYSTEM:
                yield text
