"""What the bodies of modules and classes keep of questions that they have asked, and who takes it from there."""

from __future__ import annotations

import dataclasses
import dis
import functools
import inspect
import itertools
import sys
from collections.abc import Collection, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Generic, TypeVar

from ..errors import name_of
from ..language.methods import function_of
from . import bytecode
from .containers import parts_of
from .imports import bound, theirs
from .nondeterminism import THEMSELVES
from .ownership import beside, fields_of, is_a, module_of, mro_of, user_class, vars_of
from .questions import FUNCTIONS, LOADS, Names, Question, first_below, questions
from .sources import body_of, is_function
from .takers import ATTRIBUTES, Takers

_TELLING = {"print", "logging", "warnings", "log", "logger", "LOG", "LOGGER"}
"""Who is told something, and keeps nothing of it for a spec."""
_NAMESPACES = {"globals", "locals", "vars", "exec"}
_ANY = "*"
"""Every name of a module to which its body gives no value by an assignment."""
_MAKING = {"__init__", "__new__", "__post_init__", "__getattr__"}
_IMMUTABLE = (int, float, complex, str, bytes, range, frozenset, type(None), type, ModuleType, FunctionType)
Found = TypeVar("Found")
Asked = Mapping[tuple[int, str], Found]


class Answers:
    """The names of modules, and of the classes in them, under which an answer is kept."""

    def __init__(self, takers: Takers) -> None:
        self._takers, self._before = takers, dict[str, dict[str, Question]]()
        self._written, more = dict[str, Question](), takers.asking
        self._forget()
        while more:
            self._forget()
            found = {name_of(module): dict(self.kept(module)) for module in takers.modules}
            more = any(found[name].keys() != self._before.get(name, {}).keys() for name in found)
            self._written |= {n: question for kept in found.values() for n, question in kept.items() if ":" in n}
            self._before = found

    def _forget(self) -> None:
        self._kept: dict[str, dict[str, Question]] = {}
        self._of_classes: dict[type, dict[str, Question]] = {}
        self._asked: dict[Any, tuple[Any, Question | None]] = {}
        handed = (self._before[name_of(m)] for m in self._takers.modules if self._before and self._takers.is_handed(m))
        self._of_handed = {name: question for kept in handed for name, question in kept.items()}

    def check(self, module: ModuleType) -> None:
        """E138 where a module, or the body of a class in it, keeps an answer under a name that may be asked for."""
        takers, kept = self._takers, {n: question for n, question in self.kept(module).items() if ":" not in n}
        for names in takers.of_module(module) if kept else ():
            for name in kept:
                if names is None or name in names:
                    raise kept[name].error
        body = body_of(module)
        own = {cls.__qualname__ for cls in takers.classes if module_of(cls) == name_of(module)}
        for code in () if body is None else _bodies(body):
            found = self._kept_in(code, module, kept) if code is not body else {}
            others = takers.of_others() if found and code.co_qualname not in own else found
            for name in found:
                if name in others:
                    raise found[name].error

    def check_taken(self, code: CodeType, module: ModuleType, spec: Any) -> None:
        """E138 where a function takes an answer from another module, or from a class."""
        for question in self._taken(code, module, {"self": spec})[0].values():
            raise question.error

    def kept(self, module: ModuleType) -> dict[str, Question]:
        """The names of a module under which its body, or another one, keeps an answer; also of its classes, as
        "Class.name", and of other modules, as "module:name"."""
        name = name_of(module)
        if not self._takers.asking:
            return {}
        if name not in self._kept:
            self._kept[name] = self._before.get(name, {})  # modules may import one another
            body = body_of(module) if theirs(module) else None
            found = {} if body is None else self._kept_in(body, module, {})
            found = {n.removeprefix(f"{name}:"): question for n, question in found.items()}
            for owner in (f"{name}:", "builtins:"):
                found |= {n.removeprefix(owner): q for n, q in self._written.items() if n.startswith(owner)}
            if _ANY in found and body is not None:
                plain = {step.argval for step in bytecode.steps_of(body) if step.opname == "STORE_NAME"}
                found |= {n: found[_ANY] for n in vars(module) if n not in plain and not n.startswith("__")}
            self._kept[name] = found
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
            elif step.opname == "IMPORT_FROM" or step.opname in ATTRIBUTES:
                loaded, question = _inner(held, name), self._of(held, name)
                if step.opname == "IMPORT_FROM" and listed:
                    given = loaded
                else:
                    question = question or (self._of_handed.get(name) if executed and loaded is None else None)
                    held = loaded
                    given = held if step.opname == "IMPORT_FROM" or _follows(steps, at, "STORE") else None
            elif step.opname == "LOAD_CONST":
                if isinstance(step.argval, str):  # getattr(m, "NAME")
                    question = self._of(held, name)
                elif executed and getattr(step.argval, "co_name", "").startswith("<"):
                    question = None if _stored(steps[at + 1 : at + 4]) else self._reads(step.argval, vars(module))
            elif step.opname.startswith("STORE") and (given is not None or step.opname == "STORE_FAST"):
                local[name], given = given, None
            if question is None and loaded is not None and step.opname != "IMPORT_FROM":
                bare = _follows(steps, at, "CALL") and not steps[at + 1].arg
                question = self._by_default(loaded) if bare else None
            if executed and question is None and step.opname != "IMPORT_FROM":
                question = self._called(loaded, code)
                by_star |= {} if question is None else dict.fromkeys(_sets(loaded, set()), question)
            if question is not None:
                found[line, name] = question
        return found, by_star

    def _called(self, value: Any, code: CodeType) -> Question | None:
        """The answer that somebody has whom a body names: a function, a class that it makes an object of, an object."""
        key = id(value), id(code)  # to hash a code object takes as long as its constants are many
        if key not in self._asked:
            self._asked[key] = (value, code), None  # functions may call one another
            found = filter(None, (self._reads(*told) for told in _executed(value, {*code.co_names})))
            self._asked[key] = (value, code), next(found, None)
        return self._asked[key][1]

    def _reads(self, code: CodeType, names: Names) -> Question | None:
        """What a function asks, or takes from who has asked, itself or through others."""
        if beside(code, names):
            return None
        if id(code) not in self._asked:
            self._asked[id(code)] = code, None  # functions may call one another
            self._asked[id(code)] = code, next(self._all_read(code, names), None)
        return self._asked[id(code)][1]

    def _all_read(self, code: CodeType, names: Names) -> Iterator[Question]:
        yield from questions(code, names)
        module = sys.modules.get(str(names.get("__name__")))
        if module is not None and vars(module) is names:
            kept = self.kept(module)
            yield from (kept[name] for name in bytecode.global_names(code) if name in kept)
            yield from self._taken(code, module, {}, executed=True)[0].values()
        inner = (self._reads(const, names) for const in code.co_consts if isinstance(const, CodeType))
        yield from filter(None, inner)

    def _by_default(self, value: Any) -> Question | None:
        """What a class keeps that gives it to an object made of nothing."""
        if not (issubclass(type(value), type) and user_class(value)):
            return None
        fields = {*vars_of(value).get("__dataclass_fields__", ()), *vars_of(value).get("_field_defaults", ())}
        return next((q for n, q in self._of_class(value).items() if n in fields), None)


def _executed(first: Any, named: Collection[str]) -> Iterator[tuple[CodeType, Names]]:
    """The functions that a body may execute that names somebody, and some attributes; each with its globals."""
    todo, seen = [first], dict[int, Any]()
    while todo:
        value = todo.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if is_a(value, list, tuple, dict) and value is not sys.modules:
            todo += parts_of(value)
            continue
        if is_a(value, functools.partial):
            todo.append(value.func)
        yield from _of(value, named)


def _of(value: Any, named: Collection[str]) -> Iterator[tuple[CodeType, Names]]:
    cls = _class(value)
    if cls is not None:
        methods = {
            name: held for base in reversed(mro_of(cls)) if user_class(base) for name, held in vars_of(base).items()
        }
        special = _MAKING if cls is value else {name for name in methods if name.startswith("__")} - _MAKING
        for name, method in methods.items():
            if name in special or name in named:
                yield from _functions(method)
    yield from _functions(value)


def _functions(value: Any) -> Iterator[tuple[CodeType, Names]]:
    """A function, and those that its decorators have wrapped."""
    function = _function(value)
    while isinstance(function, FUNCTIONS):
        if isinstance(function, FunctionType):
            yield function.__code__, function.__globals__
        function = vars(function).get("__wrapped__")


def _follows(steps: Any, at: int, word: str) -> bool:
    """Whether the next instruction is of a kind."""
    return len(steps) > at + 1 and bool(steps[at + 1].opname.startswith(word))


def _function(value: Any) -> Any:
    """The function in a value; None for objects of an author's, which may do anything when they are asked."""
    return None if _class(value) is not None else function_of(value)


def _sets(value: Any, seen: set[CodeType]) -> Iterator[str]:
    """The names of modules that a function gives a value, itself or through others, as "module:name"."""
    function = _function(value)
    if not isinstance(function, FunctionType) or function.__code__ in seen:
        return
    code = function.__code__
    seen.add(code)
    names, held = function.__globals__, None
    if beside(code, names):
        return
    for step in bytecode.steps_of(code):
        if step.opname == "STORE_GLOBAL":
            yield f"{names.get('__name__')}:{step.argval}"
        elif step.opname == "STORE_ATTR" and isinstance(held, ModuleType):
            yield f"{name_of(held)}:{step.argval}"
        held = names.get(str(step.argval)) if step.opname in LOADS else None
        yield from _sets(held, seen)


def _bodies(code: CodeType) -> Iterator[CodeType]:
    """A body with those of the classes in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and not is_function(inner):
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
        self._called, held, attributes = list[Any](), None, list[str]()
        for at, step in enumerate(steps):
            line = bytecode.line_at(step) or line
            name = str(step.argval)
            full = f"{_path(held)}{name}"
            if step.opname in ATTRIBUTES:
                held = _inner(held, name)
                attributes.append(name)
            else:
                held = self._values.get(name) if step.opname in LOADS else None
            self._called += [] if held is None else [held]
            before = steps[at - 1].opname if at else ""
            own = asked.get((line, name)) or self.names.get(name)
            if own is None and step.opname in LOADS:
                own = outer.get(name)
            elif own is None and step.opname in ATTRIBUTES:
                own = self.names.get(full) or outer.get(full.partition(":")[2])
            if own is not None:
                self._found = own
                for entry in handlers:
                    if entry.start <= step.offset < entry.end:
                        self._decide(own, entry.end if entry.target < step.offset else _end(steps, entry.target))
            if step.opname in LOADS or step.opname == "LOAD_CONST":
                loaded.append(name)
            self._jump(step, steps)
            self._store(step, name, loaded, attributes)
            in_comprehension = step.opname == "STORE_FAST" or before == "END_FOR"  # inlined from Python 3.12 on
            joins = step.opname == "POP_TOP" and "JUMP" in before  # `a or b`
            goes_on = step.opname.startswith("STORE") and steps[at + 1].opname.startswith("STORE")  # a = b = ...
            ends = step.opname.startswith(("STORE", "POP_TOP", "RETURN"))
            if ends and not (in_comprehension or joins or goes_on):
                self._found = None
                loaded, self._called, attributes = [], [], []

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

    def _store(self, step: dis.Instruction, name: str, loaded: list[str], attributes: list[str]) -> None:
        found = self._found if self._found is not None else self._decided
        if found is None:
            return
        if step.opname.startswith(("STORE", "POP_TOP")):
            self.names |= {n: found for value in self._called for n in _sets(value, set())}
        owner = self._called[-1] if self._called else None
        if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
            self.names[name] = found
        elif step.opname == "STORE_ATTR" and _path(owner):
            self.names[f"{_path(owner)}{name}"] = found
        elif step.opname in ("STORE_ATTR", "STORE_SUBSCR", "POP_TOP") and loaded and loaded[0] not in _TELLING:
            if not _NAMESPACES.isdisjoint(loaded):
                self.names |= dict.fromkeys((*loaded, _ANY), found)
            for path in filter(None, map(_path, self._called)):
                self.names |= {f"{path}{text}": found for text in (*loaded, *attributes, _ANY)}
            for changed in loaded:
                value = self._values.get(changed)
                if not isinstance(value, (*_IMMUTABLE, BuiltinFunctionType)) and id(value) not in THEMSELVES:
                    self.names[changed] = found


def _path(holder: Any) -> str:
    """What stands before a name that a class or a module of somebody's holds; "" for who is neither."""
    if issubclass(type(holder), type) and user_class(holder):
        return f"{module_of(holder)}:{holder.__qualname__}."
    return f"{name_of(holder)}:" if isinstance(holder, ModuleType) else ""


def _end(steps: Any, target: int) -> int:
    """Where the handlers that begin at a place end."""
    inside = [step for step in steps if step.offset >= target]
    for one, two in itertools.pairwise(inside):
        if one.opname == "COPY" and two.opname == "POP_EXCEPT":
            return int(one.offset)
    return int(steps[-1].offset) + 1
