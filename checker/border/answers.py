"""What the bodies of modules and classes keep of questions that they have asked, and who takes it from there."""

from __future__ import annotations

import dataclasses
import dis
import inspect
import itertools
import sys
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar

from ..language.methods import function_of
from . import bytecode
from .imports import bound, name_of, theirs
from .nondeterminism import THEMSELVES
from .ownership import fields_of, module_of, mro_of, user_class, vars_of
from .questions import LOADS, Names, Question, first, first_below, questions
from .sources import body_of

_OPTIMIZED = 0x1
_TELLING = {"print", "logging", "warnings", "log", "logger", "LOG", "LOGGER"}
"""Who is told something, and keeps nothing of it for a spec."""
_NAMESPACES = {"globals", "locals", "vars"}
_MAKING = {"__init__", "__new__", "__post_init__", "__getattr__"}
_IMMUTABLE = (int, float, complex, str, bytes, range, frozenset, type(None), type, ModuleType, FunctionType)
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
Found = TypeVar("Found")
Asked = Mapping[tuple[int, str], Found]


class Answers:
    """The names of modules, and of the classes in them, under which an answer is kept."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, Question]] = {}
        self._of_classes: dict[type, dict[str, Question]] = {}
        self._asked: dict[tuple[int, CodeType], tuple[Any, Question | None]] = {}

    def check(self, module: ModuleType, mentioned: set[str]) -> None:
        """E138 where the body of a module, or of a class in it, keeps an answer under a name that the spec mentions."""
        body = body_of(module)
        for code in () if body is None else _bodies(body):
            for name, question in self._kept_in(code, module, {} if code is body else self.kept(module)).items():
                if name in mentioned:
                    raise question.error

    def check_taken(self, code: CodeType, module: ModuleType, spec: Any) -> None:
        """E138 where a function takes an answer from another module, or from a class."""
        for question in self._taken(code, module, {"self": spec})[0].values():
            raise question.error

    def kept(self, module: ModuleType) -> dict[str, Question]:
        """The names of a module under which its body keeps an answer; also of its classes, as "Class.name"."""
        name = name_of(module)
        if name not in self._kept:
            self._kept[name] = {}  # modules may import one another
            body = body_of(module) if theirs(module) else None
            self._kept[name] = {} if body is None else self._kept_in(body, module, {})
        return self._kept[name]

    def _of_class(self, cls: type) -> dict[str, Question]:
        """The same of a class."""
        if cls not in self._of_classes:
            self._of_classes[cls] = {}
            module = sys.modules.get(module_of(cls))
            body = body_of(module) if module is not None and theirs(module) else None
            if module is not None and body is not None:
                outer, name = self.kept(module), cls.__qualname__
                found = {n.removeprefix(f"{name}."): q for n, q in outer.items() if n.startswith(f"{name}.")}
                for code in _bodies(body):
                    if code.co_qualname == name:
                        found |= self._kept_in(code, module, outer)
                self._of_classes[cls] = found
        return self._of_classes[cls]

    def _of(self, holder: Any, name: str) -> Question | None:
        """What a module, a class or an object of a class keeps under a name."""
        if isinstance(holder, ModuleType):
            asks = None if name in vars(holder) or not theirs(holder) else vars(holder).get("__getattr__")
            return self.kept(holder).get(name) or first_below(asks, set())
        cls = _class(holder)
        own = None if cls is holder else fields_of(holder)
        for base in () if cls is None else mro_of(cls):
            if name in vars_of(base) and user_class(base):
                given = own is not None and name in own and not dataclasses.is_dataclass(base)
                return None if given else self._of_class(base).get(name)
        return None

    def _kept_in(self, code: CodeType, module: ModuleType, outer: Mapping[str, Question]) -> dict[str, Question]:
        asked = {(question.line, question.name): question for question in questions(code, vars(module))}
        taken, by_star = self._taken(code, module, {}, executed=True)
        asked |= taken
        outer = {**outer, **by_star}
        return by_star | kept(code, asked, outer, vars(module)) if asked or outer else {}

    def _taken(
        self, code: CodeType, module: ModuleType, local: dict[str, Any], executed: bool = False
    ) -> tuple[dict[tuple[int, str], Question], dict[str, Question]]:
        """The answers that a code object takes from other modules and from classes, by line and name; and those by
        `import *`. By `from m import NAME`, `m.NAME`, `package.m.NAME`, `Class.NAME`, `getattr(m, "NAME")`.

        `executed` says that it is a body: then also what functions answer that it calls.
        """
        found, by_star = dict[tuple[int, str], Question](), dict[str, Question]()
        steps, line = bytecode.steps_of(code), code.co_firstlineno
        held, given, listed = None, None, False
        for at, step in enumerate(steps):
            line, name = bytecode.line_at(step) or line, str(step.argval)
            loaded = question = None
            if step.opname == "IMPORT_NAME":
                listed = steps[at - 1].argval is not None
                held = given = bound(module, int(steps[at - 2].argval), name, listed)
                by_star |= self.kept(held) if steps[at - 1].argval == ("*",) and held is not None else {}
            elif step.opname in LOADS:
                loaded = held = local.get(name, vars(module).get(name))
                given = held if _follows(steps, at, "STORE") else None
            elif step.opname == "IMPORT_FROM" or step.opname in _ATTRIBUTES:
                loaded, question = _inner(held, name), self._of(held, name)
                if step.opname == "IMPORT_FROM" and listed:
                    given = loaded
                else:
                    held = loaded
                    given = held if step.opname == "IMPORT_FROM" or _follows(steps, at, "STORE") else None
            elif step.opname == "LOAD_CONST":
                if isinstance(step.argval, str):  # getattr(m, "NAME")
                    question = self._of(held, name)
                elif executed and getattr(step.argval, "co_name", "") == "<lambda>":
                    question = None if _stored(steps[at + 1 : at + 4]) else first(step.argval, vars(module), set())
            elif step.opname.startswith("STORE") and (given is not None or step.opname == "STORE_FAST"):
                local[name], given = given, None
            if question is None and loaded is not None and step.opname != "IMPORT_FROM":
                bare = _follows(steps, at, "CALL") and not steps[at + 1].arg
                question = self._by_default(loaded) if bare else None
            if executed and question is None and step.opname != "IMPORT_FROM":
                question = self._called(loaded, code)
                by_star |= {} if question is None else dict.fromkeys(_sets(loaded), question)
            if question is not None:
                found[line, name] = question
        return found, by_star

    def _called(self, value: Any, code: CodeType) -> Question | None:
        """What a function asks that a body names, or a class that it makes an object of."""
        key = id(value), code
        if key not in self._asked:
            methods = [value]
            if issubclass(type(value), type):
                named = {*_MAKING, *code.co_names} if user_class(value) else ()
                methods = [m for name, m in vars_of(value).items() if name in named]
            found = filter(None, (first_below(method, set()) for method in methods))
            self._asked[key] = value, next(found, None)
        return self._asked[key][1]

    def _by_default(self, value: Any) -> Question | None:
        """What a class keeps that gives it to an object made of nothing."""
        if not (issubclass(type(value), type) and user_class(value)):
            return None
        fields = {*vars_of(value).get("__dataclass_fields__", ()), *vars_of(value).get("_field_defaults", ())}
        return next((q for n, q in self._of_class(value).items() if n in fields), None)


def _follows(steps: Any, at: int, word: str) -> bool:
    """Whether the next instruction is of a kind."""
    return len(steps) > at + 1 and bool(steps[at + 1].opname.startswith(word))


def _sets(value: Any) -> Iterator[str]:
    """The names of its module that a function gives a value."""
    code = getattr(function_of(value), "__code__", None)
    for step in bytecode.steps_of(code) if isinstance(code, CodeType) else ():
        if step.opname == "STORE_GLOBAL":
            yield str(step.argval)


def _bodies(code: CodeType) -> Iterator[CodeType]:
    """A body with those of the classes in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and not inner.co_flags & _OPTIMIZED:
            yield from _bodies(inner)


def _class(value: Any) -> type | None:
    """A class of somebody's, or that of an object."""
    cls = value if issubclass(type(value), type) else type(value)
    return cls if user_class(cls) else None


def _inner(held: Any, name: str) -> Any:
    """What somebody holds under a name, who is not asked for it."""
    if isinstance(held, ModuleType):
        return vars(held).get(name)
    return inspect.getattr_static(held, name, None) if _class(held) is not None else None


def _stored(steps: Any) -> bool:
    """Whether a function is given its name at once."""
    stored = [step.opname for step in steps if step.opname.startswith("STORE")]
    return any(a.opname == "MAKE_FUNCTION" and b.opname in stored for a, b in itertools.pairwise(steps))


def kept(
    code: CodeType, asked: Asked[Found], outer: Mapping[str, Found] | None = None, values: Names | None = None
) -> dict[str, Found]:
    """The names to which a body gives what comes of a question, or which it gives a value where an answer decides.

    `outer` are such names around a class, `values` what the module holds: with these also lists, objects and classes
    that a statement with an answer may change.
    """
    return _Body(code, asked, outer or {}, values or {}).names


class _Body(Generic[Found]):
    """A body, read once from its beginning to its end."""

    def __init__(self, code: CodeType, asked: Asked[Found], outer: Mapping[str, Found], values: Names) -> None:
        self.names: dict[str, Found] = {}
        self._values, self._until = values, -1
        self._found: Found | None = None
        self._decided: Found | None = None
        read: Any = dis.Bytecode(code)
        handlers = read.exception_entries
        line, steps = code.co_firstlineno, bytecode.steps_of(code)
        loaded = list[str]()
        for at, step in enumerate(steps):
            line = bytecode.line_at(step) or line
            name = str(step.argval)
            before = steps[at - 1].opname if at else ""
            own = asked.get((line, name)) or self.names.get(name)
            if own is None and step.opname in LOADS:
                own = outer.get(name)
            elif own is None and step.opname in _ATTRIBUTES:
                full = f"{steps[at - 1].argval}.{name}"
                own = self.names.get(full) or outer.get(full)
            if own is not None:
                self._found = own
                for entry in handlers:
                    if entry.start <= step.offset < entry.end:
                        self._decide(own, entry.end if entry.target < step.offset else _end(steps, entry.target))
            if step.opname in LOADS or step.opname == "LOAD_CONST":
                loaded.append(name)
            self._jump(step, steps)
            self._store(step, name, before, loaded)
            in_comprehension = step.opname == "STORE_FAST" or before == "END_FOR"  # inlined from Python 3.12 on
            joins = step.opname == "POP_TOP" and "JUMP" in before  # `a or b`
            goes_on = step.opname.startswith("STORE") and steps[at + 1].opname.startswith("STORE")  # a = b = ...
            ends = step.opname.startswith(("STORE", "POP_TOP", "RETURN"))
            if ends and not (in_comprehension or joins or goes_on):
                self._found = None
                loaded = []

    def _decide(self, found: Found, until: int) -> None:
        if until > self._until:
            self._decided, self._until = found, until

    def _jump(self, step: dis.Instruction, steps: Any) -> None:
        """What an answer decides, up to where the ways meet."""
        if step.offset >= self._until:
            self._decided = None
        if step.opname.startswith("RETURN") and self._decided is not None:
            self._until = steps[-1].offset + 1
        elif "JUMP" in step.opname or step.opname == "FOR_ITER":
            found = self._found if self._found is not None else self._decided
            if found is not None and isinstance(step.argval, int):
                self._decide(found, step.argval)

    def _store(self, step: dis.Instruction, name: str, before: str, loaded: list[str]) -> None:
        found = self._found if self._found is not None else self._decided
        if found is None:
            return
        if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
            self.names[name] = found
        elif step.opname == "STORE_ATTR" and loaded and issubclass(type(self._values.get(loaded[-1])), type):
            self.names[f"{loaded[-1]}.{name}"] = found
        elif step.opname in ("STORE_ATTR", "STORE_SUBSCR", "POP_TOP") and loaded and loaded[0] not in _TELLING:
            for changed in loaded:
                value = self._values.get(changed)
                if changed in _NAMESPACES:
                    self.names |= dict.fromkeys(loaded, found)
                elif issubclass(type(value), type):
                    self.names |= {f"{changed}.{text}": found for text in loaded}
                elif not isinstance(value, (*_IMMUTABLE, BuiltinFunctionType)) and id(value) not in THEMSELVES:
                    self.names[changed] = found


def _end(steps: Any, target: int) -> int:
    """Where the handlers that begin at a place end."""
    inside = [step for step in steps if step.offset >= target]
    for one, two in itertools.pairwise(inside):
        if one.opname == "COPY" and two.opname == "POP_EXCEPT":
            return int(one.offset)
    return int(steps[-1].offset) + 1
