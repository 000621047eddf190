"""Whether what a spec is may hang on an order that differs from one start of Python to the next.

Python goes through a plain set of texts, enum members or objects in an order that depends on PYTHONHASHSEED and on
addresses. This module only says where such an order may come from, coarsely: whoever is told of a place makes the spec
again in other processes and compares (`checker/ir/reproducibility.py`). So too many places cost time, a missing one a
verdict.
"""

from __future__ import annotations

import dis
import itertools
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ..errors import Where, is_ours, name_of
from ..language import marks
from ..language.declarations import class_place
from ..language.goals import asked_of
from ..language.methods import function_of
from ..language.spec import Spec
from . import bytecode, determinism
from .answers import kept
from .containers import parts_of
from .imports import imported, own, theirs
from .loaded import modules_from
from .ownership import package_class, user_class, vars_of
from .policy import UNORDERED
from .reach import Reach
from .settled_sets import NOWHERE, Sets, Settled, place_of
from .sources import all_codes, body_of, is_function

_MAKING = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}
_NAMES = {"set", "frozenset", "hash", "id", "repr", "reprlib", "or_", "and_", "xor", "ior", "iand", "ixor"}
_NAMES |= {"__hash__", "__or__", "__and__", "__sub__", "__xor__", "__abstractmethods__", "__protocol_attrs__"}
_NAMES |= {"sub", "isub", "stdlib_module_names"}
_TYPES = {"set", "frozenset"}
_VIEWS = {"keys", "items"}
_ON_VIEWS = {"&", "|", "^", "-", "&=", "|=", "^=", "-="}
_QUIET = {
    *("__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses", "datetime", "decimal", "enum"),
    *("fractions", "functools", "heapq", "itertools", "json", "math", "numbers", "operator", "os", "pathlib", "pytest"),
    *("random", "re", "string", "sys", "textwrap", "time", "types", "typing"),
    *("argparse", "logging", "shutil", "signal", "subprocess", "tempfile", "traceback", "warnings"),
}
"""Modules of Python's library that give no set to anybody who does not ask for one by name."""


def first(spec: Spec, reach: Reach, again: bool) -> Where | None:
    """Where such an order may come from, None where there is no such place.

    `again` says that the spec can be made in another process: then all is looked at that its modules execute. Without,
    only what it executes and what its modules keep for it, since there nothing but a remark comes of it.
    """
    if package_class(asked_of(type(spec))):
        return None  # it comes with the checker; `bench/made_again.py` compares those
    for value, origin in reach.unordered:
        if not _numbers(value):
            return bytecode.place(origin.code, bytecode.line_of(origin.code, origin.name))
    names = {cls.__module__ for cls in type(spec).__mro__}
    modules = [m for m in list(sys.modules.values()) if name_of(m) in names]
    modules += modules_from({code.co_filename for code in reach.codes})
    if again:
        return _in_modules([m for m in modules if theirs(m)], spec, reach.names)
    codes = [code for code in reach.codes if not bytecode.of_library(code.co_filename)]
    codes += [code for code, _ in determinism.functions(spec)]
    codes.sort(key=place_of)
    sets = Sets(spec)
    places = (place for code in codes for place in _places(code, sets))
    passed = _passed_on(codes)
    given = [value for found in spec.marked(marks.ACTION) for value in found.mark.parameters.values()]
    if any(isinstance(value, UNORDERED) and not _numbers(value) for value in given):
        return class_place(type(spec))
    mentioned = {*reach.names, *(name for base in type(spec).__mro__ for name in vars(base))}
    kept = (place for module in modules if theirs(module) for place in _kept(module, mentioned))
    refined = (first(refined.abstract, Reach(refined.abstract), again) for refined in spec.refinements.values())
    bodies = (body_of(module) for module in modules if theirs(module))
    executed = [*codes, *(code for body in bodies if body is not None for code in _at_once(body))]
    told = _addresses_told(codes, modules, {name for code in executed for name in _loaded(code)}, spec)
    return next(places, None) or passed or next(kept, None) or told or next((p for p in refined if p), None)


def _in_modules(todo: list[ModuleType], spec: Spec, names: Collection[str]) -> Where | None:
    """The first place in some modules and in what they import.

    Left out are functions of a module, and libraries that it imports, whose names nobody loads: neither the spec, by
    `names`, nor what is executed with a module, nor a function that one of these loads.
    """
    known, used, sets, seen = set[str](), set(names), Sets(spec), list[ModuleType]()
    mine = own()
    awake, asleep = list[tuple[ModuleType, CodeType]](), list[tuple[ModuleType, str, CodeType]]()
    codes, strange = list[CodeType](), list[tuple[str, Where]]()
    while todo or awake:
        while todo:
            module = todo.pop()
            if name_of(module) in known:
                continue
            known.add(name_of(module))
            seen.append(module)
            body = body_of(module)
            if body is None:
                return class_place(type(spec))
            functions = _only_stored(body)
            asleep += [(module, name, function) for name, function in functions]
            without = {id(code) for _, function in functions for code in all_codes(function)}
            awake += [(module, code) for code in all_codes(body) if id(code) not in without]
        while awake:
            module, code = awake.pop()
            codes.append(code)
            for place in _places(code, sets):
                return place
            used |= _loaded(code)
            for name, taken, given in _imports(code):
                others = imported(module, name, mine)
                todo += [other for other in others if theirs(other)]
                if not others or any(not theirs(other) and not _known(other) for other in others):
                    place = bytecode.place(code, bytecode.line_of(code, name))
                    if not given or is_function(code):
                        return place
                    strange += [(each, place) for each in given]
                else:
                    used.update(taken)
        every = not used.isdisjoint(_BY_TEXT)
        awake = [(m, code) for m, name, function in asleep if every or name in used for code in all_codes(function)]
        asleep = [] if every else [found for found in asleep if found[1] not in used]
    strangers = (place for name, place in strange if every or name in used)
    return next(strangers, None) or _passed_on(codes) or _addresses_told(codes, seen, used, spec)


def _addresses_told(codes: list[CodeType], modules: list[ModuleType], used: set[str], spec: Spec) -> Where | None:
    """Where a text is made, if an object may be told in it whose class says nothing but its address."""
    speaking = next((code for code in codes if _speaks(code)), None)
    if speaking is None:
        return None
    values = [(name, value) for module in modules for name, value in vars(module).items() if name in used]
    classes = {value for _, value in values if isinstance(value, type) and user_class(value)} - {*type(spec).__mro__}
    mute = "object" in used or any(map(_mute, classes)) or _functions_told(codes, values, classes)
    inner = any(is_function(code) and _MAKES_CLASSES in code.co_code[::2] for code in codes)
    return bytecode.place(speaking, speaking.co_firstlineno) if mute or inner else None


def _mute(cls: type) -> bool:
    return all(getattr(cls, name) is getattr(object, name) for name in ("__repr__", "__str__", "__format__"))


def _functions_told(codes: list[CodeType], values: list[tuple[str, Any]], classes: set[type]) -> bool:
    """Whether a function, whose text is its address, may be told: it stands somewhere and is not called at once, or is
    held by something else."""
    handed = frozenset[str]().union(*map(bytecode.as_values, codes))
    methods = {name for cls in classes for name, held in vars_of(cls).items() if type(held) in _HELD}
    plain = {name for name, value in values if type(value) in (str, bytes, *_TOLD_WHOLE)}
    if not handed.isdisjoint(methods) or any(_tells_its_own(code, plain) for code in codes):
        return True
    return any(_holds_function(value, set()) for name, value in values if name in handed or not _is_function(value))


def _is_function(value: Any) -> bool:
    """Whether a value is a function of an author's; the texts of those in C and of ours say their names."""
    return type(value) is FunctionType and not is_ours(value.__code__.co_filename)


def _holds_function(value: Any, seen: set[int]) -> bool:
    """Whether a value is such a function or method, or has one in what its text tells."""
    if id(value) in seen:
        return False
    seen.add(id(value))
    if type(value) is partial:
        return any(_holds_function(part, seen) for part in (value.func, value.args, value.keywords))
    if type(value) in _TOLD_WHOLE:
        return any(_holds_function(part, seen) for part in parts_of(value))
    bound = isinstance(getattr(value, "__self__", None), (str, bytes, *_TOLD_WHOLE))
    return _is_function(value) or type(value) is MethodType or (type(value) is BuiltinFunctionType and bound)


_HELD = (FunctionType, classmethod)
_TOLD_WHOLE = (list, tuple, dict, set, frozenset)
_METHODS = {name for cls in (str, bytes, *_TOLD_WHOLE) for name in vars(cls) if not name.startswith("__")}


def _tells_its_own(code: CodeType, plain: set[str]) -> bool:
    """Whether a code object makes a text of a function that stands in it, or hands on a method of a constant or of
    what is Python's own and has one of some names."""
    steps = [step for step in bytecode.steps_of(code) if step.opname != "SET_FUNCTION_ATTRIBUTE"]
    named, handed = set[str](), bytecode.as_values(code) & _METHODS
    for at, (step, after) in enumerate(itertools.pairwise(steps)):
        made = step.opname == "MAKE_FUNCTION"
        told = after.opname.startswith("FORMAT_") or any(s.argval in _SPEAKING for s in steps[max(at - 4, 0) : at])
        own = made or (step.opname.startswith("LOAD") and step.argval in named)
        owner = steps[at - 1]
        method = step.opname == "LOAD_ATTR" and step.argval in handed
        method = method and (owner.opname == "LOAD_CONST" or owner.argval in plain)
        if made and after.opname.startswith("STORE"):
            named.add(str(after.argval))
        elif method or (own and told):
            return True
    return False


_SPEAKING = {"str", "format", "ascii", "format_map"}


def _speaks(code: CodeType) -> bool:
    """Whether a code object makes texts of values."""
    if not _SPEAKING.isdisjoint(code.co_names):
        return True
    percent = any(isinstance(const, str) and _PERCENT.search(const) for const in code.co_consts)
    return percent or any(step.opname.startswith("FORMAT_") for step in bytecode.steps_of(code))


_MAKES_CLASSES = dis.opmap["LOAD_BUILD_CLASS"]
_PERCENT = re.compile("%[^%]*[sra]")


def _only_stored(body: CodeType) -> list[tuple[str, CodeType]]:
    """The functions of a module's body that get a name there, and no decorator."""
    steps = [step for step in bytecode.steps_of(body) if step.opname != "SET_FUNCTION_ATTRIBUTE"]
    made = ((step.argval, after) for step, _, after in zip(steps, steps[1:], steps[2:], strict=False))
    return [(after.argval, code) for code, after in made if isinstance(code, CodeType) and after.opname == "STORE_NAME"]


def _loaded(code: CodeType) -> set[str]:
    """The names that a code object loads, as variables or as attributes."""
    loads = (step for step in bytecode.steps_of(code) if step.opname.startswith("LOAD") and step.opname != "LOAD_CONST")
    return {step.argval for step in loads if isinstance(step.argval, str)}


def _imports(code: CodeType) -> Iterator[tuple[str, list[str], list[str]]]:
    """(a module that a code object imports, the names that it takes out of it, those that it gives)."""
    steps = bytecode.steps_of(code)
    for at, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            following = list(itertools.takewhile(lambda s: s.opname.startswith(_BINDING), steps[at + 1 :]))
            taken = [str(s.argval) for s in following if s.opname == "IMPORT_FROM"]
            yield str(step.argval), taken, [str(s.argval) for s in following if s.opname.startswith("STORE")]


_BINDING = ("IMPORT_FROM", "STORE", "POP_TOP", "SWAP", "COPY")
_BY_TEXT = {
    *("globals", "vars", "locals", "dir", "getattr", "attrgetter", "methodcaller", "getmembers", "modules", "eval"),
    *("exec", "import_module", "__import__", "__dict__", "__getattribute__"),
}
"""By these a function may be found whose name nobody loads."""


def _known(module: ModuleType) -> bool:
    return name_of(module).partition(".")[0] in (*_QUIET, "everystate")


def _kept(module: ModuleType, mentioned: set[str]) -> Iterator[Where]:
    """Statements of a module's body that a set, or a function that makes one, gives a name that a spec mentions."""
    body = body_of(module)
    if body is None:
        return
    given = {name for name, value in vars(module).items() if _strange(value) or _makes(value)}
    for code in (c for c in all_codes(body) if c is body or not is_function(c)):
        asked, line = dict[tuple[int, str], Where](), code.co_firstlineno
        lines = {place.line for inner in _at_once(code) for place in _places(inner)}
        for step in bytecode.steps_of(code):
            line = bytecode.line_at(step) or line
            called = step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval in given
            if called or line in lines:
                asked[line, str(step.argval)] = bytecode.place(code, line)
        for name, place in kept(code, asked).items() if asked else ():
            if name in mentioned:
                yield place


def _at_once(code: CodeType) -> list[CodeType]:
    """A body with its comprehensions, which are executed where they stand."""
    return [code, *(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name.startswith("<"))]


def _strange(value: Any) -> bool:
    """Whether a value is, or comes from, a library of which nobody knows whether it gives sets."""
    module = value if isinstance(value, ModuleType) else sys.modules.get(str(getattr(value, "__module__", "builtins")))
    return module is not None and module.__name__ != "builtins" and not theirs(module) and not _known(module)


def _makes(value: Any) -> bool:
    """Whether a value is a function, or a class, in which a set is made."""
    functions = [function_of(v) for v in vars(value).values()] if isinstance(value, type) else [function_of(value)]
    if isinstance(value, type) and not user_class(value):
        return False
    own = (f for f in functions if isinstance(f, FunctionType) and not is_ours(f.__code__.co_filename))
    return any(True for f in own for code in all_codes(f.__code__) for _ in _places(code))


# -- in one code object ----------------------------------------------------------------------------------------


def _places(code: CodeType, sets: Sets | None = None) -> Iterator[Where]:
    """The lines of a code object that make a set, or ask for what differs as its order does."""
    names = set(code.co_names)
    for name in (_NAMES - _TYPES) & names:
        yield bytecode.place(code, bytecode.line_of(code, name))
    frozen = any(isinstance(value, frozenset) and not _numbers(value) for value in code.co_consts)
    if not frozen and not _SUSPECT & set(code.co_code[::2]) and not names & {*_VIEWS, *_TYPES}:
        return
    settled = NOWHERE if sets is None else sets.within(code)
    line, steps = code.co_firstlineno, bytecode.steps_of(code)
    for at, step in enumerate(steps):
        line = bytecode.line_at(step) or line
        of_views = step.opname == "BINARY_OP" and step.argrepr in _ON_VIEWS and not names.isdisjoint(_VIEWS)
        if _makes_set(steps, at, settled) or (of_views and steps[at - 1].opname != "LOAD_CONST"):
            yield bytecode.place(code, line)


def _makes_set(steps: Sequence[dis.Instruction], at: int, settled: Settled) -> bool:
    """Whether an instruction makes a set in whose order somebody may go through it, and not one of numbers."""
    step, opnames = steps[at], [s.opname for s in steps[at + 1 : at + 3]]
    if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
        empty = opnames[:1] == ["CALL"] and not steps[at + 1].arg
        return step.argval in _TYPES and not (empty and settled.at(steps, at, at + 2))
    if step.opname in ("LOAD_CONST", "RETURN_CONST"):
        made = isinstance(step.argval, frozenset) and opnames[:1] != ["SET_UPDATE"] and not _numbers(step.argval)
    elif _of_annotations(steps, at):
        return False
    elif step.opname == "BUILD_SET" and not step.arg:
        made = opnames != ["LOAD_CONST", "SET_UPDATE"]  # which is looked at itself
    elif step.opname == "BUILD_SET":
        parts = steps[at - (step.arg or 0) : at]
        made = not all(part.opname == "LOAD_CONST" and type(part.argval) in (int, bool) for part in parts)
    elif step.opname == "SET_UPDATE":
        made = not _numbers(steps[at - 1].argval)
    else:
        made = step.opname in _MAKING
    return made and not settled.at(steps, at, at + 1)


def _of_annotations(steps: Sequence[dis.Instruction], at: int) -> bool:
    """Whether a set is that of the numbers of annotations that a body has come to: Python 3.14 keeps them."""
    beside = {"BUILD_SET 0": at + 1, "SET_ADD 1": at - 2}.get(f"{steps[at].opname} {steps[at].arg}")
    return beside is not None and bool(steps[beside].argval == "__conditional_annotations__")


def _passed_on(codes: list[CodeType]) -> Where | None:
    """Where a view of a dictionary is handed on, if some code has an operator that would make a set of it."""
    for code in codes:
        if not _VIEWS.isdisjoint(code.co_names):
            steps = bytecode.steps_of(code)
            for at, step in enumerate(steps[:-2]):
                used = next((s for s in steps[at + 1 : at + 3] if s.opname not in ("CALL", "KW_NAMES")), None)
                if step.argval in _VIEWS and (used is None or used.opname not in _READ) and _operators(codes):
                    return bytecode.place(code, bytecode.line_at(step) or code.co_firstlineno)
    return None


_READ = {"GET_ITER", "CONTAINS_OP", "COMPARE_OP", "LOAD_ATTR", "LOAD_METHOD"}


def _operators(codes: list[CodeType]) -> bool:
    """Whether some code has an operator that sets have, with no constant on its right."""
    for code in codes:
        steps = bytecode.steps_of(code)
        for before, step in itertools.pairwise(steps):
            if step.opname == "BINARY_OP" and step.argrepr in _ON_VIEWS and before.opname != "LOAD_CONST":
                return True
    return False


_SUSPECT = frozenset(dis.opmap[name] for name in _MAKING)


def _numbers(value: Any) -> bool:
    """Whether the order of a constant or a set is the same with each start: it holds nothing but numbers."""
    return isinstance(value, (set, frozenset)) and all(type(part) in (int, bool) for part in value)
